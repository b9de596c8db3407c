/* Pictures of rods: points, written to files for gnuplot. */
#ifndef BENCH_PICTURES_H
#define BENCH_PICTURES_H

#include <stdio.h>

typedef struct picture {
    const char *name, *description;
    const char *plot; /* commands of gnuplot, in the directory of NAME.dat */
    /* Writes NAME.dat: blocks of lines, two blank lines between blocks, one between the lines of a block. */
    void (*write)(FILE *points);
} picture;

extern const picture rod_pictures[];
extern const unsigned rod_picture_count;

#endif
