#include "window.h"

#include <string.h>
#include <time.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#if defined(__EMSCRIPTEN__)
#include <emscripten.h>
#include <emscripten/html5.h>
#else
#include <EGL/egl.h>
#include <EGL/eglext.h>
#endif

static struct {
    GLFWwindow *window; /* NULL: off screen */
    int width, height;  /* off screen */
    viewer_input now, next;
} w;

/* With Control, Alt or Super a key is the desktop's or the browser's (zoom, bookmark). A key that is held
 * down repeats single steps alone: others would switch to and fro. */
static void on_key(GLFWwindow *window, int key, int code, int action, int mods) {
    (void)window, (void)code;
    const int room = (int)(sizeof w.next.keys / sizeof w.next.keys[0]);
    const bool acts = action == GLFW_PRESS || (action == GLFW_REPEAT && key == GLFW_KEY_PERIOD);
    if (!acts || (mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER))) return;
    if (w.next.key_count < room) w.next.keys[w.next.key_count++] = key;
}

static void on_button(GLFWwindow *window, int button, int action, int mods) {
    (void)window, (void)mods;
    if (button != GLFW_MOUSE_BUTTON_LEFT) return;
    if (action == GLFW_PRESS)
        w.next.left_pressed = true;
    else
        w.next.left_released = true;
}

#if defined(__EMSCRIPTEN__)
/* Emscripten's GLFW passes on the numbers of the browser, whose unit and sign are others. */
static EM_BOOL on_wheel(int type, const EmscriptenWheelEvent *event, void *user) {
    (void)type, (void)user;
    const float lines = event->deltaMode == DOM_DELTA_PIXEL ? 100 : 3;
    w.next.scroll -= (float)event->deltaY / lines;
    return EM_TRUE;
}
#else
static void on_scroll(GLFWwindow *window, double x, double y) {
    (void)window, (void)x;
    w.next.scroll += (float)y;
}

/* Opens a context that no display is needed for. */
static const char *open_off_screen(int width, int height) {
    w.width = width, w.height = height;
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (display == EGL_NO_DISPLAY) display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    if (!eglInitialize(display, NULL, NULL)) return "no EGL display for a picture off screen";
    static const EGLint want[] = {EGL_SURFACE_TYPE,
                                  EGL_PBUFFER_BIT,
                                  EGL_RENDERABLE_TYPE,
                                  EGL_OPENGL_ES3_BIT,
                                  EGL_RED_SIZE,
                                  8,
                                  EGL_GREEN_SIZE,
                                  8,
                                  EGL_BLUE_SIZE,
                                  8,
                                  EGL_NONE};
    static const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    const EGLint size[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    if (!eglChooseConfig(display, want, &config, 1, &count) || count == 0)
        return "this machine has no OpenGL ES 3";
    eglBindAPI(EGL_OPENGL_ES_API);
    const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    const EGLSurface surface = eglCreatePbufferSurface(display, config, size);
    if (context == EGL_NO_CONTEXT || surface == EGL_NO_SURFACE) return "this machine has no OpenGL ES 3";
    return eglMakeCurrent(display, surface, surface, context) ? NULL : "OpenGL ES cannot be used here";
}
#endif

const char *window_open(int width, int height, bool hidden) {
#if defined(__EMSCRIPTEN__)
    (void)hidden;
    window_size(&width, &height); /* a canvas that changes its size waits for the graphics */
#else
    if (hidden) return open_off_screen(width, height);
#endif
    if (!glfwInit()) return "no display (is DISPLAY or WAYLAND_DISPLAY set?)";
    glfwWindowHint(GLFW_CLIENT_API, GLFW_OPENGL_ES_API);
    glfwWindowHint(GLFW_CONTEXT_CREATION_API, GLFW_EGL_CONTEXT_API);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 0);
    w.window = glfwCreateWindow(width, height, "mote", NULL, NULL);
    if (!w.window) return "this display has no OpenGL ES 3";
    glfwMakeContextCurrent(w.window);
    glfwSetKeyCallback(w.window, on_key);
    glfwSetMouseButtonCallback(w.window, on_button);
#if defined(__EMSCRIPTEN__)
    emscripten_set_wheel_callback("#canvas", NULL, EM_FALSE, on_wheel);
#else
    glfwSetScrollCallback(w.window, on_scroll);
#endif
    return NULL;
}

void window_close(void) {
    if (w.window) glfwTerminate();
}

void window_ask_to_close(void) {
    if (w.window) glfwSetWindowShouldClose(w.window, GLFW_TRUE);
}

bool window_should_close(void) { return w.window && glfwWindowShouldClose(w.window); }

#if defined(__EMSCRIPTEN__)
/* The canvas follows the size of the page, in pixels of the screen. Its pointer has such pixels too. */
float window_scale(void) { return (float)emscripten_get_device_pixel_ratio(); }
static float pointer_scale(void) { return 1; }

void window_size(int *width, int *height) {
    double wide, high;
    int now_wide, now_high;
    emscripten_get_element_css_size("#canvas", &wide, &high);
    *width = (int)(wide * (double)window_scale()), *height = (int)(high * (double)window_scale());
    emscripten_get_canvas_element_size("#canvas", &now_wide, &now_high);
    if (now_wide != *width || now_high != *height)
        emscripten_set_canvas_element_size("#canvas", *width, *height);
}
#else
void window_size(int *width, int *height) {
    *width = w.width, *height = w.height;
    if (w.window) glfwGetFramebufferSize(w.window, width, height);
}

float window_scale(void) {
    int width, height, wide, high;
    if (!w.window) return 1;
    glfwGetFramebufferSize(w.window, &width, &height);
    glfwGetWindowSize(w.window, &wide, &high);
    return wide > 0 ? (float)width / (float)wide : 1;
}

static float pointer_scale(void) { return window_scale(); }
#endif

static void read_input(void) {
    glfwPollEvents();
    double x, y;
    const float scale = pointer_scale();
    glfwGetCursorPos(w.window, &x, &y);
    w.next.x = (float)x * scale, w.next.y = (float)y * scale;
    w.next.moved_x = w.next.x - w.now.x, w.next.moved_y = w.next.y - w.now.y;
    w.next.left = glfwGetMouseButton(w.window, GLFW_MOUSE_BUTTON_LEFT) == GLFW_PRESS;
    w.next.right = glfwGetMouseButton(w.window, GLFW_MOUSE_BUTTON_RIGHT) == GLFW_PRESS;
    w.next.middle = glfwGetMouseButton(w.window, GLFW_MOUSE_BUTTON_MIDDLE) == GLFW_PRESS;
    w.next.shift = glfwGetKey(w.window, GLFW_KEY_LEFT_SHIFT) == GLFW_PRESS ||
                   glfwGetKey(w.window, GLFW_KEY_RIGHT_SHIFT) == GLFW_PRESS;
    w.now = w.next;
    memset(&w.next, 0, sizeof w.next);
}

void window_swap(void) {
    if (!w.window) return;
    glfwSwapBuffers(w.window);
    read_input();
}

void window_wait(void) {
#if !defined(__EMSCRIPTEN__) /* a page is called once in a frame of the screen */
    const struct timespec frame = {0, 8000000};
    nanosleep(&frame, NULL);
#endif
    read_input();
}

const viewer_input *window_input(void) { return &w.now; }

double window_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
