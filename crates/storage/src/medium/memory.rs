//! DRAM in large pieces, for what is buffered before it reaches the medium.

use std::sync::atomic::AtomicU32;

use super::MediumError;
use super::host::Mapping;

/// Less than this comes from the heap.
const MAPPED_AT_LEAST: usize = 1 << 20;

/// Zeroed words of DRAM. Large ones lie in huge pages where the system gives
/// them, and take space when they are first stored to.
pub struct Memory {
    place: Place,
    words: usize,
}

enum Place {
    Heap(Box<[AtomicU32]>),
    Mapped(Mapping),
}

impl Memory {
    /// `words` zeros.
    ///
    /// # Errors
    /// If the process has no address space left.
    pub fn zeroed(words: usize) -> Result<Self, MediumError> {
        let bytes = 4 * words;
        let place = if bytes < MAPPED_AT_LEAST {
            Place::Heap((0..words).map(|_| AtomicU32::new(0)).collect())
        } else {
            let mapping = Mapping::memory(bytes as u64).map_err(|error| MediumError::Io {
                file: "memory".to_string(),
                doing: "reserving buffers",
                source: error.into(),
            })?;
            mapping.advise_huge(bytes as u64);
            Place::Mapped(mapping)
        };
        Ok(Memory { place, words })
    }

    #[inline(always)]
    /// The words.
    pub fn words(&self) -> &[AtomicU32] {
        match &self.place {
            Place::Heap(words) => words,
            // SAFETY: the mapping has `4 * words` bytes from `base` on (made so
            // in `zeroed`), is aligned to a huge page, lives as long as `self`,
            // and is reached through this method only, so only by atomic
            // operations. Any bits are an `AtomicU32`.
            Place::Mapped(mapping) => unsafe {
                std::slice::from_raw_parts(mapping.base().cast_const().cast(), self.words)
            },
        }
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory({} words)", self.words)
    }
}
