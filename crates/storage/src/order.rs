//! The order of persistence, in types.
//!
//! ```text
//! write ──► Dirty<T> ──flush──► Flushed<T> ──fence──► Durable<T> ──► publish
//! ```
//!
//! Each step consumes the value before it, so that a missing flush or fence is
//! a type error. What types cannot see (the wrong range, an order inside one
//! line, a recovery that clears too early) is the crash explorer's business.

use crate::medium::{Medium, MediumError};

/// Bytes that were stored and not flushed. `what` is what they mean.
#[must_use = "stored bytes are not durable: flush them"]
#[derive(Debug)]
pub struct Dirty<T> {
    offset: u64,
    len: u64,
    what: T,
}

/// Bytes on their way; durable after a fence.
#[must_use = "flushed bytes are durable only after a fence"]
#[derive(Debug)]
pub struct Flushed<T>(T);

/// Bytes that survive what the medium promises to survive.
#[derive(Debug)]
pub struct Durable<T>(T);

/// Stores `bytes` at `offset`.
#[inline]
pub fn write<M: Medium + ?Sized, T>(
    medium: &M,
    offset: u64,
    bytes: &[u8],
    what: T,
) -> Result<Dirty<T>, MediumError> {
    medium.write(offset, bytes)?;
    Ok(Dirty {
        offset,
        len: bytes.len() as u64,
        what,
    })
}

/// Stores `bytes` at `offset` and starts making them durable in one go, which a
/// medium may do by other means than a store and a flush (streaming stores).
pub fn write_through<M: Medium + ?Sized, T>(
    medium: &M,
    offset: u64,
    bytes: &[u8],
    what: T,
) -> Result<Flushed<T>, MediumError> {
    medium.write_through(offset, bytes)?;
    Ok(Flushed(what))
}

/// Bytes that [`rewrite`] copies in one go.
const REWRITTEN_AT_ONCE: u64 = 1 << 20;

/// Stores once more what a range shows, and starts making it durable. For what an earlier
/// process stored: where a sync of its failed, the system may show bytes that it takes for
/// written and that no later sync would write. No slice of the range may exist.
pub fn rewrite<M: Medium + ?Sized>(
    medium: &M,
    offset: u64,
    len: u64,
) -> Result<Flushed<()>, MediumError> {
    let mut copy = vec![0; len.min(REWRITTEN_AT_ONCE) as usize];
    let mut at = 0;
    while at < len {
        let piece = &mut copy[..(len - at).min(REWRITTEN_AT_ONCE) as usize];
        medium.read(offset + at, piece)?;
        medium.write(offset + at, piece)?;
        at += piece.len() as u64;
    }
    Flushed::of_stores(medium, offset, len)
}

/// Stores pieces at ascending offsets and starts making them durable. Lines that
/// pieces share are flushed once.
pub fn write_pieces<'a, M: Medium + ?Sized, T>(
    medium: &M,
    pieces: impl IntoIterator<Item = (u64, &'a [u8])>,
    what: T,
) -> Result<Flushed<T>, MediumError> {
    let line = medium.properties().line_bytes as u64;
    // Stored, and waiting for what else its last line takes.
    let mut waiting: Option<Dirty<()>> = None;
    for (offset, bytes) in pieces {
        if bytes.is_empty() {
            continue;
        }
        debug_assert!(
            waiting
                .as_ref()
                .is_none_or(|before| before.offset + before.len <= offset),
            "a piece at {offset} behind one that is later would not be flushed"
        );
        let dirty = write(medium, offset, bytes, ())?;
        waiting = Some(match waiting {
            Some(before) if offset / line == (before.offset + before.len - 1) / line => Dirty {
                offset: before.offset,
                len: dirty.offset + dirty.len - before.offset,
                what: (),
            },
            before => {
                if let Some(before) = before {
                    medium.flush(before.offset, before.len)?;
                }
                dirty
            }
        });
    }
    if let Some(last) = waiting {
        medium.flush(last.offset, last.len)?;
    }
    Ok(Flushed(what))
}

/// Stores one word of four bytes.
#[inline(always)]
pub fn store_u32<M: Medium + ?Sized, T>(medium: &M, offset: u64, value: u32, what: T) -> Dirty<T> {
    medium.store_u32(offset, value);
    Dirty {
        offset,
        len: 4,
        what,
    }
}

/// Stores one word of eight bytes.
#[inline(always)]
pub fn store_u64<M: Medium + ?Sized, T>(medium: &M, offset: u64, value: u64, what: T) -> Dirty<T> {
    medium.store_u64(offset, value);
    Dirty {
        offset,
        len: 8,
        what,
    }
}

/// Stores two words of eight bytes next to each other.
#[inline(always)]
pub fn store_two_u64<M: Medium + ?Sized, T>(
    medium: &M,
    offset: u64,
    [first, second]: [u64; 2],
    what: T,
) -> Dirty<T> {
    medium.store_u64(offset, first);
    medium.store_u64(offset + 8, second);
    Dirty {
        offset,
        len: 16,
        what,
    }
}

impl Flushed<()> {
    /// Starts making a range durable that was stored word by word.
    #[inline(always)]
    pub fn of_stores<M: Medium + ?Sized>(
        medium: &M,
        offset: u64,
        len: u64,
    ) -> Result<Self, MediumError> {
        medium.flush(offset, len)?;
        Ok(Flushed(()))
    }
}

impl<T> Dirty<T> {
    /// Starts making the bytes durable.
    #[inline(always)]
    pub fn flush<M: Medium + ?Sized>(self, medium: &M) -> Result<Flushed<T>, MediumError> {
        medium.flush(self.offset, self.len)?;
        Ok(Flushed(self.what))
    }
}

/// For failpoints.
#[cfg(feature = "failpoints")]
impl<T> Dirty<T> {
    /// Flushes only the first `len` bytes.
    pub fn flush_only<M: Medium + ?Sized>(
        self,
        medium: &M,
        len: u64,
    ) -> Result<Flushed<T>, MediumError> {
        medium.flush(self.offset, len.min(self.len))?;
        Ok(Flushed(self.what))
    }
}

/// For failpoints.
#[cfg(feature = "failpoints")]
impl<T> Flushed<T> {
    /// Leaves the fence out.
    pub fn assume_durable(self) -> Durable<T> {
        Durable(self.0)
    }
}

impl<T> Flushed<T> {
    /// Waits until the bytes are durable.
    #[inline(always)]
    pub fn fence<M: Medium + ?Sized>(self, medium: &M) -> Result<Durable<T>, MediumError> {
        medium.fence()?;
        Ok(Durable(self.0))
    }

    /// Changes what the bytes mean, not how far they are.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Flushed<U> {
        Flushed(f(self.0))
    }

    /// The meaning apart from the token, for publishing the one when the other
    /// is durable.
    pub fn split(self) -> (T, Flushed<()>) {
        (self.0, Flushed(()))
    }

    /// One token for two, so that one fence serves many writes.
    pub fn and<U>(self, other: Flushed<U>) -> Flushed<(T, U)> {
        Flushed((self.0, other.0))
    }

    /// One token for any number of writes.
    pub fn all(tokens: impl IntoIterator<Item = Flushed<T>>) -> Flushed<Vec<T>> {
        Flushed(tokens.into_iter().map(|token| token.0).collect())
    }
}

impl<T> Durable<T> {
    /// The value that the durable bytes encode.
    pub fn get(&self) -> &T {
        &self.0
    }

    /// Changes what the bytes mean.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Durable<U> {
        Durable(f(self.0))
    }

    /// As [`Durable::get`], by value.
    pub fn into_inner(self) -> T {
        self.0
    }
}
