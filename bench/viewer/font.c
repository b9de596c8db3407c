/* Build step: draws the letters of a font into a picture and writes it as a C header. Arguments: a font file,
 * the header. */
#include <stdio.h>
#include <stdlib.h>

#define STB_TRUETYPE_IMPLEMENTATION
#include <stb/stb_truetype.h>

enum { WIDTH = 512, HEIGHT = 256, FIRST = 32, COUNT = 95 };

int main(int argc, char **argv) {
    static unsigned char font[1 << 22], picture[WIDTH * HEIGHT];
    static const float sizes[] = {15, 28};
    stbtt_packedchar letters[2][COUNT];
    stbtt_pack_context pack;
    FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL, *out = in ? fopen(argv[2], "w") : NULL;
    if (!out || fread(font, 1, sizeof font, in) == 0 ||
        !stbtt_PackBegin(&pack, picture, WIDTH, HEIGHT, 0, 1, NULL)) {
        fprintf(stderr, "font: no font, or no header\n");
        return 1;
    }
    for (int i = 0; i < 2; i++)
        if (!stbtt_PackFontRange(&pack, font, 0, sizes[i], FIRST, COUNT, letters[i])) return 1;
    stbtt_PackEnd(&pack);
    picture[WIDTH * HEIGHT - 1] = 255; /* rectangles have the colour of the last pixel */
    fprintf(out, "/* Made by font.c. */\nstatic const int font_width = %d, font_height = %d;\n", WIDTH,
            HEIGHT);
    fprintf(out, "typedef struct font_letter { float box[4], at[4], advance; } font_letter;\n");
    fprintf(out, "static const float font_sizes[2] = {%g, %g};\n", (double)sizes[0], (double)sizes[1]);
    fprintf(out, "static const font_letter font_letters[2][%d] = {\n", COUNT);
    for (int i = 0; i < 2; i++) {
        fprintf(out, "{");
        for (int k = 0; k < COUNT; k++) {
            const stbtt_packedchar *c = &letters[i][k];
            fprintf(out, "{{%d, %d, %d, %d}, {%g, %g, %g, %g}, %g},\n", c->x0, c->y0, c->x1, c->y1,
                    (double)c->xoff, (double)c->yoff, (double)c->xoff2, (double)c->yoff2,
                    (double)c->xadvance);
        }
        fprintf(out, "},\n");
    }
    fprintf(out, "};\nstatic const unsigned char font_picture[%d] = {", WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++) fprintf(out, "%d,%s", picture[i], i % 32 == 31 ? "\n" : "");
    fprintf(out, "};\n");
    fclose(in);
    return fclose(out);
}
