/* Damaged snapshots: every byte and every word of one is changed. Each is refused, or gives a legal state
 * that runs on; under sanitizers and assertions nothing is read or written out of bounds, and all views of
 * the state agree. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "snapshot_world.h"
#include "systems.h"

/* Uses all that a restored system has. A damaged mark makes ids invalid. */
static void use(world *w, uint32_t frame) {
    mote_statistics statistics;
    mote_strands_step_report strands;
    mote_network_step_report network;
    float presented[256][3];
    const mote_present_layout layout = mote_default_present_layout();
    OK(mote_system_statistics(w->system, &statistics));
    (void)mote_strands_report(w->system, w->hair, &strands);
    (void)mote_network_report(w->system, w->net, &network);
    OK(mote_system_present(w->system, &layout, presented, sizeof presented));
    (void)mote_network_present(w->system, w->net, &layout, presented, sizeof presented);
    const mote_range_view view = mote_system_view(w->system);
    for (uint32_t i = 0; i < view.count; i++) (void)mote_system_slot(w->system, view.id[i]);
    world_particles(w, &(random_source){frame});
    uint32_t number;
    mote_spring s = {.a = 0, .b = 23, .rest_length = 1, .stiffness = 900};
    (void)mote_network_add_springs(w->system, w->net, 1, &s, &number, NULL);
    (void)mote_system_advance(w->system, 40000000, NULL);
}

/* Restores the damaged snapshot. If it is still legal the system must run on. Returns whether it was refused.
 */
static bool is_refused(world *w, const world_snapshot *s, bool runs) {
    mote_snapshot_fault fault;
    const mote_result result = mote_system_restore(w->system, s->memory, s->bytes, &fault);
    if (result) ASSERT(fault.part, <, MOTE_SNAPSHOT_PART_COUNT);
    if (result || !runs) return result != MOTE_OK;
    world trial = s->host;
    trial.system = w->system;
    use(&trial, 3);
    return false;
}

/* Returns whether a byte is of a column of numbers, any of which may be legal. */
static bool is_number(const world_snapshot *s, size_t at) {
    mote_snapshot_header header;
    mote_snapshot_section section;
    memcpy(&header, s->memory, sizeof header);
    for (uint32_t i = 0; i < header.sections; i++) {
        memcpy(&section, s->memory + sizeof header + i * sizeof section, sizeof section);
        if (at >= section.offset && at < section.offset + section.bytes) return section.column >= 16;
    }
    return false;
}

/* Expects the section in which a byte is, or the one before the padding in which it is. first: offset of the
 * first section; before it are the header and the table. */
static void expect_part(const world_snapshot *s, size_t first, size_t at, const mote_snapshot_fault *fault) {
    mote_snapshot_header header;
    mote_snapshot_section section, last = {.part = MOTE_SNAPSHOT_HEADER, .column = MOTE_NO_ITEM};
    memcpy(&header, s->memory, sizeof header);
    for (uint32_t i = 0; at >= first && i < header.sections; i++) {
        memcpy(&section, s->memory + sizeof header + i * sizeof section, sizeof section);
        if (at >= section.offset) last = section;
    }
    ASSERT((uint32_t)fault->part, ==, last.part);
    ASSERT(fault->object, ==, last.object);
    ASSERT(fault->column, ==, last.column);
}

static const unsigned char flips[] = {0x01, 0x80, 0xff, 0x10};

/* Of the values for a byte or word of counts and numbers: all, at every byte; under sanitizers, which take
 * ten times as long, one in turn, of bytes every seventh. */
#if defined(__SANITIZE_ADDRESS__)
enum { FLIPS = 1, WORDS = 1, STRIDE = 7 };
#else
enum { FLIPS = 4, WORDS = 9, STRIDE = 1 };
#endif

TEST(every_damaged_byte_is_refused_where_there_is_a_checksum) {
    const mote_system_def def = world_def();
    world w = warm_world(&def, 40);
    world_snapshot s = {0};
    mote_snapshot_fault fault;
    mote_snapshot_section section;
    world_save(&w, &s, MOTE_SNAPSHOT_CHECKSUM);
    memcpy(&section, s.memory + sizeof(mote_snapshot_header), sizeof section);
    const uint64_t hash = mote_system_hash(w.system);
    for (size_t at = 0; at < s.bytes; at += STRIDE) {
        const unsigned char flip = flips[at % COUNT_OF(flips)];
        test_case("byte %zu", at);
        s.memory[at] ^= flip;
        ASSERT(mote_system_restore(w.system, s.memory, s.bytes, &fault), ==, MOTE_ERROR_FILE);
        expect_part(&s, (size_t)section.offset, at, &fault);
        s.memory[at] ^= flip;
        if (at % 64 == 0) ASSERT(mote_system_hash(w.system), ==, hash);
    }
    free(s.memory);
    mote_system_destroy(w.system);
}

TEST(every_damaged_byte_is_refused_or_harmless) {
    const mote_system_def def = world_def();
    world w = warm_world(&def, 40);
    world_snapshot s = {0};
    world_save(&w, &s, 0);
    const uint64_t hash = mote_system_hash(w.system);
    for (size_t at = 0; at < s.bytes; at += STRIDE) {
        const bool number = is_number(&s, at);
        for (uint32_t i = 0; i < (number ? 1 : FLIPS); i++) {
            const unsigned char flip = flips[(at + i) % COUNT_OF(flips)];
            test_case("byte %zu, flip %x", at, flip);
            s.memory[at] ^= flip;
            const bool refused = is_refused(&w, &s, !number || at % 7 == 0);
            s.memory[at] ^= flip;
            if (!refused) world_restore(&w, &s); /* also a callback that damage has replaced */
        }
        if (at % 64 == 0) ASSERT(mote_system_hash(w.system), ==, hash);
    }
    free(s.memory);
    mote_system_destroy(w.system);
}

/* Whole words: small numbers, the largest ones, NaN and infinities. */
TEST(every_damaged_word_is_refused_or_harmless) {
    static const uint32_t words[] = {0,          1,          15,         0x7fffffff, 0xffffffff,
                                     0xfffffffe, 0x7fc00000, 0x7f800000, 0x7f7fffff};
    const mote_system_def def = world_def();
    world w = warm_world(&def, 55);
    world_snapshot s = {0};
    world_save(&w, &s, 0);
    for (size_t at = 0; at + 4 <= s.bytes; at += 4) {
        const bool number = is_number(&s, at);
        for (uint32_t i = 0; i < (number ? 1 : WORDS); i++) {
            const uint32_t word = words[(at / 4 + i) % COUNT_OF(words)];
            uint32_t old;
            test_case("word at %zu, %x", at, word);
            memcpy(&old, s.memory + at, 4);
            memcpy(s.memory + at, &word, 4);
            const bool refused = is_refused(&w, &s, !number || at % 16 == 0);
            memcpy(s.memory + at, &old, 4);
            if (!refused) world_restore(&w, &s); /* also a callback that damage has replaced */
        }
    }
    free(s.memory);
    mote_system_destroy(w.system);
}

/* A header that tells of less than the table does, words of the table and of the header that are not those of
 * the system: without a checksum they are compared one by one. */
TEST(a_table_that_is_not_that_of_the_state_is_refused) {
    static const size_t words[] = {
        offsetof(mote_snapshot_section, part),   offsetof(mote_snapshot_section, object),
        offsetof(mote_snapshot_section, column), offsetof(mote_snapshot_section, word),
        offsetof(mote_snapshot_section, offset), offsetof(mote_snapshot_section, bytes)};
    const mote_system_def def = world_def();
    world w = warm_world(&def, 30);
    world_snapshot s = {0};
    mote_snapshot_header header;
    mote_snapshot_fault fault;
    world_save(&w, &s, 0);
    memcpy(&header, s.memory, sizeof header);
    for (uint64_t bytes = header.bytes - 64; bytes >= 64; bytes -= 64) {
        mote_snapshot_header less = header;
        less.bytes = bytes;
        unsigned char *part = malloc(bytes); /* so that a read behind the end is found */
        memcpy(part, s.memory, bytes);
        memcpy(part, &less, sizeof less < bytes ? sizeof less : bytes);
        assert_int_equal(restore_or_keep(w.system, part, bytes, &fault), MOTE_ERROR_FILE);
        free(part);
    }
    for (int i = 0; i < 7; i++) {
        mote_snapshot_header more = header;
        more.reserved[i] = 1;
        memcpy(s.memory, &more, sizeof more);
        assert_int_equal(restore_or_keep(w.system, s.memory, s.bytes, &fault), MOTE_ERROR_FILE);
        assert_string_equal(fault.parameter, "reserved");
    }
    memcpy(s.memory, &header, sizeof header);
    for (uint32_t i = 0; i < header.sections; i++) {
        unsigned char *at = s.memory + sizeof header + i * sizeof(mote_snapshot_section);
        for (size_t k = 0; k < COUNT_OF(words); k++) {
            at[words[k]] ^= 64;
            test_case("section %u, word at %zu", i, words[k]);
            assert_int_equal(restore_or_keep(w.system, s.memory, s.bytes, &fault), MOTE_ERROR_FILE);
            assert_string_equal(fault.parameter, "section");
            at[words[k]] ^= 64;
        }
    }
    OK(restore_or_keep(w.system, s.memory, s.bytes, &fault));
    free(s.memory);
    mote_system_destroy(w.system);
}

/* Columns that alone are longer than all that is left of the snapshot. */
TEST(a_snapshot_that_ends_before_a_long_column_is_refused) {
    mote_system_def def = mote_default_system_def();
    mote_snapshot_fault fault;
    mote_snapshot_header header;
    mote_snapshot_section section = {.bytes = 0};
    size_t bytes;
    def.capacity = 4000;
    mote_system *system = system_of(&def);
    spawned(system, 4000);
    OK(mote_system_snapshot_bytes(system, &bytes));
    unsigned char *memory = malloc(bytes);
    OK(mote_system_save(system, 0, memory, bytes, NULL));
    memcpy(&header, memory, sizeof header);
    for (uint32_t i = 0; i < header.sections; i++) {
        memcpy(&section, memory + sizeof header + i * sizeof section, sizeof section);
        if (section.bytes >= 4 * 4000) break;
    }
    ASSERT(section.bytes, >, section.offset);
    header.bytes = section.offset;
    memcpy(memory, &header, sizeof header);
    assert_int_equal(restore_or_keep(system, memory, bytes, &fault), MOTE_ERROR_FILE);
    assert_string_equal(fault.parameter, "section");
    ASSERT(fault.column, ==, section.column);
    free(memory);
    mote_system_destroy(system);
}

/* As a forger writes it, with the hash of the table that he has changed. */
static void seal(unsigned char *memory) {
    mote_snapshot_header header;
    memcpy(&header, memory, sizeof header);
    header.hash = mote_hash_pieces(0, memory, offsetof(mote_snapshot_header, hash));
    header.hash = mote_hash_pieces(header.hash, memory + sizeof header,
                                   header.sections * sizeof(mote_snapshot_section));
    memcpy(memory, &header, sizeof header);
}

/* Sections that lie outside, or are of no part that there is, under hashes that fit. */
TEST(a_forged_table_is_refused) {
    static const struct {
        uint64_t offset, bytes;
        uint32_t part;
    } add[] = {{0, 1ull << 63, 0}, {1ull << 40, 0, 0}, {0, 0, MOTE_SNAPSHOT_PART_COUNT}};
    const mote_system_def def = world_def();
    world w = warm_world(&def, 30);
    world_snapshot s = {0};
    mote_snapshot_fault fault;
    mote_snapshot_section good, bad;
    world_save(&w, &s, MOTE_SNAPSHOT_CHECKSUM);
    unsigned char *const at = s.memory + sizeof(mote_snapshot_header);
    memcpy(&good, at, sizeof good);
    for (size_t i = 0; i < COUNT_OF(add); i++) {
        bad = good, bad.offset += add[i].offset, bad.bytes += add[i].bytes, bad.part += add[i].part;
        if (add[i].part) bad.hash ^= 1;
        memcpy(at, &bad, sizeof bad);
        seal(s.memory);
        test_case("table %zu", i);
        assert_int_equal(restore_or_keep(w.system, s.memory, s.bytes, &fault), MOTE_ERROR_FILE);
        assert_string_equal(fault.parameter, "hash");
    }
    memcpy(at, &good, sizeof good);
    seal(s.memory);
    OK(restore_or_keep(w.system, s.memory, s.bytes, &fault));
    free(s.memory);
    mote_system_destroy(w.system);
}
