//! A cache, in each view, of the codes of names that its callers ask for repeatedly.

use std::sync::OnceLock;

/// So many lists of names are remembered; further ones are looked up each time.
const MOST_REMEMBERED: usize = 16;

/// Values looked up by names, found again without a lock and without hashing.
#[derive(Debug)]
pub(in crate::graph) struct Recalled<V>(OnceLock<Box<Entry<V>>>);

#[derive(Debug)]
struct Entry<V> {
    names: Box<[Box<str>]>,
    value: V,
    next: Recalled<V>,
}

impl<V> Default for Recalled<V> {
    fn default() -> Self {
        Recalled(OnceLock::new())
    }
}

impl<V> Recalled<V> {
    /// Value remembered for these names in this order.
    #[inline]
    pub(crate) fn recall(&self, names: &[&str]) -> Option<&V> {
        let mut next = self;
        while let Some(entry) = next.0.get() {
            if entry.is_of(names) {
                return Some(&entry.value);
            }
            next = &entry.next;
        }
        None
    }

    /// Remembers the value of some names, if there is space. The value must never change,
    /// as it is never forgotten.
    pub(crate) fn remember(&self, names: &[&str], value: V) {
        let mut entry = Box::new(Entry {
            names: names.iter().map(|&name| name.into()).collect(),
            value,
            next: Recalled::default(),
        });
        let mut next = self;
        for _ in 0..MOST_REMEMBERED {
            match next.0.set(entry) {
                Ok(()) => return,
                Err(back) => entry = back,
            }
            next = match next.0.get() {
                Some(taken) => &taken.next,
                None => return,
            };
        }
    }
}

impl<V> Entry<V> {
    #[inline]
    fn is_of(&self, names: &[&str]) -> bool {
        let mut pairs = self.names.iter().zip(names);
        self.names.len() == names.len() && pairs.all(|(own, name)| **own == **name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lists_of_names_are_remembered() {
        let recalled = Recalled::default();
        let names: Vec<String> = (0..20).map(|n| format!("T{n}")).collect();
        for (n, name) in names.iter().enumerate() {
            assert_eq!(recalled.recall(&[name]), None);
            recalled.remember(&[name], n);
        }
        for (n, name) in names.iter().enumerate() {
            let expected = (n < MOST_REMEMBERED).then_some(&n).copied();
            assert_eq!(recalled.recall(&[name]).copied(), expected);
        }
        assert_eq!(recalled.recall(&["T0", "T1"]), None);
        assert_eq!(recalled.recall(&["T"]), None);
        assert_eq!(recalled.recall(&[]), None);
    }
}
