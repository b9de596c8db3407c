// A host in C++: embeds the installed library by frames, and checks where a thousand particles fall in a
// second.
#include <mote/mote.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

struct vertex {
    float position[3];
    unsigned colour;
};

struct destroy {
    void operator()(mote_system *system) const { mote_system_destroy(system); }
};

typedef std::unique_ptr<mote_system, destroy> owned_system;

const uint32_t count = 1000;
// As in consumer.c: g h^2 60 61 / 2, and what rounding may add to it in 60 steps.
const double fall = 9.81 / 3600.0 * 60.0 * 61.0 / 2.0;
const double tolerance = 4e-5;

owned_system falling_system() {
    mote_system_def def = mote_default_system_def();
    def.capacity = count;
    def.interpolation = MOTE_INTERPOLATE_NONE;
    def.max_steps_per_advance = 60;
    mote_system *made = nullptr;
    if (mote_system_create(&def, &made) != MOTE_OK) return owned_system();
    owned_system system(made);

    const float down[3] = {0.0f, -9.81f, 0.0f};
    const mote_force_def gravity = mote_gravity(down);
    mote_force_id id;
    mote_range_view view;
    if (mote_system_add_force(made, &gravity, &id) != MOTE_OK) return owned_system();
    if (mote_system_spawn(made, count, &view) != MOTE_OK) return owned_system();
    for (uint32_t i = 0; i < count; i++) view.position.y[i] = static_cast<float>(i) / count;
    return system;
}

} // namespace

int main() {
    const owned_system system = falling_system();
    if (!system) return 1;
    mote_advance advance;
    if (mote_system_advance(system.get(), 1000000000, &advance) != MOTE_OK || advance.steps != 60) return 2;

    std::vector<vertex> vertices(count, vertex{{1.0f, 1.0f, 1.0f}, 7u});
    mote_present_layout layout = mote_default_present_layout();
    layout.stride = sizeof(vertex);
    layout.position_offset = offsetof(vertex, position);
    const std::size_t bytes = vertices.size() * sizeof(vertex);
    if (mote_system_present(system.get(), &layout, vertices.data(), bytes) != MOTE_OK) return 3;

    for (uint32_t i = 0; i < count; i++) {
        const double expected = static_cast<double>(i) / count - fall;
        if (!(std::fabs(vertices[i].position[1] - expected) < tolerance) || vertices[i].colour != 7u) {
            std::printf("particle %u is not where it should be\n", static_cast<unsigned>(i));
            return 4;
        }
    }
    return 0;
}
