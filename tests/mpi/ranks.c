/* Systems of which the ranks of MPI step a part each, beside one that rank 0 steps alone.
 *
 *     ranks twins STEPS [SCENE]   every scene; hashes, counts and energies are those of the lone twin
 *     ranks refusals              calls, defs and transports that differ or are wrong
 *     ranks save FILE             the scene `world` after 30 steps, in a file
 *     ranks resume FILE           restores it, runs 100 steps and prints the hash
 *     ranks die FILE              saves after 30 steps; then rank 1 is killed */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mote/mpi.h>

#include "scenes.h"

static mote_cluster *cluster;
static uint32_t rank, ranks;
static uint32_t heard; /* errors of which the cluster heard */

#define CHECK(call) ranks_check(call, #call)

#define REQUIRE(what)                                                                                        \
    do {                                                                                                     \
        if (what) break;                                                                                     \
        fprintf(stderr, "rank %u, %s:%d: not so: %s\n", rank, __FILE__, __LINE__, #what);                    \
        exit(1);                                                                                             \
    } while (0)

static void hear(void *user, mote_result result, uint32_t other) {
    (void)user;
    heard++;
    if (rank == 0) fprintf(stderr, "rank %u: %s\n", other, mote_result_text(result));
}

static ranks_world joined_world(const ranks_scene *scene) {
    const ranks_world w = make_ranks_world(scene);
    CHECK(mote_system_join(w.system, mote_cluster_transport(cluster)));
    return w;
}

static const ranks_scene *scene_named(const char *name) {
    for (uint32_t i = 0; i < ranks_scene_count; i++)
        if (strcmp(ranks_scenes[i].name, name) == 0) return &ranks_scenes[i];
    exit(2);
}

/* --- Twins --- */

/* What a host sees of a world. Bytes between its members are 0. */
typedef struct seen {
    uint64_t hash, count;
    uint64_t advanced; /* hash of the counts that all advances reported */
    mote_statistics statistics;
    double strain[2];
    uint64_t strand_iterations, iterations, linear;
    double residual;
} seen;

static void step(ranks_world *w, uint32_t number, seen *of) {
    mote_advance report = {0};
    ranks_world_calls(w, number);
    CHECK(mote_system_step(w->system, 1 + number % 3, &report));
    const uint64_t counts[] = {report.killed, report.expired, report.collided,
                               report.born,   report.unborn,  report.non_finite};
    for (size_t i = 0; of && i < sizeof counts / sizeof *counts; i++)
        of->advanced = (of->advanced + counts[i] + 1) * 0x9e3779b97f4a7c15u;
}

static void see(const ranks_world *w, seen *of) {
    of->count = mote_system_count(w->system), of->hash = mote_system_hash(w->system);
    CHECK(mote_system_statistics(w->system, &of->statistics));
    if (w->scene->parts & STRANDS) {
        mote_strands_step_report report = {.frozen = 0};
        CHECK(mote_strands_report(w->system, w->strands, &report));
        of->strain[0] = report.max_strain, of->strain[1] = report.mean_strain;
        of->strand_iterations = report.iterations;
    }
    if (!(w->scene->parts & CONSTRAINED)) return;
    mote_network_step_report report;
    CHECK(mote_network_report(w->system, w->constrained, &report));
    of->iterations = report.iterations, of->linear = report.linear, of->residual = report.residual;
}

/* Compares what the ranks see of a world with what rank 0 sees of its lone twin. */
static void compare(const ranks_world *ours, seen *here, const ranks_world *alone, seen *there) {
    see(ours, here);
    if (alone) see(alone, there);
    MPI_Bcast(there, sizeof *there, MPI_BYTE, 0, MPI_COMM_WORLD);
    REQUIRE(here->count == there->count && here->hash == there->hash);
    REQUIRE(here->advanced == there->advanced);
    REQUIRE(memcmp(here, there, sizeof *here) == 0);
}

/* Whether steps of a scene need no state of other ranks. */
static bool is_quiet(const ranks_scene *scene) {
    const bool dies = scene->parts & (DEATHS | COLLIDERS | WILD) && scene->parts & (PARTICLES | DEATHS);
    return !dies && !(scene->parts & (SHEET | EDITS));
}

/* Compares after every step, or after every eleventh: there the ranks are apart for longer. */
static void twins(const ranks_scene *scene, uint32_t steps, uint32_t interval) {
    ranks_world ours = joined_world(scene), twin = {.system = NULL}, *alone = rank == 0 ? &twin : NULL;
    seen here, there;
    mote_cluster_report report;
    memset(&here, 0, sizeof here), memset(&there, 0, sizeof there);
    if (alone) twin = make_ranks_world(scene);
    for (uint32_t i = 0; i < steps; i++) {
        step(&ours, i, &here);
        if (alone) step(alone, i, &there);
        if (i % interval == interval - 1 || i + 1 == steps) compare(&ours, &here, alone, &there);
    }
    CHECK(mote_system_cluster_report(ours.system, &report));
    if (rank == 0)
        printf("%-24s state %llu, checks %llu, messages %llu in %llu steps\n", scene->name,
               (unsigned long long)report.state_bytes, (unsigned long long)report.check_bytes,
               (unsigned long long)report.messages, (unsigned long long)report.steps);
    REQUIRE(!is_quiet(scene) || report.state_bytes == 0);
    mote_system_destroy(twin.system);
    mote_system_destroy(ours.system);
}

static void all_twins(uint32_t steps, const char *name) {
    for (uint32_t i = 0; i < ranks_scene_count; i++) {
        if (name && strcmp(name, ranks_scenes[i].name) != 0) continue;
        twins(&ranks_scenes[i], steps / 4, 1);
        twins(&ranks_scenes[i], steps, 11);
    }
}

/* --- Refusals --- */

/* A force of another strength on the last rank: refused on all, and nothing has changed. */
static void differing_calls(void) {
    ranks_world w = joined_world(scene_named("world"));
    mote_force_id id;
    const mote_force_def wind = mote_gravity((float[3]){rank + 1 == ranks ? 1.0f : 2.0f, 0, 0});
    CHECK(mote_system_step(w.system, 5, NULL));
    const uint64_t steps = mote_system_steps(w.system);
    CHECK(mote_system_add_force(w.system, &wind, &id));
    heard = 0;
    REQUIRE(mote_system_step(w.system, 1, NULL) == MOTE_ERROR_CALLS);
    REQUIRE(mote_system_advance(w.system, 1000000, NULL) == MOTE_ERROR_CALLS);
    REQUIRE(heard == 2 && mote_system_steps(w.system) == steps &&
            mote_system_gather(w.system) == MOTE_ERROR_CALLS);
    CHECK(mote_system_remove_force(w.system, id));
    REQUIRE(mote_system_step(w.system, 1 + (rank == 0), NULL) == MOTE_ERROR_CALLS);
    REQUIRE(mote_system_advance(w.system, 1000000 + rank, NULL) == MOTE_ERROR_CALLS);
    if (rank == 0)
        REQUIRE(mote_system_hash(w.system) == 0); /* while the others step */
    else
        REQUIRE(mote_system_step(w.system, 1, NULL) == MOTE_ERROR_CALLS);
    CHECK(mote_system_step(w.system, 1, NULL));
    ranks_world alone = make_ranks_world(w.scene);
    CHECK(mote_system_step(alone.system, 5, NULL));
    CHECK(mote_system_step(alone.system, 1, NULL));
    mote_system_advance(alone.system, 0, NULL), CHECK(mote_system_advance(w.system, 0, NULL));
    const uint32_t victim = rank ? 3 : 4;
    CHECK(mote_system_kill_slots(w.system, 1, &victim));
    REQUIRE(mote_system_step(w.system, 1, NULL) == MOTE_ERROR_CALLS);
    mote_system_destroy(alone.system);
    mote_system_destroy(w.system);
}

/* Differing defs, and more ranks than lane groups. */
static void differing_defs(void) {
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    const mote_transport *transport = mote_cluster_transport(cluster);
    def.capacity = rank ? 1000 : 2000;
    CHECK(mote_system_create(&def, &system));
    REQUIRE(mote_system_join(system, transport) == MOTE_ERROR_CALLS);
    mote_system_destroy(system);
    def.capacity = 16 * (ranks - 1);
    CHECK(mote_system_create(&def, &system));
    REQUIRE(mote_system_join(system, transport) == MOTE_ERROR_RANGE);
    CHECK(mote_system_reserve(system, 16 * ranks));
    mote_system_destroy(system);
}

static void wrong_transports(void) {
    mote_cluster *none;
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    mote_transport wrong = *mote_cluster_transport(cluster);
    REQUIRE(mote_cluster_create(MPI_COMM_NULL, &none) == MOTE_ERROR_NULL && !none);
    REQUIRE(mote_cluster_create(MPI_COMM_WORLD, NULL) == MOTE_ERROR_NULL);
    MPI_Comm half, between; /* of rank 0 and the others */
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 1, &between);
    REQUIRE(mote_cluster_create(between, &none) == MOTE_ERROR_CLUSTER && !none);
    MPI_Comm_free(&between), MPI_Comm_free(&half);
    CHECK(mote_system_create(&def, &system));
    wrong.gather = NULL;
    REQUIRE(mote_system_join(system, &wrong) == MOTE_ERROR_NULL);
    wrong = *mote_cluster_transport(cluster), wrong.rank = ranks;
    REQUIRE(mote_system_join(system, &wrong) == MOTE_ERROR_RANGE);
    CHECK(mote_system_join(system, mote_cluster_transport(cluster)));
    REQUIRE(mote_system_join(system, mote_cluster_transport(cluster)) == MOTE_ERROR_RANGE);
    REQUIRE(mote_systems_advance(&system, 1, 1000000, NULL, NULL) == MOTE_ERROR_CLUSTER);
    mote_system_destroy(system);
}

static int lost(void *user, const void *own, void *all, size_t bytes) {
    (void)user, (void)own, (void)all, (void)bytes;
    return 1;
}

/* A transport that has died: a code, and no message any more. */
static void dead_transport(void) {
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    mote_transport dead = *mote_cluster_transport(cluster);
    dead.gather = lost;
    CHECK(mote_system_create(&def, &system));
    heard = 0;
    REQUIRE(mote_system_join(system, &dead) == MOTE_ERROR_CLUSTER && heard == 1);
    CHECK(mote_system_step(system, 1, NULL));
    mote_system_destroy(system);
}

/* States that ranks write differently: refused until all of them restore the same snapshot. */
static void differing_writes(void) {
    static unsigned char memory[1 << 20];
    ranks_world w = joined_world(scene_named("particles"));
    size_t bytes;
    const float impulse[3] = {rank ? 1.0f : 2.0f, 0, 0};
    CHECK(mote_system_step(w.system, 2, NULL));
    CHECK(mote_system_save(w.system, 0, memory, sizeof memory, &bytes));
    const uint64_t hash = mote_system_hash(w.system);
    CHECK(mote_system_impulse(w.system, 5, impulse));
    REQUIRE(mote_system_step(w.system, 1, NULL) == MOTE_ERROR_CALLS);
    REQUIRE(mote_system_advance(w.system, 1000000, NULL) == MOTE_ERROR_CALLS);
    CHECK(mote_system_restore(w.system, memory, bytes, NULL));
    REQUIRE(mote_system_hash(w.system) == hash);
    const mote_range_view view = mote_system_view(w.system);
    view.velocity.y[2] += (float)rank;
    REQUIRE(mote_system_step(w.system, 1, NULL) == MOTE_ERROR_CALLS);
    REQUIRE(mote_cluster_save(cluster, w.system, 0, "/there/is/no/such/folder") == MOTE_ERROR_CALLS);
    view.velocity.y[2] -= (float)rank;
    CHECK(mote_system_step(w.system, 1, NULL));
    mote_system_destroy(w.system);
}

/* Lifetimes of new particles that differ: refused before any of them dies. */
static void differing_lifetimes(void) {
    ranks_world w = joined_world(scene_named("deaths"));
    mote_range_view made;
    CHECK(mote_system_step(w.system, 1, NULL));
    CHECK(mote_system_spawn(w.system, 20, &made));
    const uint32_t count = mote_system_count(w.system);
    for (uint32_t i = 0; i < made.count; i++) made.lifetime[i] = rank ? 1 : 0.001f;
    REQUIRE(mote_system_step(w.system, 5, NULL) == MOTE_ERROR_CALLS);
    REQUIRE(mote_system_count(w.system) == count);
    mote_system_destroy(w.system);
}

static int refuse_copy(MPI_Comm communicator, int key, void *extra, void *from, void *to, int *copied) {
    (void)communicator, (void)key, (void)extra, (void)from, (void)to;
    *copied = 0;
    return MPI_ERR_OTHER;
}

/* A communicator that cannot be duplicated, whose errors are fatal: a code, and its errors are fatal still.
 */
static void fatal_communicator(void) {
    mote_cluster *none;
    MPI_Comm made;
    MPI_Errhandler handler;
    int key;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_set_errhandler(made, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(made, key, NULL);
    REQUIRE(mote_cluster_create(made, &none) == MOTE_ERROR_CLUSTER && !none);
    MPI_Comm_get_errhandler(made, &handler);
    REQUIRE(handler == MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&made);
    MPI_Comm_free_keyval(&key);
}

/* --- Snapshots --- */

/* A folder of its own for each rank, in which the same name is another file. */
static void enter_own_folder(const char *folder) {
    char own[128];
    snprintf(own, sizeof own, "%s/%u", folder, rank);
    REQUIRE(mkdir(own, 0700) == 0 && chdir(own) == 0);
}

/* Ranks of which one does something else than to save a file. */
static void differing_saves(mote_system *system, const char *path) {
    ranks_world other = make_ranks_world(scene_named("particles"));
    REQUIRE(mote_cluster_save(cluster, system, 0, rank ? path : NULL) == MOTE_ERROR_CALLS);
    REQUIRE(mote_cluster_save(cluster, system, 0, NULL) == MOTE_ERROR_NULL);
    REQUIRE(mote_cluster_save(cluster, NULL, 0, path) == MOTE_ERROR_NULL);
    REQUIRE(mote_cluster_save(NULL, system, 0, path) == MOTE_ERROR_NULL);
    REQUIRE(mote_cluster_save(cluster, system, rank != 0, path) == MOTE_ERROR_CALLS);
    REQUIRE(mote_cluster_save(cluster, system, 7, path) == MOTE_ERROR_ENUM);
    REQUIRE(mote_cluster_save(cluster, system, 0, rank ? path : "/another/path") == MOTE_ERROR_CALLS);
    REQUIRE(mote_cluster_save(cluster, other.system, 0, path) == MOTE_ERROR_CLUSTER);
    REQUIRE(mote_cluster_save(cluster, rank ? system : other.system, 0, path) == MOTE_ERROR_CALLS);
    for (int whole = 0; whole < 2; whole++) {
        REQUIRE((rank ? mote_system_step(system, 1, NULL) : mote_cluster_save(cluster, system, 0, path)) ==
                MOTE_ERROR_CALLS);
        REQUIRE((rank ? mote_cluster_save(cluster, system, 0, path)
                      : mote_cluster_restore(cluster, system, path, NULL)) == MOTE_ERROR_CALLS);
        CHECK(mote_system_gather(system));
    }
    mote_system_destroy(other.system);
}

/* A rank that kills others, and files that are not those of all ranks. */
static void differing_files(mote_system *system, const char *path) {
    const uint32_t victim = 3 + rank;
    CHECK(mote_cluster_save(cluster, system, MOTE_SNAPSHOT_CHECKSUM, path));
    const uint64_t hash = mote_system_hash(system);
    CHECK(mote_system_kill_slots(system, 1, &victim));
    REQUIRE(mote_cluster_save(cluster, system, 0, path) == MOTE_ERROR_CALLS);
    REQUIRE(mote_cluster_restore(cluster, system, rank ? path : "/another/path", NULL) == MOTE_ERROR_CALLS);
    CHECK(mote_cluster_restore(cluster, system, path, NULL));
    REQUIRE(mote_system_hash(system) == hash);
    FILE *file = fopen("own", "wb"); /* a snapshot of another step on rank 0 */
    size_t bytes;
    static unsigned char memory[1 << 20];
    CHECK(mote_system_save(system, 0, memory, sizeof memory, &bytes));
    if (rank == 0) memory[bytes - 9] ^= 1;
    REQUIRE(file && fwrite(memory, 1, bytes, file) == bytes && fclose(file) == 0);
    heard = 0;
    REQUIRE(mote_cluster_restore(cluster, system, "own", NULL) == MOTE_ERROR_CALLS && heard == 1);
    REQUIRE(mote_system_hash(system) == hash);
    CHECK(mote_system_step(system, 1, NULL));
}

static void differing_snapshots(void) {
    char folder[64] = "/tmp/mote-ranks-XXXXXX", path[128];
    if (rank == 0) REQUIRE(mkdtemp(folder));
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/saved", folder);
    enter_own_folder(folder);
    ranks_world w = joined_world(scene_named("particles"));
    CHECK(mote_system_step(w.system, 3, NULL));
    differing_saves(w.system, path);
    differing_files(w.system, path);
    mote_system_destroy(w.system);
    MPI_Barrier(MPI_COMM_WORLD);
    REQUIRE(remove("own") == 0 && chdir("/") == 0);
    snprintf(path, sizeof path, "%s/%u", folder, rank);
    REQUIRE(rmdir(path) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/saved", folder);
    REQUIRE(rank != 0 || (remove(path) == 0 && rmdir(folder) == 0));
}

enum { BEFORE = 30, AFTER = 100 };

static void save(const char *path) {
    ranks_world w = joined_world(scene_named("world"));
    for (uint32_t i = 0; i < BEFORE; i++) step(&w, i, NULL);
    CHECK(mote_cluster_save(cluster, w.system, MOTE_SNAPSHOT_CHECKSUM, path));
    REQUIRE(mote_cluster_save(cluster, w.system, 0, "/there/is/no/such/folder") == MOTE_ERROR_FILE);
    mote_system_destroy(w.system);
}

static void resume(const char *path) {
    ranks_world w = joined_world(scene_named("world"));
    mote_snapshot_fault fault;
    REQUIRE(mote_cluster_restore(cluster, w.system, "/there/is/no/such/file", &fault) == MOTE_ERROR_FILE);
    CHECK(mote_cluster_restore(cluster, w.system, path, &fault));
    for (uint32_t i = BEFORE; i < BEFORE + AFTER; i++) step(&w, i, NULL);
    const uint64_t hash = mote_system_hash(w.system);
    if (rank == 0) printf("%016llx\n", (unsigned long long)hash);
    mote_system_destroy(w.system);
}

static void die(const char *path) {
    save(path);
    ranks_world w = joined_world(scene_named("world"));
    for (uint32_t i = 0;; i++) {
        if (i == 20 && rank == 1) raise(SIGKILL);
        step(&w, i, NULL);
    }
}

static void run(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "";
    if (strcmp(what, "twins") == 0 && count > 2)
        all_twins((uint32_t)strtoul(arguments[2], NULL, 10), count > 3 ? arguments[3] : NULL);
    else if (strcmp(what, "refusals") == 0 && ranks > 1)
        wrong_transports(), fatal_communicator(), dead_transport(), differing_defs(), differing_calls(),
            differing_writes(), differing_lifetimes(), differing_snapshots();
    else if (strcmp(what, "save") == 0 && count > 2)
        save(arguments[2]);
    else if (strcmp(what, "resume") == 0 && count > 2)
        resume(arguments[2]);
    else if (strcmp(what, "die") == 0 && count > 2)
        die(arguments[2]);
    else
        exit(2);
}

int main(int count, char **arguments) {
    int level, self, all;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    rank = (uint32_t)self, ranks = (uint32_t)all;
    CHECK(mote_cluster_create(MPI_COMM_WORLD, &cluster));
    mote_cluster_on_error(cluster, hear, NULL);
    run(count, arguments);
    mote_cluster_destroy(cluster);
    MPI_Finalize();
    return 0;
}
