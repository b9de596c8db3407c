/* Shaders. */
#ifndef VIEWER_SHADERS_H
#define VIEWER_SHADERS_H

/* The light and its shadow: depth of the shadow map at nine places. */
#define SHADE                                                                                                \
    "uniform vec3 eye, to_light;\n"                                                                          \
    "uniform mat4 light;\n"                                                                                  \
    "uniform float light_depth;\n"                                                                           \
    "uniform highp sampler2D shadow_map;\n"                                                                  \
    "vec3 on_map(vec3 x) { vec4 at = light * vec4(x, 1.0); return at.xyz * 0.5 + 0.5; }\n"                   \
    "float lit(vec3 x, float bias) {\n"                                                                      \
    "  vec3 at = on_map(x); float sum = 0.0, texel = 1.0 / float(textureSize(shadow_map, 0).x);\n"           \
    "  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;\n"                   \
    "  for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++)\n"                                        \
    "    sum += texture(shadow_map, at.xy + 1.2 * texel * vec2(i, j)).r > at.z - bias ? 1.0 : 0.0;\n"        \
    "  return sum / 9.0;\n"                                                                                  \
    "}\n" /* Depth of x behind the first surface, m: light is lost in hair little by little. */              \
    "float buried(vec3 x) {\n"                                                                               \
    "  vec3 at = on_map(x); float sum = 0.0, texel = 1.0 / float(textureSize(shadow_map, 0).x);\n"           \
    "  for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++)\n"                                            \
    "    sum += max(0.0, at.z - texture(shadow_map, at.xy + 1.5 * texel * (vec2(i, j) - 0.5)).r);\n"         \
    "  return 0.25 * sum * light_depth;\n"                                                                   \
    "}\n"                                                                                                    \
    "vec3 sky(vec3 n) { return mix(vec3(0.16, 0.13, 0.11), vec3(0.30, 0.36, 0.46), 0.5 + 0.5 * n.y); }\n"    \
    "vec3 screen(vec3 c) {\n" /* tone curve: K. Narkowicz, ACES filmic approximation (2015) */               \
    "  c *= 0.75; c = c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14);\n"                             \
    "  return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2)); }\n"

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
#define SOLID_FRAGMENT                                                                                       \
    SHADE "in vec3 x, n; out vec4 pixel;\n"                                                                  \
          "uniform vec3 colour; uniform float gloss, two_sided;\n"                                           \
          "void main() {\n"                                                                                  \
          "  vec3 to_eye = normalize(eye - x), normal = normalize(n);\n"                                     \
          "  if (two_sided > 0.5 && dot(normal, to_eye) < 0.0) normal = -normal;\n"                          \
          "  float facing = max(0.0, dot(normal, to_light));\n"                                              \
          "  float light_here = lit(x + 0.002 * light_depth * normal, 0.001 + 0.004 * (1.0 - facing));\n"    \
          "  vec3 half_way = normalize(to_light + to_eye);\n"                                                \
          "  float shine = pow(max(0.0, dot(normal, half_way)), mix(12.0, 90.0, gloss)) * gloss;\n"          \
          "  float rim = pow(1.0 - max(0.0, dot(normal, to_eye)), 3.0);\n"                                   \
          "  vec3 c = colour * (sky(normal) + 1.5 * facing * light_here * vec3(1.0, 0.95, 0.86));\n"         \
          "  c += shine * light_here * vec3(0.8) + 0.12 * rim * sky(normal);\n"                              \
          "  pixel = vec4(screen(c), 1.0);\n"                                                                \
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
          "  float edge = smoothstep(1.0, 0.15, length(x - centre) / size);\n"                               \
          "  vec3 c = colour * (sky(vec3(0.0, 1.0, 0.0)) + 1.2 * to_light.y * lit(x, 0.001));\n"             \
          "  c *= 1.0 + 0.22 * grid(x.xz / cell) + 0.2 * grid(x.xz / (5.0 * cell));\n"                       \
          "  pixel = vec4(screen(c), edge);\n"                                                               \
          "}\n"

#define SKY_VERTEX                                                                                           \
    "out vec2 at; void main() { at = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 4.0 - 1.0;\n"   \
    "  gl_Position = vec4(at, 1.0, 1.0); }\n"
#define SKY_FRAGMENT                                                                                         \
    "in vec2 at; out vec4 pixel; void main() {\n"                                                            \
    "  float r = length(at * vec2(0.8, 1.0) - vec2(0.0, 0.25));\n"                                           \
    "  vec3 c = mix(vec3(0.030, 0.036, 0.047), vec3(0.004, 0.005, 0.008), smoothstep(0.0, 1.5, r));\n"       \
    "  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));\n"       \
    "  pixel = vec4(pow(c, vec3(1.0 / 2.2)) + (noise - 0.5) / 255.0, 1.0); }\n"

/* Hair: Kajiya and Kay 1989 with two shifted highlights, a shadow that deepens with the way through hair. */
#define HAIR_VERTEX                                                                                          \
    "layout(location = 0) in vec3 position;\n"                                                               \
    "layout(location = 1) in vec3 tangent;\n"                                                                \
    "layout(location = 2) in float side;\n"                                                                  \
    "layout(location = 3) in float along;\n"                                                                 \
    "uniform mat4 both; out vec3 x, t; out float u, s, k;\n"                                                 \
    "void main() { x = position; t = tangent; u = along; s = side;\n"                                        \
    "  k = fract(float(gl_VertexID / 64) * 0.6180339887);\n"                                                 \
    "  gl_Position = both * vec4(x, 1.0); }\n"
#define HAIR_FRAGMENT                                                                                        \
    SHADE                                                                                                    \
    "in vec3 x, t; in float u, s, k; out vec4 pixel; uniform vec3 root, tip; uniform float gloss;\n"         \
    "float shine(vec3 t, vec3 h, float shift, vec3 n, float power) {\n"                                      \
    "  float d = dot(normalize(t + shift * n), h); return pow(sqrt(max(0.0, 1.0 - d * d)), power); }\n"      \
    "void main() {\n"                                                                                        \
    "  vec3 tangent = normalize(t), to_eye = normalize(eye - x), h = normalize(to_light + to_eye);\n"        \
    "  vec3 n = normalize(cross(cross(tangent, to_eye), tangent));\n"                                        \
    "  float d = dot(tangent, to_light), across = sqrt(max(0.0, 1.0 - d * d));\n"                            \
    "  float through = exp(-9.0 * buried(x + 0.002 * to_light));\n"                                          \
    "  vec3 c = mix(root, tip, u) * (0.75 + 0.5 * k);\n"                                                     \
    "  float round_off = 1.0 - 0.35 * s * s;\n"                                                              \
    "  vec3 sum = c * sky(n) * (0.35 + 0.65 * through) + 1.35 * c * across * through;\n"                     \
    "  sum += gloss * through * 0.55 * shine(tangent, h, -0.08, n, 90.0) * vec3(1.0, 0.96, 0.9);\n"          \
    "  sum += gloss * through * 0.9 * shine(tangent, h, 0.12 + 0.1 * (k - 0.5), n, 22.0) * c;\n"             \
    "  pixel = vec4(screen(sum * round_off), 1.0);\n"                                                        \
    "}\n"

#define SPRITE_VERTEX                                                                                        \
    "layout(location = 0) in vec3 position;\n"                                                               \
    "layout(location = 1) in vec3 velocity;\n"                                                               \
    "layout(location = 2) in float remaining;\n"                                                             \
    "uniform mat4 both; uniform vec4 young, old, fast; uniform vec3 sizes;\n" /* young, old, pixels a metre  \
                                                                               */                            \
    "uniform float fast_speed; out vec4 colour;\n"                                                           \
    "void main() {\n"                                                                                        \
    "  float age = 1.0 - clamp(remaining, 0.0, 1.0);\n"                                                      \
    "  colour = mix(young, old, age);\n"                                                                     \
    "  if (fast_speed > 0.0) colour = mix(colour, fast, clamp(length(velocity) / fast_speed, 0.0, 1.0));\n"  \
    "  gl_Position = both * vec4(position, 1.0);\n"                                                          \
    "  float pixels = mix(sizes.x, sizes.y, age) * sizes.z / gl_Position.w;\n"                               \
    "  gl_PointSize = max(pixels, 1.0); colour.a *= min(1.0, pixels * pixels);\n"                            \
    "}\n"
#define SPRITE_FRAGMENT                                                                                      \
    "in vec4 colour; out vec4 pixel; uniform float adds;\n"                                                  \
    "void main() {\n"                                                                                        \
    "  vec2 at = 2.0 * gl_PointCoord - 1.0; float r = dot(at, at);\n"                                        \
    "  if (r > 1.0) discard;\n"                                                                              \
    "  float soft = (1.0 - r) * (1.0 - r), a = colour.a * soft;\n"                                           \
    "  pixel = vec4(pow(colour.rgb, vec3(1.0 / 2.2)) * a, a * (1.0 - adds));\n"                              \
    "}\n"

#define LINE_VERTEX                                                                                          \
    "layout(location = 0) in vec3 position;\n"                                                               \
    "layout(location = 1) in vec4 colour;\n"                                                                 \
    "uniform mat4 both; out vec4 c; void main() { c = colour; gl_Position = both * vec4(position, 1.0); }\n"
#define LINE_FRAGMENT "in vec4 c; out vec4 pixel; void main() { pixel = vec4(c.rgb * c.a, c.a); }\n"

#define COPY_FRAGMENT                                                                                        \
    "in vec2 at; out vec4 pixel; uniform sampler2D picture;\n"                                               \
    "void main() { pixel = vec4(texture(picture, at * 0.5 + 0.5).rgb, 1.0); }\n"

#define NOTHING_FRAGMENT "void main() {}\n"

#endif
