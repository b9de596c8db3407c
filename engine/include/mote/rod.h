/** @file
 * Stiffnesses and mass of a rod from its material and its section: the fields bending_stiffness,
 * twisting_stiffness and mass of mote_strands_def. */
#ifndef MOTE_ROD_H
#define MOTE_ROD_H

#include <stdint.h>

#include <mote/result.h>

/** An elastic material and a section: a circle, an ellipse, or a tube of these. */
typedef struct mote_rod_def {
    uint32_t cookie;  /**< set by mote_default_rod_def */
    double young,     /**< Young's modulus E, Pa, >= 0 */
        poisson,      /**< Poisson's ratio nu, -1 < nu <= 0.5 */
        density,      /**< kg/m^3, > 0 */
        radius,       /**< m, of the section, > 0; of an ellipse the longer semi-axis a */
        hole_radius,  /**< m, of a tube, >= 0 and < radius; 0: solid. An ellipse's hole has its proportions */
        short_radius; /**< m, the shorter semi-axis b of an ellipse, > 0 and <= radius; 0: a circle */
} mote_rod_def;

/** Returns a def of human hair: E = 4 GPa, nu = 0.35, 1,300 kg/m^3, radius 40 um, circular, solid. */
MOTE_API mote_rod_def mote_default_rod_def(void);

/** Values of a rod for mote_strands_def. With the share s = hole_radius / radius of a hole, and b = a for a
 * circle; G = E / (2 (1 + nu)). All are exact for these sections (Saint-Venant). */
typedef struct mote_rod_section {
    /** EI = E pi a b^3 / 4 (1 - s^4), N m^2, about the long axis: the smaller stiffness. */
    float bending_stiffness;
    float twisting_stiffness, /**< GJ = G pi a^3 b^3 / (a^2 + b^2) (1 - s^4), N m^2 */
        mass_per_metre,       /**< density pi a b (1 - s^2), kg/m */
        bending_ratio;        /**< EI about the short axis over that about the long one: (a / b)^2 */
} mote_rod_section;

/** Computes the stiffnesses of a rod and its mass per metre. parameter: NULL, or receives the name of the
 * field at fault, NULL where there is none. Errors (*section does not change): NULL, RANGE (a field; a result
 * that is no normal float, as of a section of zero size: "short_radius" for bending_ratio, "radius" for
 * mass_per_metre, "young" for a stiffness, the first that fails, whichever field makes it so), DEF,
 * NOT_FINITE. May be called from any thread. */
MOTE_API mote_result mote_rod_section_of(const mote_rod_def *rod, mote_rod_section *section,
                                         const char **parameter);

#endif
