/* The state of strands between steps: the hash, resets, reports and statistics. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "random_strands.h"

/* Changes one thing; the hash must follow (or must not), and come back with it. */
static void expect_in_hash(mote_system *system, void *state, size_t bytes, bool counts) {
    uint64_t before = mote_system_hash(system);
    for (size_t i = 0; i < bytes; i++) ((unsigned char *)state)[i] ^= 1;
    ASSERT((mote_system_hash(system) != before), ==, counts);
    for (size_t i = 0; i < bytes; i++) ((unsigned char *)state)[i] ^= 1;
    ASSERT(mote_system_hash(system), ==, before);
}

#define EXPECT(lvalue, counts) expect_in_hash(system, &(lvalue), sizeof(lvalue), counts)

static void expect_points_in_hash(mote_system *system, mote_strands *b, const bool *used) {
    for (uint32_t slot = 0; slot < b->range.slot_count; slot++) {
        for (int axis = 0; axis < 3; axis++) {
            EXPECT(b->range.x[axis][slot], used[slot]);
            EXPECT(b->range.v[axis][slot], used[slot]);
            EXPECT(b->range.previous_x[axis][slot], used[slot]);
            EXPECT(b->previous_low[axis][slot], used[slot]);
            EXPECT(b->rest_x[axis][slot], used[slot]);
            EXPECT(b->range.reaction[axis][slot], false);
        }
        EXPECT(b->range.inverse_mass[slot], used[slot]);
        EXPECT(b->rest_length[slot], used[slot]);
    }
}

static void expect_lanes_in_hash(mote_system *system, mote_strands *b, uint32_t living) {
    for (uint32_t lane = 0; lane < b->lane_count; lane++) {
        const bool lives = lane < living;
        for (int i = 0; i < MOTE_ROOT_COLUMNS; i++) {
            EXPECT(b->root_from[i][lane], lives);
            EXPECT(b->root_to[i][lane], lives);
        }
        EXPECT(b->root_from_tick[lane], lives);
        EXPECT(b->root_to_tick[lane], lives);
        EXPECT(b->frozen[lane], lives);
        EXPECT(b->compliance[lane], lives);
        EXPECT(b->point_inverse_mass[lane], lives);
        EXPECT(b->iterations[lane], false);
        EXPECT(b->unsolved[lane], false);
        EXPECT(b->fallbacks[lane], false);
        EXPECT(b->buried[lane], false);
        EXPECT(b->strain[lane], false);
        EXPECT(b->strain_sum[lane], false);
        EXPECT(b->infeasible[lane], false);
    }
}

static void expect_settings_in_hash(mote_system *system, mote_strands_def *d) {
    float *const settings[] = {
        &d->damping,         &d->pose_stiffness,  &d->max_strain,      &d->normal_drag, &d->tangential_drag,
        &d->air_velocity[0], &d->air_velocity[1], &d->air_velocity[2], &d->radius,      &d->friction};
    for (size_t i = 0; i < COUNT_OF(settings); i++) EXPECT(*settings[i], true);
    EXPECT(d->solver, true);
    EXPECT(d->max_iterations, true);
    EXPECT(d->substeps, true);
    EXPECT(d->collide_from, true);
    EXPECT(d->free_roots, true);
}

TEST(all_of_the_state_counts_in_the_hash_and_no_measurement_does) {
    static strands s;
    make_strands(&s, 21, 9, 8);
    mote_system *system = make_system(NULL);
    const uint64_t empty = mote_system_hash(system);
    mote_strands_id id = add_strands(system, &s);
    ASSERT(mote_system_hash(system), !=, empty);
    assert_int_equal(mote_strands_pin(system, id, 2, 1, (float[3]){1, 2, 3}, 9), MOTE_OK);
    mote_strands *b = strands_inside(system, id);
    bool *used = calloc(b->range.slot_count, sizeof *used);
    for (uint32_t i = 0; i < 21; i++)
        for (uint32_t k = 0; k < s.points[i]; k++) used[mote_strands_slot(system, id, i, k)] = true;
    expect_points_in_hash(system, b, used);
    free(used);
    expect_lanes_in_hash(system, b, 21);
    EXPECT(b->range.pins.pins[0].from, true);
    EXPECT(b->range.pins.pins[0].to, true);
    EXPECT(b->range.pins.pins[0].travel.from_tick, true);
    EXPECT(b->range.pins.pins[0].travel.to_tick, true);
    EXPECT(b->range.started, true);
    expect_settings_in_hash(system, &b->def);
    assert_int_equal(mote_system_remove_strands(system, id), MOTE_OK);
    ASSERT(mote_system_hash(system), ==, empty);
    mote_system_destroy(system);
}

TEST(frames_and_sections_of_rods_count_in_the_hash) {
    static const float positions[4][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}};
    mote_system *system = make_system(NULL);
    mote_strands_def def = mote_default_strands_def();
    mote_strands_id id;
    def.strand_count = 1, def.points = 4, def.positions = positions[0];
    def.bending_stiffness = def.twisting_stiffness = 1e-3f, def.bending_ratio = 2;
    def.point_axis = (const float[12]){0, 0, 1, 0, 0, 1, 0, 0, 1};
    assert_int_equal(mote_system_add_strands(system, &def, &id, NULL), MOTE_OK);
    mote_strands *b = strands_inside(system, id);
    for (uint32_t k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++) {
            EXPECT(b->frame[i][mote_strands_slot(system, id, 0, k)], true);
            EXPECT(b->previous_frame[i][mote_strands_slot(system, id, 0, k)], true);
            EXPECT(b->joint_across[mote_strands_slot(system, id, 0, k)], true);
            if (i < 3) EXPECT(b->rest_turn[i][mote_strands_slot(system, id, 0, k)], true);
        }
    mote_system_destroy(system);
}

/* The quaternion (1, 1, 1, 1) / 2 takes (x, y, z) to (z, x, y), and the coordinates are eighths: all is
 * exact. */
/* The low part of a place counts in the hash; it is 0 where the host has written. */
TEST(low_parts_of_places_count_in_the_hash_where_the_host_has_written_nothing) {
    static strands s;
    uint32_t shown = 0, points = 0;
    make_strands(&s, 21, 9, 8);
    mote_system *system = make_system(NULL);
    mote_strands_id id = add_strands(system, &s);
    mote_strands *b = strands_inside(system, id);
    assert_int_equal(mote_system_step(system, 3, NULL), MOTE_OK);
    for (uint32_t i = 0; i < 21; i++)
        for (uint32_t k = 0; k < s.points[i]; k++, points++) {
            const uint32_t slot = mote_strands_slot(system, id, i, k);
            float *relative = &b->relative_x[points % 3][slot], *x = &b->range.x[points / 3 % 3][slot];
            const float kept = *relative, at = *x;
            const uint64_t before = mote_system_hash(system);
            bool rounded = false;
            for (int axis = 0; axis < 3; axis++)
                rounded |=
                    (double)b->origin[axis][b->lane_of_strand[i]] + (double)b->relative_x[axis][slot] !=
                    (double)b->range.x[axis][slot];
            shown += rounded;
            *relative = NAN;
            ASSERT((mote_system_hash(system) != before), ==, rounded);
            *relative = kept;
            ASSERT(mote_system_hash(system), ==, before);
            *x = nextafterf(at, INFINITY);
            const uint64_t written = mote_system_hash(system);
            ASSERT(written, !=, before);
            *relative = NAN;
            ASSERT(mote_system_hash(system), ==, written);
            *relative = kept, *x = at;
        }
    ASSERT(shown, >, 20);
    mote_system_destroy(system);
}

TEST(reset_strands_rest_in_their_rest_shape_under_their_root) {
    SCENE(make_system(NULL), 21, 9, 9);
    uint64_t fresh = mote_system_hash(system);
    assert_int_equal(mote_strands_reset(system, id, MOTE_ALL_STRANDS), MOTE_OK);
    ASSERT(mote_system_hash(system), ==, fresh);
    const mote_transform turned = {{1, 2, 3}, {1, 1, 1, 1}};
    assert_int_equal(mote_strands_set_roots(system, id, &turned, 1, UINT64_MAX - 1), MOTE_OK);
    assert_int_equal(mote_strands_pin(system, id, 4, 1, (float[3]){7, 8, 9}, UINT64_MAX - 1), MOTE_OK);
    for (uint32_t strand = 0; strand < 21; strand++)
        for (uint32_t k = 0; k < s.points[strand]; k++) {
            uint32_t slot = mote_strands_slot(system, id, strand, k);
            for (int axis = 0; axis < 3; axis++)
                b->range.x[axis][slot] = b->range.v[axis][slot] = b->range.previous_x[axis][slot] = 5;
        }
    memset(b->frozen, 1, 21), memset(b->infeasible, 1, 21);
    for (uint32_t lane = 0; lane < 21; lane++)
        b->strain[lane] = b->strain_sum[lane] = 1, b->unsolved[lane] = b->buried[lane] = 1;
    b->range.started = true;
    for (uint32_t done = 0; done <= 21; done++) {
        assert_int_equal(mote_strands_reset(system, id, done < 21 ? done : MOTE_ALL_STRANDS), MOTE_OK);
        ASSERT(b->range.started, ==, (done < 21));
        for (uint32_t strand = 0; strand < 21; strand++) {
            bool rests = strand <= done;
            uint32_t lane = b->lane_of_strand[strand];
            ASSERT(b->frozen[lane], ==, !rests);
            ASSERT(b->infeasible[lane], ==, !rests);
            ASSERT((b->strain[lane] == 0), ==, rests);
            ASSERT(b->strain_sum[lane], ==, !rests);
            ASSERT(b->unsolved[lane], ==, !rests);
            ASSERT(b->buried[lane], ==, !rests);
            ASSERT((b->root_from[0][lane] == 1), ==, rests);
            for (uint32_t k = 0; k < s.points[strand]; k++) {
                uint32_t slot = mote_strands_slot(system, id, strand, k);
                const float *p = position_of(&s, strand, k), pin[3] = {7, 8, 9};
                for (int axis = 0; axis < 3; axis++) {
                    float want =
                        strand == 4 && k == 1 ? pin[axis] : p[(axis + 2) % 3] + turned.position[axis];
                    ASSERT(b->range.x[axis][slot], ==, (rests ? want : 5));
                    ASSERT(b->range.v[axis][slot], ==, (rests ? 0 : 5));
                }
                ASSERT((isnan(b->range.previous_x[0][slot]) != 0), ==, rests);
            }
        }
        for (int axis = 0; axis < 3; axis++)
            ASSERT((b->range.pins.pins[0].from[axis] == b->range.pins.pins[0].to[axis]), ==, (done >= 4));
    }
    mote_system_destroy(system);
}

TEST(reports_give_what_a_step_has_measured) {
    SCENE(make_system(NULL), 21, 9, 3);
    random_source random = {5};
    mote_strands_step_report want = {0}, got;
    double sum = 0;
    for (uint32_t i = 0; i < 21; i++) {
        uint32_t lane = b->lane_of_strand[i], slot = mote_strands_slot(system, id, i, 0);
        b->strain[lane] = random_between(&random, 0, 1);
        b->strain_sum[lane] = random_between(&random, 0, 1);
        b->iterations[lane] = random_below(&random, 1u << 31);
        b->unsolved[lane] = random_below(&random, 3), b->fallbacks[lane] = random_below(&random, 3);
        b->buried[lane] = random_below(&random, 9);
        b->infeasible[lane] = (uint8_t)random_below(&random, 2);
        b->stiff_curls[lane] = (uint8_t)random_below(&random, 2);
        b->frozen[lane] = (uint8_t)random_below(&random, 2);
        for (int axis = 0; axis < 3; axis++) b->range.reaction[axis][slot] = (float)(3 * i) + (float)axis;
        mote_strand_step_report r;
        assert_int_equal(mote_strands_report_of(system, id, i, &r), MOTE_OK);
        ASSERT(r.strain, ==, b->strain[lane]);
        ASSERT(r.iterations, ==, b->iterations[lane]);
        ASSERT(r.unsolved, ==, b->unsolved[lane]);
        ASSERT(r.fallbacks, ==, b->fallbacks[lane]);
        ASSERT(r.buried, ==, b->buried[lane]);
        ASSERT(r.infeasible, ==, b->infeasible[lane]);
        ASSERT(r.stiff_curls, ==, b->stiff_curls[lane]);
        ASSERT(r.frozen, ==, b->frozen[lane]);
        float impulse[3];
        assert_int_equal(mote_strands_reaction(system, id, i, 0, impulse), MOTE_OK);
        for (int axis = 0; axis < 3; axis++) ASSERT(impulse[axis], ==, (float)(3 * i) + (float)axis);
        want.max_strain = fmaxf(want.max_strain, r.strain);
        sum += (double)b->strain_sum[lane];
        want.iterations += r.iterations;
        want.unsolved += r.unsolved > 0, want.fallbacks += r.fallbacks > 0;
        want.buried += r.buried;
        want.infeasible += r.infeasible, want.stiff_curls += r.stiff_curls, want.frozen += r.frozen;
    }
    assert_int_equal(mote_strands_report(system, id, &got), MOTE_OK);
    ASSERT(got.max_strain, ==, want.max_strain);
    ASSERT(got.mean_strain, ==, (float)(sum / (s.first[21] - 21)));
    ASSERT(got.iterations, ==, want.iterations);
    ASSERT(got.unsolved, ==, want.unsolved);
    ASSERT(got.fallbacks, ==, want.fallbacks);
    ASSERT(got.buried, ==, want.buried);
    ASSERT(got.infeasible, ==, want.infeasible);
    ASSERT(got.stiff_curls, ==, want.stiff_curls);
    ASSERT(got.frozen, ==, want.frozen);
    mote_system_destroy(system);
}

/* A sum of n doubles errs by at most n 2^-53 of the sum of absolute values, on either side: n = 1,500 with
 * values up to 200 J stays below 1e-9. */
static const double SUMMED = 1e-9;

/* Gives the points of the strands random velocities and adds them to the sums; gravity is (1, -2, 3). */
static void add_sums(mote_statistics *want, const mote_strands *b, random_source *random) {
    for (uint32_t slot = 0; slot < b->range.slot_count; slot++) {
        if (b->range.inverse_mass[slot] == 0) continue;
        double m = 1 / (double)b->range.inverse_mass[slot], x[3], v[3];
        for (int i = 0; i < 3; i++)
            x[i] = b->range.x[i][slot], v[i] = b->range.v[i][slot] = random_between(random, -1, 1);
        want->mass += m;
        want->kinetic += m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
        want->potential -= m * (x[0] - 2 * x[1] + 3 * x[2]);
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            want->momentum[i] += m * v[i];
            want->angular_momentum[i] += m * (x[j] * v[k] - x[k] * v[j]);
        }
    }
}

/* Loose particles and two strands objects together against plain sums; gravity's potential is -m g.x. */
TEST(statistics_of_a_system_include_its_strands) {
    static strands s;
    mote_system_def def = mote_default_system_def();
    uint32_t workers = 3;
    mote_statistics got[2];
    for (int round = 0; round < 2; round++) {
        def.jobs = round ? pthread_jobs_hook(&workers) : (mote_jobs){0};
        mote_system *system;
        assert_int_equal(mote_system_create(&def, &system), MOTE_OK);
        mote_force_def gravity = mote_gravity((float[3]){1, -2, 3});
        mote_force_id force_id;
        mote_range_view view;
        assert_int_equal(mote_system_add_force(system, &gravity, &force_id), MOTE_OK);
        assert_int_equal(mote_system_spawn(system, 1, &view), MOTE_OK);
        view.position.y[0] = 3, view.velocity.x[0] = 2;
        mote_statistics want = {
            .mass = 1, .kinetic = 2, .potential = 6, .momentum = {2, 0, 0}, .angular_momentum = {0, 0, -6}};
        random_source random = {11};
        for (uint32_t n = 0; n < 2; n++) {
            make_strands(&s, 30 + n, 40, n);
            mote_strands_id id = add_strands(system, &s);
            const mote_strands *b = strands_inside(system, id);
            assert_int_equal(mote_strands_pin(system, id, 3, 1, (float[3]){0, 0, 0}, 0), MOTE_OK);
            add_sums(&want, b, &random);
        }
        assert_int_equal(mote_system_statistics(system, &got[round]), MOTE_OK);
        ASSERT_NEAR(got[round].mass, want.mass, SUMMED);
        ASSERT_NEAR(got[round].kinetic, want.kinetic, SUMMED);
        ASSERT_NEAR(got[round].potential, want.potential, SUMMED);
        ASSERT(got[round].forces_without_potential, ==, 0);
        for (int i = 0; i < 3; i++) {
            ASSERT_NEAR(got[round].momentum[i], want.momentum[i], SUMMED);
            ASSERT_NEAR(got[round].angular_momentum[i], want.angular_momentum[i], SUMMED);
        }
        mote_system_destroy(system);
    }
    assert_memory_equal(&got[0], &got[1], sizeof got[0]);
}
