/* The scenes of networks: sizes and motion; and the contender that steps them. */
#include "network_scenes.h"

#include <string.h>

#include "engine.h"

/* --- Sizes --- */

#define MOST_NODES (UINT32_C(1) << 20) /* a spring and its entries take some 100 bytes */

/* Ranks of three people march over the bridge at 1.4 m/s, 4 m behind each other: in each frame the impulse of
 * their weight goes to the nodes of the two sections between which they are. */
#define RANK_SECTIONS 8u
#define RANK_WEIGHT   (3 * 70 * NETWORK_GRAVITY) /* N */
#define STRIDE        448u                       /* 10^-4 sections a frame */

static void add_impulse(const mote_network_view *view, uint32_t section, float impulse) {
    for (uint32_t j = 0; j < BRIDGE_WIDTH; j++) {
        uint32_t slot = view->slot[section * BRIDGE_NODES + j];
        view->velocity.y[slot] -= impulse * view->inverse_mass[slot];
    }
}

static void march(network_run *run) {
    mote_network_view view = mote_network_columns(run->system, run->network);
    uint32_t panels = run->particles / BRIDGE_NODES - 1;
    const float impulse = RANK_WEIGHT * (float)TIMESTEP / BRIDGE_WIDTH;
    for (uint32_t first = 0; first < panels; first += RANK_SECTIONS) {
        uint64_t way = (UINT64_C(10000) * first + STRIDE * run->frame) % (UINT64_C(10000) * panels);
        uint32_t section = (uint32_t)(way / 10000);
        float part = (float)(way % 10000) / 10000;
        add_impulse(&view, section, impulse * (1 - part));
        add_impulse(&view, section + 1, impulse * part);
    }
}

const network_scene net_scene = {.least = 16, .most = MOST_NODES, .create = scene_net_create};
const network_scene bridge_scene = {.least = 4 * BRIDGE_NODES,
                                    .most = 1025 * BRIDGE_NODES,
                                    .unit = BRIDGE_NODES,
                                    .create = bridge_create,
                                    .move = march};
const network_scene webs_scene = {
    .least = WEB_NODES, .most = 4096 * WEB_NODES, .unit = WEB_NODES, .create = webs_create};

uint32_t networks_whole(const bench_scene *scene, uint32_t asked) {
    const network_scene *network = scene->network;
    uint32_t particles = asked ? asked : scene->particles;
    if (particles < network->least) particles = network->least;
    if (particles > network->most) particles = network->most;
    if (network->unit) return particles / network->unit * network->unit;
    uint32_t side = net_side(particles);
    return side * side;
}

/* --- The contender --- */

static void *networks_open(const bench_config *config) {
    mote_system_def system = engine_def(config);
    mote_network_def network = mote_default_network_def();
    network_shape shape = config->scene->network->create(config->particles);
    network_run *run = network_run_create(&system, false, &network, &shape);
    run->move = config->scene->network->move;
    shape_destroy(&shape);
    return run;
}

void networks_run(void *user, uint32_t frames) {
    for (uint32_t frame = 0; frame < frames; frame++) network_run_frame(user);
}

static uint64_t networks_hash(void *user) { return mote_system_hash(((network_run *)user)->system); }

static void networks_close(void *user) { network_run_destroy(user); }

const bench_contender networks_contender = {"networks",   networks_open, NULL,
                                            networks_run, networks_hash, networks_close};

void networks_observe(void *user, bench_observation *observation) {
    const network_run *run = user;
    mote_statistics s = network_measured(run);
    mote_network_stability_report stability;
    engine_check(mote_network_stability(run->system, run->network, &stability), "mote_network_stability");
    *observation = (bench_observation){.springs = run->springs,
                                       .max_strain = s.max_strain,
                                       .mean_strain = s.mean_strain,
                                       .kinetic = s.kinetic,
                                       .energy_lost = run->energy_at_start - network_energy(run),
                                       .stable_any = stability.any.step / stability.substep,
                                       .stable_sharp = stability.sharp.step / stability.substep,
                                       .frozen = (double)run->tally.frozen};
}

static spread constant(double value) { return (spread){value, value, value}; }

uint32_t networks_figures(const measurement *result, scene_figure *figures) {
    const bench_observation *seen = &result->observation;
    spread time = spread_of(result->engine.seconds, result->config.repeat);
    double steps = seen->springs * result->config.substeps;
    const scene_figure all[] = {
        {"spring_substeps_per_second",
         "1/s",
         "M spring-substeps/s",
         1e6,
         {steps / time.median, steps / time.max, steps / time.min}},
        {"max_strain", "1", "% largest strain", 0.01, constant(seen->max_strain)},
        {"mean_strain", "1", "% mean strain", 0.01, constant(seen->mean_strain)},
        {"kinetic_energy", "J", "J kinetic", 1, constant(seen->kinetic)},
        {"energy_lost", "J", "J lost", 1, constant(seen->energy_lost)},
        {"stable_step_any", "1", "stable steps in h, any directions", 1, constant(seen->stable_any)},
        {"stable_step_sharp", "1", "sharp", 1, constant(seen->stable_sharp)},
        {"frozen", "1", "frozen", 1, constant(seen->frozen)}};
    memcpy(figures, all, sizeof all);
    return sizeof all / sizeof all[0];
}
