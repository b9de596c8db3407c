/* Bullet: ropes as soft bodies, whose links are solved one after another by positions. */
#include "peer.h"

#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>
#include <vector>

namespace {

enum { ITERATIONS = 10 };

struct bullet_state {
    peer_work work;
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<btSoftBody *> ropes;
};

btVector3 vector_of(const float *x) { return {x[0], x[1], x[2]}; }

/* Ropes alone: no collisions, the first point is fixed. */
void *open(const void *user, unsigned) {
    auto *s = new bullet_state;
    s->work = *static_cast<const peer_work *>(user);
    const auto &w = s->work;
    s->world.setGravity(vector_of(w.gravity));
    s->world.getWorldInfo().m_gravity = vector_of(w.gravity);
    for (uint32_t i = 0; i < w.count; i += w.points) {
        auto *rope =
            btSoftBodyHelpers::CreateRope(s->world.getWorldInfo(), vector_of(w.positions[i]),
                                          vector_of(w.positions[i + w.points - 1]), int(w.points) - 2, 1);
        rope->m_cfg.piterations = ITERATIONS;
        rope->m_cfg.kDP = 0;
        rope->m_cfg.collisions = 0;
        rope->setTotalMass(0.1f);
        rope->setMass(0, 0);
        s->world.addSoftBody(rope, 0, 0);
        s->ropes.push_back(rope);
    }
    return s;
}

void frame(void *user) {
    auto *s = static_cast<bullet_state *>(user);
    for (uint32_t k = 0; k < s->work.substeps; k++) s->world.stepSimulation(s->work.h, 0);
}

void place(const void *user, uint32_t body, float *to) {
    const auto *s = static_cast<const bullet_state *>(user);
    const btVector3 &x = s->ropes[body / s->work.points]->m_nodes[int(body % s->work.points)].m_x;
    for (int i = 0; i < 3; i++) to[i] = float(x[i]);
}

void close(void *user) {
    auto *s = static_cast<bullet_state *>(user);
    for (auto *rope : s->ropes) {
        s->world.removeSoftBody(rope);
        delete rope;
    }
    delete s;
}

} // namespace

extern "C" {
const bench_peer peer_bullet = {"Bullet soft ropes",
                                "position-based links, 10 passes a substep, without collisions and damping",
                                PEER_ROPES,
                                open,
                                frame,
                                place,
                                close};
}
