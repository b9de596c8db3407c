/* Unit tests over cmocka: TEST(name) { ... } registers itself, and ASSERT prints both sides. */
#ifndef MOTE_TESTS_TEST_H
#define MOTE_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Defines a test; the name is a sentence. All tests of a program run in the order in which they are defined.
 */
#define TEST(name)                                                                                           \
    static void name(void);                                                                                  \
    static void run_##name(void **state_) {                                                                  \
        (void)state_;                                                                                        \
        name();                                                                                              \
        test_case(NULL);                                                                                     \
    }                                                                                                        \
    __attribute__((constructor)) static void register_##name(void) { test_register(#name, run_##name, 0); }  \
    static void name(void)

/* Defines `count` tests, which get their numbers: test i is called label(i). */
#define TEST_EACH(name, count, label, number)                                                                \
    static void name(uint32_t number);                                                                       \
    static void run_##name(void **number_) {                                                                 \
        name((uint32_t)(uintptr_t)*number_);                                                                 \
        test_case(NULL);                                                                                     \
    }                                                                                                        \
    __attribute__((constructor)) static void register_##name(void) {                                         \
        for (uint32_t i_ = 0; i_ < (count); i_++)                                                            \
            test_register(test_label(#name, label(i_)), run_##name, i_);                                     \
    }                                                                                                        \
    static void name(uint32_t number)

/* Before the first test and after the last of the program. */
#define TEST_PROGRAM(set_up, tear_down)                                                                      \
    static int set_up_(void **state_) { return (void)state_, set_up(), 0; }                                  \
    static int tear_down_(void **state_) { return (void)state_, tear_down(), 0; }                            \
    __attribute__((constructor)) static void register_program(void) { test_program(set_up_, tear_down_); }   \
    _Static_assert(1, "ends with a semicolon")

void test_register(const char *name, CMUnitTestFunction function, uintptr_t number);
const char *test_label(const char *name, const char *label); /* "name: label", for good */
void test_program(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* The case at hand in a test that goes through a table: printed where it fails. NULL: none. */
void test_case(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* left OP right, for numbers of any type and pointers. The sides are evaluated again where it fails. */
#define ASSERT(left, op, right)                                                                              \
    do {                                                                                                     \
        if (!((left)op(right)))                                                                              \
            test_fail(#left " " #op " " #right, TEST_VALUE(left), TEST_VALUE(right), __FILE__, __LINE__);    \
    } while (0)

/* |value - want| <= allowance, of doubles. */
#define ASSERT_NEAR(value, want, allowance)                                                                  \
    do {                                                                                                     \
        const double value_ = (double)(value), want_ = (double)(want), off_ = value_ - want_;                \
        if (!((off_ < 0 ? -off_ : off_) <= (double)(allowance)))                                             \
            test_fail_near(#value, value_, want_, (double)(allowance), __FILE__, __LINE__);                  \
    } while (0)

/* The text of a value, in a buffer that the next 8 calls leave alone. */
const char *test_integer(long long value);
const char *test_unsigned(unsigned long long value);
const char *test_real(double value);
const char *test_long_real(long double value);
const char *test_pointer(const volatile void *value);

#define TEST_VALUE(x)                                                                                        \
    _Generic((x),                                                                                            \
        float: test_real,                                                                                    \
        double: test_real,                                                                                   \
        bool: test_integer,                                                                                  \
        char: test_integer,                                                                                  \
        signed char: test_integer,                                                                           \
        short: test_integer,                                                                                 \
        int: test_integer,                                                                                   \
        long: test_integer,                                                                                  \
        long long: test_integer,                                                                             \
        unsigned char: test_unsigned,                                                                        \
        unsigned short: test_unsigned,                                                                       \
        unsigned: test_unsigned,                                                                             \
        unsigned long: test_unsigned,                                                                        \
        unsigned long long: test_unsigned,                                                                   \
        long double: test_long_real,                                                                         \
        default: test_pointer)(x)

void test_fail(const char *claim, const char *left, const char *right, const char *file, int line);
void test_fail_near(const char *claim, double value, double want, double allowance, const char *file,
                    int line);

#endif
