/* The transport between threads. */
#define _POSIX_C_SOURCE 200809L /* barriers */

#include "rank_threads.h"

#include <stdlib.h>
#include <string.h>

const meeting whole_meeting = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* Returns whether the transport is broken, as this call may make it. */
static bool breaks(rank_link *r, transport_call of) {
    meeting *m = r->with;
    pthread_mutex_lock(&m->mutex);
    if (++r->calls[of] == m->fails_at && of == m->fails && r->rank == RANKS - 1) m->broken = true;
    const bool broken = m->broken;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->mutex);
    return broken;
}

/* Waits for all ranks. Returns false if the transport breaks before they are there. */
static bool meet(meeting *m) {
    pthread_mutex_lock(&m->mutex);
    const uint32_t turn = m->turn;
    if (++m->arrived == RANKS) {
        m->arrived = 0, m->turn++;
        pthread_cond_broadcast(&m->changed);
    }
    while (m->turn == turn && !m->broken) pthread_cond_wait(&m->changed, &m->mutex);
    const bool met = m->turn != turn;
    pthread_mutex_unlock(&m->mutex);
    return met;
}

static int gather(void *user, const void *own, void *all, size_t bytes) {
    rank_link *r = user;
    if (breaks(r, GATHER)) return 1;
    r->with->own[r->rank] = own;
    if (!meet(r->with)) return 1;
    for (size_t i = 0; i < RANKS; i++) memcpy((unsigned char *)all + i * bytes, r->with->own[i], bytes);
    return !meet(r->with);
}

static void post(meeting *m, letter *box, const mote_message *message) {
    void *copy = malloc(message->bytes);
    if (!copy) abort();
    memcpy(copy, message->data, message->bytes);
    pthread_mutex_lock(&m->mutex);
    while (box->data && !m->broken) pthread_cond_wait(&m->changed, &m->mutex);
    if (box->data)
        free(copy);
    else
        box->data = copy;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->mutex);
}

/* Returns false if the transport breaks before the message is there. */
static bool fetch(meeting *m, letter *box, const mote_message *message) {
    pthread_mutex_lock(&m->mutex);
    while (!box->data && !m->broken) pthread_cond_wait(&m->changed, &m->mutex);
    const bool there = box->data;
    if (there) memcpy(message->data, box->data, message->bytes);
    free(box->data);
    box->data = NULL;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->mutex);
    return there;
}

static int exchange(void *user, const mote_message *send, uint32_t sends, const mote_message *receive,
                    uint32_t receives) {
    rank_link *r = user;
    bool good = !breaks(r, EXCHANGE);
    for (uint32_t i = 0; i < sends && good; i++)
        post(r->with, &r->with->box[r->rank][send[i].rank], &send[i]);
    for (uint32_t i = 0; i < receives && good; i++)
        good = fetch(r->with, &r->with->box[receive[i].rank][r->rank], &receive[i]);
    return !good;
}

static int wait_for(void *user) { return breaks(user, WAIT); }

static void take_error(void *user, mote_result result, uint32_t rank) {
    rank_link *r = user;
    r->errors++;
    r->error = result, r->error_rank = rank;
}

mote_transport rank_transport(rank_link *link) {
    return (mote_transport){link->rank, RANKS, link, gather, exchange, wait_for, take_error};
}

void run_on_ranks(void *(*run)(void *rank), void *ranks, size_t element) {
    pthread_t thread[RANKS];
    for (size_t i = 0; i < RANKS; i++)
        if (pthread_create(&thread[i], NULL, run, (unsigned char *)ranks + i * element)) abort();
    for (size_t i = 0; i < RANKS; i++)
        if (pthread_join(thread[i], NULL)) abort();
}
