#include "picture.h"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

bool picture_write(const char *name, int width, int height, const unsigned char *pixels) {
    return stbi_write_png(name, width, height, 4, pixels, 4 * width);
}
