/* Text, sliders, buttons and plots over the picture. Lengths are pixels of a desktop unit, from the upper
 * left corner. Each call draws at once and returns what the pointer did. */
#ifndef VIEWER_UI_H
#define VIEWER_UI_H

#include "window.h"

typedef struct ui_colour {
    float r, g, b, a;
} ui_colour;

/* Layout: the panel lies at the left; narrow windows have the figures below the text; in small ones the panel
 * is closed until it is asked for, and there is no text over the picture. */
enum { UI_PANEL = 250, UI_NARROW = 1000, UI_SHORT = 480 };
static inline bool ui_is_small(int width, int height) {
    return width < 800 || height < UI_SHORT || (width < UI_NARROW && height < 640);
}

void ui_open(void);
void ui_close(void);
void ui_begin(int width, int height, float scale, const viewer_input *input);
void ui_end(void);

/* Returns true if the pointer is over a control or holds one: the scene must not take it. */
bool ui_has_pointer(void);
/* Returns true if the pointer is over an area that the wheel scrolls. */
bool ui_has_wheel(void);

/* Draws, and takes the pointer, only between two heights from here on. Lines are not cut. */
void ui_clip(float top, float low);

float ui_text_width(float size, const char *text);
void ui_text(float x, float y, float size, ui_colour colour, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void ui_rectangle(float x, float y, float width, float height, ui_colour colour);
void ui_line(float x0, float y0, float x1, float y1, float width, ui_colour colour);

/* Returns true if it was pressed. */
bool ui_button(float x, float y, float width, const char *text, bool on);
/* Shows a button for each of the names, up to NULL; value is the number of the one that is on. Returns true
 * if another was pressed. */
bool ui_choices(float x, float y, float width, const char *const *names, float *value);
/* Returns true while the value changes. logarithmic: least > 0. */
bool ui_slider(float x, float y, float width, const char *name, float *value, float least, float most,
               bool logarithmic);
/* Scrolls an area that shows `height` of a content's height by the wheel and by a bar at its right edge; `by`
 * is how much of the content is above it. Nothing is shown where all of it fits. */
void ui_scroll(float x, float y, float width, float height, float content, float *by);

#endif
