/* mote-bench soak: hours of a little of everything, beside a serial twin. The first system runs on threads,
 * in random frames, is saved, led astray and rolled back; the second makes the same calls without any of
 * that. Their hashes are equal, and the memory of the process grows by no more than 2 % and 1 MB. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mote/mote.h>

#include "commands.h"
#include "engine.h"
#include "options.h"
#include "pool.h"
#include "random.h"
#include "timing.h"

enum {
    CAPACITY = 1200,
    STRANDS = 16,
    POINTS = 8,
    SIDE = 8, /* of the net */
    NET = SIDE * SIDE,
    LINKS = 4,
    WINDOW = 16,    /* steps between two calls of the host */
    CHECK = 100000, /* steps between two comparisons */
    WINDOWS = CHECK / WINDOW
};
static const uint64_t FRAME = 15625000; /* ns, of one step at 64 a second */

/* All that the host knows. */
typedef struct soaked {
    mote_system *system;
    mote_strands_id strands;
    mote_network_id net;
    mote_collider_id ball;
    mote_emitter_id jet;
    mote_force_id wind;
    mote_link_id link[LINKS];
    bool linked[LINKS];
} soaked;

#define CHECKED(call) engine_check(call, #call)

/* --- The scene --- */

static void add_strands(soaked *s) {
    static float places[STRANDS * POINTS][3];
    mote_strands_def def = mote_default_strands_def();
    for (uint32_t i = 0; i < STRANDS * POINTS; i++)
        places[i][0] = 0.2f * (float)(i / POINTS), places[i][1] = 3 - 0.1f * (float)(i % POINTS);
    def.strand_count = STRANDS, def.points = POINTS, def.positions = places[0], def.radius = 0.01f;
    def.bending_stiffness = 1e-4f, def.twisting_stiffness = 1e-4f;
    CHECKED(mote_system_add_strands(s->system, &def, &s->strands, NULL));
}

static void add_net(soaked *s) {
    static float places[NET][3];
    static mote_spring springs[2 * NET];
    uint32_t count = 0;
    for (uint32_t i = 0; i < NET; i++) {
        places[i][0] = 0.2f * (float)(i % SIDE), places[i][1] = 4, places[i][2] = 0.2f * (float)(i / SIDE);
        const mote_spring spring = {
            .a = i, .rest_length = MOTE_AS_PLACED, .stiffness = 200, .damping = 0.2f, .tear_strain = 1};
        if (i % SIDE + 1 < SIDE) springs[count] = spring, springs[count++].b = i + 1;
        if (i + SIDE < NET) springs[count] = spring, springs[count++].b = i + SIDE;
    }
    mote_network_def def = mote_default_network_def();
    def.solver = MOTE_NETWORK_CONSTRAINED, def.mass = 0.05f, def.radius = 0.02f;
    def.particle_count = NET, def.positions = places[0], def.springs = springs, def.spring_count = count;
    def.spring_capacity = count + 32;
    CHECKED(mote_system_add_network(s->system, &def, &s->net, NULL));
    for (uint32_t i = 0; i < NET; i += SIDE - 1)
        if (i < SIDE) CHECKED(mote_network_pin(s->system, s->net, i, places[i], 0));
}

static soaked open_scene(mote_jobs jobs) {
    soaked s = {0};
    mote_system_def def = mote_default_system_def();
    def.capacity = CAPACITY, def.steps_per_second = (mote_rate){64, 1}, def.max_steps_per_advance = 1000;
    def.lifetimes = def.mass_column = def.external_forces = true, def.collision_radius = 0.01f;
    def.orientation = def.principal_moments = true, def.inertia[2] = 2, def.spin_drag = 0.1f;
    def.max_deaths = def.max_births = def.max_hits = 256, def.jobs = jobs;
    CHECKED(mote_system_create(&def, &s.system));
    const mote_force_def gravity = mote_gravity((float[3]){0, -9.81f, 0});
    const mote_force_def wind = mote_wind((float[3]){1, 0, 0}, 0.1f);
    const mote_collider_def ball = mote_sphere((float[3]){0.5f, 1, 0.5f}, 0.5f);
    const mote_collider_def floor = mote_plane((float[3]){0, 0, 0}, (float[3]){0, 1, 0});
    mote_emitter_def jet = mote_default_emitter_def();
    jet.shape = MOTE_EMITTER_DISC, jet.radius = 0.5f, jet.spread = 0.4f, jet.rate = 300;
    jet.spin = (mote_spread){0, 20}, jet.orientation = MOTE_EMIT_TUMBLED;
    jet.speed = (mote_spread){2, 6}, jet.lifetime = (mote_spread){0.5f, 3};
    mote_collider_id other;
    CHECKED(mote_system_add_force(s.system, &gravity, &s.wind));
    CHECKED(mote_system_add_force(s.system, &wind, &s.wind));
    CHECKED(mote_system_add_collider(s.system, &floor, &other));
    CHECKED(mote_system_add_collider(s.system, &ball, &s.ball));
    CHECKED(mote_system_add_emitter(s.system, &jet, &s.jet));
    add_strands(&s), add_net(&s);
    return s;
}

/* --- The calls before a window --- */

static float number_of(uint64_t window, uint32_t draw) { return random_signed(random_bits(window, draw), 0); }

static uint32_t below(uint64_t window, uint32_t draw, uint32_t bound) {
    return (uint32_t)(random_bits(window, draw) >> 33) % bound;
}

static void churn(soaked *s, uint64_t window) {
    mote_range_view view;
    mote_vector_columns forces;
    const uint32_t count = mote_system_count(s->system);
    if (mote_system_spawn(s->system, below(window, 0, 40), &view) == MOTE_OK)
        for (uint32_t i = 0; i < view.count; i++) {
            view.position.x[i] = number_of(window, 1), view.position.y[i] = 2;
            view.velocity.z[i] = 0.1f * (float)i, view.lifetime[i] = 1;
        }
    for (uint32_t i = 0; i < 8 && count; i++) {
        const uint32_t slot = below(window, 2 + i, count);
        CHECKED(mote_system_kill_slots(s->system, 1, &slot));
    }
    if (window % 5 == 0 && count) mote_system_view(s->system).velocity.x[count / 2] = INFINITY;
    CHECKED(mote_system_external_forces(s->system, &forces));
    for (uint32_t i = 0; i < count; i += 7) forces.x[i] = number_of(window, 10);
}

static void move(soaked *s, uint64_t window) {
    const uint64_t tick = mote_system_tick(s->system) + 200000000;
    const mote_transform to = {{number_of(window, 11), 1, number_of(window, 12)},
                               {0, number_of(window, 13), 0, 1}};
    const mote_force_def wind = mote_wind((float[3]){3 * number_of(window, 14), 0, 0}, 0.1f);
    const uint32_t strand = below(window, 15, STRANDS), particle = below(window, 16, SIDE);
    CHECKED(mote_system_move_collider(s->system, s->ball, &to, tick));
    CHECKED(mote_system_move_emitter(s->system, s->jet, &to, tick));
    CHECKED(mote_system_burst(s->system, s->jet, below(window, 17, 30)));
    CHECKED(mote_system_set_force(s->system, s->wind, &wind));
    CHECKED(mote_strands_set_root(s->system, s->strands, strand, &to, tick));
    if (window % 16 == 0) CHECKED(mote_strands_reset(s->system, s->strands, MOTE_ALL_STRANDS));
    if (mote_network_unpin(s->system, s->net, particle) != MOTE_OK)
        CHECKED(
            mote_network_pin(s->system, s->net, particle, (float[3]){0.2f * (float)particle, 4, 0}, tick));
}

/* Springs come and go; those that tore come back. */
static void edit(soaked *s, uint64_t window) {
    uint32_t number = below(window, 20, 2 * NET);
    mote_spring spring;
    const uint32_t a = below(window, 21, NET - SIDE), i = below(window, 22, LINKS);
    if (mote_network_spring(s->system, s->net, number, &spring) == MOTE_OK) {
        CHECKED(mote_network_reel(s->system, s->net, number, 0.15f + 0.05f * number_of(window, 23), 0, NULL));
        if (window % 3 == 0) CHECKED(mote_network_remove_springs(s->system, s->net, 1, &number, NULL));
    }
    spring = (mote_spring){.a = a, .b = a + SIDE, .rest_length = 0.2f, .stiffness = 200, .tear_strain = 1};
    (void)mote_network_add_springs(s->system, s->net, 1, &spring, &number, NULL); /* until it is full */
    if (s->linked[i])
        CHECKED(mote_system_remove_link(s->system, s->link[i]));
    else {
        mote_link link = mote_default_link();
        link.a =
            (mote_link_end){.strands = s->strands, .strand = below(window, 24, STRANDS), .point = POINTS - 1};
        link.b = (mote_link_end){.network = s->net, .particle = NET - 1 - i};
        link.stiffness = 2, link.damping = 0.05f, link.rest_length = 1;
        CHECKED(mote_system_add_link(s->system, &link, &s->link[i]));
    }
    s->linked[i] = !s->linked[i];
}

static void host_calls(soaked *s, uint64_t window) {
    churn(s, window), move(s, window);
    if (window % 4 == 0) edit(s, window);
    if (window % 64 == 0) CHECKED(mote_network_teleport(s->system, s->net)); /* frozen islands go on */
}

/* --- Windows --- */

/* In frames of zero to a few steps. */
static uint32_t run_in_frames(soaked *s, uint64_t window) {
    uint64_t left = WINDOW * FRAME;
    uint32_t frames = 0;
    for (; left > 0; frames++) {
        uint64_t frame = random_bits(window, frames % DRAWS_PER_SERIAL) % (3 * FRAME);
        if (frame > left || frames > 40) frame = left;
        CHECKED(mote_system_advance(s->system, frame, NULL));
        left -= frame;
    }
    return frames;
}

typedef struct snapshot {
    unsigned char *memory;
    size_t capacity;
} snapshot;

/* Saves, runs another future, and comes back. */
static void lead_astray(soaked *s, snapshot *to, uint64_t window) {
    const soaked before = *s;
    size_t bytes;
    CHECKED(mote_system_snapshot_bytes(s->system, &bytes));
    if (bytes > to->capacity) {
        free(to->memory);
        to->capacity = bytes + bytes / 2, to->memory = allocate_or_fail(to->capacity);
    }
    CHECKED(mote_system_save(s->system, window & 1, to->memory, bytes, NULL));
    host_calls(s, window + 1000003);
    run_in_frames(s, window + 7);
    CHECKED(mote_system_restore(s->system, to->memory, bytes, NULL));
    *s = before;
}

/* --- The report --- */

/* 0: this system does not tell. */
static double resident_megabytes(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%*u %lu", &pages) != 1) pages = 0;
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

typedef struct soak_totals {
    uint64_t steps, frames, rollbacks;
    double first; /* MB, at the first comparison */
} soak_totals;

/* Both hashes and the memory; false where one is wrong. */
static bool compare(const soaked s[2], soak_totals *t, double begin) {
    const uint64_t hash = mote_system_hash(s[0].system);
    const double now = resident_megabytes();
    if (!t->first) t->first = now;
    const double most = 1.02 * t->first + 1;
    const bool equal = hash == mote_system_hash(s[1].system), flat = now <= most;
    printf(
        "%9.0f s %12llu steps %12llu frames %9llu rollbacks %8u particles  %016llx %s  %.1f MB of %.1f: %s\n",
        now_seconds() - begin, (unsigned long long)t->steps, (unsigned long long)t->frames,
        (unsigned long long)t->rollbacks, (unsigned)mote_system_count(s[0].system), (unsigned long long)hash,
        equal ? "equal" : "DIFFERS", now, most,
        now == 0 ? "unknown"
        : flat   ? "flat"
                 : "GROWS");
    fflush(stdout);
    return equal && flat;
}

static bool soak(double seconds, uint32_t threads) {
    mote_jobs jobs = threads > 1 ? pool_jobs(threads) : (mote_jobs){0};
    jobs.least_work = 1;
    soaked s[2] = {open_scene(jobs), open_scene((mote_jobs){0})};
    soak_totals totals = {0};
    snapshot saved = {0};
    const double begin = now_seconds();
    bool good = true;
    for (uint64_t window = 1; good && (now_seconds() < begin + seconds || window <= WINDOWS); window++) {
        if (random_bits(window, 60) % 8 == 0) lead_astray(&s[0], &saved, window), totals.rollbacks++;
        for (int i = 0; i < 2; i++) host_calls(&s[i], window);
        totals.frames += run_in_frames(&s[0], window);
        CHECKED(mote_system_advance(s[1].system, WINDOW * FRAME, NULL));
        totals.steps += WINDOW;
        if (window % WINDOWS == 0) good = compare(s, &totals, begin);
    }
    if (good) good = compare(s, &totals, begin);
    for (int i = 0; i < 2; i++) mote_system_destroy(s[i].system);
    free(saved.memory);
    return good;
}

static void print_help(void) {
    puts("usage: mote-bench soak [--threads T] HOURS\n\n"
         "Runs particles, strands, a net, links and emitters for HOURS (0.1 is legal) on T threads\n"
         "(default 2), in random frames, with edits, snapshots and rollbacks, beside a serial twin without\n"
         "them. Every 100,000 steps the hashes of both must be equal and the resident memory at most 2 %\n"
         "and 1 MB more than the first time: a line has both numbers, and says flat, GROWS, or unknown\n"
         "where there is no /proc/self/statm.");
}

int command_soak(int argc, char **argv) {
    static const struct option options[] = {
        {"threads", required_argument, NULL, 't'}, {"help", no_argument, NULL, 'h'}, {0}};
    uint32_t threads = 2;
    while (next_option(argc, argv, options, print_help) != -1)
        threads = option_count("--threads", optarg, 1, 64);
    if (optind >= argc) fail_usage("soak: say how many hours");
    char *end;
    const double hours = strtod(argv[optind], &end);
    if (*end || !(hours > 0 && hours < 1e6)) fail_usage("soak: '%s' is no number of hours", argv[optind]);
    require_no_operands(argc, argv, optind + 1);
    return soak(3600 * hours, threads) ? EXIT_SUCCESS : EXIT_FAILURE;
}
