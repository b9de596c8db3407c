/* mote-bench diff: two files of mote-bench run, row by row. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "options.h"

/* A change of less is noise, however calm both runs were: from run to run pages and addresses differ. */
#define LEAST_NOISE 0.05

typedef struct changes {
    uint32_t compared, slower, faster, lost, disturbed, only_old, only_new;
    uint32_t hashes, hashes_compared, hashes_not; /* that differ; compared; of one file, or of other runs */
    bool prints_all;
} changes;

static void print_help(void) {
    puts("usage: mote-bench diff [--all] OLD.json NEW.json\n\n"
         "Compares two files of `mote-bench run --json`, row by row: the speed of the new one over that of "
         "the\n"
         "old one, the lowest and the highest that the spreads of both allow, and whether hashes agree. A "
         "change\n"
         "counts where it is larger than 5 % and the spreads do not overlap. Rows that were disturbed are\n"
         "printed and do not count. Exit code 1: something got slower, a hash differs, or the new file lacks "
         "a\n"
         "figure or hash of a row that it has; 2: a file cannot be read, has a row twice, or has no row of "
         "the\n"
         "other.\n\n"
         "  --all  prints rows without a change too");
}

/* --- Files --- */

static char *read_whole(const char *path) {
    FILE *file = fopen(path, "rb");
    size_t size = 0, capacity = 1 << 16;
    char *text = file ? malloc(capacity + 1) : NULL;
    while (text && !feof(file) && !ferror(file)) {
        if (size == capacity) {
            char *more = realloc(text, (capacity *= 2) + 1);
            if (!more) fail_usage("%s: no memory", path);
            text = more;
        }
        size += fread(text + size, 1, capacity - size, file);
    }
    if (!text || ferror(file)) fail_usage("%s: %s", path, strerror(errno));
    text[size] = 0;
    fclose(file);
    return text;
}

static cJSON *read_report(const char *path) {
    char *text = read_whole(path);
    cJSON *object = cJSON_ParseWithOpts(text, NULL, true);
    free(text);
    const cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItem(object, "results"), 0);
    if (!row || !cJSON_IsArray(cJSON_GetObjectItem(row, "quantities")))
        fail_usage("%s is no file of mote-bench run --json", path);
    return object;
}

/* --- Rows --- */

static const char *text_of(const cJSON *row, const char *key) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(row, key));
    return text ? text : "";
}

static double number_of(const cJSON *row, const char *key) {
    const cJSON *item = cJSON_GetObjectItem(row, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static bool same_texts(const cJSON *a, const cJSON *b, const char *const *keys) {
    for (; *keys; keys++)
        if (strcmp(text_of(a, *keys), text_of(b, *keys))) return false;
    return true;
}

static bool same_numbers(const cJSON *a, const cJSON *b, const char *const *keys) {
    for (; *keys; keys++)
        if (number_of(a, *keys) != number_of(b, *keys)) return false;
    return true;
}

static bool same_setup(const cJSON *a, const cJSON *b) {
    static const char *const texts[] = {"section", "name", "integrator", "isa", NULL};
    static const char *const numbers[] = {"particles", "substeps", "threads", NULL};
    return same_texts(a, b, texts) && same_numbers(a, b, numbers);
}

/* A row that comes twice would be compared once. */
static void check_rows(const char *path, const cJSON *report) {
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(report, "results")) {
        for (const cJSON *other = row->next; other; other = other->next)
            if (same_setup(row, other))
                fail_usage("%s has two rows %s of section %s", path, text_of(row, "name"),
                           text_of(row, "section"));
    }
}

static const cJSON *find_row(const cJSON *report, const cJSON *like) {
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(report, "results")) if (same_setup(row, like)) return row;
    return NULL;
}

static const cJSON *find_quantity(const cJSON *row, const cJSON *like) {
    const cJSON *quantity;
    cJSON_ArrayForEach(quantity, cJSON_GetObjectItem(row, "quantities")) if (strcmp(text_of(quantity, "name"),
                                                                                    text_of(like, "name")) ==
                                                                             0) return quantity;
    return NULL;
}

static void print_setup(const cJSON *row, const char *quantity) {
    char setup[120];
    snprintf(setup, sizeof setup, "%s %.0f x %.0f, %.0f thr %s", text_of(row, "name"),
             number_of(row, "particles"), number_of(row, "substeps"), number_of(row, "threads"),
             text_of(row, "isa"));
    printf("%-11s %-52s %-26s", text_of(row, "section"), setup, quantity);
}

/* --- Comparison --- */

/* New over old as a speed: more than 1 is faster. */
static void compare_quantity(changes *c, const cJSON *old_row, const cJSON *new_row, const cJSON *was) {
    const cJSON *is = find_quantity(new_row, was);
    const bool less = strcmp(text_of(was, "better"), "less") == 0;
    if (!text_of(was, "better")[0] || !(number_of(was, "value") > 0)) return;
    if (!is || !(number_of(is, "value") > 0)) {
        c->lost++;
        print_setup(old_row, text_of(was, "name"));
        puts("  LOST");
        return;
    }
    double ratio = number_of(is, "value") / number_of(was, "value"),
           low = number_of(is, "min") / number_of(was, "max"),
           high = number_of(is, "max") / number_of(was, "min");
    if (less) {
        const double highest = 1 / low;
        ratio = 1 / ratio, low = 1 / high, high = highest;
    }
    const bool disturbed = text_of(old_row, "disturbed")[0] || text_of(new_row, "disturbed")[0],
               slower = high < 1 && ratio < 1 - LEAST_NOISE, faster = low > 1 && ratio > 1 + LEAST_NOISE;
    c->compared++;
    if (disturbed)
        c->disturbed++;
    else
        c->slower += slower, c->faster += faster;
    if (!slower && !faster && !c->prints_all) return;
    print_setup(old_row, text_of(was, "name"));
    printf(" %7.3fx (%.3f..%.3f)%s%s\n", ratio, low, high,
           slower   ? "  SLOWER"
           : faster ? "  faster"
                    : "",
           disturbed ? ", disturbed" : "");
}

/* The state depends on the frames and repeats as well. */
static void compare_hashes(changes *c, const cJSON *old_row, const cJSON *new_row) {
    static const char *const numbers[] = {"frames", "repeat", NULL};
    const char *was = text_of(old_row, "hash"), *is = text_of(new_row, "hash");
    if (!was[0] && !is[0]) return;
    const bool comparable = was[0] && same_numbers(old_row, new_row, numbers);
    *(comparable && is[0] ? &c->hashes_compared : &c->hashes_not) += 1;
    if (!comparable || strcmp(was, is) == 0) return;
    *(is[0] ? &c->hashes : &c->lost) += 1;
    print_setup(old_row, "hash");
    printf(" %s, was %s  %s\n", is, was, is[0] ? "DIFFERS" : "LOST");
}

static void compare_reports(changes *c, const cJSON *old_report, const cJSON *new_report) {
    const cJSON *row, *quantity;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(old_report, "results")) {
        const cJSON *match = find_row(new_report, row);
        if (!match) {
            c->only_old++;
            continue;
        }
        cJSON_ArrayForEach(quantity, cJSON_GetObjectItem(row, "quantities"))
            compare_quantity(c, row, match, quantity);
        compare_hashes(c, row, match);
    }
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(new_report, "results")) c->only_new +=
        find_row(old_report, row) == NULL;
}

static void print_builds(const cJSON *old_report, const cJSON *new_report) {
    const cJSON *const report[2] = {old_report, new_report};
    for (int k = 0; k < 2; k++)
        printf("%s: %s, commit %s, %s, %s\n", k ? "new" : "old", text_of(report[k], "cpu"),
               text_of(report[k], "commit"), text_of(report[k], "compiler"), text_of(report[k], "date"));
    if (strcmp(text_of(old_report, "cpu"), text_of(new_report, "cpu")))
        puts("the processors differ: ratios of speeds are those of the machines too");
}

int command_diff(int argc, char **argv) {
    static const struct option options[] = {
        {"all", no_argument, NULL, 'a'}, {"help", no_argument, NULL, 'h'}, {0}};
    changes c = {0};
    while (next_option(argc, argv, options, print_help) != -1) c.prints_all = true;
    if (argc - optind != 2) fail_usage("diff takes two files, OLD.json and NEW.json");
    cJSON *was = read_report(argv[optind]), *is = read_report(argv[optind + 1]);
    check_rows(argv[optind], was), check_rows(argv[optind + 1], is);
    print_builds(was, is);
    compare_reports(&c, was, is);
    printf(
        "%u figures compared, %u of disturbed rows; %u slower, %u faster; %u hashes compared, %u differ, %u "
        "not comparable (other frames or repeats, or in one file alone); %u lost; rows only in the old file "
        "%u, in the new %u\n",
        (unsigned)c.compared, (unsigned)c.disturbed, (unsigned)c.slower, (unsigned)c.faster,
        (unsigned)c.hashes_compared, (unsigned)c.hashes, (unsigned)c.hashes_not, (unsigned)c.lost,
        (unsigned)c.only_old, (unsigned)c.only_new);
    if (!c.compared && !c.lost && !c.hashes)
        fail_usage("%s and %s have no figure in common", argv[optind], argv[optind + 1]);
    cJSON_Delete(was);
    cJSON_Delete(is);
    return c.slower || c.hashes || c.lost ? EXIT_FAILURE : EXIT_SUCCESS;
}
