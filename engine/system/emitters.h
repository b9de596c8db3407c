/* Emitters of a system in snapshots. */
#ifndef MOTE_SYSTEM_EMITTERS_H
#define MOTE_SYSTEM_EMITTERS_H

#include "base/archive.h"
#include "system/internal.h"

/* Visits the emitters, of which a snapshot that is read has `count`. */
void mote_system_archive_emitters(mote_system *system, uint32_t count, uint32_t next_serial, mote_archive *a);

#endif
