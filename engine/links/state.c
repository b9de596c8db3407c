/* Links in snapshots. The links of a snapshot are joined to their ranges before those of the system are
 * removed, so that all memory is there before anything changes. */
#include <string.h>

#include "base/assert.h"
#include "links/links.h"

/* Words of a link: serial number, ends, values, impulse. */
enum { SERIAL, ENDS, VALUES = ENDS + 10, IMPULSE = VALUES + 3, WORDS = IMPULSE + 3 };

static void write_end(uint32_t words[5], const mote_link_end *end) {
    words[0] = end->network.index, words[1] = end->particle;
    words[2] = end->strands.index, words[3] = end->strand, words[4] = end->point;
}

static mote_link_end read_end(const uint32_t words[5], uint32_t mark) {
    return (mote_link_end){.network = {words[0], words[0] ? mark : 0},
                           .particle = words[1],
                           .strands = {words[2], words[2] ? mark : 0},
                           .strand = words[3],
                           .point = words[4]};
}

static void write_links(const mote_link_list *links, unsigned char *section) {
    for (uint32_t i = 0; i < links->list.count; i++) {
        const mote_link_state *l = mote_link_at(links, i);
        const float values[3] = {l->link.rest_length, l->link.stiffness, l->link.damping};
        uint32_t words[WORDS] = {[SERIAL] = links->list.serials[i]};
        write_end(words + ENDS, &l->link.a);
        write_end(words + ENDS + 5, &l->link.b);
        memcpy(words + VALUES, values, sizeof values);
        memcpy(words + IMPULSE, l->impulse, sizeof l->impulse);
        mote_words_store(section, (uint64_t)i * WORDS, words, WORDS);
    }
}

/* Reads a link; `mark`: generation of the ids of its ends. */
static uint32_t read_link(const unsigned char *section, uint32_t place, uint32_t mark, mote_link_state *to) {
    uint32_t words[WORDS];
    mote_words_load(words, section, (uint64_t)place * WORDS, WORDS);
    *to = (mote_link_state){.link = {.cookie = MOTE_LINK_COOKIE,
                                     .a = read_end(words + ENDS, mark),
                                     .b = read_end(words + ENDS + 5, mark)}};
    memcpy(&to->link.rest_length, words + VALUES, sizeof(float));
    memcpy(&to->link.stiffness, words + VALUES + 1, sizeof(float));
    memcpy(&to->link.damping, words + VALUES + 2, sizeof(float));
    memcpy(to->impulse, words + IMPULSE, sizeof to->impulse);
    return words[SERIAL];
}

/* Finds the sites of a link. Errors: those of `find`. */
static mote_result find_sites(mote_link_state *l, const mote_links_in *in) {
    const mote_result result = in->find(in->system, &l->link.a, &l->site[0]);
    return result ? result : in->find(in->system, &l->link.b, &l->site[1]);
}

static void check_links(const unsigned char *section, const mote_links_in *in, mote_archive *a) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        mote_link_state l;
        const char *ignored;
        const uint32_t serial = read_link(section, i, in->present_mark, &l);
        const bool ordered = serial > last && serial <= in->next_serial && l.link.rest_length >= 0;
        if (!ordered || find_sites(&l, in) || mote_link_resolve(&l.link, l.site, &ignored)) {
            mote_archive_refuse(a, MOTE_ERROR_FILE, 0, i, "link");
            return;
        }
        last = serial;
    }
}

/* Removes the ends of the first `count` links of the section. */
static void undo(mote_link_list *links, const unsigned char *section, uint32_t count, const mote_links_in *in,
                 const mote_allocator *allocator) {
    for (uint32_t i = 0; i < count; i++) {
        mote_link_state l;
        (void)read_link(section, i, in->present_mark, &l);
        (void)find_sites(&l, in);
        mote_links_remove_ends(links, l.site, allocator);
    }
}

static void reserve(mote_link_list *links, const unsigned char *section, const mote_links_in *in,
                    mote_archive *a) {
    links->list.element = sizeof(mote_link_state);
    mote_result result = mote_id_list_reserve(&links->list, in->count, a->allocator);
    for (uint32_t i = 0; i < in->count && result == MOTE_OK; i++) {
        mote_link_state l;
        (void)read_link(section, i, in->present_mark, &l);
        (void)find_sites(&l, in);
        result = mote_links_add_ends(links, l.site, a->allocator);
        if (result) undo(links, section, i, in, a->allocator);
    }
    links->reserved = result == MOTE_OK ? section : NULL;
    links->reserved_count = in->count;
    if (result) mote_archive_refuse(a, result, 0, MOTE_NO_ITEM, NULL);
}

static void read_links(mote_link_list *links, const unsigned char *section, const mote_links_in *in,
                       const mote_allocator *allocator) {
    for (uint32_t i = 0; i < links->list.count; i++)
        mote_links_remove_ends(links, mote_link_at(links, i)->site, allocator);
    for (uint32_t i = 0; i < in->count; i++) {
        mote_link_state *l = mote_link_at(links, i), found;
        (void)read_link(section, i, in->present_mark, &found);
        (void)find_sites(&found, in);
        links->list.serials[i] = read_link(section, i, in->mark, l);
        memcpy(l->site, found.site, sizeof l->site);
        mote_links_settle_ends(l->site);
    }
    links->list.count = in->count;
    links->list.next_serial = in->next_serial;
    links->reserved = NULL;
}

void mote_links_archive(mote_link_list *links, const mote_links_in *in, mote_archive *a) {
    if (a->task == MOTE_ARCHIVE_DISCARD && links->reserved) {
        undo(links, links->reserved, links->reserved_count, in, a->allocator);
        links->reserved = NULL;
    }
    unsigned char *section = mote_archive_section(a, 0, 4, 4 * (uint64_t)WORDS * in->count);
    if (!section) return;
    if (a->task == MOTE_ARCHIVE_WRITE) write_links(links, section);
    if (a->task == MOTE_ARCHIVE_CHECK) check_links(section, in, a);
    if (a->task == MOTE_ARCHIVE_RESERVE) reserve(links, section, in, a);
    if (a->task == MOTE_ARCHIVE_READ) read_links(links, section, in, a->allocator);
}
