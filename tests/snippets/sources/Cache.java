package store;

import java.util.Map;

/**
 * Keeps the entries that were used last.
 */
@Deprecated
public class Cache<K, V> {
    private final Map<K, V> entries;

    public Cache(Map<K, V> entries) {
        this.entries = entries;
        entries.clear();
    }

    @Override
    public String toString() {
        int size = entries.size();
        return "Cache of " + size;
    }

    Iterable<K> keys() {
        return new Iterable<K>() {
            @Override
            public Iterator<K> iterator() {
                return entries.keySet().iterator();
            }
        };
    }

    enum Policy {
        LRU {
            int rank() {
                int rank = 1;
                return rank;
            }
        },
        FIFO;

        static Policy named(String name) {
            String upper = name.toUpperCase();
            return valueOf(upper);
        }
    }

    record Entry(String key, byte[] value) {
        Entry {
            Objects.requireNonNull(key);
            Objects.requireNonNull(value);
        }
    }

    @interface Cached {
        int seconds() default 60;
    }
}
