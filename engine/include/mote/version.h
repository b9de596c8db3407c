/* The version of the headers; mote_version() is that of the library. */
#ifndef MOTE_VERSION_H
#define MOTE_VERSION_H

#include <mote/result.h>

#define MOTE_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* "major.minor.patch". */
MOTE_API const char *mote_version(void);

#ifdef __cplusplus
}
#endif
#endif
