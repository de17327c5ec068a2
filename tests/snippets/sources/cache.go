package cache

import "errors"

// ErrMissing is returned for a key that is not in the cache.
var ErrMissing = errors.New("missing")

// Cache keeps the entries that were used last.
type Cache[K comparable, V any] struct {
	entries  map[K]V
	capacity int
}

type (
	// Store is what a cache stands in front of.
	Store interface {
		Load(key string) ([]byte, error)
		Save(key string, value []byte) error
	}

	Key = string
)

// New makes an empty cache.
func New[K comparable, V any](capacity int) *Cache[K, V] {
	entries := make(map[K]V, capacity)
	return &Cache[K, V]{entries, capacity}
}

/* Get returns the entry of a key,
   or ErrMissing. */
func (c *Cache[K, V]) Get(key K) (V, error) {
	value, ok := c.entries[key]
	if !ok {
		return value, ErrMissing
	}
	return value, nil
}

func (c Cache[K, V]) Len() int { return len(c.entries) }

var onEvict = func(key string) {
	println("evicted", key)
	println("done")
}
