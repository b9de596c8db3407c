// A host in C++ with glm and names of its own. With -DUSING_BEFORE, glm's names are global before mote's
// headers are read; otherwise they become so afterwards.
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/gtc/type_ptr.hpp>

#if defined(USING_BEFORE)
using namespace glm;
#endif
#include <mote/mote.h>
#if !defined(USING_BEFORE)
using namespace glm;
#endif

int main() {
    const vec3 down(0.0f, -9.81f, 0.0f), start(1.0f, 2.0f, 3.0f);
    const mat3 turn(vec3(0, 1, 0), vec3(-1, 0, 0), vec3(0, 0, 0)); // columns: (1, 0, 0) becomes (0, 1, 0)
    const quat turned(1.0f, 0.0f, 0.0f, 0.0f);
    mote_transform root = MOTE_TRANSFORM_IDENTITY;
    const float rotation[4] = {turned.x, turned.y, turned.z, turned.w};
    for (int i = 0; i < 4; i++) root.rotation[i] = rotation[i];
    vec3 moved;
    mote_transform_point(&root, value_ptr(start), value_ptr(moved));
    if (moved != start) return 1;

    const mote_force_def gravity = mote_gravity(value_ptr(down)),
                         field = mote_linear_field(value_ptr(start), value_ptr(transpose(turn)),
                                                   MOTE_FIELD_WIND, 0.1f);
    mote_system_def def = mote_default_system_def();
    mote_system *system;
    mote_force_id force;
    mote_range_view view;
    if (mote_system_create(&def, &system)) return 2;
    if (mote_system_add_force(system, &gravity, &force) || mote_system_add_force(system, &field, &force))
        return 3;
    if (mote_system_spawn(system, 1, &view)) return 4;
    view.position.x[0] = 11, view.position.y[0] = 2, view.position.z[0] = 3; // 10 m beside the centre
    if (mote_system_step(system, 1, nullptr) || !(mote_system_view(system).velocity.y[0] > -9.81f / 60))
        return 5;
    mote_system_destroy(system);
    return 0;
}
