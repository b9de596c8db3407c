/* The reader of HAIR files over any bytes: a file is refused with a place and a sentence, or is a model that
 * can be checked, resampled, and written as the bytes that were read. */
#include "input.h"

#include <mote/mote.h>

static void check_refusal(mote_result result, const mote_hair_error *where, size_t size) {
    FUZZ_CHECK(result == MOTE_ERROR_FILE || result == MOTE_ERROR_NOT_FINITE);
    FUZZ_CHECK(where->item < MOTE_HAIR_ITEM_COUNT && where->offset <= size && where->text);
}

static void check_model(mote_hair *hair, const uint8_t *bytes, size_t size) {
    mote_hair_resample_def def = mote_default_hair_resample_def();
    mote_hair *resampled = NULL;
    size_t needed;
    FUZZ_CHECK(mote_hair_check(hair, NULL) == MOTE_OK);
    FUZZ_CHECK(mote_hair_write(hair, NULL, 0, &needed) == MOTE_OK && needed == size);
    uint8_t *again = malloc(size);
    FUZZ_CHECK(again && mote_hair_write(hair, again, size, NULL) == MOTE_OK);
    FUZZ_CHECK(memcmp(again, bytes, size) == 0);
    free(again);
    if (bytes[4] & 1)
        def.points = 2 + bytes[4] % 14;
    else
        def.segment_length = 0.25f, def.max_points = 40;
    const mote_result result = mote_hair_resample(hair, &def, &resampled, NULL);
    FUZZ_CHECK(result == MOTE_OK || result == MOTE_ERROR_OVERFLOW || result == MOTE_ERROR_MEMORY);
    if (result == MOTE_OK) FUZZ_CHECK(mote_hair_check(resampled, NULL) == MOTE_OK);
    mote_hair_destroy(resampled);
    static const float axes[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    (void)mote_hair_transform(hair, 0.01f, axes, (const float[3]){1, 2, 3});
    FUZZ_CHECK(mote_hair_check(hair, NULL) == MOTE_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    mote_hair *hair;
    mote_hair_error where = {MOTE_HAIR_ITEM_COUNT, 0, UINT64_MAX, NULL};
    const mote_result result = mote_hair_read(bytes, size, NULL, &hair, &where);
    if (result)
        check_refusal(result, &where, size);
    else
        check_model(hair, bytes, size);
    mote_hair_destroy(hair);
    return 0;
}
