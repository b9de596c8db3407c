/** @file
 * The version of the headers; mote_version() is that of the library. */
#ifndef MOTE_VERSION_H
#define MOTE_VERSION_H

#include <mote/result.h>

#define MOTE_VERSION "0.1.0" /**< "major.minor.patch" */

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the library's version, "major.minor.patch". */
MOTE_API const char *mote_version(void);

#ifdef __cplusplus
}
#endif
#endif
