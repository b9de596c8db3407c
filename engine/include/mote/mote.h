/** @file
 * mote: a data-oriented particle simulation engine. This header includes all others. */
#ifndef MOTE_MOTE_H
#define MOTE_MOTE_H

#include <mote/allocator.h>
#include <mote/chain.h>
#include <mote/cluster.h>
#include <mote/collider.h>
#include <mote/columns.h>
#include <mote/distance_grid.h>
#include <mote/emitter.h>
#include <mote/events.h>
#include <mote/followers.h>
#include <mote/force.h>
#include <mote/grid.h>
#include <mote/hair.h>
#include <mote/height_field.h>
#include <mote/id.h>
#include <mote/integrator.h>
#include <mote/isa.h>
#include <mote/jobs.h>
#include <mote/lines.h>
#include <mote/link.h>
#include <mote/mesh.h>
#include <mote/network.h>
#include <mote/over_life.h>
#include <mote/result.h>
#include <mote/rod.h>
#include <mote/snapshot.h>
#include <mote/strands.h>
#include <mote/strands_present.h>
#include <mote/system.h>
#include <mote/transform.h>
#include <mote/version.h>

#endif
