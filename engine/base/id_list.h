/* Lists whose items have ids. Items are in the order of addition; each has a serial number that is never
 * reused and that is the index of its id. */
#ifndef MOTE_BASE_ID_LIST_H
#define MOTE_BASE_ID_LIST_H

#include <mote/allocator.h>

#include "base/compiler.h"

typedef struct mote_id_list {
    void *items;
    uint32_t *serials; /* stored after the items, in the same allocation */
    uint32_t count, capacity, next_serial;
    size_t element; /* bytes of an item; set by the owner of the list */
} mote_id_list;

/* Checks that the list can take one more item; `most` is the limit of its count. Error: CAPACITY. */
mote_result mote_id_list_can_add(const mote_id_list *list, uint32_t most);

/* Reserves capacity for one more item; `most` is the limit of the count. Errors: CAPACITY, MEMORY; the list
 * is then unchanged. */
mote_result mote_id_list_reserve_next(mote_id_list *list, uint32_t most, const mote_allocator *allocator);

/* Reserves capacity for `count` items. Errors: MEMORY; the list is then unchanged. */
mote_result mote_id_list_reserve(mote_id_list *list, uint32_t count, const mote_allocator *allocator);

/* Appends a copy of *item and returns its serial number. The capacity must be reserved. */
uint32_t mote_id_list_append(mote_id_list *list, const void *item);

/* Returns the position of an item in the list, or the count if there is none. */
uint32_t mote_id_list_find(const mote_id_list *list, uint32_t serial);

/* Removes an item; later items move up. */
void mote_id_list_remove(mote_id_list *list, uint32_t place);

void mote_id_list_destroy(mote_id_list *list, const mote_allocator *allocator);

#endif
