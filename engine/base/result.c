/* Texts of the result codes, and the version. */
#include <mote/result.h>
#include <mote/version.h>

#define SENTENCE(code, sentence) sentence,
static const char *const sentences[MOTE_RESULT_COUNT] = {MOTE_RESULTS(SENTENCE)};

const char *mote_result_text(mote_result result) {
    if ((unsigned)result >= MOTE_RESULT_COUNT) return "The result code is none of those declared.";
    return sentences[result];
}

const char *mote_version(void) { return MOTE_BUILD_VERSION; }
