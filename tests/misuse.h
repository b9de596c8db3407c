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
    mote_force_def force_def;
    mote_grid_def grid_def;
    mote_height_field_def height_field_def;
    mote_distance_grid_def distance_grid_def;
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
    mote_advance advances[2];
    /* Arrays. */
    float vector[16], changed[16], identity[16], rising[16], floats[4096], mesh[4 * 6], points[16][3];
    double doubles[64];
    uint32_t numbers[8192], few[8];
    uint64_t longs[MOTE_HASH_CHUNK];
    unsigned char memory[1 << 16], file[4096], snapshot[1 << 17];
    size_t size, file_bytes, snapshot_bytes;
    const char *name;
    /* Of a case from inside a callback. */
    unsigned busy_call;
    bool busy;
    mote_result busy_result;
} misuse_world;

#define MISUSE_NO_RESULT ((mote_result)1000)
#define MISUSE_ANY       ((mote_result)1001)
#define MISUSE_BIT(code) (1u << (code))

typedef struct misuse_case {
    const char *function, *what;
    unsigned call, variant;
    uint32_t allowed;     /* MISUSE_BIT of each code that the comment of the function names */
    mote_result expected; /* MISUSE_ANY: OK or one of those */
    bool busy;            /* called from inside a callback of a force */
} misuse_case;

extern const misuse_case misuse_cases[];
extern const unsigned misuse_case_count;

/* Makes the call with one wrong argument; variant 0: all are valid. Returns its code. */
mote_result misuse_call(misuse_world *w, unsigned number, unsigned variant);

/* Returns the changed vector with the other components of a valid one. */
const float *misuse_vector(misuse_world *w, const float *valid);

void misuse_callback(void *user, const mote_stage_view *stage, float *x, float *y, float *z);

#endif
