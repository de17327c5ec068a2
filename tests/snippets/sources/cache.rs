use std::collections::HashMap;
use std::fmt;

/// How many entries a cache holds unless told otherwise.
const CAPACITY: usize = 64;

/// Keeps the entries that were used last.
#[derive(
    Clone,
    Debug,
)]
pub struct Cache<K, V> {
    entries: HashMap<K, V>,
    capacity: usize,
}

impl<K: Eq, V> Cache<K, V> {
    /// An empty cache.
    pub fn new(capacity: usize) -> Self {
        let entries = HashMap::with_capacity(capacity);
        Cache { entries, capacity }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_full(&self) -> bool {
        self.len() >= self.capacity
    }
}

impl<K, V> fmt::Display for Cache<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.entries.len(), self.capacity)
    }
}

pub trait Store {
    fn load(&mut self, key: &str) -> Option<Vec<u8>>;

    fn forget(&mut self) {
        self.load("");
        drop(self);
    }
}

macro_rules! cached {
    ($cache:expr, $key:expr) => {
        $cache.entries.get(&$key)
    };
}

mod tests {
    #[test]
    fn a_new_cache_is_empty() {
        let cache = super::Cache::<u8, u8>::new(1);
        assert_eq!(cache.len(), 0);
    }
}
