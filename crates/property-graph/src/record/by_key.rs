//! Something of each key, made when it is first asked for and found again without a lock.

use std::sync::OnceLock;

use crate::dictionary::KeyCode;

/// What was made of keys.
#[derive(Debug)]
pub(super) struct ByKey<T>([OnceLock<Box<Known<T>>>; 8]);

#[derive(Debug)]
struct Known<T> {
    key: KeyCode,
    made: T,
    next: OnceLock<Box<Known<T>>>,
}

impl<T> Default for ByKey<T> {
    fn default() -> Self {
        ByKey([const { OnceLock::new() }; 8])
    }
}

impl<T> ByKey<T> {
    #[inline]
    pub(super) fn get(&self, key: KeyCode) -> Option<&T> {
        let mut known = self.0[key as usize % self.0.len()].get()?;
        while known.key != key {
            known = known.next.get()?;
        }
        Some(&known.made)
    }

    /// Keeps what was made of a key, unless another thread was first.
    pub(super) fn keep(&self, key: KeyCode, made: T) -> &T {
        let mut place = &self.0[key as usize % self.0.len()];
        let next = OnceLock::new();
        let mut new = Some(Box::new(Known { key, made, next }));
        loop {
            let known = place.get_or_init(|| new.take().expect("it is kept once"));
            if known.key == key {
                return &known.made;
            }
            place = &known.next;
        }
    }
}
