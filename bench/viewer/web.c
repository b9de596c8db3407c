/* Functions that the page calls, and what the page is told. */
#include <stdio.h>

#include <emscripten.h>

#include "app.h"

EM_JS(void, page_chosen, (const char *name, const char *title, const char *source),
      { Page.chosen(UTF8ToString(name), UTF8ToString(title), UTF8ToString(source)); });

void web_chosen(const char *name, const char *title, const char *source) { page_chosen(name, title, source); }

EMSCRIPTEN_KEEPALIVE int viewer_choose(const char *name) {
    const scene *to = scene_find(name);
    if (to) app_choose(to);
    return to != NULL;
}

/* Makes the scene anew with these choices, so that two tabs have the same. */
EMSCRIPTEN_KEEPALIVE void viewer_restart(unsigned substeps, int integrator) {
    app.state.substeps = substeps <= MAX_SUBSTEPS ? substeps : MAX_SUBSTEPS;
    app.state.integrator = integrator;
    app_reopen();
}

EMSCRIPTEN_KEEPALIVE unsigned viewer_substeps(void) { return app.state.substeps; }
EMSCRIPTEN_KEEPALIVE int viewer_integrator(void) { return app.state.integrator; }
EMSCRIPTEN_KEEPALIVE void viewer_pause(int paused) { app.paused = paused; }
EMSCRIPTEN_KEEPALIVE int viewer_paused(void) { return app.paused; }

EMSCRIPTEN_KEEPALIVE void viewer_frames(int count) { /* of 1/60 s, at once */
    for (int i = 0; i < count; i++) app_advance(FRAME_NANOSECONDS, 0);
    app_keep_hash();
}

EMSCRIPTEN_KEEPALIVE void viewer_advance(double seconds) { app_advance((uint64_t)(1e9 * seconds), 0); }

EMSCRIPTEN_KEEPALIVE void viewer_set(int parameter, float value) {
    if (parameter >= 0 && parameter < MAX_PARAMETERS && app_parameter(parameter)) app_set(parameter, value);
}

EMSCRIPTEN_KEEPALIVE const char *viewer_hash(void) {
    static char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)app.hash);
    return text;
}

EMSCRIPTEN_KEEPALIVE const char *viewer_note(void) { return app.note; }
