/* Window with its input, or a picture without a screen. Natively and in the browser by GLFW. */
#ifndef VIEWER_WINDOW_H
#define VIEWER_WINDOW_H

#include <stdbool.h>

/* Input of one frame. Coordinates are pixels of the frame buffer, from the upper left corner. */
typedef struct viewer_input {
    float x, y, moved_x, moved_y; /* of the pointer */
    float scroll;
    bool left, right, middle, shift;  /* held */
    bool left_pressed, left_released; /* in this frame */
    int keys[64], key_count;          /* pressed in this frame: GLFW's numbers */
} viewer_input;

/* Opens a window, or with `hidden` only a picture off screen. Returns NULL or a sentence that tells why it
 * cannot be opened. */
const char *window_open(int width, int height, bool hidden);
void window_close(void);
void window_ask_to_close(void);
bool window_should_close(void);

/* Size of the frame buffer, pixels; and how many of them make a unit of the desktop (high-DPI). */
void window_size(int *width, int *height);
float window_scale(void);

/* Shows the frame and reads the input for the next one. */
void window_swap(void);
const viewer_input *window_input(void);
/* Reads the input after a frame that shows nothing. */
void window_wait(void);

double window_seconds(void);

#endif
