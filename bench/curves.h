/* Curves for pictures: tables in long form, a line a value or a point, with units in the names of columns. */
#ifndef BENCH_CURVES_H
#define BENCH_CURVES_H

#include <stdio.h>

typedef struct curve {
    const char *name, *description;
    void (*write)(FILE *table); /* NAME.csv */
} curve;

void write_springs(FILE *table);
void write_cost(FILE *table);
void write_stability(FILE *table);
void write_cantilevers(FILE *table);
void write_curls(FILE *table);
void write_groom(FILE *table);
void write_rope(FILE *table);

#endif
