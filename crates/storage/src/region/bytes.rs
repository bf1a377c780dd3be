//! Bytes that never change, with what keeps them.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use super::Extent;

/// Bytes that never change, kept alive by their owner: part of a published extent, or of a
/// vector. Reading them costs what reading a slice costs.
#[derive(Clone)]
pub struct Bytes {
    start: *const u8,
    len: usize,
    #[allow(dead_code, reason = "keeps the bytes alive")]
    owner: Owner,
}

#[derive(Clone)]
enum Owner {
    Extent(#[allow(dead_code, reason = "keeps the bytes alive")] Arc<Extent>),
    Vector(#[allow(dead_code, reason = "keeps the bytes alive")] Arc<Vec<u8>>),
}

// SAFETY: a `Bytes` is a shared slice of bytes that no thread writes, with the `Arc` that
// keeps them; `&[u8]`, `Arc<Extent>` and `Arc<Vec<u8>>` are `Send`.
unsafe impl Send for Bytes {}
// SAFETY: as above; all methods only read.
unsafe impl Sync for Bytes {}

impl Bytes {
    /// The content of a published extent.
    pub fn of(extent: &Arc<Extent>) -> Self {
        let bytes = extent.bytes();
        Bytes {
            start: bytes.as_ptr(),
            len: bytes.len(),
            owner: Owner::Extent(Arc::clone(extent)),
        }
    }

    /// Part of the bytes, with the same owner.
    ///
    /// # Panics
    /// If the range does not lie in them.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Self {
        let part = &self[range];
        Bytes {
            start: part.as_ptr(),
            len: part.len(),
            owner: self.owner.clone(),
        }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        let bytes = Arc::new(bytes);
        Bytes {
            start: bytes.as_ptr(),
            len: bytes.len(),
            owner: Owner::Vector(bytes),
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        // SAFETY: `start` and `len` are those of a slice of what `owner` keeps alive: an
        // extent, which is not written while it exists (`Extent::bytes`), or a vector,
        // which no other owner of the `Arc` can reach to change it.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({})", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::Bytes;

    #[test]
    fn parts_keep_what_they_are_of() {
        let all = Bytes::from(vec![1, 2, 3, 4]);
        let part = all.part(1..3);
        drop(all);
        assert_eq!(&*part, [2, 3]);
        assert_eq!(&*part.part(1..1), [0u8; 0]);
        assert_eq!(&*Bytes::from(Vec::new()), [0u8; 0]);
    }
}
