/** @file
 * Stiffnesses and mass of a rod from its material and its section: the fields bending_stiffness,
 * twisting_stiffness and mass of mote_strands_def. */
#ifndef MOTE_ROD_H
#define MOTE_ROD_H

#include <stdint.h>

#include <mote/result.h>

/** An elastic material and a circular section. */
typedef struct mote_rod_def {
    uint32_t cookie; /**< set by mote_default_rod_def */
    double young,    /**< Young's modulus E, Pa, >= 0 */
        poisson,     /**< Poisson's ratio nu, -1 < nu <= 0.5 */
        density,     /**< kg/m^3, > 0 */
        radius,      /**< m, of the section, > 0 */
        hole_radius; /**< m, of a tube, >= 0 and < radius; 0: solid */
} mote_rod_def;

/** Returns a def of human hair: E = 4 GPa, nu = 0.35, 1,300 kg/m^3, radius 40 um, solid. */
MOTE_API mote_rod_def mote_default_rod_def(void);

/** Values of a rod for mote_strands_def. */
typedef struct mote_rod_section {
    float bending_stiffness, /**< EI = E pi (radius^4 - hole_radius^4) / 4, N m^2 */
        twisting_stiffness,  /**< GJ = EI / (1 + nu), N m^2 */
        mass_per_metre;      /**< density pi (radius^2 - hole_radius^2), kg/m */
} mote_rod_section;

/** Computes the stiffnesses of a rod and its mass per metre. parameter: NULL, or receives the name of the
 * field at fault, NULL where there is none. Errors (*section does not change): NULL, RANGE (a field; a result
 * that is no normal float, as of a section of zero size), DEF, NOT_FINITE. May be called from any thread. */
MOTE_API mote_result mote_rod_section_of(const mote_rod_def *rod, mote_rod_section *section,
                                         const char **parameter);

#endif
