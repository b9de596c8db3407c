#include "picture.h"

#include <stdio.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

static void put(void *file, void *bytes, int size) { fwrite(bytes, 1, (size_t)size, file); }

/* stb's own files do not tell that a device is full. */
bool picture_write(const char *name, int width, int height, const unsigned char *pixels) {
    FILE *file = fopen(name, "wb");
    if (!file) return false;
    const bool made = stbi_write_png_to_func(put, file, width, height, 4, pixels, 4 * width);
    const bool written = made && !ferror(file);
    return fclose(file) == 0 && written;
}
