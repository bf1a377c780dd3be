//! Numbers as they lie on the medium.

use crate::layout::Field;

/// The number whose four bytes begin at `at`.
///
/// # Panics
/// If there are fewer bytes.
#[inline]
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// The number whose eight bytes begin at `at`.
///
/// # Panics
/// If there are fewer bytes.
#[inline]
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Stores a field.
///
/// # Panics
/// If `value` has another length than the field.
#[inline]
pub fn put(bytes: &mut [u8], (at, len): Field, value: &[u8]) {
    bytes[at..at + len].copy_from_slice(value);
}
