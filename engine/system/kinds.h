/* The kinds of range in a system besides loose particles, in the order in which they are stepped and hashed:
 * name, functions, largest number in a system. A new kind needs a folder of its own, its calls in system/,
 * and a line here. */
#ifndef MOTE_SYSTEM_KINDS_H
#define MOTE_SYSTEM_KINDS_H

#define MOTE_KINDS(X)                                                                                        \
    X(STRANDS, mote_strands_kind, MOTE_MAX_STRANDS_OBJECTS)                                                  \
    X(NETWORK, mote_network_kind, MOTE_MAX_NETWORKS)

#define MOTE_KIND_NAME(name, behaviour, most) MOTE_KIND_##name,
typedef enum mote_kind { MOTE_KINDS(MOTE_KIND_NAME) MOTE_KIND_COUNT } mote_kind;
#undef MOTE_KIND_NAME

#endif
