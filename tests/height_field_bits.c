/* Height fields: the same bits in any order, on any workers and instruction sets, in any frames and after a
 * snapshot; events; bad input. */
#include <math.h>
#include <string.h>

#include "system/internal.h"
#include "terrain.h"

/* --- Responses, events, snapshots, bits --- */

typedef struct variation {
    mote_integrator integrator;
    mote_loop_order order;
    mote_isa isa;
    mote_jobs jobs;
    uint32_t substeps, frame;
} variation;

static mote_system *make(const variation *v, const terrain *t, mote_response response, mote_collider_id *id) {
    mote_system_def def = mote_default_system_def();
    def.capacity = 2000, def.integrator = v->integrator, def.loop_order = v->order, def.isa = v->isa;
    def.jobs = v->jobs, def.substeps = v->substeps, def.sticking = def.radius_column = true;
    mote_system *system = system_of(&def);
    if (advects(v->integrator))
        add_force(system,
                  mote_linear_field((float[3]){0.5f, -1, 0.2f}, (float[9]){0}, MOTE_FIELD_VELOCITY, 0));
    else
        add_gravity(system);
    mote_collider_def ground = collider_of(t, 0.5f, 0.6f);
    ground.response = response;
    *id = add_collider(system, ground);
    add_collider(system, mote_sphere((float[3]){16, 5, 16}, 1));
    return system;
}

static void fill_over(mote_system *system, const terrain *t) {
    const mote_range_view view = spawned(system, 2000);
    scatter_over(t, &view, 3, 8);
    for (uint32_t i = 0; i < 2000; i++) view.radius[i] = 0.001f * (float)(i % 50);
    put(&view, 7, NAN, 0, 0), put(&view, 8, INFINITY, 1, 0), put(&view, 9, 1e30f, -1e30f, 1e30f);
    throw_at(&view, 10, 3e38f, 0, -3e38f);
    view.radius[11] = NAN, view.radius[12] = INFINITY;
}

static void move_ground(mote_system *system, mote_collider_id id, uint32_t step) {
    mote_advance report;
    OK(mote_system_step(system, 0, &report));
    const double time = (double)step / 60;
    const mote_transform to = turned(0.2f * (float)sin(5 * time), 0.3f * (float)sin(7 * time), 0.1f,
                                     (float[3]){0.6f, 0, 0.8f}, 0.05 * sin(3 * time));
    OK(mote_system_move_collider(system, id, &to, (step + 4) * report.ticks_per_step));
}

static uint64_t run(const variation *v, const terrain *t, bool moves) {
    mote_collider_id id;
    mote_system *system = make(v, t, MOTE_RESPONSE_BOUNCE, &id);
    fill_over(system, t);
    for (uint32_t step = 0; step < 40; step += 4) {
        if (moves) move_ground(system, id, step);
        for (uint32_t done = 0; done < 4;) {
            const uint32_t next = v->frame ? v->frame : 1 + done % 3, left = 4 - done;
            stepped(system, next < left ? next : left);
            done += next < left ? next : left;
        }
    }
    const uint64_t hash = mote_system_hash(system);
    mote_system_destroy(system);
    return hash;
}

static const mote_integrator integrators[] = {MOTE_SEMI_IMPLICIT_EULER, MOTE_VELOCITY_VERLET,
                                              MOTE_POSITION_VERLET,     MOTE_RK4,
                                              MOTE_EXACT_FLOW,          MOTE_ADVECT_MIDPOINT};
static const char *name_of(uint32_t i) { return integrator_name(integrators[i / 2]); }

TEST_EACH(bits_do_not_depend_on_order_workers_frames_or_instruction_set, 12, name_of, number) {
    terrain *t = terrain_of(bumpy_shape, 0.5f);
    const variation base = {
        .integrator = integrators[number / 2], .substeps = number % 2 ? 3 : 1, .frame = 4};
    uint32_t workers = 3;
    for (int moves = 0; moves < 2; moves++) {
        const uint64_t want = run(&base, t, moves);
        for (int isa = 0; isa < MOTE_ISA_COUNT; isa++) {
            variation v = base;
            if (!mote_isa_available((mote_isa)isa)) continue;
            v.isa = (mote_isa)isa, v.order = isa % 2 ? MOTE_LOOP_STAGE_OUTER : MOTE_LOOP_AUTO;
            v.jobs = dividing(pthread_jobs_hook(&workers)), v.frame = (uint32_t)isa % 3;
            test_case("instruction set %d, moves %d", isa, moves);
            ASSERT(run(&v, t, moves), ==, want);
            v.order = isa % 2 ? MOTE_LOOP_AUTO : MOTE_LOOP_STAGE_OUTER;
            ASSERT(run(&v, t, moves), ==, want);
        }
    }
    terrain_end(t);
}

TEST(a_restored_system_goes_on_with_the_same_bits_and_needs_the_same_samples) {
    terrain *t = terrain_of(bumpy_shape, 0.5f), *copy_of_it = terrain_of(bumpy_shape, 0.5f),
            *other = terrain_of(bowl_shape, 0.5f);
    const variation v = {.integrator = MOTE_VELOCITY_VERLET, .substeps = 2};
    mote_collider_id id, copy_id, other_id;
    mote_system *system = make(&v, t, MOTE_RESPONSE_STICK, &id),
                *copy = make(&v, copy_of_it, MOTE_RESPONSE_STICK, &copy_id),
                *foreign = make(&v, other, MOTE_RESPONSE_STICK, &other_id);
    fill_over(system, t);
    for (uint32_t step = 0; step < 20; step += 4) move_ground(system, id, step), stepped(system, 4);
    const mote_range_view view = mote_system_view(system);
    uint32_t stuck = 0;
    for (uint32_t i = 0; i < view.count; i++) stuck += view.stuck[i] != 0;
    ASSERT(stuck, >, 10u);
    size_t bytes;
    OK(mote_system_snapshot_bytes(system, &bytes));
    void *memory = malloc(bytes);
    assert_non_null(memory);
    OK(mote_system_save(system, 0, memory, bytes, NULL));
    mote_snapshot_fault fault;
    const uint64_t before = mote_system_hash(foreign);
    ASSERT(before, !=, mote_system_hash(copy));
    assert_int_equal(mote_system_restore(foreign, memory, bytes, &fault), MOTE_ERROR_FOREIGN);
    assert_string_equal(fault.parameter, "collider");
    ASSERT(mote_system_hash(foreign), ==, before);
    OK(mote_system_restore(copy, memory, bytes, NULL));
    ASSERT(mote_system_hash(copy), ==, mote_system_hash(system));
    for (uint32_t step = 20; step < 40; step += 4) {
        move_ground(system, id, step), stepped(system, 4);
        move_ground(copy, id, step), stepped(copy, 4);
        ASSERT(mote_system_hash(copy), ==, mote_system_hash(system));
    }
    OK(mote_system_restore(system, memory, bytes, NULL));
    for (uint32_t step = 20; step < 40; step += 4) move_ground(system, id, step), stepped(system, 4);
    ASSERT(mote_system_hash(copy), ==, mote_system_hash(system));
    free(memory);
    mote_system_destroy(copy), mote_system_destroy(system), mote_system_destroy(foreign);
    terrain_end(t), terrain_end(copy_of_it), terrain_end(other);
}

TEST(hits_are_listed_and_contacts_at_rest_are_not) {
    terrain *t = terrain_of(slope_shape, 0.5f);
    mote_system_def def = bare_def(1, MOTE_VELOCITY_VERLET);
    def.friction = 5, def.max_hits = 16;
    mote_system *system = system_of(&def);
    add_gravity(system);
    const mote_collider_id id = add_collider(system, collider_of(t, 5, 0));
    const mote_range_view view = spawned(system, 1);
    put(&view, 0, 10.1f, 6, 10.2f);
    mote_hit_list hits;
    uint32_t count = 0;
    for (int n = 0; n < 120; n++) {
        stepped(system, 1);
        OK(mote_system_hits(system, &hits));
        for (uint32_t i = 0; i < hits.count; i++, count++) {
            ASSERT(hits.events[i].collider.index, ==, id.index);
            ASSERT_NEAR(hits.events[i].position[1], 0.4 * 10.1, 1e-5);
            ASSERT_NEAR(hits.events[i].normal[0], -0.4 / sqrt(1.16), 1e-6);
            ASSERT_NEAR(hits.events[i].normal[1], 1 / sqrt(1.16), 1e-6);
            ASSERT_NEAR(hits.events[i].speed, sqrt(2 * 9.81 * (6 - 4.04) / 1.16), 1e-3);
        }
    }
    ASSERT(count, ==, 1u);
    mote_system_destroy(system);
    terrain_end(t);
}

/* --- Colliders in snapshots --- */

typedef struct snapshot {
    size_t bytes;
    unsigned char *memory;
} snapshot;

static snapshot saved(mote_system *system) {
    snapshot s;
    OK(mote_system_snapshot_bytes(system, &s.bytes));
    s.memory = malloc(s.bytes);
    assert_non_null(s.memory);
    OK(mote_system_save(system, 0, s.memory, s.bytes, NULL));
    return s;
}

static const mote_height_field *field_at(const mote_system *system, uint32_t place) {
    return mote_collider_at(&system->colliders, place)->def.height_field;
}

TEST(a_restore_leaves_each_collider_its_own_field_among_equal_ones) {
    terrain *t[3] = {terrain_of(bumpy_shape, 0.5f), terrain_of(bumpy_shape, 0.5f),
                     terrain_of(bumpy_shape, 0.5f)};
    mote_system_def def = bare_def(1, MOTE_VELOCITY_VERLET);
    mote_system *system = system_of(&def);
    mote_collider_id id[3];
    for (int k = 0; k < 3; k++) id[k] = add_collider(system, collider_of(t[k], 0, 0));
    const snapshot s = saved(system);
    OK(mote_system_restore(system, s.memory, s.bytes, NULL));
    for (uint32_t k = 0; k < 3; k++) {
        test_case("collider %u", k);
        ASSERT(field_at(system, k) == t[k]->field, ==, true);
    }
    OK(mote_system_remove_collider(system, id[1])); /* its field may be destroyed now */
    OK(mote_system_restore(system, s.memory, s.bytes, NULL));
    ASSERT(field_at(system, 0) == t[0]->field, ==, true);
    ASSERT(field_at(system, 1) == t[0]->field, ==, true);
    ASSERT(field_at(system, 2) == t[2]->field, ==, true);
    free(s.memory);
    mote_system_destroy(system);
    for (int k = 0; k < 3; k++) terrain_end(t[k]);
}

TEST(sizes_that_a_field_does_not_use_change_nothing) {
    terrain *t = terrain_of(bumpy_shape, 0.5f);
    mote_system_def def = bare_def(1, MOTE_VELOCITY_VERLET);
    mote_system *system = system_of(&def);
    const mote_collider_def plain = collider_of(t, 0, 0);
    mote_collider_def sized = plain;
    for (int k = 0; k < 3; k++) sized.extent[k] = (float)(k + 1);
    sized.half_length = 2;
    const mote_collider_id id = add_collider(system, plain);
    const uint64_t hash = mote_system_hash(system);
    OK(mote_system_set_collider(system, id, &sized));
    ASSERT(mote_system_hash(system), ==, hash);
    OK(mote_system_remove_collider(system, id));
    add_collider(system, sized);
    const uint64_t added = mote_system_hash(system);
    const snapshot s = saved(system);
    OK(mote_system_restore(system, s.memory, s.bytes, NULL));
    ASSERT(mote_system_hash(system), ==, added);
    const mote_collider_def *kept = &mote_collider_at(&system->colliders, 0)->def;
    for (int k = 0; k < 3; k++) ASSERT(kept->extent[k], ==, 0);
    ASSERT(kept->half_length, ==, 0);
    free(s.memory);
    mote_system_destroy(system);
    terrain_end(t);
}

TEST(a_collider_without_a_number_is_damage_not_a_field_that_is_missing) {
    terrain *t = terrain_of(bumpy_shape, 0.5f);
    mote_system_def def = bare_def(1, MOTE_VELOCITY_VERLET);
    mote_system *system = system_of(&def);
    add_collider(system, collider_of(t, 0, 0));
    const snapshot s = saved(system);
    mote_snapshot_header header;
    mote_snapshot_section section;
    mote_snapshot_fault fault;
    memcpy(&header, s.memory, sizeof header);
    for (uint32_t k = 0; k < header.sections; k++) {
        memcpy(&section, s.memory + sizeof header + k * sizeof section, sizeof section);
        if (section.part == MOTE_SNAPSHOT_COLLIDERS) memset(s.memory + section.offset, 0, sizeof(uint32_t));
    }
    assert_int_equal(mote_system_restore(system, s.memory, s.bytes, &fault), MOTE_ERROR_FILE);
    assert_int_equal(fault.part, MOTE_SNAPSHOT_COLLIDERS);
    assert_string_equal(fault.parameter, "collider");
    free(s.memory);
    mote_system_destroy(system);
    terrain_end(t);
}

/* --- Bad input --- */

#define FIELD(member, value, want) BAD_VALUE(mote_height_field_def, member, value, MOTE_ERROR_##want)
#define FIELD_AXIS(k)                                                                                        \
    FIELD(count[k], 0, RANGE), FIELD(count[k], 1, RANGE), FIELD(count[k], UINT32_MAX, RANGE),                \
        FIELD(count[k], (1u << 24) + 1, RANGE), FIELD(spacing[k], 0, RANGE), FIELD(spacing[k], -1, RANGE),   \
        FIELD(spacing[k], NAN, NOT_FINITE), FIELD(spacing[k], 1e-7f, RANGE), FIELD(spacing[k], 1e9f, RANGE)

static void refuse(const mote_height_field_def *def, mote_result want) {
    mote_height_field *field = (mote_height_field *)(uintptr_t)1;
    assert_int_equal(mote_height_field_create(def, &field), want);
    assert_null(field);
}

TEST(wrong_defs_make_no_field) {
    static const bad_value rows[] = {FIELD_AXIS(0), FIELD_AXIS(1), FIELD(cookie, 0, DEF),
                                     FIELD(heights, 0, NULL), FIELD(allocator.release, 0, NULL)};
    float heights[4] = {0};
    memory_ledger ledger = {0};
    mote_height_field_def fine = mote_default_height_field_def(), def;
    mote_height_field *field;
    fine.count[0] = fine.count[1] = 2, fine.heights = heights;
    fine.allocator = ledger_allocator(&ledger);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        def = fine;
        spoil(&def, &rows[i]);
        const char *parameter = NULL;
        assert_int_equal(mote_height_field_def_check(&def, &parameter), rows[i].want);
        assert_field(&rows[i], parameter);
        refuse(&def, rows[i].want);
    }
    test_case(NULL);
    assert_int_equal(ledger.calls, 0);
    static const struct {
        float height;
        mote_result want;
    } wrong[] = {{NAN, MOTE_ERROR_NOT_FINITE},
                 {-INFINITY, MOTE_ERROR_NOT_FINITE},
                 {2e9f, MOTE_ERROR_RANGE},
                 {1e8f, MOTE_ERROR_RANGE}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        heights[i] = wrong[i].height;
        refuse(&fine, wrong[i].want);
        heights[i] = 0;
    }
    ledger.fail_at = ledger.calls + 1;
    refuse(&fine, MOTE_ERROR_MEMORY);
    refuse(NULL, MOTE_ERROR_NULL);
    assert_int_equal(mote_height_field_create(&fine, NULL), MOTE_ERROR_NULL);
    OK(mote_height_field_create(&fine, &field));
    mote_height_field_destroy(field);
    mote_height_field_destroy(NULL);
    ASSERT(ledger.live_bytes, ==, (size_t)0);
    const char *parameter;
    const mote_collider_def none = mote_height_field_collider(&(mote_transform)MOTE_TRANSFORM_IDENTITY, NULL);
    assert_int_equal(mote_collider_check(&none, &parameter), MOTE_ERROR_NULL);
    assert_string_equal(parameter, "height_field");
}
