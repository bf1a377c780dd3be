//! The content of a column by its type, in place.

use super::Column;
use super::integers::Integers;
use super::layout::{Data, bit};
use super::packed::Ends;
use super::slots::Slice;
use crate::value::{Date, LocalDateTime};
use crate::vector;

/// Values of a column, one a slot; of slots that have none, anything.
pub(crate) enum Typed<'a> {
    /// No slot has a value.
    None,
    /// Bits, the lowest first, 8 bytes for 64 slots.
    Booleans(&'a [u8]),
    Integers(Integers<'a>),
    /// Their bits.
    Floats(Integers<'a>),
    /// A place in the texts for each slot.
    Codes(Integers<'a>, Strings<'a>),
    Texts(Strings<'a>),
    /// Days.
    Dates(Integers<'a>),
    /// Seconds and nanoseconds.
    LocalDateTimes(Integers<'a>, Integers<'a>),
    Lists,
}

/// Texts one behind another.
#[derive(Clone, Copy)]
pub(crate) struct Strings<'a> {
    bytes: &'a [u8],
    ends: &'a Ends,
    heap: usize,
    count: usize,
}

impl<'a> Strings<'a> {
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// One of them.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> &'a str {
        let range = self.ends.range(self.bytes, index);
        // It was checked when the column was first read.
        std::str::from_utf8(&self.bytes[self.heap..][range]).unwrap_or_default()
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = &'a str> {
        (0..self.count).map(move |index| self.get(index))
    }
}

impl<'a> Typed<'a> {
    /// The text of a slot; empty if these are no texts.
    #[inline]
    pub(crate) fn text(&self, slot: usize) -> &'a str {
        match self {
            Typed::Codes(codes, texts) => texts.get(codes.get(slot) as usize),
            Typed::Texts(texts) => texts.get(slot),
            _ => "",
        }
    }
}

impl<'a> Column<'a> {
    /// The values by their type.
    #[inline]
    pub(crate) fn typed(&self) -> Typed<'a> {
        let (bytes, slots) = (self.bytes, self.layout.slots);
        let strings = |ends: &'a Ends, heap: usize, count: usize| Strings {
            bytes,
            ends,
            heap,
            count,
        };
        match &self.layout.data {
            Data::None => Typed::None,
            Data::Booleans(at) => Typed::Booleans(&bytes[*at..*at + 8 * slots.div_ceil(64)]),
            Data::Integers(dense) => Typed::Integers(dense.integers(bytes, slots)),
            Data::Floats(dense) => Typed::Floats(dense.integers(bytes, slots)),
            Data::Codes {
                codes,
                texts,
                ends,
                heap,
            } => Typed::Codes(codes.integers(bytes, slots), strings(ends, *heap, *texts)),
            Data::Texts { ends, heap } => Typed::Texts(strings(ends, *heap, slots)),
            Data::Dates(dense) => Typed::Dates(dense.integers(bytes, slots)),
            Data::LocalDateTimes(seconds, nanoseconds) => Typed::LocalDateTimes(
                seconds.integers(bytes, slots),
                nanoseconds.integers(bytes, slots),
            ),
            Data::IntegerLists { .. } | Data::FloatLists { .. } => Typed::Lists,
        }
    }
}

/// Whether a slot of [`Typed::Booleans`] is true.
#[inline]
pub(super) fn is_true(bits: &[u8], slot: usize) -> bool {
    bit(bits, 0, slot)
}

/// The float of these bits.
#[inline]
pub(super) fn float(bits: i64) -> f64 {
    f64::from_bits(bits as u64)
}

/// The date of days that a column has: they were checked when it was first read.
#[inline]
pub(super) fn date(days: i64) -> Date {
    Date::from_days(days).unwrap_or_default()
}

/// As [`date`], of seconds and nanoseconds.
#[inline]
pub(super) fn local_date_time(seconds: i64, nanoseconds: i64) -> LocalDateTime {
    LocalDateTime::from_seconds(seconds, nanoseconds as u32).unwrap_or_default()
}

/// Types of values that lie in an array of a vector, and in columns of one type.
pub(crate) trait Cell: vector::Cell {
    /// Whether a column is of this type.
    fn is_in(typed: &Typed<'_>) -> bool;

    /// The value of a slot of a column of this type.
    fn get(typed: &Typed<'_>, slot: usize) -> Self;

    /// Appends the values of slots of a column of this type.
    fn extend(typed: &Typed<'_>, slots: &Slice<'_>, into: &mut Vec<Self>) {
        into.extend(slots.iter().map(|slot| Self::get(typed, slot)));
    }
}

macro_rules! number_cell {
    ($cell:ty, $typed:ident, $of:expr) => {
        impl Cell for $cell {
            fn is_in(typed: &Typed<'_>) -> bool {
                matches!(typed, Typed::$typed(_))
            }

            #[inline]
            fn get(typed: &Typed<'_>, slot: usize) -> Self {
                match typed {
                    Typed::$typed(numbers) => $of(numbers.get(slot)),
                    _ => Self::default(),
                }
            }

            fn extend(typed: &Typed<'_>, slots: &Slice<'_>, into: &mut Vec<Self>) {
                if let Typed::$typed(numbers) = typed {
                    numbers.extend(slots, $of, into);
                }
            }
        }
    };
}

number_cell!(i64, Integers, |number: i64| number);
number_cell!(f64, Floats, float);
number_cell!(Date, Dates, date);

impl Cell for bool {
    fn is_in(typed: &Typed<'_>) -> bool {
        matches!(typed, Typed::Booleans(_))
    }

    #[inline]
    fn get(typed: &Typed<'_>, slot: usize) -> Self {
        match typed {
            Typed::Booleans(bits) => is_true(bits, slot),
            _ => false,
        }
    }
}

impl Cell for LocalDateTime {
    fn is_in(typed: &Typed<'_>) -> bool {
        matches!(typed, Typed::LocalDateTimes(..))
    }

    #[inline]
    fn get(typed: &Typed<'_>, slot: usize) -> Self {
        match typed {
            Typed::LocalDateTimes(seconds, nanoseconds) => {
                local_date_time(seconds.get(slot), nanoseconds.get(slot))
            }
            _ => Self::default(),
        }
    }
}
