/* Scene hairfile: the strands of a HAIR file. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mote/hair.h>

#include "engine.h"
#include "options.h"
#include "strand_scenes.h"

#define LONGEST_STRAND 0.3 /* m: files have no unit */

/* The strands of the file, ready for a def, until the program ends. */
static struct hair_file {
    float (*points)[3];
    uint32_t *strand_points;
    uint32_t strands, count;
} loaded;

/* The whole file; a file that cannot be read ends the program with a message. */
static unsigned char *read_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    size_t room = 0;
    *size = 0;
    while (file && *size == room) { /* full: there may be more. A folder or a pipe has no size to ask for */
        room = room ? 2 * room : 1 << 20;
        bytes = realloc(bytes, room);
        if (!bytes) fail_usage("--file: %s: no memory for it", path);
        *size += fread(bytes + *size, 1, room - *size, file);
    }
    if (!file || ferror(file)) fail_usage("--file: %s: %s", path, strerror(errno));
    fclose(file);
    return bytes;
}

static void require_hair(mote_result result, const char *path, const mote_hair_error *where) {
    if (result == MOTE_OK) return;
    if (result != MOTE_ERROR_FILE && result != MOTE_ERROR_NOT_FINITE)
        fail_usage("--file: %s: %s", path, mote_result_text(result));
    fail_usage("--file: %s: %s %u, byte %llu: %s", path, mote_hair_item_name(where->item),
               (unsigned)where->index, (unsigned long long)where->offset, where->text);
}

static mote_hair *read_hair(const char *path) {
    size_t size;
    unsigned char *bytes = read_bytes(path, &size);
    mote_hair *hair;
    mote_hair_error where = {.text = ""};
    require_hair(mote_hair_read(bytes, size, NULL, &hair, &where), path, &where);
    free(bytes);
    return hair;
}

/* A model in which no strand has more than HAIR_FILE_POINTS points: the same one, or one with
 * HAIR_FILE_POINTS points in each strand. */
static mote_hair *shorten(mote_hair *hair, const char *path) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < hair->strand_count; i++) {
        uint32_t points = mote_hair_strand_points(hair, i);
        if (points > most) most = points;
    }
    if (most <= HAIR_FILE_POINTS) return hair;
    mote_hair_resample_def def = mote_default_hair_resample_def();
    def.points = HAIR_FILE_POINTS;
    mote_hair *shorter;
    mote_hair_error where = {.text = ""};
    require_hair(mote_hair_resample(hair, &def, &shorter, &where), path, &where);
    mote_hair_destroy(hair);
    return shorter;
}

static double strand_length(const float (*points)[3], uint32_t count) {
    double length = 0;
    for (uint32_t k = 1; k < count; k++) {
        double square = 0;
        for (int i = 0; i < 3; i++) {
            double d = (double)points[k][i] - (double)points[k - 1][i];
            square += d * d;
        }
        length += sqrt(square);
    }
    return length;
}

static void scale_points(const mote_hair *hair, const char *path) {
    double longest = 0;
    for (uint32_t i = 0, at = 0; i < hair->strand_count; at += loaded.strand_points[i], i++)
        longest =
            fmax(longest, strand_length((const float(*)[3])(hair->points + at), loaded.strand_points[i]));
    if (!(longest > 0)) fail_usage("--file: %s: model 0: no strand has any length", path);
    for (uint32_t i = 0; i < hair->point_count; i++)
        for (int axis = 0; axis < 3; axis++)
            loaded.points[i][axis] = (float)((double)hair->points[i][axis] * (LONGEST_STRAND / longest));
}

void hair_file_load(const char *path) {
    mote_hair *hair = shorten(read_hair(path), path);
    loaded.strands = hair->strand_count;
    loaded.count = hair->point_count;
    loaded.points = allocate_or_fail(sizeof *loaded.points * hair->point_count);
    loaded.strand_points = allocate_or_fail(sizeof *loaded.strand_points * hair->strand_count);
    for (uint32_t i = 0; i < hair->strand_count; i++)
        loaded.strand_points[i] = mote_hair_strand_points(hair, i);
    scale_points(hair, path);
    mote_hair_destroy(hair);
}

bool hair_file_loaded(void) { return loaded.points != NULL; }

static uint32_t strands_within(uint32_t points) {
    uint32_t strands = 1;
    for (uint32_t used = loaded.strand_points[0]; strands < loaded.strands; strands++) {
        used += loaded.strand_points[strands];
        if (used > points) break;
    }
    return strands;
}

uint32_t hair_file_whole(const bench_scene *scene, uint32_t asked) {
    (void)scene;
    if (asked == 0) return loaded.count;
    uint32_t strands = strands_within(asked), points = 0;
    for (uint32_t i = 0; i < strands; i++) points += loaded.strand_points[i];
    return points;
}

/* Gravity is along -z: the models of this format have z upwards. */
static void *hair_file_open(const bench_config *config) {
    mote_system_def system = engine_def(config);
    strand_run *run = strand_run_create(&system, (float[3]){0, 0, -9.81f});
    mote_strands_def def = mote_default_strands_def();
    def.substeps = 0; /* those of the system */
    def.strand_count = strands_within(config->particles);
    def.strand_points = loaded.strand_points;
    def.positions = loaded.points[0];
    def.normal_drag = 0.01f;
    def.tangential_drag = 0.003f;
    strand_run_add(run, &def);
    run->move = strands_turn;
    return run;
}

const bench_contender hair_file_contender = {"hairfile",  hair_file_open, NULL,
                                             strands_run, strands_hash,   strands_close};
