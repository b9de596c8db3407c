/* Statistics of strands, in double, in a fixed order (stage/sums.h), of places and not of columns. */
#include <string.h>

#include "strands/equilibrium.h"

/* Finds the segment d behind a slot, whose place is x; x becomes the place of the next point. Returns the
 * length. */
static double next_segment(const mote_strands *strands, uint32_t lane, uint32_t slot, double x[3],
                           double d[3]) {
    double next[3], square = 0;
    mote_strands_place(strands, lane, slot + MOTE_GROUP, next);
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = next[axis] - x[axis];
        square += d[axis] * d[axis];
        x[axis] = next[axis];
    }
    return __builtin_sqrt(square);
}

/* --- Sums over points --- */

typedef struct sum_context {
    const mote_strands *strands;
    const mote_plan_def *field;
    uint64_t tick; /* of the boundary whose state is summed */
} sum_context;

static mote_sums sum_points(const void *context, size_t first, size_t end) {
    const sum_context *s = context;
    const mote_strands *strands = s->strands;
    uint32_t group = mote_strands_group_of(strands, (uint32_t)first);
    mote_sums lane[MOTE_GROUP] = {{{0}, 0}};
    for (uint32_t slot = (uint32_t)first; slot < end; slot++) {
        double x[3];
        while (group + 1 < strands->group_count && strands->group[group + 1].first <= slot) group++;
        mote_strands_place(strands, mote_strands_lane_of(strands, group, slot), slot, x);
        mote_sums_add_place(&lane[slot % MOTE_GROUP], s->field, &strands->range, slot, x);
    }
    return mote_sums_of_lanes(lane);
}

/* --- Sums over segments, strand by strand --- */

/* Turns a vector of the rest shape by the rotation of the root. */
static void turn_by_root(const mote_strands *strands, uint32_t lane, const double a[3], double to[3]) {
    double q[4], cross[3];
    for (int i = 0; i < 4; i++) q[i] = (double)strands->root_last[i][lane];
    const double scale = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 3; i++) cross[i] = q[(i + 1) % 3] * a[(i + 2) % 3] - q[(i + 2) % 3] * a[(i + 1) % 3];
    for (int i = 0; i < 3; i++)
        to[i] = a[i] + scale * (q[3] * cross[i] + q[(i + 1) % 3] * cross[(i + 2) % 3] -
                                q[(i + 2) % 3] * cross[(i + 1) % 3]);
}

/* Direction of a rod's clamp. */
static void find_root_direction(const mote_strands *strands, uint32_t lane, double to[3]) {
    double a[3];
    for (int i = 0; i < 3; i++) a[i] = (double)strands->root_direction[i][lane];
    turn_by_root(strands, lane, a, to);
}

/* Finds the position of the root's transform at the boundary `tick`, before that of targets set there. */
static void find_root_position(const mote_strands *strands, uint32_t lane, uint64_t tick, double to[3]) {
    const mote_travel travel = mote_strands_root_travel(strands, lane);
    const bool begins = (int64_t)(tick - travel.from_tick) <= 0;
    const float f = begins ? 0 : mote_travel_fraction(travel.from_tick, travel.to_tick, tick, 0);
    for (int axis = 0; axis < 3; axis++) {
        const double from = (double)strands->root_from[axis][lane],
                     end = (double)strands->root_to[axis][lane];
        to[axis] = f < 1 ? from + (double)f * (end - from) : end;
    }
}

/* Adds the energies of the springs to the rest shape, k |x - p|^2 / 2 of each point that can move. */
static void add_pose(const mote_strands *strands, uint32_t lane, uint64_t tick, mote_sums *to) {
    double root[3], rest[3], pose[3], x[3];
    uint32_t slot = mote_strands_slot_of(strands, lane, 0);
    find_root_position(strands, lane, tick, root);
    for (int32_t k = 0; k < strands->points[lane]; k++, slot += MOTE_GROUP) {
        double square = 0;
        if (!(strands->range.inverse_mass[slot] > 0)) continue;
        for (int axis = 0; axis < 3; axis++) rest[axis] = (double)strands->rest_x[axis][slot];
        turn_by_root(strands, lane, rest, pose);
        mote_strands_place(strands, lane, slot, x);
        for (int axis = 0; axis < 3; axis++) {
            const double d = x[axis] - (root[axis] + pose[axis]);
            square += d * d;
        }
        to->of[MOTE_SUM_ELASTIC] += 0.5 * (double)strands->def.pose_stiffness * square;
    }
}

/* Returns the energy of the joint at a slot, before the segment d; `tangent` is the direction before it, and
 * becomes the one behind. */
static double joint_energy(const mote_strands *strands, uint32_t slot, const double d[3], double tangent[3]) {
    double square = 0;
    for (int i = 0; i < 3; i++) {
        const double t = d[i] * (double)strands->inverse_length[slot];
        square += (t - tangent[i]) * (t - tangent[i]);
        tangent[i] = t;
    }
    return 0.5 * (double)strands->joint_stiffness[slot] * square;
}

/* Finds the frame of a rod's clamp: the root's rotation, then the first frame at rest. */
static void find_root_frame(const mote_strands *strands, uint32_t lane, uint32_t slot, double to[4]) {
    double root[4], rest[4], square = 0;
    for (int i = 0; i < 4; i++) {
        root[i] = (double)strands->root_last[i][lane], rest[i] = (double)strands->rest_frame[i][slot];
        square += root[i] * root[i];
    }
    for (int i = 0; i < 4; i++) root[i] /= __builtin_sqrt(square);
    mote_quaternion_compose(root, rest, to);
}

/* Returns the energy of the joint at a slot between the frame `before` and that of the segment behind it,
 * which replaces it (rod_frames.h). */
static double framed_joint_energy(const mote_strands *strands, uint32_t slot, double before[4]) {
    double q[4], c[4], y[3];
    const double inverse[4] = {-before[0], -before[1], -before[2], before[3]};
    for (int i = 0; i < 4; i++) q[i] = (double)strands->frame[i][slot];
    mote_quaternion_compose(inverse, q, c);
    for (int i = 0; i < 3; i++) y[i] = (c[3] < 0 ? -2 : 2) * c[i] - (double)strands->rest_turn[i][slot];
    memcpy(before, q, sizeof q);
    const double bend = (double)strands->joint_stiffness[slot],
                 more = (double)strands->joint_across[slot] - bend;
    return 0.5 * bend * (y[0] * y[0] + y[1] * y[1]) + 0.5 * more * y[1] * y[1] +
           0.5 * (double)strands->joint_twist[slot] * y[2] * y[2];
}

/* Adds the energies of the joints of a rod with frames. */
static void add_framed_joints(const mote_strands *strands, uint32_t lane, mote_sums *to) {
    uint32_t slot = mote_strands_slot_of(strands, lane, 0);
    double frame[4];
    find_root_frame(strands, lane, slot, frame);
    for (int32_t k = 0; k + 1 < strands->points[lane]; k++, slot += MOTE_GROUP)
        to->of[MOTE_SUM_ELASTIC] += framed_joint_energy(strands, slot, frame);
}

static void add_strand(const mote_strands *strands, uint32_t lane, uint64_t tick, mote_sums *to) {
    const int32_t points = strands->points[lane];
    const double compliance = (double)strands->compliance[lane];
    uint32_t slot = mote_strands_slot_of(strands, lane, 0);
    const bool straight = strands->joint_stiffness && !strands->has_frames;
    double tangent[3] = {0, 0, 0}, x[3], d[3];
    if (strands->has_frames) add_framed_joints(strands, lane, to);
    if (straight) find_root_direction(strands, lane, tangent);
    if (strands->def.pose_stiffness > 0) add_pose(strands, lane, tick, to);
    mote_strands_place(strands, lane, slot, x);
    for (int32_t k = 0; k + 1 < points; k++, slot += MOTE_GROUP) {
        const double rest = (double)strands->rest_length[slot],
                     length = next_segment(strands, lane, slot, x, d);
        if (straight) to->of[MOTE_SUM_ELASTIC] += joint_energy(strands, slot, d, tangent);
        if (compliance > 0) to->of[MOTE_SUM_ELASTIC] += mote_elastic_energy(1 / compliance, length, rest);
        mote_sums_add_strain(to, length, rest);
    }
}

static mote_sums sum_segments(const void *context, size_t first, size_t end) {
    const sum_context *s = context;
    mote_sums lane[MOTE_GROUP] = {{{0}, 0}};
    for (size_t strand = first; strand < end; strand++)
        add_strand(s->strands, s->strands->lane_of_strand[strand], s->tick, &lane[strand % MOTE_GROUP]);
    return mote_sums_of_lanes(lane);
}

mote_sums mote_strands_sum(const mote_range *range, const mote_step *now) {
    const mote_strands *strands = mote_const_strands_of(range);
    const sum_context s = {strands, now->plan, now->tick};
    mote_sums sums = mote_sum_range(now->jobs, range->slot_count, sum_points, &s);
    const mote_sums segments = mote_sum_range(now->jobs, strands->strand_count, sum_segments, &s);
    mote_sums_add(&sums, &segments);
    return sums;
}

/* Finds the strand with the largest strain; the lowest number of equals. */
static void find_most_strained(const mote_strands *strands, mote_statistics *statistics) {
    for (uint32_t strand = 0; strand < strands->strand_count; strand++) {
        const uint32_t lane = strands->lane_of_strand[strand];
        uint32_t slot = mote_strands_slot_of(strands, lane, 0);
        double x[3], d[3];
        mote_strands_place(strands, lane, slot, x);
        for (int32_t k = 0; k + 1 < strands->points[lane]; k++, slot += MOTE_GROUP) {
            const double length = next_segment(strands, lane, slot, x, d),
                         strain = mote_strain(length, (double)strands->rest_length[slot]);
            if (statistics->max_strain_item != MOTE_NO_ITEM && !(strain > statistics->max_strain)) continue;
            statistics->max_strain = strain;
            statistics->max_strain_item = strand;
        }
    }
}

mote_statistics mote_strands_statistics_of(const mote_strands *strands, const mote_step *now) {
    const mote_sums sums = mote_strands_sum(&strands->range, now);
    mote_statistics statistics = mote_sums_statistics(&sums);
    find_most_strained(strands, &statistics);
    return statistics;
}

/* --- The report of the last step --- */

mote_strands_step_report mote_strands_report_all(const mote_strands *strands) {
    mote_strands_step_report to = {.frozen = 0};
    double strain = 0;
    for (uint32_t strand = 0; strand < strands->strand_count; strand++) {
        const uint32_t lane = strands->lane_of_strand[strand];
        if (strands->strain[lane] > to.max_strain) to.max_strain = strands->strain[lane];
        strain += (double)strands->strain_sum[lane];
        to.iterations += strands->iterations[lane];
        to.unsolved += strands->unsolved[lane] != 0;
        to.fallbacks += strands->fallbacks[lane] != 0;
        to.buried += strands->buried[lane];
        to.infeasible += strands->infeasible[lane] != 0;
        to.stiff_curls += strands->stiff_curls[lane] != 0;
        to.frozen += strands->frozen[lane] != 0;
    }
    to.mean_strain = (float)(strain / (double)(strands->point_count - strands->strand_count));
    return to;
}
