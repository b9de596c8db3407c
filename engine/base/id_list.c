/* Lists whose items have ids. */
#include "base/id_list.h"

#include <string.h>

#include "base/allocator.h"

static size_t bytes_of(const mote_id_list *list, uint32_t capacity) {
    return capacity * (list->element + sizeof(uint32_t));
}

static unsigned char *item_at(const mote_id_list *list, uint32_t place) {
    return (unsigned char *)list->items + place * list->element;
}

static mote_result grow(mote_id_list *list, uint32_t capacity, const mote_allocator *allocator) {
    unsigned char *items = mote_allocate(allocator, bytes_of(list, capacity));
    if (!items) return MOTE_ERROR_MEMORY;
    uint32_t *serials = (uint32_t *)(void *)(items + capacity * list->element);
    if (list->count) {
        memcpy(items, list->items, list->count * list->element);
        memcpy(serials, list->serials, list->count * sizeof *serials);
    }
    mote_id_list_destroy(list, allocator);
    list->items = items;
    list->serials = serials;
    list->capacity = capacity;
    return MOTE_OK;
}

mote_result mote_id_list_can_add(const mote_id_list *list, uint32_t most) {
    return list->count < most && list->next_serial < UINT32_MAX ? MOTE_OK : MOTE_ERROR_CAPACITY;
}

mote_result mote_id_list_reserve_next(mote_id_list *list, uint32_t most, const mote_allocator *allocator) {
    const mote_result result = mote_id_list_can_add(list, most);
    if (result || list->count < list->capacity) return result;
    return grow(list, list->capacity ? 2 * list->capacity : 4, allocator);
}

mote_result mote_id_list_reserve(mote_id_list *list, uint32_t count, const mote_allocator *allocator) {
    uint32_t capacity = list->capacity ? list->capacity : 4;
    if (count <= list->capacity) return MOTE_OK;
    while (capacity < count) capacity *= 2;
    return grow(list, capacity, allocator);
}

uint32_t mote_id_list_append(mote_id_list *list, const void *item) {
    memcpy(item_at(list, list->count), item, list->element);
    return list->serials[list->count++] = ++list->next_serial;
}

uint32_t mote_id_list_find(const mote_id_list *list, uint32_t serial) {
    uint32_t place = 0;
    while (place < list->count && list->serials[place] != serial) place++;
    return place;
}

void mote_id_list_remove(mote_id_list *list, uint32_t place) {
    const uint32_t following = --list->count - place;
    memmove(item_at(list, place), item_at(list, place + 1), following * list->element);
    memmove(list->serials + place, list->serials + place + 1, following * sizeof *list->serials);
}

void mote_id_list_destroy(mote_id_list *list, const mote_allocator *allocator) {
    mote_release(allocator, list->items, bytes_of(list, list->capacity));
    list->items = NULL;
    list->capacity = 0;
}
