/* Energy of an island in the dual solver. Kinetic energy grows in a substep by no more than the work of
 * forces, pins and reels and what elastic springs gave off (released_energy). Correcting lengths that were
 * wrong at the start of the substep is no motion: it would add energy without bound; nor is the way of a
 * particle that passes the other end of its rigid spring in a substep. Loops are scalar and in double, in the
 * order of the slots.
 */
#ifndef MOTE_NETWORKS_DUAL_ENERGY_H
#define MOTE_NETWORKS_DUAL_ENERGY_H

#include <math.h>

#include "networks/frames.h"

/* Returns h^2 times the work (J) that the springs of an island take up in a substep because they are reeled:
 * the rigid ones, or all where no spring is rigid (released_energy). Multipliers are -h^2 times the tensions.
 */
static inline double reeled_work(const island *i) {
    const mote_network_job *job = i->job;
    const mote_network *n = job->network;
    const uint32_t last = mote_network_block_of(n, n->chunk_first[i->first + i->count - 1]);
    double work = 0;
    for (uint32_t block = mote_network_block_of(n, n->chunk_first[i->first]); n->reels.count && block <= last;
         block++) {
        const mote_pin_run reels = n->reels.run[block];
        for (uint32_t k = reels.first; k < reels.first + reels.count; k++) {
            const mote_pin *reel = &n->reels.pins[k];
            const mote_network_spring_state *s = &n->spring[reel->spring];
            if (n->island[s->a] != i->number || (n->rigid && s->stiffness < HUGE_VALF)) continue;
            float before[3], now[3];
            mote_pin_at(reel, job->step_tick, mote_network_ticks_within(job, i->substep, i->from), before);
            mote_pin_at(reel, job->step_tick, mote_network_ticks_within(job, i->substep, i->to), now);
            const float mu = n->entry_solver[END_COLUMN(multiplier)][s->entry[0]];
            work -= (double)mu * ((double)now[0] - (double)before[0]);
        }
    }
    return work;
}

/* Share of the constraint impulses that velocities gain, and h^2 times the energy (J) that they then have too
 * much. */
typedef struct dual_share {
    float share;
    double excess;
} dual_share;

/* Returns h^2 times the energy (J) that forces gave the prediction beyond their work over the way that the
 * particles went in the end. */
static MOTE_COLD double given_beyond_work(const island *i) {
    const double h = i->job->plan->h;
    double beyond = 0, start[3], v[3], moved[3];
    EACH_SLOT(i, slot) {
        fetch(i, COLUMN(start_v), slot, start), fetch(i, COLUMN(v), slot, v);
        fetch(i, COLUMN(moved), slot, moved);
        for (int k = 0; k < 3; k++) {
            const double applied = h * (v[k] - start[k]);
            beyond -= mass_of(i, slot) * applied * (moved[k] + 0.5 * applied);
        }
    }
    return beyond;
}

/* Share of the energies in an excess that is their rounding. */
#define EXCESS_NOISE 0x1p-18

/* Returns the largest share s <= 1 with s slope + s^2 gain / 2 <= released, or that where the left side is
 * least. */
static inline double largest_share(double slope, double gain, double released) {
    const double square = slope * slope + 2 * gain * released, root = square > 0 ? sqrt(square) : 0;
    const double share = slope > 0 ? (root > 0 ? 2 * released / (slope + root) : 0) : (root - slope) / gain;
    if (!(gain > 0) || !(share < 1)) return 1;
    return share > 0 ? share : 0;
}

/* Returns h^2 times the energy (J) that elastic springs gave off. Systems that end early let springs get
 * longer and take nothing from the motion for it; what such a length holds is not there to be given off later
 * (measured: a chain of 80 springs of 1e7 N/m threw a weight of 70 kg, which hung from it at rest, 9 m high).
 * So they give off nothing where lengths are not held; nor in a network without rigid springs, where those of
 * a stiff chain are as good as rigid (mote_network_is_stiff_chain): of what a spring holds, implicit Euler
 * makes a part of 1 / (h w)^2 motion. */
static inline double released_energy(const island *i, mote_solve_sums of, bool held) {
    const double noted = i->job->plan->h * (double)of.noise;
    return noted < 0 || (held && i->job->network->rigid) ? noted : 0;
}

/* Returns the largest share with which there is not more than the prediction had, and if that is not all, not
 * more than forces gave. (To hold every net to that would take energy from pendulums: theirs swings by the
 * order of h.) With the impulses p, K(s) - K = s p v + s^2 p^2 / 2m. of: of MOTE_SOLVE_COMPARE; held: no
 * spring errs by more than max_strain. */
static dual_share allowed_share(const island *i, mote_solve_sums of, bool held) {
    const double h = i->job->plan->h, slope = h * (double)of.sum + reeled_work(i), gain = (double)of.gain,
                 released = released_energy(i, of, held), most = largest_share(slope, gain, released);
    if (!(most < 1)) return (dual_share){1, 0};
    const double beyond = given_beyond_work(i);
    if (!(beyond > 0)) return (dual_share){(float)most, 0};
    const double share = largest_share(slope, gain, released - beyond),
                 excess = share * slope + 0.5 * share * share * gain - (released - beyond);
    const bool some = excess > EXCESS_NOISE * (fabs(slope) + gain);
    return (dual_share){(float)share, !some ? 0 : beyond < excess ? beyond : excess};
}

/* Square of the ways by which pins that move together may differ, over that of all. */
#define TOGETHER 1e-9

/* Takes the excess from the motion of an island relative to its pins, if these move together. The momentum
 * that this takes is a reaction of the pins. After MOTE_SOLVE_FORCES. */
static MOTE_COLD void take_excess(const island *i, double excess) {
    const double h = i->job->plan->h;
    const size_t stride = i->c->stride;
    const touched t = find_touched(i);
    double way[3], v[3], moved[3], momentum[3] = {0}, kinetic = 0;
    uint32_t pins = 0;
    if (t.squares * t.count - mote_dot(t.sum, t.sum) > TOGETHER * t.squares * t.count) return;
    for (int k = 0; k < 3; k++) way[k] = t.count ? t.sum[k] / t.count : 0;
    EACH_SLOT(i, slot) {
        fetch(i, COLUMN(v), slot, v), fetch(i, COLUMN(moved), slot, moved);
        for (int k = 0; k < 3; k++) v[k] = h * v[k] + moved[k] - way[k];
        kinetic += 0.5 * mass_of(i, slot) * mote_dot(v, v);
        pins += i->job->network->particle_of_slot[slot] != MOTE_NO_SLOT && !(mass_of(i, slot) > 0);
    }
    if (!pins || !(kinetic > 0)) return;
    const double change = (excess < kinetic ? sqrt(1 - excess / kinetic) : 0) - 1;
    EACH_SLOT(i, slot) {
        if (!(mass_of(i, slot) > 0)) continue;
        float *to = i->c->memory + (size_t)COLUMN(moved) * stride + (slot - i->c->first);
        fetch(i, COLUMN(v), slot, v), fetch(i, COLUMN(moved), slot, moved);
        for (int k = 0; k < 3; k++) {
            const double more = change * (h * v[k] + moved[k] - way[k]);
            momentum[k] += mass_of(i, slot) * more;
            to[(size_t)k * stride] = (float)(moved[k] + more);
        }
    }
    EACH_SLOT(i, slot) {
        if (i->job->network->particle_of_slot[slot] == MOTE_NO_SLOT || mass_of(i, slot) > 0) continue;
        float *force = i->c->memory + (size_t)COLUMN(force) * stride + (slot - i->c->first);
        for (int k = 0; k < 3; k++) force[(size_t)k * stride] -= (float)(momentum[k] / (h * h * pins));
    }
}

#endif
