/* The plain reference of rods that are solved in the turns of their segments: one rod at a time,
 * 3 x 3 matrices as arrays, rows kept in arrays, in the order of operations of rod_turns.h. */
#include <math.h>
#include <string.h>

#include "reference_strand_parts.h"

enum { TURNS = 4 };

typedef float matrix[3][3];

/* A rod in the iterations: displacements since the start, forces that hold pinned points, rows. */
typedef struct turning {
    float h, square, rate, clamp[4];
    reference_row way[REFERENCE_POINTS], moved[REFERENCE_POINTS], pull[REFERENCE_POINTS],
        own[REFERENCE_POINTS];
    matrix g[REFERENCE_POINTS], e[REFERENCE_POINTS];
} turning;

/* The quadratic cost of all beyond a joint, and the joint beyond. */
typedef struct beyond {
    matrix p, q, r;
    float force[3], moment[3], bent[3], about;
} beyond;

static void times(matrix a, const float b[3], float out[3]) {
    for (int i = 0; i < 3; i++) out[i] = row_dot(a[i], b);
}

/* a b^T */
static void by_rows(matrix a, matrix b, matrix out) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[i][j] = row_dot(b[j], a[i]);
}

static void transpose(matrix a, matrix out) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[i][j] = a[j][i];
}

static void mirror(matrix a) { a[1][0] = a[0][1], a[2][0] = a[0][2], a[2][1] = a[1][2]; }

/* a += s b b^T + c 1 */
static void add_square(matrix a, float s, const float b[3], float c) {
    const float t[3] = {s * b[0], s * b[1], s * b[2]};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = a[i][j] + (i == j ? t[i] * b[i] + c : t[i < j ? i : j] * b[i < j ? j : i]);
}

/* Factors L D L^T of a symmetric matrix: below the diagonal L, on it 1 / D. */
static void factor(matrix a, matrix f) {
    f[0][0] = 1 / a[0][0];
    f[1][0] = a[0][1] * f[0][0], f[2][0] = a[0][2] * f[0][0];
    f[1][1] = 1 / (a[1][1] - f[1][0] * a[0][1]);
    const float below = a[1][2] - f[1][0] * a[0][2];
    f[2][1] = below * f[1][1];
    f[2][2] = 1 / (a[2][2] - f[2][0] * a[0][2] - f[2][1] * below);
}

static void solve(matrix f, const float b[3], float x[3]) {
    const float y = b[1] - f[1][0] * b[0], z = (b[2] - f[2][0] * b[0] - f[2][1] * y) * f[2][2];
    const float second = y * f[1][1] - f[2][1] * z, first = b[0] * f[0][0] - f[1][0] * second - f[2][0] * z;
    x[0] = first, x[1] = second, x[2] = z;
}

static void direction(const float q[4], float t[3]) {
    const float x = q[0] + q[0], y = q[1] + q[1];
    t[0] = x * q[2] + y * q[3], t[1] = y * q[2] - x * q[3], t[2] = 1 - x * q[0] - y * q[1];
}

static bool is_pinned(const reference_strand *s, uint32_t k) { return s->mass[k] == 0; }

/* The matrix and the moment of joint k, and the bound of the terms that the moment has in the turn of the
 * segment before. */
static float bend(const reference_strand *s, const turning *u, uint32_t k, matrix b, float moment[3]) {
    float c[4], axis[3][3], y[3], n[3][3];
    const float *before = k ? s->rod_frame[k - 1] : u->clamp;
    reference_turn_between(before, s->rod_frame[k], c);
    reference_axes(before, axis);
    const float bend_of = u->square * s->joint[k],
                stiffness[3] = {bend_of, s->framed ? u->square * s->joint_across[k] : bend_of,
                                s->framed ? u->square * s->joint_twist[k] : bend_of};
    const float part[3][3] = {{c[3], c[2], 0 - c[1]}, {0 - c[2], c[3], c[0]}, {c[1], 0 - c[0], c[3]}};
    for (int i = 0; i < 3; i++) {
        y[i] = stiffness[i] * ((c[i] + c[i]) - s->rest_turn[k][i]);
        for (int j = 0; j < 3; j++)
            n[i][j] = (part[i][0] * axis[0][j] + part[i][1] * axis[1][j]) + part[i][2] * axis[2][j];
    }
    for (int j = 0; j < 3; j++) moment[j] = (y[0] * n[0][j] + y[1] * n[1][j]) + y[2] * n[2][j];
    const float opened = 0.5f * row_dot(y, c), size = row_length(moment),
                angle = 0x1p-20f + row_length(s->rest_turn[k]) + 2 * row_length(c);
    memset(b, 0, sizeof(matrix));
    add_square(b, stiffness[0], n[0], 0.5f * size / angle - smaller(opened, 0));
    add_square(b, stiffness[1], n[1], 0);
    add_square(b, stiffness[2], n[2], 0);
    return 0.5f * size * angle;
}

/* The mass of point k + 1; pinned ones are heavy. */
static float heavy(const reference_strand *s, const turning *u, uint32_t k) {
    const float m = s->point_mass[k + 1], inverse = s->inverse_length[k],
                most = !s->framed ? u->square * s->joint[k]
                                  : larger(u->square * s->joint_across[k], u->square * s->joint_twist[k]);
    return is_pinned(s, k + 1) ? 1e4f * m + 256 * most * inverse * inverse : m;
}

static void eliminate(const reference_strand *s, turning *u, beyond *v, bool first, uint32_t k) {
    matrix b, px, y, yt, xy, xyt, sum, f, et, gt, qe;
    float bent[3], t[3], d[3], turn[3], across[3], total[3], part[3];
    const float about = bend(s, u, k, b, bent), l = s->rest_length[k], m = heavy(s, u, k);
    direction(s->rod_frame[k], t);
    for (int i = 0; i < 3; i++) {
        d[i] = l * t[i], turn[i] = bent[i] - v->bent[i];
        const float back = (0 - m) * (u->way[k + 1][i] - (first ? 0 : u->moved[k + 1][i]));
        v->p[i][i] += m, v->force[i] += back;
        u->pull[k + 1][i] = first ? 0 : u->pull[k + 1][i] + back;
        v->force[i] += is_pinned(s, k + 1) ? u->pull[k + 1][i] : 0;
    }
    for (int i = 0; i < 3; i++) {
        row_cross(d, v->p[i], px[i]);
        for (int j = 0; j < 3; j++) y[i][j] = v->q[i][j] + 0.5f * px[i][j], v->q[i][j] += px[i][j];
    }
    transpose(y, yt);
    for (int i = 0; i < 3; i++) row_cross(d, yt[i], xy[i]);
    transpose(xy, xyt);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum[i][j] = v->r[i][j] + (xy[i][j] + xyt[i][j]);
    mirror(sum);
    row_cross(d, v->force, across);
    for (int i = 0; i < 3; i++) total[i] = v->moment[i] + across[i];
    const float bound = 0.5f * row_length(turn) + v->about;
    for (int i = 0; i < 3; i++) sum[i][i] += bound;
    memcpy(v->bent, bent, sizeof bent);
    v->about = about;
    const float tension = u->square * s->pull[k], tight = larger(tension * l * l, 0);
    const float most = (sum[0][0] + sum[1][1] + sum[2][2]) + (b[0][0] + b[1][1] + b[2][2]);
    const bool held = k && is_pinned(s, k) && is_pinned(s, k + 1);
    add_square(sum, (held ? 0x1p10f : 0x1p-12f) * most - tight, t, tight + 0x1p-100f);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) f[i][j] = b[i][j] + sum[i][j];
    memcpy(y, f, sizeof y);
    factor(y, f);
    for (int i = 0; i < 3; i++) {
        solve(f, b[i], gt[i]);
        solve(f, v->q[i], et[i]);
        part[i] = bent[i] + total[i];
    }
    solve(f, part, u->own[k]);
    transpose(et, u->e[k]);
    transpose(gt, u->g[k]);
    by_rows(v->q, et, qe);
    times(v->q, u->own[k], part);
    for (int i = 0; i < 3; i++) {
        v->force[i] -= part[i];
        for (int j = 0; j < 3; j++) v->p[i][j] -= qe[i][j];
    }
    mirror(v->p);
    by_rows(et, b, v->q);
    by_rows(gt, sum, v->r);
    mirror(v->r);
    times(sum, u->own[k], part);
    for (int i = 0; i < 3; i++) v->moment[i] = total[i] - part[i];
}

/* One iteration; returns whether a segment turned far. */
static bool iterate(reference_strand *s, turning *u, bool first) {
    beyond v = {.about = 0};
    float dx[3], a[3] = {0}, way[3], furthest = 0;
    for (uint32_t k = s->points - 1; k-- > 0;) eliminate(s, u, &v, first, k);
    for (int i = 0; i < 3; i++) {
        way[i] = u->way[0][i] - (first ? 0 : u->moved[0][i]);
        v.p[i][i] += s->point_mass[0] + 0x1p-100f;
        a[i] = s->point_mass[0] * way[i] - v.force[i];
    }
    if (!is_pinned(s, 0)) {
        matrix f;
        factor(v.p, f);
        solve(f, a, way);
    }
    memcpy(dx, way, sizeof dx);
    memset(a, 0, sizeof a);
    for (uint32_t k = 0; k < s->points; k++) {
        for (int i = 0; i < 3; i++) u->moved[k][i] = (first ? 0 : u->moved[k][i]) + way[i];
        if (k + 1 == s->points) break;
        float *q = s->rod_frame[k], along[3], ga[3], ed[3], turn[3], half[3], twice[3], across[3], z[4];
        direction(q, along);
        times(u->g[k], a, ga);
        times(u->e[k], dx, ed);
        for (int i = 0; i < 3; i++)
            along[i] = s->rest_length[k] * along[i], a[i] = (ga[i] - ed[i]) - u->own[k][i],
            half[i] = 0.5f * a[i];
        row_cross(a, along, turn);
        row_cross(half, turn, twice);
        row_cross(half, q, across);
        const float square = row_dot(half, half), share = 1 / (1 + square);
        for (int i = 0; i < 3; i++) {
            dx[i] += turn[i], way[i] += share * (turn[i] + twice[i]);
            z[i] = (1 * q[i] + q[3] * half[i]) + across[i];
        }
        z[3] = 1 * q[3] - row_dot(half, q);
        const float scale = 1 / __builtin_sqrtf(row_dot(z, z) + z[3] * z[3]);
        for (int i = 0; i < 4; i++) q[i] = scale * z[i];
        furthest = larger(furthest, square);
    }
    return 0.25f * 0.005f * 0.005f < furthest;
}

static bool has_pins(const reference_strand *s) {
    bool pins = false;
    for (uint32_t k = 0; k < s->points; k++) pins |= is_pinned(s, k);
    return pins;
}

/* Adds to the rows what the center of mass lacks: the mean of wanted - (to - from). */
static void shift_center(const reference_strand *s, reference_row *to, reference_row *from,
                         reference_row *wanted) {
    float sum[3] = {0}, mass = 0x1p-100f;
    for (uint32_t k = 0; k < s->points; k++) {
        for (int i = 0; i < 3; i++) {
            const float way = from ? to[k][i] - from[k][i] : to[k][i];
            sum[i] += s->point_mass[k] * (wanted[k][i] - way);
        }
        mass += s->point_mass[k];
    }
    for (uint32_t k = 0; k < s->points; k++)
        for (int i = 0; i < 3; i++) to[k][i] += 1 / mass * sum[i];
}

/* Places the points along the frames; returns whether a pinned one is off its goal. */
static bool place(reference_strand *s, const turning *u, float slack) {
    bool off = false;
    float x[3], t[3];
    for (int i = 0; i < 3; i++) x[i] = is_pinned(s, 0) ? s->goal[0][i] : s->start[0][i] + u->moved[0][i];
    for (uint32_t k = 0; k < s->points; k++) {
        float apart[3];
        const float most = slack * s->rest_length[k ? k - 1 : 0];
        for (int i = 0; i < 3; i++) {
            s->x[k][i] = is_pinned(s, k) ? s->goal[k][i] : x[i];
            apart[i] = s->x[k][i] - x[i];
            if (!is_pinned(s, k)) s->v[k][i] = u->rate * u->moved[k][i];
        }
        off |= most * most < row_dot(apart, apart);
        if (k + 1 == s->points) break;
        direction(s->rod_frame[k], t);
        for (int i = 0; i < 3; i++) x[i] = x[i] + s->rest_length[k] * t[i];
    }
    return off;
}

static void find_tensions(reference_strand *s, const turning *u) {
    float sum[3] = {0}, t[3];
    for (uint32_t k = s->points - 1; k-- > 0;) {
        const float m = heavy(s, u, k);
        direction(s->rod_frame[k], t);
        for (int i = 0; i < 3; i++) {
            float force = m * (u->moved[k + 1][i] - u->way[k + 1][i]);
            if (is_pinned(s, k + 1)) {
                force = u->pull[k + 1][i] + force;
                s->reaction[k + 1][i] += u->rate * force;
            }
            sum[i] = sum[i] + force;
        }
        s->pull[k] = 0 - (u->rate * u->rate) * (row_dot(sum, t) * s->inverse_length[k]);
    }
    for (int i = 0; i < 3 && is_pinned(s, 0); i++) s->reaction[0][i] += u->rate * (0 - sum[i]);
}

/* Whether frames do not point along their segments. */
static bool is_off(const reference_strand *s, float slack) {
    bool off = false;
    for (uint32_t k = 0; k + 1 < s->points; k++) {
        float d[3], t[3];
        const float most = slack * s->rest_length[k];
        direction(s->rod_frame[k], t);
        for (int i = 0; i < 3; i++) d[i] = (s->x[k + 1][i] - s->x[k][i]) - s->rest_length[k] * t[i];
        off |= most * most < row_dot(d, d);
    }
    return off;
}

void reference_turn_rod(reference_strand *s, const reference_world *w, reference_row *way) {
    turning u;
    u.h = (float)reference_substep(w), u.square = u.h * u.h, u.rate = 1 / u.h;
    memcpy(u.way, way, sizeof u.way);
    if (!s->framed) {
        reference_lay_frames(s, u.clamp);
    } else {
        reference_clamp_frame(s, u.clamp);
        if (is_off(s, w->def->max_strain + 0x1p-10f)) reference_turn_frames(s);
    }
    bool far = true;
    for (uint32_t i = 0; i < TURNS && far; i++) {
        s->iterations++;
        far = iterate(s, &u, i == 0);
    }

    if (!has_pins(s)) shift_center(s, u.moved, NULL, u.way);
    const bool off = place(s, &u, w->def->max_strain);
    if (!has_pins(s)) shift_center(s, s->x, s->start, u.moved);
    find_tensions(s, &u);
    const reference_hold_of of = {
        .gains = true, .rods = true, .rate = reference_rate(w), .from = s->start, .from_v = s->start_v};
    if (off) (void)reference_hold(s, w, &of);
    bool pins = false;
    for (uint32_t k = 1; k < s->points; k++) pins |= s->mass[k] == 0;
    if (pins) reference_turn_frames(s); /* pinned points stand where frames did not quite point */
}
