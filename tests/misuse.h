/* Misuse of the public interface: one small world with an object of every kind, and the table of calls that
 * tests/scripts/misuse.py makes from the headers. */
#ifndef MOTE_TESTS_MISUSE_H
#define MOTE_TESTS_MISUSE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <mote/mote.h>

typedef struct misuse_world {
    /* Objects. stale: removed; foreign: of another system; destroyed: of a system that is no more. */
    mote_system *system, *other, *systems[2], *made_system;
    mote_system *flat; /* of nothing but gravity, which can seek */
    mote_particle_id particle, stale_particle, foreign_particle, destroyed_particle, particles[1];
    mote_force_id force, stale_force, foreign_force, destroyed_force;
    mote_collider_id collider, stale_collider, foreign_collider, destroyed_collider;
    mote_emitter_id emitter, stale_emitter, foreign_emitter, destroyed_emitter;
    mote_link_id link, stale_link, foreign_link, destroyed_link;
    mote_strands_id strands, stale_strands, foreign_strands, destroyed_strands;
    mote_network_id network, stale_network, foreign_network, destroyed_network;
    mote_followers *followers, *made_followers;
    mote_grid *grid, *made_grid;
    mote_hair *hair, *made_hair;
    mote_height_field *height_field, *made_height_field;
    mote_distance_grid *distance_grid, *made_distance_grid;
    /* Valid defs. */
    mote_system_def system_def;
    mote_collider_def collider_def;
    mote_emitter_def emitter_def;
    mote_columns columns;
    mote_columns_def columns_def;
    mote_followers_def followers_def;
    mote_force_def force_def, kinds[MOTE_FORCE_KIND_COUNT]; /* kinds: a valid def of each */
    mote_grid_def grid_def;
    mote_height_field_def height_field_def;
    mote_distance_grid_def distance_grid_def;
    mote_hair model; /* with every array */
    mote_hair_resample_def resample_def;
    mote_lines_def lines_def;
    mote_link link_def;
    mote_mesh_layout mesh_layout;
    mote_network_def network_def;
    mote_rod_def rod_def;
    mote_strands_def strands_def;
    mote_strand_layout strand_layout;
    mote_preview_def preview_def;
    mote_present_layout layout;
    mote_transform transform;
    mote_chain chain;
    mote_hash_chunk chunk, chunks[64];
    mote_spring springs[4];
    mote_triangle triangles[1], made_triangles[1];
    mote_jobs jobs;
    mote_transport transport; /* of one rank */
    mote_line lines[1024];
    mote_size_key size_keys[2];
    mote_colour_key colour_keys[2];
    mote_advance advances[2];
    /* Arrays. */
    float vector[64], identity[64], rising[64], floats[4096], mesh[5 * 6], points[22][3];
    double doubles[64];
    uint32_t numbers[8192], few[8], guides[9], strand_points[8];
    uint64_t longs[MOTE_HASH_CHUNK];
    unsigned char memory[1 << 16], file[4096], snapshot[1 << 17];
    size_t size, file_bytes, snapshot_bytes;
    const char *name;
    /* Of a case inside a step: the next function of the host in this place makes the call. */
    unsigned inside_call;
    int inside_place; /* MISUSE_OUTSIDE: none, or the call was made */
    mote_result inside_result;
} misuse_world;

/* Results of calls that return no code: what the comment says for wrong arguments, or another value. */
#define MISUSE_EMPTY     ((mote_result)1000)
#define MISUSE_VALUE     ((mote_result)1001)
#define MISUSE_ANY       ((mote_result)1002)
#define MISUSE_BIT(code) (1u << (code))

/* Where a call is made. */
enum { MISUSE_OUTSIDE, MISUSE_IN_CALLBACK, MISUSE_IN_HOOK, MISUSE_IN_JOBS };

typedef struct misuse_case {
    const char *function, *what;
    unsigned call, variant;
    uint32_t allowed;     /* MISUSE_BIT of each code that the comment of the function names */
    mote_result expected; /* MISUSE_ANY: OK or one of those */
    int place;            /* MISUSE_OUTSIDE, ... */
} misuse_case;

extern const misuse_case misuse_cases[];
extern const unsigned misuse_case_count;

/* Makes the call with one wrong argument; variant 0: all are valid. Returns its code. */
mote_result misuse_call(misuse_world *w, unsigned number, unsigned variant);

/* Copies an array of the host, whose first element is then made wrong. from NULL: the array is optional, and
 * gets ones. */
void misuse_copy(void *to, const void *from, size_t bytes);

/* Returns whether the rotation is 0, which is what wrong transforms give. */
bool misuse_no_rotation(const mote_transform *transform);

/* Returns the code of a call that gets a transform. */
mote_result misuse_place(misuse_world *w, mote_transform at);

/* As misuse_place; MISUSE_VALUE where the rotation of a transform that the call takes has not length 1. */
mote_result misuse_place_unit(misuse_world *w, mote_transform at);

/* Returns the code of a force that gets the rows of a matrix. */
mote_result misuse_field(const misuse_world *w, const float rows[9]);

void misuse_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z);

#endif
