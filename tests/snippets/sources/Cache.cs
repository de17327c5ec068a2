using System;

namespace Store
{
    /// <summary>Keeps the entries that were used last.</summary>
    [Serializable]
    public class Cache<K, V> : IDisposable
    {
        private readonly int capacity;

        public Cache(int capacity)
        {
            this.capacity = capacity;
            Clear();
        }

        public bool IsFull => Count >= capacity;

        public V this[K key]
        {
            get { return Get(key); }
            set { Set(key, value); }
        }

        [Obsolete("Use the indexer.")]
        public V Get(K key)
        {
            V Missing()
            {
                throw new KeyNotFoundException();
            }
            return entries.TryGetValue(key, out var value) ? value : Missing();
        }

        public static Cache<K, V> operator +(Cache<K, V> left, Cache<K, V> right)
        {
            left.Add(right);
            return left;
        }

        void IDisposable.Dispose() { }
    }

    public record Entry(string Key, byte[] Value);

    public enum Policy { Lru, Fifo }
}
