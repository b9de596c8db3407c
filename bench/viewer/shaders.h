/* Shaders. Colours are linear light in a picture of half floats, which the tone curve maps to the screen at
 * the end (LINEAR); where there is no such picture, each shader maps what it draws. */
#ifndef VIEWER_SHADERS_H
#define VIEWER_SHADERS_H

/* Tone curve: K. Narkowicz, ACES filmic approximation (2015). */
#define TONE                                                                                                 \
    "uniform float exposure;\n"                                                                              \
    "vec3 tone(vec3 c) {\n"                                                                                  \
    "  c *= 0.75 * exposure; c = c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14);\n"                  \
    "  return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2)); }\n"                                                 \
    "float grain(vec2 at) {\n" /* between -0.5 and 0.5: hides the steps of eight bits */                     \
    "  return fract(52.9829189 * fract(dot(at, vec2(0.06711056, 0.00583715)))) - 0.5; }\n"                   \
    "\n#ifdef LINEAR\n"                                                                                      \
    "vec3 shown(vec3 c) { return c; }\n"                                                                     \
    "\n#else\n"                                                                                              \
    "vec3 shown(vec3 c) { return tone(c); }\n"                                                               \
    "\n#endif\n"

/* Light that comes through sprites: a Fourier series of the optical thickness over the depth (J. Jansen and
 * L. Bavoil, Fourier opacity mapping, 2010). */
#define VOLUME                                                                                               \
    "uniform mat4 light;\n"                                                                                  \
    "vec3 on_map(vec3 x) { vec4 at = light * vec4(x, 1.0); return at.xyz * 0.5 + 0.5; }\n"                   \
    "uniform highp sampler2D volume, volume_more; uniform float has_volume;\n"                               \
    "float through_volume(vec3 at) {\n"                                                                      \
    "  if (has_volume < 0.5 || any(lessThan(at.xy, vec2(0.0))) || any(greaterThan(at.xy, vec2(1.0))))\n"     \
    "    return 1.0;\n"                                                                                      \
    "  float d = clamp(2.0 * at.z - 0.5, 0.0, 1.0), turn = 6.2831853 * d;\n"                                 \
    "  vec4 a = texture(volume, at.xy), b = texture(volume_more, at.xy);\n"                                  \
    "  float sum = a.x * d;\n"                                                                               \
    "  sum += (a.y * sin(turn) + a.z * (1.0 - cos(turn))) / 3.1415927;\n"                                    \
    "  sum += (a.w * sin(2.0 * turn) + b.x * (1.0 - cos(2.0 * turn))) / 6.2831853;\n"                        \
    "  sum += (b.y * sin(3.0 * turn) + b.z * (1.0 - cos(3.0 * turn))) / 9.424778;\n"                         \
    "  return exp(-max(sum, 0.0));\n"                                                                        \
    "}\n"

/* The light, how deep a place lies behind the first surface (m: light is lost in hair little by little), the
 * sky. */
#define LIGHTING                                                                                             \
    TONE VOLUME                                                                                              \
        "\n#ifndef TAPS\n#define TAPS 2\n#endif\n"                                                           \
        "uniform vec3 eye, to_light;\n"                                                                      \
        "uniform float light_depth;\n"                                                                       \
        "uniform highp sampler2D shadow_map;\n"                                                              \
        "float buried(vec3 x) {\n"                                                                           \
        "  vec3 at = on_map(x); float sum = 0.0, texel = 1.0 / float(textureSize(shadow_map, 0).x);\n"       \
        "  for (int i = 0; i < TAPS; i++) for (int j = 0; j < TAPS; j++)\n"                                  \
        "    sum += max(0.0, at.z - texture(shadow_map, at.xy + 1.5 * texel * (vec2(i, j) - 0.5)).r);\n"     \
        "  return sum * light_depth / float(TAPS * TAPS);\n"                                                 \
        "}\n"                                                                                                \
        "vec3 sky(vec3 n) { return mix(vec3(0.16, 0.13, 0.11), vec3(0.30, 0.36, 0.46), 0.5 + 0.5 * n.y); "   \
        "}\n"

/* The shadow: depth of the shadow map at places in a disc that is turned from pixel to pixel. */
#define SHADE                                                                                                \
    LIGHTING                                                                                                 \
    "uniform int taps;\n"                                                                                    \
    "const vec2 disc[12] = vec2[12](\n"                                                                      \
    "  vec2(0.204, 0.000), vec2(-0.261, 0.239), vec2(0.040, -0.455),\n"                                      \
    "  vec2(0.329, 0.429), vec2(-0.603, -0.107), vec2(0.571, -0.363),\n"                                     \
    "  vec2(-0.191, 0.711), vec2(-0.364, -0.702), vec2(0.791, 0.289),\n"                                     \
    "  vec2(-0.822, 0.339), vec2(0.396, -0.847), vec2(0.293, 0.934));\n"                                     \
    "float lit(vec3 x, float bias) {\n"                                                                      \
    "  vec3 at = on_map(x); float sum = 0.0, texel = 1.0 / float(textureSize(shadow_map, 0).x);\n"           \
    "  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;\n"                   \
    "  float turn = 6.2831853 * grain(gl_FragCoord.xy), wide = max(2.0 * texel, 0.003);\n"                   \
    "  mat2 turned = wide * mat2(cos(turn), sin(turn), -sin(turn), cos(turn));\n"                            \
    "  for (int i = 0; i < taps; i++)\n"                                                                     \
    "    sum += texture(shadow_map, at.xy + turned * disc[i]).r > at.z - bias ? 1.0 : 0.0;\n"                \
    "  vec2 rim = smoothstep(0.42, 0.5, abs(at.xy - 0.5));\n" /* the map has no edge */                      \
    "  return mix(sum / float(taps), 1.0, max(rim.x, rim.y));\n"                                             \
    "}\n"

#define SOLID_VERTEX                                                                                         \
    "layout(location = 0) in vec3 position;\n"                                                               \
    "layout(location = 1) in vec3 normal;\n"                                                                 \
    "uniform mat4 model, both; uniform vec2 shape;\n" /* radius and half length of a capsule */              \
    "uniform vec3 stretch; out vec3 x, n;\n"                                                                 \
    "void main() {\n"                                                                                        \
    "  vec3 p = position * stretch; p.y += sign(position.y) * shape.y;\n"                                    \
    "  x = (model * vec4(p, 1.0)).xyz; n = mat3(model) * (normal / stretch);\n"                              \
    "  gl_Position = both * vec4(x, 1.0);\n"                                                                 \
    "}\n"
/* silk: threads shine along the rim and where the light grazes them, and have colour in their highlight. */
#define SOLID_FRAGMENT                                                                                       \
    SHADE "in vec3 x, n; out vec4 pixel;\n"                                                                  \
          "uniform vec3 colour; uniform float gloss, silk;\n"                                                \
          "void main() {\n"                                                                                  \
          "  vec3 to_eye = normalize(eye - x), normal = normalize(n);\n"                                     \
          "  if (silk > 0.0 && !gl_FrontFacing) normal = -normal;\n"                                         \
          "  float facing = dot(normal, to_light), sun = smoothstep(-0.3, 1.0, facing);\n"                   \
          "  float light_here = lit(x + 0.004 * light_depth * normal, 0.001 + 0.004 * (1.0 - facing));\n"    \
          "  light_here *= smoothstep(-0.3, 0.3, facing) * through_volume(on_map(x));\n"                     \
          "  vec3 half_way = normalize(to_light + to_eye);\n"                                                \
          "  float shine = pow(max(0.0, dot(normal, half_way)), mix(12.0, 90.0, gloss)) * gloss;\n"          \
          "  float rim = pow(1.0 - max(0.0, dot(normal, to_eye)), 3.0);\n"                                   \
          "  vec3 c = colour * (mix(1.0, 0.45, silk) * sky(normal) +\n"                                      \
          "    1.5 * sun * light_here * vec3(1.0, 0.95, 0.86));\n"                                           \
          "  c += shine * light_here * mix(vec3(0.8), 3.0 * colour + 0.1, silk);\n"                          \
          "  c += rim * mix(0.12 * sky(normal), (1.2 * light_here + 0.3) * colour, silk);\n"                 \
          "  pixel = vec4(shown(c), 1.0);\n"                                                                 \
          "}\n"

#define FLOOR_VERTEX                                                                                         \
    "uniform mat4 both; uniform vec3 centre; uniform float size; out vec3 x;\n"                              \
    "void main() {\n"                                                                                        \
    "  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;\n"                   \
    "  x = centre + size * vec3(corner.x, 0.0, corner.y); gl_Position = both * vec4(x, 1.0);\n"              \
    "}\n"
#define FLOOR_FRAGMENT                                                                                       \
    SHADE "in vec3 x; out vec4 pixel; uniform vec3 centre, colour; uniform float size, cell;\n"              \
          "float grid(vec2 at) {\n"                                                                          \
          "  vec2 wide = fwidth(at), line = abs(fract(at - 0.5) - 0.5) / max(wide, vec2(1e-6));\n"           \
          "  float fade = 1.0 - clamp(2.0 * max(wide.x, wide.y), 0.0, 1.0);\n"                               \
          "  return fade * (1.0 - min(1.0, min(line.x, line.y)));\n"                                         \
          "}\n"                                                                                              \
          "void main() {\n"                                                                                  \
          "  float edge = 1.0 - smoothstep(0.15, 1.0, length(x - centre) / size);\n"                         \
          "  float sun = lit(x, 0.001) * through_volume(vec3(on_map(x).xy, 1.0));\n"                         \
          "  vec3 c = colour * (sky(vec3(0.0, 1.0, 0.0)) + 1.2 * to_light.y * sun);\n"                       \
          "  c *= 1.0 + 0.22 * grid(x.xz / cell) + 0.2 * grid(x.xz / (5.0 * cell));\n"                       \
          "  pixel = vec4(shown(c), edge);\n"                                                                \
          "}\n"

#define SKY_VERTEX                                                                                           \
    "out vec2 at; void main() { at = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 4.0 - 1.0;\n"   \
    "  gl_Position = vec4(at, 1.0, 1.0); }\n"
#define SKY_FRAGMENT                                                                                         \
    TONE "in vec2 at; out vec4 pixel; void main() {\n"                                                       \
         "  float r = length(at * vec2(0.8, 1.0) - vec2(0.0, 0.25));\n"                                      \
         "  vec3 c = mix(vec3(0.055, 0.063, 0.079), vec3(0.010, 0.012, 0.018), smoothstep(0.0, 1.5, r));\n"  \
         "  pixel = vec4(shown(c), 1.0); }\n"

/* Hair: Kajiya and Kay 1989 with two shifted highlights, a shadow that deepens with the way through hair. */
#define HAIR_INPUT                                                                                           \
    "layout(location = 0) in vec3 position;\n"                                                               \
    "layout(location = 1) in vec3 tangent;\n"                                                                \
    "layout(location = 2) in float side;\n"                                                                  \
    "layout(location = 3) in float along;\n"                                                                 \
    "uniform mat4 both;\n"                                                                                   \
    "float hair_number() { return fract(float(gl_VertexID / 64) * 0.6180339887); }\n"
#define HAIR_LIGHT                                                                                           \
    LIGHTING                                                                                                 \
    "uniform vec3 root, tip; uniform float gloss;\n"                                                         \
    "float shine(vec3 t, vec3 h, float shift, vec3 n, float power) {\n"                                      \
    "  float d = dot(normalize(t + shift * n), h); return pow(sqrt(max(0.0, 1.0 - d * d)), power); }\n"      \
    "vec3 hair_light(vec3 x, vec3 t, float u, float k) {\n"                                                  \
    "  vec3 tangent = normalize(t), to_eye = normalize(eye - x), h = normalize(to_light + to_eye);\n"        \
    "  vec3 n = normalize(cross(cross(tangent, to_eye), tangent));\n"                                        \
    "  float d = dot(tangent, to_light), across = sqrt(max(0.0, 1.0 - d * d));\n"                            \
    "  float through = exp(-9.0 * buried(x + 0.002 * to_light));\n"                                          \
    "  vec3 c = mix(root, tip, u) * (0.75 + 0.5 * k);\n"                                                     \
    "  vec3 sum = c * sky(n) * (0.35 + 0.65 * through) + 1.35 * c * across * through;\n"                     \
    "  sum += gloss * through * 0.28 * shine(tangent, h, -0.08, n, 90.0) * vec3(1.0, 0.96, 0.9);\n"          \
    "  return sum + gloss * through * 0.9 * shine(tangent, h, 0.12 + 0.1 * (k - 0.5), n, 22.0) * c;\n"       \
    "}\n"
#define HAIR_VERTEX                                                                                          \
    HAIR_INPUT "out vec3 x, t; out float u, s, k;\n"                                                         \
               "void main() { x = position; t = tangent; u = along; s = side; k = hair_number();\n"          \
               "  gl_Position = both * vec4(x, 1.0); }\n"
#define HAIR_FRAGMENT                                                                                        \
    HAIR_LIGHT                                                                                               \
    "in vec3 x, t; in float u, s, k; out vec4 pixel;\n"                                                      \
    "void main() {\n"                                                                                        \
    "  float wide = clamp(1.6 - fwidth(s), 0.0, 1.0);\n" /* a ribbon of a pixel has no shape */              \
    "  float round_off = 1.0 - 0.35 * mix(0.333, s * s, wide);\n"                                            \
    "  pixel = vec4(shown(hair_light(x, t, u, k) * round_off), 1.0);\n"                                      \
    "}\n"
/* Lit at its points, without shape: triangles take a software renderer a time that grows with what they
 * carry. */
#define QUICK_HAIR_VERTEX                                                                                    \
    "#define TAPS 1\n" HAIR_INPUT HAIR_LIGHT "out vec3 c;\n"                                                 \
    "void main() { gl_Position = both * vec4(position, 1.0);\n"                                              \
    "  c = 0.883 * hair_light(position, tangent, along, hair_number()); }\n"
#define QUICK_HAIR_FRAGMENT TONE "in vec3 c; out vec4 pixel; void main() { pixel = vec4(shown(c), 1.0); }\n"

/* Sprites. Those that are lit have the colour `old` and glow by `young` while they are young. */
#define SPRITE_INPUT                                                                                         \
    "layout(location = 0) in vec3 position;\n"                                                               \
    "layout(location = 1) in vec3 velocity;\n"                                                               \
    "layout(location = 2) in float remaining;\n"                                                             \
    "uniform mat4 both; uniform vec4 young, old, fast; uniform vec3 sizes;\n" /* young, old, pixels a metre  \
                                                                               */                            \
    "uniform vec2 speeds;\n"                                                                                 \
    "float life_alpha(float age) {\n"                                                                        \
    "  return mix(young.a, old.a, age) * (1.0 - smoothstep(0.6, 1.0, age)) * smoothstep(0.0, 0.03, age); "   \
    "}\n"
#define SPRITE_VERTEX                                                                                        \
    VOLUME SPRITE_INPUT "uniform float is_lit; out vec4 colour; out vec4 glow;\n" /* glow: and the light     \
                                                                                     through the others */   \
                        "void main() {\n"                                                                    \
                        "  float age = 1.0 - clamp(remaining, 0.0, 1.0);\n"                                  \
                        "  colour = mix(young, old, age); glow = vec4(0.0);\n"                               \
                        "  if (is_lit > 0.5) {\n"                                                            \
                        "    float hot = exp(-9.0 * age); colour = vec4(old.rgb, life_alpha(age));\n"        \
                        "    glow = vec4(young.rgb * hot * hot, has_volume > 0.5 ? "                         \
                        "through_volume(on_map(position)) : 0.35);\n"                                        \
                        "  } else if (speeds.y > 0.0) {\n"                                                   \
                        "    float share = (length(velocity) - speeds.x) / (speeds.y - speeds.x);\n"         \
                        "    colour = mix(colour, fast, clamp(share, 0.0, 1.0));\n"                          \
                        "  }\n"                                                                              \
                        "  gl_Position = both * vec4(position, 1.0);\n"                                      \
                        "  float pixels = mix(sizes.x, sizes.y, sqrt(age)) * sizes.z / gl_Position.w;\n"     \
                        "  gl_PointSize = max(pixels, 1.0); colour.a *= min(1.0, pixels * pixels);\n"        \
                        "}\n"
#define SPRITE_FRAGMENT                                                                                      \
    TONE "in vec4 colour, glow; out vec4 pixel; uniform float adds, is_lit; uniform vec3 light_in_view;\n"   \
         "void main() {\n"                                                                                   \
         "  vec2 at = 2.0 * gl_PointCoord - 1.0; float r = dot(at, at);\n"                                   \
         "  if (r > 1.0) discard;\n"                                                                         \
         "  float soft = (1.0 - r) * (1.0 - r), a = colour.a * soft; vec3 c = colour.rgb;\n"                 \
         "  if (is_lit > 0.5) {\n"                                                                           \
         "    vec3 n = vec3(at.x, -at.y, sqrt(1.0 - r));\n"                                                  \
         "    float sun = glow.a * (0.6 + 0.5 * dot(n, light_in_view));\n"                                   \
         "    vec3 around = mix(vec3(0.20, 0.18, 0.17), vec3(0.42, 0.50, 0.62), 0.5 + 0.5 * n.y);\n"         \
         "    c = c * (2.6 * sun * vec3(1.0, 0.93, 0.82) + around * (0.3 + 0.7 * sqrt(glow.a)));\n"          \
         "    c += glow.rgb;\n"                                                                              \
         "  }\n"                                                                                             \
         "  pixel = vec4(shown(c) * a, a * (1.0 - adds));\n"                                                 \
         "}\n"

/* Sprites as the light sees them: optical thickness times cosine and sine of the depth. */
#define VOLUME_VERTEX                                                                                        \
    SPRITE_INPUT "out float alpha, depth;\n"                                                                 \
                 "void main() {\n"                                                                           \
                 "  float age = 1.0 - clamp(remaining, 0.0, 1.0); alpha = life_alpha(age);\n"                \
                 "  gl_Position = both * vec4(position, 1.0);\n"                                             \
                 "  depth = clamp(gl_Position.z + 0.5, 0.0, 1.0);\n"                                         \
                 "  gl_PointSize = max(mix(sizes.x, sizes.y, sqrt(age)) * sizes.z, 1.0);\n"                  \
                 "}\n"
#define VOLUME_FRAGMENT                                                                                      \
    "in float alpha, depth; layout(location = 0) out vec4 first; layout(location = 1) out vec4 more;\n"      \
    "void main() {\n"                                                                                        \
    "  vec2 at = 2.0 * gl_PointCoord - 1.0; float r = dot(at, at);\n"                                        \
    "  if (r > 1.0) discard;\n"                                                                              \
    "  float thick = -0.4 * log(1.0 - 0.98 * alpha * (1.0 - r) * (1.0 - r)), turn = 6.2831853 * depth;\n"    \
    "  first = thick * vec4(1.0, cos(turn), sin(turn), cos(2.0 * turn));\n"                                  \
    "  more = thick * vec4(sin(2.0 * turn), cos(3.0 * turn), sin(3.0 * turn), 0.0);\n"                       \
    "}\n"

/* Colours of lines are those of the screen. */
#define LINE_VERTEX                                                                                          \
    "layout(location = 0) in vec3 position;\n"                                                               \
    "layout(location = 1) in vec4 colour;\n"                                                                 \
    "uniform mat4 both; out vec4 c; void main() { c = colour; gl_Position = both * vec4(position, 1.0); }\n"
#define LINE_FRAGMENT                                                                                        \
    TONE "in vec4 c; out vec4 pixel; uniform float adds;\n"                                                  \
         "void main() { pixel = vec4(shown(1.5 * pow(c.rgb, vec3(2.2))) * c.a, c.a * (1.0 - adds)); }\n"

/* A part of what is brighter than the screen goes to the other colours: bright blue turns white by and by. */
#define TONE_FRAGMENT                                                                                        \
    TONE "in vec2 at; out vec4 pixel; uniform sampler2D picture;\n"                                          \
         "void main() {\n"                                                                                   \
         "  vec3 c = texture(picture, at * 0.5 + 0.5).rgb; float most = max(c.r, max(c.g, c.b));\n"          \
         "  pixel = vec4(tone(c + 0.06 * max(0.0, most - 1.0)) + grain(gl_FragCoord.xy) / 255.0, 1.0); }\n"

#define COPY_FRAGMENT                                                                                        \
    "in vec2 at; out vec4 pixel; uniform sampler2D picture;\n"                                               \
    "void main() { pixel = vec4(texture(picture, at * 0.5 + 0.5).rgb, 1.0); }\n"

#define NOTHING_FRAGMENT "void main() {}\n"

#endif
