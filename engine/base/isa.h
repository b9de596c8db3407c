/* Instruction sets: those with kernels in this build, and those that the machine supports. */
#ifndef MOTE_BASE_ISA_H
#define MOTE_BASE_ISA_H

#include <mote/isa.h>

/* Returns the instruction set that AUTO selects, or `isa` itself; MOTE_ISA_COUNT if the build or the machine
 * lacks it. */
mote_isa mote_isa_resolve(mote_isa isa);

/* Kernel tables. A file of kernels is compiled once per instruction set and defines one table,
 * MOTE_KERNEL_TABLE(name): `name` followed by the instruction set. MOTE_KERNEL_LOOKUP(type, name) defines
 * name##_for(isa), which returns the table of an instruction set, or NULL if the build or the machine lacks
 * it. The build defines MOTE_COMPILED_ISAS(X, type, name): X(type, name, isa, id) for each instruction set.
 */
#define MOTE_KERNEL_TABLE__(name, isa) name##_##isa
#define MOTE_KERNEL_TABLE_(name, isa)  MOTE_KERNEL_TABLE__(name, isa)
#define MOTE_KERNEL_TABLE(name)        MOTE_KERNEL_TABLE_(name, MOTE_ISA)

#define MOTE_TABLE_EXTERN(type, name, isa, id) extern const type name##_##isa;
#define MOTE_TABLE_ENTRY(type, name, isa, id)  [MOTE_ISA_##id] = &name##_##isa,
#define MOTE_KERNEL_LOOKUP(type, name)                                                                       \
    MOTE_COMPILED_ISAS(MOTE_TABLE_EXTERN, type, name)                                                        \
    static const type *const name##_tables[MOTE_ISA_COUNT + 1] = {                                           \
        MOTE_COMPILED_ISAS(MOTE_TABLE_ENTRY, type, name)};                                                   \
    const type *name##_for(mote_isa isa) { return name##_tables[mote_isa_resolve(isa)]; }                    \
    extern int name##_semicolon /* takes the caller's semicolon */

/* Name of a function that one file of kernels defines for all others of its instruction set. */
#define MOTE_SHARED(name) MOTE_KERNEL_TABLE(name)

#endif
