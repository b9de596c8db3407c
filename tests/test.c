/* The registry of tests and its main program: see test.h. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TESTS = 160, TEXTS = 8, TEXT_BYTES = 64 };

static struct CMUnitTest tests[MOST_TESTS];
static size_t test_count;
static char in_case[256];
static CMFixtureFunction program_set_up, program_tear_down;

/* Runs after a test that failed too: a test that passed has no case any more. */
static int print_case(void **state) {
    (void)state;
    if (in_case[0]) print_error("in case: %s\n", in_case);
    in_case[0] = 0;
    return 0;
}

void test_register(const char *name, CMUnitTestFunction function, uintptr_t number) {
    if (test_count == MOST_TESTS) abort();
    tests[test_count++] = (struct CMUnitTest){name, function, NULL, print_case, (void *)number};
}

const char *test_label(const char *name, const char *label) {
    const size_t bytes = strlen(name) + strlen(label) + 3;
    char *text = malloc(bytes);
    if (!text) abort();
    snprintf(text, bytes, "%s: %s", name, label);
    return text;
}

void test_program(CMFixtureFunction set_up, CMFixtureFunction tear_down) {
    program_set_up = set_up;
    program_tear_down = tear_down;
}

void test_case(const char *format, ...) {
    va_list list;
    in_case[0] = 0;
    if (!format) return;
    va_start(list, format);
    vsnprintf(in_case, sizeof in_case, format, list);
    va_end(list);
}

static char *next_text(void) {
    static char text[TEXTS][TEXT_BYTES];
    static unsigned next;
    return text[next++ % TEXTS];
}

const char *test_integer(long long value) {
    char *text = next_text();
    snprintf(text, TEXT_BYTES, "%lld", value);
    return text;
}

const char *test_unsigned(unsigned long long value) {
    char *text = next_text();
    snprintf(text, TEXT_BYTES, value > 0xffffffffu ? "%#llx" : "%llu", value);
    return text;
}

const char *test_real(double value) {
    char *text = next_text();
    snprintf(text, TEXT_BYTES, "%.9g", value);
    return text;
}

const char *test_long_real(long double value) { return test_real((double)value); }

const char *test_pointer(const volatile void *value) {
    char *text = next_text();
    snprintf(text, TEXT_BYTES, "%p", (const void *)(uintptr_t)value);
    return text;
}

void test_fail(const char *claim, const char *left, const char *right, const char *file, int line) {
    print_error("%s: %s against %s\n", claim, left, right);
    _fail(file, line);
}

void test_fail_near(const char *claim, double value, double want, double allowance, const char *file,
                    int line) {
    print_error("%s: %.9g, not %.9g within %.3g\n", claim, value, want, allowance);
    _fail(file, line);
}

int main(void) {
    return _cmocka_run_group_tests("tests", tests, test_count, program_set_up, program_tear_down);
}
