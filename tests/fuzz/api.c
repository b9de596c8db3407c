/* Random sequences of public calls with a twin on other workers, another instruction set, the other loop
 * order and other frames, and with allocations that fail: both have one hash after every call, and a refused
 * call changes none. */
#define _DEFAULT_SOURCE
#include "queries.h"

static host_call *const calls[] = {
    call_spawn,        call_spawn,         call_kill,        call_kill_slots,       call_impulse,
    call_inverse_mass, call_teleport,      call_write,       call_external,         call_hook,
    call_reserve,      call_force,         call_set_force,   call_remove_force,     call_collider,
    call_set_collider, call_move_collider, call_emitter,     call_remove_collider,  call_set_emitter,
    call_move_emitter, call_burst,         call_emit,        call_remove_emitter,   call_strands,
    call_strands,      call_roots,         call_pin_strand,  call_remove_strands,   call_reset_strands,
    call_air,          call_write_strand,  call_set_strand,  call_network,          call_network,
    call_add_springs,  call_set_spring,    call_pin_network, call_remove_springs,   call_remove_network,
    call_set_network,  call_write_network, call_link,        call_teleport_network, call_remove_link,
};

typedef struct saved_state {
    uint8_t memory[SNAPSHOT_BYTES];
    size_t bytes;
    host_ids id;
} saved_state;

static saved_state saved;

/* A call by both hosts. With a failing allocator the first one tries before: refused, it changes nothing. */
static void run_call(host h[2], host_call *call, input *in, uint32_t fails) {
    const uint64_t before = mote_system_hash(h[0].system);
    mote_result result[2];
    input at = *in;
    const uint64_t failures = h[0].failures;
    h[0].fail_in = fails & 15, h[0].fail_on = fails & 16;
    result[0] = call(&h[0], &at);
    h[0].fail_in = 0;
    if (result[0]) FUZZ_CHECK(mote_system_hash(h[0].system) == before);
    if (result[0] == MOTE_ERROR_MEMORY && h[0].failures > failures) at = *in, result[0] = call(&h[0], &at);
    result[1] = call(&h[1], in);
    FUZZ_CHECK(result[0] == result[1]);
    FUZZ_CHECK(in->at == at.at);
}

/* One frame, of the second host in pieces. */
static void run_advance(host h[2], input *in) {
    const uint64_t before = mote_system_hash(h[0].system);
    mote_advance whole, part;
    const uint64_t frame = (uint64_t)take_byte(in) * 400000;
    const uint32_t pieces = h[0].exact_ticks ? 1 + take_below(in, 4) : 1;
    const mote_result result = mote_system_advance(h[0].system, frame, &whole);
    uint32_t steps = 0;
    if (result) FUZZ_CHECK(mote_system_hash(h[0].system) == before);
    for (uint32_t i = 0; i < pieces; i++) {
        const uint64_t piece = i + 1 < pieces ? frame / pieces : frame - (pieces - 1) * (frame / pieces);
        FUZZ_CHECK(mote_system_advance(h[1].system, piece, &part) == result);
        if (result) return;
        steps += part.steps;
    }
    FUZZ_CHECK(steps == whole.steps && part.alpha == whole.alpha);
}

static void run_save(host *h, uint32_t flags) {
    size_t bytes;
    FUZZ_CHECK(mote_system_snapshot_bytes(h->system, &bytes) == MOTE_OK);
    if (bytes > sizeof saved.memory) return;
    FUZZ_CHECK(mote_system_save(h->system, flags & 1, saved.memory, bytes, &saved.bytes) == MOTE_OK);
    saved.id = h->id;
}

/* A snapshot of the first host for both: refused by both or by none. */
static void run_restore(host h[2]) {
    mote_snapshot_fault fault;
    const uint64_t before = mote_system_hash(h[0].system);
    if (!saved.bytes) return;
    const mote_result result = mote_system_restore(h[0].system, saved.memory, saved.bytes, &fault);
    if (result) FUZZ_CHECK(mote_system_hash(h[0].system) == before);
    FUZZ_CHECK(mote_system_restore(h[1].system, saved.memory, saved.bytes, &fault) == result);
    if (result == MOTE_OK) h[0].id = h[1].id = saved.id;
}

/* Reads whatever a system offers; nothing changes. */
static void run_reads(host *h, input *in) {
    static float vertices[256][8];
    static uint32_t order[1024];
    static mote_line lines[64];
    mote_hash_chunk chunks[64];
    uint64_t items[MOTE_HASH_CHUNK];
    const uint64_t before = mote_system_hash(h->system);
    mote_statistics statistics;
    mote_preview_def preview = mote_default_preview_def();
    mote_present_layout layout = mote_default_present_layout();
    mote_lines_def lines_def = mote_default_lines_def();
    mote_strand_layout hair = mote_default_strand_layout();
    mote_network_stability_report bound;
    mote_death_list deaths;
    uint32_t count;
    layout.stride = sizeof *vertices, layout.velocity_offset = 12;
    preview.count = 4, preview.interval = 0.05;
    FUZZ_CHECK(mote_system_statistics(h->system, &statistics) == MOTE_OK);
    FUZZ_CHECK(mote_system_present(h->system, &layout, vertices, sizeof vertices) == MOTE_OK);
    FUZZ_CHECK(mote_system_order(h->system, (const float[3]){0, 1, 0.5f}, order, sizeof order) == MOTE_OK);
    FUZZ_CHECK(mote_system_hash_chunks(h->system, chunks, 64, &count) == MOTE_OK);
    for (uint32_t i = 0; i < count && i < 64; i++)
        FUZZ_CHECK(mote_system_hash_items(h->system, &chunks[i], items) == MOTE_OK);
    (void)mote_system_lines(h->system, &lines_def, lines, 64, &count);
    (void)mote_system_preview(h->system, &preview, (float(*)[3])(void *)vertices);
    (void)mote_system_deaths(h->system, &deaths);
    (void)mote_strands_present(h->system, PICK(strands), &hair, vertices, sizeof vertices);
    (void)mote_strands_statistics(h->system, PICK(strands), &statistics);
    const mote_network_id network = PICK(network);
    (void)mote_network_stability(h->system, network, &bound);
    const mote_network_view net = mote_network_columns(h->system, network);
    layout.velocity_offset = MOTE_OMIT;
    (void)mote_network_present(h->system, network, &layout, vertices, sizeof vertices);
    if (net.particle_count && net.particle_count <= 256)
        FUZZ_CHECK(mote_network_state(h->system, network, 0, net.particle_count, vertices[0], NULL) ==
                   MOTE_OK);
    (void)mote_system_age(h->system, take_byte(in));
    FUZZ_CHECK(mote_system_hash(h->system) == before);
}

static void run_seek(host h[2], input *in) {
    const uint64_t step = take_byte(in), before = mote_system_hash(h[0].system);
    const mote_result result = mote_system_seek(h[0].system, step);
    FUZZ_CHECK(mote_system_seek(h[1].system, step) == result);
    if (result) FUZZ_CHECK(mote_system_hash(h[0].system) == before);
}

static bool open_hosts(host h[2], input *in);

/* Followers, triangles, reports, queries and a second pair of hosts. These came later: older inputs have few.
 */
static void run_more(host h[2], host second[2], input *in) {
    const uint32_t what = take_byte(in);
    if (what < 64)
        run_call(h, call_followers, in, what & 32 ? take_byte(in) : 0);
    else if (what < 112)
        show_strands(h, in);
    else if (what < 144)
        run_call(h, call_triangles, in, 0);
    else if (what < 176)
        show_mesh(h, in);
    else if (what < 184)
        run_call(h, what & 1 ? call_torques : call_sampled_force, in, 0);
    else if (what < 188)
        show_reports(h, in);
    else if (what < 190)
        query_strands(h, in);
    else if (what < 191)
        query_network(h, in);
    else if (what < 192)
        query_force(h, in);
    else if (!second[0].system)
        (void)open_hosts(second, in);
    else if (what < 216)
        advance_together(h, second, in);
    else
        run_call(second, calls[take_byte(in) % COUNT_OF(calls)], in, 0);
    if (second[0].system)
        FUZZ_CHECK(mote_system_hash(second[0].system) == mote_system_hash(second[1].system));
}

static bool open_hosts(host h[2], input *in) {
    const uint32_t flags = take_byte(in);
    mote_system_def def = take_system_def(in);
    h[0].exact_ticks = h[1].exact_ticks = flags & 1;
    def.isa = flags & 2 ? MOTE_ISA_SCALAR : MOTE_ISA_AUTO;
    if (!open_host(&h[0], def)) return false;
    def.isa = flags & 2 ? MOTE_ISA_AUTO : MOTE_ISA_SCALAR;
    def.loop_order = flags & 4 ? MOTE_LOOP_STAGE_OUTER : MOTE_LOOP_AUTO;
    h[1].jobs = (shuffled_jobs){.random = {flags}, .workers = 1 + flags % 5};
    def.jobs = shuffled_jobs_hook(&h[1].jobs);
    if (!open_host(&h[1], def)) FUZZ_CHECK(!"the second host gets memory");
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    enum { MOST_CALLS = 96 };
    input in = {bytes, bytes + size};
    static host h[2], second[2];
    memset(h, 0, sizeof h), memset(second, 0, sizeof second);
    saved.bytes = 0;
    if (!open_hosts(h, &in)) return 0;
    for (uint32_t i = 0; i < MOST_CALLS && in.at < in.end; i++) {
        const uint32_t what = take_byte(&in);
        if (what < 176)
            run_call(h, calls[what % COUNT_OF(calls)], &in, what >= 160 ? take_byte(&in) : 0);
        else if (what < 236)
            run_advance(h, &in);
        else if (what < 240)
            run_save(&h[0], what);
        else if (what < 244)
            run_restore(h);
        else if (what < 248)
            run_seek(h, &in);
        else if (what < 252)
            run_reads(&h[what & 1], &in);
        else
            run_more(h, second, &in);
        FUZZ_CHECK(mote_system_hash(h[0].system) == mote_system_hash(h[1].system));
    }
    for (int i = 0; i < 2; i++) close_host(&h[i], i), close_host(&second[i], !i);
    return 0;
}
