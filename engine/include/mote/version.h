/** @file
 * The version of the headers; mote_version() is that of the library. */
#ifndef MOTE_VERSION_H
#define MOTE_VERSION_H

#include <mote/result.h>

#define MOTE_VERSION "0.1.0" /**< "major.minor.patch" */

/** Returns the library's version, "major.minor.patch". */
MOTE_API const char *mote_version(void);

#endif
