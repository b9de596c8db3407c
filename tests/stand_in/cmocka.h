/* The part of cmocka's interface that the tests use, for cross builds, in which there is no cmocka for the
 * other processor: each test prints a line `[  OK  ]`, `[FAILED]` or `[SKIPPED]` and its name. */
#ifndef MOTE_TESTS_STAND_IN_CMOCKA_H
#define MOTE_TESTS_STAND_IN_CMOCKA_H

#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>
#include <string.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func, teardown_func;
    void *initial_state;
};

int _cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                            CMFixtureFunction set_up, CMFixtureFunction tear_down);
noreturn void _fail(const char *file, int line);
noreturn void _skip(const char *file, int line);
void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the test unless the claim, whose text is printed, holds. */
void stand_in_assert(int holds, const char *claim, const char *file, int line);

#define STAND_IN(holds, claim) stand_in_assert((holds), claim, __FILE__, __LINE__)

#define skip() _skip(__FILE__, __LINE__)
#define fail_msg(...)                                                                                        \
    do {                                                                                                     \
        print_error(__VA_ARGS__);                                                                            \
        print_error("\n");                                                                                   \
        _fail(__FILE__, __LINE__);                                                                           \
    } while (0)
#define assert_true(c)                   STAND_IN((c) ? 1 : 0, #c)
#define assert_false(c)                  STAND_IN((c) ? 0 : 1, "!(" #c ")")
#define assert_int_equal(a, b)           STAND_IN((uintmax_t)(a) == (uintmax_t)(b), #a " == " #b)
#define assert_in_range(a, low, high)    STAND_IN((a) >= (low) && (a) <= (high), #low " <= " #a " <= " #high)
#define assert_null(p)                   STAND_IN((p) == NULL, #p " == NULL")
#define assert_non_null(p)               STAND_IN((p) != NULL, #p " != NULL")
#define assert_ptr_equal(a, b)           STAND_IN((const void *)(a) == (const void *)(b), #a " == " #b)
#define assert_string_equal(a, b)        STAND_IN(strcmp((a), (b)) == 0, #a " is " #b)
#define assert_string_not_equal(a, b)    STAND_IN(strcmp((a), (b)) != 0, #a " is not " #b)
#define assert_memory_equal(a, b, n)     STAND_IN(memcmp((a), (b), (n)) == 0, #a " has the bytes of " #b)
#define assert_memory_not_equal(a, b, n) STAND_IN(memcmp((a), (b), (n)) != 0, #a " has other bytes than " #b)

#endif
