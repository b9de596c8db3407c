/* The scenes of strands: shapes, settings and motion; and the contender that steps them. */
#ifndef BENCH_STRAND_SCENES_H
#define BENCH_STRAND_SCENES_H

#include "strands.h"

/* The part of a scene of strands that its row of the table does not hold. Numbers are made by + - x / sqrt
 * and integers only, so that hashes agree. */
typedef struct strand_scene {
    uint32_t points; /* of a strand */
    float gravity[3];
    void (*shape)(uint32_t strand, float (*points)[3]); /* the rest shape */
    void (*settings)(mote_strands_def *def);
    void (*equip)(strand_run *run); /* colliders; NULL: none */
    void (*move)(strand_run *run);  /* before each frame; NULL: nothing */
} strand_scene;

/* Reads the file of scene hairfile into strands of at most HAIR_FILE_POINTS points, the longest 0.3 m long.
 * An error in the file ends the program with code 2 and names the item. */
#define HAIR_FILE_POINTS 32u
void hair_file_load(const char *path);
bool hair_file_loaded(void);

/* The points of the first strands that together have no more than `asked` points, of one strand at least; 0:
 * of all. */
uint32_t hair_file_whole(const bench_scene *scene, uint32_t asked);

/* The same for strands that are all alike; asked 0: the scene's default. */
uint32_t strands_whole(const bench_scene *scene, uint32_t asked);

/* Common functions of the contenders, whose state is a strand_run. */
void strands_run(void *run, uint32_t frames);
uint64_t strands_hash(void *run);
void strands_close(void *run);

/* Moves all roots before a frame: they nod and turn about the origin. */
void strands_turn(strand_run *run);

void strands_observe(void *run, bench_observation *observation);
uint32_t strands_figures(const measurement *result, scene_figure *figures);

/* The rope starts every repeat at rest in the rest shape. */
extern const bench_contender strands_contender, rope_contender, hair_file_contender;
extern const strand_scene rope_scene, hair_scene, shaken_scene, curls_scene;
extern const strand_scene bare_hair_scene, /* hair without head, shoulders and air: for section strands */
    stiff_curls_scene; /* curls that are solved in the rotations of their segments: the same */

#endif
