/* The linked ranges' part of a step. Those groups of strands and blocks of networks that links join go
 * through every stage together; the rest of the same ranges steps as if there were no links. */
#include "base/parallel.h"
#include "system/internal.h"

/* --- What steps together --- */

static void list_group(mote_system *system, const mote_link_end *end) {
    mote_link_list *list = &system->links;
    mote_link_site site;
    (void)mote_system_find_end(system, end, &site);
    if (!site.strands) return;
    const uint32_t number = site.lane / MOTE_GROUP;
    mote_strand_group *group = &site.strands->group[number];
    const mote_linked_group *listed = &list->groups[group->linked_place];
    if (group->linked_place < list->group_count && listed->place == site.place && listed->group == number)
        return;
    group->linked_place = list->group_count;
    list->groups[list->group_count++] = (mote_linked_group){site.place, number, NULL};
}

/* The next part of the scratch, NULL where that is still too small. */
static void *take_bytes(const mote_link_list *list, size_t *taken, size_t bytes) {
    void *at = *taken + bytes <= list->scratch_bytes ? list->scratch + *taken : NULL;
    *taken += bytes;
    return at;
}

size_t mote_system_arrange_links(mote_system *system) {
    mote_link_list *list = &system->links;
    size_t bytes = 0;
    list->group_count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        list_group(system, &list->links[i].link.a);
        list_group(system, &list->links[i].link.b);
    }
    for (uint32_t i = 0; i < list->group_count; i++)
        list->groups[i].memory = take_bytes(
            list, &bytes, mote_strand_part_bytes(system->strands_objects[list->groups[i].place]->max_points));
    for (uint32_t place = 0; place < system->network_count; place++) {
        const mote_network *network = system->networks[place];
        if (network->link_count)
            list->networks[place].scratch = take_bytes(
                list, &bytes,
                mote_round_up(mote_network_outer_floats(network) * sizeof(float), MOTE_CACHE_LINE));
    }
    return bytes;
}

/* --- Where links pull --- */

static const mote_plan *plan_of(const mote_system *system, const mote_link_site *site) {
    return site->strands ? &system->links.strands_objects[site->place].plan
                         : &system->links.networks[site->place].plan;
}

/* In the state between steps. */
static mote_link_point point_at_rest(const mote_system *system, const mote_link_site *site) {
    mote_link_point p = {.plan = plan_of(system, site)};
    for (int axis = 0; axis < 3; axis++) {
        p.x[axis] = (site->strands ? site->strands->x[axis] : site->network->x[axis]) + site->slot;
        p.v[axis] = (site->strands ? site->strands->v[axis] : site->network->v[axis]) + site->slot;
    }
    return p;
}

static mote_link_point point_of_strand(const mote_system *system, const mote_link_site *site) {
    const mote_link_list *list = &system->links;
    const mote_strand_group *group = &site->strands->group[site->lane / MOTE_GROUP];
    const mote_strand_part_columns c = mote_strand_part_columns_of(&list->strands_objects[site->place].job,
                                                                   list->groups[group->linked_place].memory);
    const uint32_t at = site->slot - group->first;
    const bool pinned = site->strands->inverse_mass[site->slot] == 0;
    mote_link_point p = {.plan = plan_of(system, site)};
    for (int axis = 0; axis < 3; axis++) {
        p.x[axis] = c.x[axis] + at, p.v[axis] = c.v[axis] + at;
        p.force[axis] = c.force[axis] + at;
        p.reaction[axis] = pinned ? c.reaction[axis] + at : NULL;
    }
    return p;
}

static mote_link_point point_of_network(const mote_system *system, const mote_link_site *site) {
    mote_network *network = site->network;
    const mote_network_scratch c =
        mote_network_outer_scratch(network, system->links.networks[site->place].scratch);
    const bool pinned = network->inverse_mass[site->slot] == 0;
    mote_link_point p = {.plan = plan_of(system, site)};
    for (size_t axis = 0; axis < 3; axis++) {
        float *column = c.memory + axis * c.stride + site->slot;
        p.x[axis] = column + NETWORK_X * c.stride, p.v[axis] = column + NETWORK_V * c.stride;
        p.force[axis] = column + NETWORK_FORCE_SUM * c.stride;
        p.reaction[axis] = pinned ? network->reaction[axis] + site->slot : NULL;
    }
    return p;
}

static mote_link_point point_of(const mote_system *system, const mote_link_site *site) {
    return site->strands ? point_of_strand(system, site) : point_of_network(system, site);
}

static bool is_frozen(const mote_link_site *site) {
    return site->strands ? site->strands->frozen[site->lane]
                         : site->network->frozen[site->network->island[site->slot]];
}

typedef mote_link_point point_function(const mote_system *system, const mote_link_site *site);

static void find_points(mote_system *system, point_function *point) {
    mote_link_list *list = &system->links;
    for (uint32_t i = 0; i < list->count; i++) {
        const mote_link *link = &list->links[i].link;
        mote_link_site a, b;
        (void)mote_system_find_end(system, &link->a, &a);
        (void)mote_system_find_end(system, &link->b, &b);
        mote_link_run run = {.a = point(system, &a),
                             .b = point(system, &b),
                             .rest_length = link->rest_length,
                             .stiffness = link->stiffness,
                             .damping = link->damping,
                             .slack = is_frozen(&a) || is_frozen(&b)};
        run.held = run.a.plan->scheme != run.b.plan->scheme;
        list->runs[i] = run;
    }
}

/* --- Position Verlet's start --- */

static void evaluate_at_rest(mote_system *system) {
    find_points(system, point_at_rest);
    for (uint32_t i = 0; i < system->links.count; i++) mote_link_evaluate(&system->links.runs[i]);
}

static void kick_end(const mote_system *system, const mote_link_end *end, const float force[3], float sign) {
    mote_link_site site;
    (void)mote_system_find_end(system, end, &site);
    const double kicked = site.strands ? system->links.strands_objects[site.place].kicked
                                       : system->links.networks[site.place].kicked;
    const float inverse_mass =
        (site.strands ? site.strands->inverse_mass : site.network->inverse_mass)[site.slot];
    float *const *v = site.strands ? site.strands->v : site.network->v;
    for (int axis = 0; axis < 3 && kicked != 0; axis++)
        v[axis][site.slot] += (float)kicked * (inverse_mass * (sign * force[axis]));
}

/* The links' share of what the ranges took back when they began, from the same state. */
static void start_half_step(mote_system *system) {
    const mote_link_list *list = &system->links;
    for (uint32_t i = 0; i < list->count; i++) {
        kick_end(system, &list->links[i].link.a, list->runs[i].force, 1);
        kick_end(system, &list->links[i].link.b, list->runs[i].force, -1);
    }
}

/* --- Together --- */

typedef struct driver {
    mote_system *system;
    const mote_jobs *jobs;
    bool stage_outer;
    mote_phase part;
    mote_phase_place at;
} driver;

static void do_groups(void *context, size_t first, size_t end, uint32_t worker) {
    (void)worker;
    const driver *t = context;
    const mote_link_list *list = &t->system->links;
    for (size_t i = first; i < end; i++) {
        const mote_linked_group *group = &list->groups[i];
        const mote_strands_run *run = &list->strands_objects[group->place];
        if (t->at.stage < run->plan.stages)
            t->system->kernels.strands->part(&run->job, group->group, t->part, t->at, group->memory);
    }
}

/* All that is linked takes the part, but for ranges that have no such stage. */
static void take(driver *t, mote_phase part) {
    const mote_system *system = t->system;
    t->part = part;
    mote_parallel_for(t->jobs, system->links.group_count, 1, do_groups, t);
    for (uint32_t place = 0; place < system->network_count; place++) {
        const mote_network_run *run = &system->links.networks[place];
        if (system->networks[place]->link_count && t->at.stage < run->plan.stages)
            mote_network_part(system->kernels.networks, &run->job, t->jobs, t->stage_outer, run->scratch,
                              part, t->at);
    }
}

static uint32_t most_stages(const mote_system *system) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < system->links.count; i++) {
        const mote_link_run *run = &system->links.runs[i];
        if (run->a.plan->stages > most) most = run->a.plan->stages;
        if (run->b.plan->stages > most) most = run->b.plan->stages;
    }
    return most;
}

/* A pinned end stands, and does not freeze with what was not finite at the other: what it felt of that is
 * nothing. */
static void forget_reaction(const mote_system *system, const mote_link_end *end) {
    mote_link_site site;
    (void)mote_system_find_end(system, end, &site);
    float *const *reaction = site.strands ? site.strands->reaction : site.network->reaction;
    for (int axis = 0; axis < 3; axis++) reaction[axis][site.slot] = 0;
}

static void keep_impulse(const mote_system *system, uint32_t place) {
    mote_link_state *state = &system->links.links[place];
    const float *impulse = system->links.runs[place].impulse;
    const bool finite = impulse[0] * 0 + impulse[1] * 0 + impulse[2] * 0 == 0;
    for (int axis = 0; axis < 3; axis++) state->impulse[axis] = finite ? impulse[axis] : 0;
    if (finite) return;
    forget_reaction(system, &state->link.a);
    forget_reaction(system, &state->link.b);
}

static void run_together(driver *t) {
    mote_link_list *list = &t->system->links;
    find_points(t->system, point_of);
    const uint32_t stages = most_stages(t->system);
    take(t, MOTE_PHASE_LOAD);
    for (; t->at.substep < t->system->def.substeps; t->at.substep++) {
        take(t, MOTE_PHASE_BEGIN);
        for (t->at.stage = 0; t->at.stage < stages; t->at.stage++) {
            take(t, MOTE_PHASE_EVALUATE);
            mote_links_pull(list->runs, list->count, t->at.stage);
            take(t, MOTE_PHASE_STAGE);
        }
        t->at.stage = 0;
        take(t, MOTE_PHASE_END);
    }
    take(t, MOTE_PHASE_COMMIT);
    for (uint32_t i = 0; i < list->count; i++) keep_impulse(t->system, i);
}

/* --- The step --- */

static void begin_ranges(mote_system *system, uint64_t step, bool last, const mote_jobs *jobs) {
    for (uint32_t place = 0; place < system->strands_count; place++)
        if (system->strands_objects[place]->link_count)
            mote_system_begin_strands(system, place, step, last, jobs, &system->links.strands_objects[place]);
    for (uint32_t place = 0; place < system->network_count; place++)
        if (system->networks[place]->link_count)
            mote_system_begin_network(system, place, step, last, jobs, &system->links.networks[place]);
}

/* What lies in the linked ranges, but is not linked. */
static void run_others(driver *t) {
    const mote_system *system = t->system;
    for (uint32_t place = 0; place < system->strands_count; place++) {
        mote_strand_job *job = &system->links.strands_objects[place].job;
        if (!system->strands_objects[place]->link_count) continue;
        job->apart = true;
        mote_run_strands(system->kernels.strands->step, job, t->jobs,
                         (float *)(void *)system->strand_scratch);
    }
    for (uint32_t place = 0; place < system->network_count; place++) {
        mote_network_job *job = &system->links.networks[place].job;
        if (!system->networks[place]->link_count) continue;
        mote_run_network_inner(system->kernels.networks, job, t->jobs, t->stage_outer,
                               (float *)(void *)system->network_scratch);
        job->linked = true;
    }
}

static void run_step(mote_system *system, uint64_t step, bool last, const mote_jobs *jobs) {
    const bool half_step = mote_scheme_table[system->def.integrator].half_step_velocity;
    driver t = {
        .system = system, .jobs = jobs, .stage_outer = system->def.loop_order == MOTE_LOOP_STAGE_OUTER};
    (void)mote_system_arrange_links(system);
    if (system->colliders.count)
        mote_colliders_pose(&system->colliders, step * system->clock.ticks_per_step,
                            system->clock.ticks_per_step, system->def.substeps);
    if (half_step) evaluate_at_rest(system);
    begin_ranges(system, step, last, jobs);
    if (half_step) start_half_step(system);
    run_others(&t);
    run_together(&t);
    for (uint32_t place = 0; place < system->network_count; place++)
        if (system->networks[place]->link_count)
            mote_system_end_network(system, place, &system->links.networks[place]);
}

void mote_system_run_links(mote_system *system, uint64_t first_step, uint32_t steps, bool last,
                           const mote_jobs *jobs) {
    for (uint32_t i = 0; i < steps && system->links.count; i++)
        run_step(system, first_step + i, last && i + 1 == steps, jobs);
}
