/* PNG files. */
#ifndef VIEWER_PICTURE_H
#define VIEWER_PICTURE_H

#include <stdbool.h>

/* Writes four bytes a pixel, rows from top to bottom. Returns false if the file cannot be written. */
bool picture_write(const char *name, int width, int height, const unsigned char *pixels);

#endif
