#include "cmocka.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

enum { PASSED, FAILED, SKIPPED };

static jmp_buf after_test;

noreturn void _fail(const char *file, int line) {
    print_error("%s:%d: failed\n", file, line);
    longjmp(after_test, FAILED);
}

noreturn void _skip(const char *file, int line) {
    (void)file, (void)line;
    longjmp(after_test, SKIPPED);
}

void print_error(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
}

void print_message(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

void stand_in_assert(int holds, const char *claim, const char *file, int line) {
    if (holds) return;
    print_error("%s\n", claim);
    _fail(file, line);
}

static int run(const struct CMUnitTest *test) {
    static void *state;
    state = test->initial_state;
    switch (setjmp(after_test)) {
    case 0:
        test->test_func(&state);
        return PASSED;
    case SKIPPED:
        return SKIPPED;
    default:
        return FAILED;
    }
}

int _cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                            CMFixtureFunction set_up, CMFixtureFunction tear_down) {
    static const char *const texts[] = {"  OK  ", "FAILED", "SKIPPED"};
    int failed = 0;
    void *state = NULL;
    if (set_up && set_up(&state)) return fprintf(stderr, "%s: the set-up failed\n", name), 1;
    for (size_t i = 0; i < count; i++) {
        const int result = run(&tests[i]);
        if (tests[i].teardown_func) tests[i].teardown_func(&state);
        printf("[%s] %s\n", texts[result], tests[i].name);
        failed += result == FAILED;
    }
    if (tear_down && tear_down(&state)) failed++;
    return failed;
}
