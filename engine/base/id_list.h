/* Lists whose items have ids: items in the order of addition, each with a serial number that is never used
 * again, the index of its id. */
#ifndef MOTE_BASE_ID_LIST_H
#define MOTE_BASE_ID_LIST_H

#include <mote/allocator.h>

#include "base/compiler.h"

typedef struct mote_id_list {
    void *items;
    uint32_t *serials; /* behind the items */
    uint32_t count, capacity, next_serial;
    size_t element; /* bytes of an item; set by whoever owns the list */
} mote_id_list;

/* Whether the list may have one item more, `most` being allowed: CAPACITY. */
mote_result mote_id_list_can_add(const mote_id_list *list, uint32_t most);

/* Capacity for one item more, `most` being allowed. CAPACITY, MEMORY: the list is as it was. */
mote_result mote_id_list_reserve_next(mote_id_list *list, uint32_t most, const mote_allocator *allocator);

/* Appends a copy of *item, for which there is capacity; returns its serial number. */
uint32_t mote_id_list_append(mote_id_list *list, const void *item);

/* The place of an item in the list, or its count. */
uint32_t mote_id_list_find(const mote_id_list *list, uint32_t serial);

/* Takes an item out; those behind it move up. */
void mote_id_list_remove(mote_id_list *list, uint32_t place);

void mote_id_list_destroy(mote_id_list *list, const mote_allocator *allocator);

#endif
