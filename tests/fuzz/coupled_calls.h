/* The calls of a host about strands, networks and links, with arguments from the input. */
#ifndef MOTE_FUZZ_COUPLED_CALLS_H
#define MOTE_FUZZ_COUPLED_CALLS_H

#include "calls.h"

enum { MOST_NODES = 24 };

/* --- Strands --- */

static inline mote_strands_def take_strands(input *in, float places[][3]) {
    mote_strands_def def = mote_default_strands_def();
    const uint32_t flags = take_byte(in);
    def.strand_count = 1 + take_below(in, 6), def.points = 2 + take_below(in, 5);
    for (uint32_t i = 0; i < def.strand_count * def.points; i++) {
        const uint32_t point = i % def.points, strand = i / def.points;
        places[i][0] = 0.25f * (float)strand + (flags & 1 ? 0.02f * (float)take_below(in, 8) : 0);
        places[i][1] = 1 - 0.2f * (float)point, places[i][2] = flags & 2 ? 0.05f * (float)(point * point) : 0;
    }
    def.positions = places[0];
    def.solver = (mote_strand_solver)take_below(in, MOTE_STRAND_SOLVER_COUNT);
    def.mass = 0.01f + take_positive(in), def.substeps = take_below(in, 5);
    if (flags & 4 || def.solver == MOTE_STRAND_SPRINGS) def.compliance = 0.01f * take_positive(in);
    if (flags & 8) def.bending_stiffness = 0.01f * take_positive(in);
    if (flags & 16) def.twisting_stiffness = 0.01f * take_positive(in);
    if (flags & 32) def.normal_drag = take_positive(in), def.tangential_drag = take_positive(in);
    if (flags & 64) def.damping = take_positive(in), def.pose_stiffness = take_positive(in);
    def.free_roots = flags & 128, def.hinged_roots = take_byte(in) & 1;
    def.radius = 0.01f * take_positive(in), def.max_iterations = 1 + take_below(in, 32);
    return def;
}

static inline mote_result call_strands(host *h, input *in) {
    float places[64][3];
    const mote_strands_def def = take_strands(in, places);
    mote_strands_id id;
    const mote_result result = mote_system_add_strands(h->system, &def, &id, NULL);
    if (result == MOTE_OK) KEEP(h->id.strands, h->id.strands_count, id);
    return result;
}

static inline mote_result call_remove_strands(host *h, input *in) {
    return mote_system_remove_strands(h->system, PICK(strands));
}

static inline mote_result call_roots(host *h, input *in) {
    const mote_strands_id id = PICK(strands);
    const mote_transform to = take_transform(in);
    const uint32_t strand = take_below(in, 8);
    if (strand == 7) return mote_strands_set_roots(h->system, id, &to, 1, take_tick(h, in));
    return mote_strands_set_root(h->system, id, strand, &to, take_tick(h, in));
}

static inline mote_result call_pin_strand(host *h, input *in) {
    const mote_strands_id id = PICK(strands);
    const uint32_t strand = take_below(in, 6), point = take_below(in, 7);
    float to[3];
    take_vector(in, to);
    if (take_byte(in) & 1) return mote_strands_unpin(h->system, id, strand, point);
    return mote_strands_pin(h->system, id, strand, point, to, take_tick(h, in));
}

static inline mote_result call_reset_strands(host *h, input *in) {
    const mote_strands_id id = PICK(strands);
    const uint32_t strand = take_below(in, 7);
    return mote_strands_reset(h->system, id, strand == 6 ? MOTE_ALL_STRANDS : strand);
}

static inline mote_result call_air(host *h, input *in) {
    const mote_strands_id id = PICK(strands);
    float air[3];
    return mote_strands_set_air(h->system, id, take_vector(in, air));
}

/* Any value into a point, by the column. */
static inline mote_result call_write_strand(host *h, input *in) {
    const mote_strands_id id = PICK(strands);
    const mote_strands_view view = mote_strands_columns(h->system, id);
    const uint32_t strand = take_below(in, 6);
    const uint32_t slot = mote_strands_slot(h->system, id, strand, take_below(in, 6));
    const bool moves = take_byte(in) & 1;
    const float value = take_byte(in) & 1 ? take_extreme(in) : take_float(in);
    if (slot != MOTE_NO_SLOT) *(moves ? &view.position.y[slot] : &view.velocity.x[slot]) = value;
    return MOTE_OK;
}

static inline mote_result call_set_strand(host *h, input *in) {
    float x[6][3];
    const mote_strands_id id = PICK(strands);
    for (int i = 0; i < 6; i++) take_vector(in, x[i]);
    return mote_strands_set_state(h->system, id, take_below(in, 6), 1, x[0], take_byte(in) & 1 ? x[0] : NULL);
}

/* --- Networks --- */

static inline mote_spring take_spring(input *in) {
    mote_spring s = {.a = take_below(in, MOST_NODES), .b = take_below(in, MOST_NODES)};
    const uint32_t flags = take_byte(in);
    s.rest_length = flags & 1 ? MOTE_AS_PLACED : take_positive(in);
    s.stiffness = flags & 2 ? 100 * take_positive(in) : take_positive(in);
    if (flags & 4) s.damping = take_positive(in);
    if (flags & 8) s.tear_strain = 0.25f;
    if ((flags & 112) == 112) s.stiffness = INFINITY;
    return s;
}

static inline mote_result call_network(host *h, input *in) {
    float places[MOST_NODES][3];
    mote_spring springs[40];
    mote_network_def def = mote_default_network_def();
    mote_network_id id;
    def.particle_count = 1 + take_below(in, MOST_NODES), def.spring_count = take_below(in, 40);
    def.solver = (mote_network_solver)take_below(in, MOTE_NETWORK_SOLVER_COUNT);
    for (uint32_t i = 0; i < def.particle_count; i++) {
        places[i][0] = 0.3f * (float)(i % 5), places[i][1] = 0.3f * (float)(i / 5);
        places[i][2] = 0.02f * (float)take_below(in, 8);
    }
    for (uint32_t i = 0; i < def.spring_count; i++) {
        springs[i] = take_spring(in);
        springs[i].a %= def.particle_count, springs[i].b %= def.particle_count;
        if (springs[i].a == springs[i].b && def.particle_count > 1)
            springs[i].b = (springs[i].a + 1) % def.particle_count;
    }
    def.positions = places[0], def.springs = springs, def.spring_capacity = def.spring_count + 8;
    def.mass = 0.05f + take_positive(in), def.radius = 0.05f, def.growth_allowed = true;
    def.policy = take_byte(in) & 1 ? MOTE_STABILITY_SUBSTEP : MOTE_STABILITY_REPORT;
    def.max_substeps = 1 + take_below(in, 16);
    if (!h->exact_ticks && take_byte(in) % 8 == 0) def.policy = MOTE_STABILITY_REFUSE;
    const mote_result result = mote_system_add_network(h->system, &def, &id, NULL);
    if (result == MOTE_OK) KEEP(h->id.network, h->id.networks, id);
    return result;
}

static inline mote_result call_remove_network(host *h, input *in) {
    return mote_system_remove_network(h->system, PICK(network));
}

static inline mote_result call_add_springs(host *h, input *in) {
    const mote_network_id id = PICK(network);
    mote_spring springs[4];
    uint32_t numbers[4];
    const uint32_t count = take_below(in, 4);
    for (uint32_t i = 0; i < count; i++) springs[i] = take_spring(in);
    return mote_network_add_springs(h->system, id, count, springs, numbers, NULL);
}

static inline mote_result call_remove_springs(host *h, input *in) {
    const mote_network_id id = PICK(network);
    const uint32_t numbers[2] = {take_below(in, 48), take_below(in, 48)};
    return mote_network_remove_springs(h->system, id, 1 + take_below(in, 2), numbers, NULL);
}

static inline mote_result call_set_spring(host *h, input *in) {
    const mote_network_id id = PICK(network);
    const mote_spring s = take_spring(in);
    const uint32_t number = take_below(in, 48);
    if (take_byte(in) & 1)
        return mote_network_reel(h->system, id, number, s.rest_length, take_tick(h, in), NULL);
    return mote_network_set_spring(h->system, id, number, s.stiffness, s.damping, s.tear_strain, NULL);
}

static inline mote_result call_pin_network(host *h, input *in) {
    const mote_network_id id = PICK(network);
    const uint32_t particle = take_below(in, MOST_NODES);
    float to[3];
    take_vector(in, to);
    if (take_byte(in) & 1) return mote_network_unpin(h->system, id, particle);
    return mote_network_pin(h->system, id, particle, to, take_tick(h, in));
}

static inline mote_result call_teleport_network(host *h, input *in) {
    return mote_network_teleport(h->system, PICK(network));
}

static inline mote_result call_write_network(host *h, input *in) {
    const mote_network_id id = PICK(network);
    const mote_network_view view = mote_network_columns(h->system, id);
    const uint32_t slot = mote_network_slot(h->system, id, take_below(in, MOST_NODES));
    const bool moves = take_byte(in) & 1;
    const float value = take_byte(in) & 1 ? take_extreme(in) : take_float(in);
    if (slot != MOTE_NO_SLOT) *(moves ? &view.position.y[slot] : &view.velocity.x[slot]) = value;
    return MOTE_OK;
}

static inline mote_result call_set_network(host *h, input *in) {
    float x[6][3];
    const mote_network_id id = PICK(network);
    for (int i = 0; i < 6; i++) take_vector(in, x[i]);
    return mote_network_set_state(h->system, id, take_below(in, 6), take_below(in, 7), x[0],
                                  take_byte(in) & 1 ? x[0] : NULL);
}

/* --- Links --- */

static inline mote_link_end take_end(host *h, input *in) {
    mote_link_end end = {.particle = take_below(in, MOST_NODES), .strand = take_below(in, 6)};
    end.point = take_below(in, 6);
    if (take_byte(in) & 1)
        end.network = PICK(network);
    else
        end.strands = PICK(strands);
    return end;
}

static inline mote_result call_link(host *h, input *in) {
    mote_link link = mote_default_link();
    mote_link_id id;
    link.a = take_end(h, in), link.b = take_end(h, in);
    link.stiffness = take_positive(in), link.damping = 0.25f * take_positive(in);
    if (take_byte(in) & 1) link.rest_length = take_positive(in);
    const mote_result result = mote_system_add_link(h->system, &link, &id);
    if (result == MOTE_OK) KEEP(h->id.link, h->id.links, id);
    return result;
}

static inline mote_result call_remove_link(host *h, input *in) {
    return mote_system_remove_link(h->system, PICK(link));
}

#endif
