//! Values kept in memory by key, of which there are never too many.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use text::locked::Locked;
use tokio::sync::OnceCell;

/// A bounded cache. Once it is full, all that it holds is dropped.
#[derive(Debug)]
pub(super) struct Kept<K, V> {
    most: usize,
    values: Mutex<HashMap<K, V>>,
}

/// Values computed once, by the first that needs them.
pub(super) type Shared<T> = Kept<String, Arc<OnceCell<T>>>;

impl<K: Eq + Hash, V: Clone> Kept<K, V> {
    /// A cache of at most this many values.
    pub fn at_most(most: usize) -> Kept<K, V> {
        Kept { most, values: Mutex::default() }
    }

    /// The value of a key, if it is still kept.
    pub fn get(&self, key: &K) -> Option<V> {
        self.values.locked().get(key).cloned()
    }

    /// Keeps a value; the one that the key had is dropped.
    pub fn keep(&self, key: K, value: V) {
        let mut values = self.values.locked();
        make_room(&mut values, &key, self.most);
        values.insert(key, value);
    }
}

impl<T> Shared<T> {
    /// The cell of a key, empty if there was none or its value is of no use any more.
    pub fn cell(&self, key: String, is_of_use: impl Fn(&T) -> bool) -> Arc<OnceCell<T>> {
        let mut values = self.values.locked();
        make_room(&mut values, &key, self.most);
        let cell = values.entry(key).or_default();
        if cell.get().is_some_and(|value| !is_of_use(value)) {
            *cell = Arc::default();
        }
        cell.clone()
    }
}

fn make_room<K: Eq + Hash, V>(values: &mut HashMap<K, V>, key: &K, most: usize) {
    if values.len() >= most && !values.contains_key(key) {
        values.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_never_too_many_and_what_is_of_no_use_is_computed_anew() {
        let kept: Kept<u32, u32> = Kept::at_most(3);
        (0..10).for_each(|n| kept.keep(n, n));
        assert!(kept.values.locked().len() <= 3);
        assert_eq!((kept.get(&9), kept.get(&0)), (Some(9), None));
        kept.keep(9, 1);
        assert_eq!(kept.get(&9), Some(1));

        let shared: Shared<u32> = Kept::at_most(2);
        shared.cell("a".into(), |_| true).set(1).unwrap();
        assert_eq!(shared.cell("a".into(), |_| true).get(), Some(&1));
        assert_eq!(shared.cell("a".into(), |_| false).get(), None);
        (0..10).for_each(|n| drop(shared.cell(n.to_string(), |_| true)));
        assert!(shared.values.locked().len() <= 2);
    }
}
