/* Calls for the loose particles of a system: views, spawning, killing, impulses, external forces,
 * presentation. */
#include <math.h>
#include <string.h>

#include "system/internal.h"

static mote_vector_columns vector_at(const mote_particles *particles, mote_column_id id, uint32_t first) {
    float *column[3];
    mote_particles_vector(particles, id, column);
    if (!column[0]) return (mote_vector_columns){NULL, NULL, NULL};
    return (mote_vector_columns){column[0] + first, column[1] + first, column[2] + first};
}

static void *element_at(const mote_particles *particles, int id, uint32_t slot) {
    unsigned char *column = particles->column[id];
    return column ? column + (size_t)slot * particles->element_bytes[id] : NULL;
}

static mote_quaternion_columns orientation_at(const mote_particles *particles, uint32_t first) {
    float *const *column = (float *const *)&particles->column[MOTE_COLUMN_ORIENTATION];
    if (!column[0]) return (mote_quaternion_columns){NULL, NULL, NULL, NULL};
    return (mote_quaternion_columns){column[0] + first, column[1] + first, column[2] + first,
                                     column[3] + first};
}

static mote_range_view view_of(const mote_particles *particles, uint32_t first, uint32_t count) {
    mote_range_view view = {.first = first,
                            .count = count,
                            .position = vector_at(particles, MOTE_COLUMN_POSITION, first),
                            .velocity = vector_at(particles, MOTE_COLUMN_VELOCITY, first),
                            .previous = vector_at(particles, MOTE_COLUMN_PREVIOUS_POSITION, first),
                            .inverse_mass = element_at(particles, MOTE_COLUMN_INVERSE_MASS, first),
                            .birth_step = element_at(particles, MOTE_COLUMN_BIRTH, first),
                            .lifetime = element_at(particles, MOTE_COLUMN_LIFETIME, first),
                            .initial_age = element_at(particles, MOTE_COLUMN_INITIAL_AGE, first),
                            .anchor = vector_at(particles, MOTE_COLUMN_ANCHOR, first),
                            .id = element_at(particles, MOTE_COLUMN_ID, first),
                            .radius = element_at(particles, MOTE_COLUMN_RADIUS, first),
                            .stuck = element_at(particles, MOTE_COLUMN_STUCK, first),
                            .orientation = orientation_at(particles, first),
                            .angular_velocity = vector_at(particles, MOTE_COLUMN_ANGULAR_VELOCITY, first),
                            .inertia.x = element_at(particles, MOTE_COLUMN_INERTIA, first),
                            .inertia.y = element_at(particles, MOTE_COLUMN_INERTIA + 1, first),
                            .inertia.z = element_at(particles, MOTE_COLUMN_INERTIA + 2, first)};
    for (int i = 0; i < (int)MOTE_MAX_EXTRA_COLUMNS; i++)
        view.extra[i] = element_at(particles, MOTE_COLUMN_EXTRA + i, first);
    return view;
}

mote_range_view mote_system_view(mote_system *system) {
    if (!system || (!system->busy && mote_system_fetch(system))) return (mote_range_view){0};
    return view_of(&system->particles, 0, system->particles.range.slot_count);
}

uint32_t mote_system_count(const mote_system *system) {
    return system ? system->particles.range.slot_count : 0;
}

uint32_t mote_system_available(const mote_system *system) {
    return system ? mote_particles_available(&system->particles) : 0;
}

mote_result mote_system_set_step_hook(mote_system *system, mote_step_hook *hook, void *user) {
    if (!system) return MOTE_ERROR_NULL;
    if (system->busy) return MOTE_ERROR_BUSY;
    system->hook = hook;
    system->hook_user = user;
    return MOTE_OK;
}

void mote_system_call_hook(mote_system *system) {
    const mote_range_view view = view_of(&system->particles, 0, system->particles.range.slot_count);
    system->in_hook = true;
    system->hook(system->hook_user, system, &view);
    system->in_hook = false;
}

mote_result mote_system_spawn(mote_system *system, uint32_t count, mote_range_view *view) {
    if (view) *view = (mote_range_view){0};
    if (!system || !view) return MOTE_ERROR_NULL;
    if (!mote_system_may_edit(system)) return MOTE_ERROR_BUSY;
    mote_particles *particles = &system->particles;
    if (count > mote_particles_available(particles)) return MOTE_ERROR_CAPACITY;
    uint32_t first = particles->range.slot_count;
    mote_system_lend(system, MOTE_LENT_SPAWNED);
    mote_particles_add(particles, count, (uint32_t)system->clock.step);
    mote_system_edited(&particles->range);
    *view = view_of(particles, first, count);
    return MOTE_OK;
}

uint32_t mote_system_slot(const mote_system *system, mote_particle_id particle) {
    if (!system || particle.index >= system->particles.used_ids || !system->particles.ids)
        return MOTE_NO_SLOT;
    const mote_id_entry *entry = &system->particles.ids[particle.index];
    if (entry->generation != particle.generation) return MOTE_NO_SLOT;
    /* A free index already has the generation of its next particle. The id in the column of the slot decides
     * whether the particle is alive. */
    uint32_t slot = entry->slot;
    if (slot >= system->particles.range.slot_count) return MOTE_NO_SLOT;
    const mote_particle_id *owner = element_at(&system->particles, MOTE_COLUMN_ID, slot);
    bool lives = owner->index == particle.index && owner->generation == particle.generation;
    return lives ? slot : MOTE_NO_SLOT;
}

static void kill_slot(mote_particles *particles, uint32_t slot) {
    uint8_t *fate = mote_particles_fate(particles) + slot;
    if (*fate != MOTE_FATE_ALIVE) return;
    *fate = MOTE_FATE_KILLED;
    mote_particles_retire_id(particles, slot);
    particles->pending_kills++;
}

mote_result mote_system_kill_slots(mote_system *system, uint32_t count, const uint32_t *slots) {
    if (!system || (count && !slots)) return MOTE_ERROR_NULL;
    if (!mote_system_may_edit(system)) return MOTE_ERROR_BUSY;
    for (uint32_t i = 0; i < count; i++)
        if (slots[i] >= system->particles.range.slot_count) return MOTE_ERROR_RANGE;
    for (uint32_t i = 0; i < count; i++) kill_slot(&system->particles, slots[i]);
    mote_system_edited(&system->particles.range);
    return MOTE_OK;
}

/* Kills particles up to the first id that names no living one; an id given twice names none the second time.
 * Returns the number of particles killed. */
static uint32_t kill_while_alive(mote_system *system, uint32_t count, const mote_particle_id *particles) {
    uint32_t done = 0;
    for (; done < count; done++) {
        uint32_t slot = mote_system_slot(system, particles[done]);
        if (slot == MOTE_NO_SLOT) break;
        kill_slot(&system->particles, slot);
    }
    return done;
}

/* Undoes kills of this call. The id table still has the slots; only the generations were increased. */
static void revive(mote_particles *particles, const mote_particle_id *dead, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        mote_id_entry *entry = &particles->ids[dead[i].index];
        if (entry->generation-- == UINT32_MAX) particles->retired--;
        mote_particles_fate(particles)[entry->slot] = MOTE_FATE_ALIVE;
        particles->pending_kills--;
    }
}

mote_result mote_system_kill(mote_system *system, uint32_t count, const mote_particle_id *particles) {
    if (!system || (count && !particles)) return MOTE_ERROR_NULL;
    if (!mote_system_may_edit(system)) return MOTE_ERROR_BUSY;
    if (!system->particles.ids) return MOTE_ERROR_ABSENT;
    uint32_t killed = kill_while_alive(system, count, particles);
    if (killed < count) revive(&system->particles, particles, killed);
    mote_system_edited(&system->particles.range);
    return killed < count ? MOTE_ERROR_ID : MOTE_OK;
}

double mote_system_age(const mote_system *system, uint32_t slot) {
    if (!system || slot >= system->particles.range.slot_count) return 0;
    const uint32_t *birth = element_at(&system->particles, MOTE_COLUMN_BIRTH, slot);
    const float *initial = element_at(&system->particles, MOTE_COLUMN_INITIAL_AGE, slot);
    if (!birth) return 0;
    mote_fpu_state saved = mote_fpu_enter();
    double age = mote_age((uint32_t)system->clock.step, *birth) * system->clock.timestep;
    if (initial) age += (double)*initial;
    MOTE_FPU_COMPUTED(age);
    mote_fpu_leave(saved);
    return age;
}

mote_result mote_system_impulse(mote_system *system, uint32_t slot, const float impulse[3]) {
    if (!system || !impulse) return MOTE_ERROR_NULL;
    if (!mote_system_may_edit(system)) return MOTE_ERROR_BUSY;
    if (slot >= system->particles.range.slot_count) return MOTE_ERROR_RANGE;
    if (!mote_vector_is_finite(impulse)) return MOTE_ERROR_NOT_FINITE;
    mote_fpu_state saved = mote_fpu_enter();
    const float *inverse_mass = element_at(&system->particles, MOTE_COLUMN_INVERSE_MASS, slot);
    float w = inverse_mass ? *inverse_mass : system->particles.new_inverse_mass;
    for (int axis = 0; axis < 3; axis++)
        *(float *)element_at(&system->particles, MOTE_COLUMN_VELOCITY + axis, slot) += impulse[axis] * w;
    mote_particles_mark_straight(&system->particles, slot);
    mote_fpu_leave(saved);
    mote_system_note(system, MOTE_NOTED_IMPULSE, slot, 0, impulse, 3 * sizeof *impulse);
    return MOTE_OK;
}

mote_result mote_system_set_inverse_mass(mote_system *system, uint32_t slot, float inverse_mass) {
    if (!system) return MOTE_ERROR_NULL;
    if (!mote_system_may_edit(system)) return MOTE_ERROR_BUSY;
    if (!system->def.mass_column) return MOTE_ERROR_ABSENT;
    if (slot >= system->particles.range.slot_count) return MOTE_ERROR_RANGE;
    const mote_result result = mote_value_not_negative(inverse_mass);
    if (result) return result;
    mote_fpu_state saved = mote_fpu_enter();
    float *old = element_at(&system->particles, MOTE_COLUMN_INVERSE_MASS, slot);
    if (*old > 0 && inverse_mass > 0) {
        double ratio = (double)inverse_mass / (double)*old;
        for (int axis = 0; axis < 3; axis++) {
            float *v = element_at(&system->particles, MOTE_COLUMN_VELOCITY + axis, slot);
            *v = (float)((double)*v * ratio);
        }
        mote_particles_mark_straight(&system->particles, slot);
    }
    *old = inverse_mass;
    mote_fpu_leave(saved);
    mote_system_note(system, MOTE_NOTED_MASS, slot, 0, &inverse_mass, sizeof inverse_mass);
    return MOTE_OK;
}

mote_result mote_system_teleport(mote_system *system, uint32_t first, uint32_t count) {
    if (!system) return MOTE_ERROR_NULL;
    if (!mote_system_may_edit(system)) return MOTE_ERROR_BUSY;
    mote_particles *particles = &system->particles;
    if (first > particles->range.slot_count || count > particles->range.slot_count - first)
        return MOTE_ERROR_RANGE;
    mote_particles_forget_previous(particles, first, count);
    mote_system_note(system, MOTE_NOTED_TELEPORT, first, count, NULL, 0);
    return MOTE_OK;
}

/* Clears the columns of an external quantity when they are first requested after a step. */
static mote_vector_columns request(const mote_particles *particles, mote_column_id id, bool *marked) {
    for (int axis = 0; axis < 3 && !*marked; axis++)
        memset(particles->column[id + axis], 0,
               mote_round_up(particles->range.slot_count, MOTE_GROUP) * sizeof(float));
    *marked = true;
    return vector_at(particles, id, 0);
}

mote_result mote_system_external_forces(mote_system *system, mote_vector_columns *forces) {
    if (forces) *forces = (mote_vector_columns){NULL, NULL, NULL};
    if (!system || !forces) return MOTE_ERROR_NULL;
    if (!mote_system_may_edit(system)) return MOTE_ERROR_BUSY;
    if (!system->def.external_forces) return MOTE_ERROR_ABSENT;
    if (mote_scheme_table[system->def.integrator].family == MOTE_FAMILY_ADVECTION)
        return MOTE_ERROR_INTEGRATOR;
    mote_system_note(system, MOTE_NOTED_FORCES, 0, 0, NULL, 0);
    mote_system_lend(system, MOTE_LENT_FORCES);
    *forces =
        request(&system->particles, MOTE_COLUMN_EXTERNAL_FORCE, &system->particles.external_forces_marked);
    return MOTE_OK;
}

mote_result mote_system_external_torques(mote_system *system, mote_vector_columns *torques) {
    if (torques) *torques = (mote_vector_columns){NULL, NULL, NULL};
    if (!system || !torques) return MOTE_ERROR_NULL;
    if (!mote_system_may_edit(system)) return MOTE_ERROR_BUSY;
    if (!system->particles.element_bytes[MOTE_COLUMN_EXTERNAL_TORQUE]) return MOTE_ERROR_ABSENT;
    mote_system_note(system, MOTE_NOTED_TORQUES, 0, 0, NULL, 0);
    mote_system_lend(system, MOTE_LENT_FORCES);
    *torques =
        request(&system->particles, MOTE_COLUMN_EXTERNAL_TORQUE, &system->particles.external_torques_marked);
    return MOTE_OK;
}
