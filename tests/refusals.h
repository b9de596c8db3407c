/* Tables of refused calls: REFUSALS(system, REFUSES(NULL, call), REFUSES(RANGE, call), ...). A row is a call
 * that returns its code and leaves the hash of the system as it was. A row that fails prints its call. */
#ifndef MOTE_TESTS_REFUSALS_H
#define MOTE_TESTS_REFUSALS_H

#include <string.h>

#include "test.h"

#include <mote/mote.h>

/* The calls run in the order of the rows. The system may be NULL: then only codes are compared. */
#define REFUSALS(system, ...)                                                                                \
    do {                                                                                                     \
        const watched watched_ = {system, mote_system_hash(system)};                                         \
        __VA_ARGS__;                                                                                         \
    } while (0)
#define RETURNS(code, call) check_refusal(&watched_, #call, code, call, __FILE__, __LINE__)
#define REFUSES(code, call) RETURNS(MOTE_ERROR_##code, call)

/* A table of one row. */
#define REFUSED(system, code, call) REFUSALS(system, RETURNS(code, call))

typedef struct watched {
    const mote_system *system;
    uint64_t hash;
} watched;

static inline void check_refusal(const watched *w, const char *call, mote_result want, mote_result got,
                                 const char *file, int line) {
    const uint64_t hash = mote_system_hash(w->system);
    if (got == want && hash == w->hash) return;
    print_error("%s\n", call);
    if (got != want) test_fail("got == want", mote_result_text(got), mote_result_text(want), file, line);
    test_fail("hash == hash before", test_unsigned(hash), test_unsigned(w->hash), file, line);
}

/* A member of a def and a value for which the def is refused. */
typedef struct bad_value {
    const char *member;
    size_t offset, bytes;
    char type;    /* 'f' float, 'd' double, 'i' integer, enumerator or pointer */
    double value; /* of an integer 32 bits; pointers: 0 */
    mote_result want;
} bad_value;

#define BAD_VALUE(type, member, value, want)                                                                 \
    {#member,                                                                                                \
     offsetof(type, member),                                                                                 \
     sizeof((type *)0)->member,                                                                              \
     _Generic(((type *)0)->member, float: 'f', double: 'd', default: 'i'),                                   \
     value,                                                                                                  \
     want}

/* Writes the value into the def, and names the row. */
static inline void spoil(void *def, const bad_value *bad) {
    const float real = (float)bad->value;
    const uint32_t whole = bad->type == 'i' ? (uint32_t)(int64_t)bad->value : 0;
    const void *const from = bad->type == 'd'   ? (const void *)&bad->value
                             : bad->type == 'f' ? (const void *)&real
                                                : &whole;
    test_case("%s: %g", bad->member, bad->value);
    memset((char *)def + bad->offset, 0, bad->bytes);
    memcpy((char *)def + bad->offset, from, bad->type == 'd' ? sizeof bad->value : sizeof whole);
}

/* The field that a check names is the one that the row has spoilt: the first or the last part of the member,
 * without indices. */
static inline void assert_field(const bad_value *bad, const char *parameter) {
    assert_non_null(parameter);
    const size_t length = strlen(parameter);
    const char *last = strrchr(bad->member, '.'), *at = last ? last + 1 : bad->member;
    if (strncmp(bad->member, parameter, length) == 0 && strchr(".[", bad->member[length])) return;
    if (strncmp(at, parameter, length) == 0 && strchr("[", at[length])) return;
    assert_string_equal(parameter, bad->member);
}

#endif
