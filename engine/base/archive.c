/* Sections of snapshots: their places, byte order and hashes. */
#include "base/archive.h"

#include <string.h>

#include "base/hash.h"

#define ALIGNMENT 64u
static const char magic[8] = {'m', 'o', 't', 'e', 's', 'n', 'a', 'p'};

/* Bytes that are copied and then hashed while they are in the nearest cache. */
#define PIECE ((uint64_t)MOTE_HASH_PIECE)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static void copy(void *to, const void *from, uint64_t bytes, uint32_t word) {
    (void)word;
    if (bytes) memcpy(to, from, (size_t)bytes);
}
#else
static void copy(void *to, const void *from, uint64_t bytes, uint32_t word) {
    const unsigned char *source = from;
    unsigned char *target = to;
    for (uint64_t i = 0; i < bytes; i++) target[i] = source[i - i % word + (word - 1 - i % word)];
}
#endif

static mote_snapshot_section section_at(const mote_archive *a, uint32_t number) {
    const unsigned char *at =
        a->memory + sizeof(mote_snapshot_header) + number * sizeof(mote_snapshot_section);
    mote_snapshot_section s;
    copy(&s, at, 16, 4);
    copy((unsigned char *)&s + 16, at + 16, sizeof s - 16, 8);
    return s;
}

static void store_section(mote_archive *a, uint32_t number, const mote_snapshot_section *s) {
    unsigned char *at = a->memory + sizeof(mote_snapshot_header) + number * sizeof *s;
    copy(at, s, 16, 4);
    copy(at + 16, (const unsigned char *)s + 16, sizeof *s - 16, 8);
}

static uint64_t table_end(uint32_t sections) {
    const uint64_t bytes = sizeof(mote_snapshot_header) + (uint64_t)sections * sizeof(mote_snapshot_section);
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

uint64_t mote_archive_measured(const mote_archive *a) {
    return a->bytes - table_end(0) + table_end(a->section);
}

void mote_archive_begin(mote_archive *a, mote_archive_task task, uint32_t sections) {
    a->task = task;
    a->bytes = table_end(sections);
    a->section = 0;
    a->sections = sections;
    a->has_open = false;
    if (task != MOTE_ARCHIVE_WRITE) return;
    const uint64_t used = sizeof(mote_snapshot_header) + (uint64_t)sections * sizeof(mote_snapshot_section);
    memset(a->memory + used, 0, (size_t)(a->bytes - used));
}

bool mote_archive_refuse(mote_archive *a, mote_result result, uint32_t column, uint32_t index,
                         const char *parameter) {
    if (a->result) return false;
    a->result = result;
    a->fault = (mote_snapshot_fault){a->part, a->object, column, index, parameter};
    return false;
}

/* --- Sections --- */

static void close_section(mote_archive *a) {
    if (!a->has_open) return;
    mote_snapshot_section s = section_at(a, a->section - 1);
    if (a->hashes) s.hash = mote_hash_pieces(0, a->memory + s.offset, (size_t)s.bytes);
    store_section(a, a->section - 1, &s);
    a->has_open = false;
}

static unsigned char *write_section(mote_archive *a, const mote_snapshot_section *s, uint64_t end) {
    close_section(a);
    store_section(a, a->section++, s);
    a->has_open = true;
    memset(a->memory + s->offset + s->bytes, 0, (size_t)(end - s->offset - s->bytes));
    return a->memory + s->offset;
}

/* Compares a section with that of the snapshot. */
static unsigned char *find_section(mote_archive *a, const mote_snapshot_section *s) {
    if (a->section >= a->sections)
        return mote_archive_refuse(a, MOTE_ERROR_FILE, s->column, MOTE_NO_ITEM, NULL), NULL;
    const mote_snapshot_section found = section_at(a, a->section++);
    const bool same = found.part == s->part && found.object == s->object && found.column == s->column &&
                      found.word == s->word && found.offset == s->offset && found.bytes == s->bytes;
    if (same && s->bytes <= a->limit && s->offset <= a->limit - s->bytes) return a->memory + s->offset;
    mote_archive_refuse(a, MOTE_ERROR_FILE, s->column, MOTE_NO_ITEM, "section");
    return NULL;
}

unsigned char *mote_archive_section(mote_archive *a, uint32_t column, uint32_t word, uint64_t bytes) {
    if (a->result || a->task == MOTE_ARCHIVE_GATHER) return NULL;
    const mote_snapshot_section s = {(uint32_t)a->part, a->object, column, word, a->bytes, bytes, 0};
    a->bytes = (s.offset + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (a->task == MOTE_ARCHIVE_MEASURE) return a->section++, NULL;
    return a->task == MOTE_ARCHIVE_WRITE ? write_section(a, &s, a->bytes) : find_section(a, &s);
}

/* Copies and hashes piece by piece. */
static void write_hashed(mote_archive *a, unsigned char *to, const unsigned char *from, uint64_t bytes,
                         uint32_t word) {
    uint64_t hash = 0;
    for (uint64_t at = 0; at < bytes; at += PIECE) {
        const uint64_t piece = bytes - at < PIECE ? bytes - at : PIECE;
        copy(to + at, from + at, piece, word);
        hash = mote_hash_pieces(hash, to + at, (size_t)piece);
    }
    mote_snapshot_section s = section_at(a, a->section - 1);
    s.hash = hash;
    store_section(a, a->section - 1, &s);
    a->has_open = false;
}

static void gather(const mote_archive *a, void *data, uint64_t count, size_t element) {
    if (count == a->items[0])
        mote_peers_gather(a->peers, &a->deal[0], data, count, element);
    else if (count == a->items[1])
        mote_peers_gather(a->peers, &a->deal[1], data, count, element);
}

void mote_archive_array(mote_archive *a, uint32_t column, void *data, uint64_t count, size_t element,
                        uint32_t word) {
    const uint64_t bytes = count * element;
    if (a->task == MOTE_ARCHIVE_GATHER && column >= MOTE_ARCHIVE_COLUMNS) gather(a, data, count, element);
    unsigned char *at = mote_archive_section(a, column, word, bytes);
    if (!at || !bytes) return;
    if (a->task == MOTE_ARCHIVE_WRITE && a->hashes)
        write_hashed(a, at, data, bytes, word);
    else if (a->task == MOTE_ARCHIVE_WRITE)
        copy(at, data, bytes, word);
    else if (a->task == MOTE_ARCHIVE_READ)
        copy(data, at, bytes, word);
}

void mote_archive_floats(mote_archive *a, uint32_t column, float *const *data, uint32_t columns,
                         uint64_t count) {
    for (uint32_t i = 0; i < columns && data[0]; i++)
        mote_archive_array(a, column + i, data[i], count, sizeof(float), sizeof(float));
}

/* --- Words --- */

void mote_words_load(void *to, const unsigned char *section, uint64_t first, uint32_t count) {
    copy(to, section + 4 * first, 4 * (uint64_t)count, 4);
}

void mote_words_store(unsigned char *section, uint64_t first, const void *from, uint32_t count) {
    copy(section + 4 * first, from, 4 * (uint64_t)count, 4);
}

bool mote_archive_words(mote_archive *a, uint32_t column, uint32_t *words, uint32_t count) {
    unsigned char *at = mote_archive_section(a, column, 4, 4 * (uint64_t)count);
    if (!at) return false;
    if (a->task == MOTE_ARCHIVE_WRITE)
        mote_words_store(at, 0, words, count);
    else
        mote_words_load(words, at, 0, count);
    return true;
}

/* --- Header --- */

/* Places of the header's fields in bytes: magic, words, the bytes of the snapshot, words, hash. */
static void store_header(unsigned char *to, const mote_snapshot_header *h) {
    memset(to, 0, sizeof *h);
    memcpy(to, h->magic, sizeof h->magic);
    copy(to + offsetof(mote_snapshot_header, version), &h->version, 8, 4);
    copy(to + offsetof(mote_snapshot_header, bytes), &h->bytes, 8, 8);
    copy(to + offsetof(mote_snapshot_header, sections), &h->sections, 32, 4);
    copy(to + offsetof(mote_snapshot_header, hash), &h->hash, 8, 8);
}

static void load_header(mote_snapshot_header *h, const unsigned char *from) {
    memcpy(h->magic, from, sizeof h->magic);
    copy(&h->version, from + offsetof(mote_snapshot_header, version), 8, 4);
    copy(&h->bytes, from + offsetof(mote_snapshot_header, bytes), 8, 8);
    copy(&h->sections, from + offsetof(mote_snapshot_header, sections), 32, 4);
    copy(&h->hash, from + offsetof(mote_snapshot_header, hash), 8, 8);
}

/* Returns the hash of the header, without its last field, and the table. */
static uint64_t hash_of_table(const mote_archive *a, uint32_t sections) {
    const uint64_t hash = mote_hash_pieces(0, a->memory, offsetof(mote_snapshot_header, hash));
    return mote_hash_pieces(hash, a->memory + sizeof(mote_snapshot_header),
                            sections * sizeof(mote_snapshot_section));
}

void mote_archive_end(mote_archive *a) {
    close_section(a);
    mote_snapshot_header h = {.version = MOTE_SNAPSHOT_VERSION,
                              .flags = a->hashes ? MOTE_SNAPSHOT_CHECKSUM : 0,
                              .bytes = a->bytes,
                              .sections = a->section};
    memcpy(h.magic, magic, sizeof magic);
    store_header(a->memory, &h);
    if (!a->hashes) return;
    h.hash = hash_of_table(a, a->section);
    store_header(a->memory, &h);
}

/* Returns whether the bytes from `at` to the next multiple of the alignment are zero. */
static bool is_padding(const mote_archive *a, uint64_t at) {
    bool zero = true;
    for (; at % ALIGNMENT; at++) zero &= a->memory[at] == 0;
    return zero;
}

/* Returns the name of what is wrong in a section or behind it; NULL: nothing. The bytes of a snapshot are a
 * multiple of the alignment. */
static const char *wrong_in_section(const mote_archive *a, const mote_snapshot_section *s, uint64_t bytes) {
    const bool inside = s->bytes <= bytes && s->offset <= bytes - s->bytes;
    if (!inside || s->hash != mote_hash_pieces(0, a->memory + s->offset, (size_t)s->bytes)) return "hash";
    return is_padding(a, s->offset + s->bytes) ? NULL : "padding";
}

/* Compares the hashes of all sections, and checks the padding behind the table and behind each of them. */
static void check_hashes(mote_archive *a, const mote_snapshot_header *h) {
    if (h->hash != hash_of_table(a, h->sections)) {
        mote_archive_refuse(a, MOTE_ERROR_FILE, MOTE_NO_ITEM, MOTE_NO_ITEM, "hash");
        return;
    }
    if (!is_padding(a, sizeof *h + h->sections * sizeof(mote_snapshot_section))) {
        mote_archive_refuse(a, MOTE_ERROR_FILE, MOTE_NO_ITEM, MOTE_NO_ITEM, "padding");
        return;
    }
    for (uint32_t i = 0; i < h->sections; i++) {
        const mote_snapshot_section s = section_at(a, i);
        const char *const wrong = wrong_in_section(a, &s, h->bytes);
        if (!wrong) continue;
        if (s.part < MOTE_SNAPSHOT_PART_COUNT) a->part = (mote_snapshot_part)s.part;
        a->object = s.object;
        mote_archive_refuse(a, MOTE_ERROR_FILE, s.column, MOTE_NO_ITEM, wrong);
        return;
    }
}

static const char *wrong_in_header(const mote_snapshot_header *h, uint64_t bytes) {
    if (memcmp(h->magic, magic, sizeof magic) != 0) return "magic";
    if (h->version != MOTE_SNAPSHOT_VERSION) return "version";
    if (h->flags > MOTE_SNAPSHOT_CHECKSUM) return "flags";
    if (h->bytes > bytes) return "bytes";
    for (int i = 0; i < 7; i++)
        if (h->reserved[i]) return "reserved";
    if (h->bytes % ALIGNMENT || h->sections > h->bytes / sizeof(mote_snapshot_section) ||
        table_end(h->sections) > h->bytes)
        return "sections";
    return h->hash && !h->flags ? "hash" : NULL;
}

void mote_archive_open(mote_archive *a, const void *memory, uint64_t bytes) {
    mote_snapshot_header h;
    a->memory = (unsigned char *)(uintptr_t)memory;
    a->part = MOTE_SNAPSHOT_HEADER;
    if (bytes < sizeof h) {
        mote_archive_refuse(a, MOTE_ERROR_FILE, MOTE_NO_ITEM, MOTE_NO_ITEM, "bytes");
        return;
    }
    load_header(&h, a->memory);
    const char *wrong = wrong_in_header(&h, bytes);
    if (wrong) {
        mote_archive_refuse(a, MOTE_ERROR_FILE, MOTE_NO_ITEM, MOTE_NO_ITEM, wrong);
        return;
    }
    a->limit = h.bytes;
    a->hashes = h.flags & MOTE_SNAPSHOT_CHECKSUM;
    if (a->hashes) check_hashes(a, &h);
    a->sections = h.sections;
}
