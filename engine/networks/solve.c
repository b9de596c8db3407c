/* Newton's method of the constrained solver over one island. */
#include <math.h>

#include "networks/dual_energy.h"
#include "networks/parts.h"
#include "networks/relax.h"

/* Freezes an island whose products overflow: it would turn non-finite, or its springs would cease to act. It
 * ends the step with the state at the start. */
static MOTE_COLD void freeze(const island *i) {
    __atomic_store_n(&i->job->network->frozen[i->number], 1, __ATOMIC_RELAXED);
    __atomic_store_n(i->job->froze, 1, __ATOMIC_RELAXED);
}

/* --- Energy in the primal solver (primal.h) --- */

/* Gives the particles of an island that touches nothing the frame of its rigid motion. */
static MOTE_COLD frame find_frame(const island *i) {
    const double h = i->job->plan->h;
    frame f = find_centre(i);
    double x[3], v[3], way[3];
    if (f.touches) return f;
    EACH_SLOT(i, slot) {
        if (!(mass_of(i, slot) > 0)) continue;
        fetch_start(i, slot, x), fetch(i, COLUMN(v), slot, v);
        for (int k = 0; k < 3; k++) v[k] *= h;
        mote_rigid_add(&f.sums, mass_of(i, slot), x, v);
    }
    mote_rigid_turn(&f.sums, f.turn);
    EACH_SLOT(i, slot) {
        if (!(mass_of(i, slot) > 0)) continue;
        fetch_start(i, slot, x);
        mote_rigid_way(&f.sums, f.turn, x, way);
        for (int k = 0; k < 3; k++)
            i->c->memory[(size_t)(COLUMN(drift) + k) * i->c->stride + (slot - i->c->first)] = (float)way[k];
    }
    return f;
}

/* Goes from x0 a fraction s of the way to x, in the frames of the particles. */
static void go_back(island *i, double s) {
    run(i, MOTE_SOLVE_BLEND, (float)s);
    if (mote_dot(i->shared, i->shared) > 0) share_motion(i);
    find_contacts(i, MOTE_GRIP_LAST);
}

/* There is no rest of the way (network_guide). */
static void clear_way(const island *i) {
    const mote_network *n = i->job->network;
    for (uint32_t chunk = i->first; chunk < i->first + i->count; chunk++)
        for (size_t k = 0; k < 3; k++)
            memset(i->c->memory + (COLUMN(product) + k) * i->c->stride +
                       (n->chunk_first[chunk] - i->c->first),
                   0, (n->chunk_end[chunk] - n->chunk_first[chunk]) * sizeof(float));
}

/* Start of Newton's method in the primal solver (primal.h): x* with its contacts, or nearer to the start of
 * the substep where the springs of x* hold more energy than there is. */
static void start_newton(island *i) {
    find_contacts(i, MOTE_GRIP_HOLD);
    (void)find_frames(i);
    const mote_solve_sums energy = run(i, MOTE_SOLVE_COMPARE, 0);
    clear_way(i);
    if (energy.gain <= energy.sum) return;
    const frame f = find_frame(i);
    double fall = (double)energy.sum;
    if (!f.touches) {
        fall = 0;
        EACH_SLOT(i, slot) {
            double v[3], drift[3];
            fetch(i, COLUMN(v), slot, v), fetch(i, COLUMN(drift), slot, drift);
            for (int k = 0; k < 3; k++) v[k] = i->job->plan->h * v[k] - drift[k];
            fall += 0.5 * mass_of(i, slot) * mote_dot(v, v);
        }
    }
    const double s = fall > 0 ? fall / (double)energy.gain : 0;
    go_back(i, s < 1 ? s : 1);
}

/* Fraction of the way from x0 to x1 at which energy has not grown, if that of the springs is convex on it:
 * the positive root of A s^2 + B s = C, with A h^2 times the kinetic energy of what is beyond the frame, C
 * h^2 times K0 + W less the kinetic energy of the frame, and A + B - C the gain at x1. */
static MOTE_COLD double allowed_fraction(const island *i, double gain) {
    const double h = i->job->plan->h;
    const frame f = find_frame(i);
    gain -= mote_dot(f.centre, f.moved);
    double before = 0, after = 0;
    EACH_SLOT(i, slot) {
        double start[3], v[3], moved[3], drift[3], c = 0;
        fetch(i, COLUMN(start_v), slot, start), fetch(i, COLUMN(v), slot, v);
        fetch(i, COLUMN(moved), slot, moved), fetch(i, COLUMN(drift), slot, drift);
        for (int k = 0; k < 3; k++) {
            /* h v0 and the way of the frame, relative to the centre's; the change of h v0. */
            const double base = f.touches ? drift[k] : f.centre[k], own = h * start[k] - base,
                         rigid = drift[k] - base, applied = h * (v[k] - start[k]);
            c += (own - rigid) * (own + rigid) + 2 * applied * rigid;
            v[k] = h * v[k] + moved[k] - drift[k];
        }
        before += 0.5 * mass_of(i, slot) * c, after += 0.5 * mass_of(i, slot) * mote_dot(v, v);
    }
    before = before > 0 ? before : 0;
    const double slope = gain - after + before, root = __builtin_sqrt(slope * slope + 4 * after * before);
    if (!(gain > 0)) return 1;
    return slope > 0 ? 2 * before / (slope + root) : (root - slope) / (2 * after);
}

/* Standard deviations of rounding that are no gain, and the times that the solver goes back: the last time to
 * x0. */
#define NOISE   (4 * 0x1p-24)
#define RETURNS 3

/* Share of the kinetic energy that is a rounding of its change. */
#define KINETIC_NOISE 0x1p-21

/* Returns h^2 times that energy at the start of the substep. */
static double kinetic_at_start(const island *i) {
    const double h = i->job->plan->h;
    double sum = 0, v[3];
    EACH_SLOT(i, slot) {
        fetch(i, COLUMN(start_v), slot, v);
        sum += 0.5 * mass_of(i, slot) * h * h * mote_dot(v, v);
    }
    return sum;
}

/* Whether energy has grown: beyond rounding, and not by that of the momentum. */
static bool gains(island *i, mote_solve_sums *at) {
    double noise = NOISE * __builtin_sqrt((double)at->noise);
    if (i->multipliers || !((double)at->gain > noise)) return false;
    noise += KINETIC_NOISE * kinetic_at_start(i);
    if (!((double)at->gain > noise)) return false;
    if (find_frames(i)) run(i, MOTE_SOLVE_COMPARE, 0), at->gain = run(i, MOTE_SOLVE_CHECK, 0).gain;
    const frame f = find_centre(i);
    return (double)at->gain - mote_dot(f.centre, f.moved) > noise;
}

/* Goes back from x1 towards x0 where energy has grown. At fractions near 1: the median of a net of 64 x 64
 * with one system of 18 iterations was 0.98 to 0.9999, and with 4 of 64 it hardly ever went back (measured).
 * Returns the fraction of the way that is left: 1 where it has not gone back. */
static double limit_energy(island *i, mote_solve_sums *at) {
    double left = 1;
    for (int turn = 0; turn < RETURNS && gains(i, at); turn++) {
        const double s = allowed_fraction(i, (double)at->gain);
        if (!((float)s < 1)) break;
        left *= turn + 1 < RETURNS ? s : 0;
        go_back(i, turn + 1 < RETURNS ? s : 0);
        *at = run(i, MOTE_SOLVE_CHECK, 0);
    }
    return left;
}

/* Fraction of the way below which the solver has gone back to x0. */
#define STUCK 0.01

/* Times that the way from there is halved; the last time to 0. */
#define HALVINGS 5

/* Leaves x0, or nearly that, to which the solver has gone back: a system from there on lowers what implicit
 * Euler minimises, however early it ends. From elsewhere the way need not begin downwards, and a net at rest
 * would go back in each substep for ever. */
static MOTE_COLD void leave_start(island *i, mote_solve_sums *at, mote_network_step_report *report) {
    *at = run(i, MOTE_SOLVE_LINEARISE, LEAST_ACROSS);
    report->linear += solve_system(i, at->sum);
    report->iterations++;
    run(i, MOTE_SOLVE_MOVE, 0);
    find_contacts(i, MOTE_GRIP_LAST);
    *at = run(i, MOTE_SOLVE_CHECK, 0);
    for (int turn = 0; turn < HALVINGS && gains(i, at); turn++) {
        (void)find_frame(i);
        go_back(i, turn + 1 < HALVINGS ? 0.5 : 0);
        *at = run(i, MOTE_SOLVE_CHECK, 0);
    }
}

/* Takes from an island that touches nothing the momentum that unfinished systems have given it. It gathers
 * from step to step otherwise (measured: the energy of a free net grew fivefold in 3,600 steps of 1
 * iteration; of a net of 16 x 16 at 3 kN/m, 4 systems of 4 iterations, 6 % in 15 s with all substeps
 * solved). */
static void keep_momentum(island *i) {
    const frame f = find_centre(i);
    if (f.touches) return;
    EACH_SLOT(i, slot) {
        if (!(mass_of(i, slot) > 0)) continue;
        float *moved = i->c->memory + (size_t)COLUMN(moved) * i->c->stride + (slot - i->c->first);
        for (int k = 0; k < 3; k++) moved[(size_t)k * i->c->stride] -= (float)(f.moved[k] / f.sums.mass);
    }
    run(i, MOTE_SOLVE_MOVE, 0);
}

/* Newton's method from the linearisation `at`. At least one iteration: motion smaller than the allowed error
 * must be constrained too; and on while energy grows, before the solver goes back. A point that enters a
 * collider before the first iteration or in one is in contact from then to the end of the substep; a point
 * that springs pull off a collider before the first separates. *finished: whether all systems were solved. */
static mote_solve_sums iterate(island *i, mote_solve_sums at, bool *finished,
                               mote_network_step_report *report) {
    const mote_network_def *def = &i->job->network->def;
    float least = LEAST_ACROSS;
    for (uint32_t iterations = 0; iterations < def->max_iterations &&
                                  (iterations == 0 || at.largest > def->max_strain || gains(i, &at));
         iterations++) {
        /* Linear system, contacts, then linearisation at the new positions. */
        const uint32_t taken = solve_system(i, at.sum);
        *finished &= taken < def->max_linear;
        report->linear += taken;
        report->iterations++;
        least *= 0.25f;
        run(i, MOTE_SOLVE_MOVE, 0);
        const bool last = iterations + 1 == def->max_iterations && !i->multipliers;
        find_contacts(i, last ? MOTE_GRIP_LAST : MOTE_GRIP_SLIDE);
        at = run(i, last ? MOTE_SOLVE_CHECK : MOTE_SOLVE_LINEARISE, at.largest > LONG_STEP ? least : 0);
    }
    return at;
}

/* Growth of the largest error in a substep of the dual solver from which on it has diverged. */
#define DIVERGED 1.25f

/* Whether the dual solver has diverged. Rigid springs that cannot all hold, two of different lengths side by
 * side, say, leave a residual that no multipliers change, and conjugate gradients take steps without end for
 * it (measured: 2 % of strain gave 10^18 J). */
static bool diverged(const island *i, mote_solve_sums first, mote_solve_sums last) {
    const float strain = i->job->network->def.max_strain,
                least = first.largest < strain ? strain : first.largest;
    return i->multipliers && (i->overflows || !(last.largest <= DIVERGED * least) || last.sum * 0.0f != 0);
}

/* Solves again from x* by steps that make residuals least: a residual that nothing changes has no part in
 * them, but they converge more slowly. */
static MOTE_COLD mote_solve_sums solve_conflict(island *i, bool *finished, mote_network_step_report *report) {
    i->conflicts = true, i->overflows = false;
    run(i, MOTE_SOLVE_FORCES, 0);
    run(i, MOTE_SOLVE_MOVE, 0);
    run(i, MOTE_SOLVE_LOAD, 0);
    return iterate(i, run(i, MOTE_SOLVE_LINEARISE, 0), finished, report);
}

/* Whether contacts move particles after the solve. */
static bool contacts_follow(const island *i) { return i->multipliers && i->job->collider_count; }

/* Whether they have moved some. */
static bool contacts_moved(const island *i) {
    EACH_SLOT(i, slot) {
        if (i->c->memory[COLUMN(touch) * i->c->stride + (slot - i->c->first)] == NETWORK_IS_MOVED)
            return true;
    }
    return false;
}

static void count_unsolved(float residual, mote_network_step_report *report) {
    report->unsolved++;
    report->residual = report->residual < residual ? residual : report->residual;
}

/* Whether systems of the dual solver have overshot across taut springs: several of them, which have not come
 * to an end. Where they overflow, springs contradict each other. */
static bool is_taut(const island *i, mote_solve_sums last) {
    const bool finite = !i->overflows && last.sum * 0.0f == 0;
    return i->job->network->def.max_iterations > 1 && finite && last.gain > 0 &&
           last.largest > i->job->network->def.max_strain;
}

/* Solves a substep, or a part of one, of the dual solver from x*. Where the systems overshoot across taut
 * springs and err by more than `most`, *taut is set in place of steps for springs that contradict each
 * other. */
static mote_solve_sums solve_springs(island *i, float most, bool *taut, mote_network_step_report *report) {
    bool finished = true;
    i->conflicts = i->overflows = false;
    run(i, MOTE_SOLVE_LOAD, 0);
    const mote_solve_sums first = run(i, MOTE_SOLVE_LINEARISE, 0),
                          last = iterate(i, first, &finished, report);
    *taut = is_taut(i, last) && last.largest > most;
    return !*taut && diverged(i, first, last) ? solve_conflict(i, &finished, report) : last;
}

/* Ends it: the impulses that velocities gain. Elastic springs give off nothing in parts, of which others may
 * not be held; nor do velocities gain anything in hopeless ones (measured: a pin that moved at once threw the
 * net, at 37 times its own speed). Returns the largest error, or 0 where all are allowed. */
static float end_springs(island *i, mote_solve_sums at, bool whole) {
    const bool solved = at.largest <= i->job->network->def.max_strain;
    dual_share allowed = allowed_share(i, run(i, MOTE_SOLVE_COMPARE, 0), solved && whole);
    if (!whole && at.largest > HOPELESS) allowed = (dual_share){0, 0};
    run(i, MOTE_SOLVE_FORCES, allowed.share);
    if (allowed.excess > 0) take_excess(i, allowed.excess);
    i->overflows |= at.sum * 0.0f != 0;
    return solved ? 0 : at.largest;
}

/* Solves a substep in parts. Where one is too long, halves of it take its place, and those after it are as
 * short. Returns the largest error; -1, at x*, where the shortest first part is hopeless, or a later one
 * more than that: parts are no help to springs that contradict each other, or are pulled to more than their
 * length. */
static MOTE_COLD float solve_parts(island *whole, mote_network_step_report *report) {
    mote_plan plan = *whole->job->plan;
    mote_network_job job = *whole->job;
    island i = *whole;
    float error = 0;
    job.plan = &plan, i.job = &job;
    uint32_t parts = 2, part = 0;
    begin_parts(whole);
    while (part < parts && !i.overflows) {
        plan.h = whole->job->plan->h / parts, plan.c.h = (float)plan.h;
        i.from = (double)part / parts, i.to = (double)(part + 1) / parts;
        bool too_long;
        begin_part(&i);
        const float most = parts < MOST_PARTS ? 0 : part ? 4 * HOPELESS : HOPELESS;
        const mote_solve_sums at = solve_springs(&i, most, &too_long, report);
        if (too_long && parts == MOST_PARTS) {
            leave_parts(whole);
            return -1;
        }
        if (too_long) {
            undo_part(&i);
            part *= 2, parts *= 2;
            continue;
        }
        const float left = end_springs(&i, at, false);
        error = error < left ? left : error;
        end_part(&i);
        part++;
    }
    whole->overflows = i.overflows;
    end_parts(whole);
    return error;
}

/* One substep of the dual solver. */
static void solve_dual(island *i, mote_network_step_report *report) {
    bool taut;
    const mote_solve_sums at = solve_springs(i, 0, &taut, report);
    float error = taut ? solve_parts(i, report) : end_springs(i, at, true);
    if (error < 0) error = end_springs(i, solve_springs(i, INFINITY, &taut, report), true);
    if (i->overflows)
        freeze(i);
    else if (contacts_follow(i))
        *solved_error(i) = error;
    else if (error > 0)
        count_unsolved(error, report);
}

/* One substep of the primal solver, from its first linearisation. */
static void solve_primal(island *i, mote_solve_sums first, mote_network_step_report *report) {
    bool finished = true;
    mote_solve_sums at = iterate(i, first, &finished, report);
    const double left = limit_energy(i, &at);
    if (left < STUCK) leave_start(i, &at, report);
    const bool unsolved = left < 1 || at.largest > i->job->network->def.max_strain;
    if (i->overflows || at.sum * 0.0f != 0) {
        freeze(i);
        return;
    }
    if (unsolved || !finished) keep_momentum(i);
    if (unsolved) count_unsolved(at.largest, report);
}

/* One substep. */
static void solve(island *i, mote_network_step_report *report) {
    const bool relaxed = expel(i, report);
    if (i->multipliers) {
        solve_dual(i, report);
        return;
    }
    run(i, MOTE_SOLVE_LOAD, 0);
    start_newton(i);
    const mote_solve_sums first = run(i, MOTE_SOLVE_FIRST_LINEARISE, LEAST_ACROSS);
    if (i->substep == 0 || relaxed) mote_island_assemble(i);
    solve_primal(i, first, report);
}

static island island_of(const mote_network_job *job, const mote_network_scratch *c, const mote_jobs *jobs,
                        uint32_t substep, uint32_t number) {
    const mote_network *n = job->network;
    return (island){.kernels = n->kernels,
                    .job = job,
                    .c = c,
                    .jobs = jobs,
                    .number = number,
                    .substep = substep,
                    .multipliers = mote_network_has_multipliers(n, number, job->plan->h),
                    .to = 1,
                    .first = n->island_chunk[number],
                    .count = n->island_chunk[number + 1] - n->island_chunk[number]};
}

void mote_network_solve(const mote_network_job *job, const mote_network_scratch *c, const mote_jobs *jobs,
                        uint32_t substep, uint32_t number, mote_network_step_report *report) {
    island i = island_of(job, c, jobs, substep, number);
    if (i.count) solve(&i, report);
}

void mote_network_measure(const mote_network_job *job, const mote_network_scratch *c, const mote_jobs *jobs,
                          uint32_t substep, uint32_t number, mote_network_step_report *report) {
    island i = island_of(job, c, jobs, substep, number);
    if (!i.count || !contacts_follow(&i) || job->network->frozen[number]) return;
    const float largest = contacts_moved(&i) ? run(&i, MOTE_SOLVE_CHECK, 0).largest : *solved_error(&i);
    if (largest > job->network->def.max_strain) count_unsolved(largest, report);
}
