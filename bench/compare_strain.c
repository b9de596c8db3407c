/* mote-bench compare, section strands: tables of the stretch that constraints leave and of the energy that
 * the conserving solver loses. A rope swings down from the horizontal. */
#include <math.h>
#include <stdio.h>

#include "compare.h"
#include "strand_scenes.h"

#define TARGET_STRAIN 0.002 /* asked of the constraints */

static strand_run *swing(const rope_setup *setup, uint32_t frames) {
    strand_run *run = rope_create(setup);
    strands_run(run, frames);
    return run;
}

static rope_setup one_rope(float length, uint32_t points, uint32_t substeps) {
    return (rope_setup){.solver = MOTE_STRAND_ROBUST,
                        .strands = 1,
                        .points = points,
                        .substeps = substeps,
                        .threads = 1,
                        .length = length};
}

/* Rounding of the length of a segment, relative to it: a unit in the last place of coordinates, which are up
 * to `points` times as large. */
static double rounding_of(uint32_t points) { return 4 * 0x1p-24 * points; }

static const char *verdict(const strand_tally *tally, uint32_t points) {
    if (tally->frozen || !isfinite(tally->max_strain)) return "FROZEN";
    if (tally->max_strain <= TARGET_STRAIN + rounding_of(points))
        return tally->unsolved ? "held, unsolved" : "held";
    return tally->unsolved ? "reported" : "NOT REPORTED";
}

static bool strain_row(const rope_setup *setup, cJSON *rows) {
    strand_run *run = swing(setup, 120);
    const strand_tally *t = &run->tally;
    const char *words = verdict(t, setup->points);
    bool held = t->max_strain <= TARGET_STRAIN + rounding_of(setup->points) && !t->unsolved;
    printf("%6.1f m x %-5u %9u %11.4f %% %11.5f %% %11.2f %8u of %u  %s\n", (double)setup->length,
           (unsigned)setup->points, (unsigned)setup->substeps, 100 * t->max_strain,
           100 * tally_mean_strain(t), tally_iterations(run), (unsigned)t->unsolved, (unsigned)t->frames,
           words);
    fflush(stdout);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddNumberToObject(row, "length", (double)setup->length);
    cJSON_AddNumberToObject(row, "points", setup->points);
    cJSON_AddNumberToObject(row, "substeps", setup->substeps);
    cJSON_AddNumberToObject(row, "max_strain", t->max_strain);
    cJSON_AddNumberToObject(row, "mean_strain", tally_mean_strain(t));
    cJSON_AddNumberToObject(row, "iterations", tally_iterations(run));
    cJSON_AddNumberToObject(row, "frames_unsolved", (double)t->unsolved);
    cJSON_AddNumberToObject(row, "frames", (double)t->frames);
    cJSON_AddStringToObject(row, "verdict", words);
    cJSON_AddItemToArray(rows, row);
    strand_run_destroy(run);
    return held;
}

void compare_strain(cJSON *object) {
    static const float lengths[] = {0.1f, 0.3f, 1};
    cJSON *rows = cJSON_AddArrayToObject(object, "strain");
    printf("\nstrain of a rope released horizontally, 2 s, 60 frames a second, robust, asked: %.1f "
           "%%\n%-15s %9s %13s "
           "%13s "
           "%11s %8s\n",
           100 * TARGET_STRAIN, "", "substeps", "largest", "mean", "iterations", "frames unsolved");
    for (int i = 0; i < 6; i++) {
        rope_setup setup = one_rope(lengths[i / 2], i % 2 ? 128 : 32, 4);
        strain_row(&setup, rows);
    }
    for (uint32_t points = 512; points <= 1024; points *= 2) {
        uint32_t substeps = 4, held = 0;
        for (; substeps <= 256 && !held; substeps *= 2) {
            rope_setup setup = one_rope(1, points, substeps);
            if (strain_row(&setup, rows)) held = substeps;
        }
        if (held)
            printf("       %u points: held without a cap from %u substeps on\n", (unsigned)points,
                   (unsigned)held);
        else
            printf("       %u points: NOT HELD at any of these\n", (unsigned)points);
    }
}

/* |E - E0| over m g times the drop of the centre of mass, half the length, from horizontal to hanging. */
void compare_energy(cJSON *object) {
    cJSON *rows = cJSON_AddArrayToObject(object, "energy");
    printf("\nenergy of a rope of 1 m x 32 after a swing of 5 s, over the swing's depth\n%-12s %9s %12s %12s "
           "%11s %12s "
           "%10s\n",
           "", "substeps", "largest", "at the end", "strain", "iterations", "fallbacks");
    for (int i = 0; i < 6; i++) {
        rope_setup setup = one_rope(1, 32, 8u << i % 3);
        setup.solver = i < 3 ? MOTE_STRAND_CONSERVING : MOTE_STRAND_ROBUST;
        strand_run *run = rope_create(&setup);
        double mass = rope_point_mass(&setup), depth = rope_depth(&setup), largest = 0, error = 0;
        double start = rope_energy(run, 0, mass);
        for (uint32_t frame = 0; frame < 300; frame++) {
            strand_run_frame(run);
            error = fabs(rope_energy(run, 0, mass) - start) / depth;
            if (!(error <= largest)) largest = error;
        }
        const char *name = i < 3 ? "conserving" : "robust";
        printf("%-12s %9u %10.4f %% %10.4f %% %9.4f %% %12.2f %10u\n", name, (unsigned)setup.substeps,
               100 * largest, 100 * error, 100 * run->tally.max_strain, tally_iterations(run),
               (unsigned)run->tally.fallbacks);
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "solver", name);
        cJSON_AddNumberToObject(row, "substeps", setup.substeps);
        cJSON_AddNumberToObject(row, "largest", largest);
        cJSON_AddNumberToObject(row, "end", error);
        cJSON_AddNumberToObject(row, "max_strain", run->tally.max_strain);
        cJSON_AddNumberToObject(row, "iterations", tally_iterations(run));
        cJSON_AddNumberToObject(row, "fallbacks", (double)run->tally.fallbacks);
        cJSON_AddItemToArray(rows, row);
        strand_run_destroy(run);
    }
}
