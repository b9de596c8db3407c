/* Strands on the bench: see strands.h. */
#include "strands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine.h"
#include "options.h"

strand_run *strand_run_create(const mote_system_def *def, const float gravity[3]) {
    strand_run *run = allocate_or_fail(sizeof *run);
    mote_system_def empty = *def;
    empty.capacity = 0;
    *run = (strand_run){.substeps = def->substeps};
    engine_check(mote_system_create(&empty, &run->system), "mote_system_create");
    engine_add_force(run->system, mote_gravity((float[3]){gravity[0], gravity[1], gravity[2]}));
    return run;
}

void strand_run_add(strand_run *run, const mote_strands_def *def) {
    mote_strands_fault fault;
    mote_result result = mote_system_add_strands(run->system, def, &run->id, &fault);
    if (result != MOTE_OK && fault.strand != MOTE_ALL_STRANDS)
        fail_usage("strand %u, point %u, %s: %s", (unsigned)fault.strand, (unsigned)fault.point,
                   fault.parameter ? fault.parameter : "def", mote_result_text(result));
    engine_check(result, "mote_system_add_strands");
    mote_strands_view view = mote_strands_columns(run->system, run->id);
    run->strands = view.strand_count;
    run->points = view.point_count;
}

/* The larger one; NaN stays. */
static double worse(double old, double now) { return now <= old || isnan(old) ? old : now; }

void strand_run_frame(strand_run *run) {
    mote_strands_step_report s;
    if (run->move) run->move(run);
    engine_check(mote_system_step(run->system, 1, NULL), "mote_system_step");
    engine_check(mote_strands_report(run->system, run->id, &s), "mote_strands_report");
    run->frame++;
    strand_tally *tally = &run->tally;
    tally->max_strain = worse(tally->max_strain, (double)s.max_strain);
    tally->strain_sum += (double)s.mean_strain;
    tally->iterations += (double)s.iterations;
    tally->frames++;
    tally->unsolved += s.unsolved;
    tally->fallbacks += s.fallbacks;
    tally->infeasible += s.infeasible;
    tally->frozen += s.frozen;
    if (run->vertices)
        engine_check(
            mote_strands_present(run->system, run->id, &run->layout, run->vertices, run->vertex_bytes),
            "mote_strands_present");
}

/* Lines of 12 bytes a vertex; ribbons of 24, positions and tangents, seen from 1 m away. */
void strand_run_present(strand_run *run, mote_strand_shape shape) {
    run->layout = mote_default_strand_layout();
    run->layout.shape = shape;
    if (shape == MOTE_STRAND_RIBBONS) {
        run->layout.stride = 6 * sizeof(float);
        run->layout.tangent_offset = 3 * sizeof(float);
        run->layout.eye[2] = 1;
    }
    run->vertex_bytes = (size_t)mote_strands_vertex_count(run->system, run->id, shape) * run->layout.stride;
    run->vertices = allocate_or_fail(run->vertex_bytes);
    engine_check(mote_system_advance(run->system, STEP_NANOSECONDS / 2, NULL), "mote_system_advance");
}

void strand_run_settle(strand_run *run, uint32_t frames, float keep) {
    const mote_strands_view view = mote_strands_columns(run->system, run->id);
    float *const v[3] = {view.velocity.x, view.velocity.y, view.velocity.z};
    for (uint32_t frame = 0; frame < frames; frame++) {
        strand_run_frame(run);
        for (int axis = 0; axis < 3; axis++)
            for (uint32_t slot = 0; slot < view.slot_count; slot++) v[axis][slot] *= keep;
    }
}

void strand_run_destroy(strand_run *run) {
    mote_system_destroy(run->system);
    free(run->vertices);
    free(run);
}

double tally_mean_strain(const strand_tally *tally) {
    return tally->frames ? tally->strain_sum / (double)tally->frames : 0;
}

double tally_iterations(const strand_run *run) {
    double solved = (double)run->tally.frames * run->substeps * run->strands;
    return solved > 0 ? run->tally.iterations / solved : 0;
}

/* --- Ropes --- */

static mote_rate rate_of(const rope_setup *setup) { return setup->rate.steps ? setup->rate : ROPE_RATE; }

double rope_point_mass(const rope_setup *setup) { return (double)ROPE_MASS / setup->points; }

double rope_substep(const rope_setup *setup) {
    mote_rate rate = rate_of(setup);
    return (double)rate.seconds / rate.steps / setup->substeps;
}

double rope_stiffness(const rope_setup *setup, double z) {
    double h = rope_substep(setup);
    return 0.25 * z * z * rope_point_mass(setup) / (h * h);
}

/* To and fro along x, 0.1 m each way, 40 frames for a period: a cubic through the turning points, without a
 * jump of velocity there. */
static void swing_root(strand_run *run) {
    float phase = (float)(run->frame % 40) / 20, t = phase < 1 ? 2 * phase - 1 : 3 - 2 * phase;
    mote_transform root = MOTE_TRANSFORM_IDENTITY;
    root.position[0] = 0.1f * (1 + 0.5f * t * (3 - t * t));
    engine_check(mote_strands_set_roots(run->system, run->id, &root, 1, MOTE_NEXT_ADVANCE),
                 "mote_strands_set_roots");
}

/* Two bars across the way of the swing, of a tenth of the length. */
static void add_bars(strand_run *run, float length) {
    for (int i = 0; i < 2; i++) {
        float x = (i ? -0.4f : 0.3f) * length, y = (i ? -0.7f : -0.35f) * length;
        mote_collider_def bar = mote_capsule((float[3]){x, y, -0.5f}, (float[3]){x, y, 0.5f}, 0.05f * length);
        engine_check(mote_system_add_collider(run->system, &bar, &run->collider), "mote_system_add_collider");
    }
}

static mote_system_def rope_system(const rope_setup *setup) {
    mote_system_def def = mote_default_system_def();
    def.steps_per_second = rate_of(setup);
    def.substeps = setup->substeps;
    def.interpolation = MOTE_INTERPOLATE_NONE;
    def.particle_ids = false;
    def.jobs = mote_jobs_openmp(setup->threads);
    return def;
}

static float *lay_out(const rope_setup *setup) {
    float *positions = allocate_or_fail(sizeof(float[3]) * setup->strands * setup->points);
    for (uint32_t i = 0; i < setup->strands * setup->points; i++) {
        float along = setup->length * (float)(i % setup->points) / (float)(setup->points - 1);
        float *position = positions + 3 * (size_t)i;
        position[0] = setup->hangs ? 0 : along;
        position[1] = setup->hangs ? -along : 0;
        position[2] = 0;
    }
    return positions;
}

strand_run *rope_create(const rope_setup *setup) {
    mote_system_def system = rope_system(setup);
    strand_run *run = strand_run_create(&system, (float[3]){0, -9.81f, 0});
    float *positions = lay_out(setup);
    mote_strands_def def = mote_default_strands_def();
    def.substeps = 0; /* those of the system */
    def.solver = setup->solver;
    def.strand_count = setup->strands;
    def.points = setup->points;
    def.positions = positions;
    def.mass = ROPE_MASS;
    def.compliance = setup->compliance;
    def.damping = setup->damping;
    def.bending_stiffness = setup->bending_stiffness;
    def.twisting_stiffness = setup->twisting_stiffness;
    if (setup->max_strain > 0) def.max_strain = setup->max_strain;
    def.normal_drag = setup->drag;
    def.tangential_drag = setup->drag / 3;
    strand_run_add(run, &def);
    free(positions);
    if (setup->moving) run->move = swing_root;
    if (setup->colliders) add_bars(run, setup->length);
    return run;
}

double rope_depth(const rope_setup *setup) {
    return rope_point_mass(setup) * 9.81 * 0.5 * (double)setup->length *
           setup->points; /* points 1 .. n - 1, at k / (n - 1) */
}

double rope_energy(const strand_run *run, uint32_t strand, double point_mass) {
    mote_strands_view view = mote_strands_columns(run->system, run->id);
    uint32_t points = mote_strands_points(run->system, run->id, strand);
    double energy = 0;
    for (uint32_t k = 0; k < points; k++) {
        uint32_t slot = mote_strands_slot(run->system, run->id, strand, k);
        if (view.inverse_mass[slot] == 0) continue;
        double x = (double)view.velocity.x[slot], y = (double)view.velocity.y[slot],
               z = (double)view.velocity.z[slot];
        energy += point_mass * (0.5 * (x * x + y * y + z * z) + 9.81 * (double)view.position.y[slot]);
    }
    return energy;
}
