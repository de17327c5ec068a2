#ifndef CACHE_C
#define CACHE_C

#include <stdlib.h>

#define MIN(a, b) \
    ((a) < (b) ? (a) : (b))

/* One entry of a cache,
   in a list. */
struct entry {
    const char *key;
    struct entry *next;
};

typedef struct cache {
    struct entry *first;
    size_t length;
} cache_t;

enum policy { LRU, FIFO };

static const char *names[] = {
    "lru",
    "fifo",
    "mru",
    "lfu",
    "random",
};

size_t cache_length(const cache_t *cache);

/* Makes an empty cache. */
cache_t *cache_new(void)
{
    cache_t *cache = calloc(1, sizeof *cache);
    return cache;
}

static struct entry **cache_slot(cache_t *cache, int (*same)(const char *))
{
    struct entry **slot = &cache->first;
    while (*slot && !same((*slot)->key))
        slot = &(*slot)->next;
    return slot;
}

#endif
