#include "hash_calls.h"

#include <stdio.h>
#include <stdlib.h>

#include "support.h"

static bool refusing;
static memory_ledger ledger;
static uint64_t refused_allocation = 1, refused_calls; /* the allocation of this call, counted from 1 */
static const mote_system *seen;
static uint64_t seen_hash;
static bool calling;

void hash_refuse(bool for_good) { refusing = true, ledger.fail_on = for_good; }

mote_allocator hash_allocator(void) {
    return refusing ? ledger_allocator(&ledger) : (mote_allocator){NULL, NULL, NULL};
}

void hash_call_begins(void) {
    if (calling) abort(); /* the refusal of the outer call would be lost */
    calling = true;
    ledger.failures = 0;
    ledger.fail_at = refusing ? ledger.calls + refused_allocation : 0;
    seen_hash = refusing ? mote_system_hash(seen) : 0;
}

void hash_watch(const mote_system *system) { seen = system; }

bool hash_call_refused(mote_result result, const char *call) {
    const bool refused = ledger.failures > 0;
    calling = false;
    ledger.fail_at = 0;
    if (refused && result != MOTE_ERROR_MEMORY) {
        fprintf(stderr, "hashes: %s without memory: %s\n", call, mote_result_text(result));
        exit(1);
    }
    if (refused && mote_system_hash(seen) != seen_hash) {
        fprintf(stderr, "hashes: %s without memory changed the state\n", call);
        exit(1);
    }
    refused_allocation = refused ? refused_allocation + 1 : 1;
    refused_calls += refused;
    return refused;
}

void hash_call_check(mote_result result, const char *call, const mote_snapshot_fault *fault) {
    if (result == MOTE_OK) return;
    fprintf(stderr, "hashes: %s: %s\n", call, mote_result_text(result));
    if (fault)
        fprintf(stderr, "part %d, object %u, column %u, index %u, %s\n", (int)fault->part, fault->object,
                fault->column, fault->index, fault->parameter ? fault->parameter : "");
    exit(1);
}

void hash_scene_ends(void) {
    if (refusing && !refused_calls) {
        fprintf(stderr, "hashes: a scene without a call that was refused memory\n");
        exit(1);
    }
    refused_calls = 0;
}

void hash_calls_end(void) {
    if (!ledger.live_bytes && !ledger.faults) return;
    fprintf(stderr, "hashes: %llu bytes are left, %llu faults\n", (unsigned long long)ledger.live_bytes,
            (unsigned long long)ledger.faults);
    exit(1);
}
