//! Where the parts of a column lie in its bytes: found and checked once, so that reading
//! a value needs no checks.

use super::numbers::Dense;
use super::packed::{Ends, Packed};
use crate::bytes::{Reader, Wrong};
use crate::value::codec::{NoTextCodes, decode};
use crate::value::{Date, LocalDateTime};

pub(super) const NONE: u8 = 0;
pub(super) const BOOLEAN: u8 = 1;
pub(super) const INTEGER: u8 = 2;
pub(super) const FLOAT: u8 = 3;
pub(super) const CODES: u8 = 4;
pub(super) const TEXT: u8 = 5;
pub(super) const DATE: u8 = 6;
pub(super) const LOCAL_DATE_TIME: u8 = 7;
pub(super) const INTEGER_LIST: u8 = 8;
pub(super) const FLOAT_LIST: u8 = 9;

pub(super) const HAS_VALIDITY: u8 = 1;
pub(super) const HAS_EXCEPTIONS: u8 = 2;
pub(super) const HAS_NAN: u8 = 4;

/// Bytes of a text that a range has of it.
pub(super) const PREFIX: usize = 16;

/// The least and the greatest value of a column's type; exceptions are outside of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Range {
    Integers(i64, i64),
    /// Of all but NaN, and whether there is NaN. −0.0 and 0.0 are the same here.
    Floats(f64, f64, bool),
    /// The first 16 bytes, with zeros behind shorter texts.
    Texts([u8; PREFIX], [u8; PREFIX]),
    /// Days.
    Dates(i64, i64),
    /// Whole seconds.
    LocalDateTimes(i64, i64),
}

/// Where the parts of a column lie.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(super) slots: usize,
    pub(super) validity: Option<usize>,
    pub(super) data: Data,
    pub(super) exceptions: Option<Packed>,
    pub(super) range: Option<Range>,
}

#[derive(Clone, Debug)]
pub(super) enum Data {
    None,
    Booleans(usize),
    Integers(Dense),
    Floats(Dense),
    Codes {
        codes: Dense,
        /// Texts that there are codes of.
        texts: usize,
        ends: Ends,
        heap: usize,
    },
    Texts {
        ends: Ends,
        heap: usize,
    },
    Dates(Dense),
    LocalDateTimes(Dense, Dense),
    IntegerLists {
        ends: Ends,
        numbers: Dense,
    },
    FloatLists {
        ends: Ends,
        numbers: Dense,
    },
}

#[inline]
pub(super) fn bit(bytes: &[u8], at: usize, slot: usize) -> bool {
    bytes[at + slot / 8] >> (slot % 8) & 1 == 1
}

impl Layout {
    /// Finds and checks the parts of a column of `slots` slots, which all of `bytes` has
    /// to be. No bytes make it panic, and what it accepts can be read.
    pub(crate) fn parse(bytes: &[u8], slots: usize) -> Result<Self, Wrong> {
        let mut reader = Reader::new(bytes);
        let (kind, flags) = (reader.u8()?, reader.u8()?);
        if reader.u16()? != 0 || flags > 7 {
            return Err("a column is of no known form");
        }
        if reader.u32()? as usize != slots {
            return Err("a column has not as many slots as its chunk");
        }
        let (least, most) = (reader.array::<PREFIX>()?, reader.array::<PREFIX>()?);
        let mut bits = || {
            let at = reader.position();
            reader.take(8 * slots.div_ceil(64)).map(|_| at)
        };
        let validity = match flags & HAS_VALIDITY != 0 {
            true => Some(bits()?),
            false => None,
        };
        let data = match kind {
            BOOLEAN => Data::Booleans(bits()?),
            _ => Data::take(kind, bytes, &mut reader, slots)?,
        };
        let exceptions = match flags & HAS_EXCEPTIONS != 0 {
            true => Some(Packed::take(bytes, &mut reader, slots)?),
            false => None,
        };
        if !reader.is_empty() {
            return Err("something follows a column");
        }
        let layout = Layout {
            slots,
            validity,
            range: range(kind, flags, least, most),
            data,
            exceptions,
        };
        layout.check(bytes)?;
        Ok(layout)
    }

    /// Checks the values themselves, as far as bytes can be none.
    fn check(&self, bytes: &[u8]) -> Result<(), Wrong> {
        let is_valid = |slot| self.validity.is_none_or(|at| bit(bytes, at, slot));
        for (slot, value) in self.exceptions.iter().flat_map(|packed| packed.iter(bytes)) {
            if is_valid(slot) || decode(value, &NoTextCodes).is_err() {
                return Err("a value beside a column cannot be read, or is there twice");
            }
        }
        let mut valid = (0..self.slots).filter(|&slot| is_valid(slot));
        let has_values = match &self.data {
            Data::None => valid.next().is_none(),
            Data::Dates(days) => valid.all(|slot| Date::from_days(days.get(bytes, slot)).is_ok()),
            Data::LocalDateTimes(seconds, nanoseconds) => valid.all(|slot| {
                let nanoseconds = u32::try_from(nanoseconds.get(bytes, slot));
                let moment = |n| LocalDateTime::from_seconds(seconds.get(bytes, slot), n);
                nanoseconds.is_ok_and(|n| moment(n).is_ok())
            }),
            _ => true,
        };
        match has_values {
            true => Ok(()),
            false => Err("a value of a column does not exist"),
        }
    }
}

impl Data {
    fn take(kind: u8, bytes: &[u8], reader: &mut Reader<'_>, slots: usize) -> Result<Self, Wrong> {
        Ok(match kind {
            NONE => Data::None,
            INTEGER => Data::Integers(Dense::take(reader, slots)?),
            FLOAT => Data::Floats(Dense::take(reader, slots)?),
            DATE => Data::Dates(Dense::take(reader, slots)?),
            LOCAL_DATE_TIME => {
                Data::LocalDateTimes(Dense::take(reader, slots)?, Dense::take(reader, slots)?)
            }
            CODES => {
                let codes = Dense::take(reader, slots)?;
                let texts = reader.u32()? as usize;
                if !codes.are_below(bytes, slots, texts) {
                    return Err("a code of a column stands for no text");
                }
                let (ends, heap) = texts_of(bytes, reader, texts)?;
                Data::Codes {
                    codes,
                    texts,
                    ends,
                    heap,
                }
            }
            TEXT => {
                let (ends, heap) = texts_of(bytes, reader, slots)?;
                Data::Texts { ends, heap }
            }
            INTEGER_LIST | FLOAT_LIST => {
                let (ends, count) = Ends::take(bytes, reader, slots)?;
                let numbers = Dense::take_counted(reader, count)?;
                match kind {
                    INTEGER_LIST => Data::IntegerLists { ends, numbers },
                    _ => Data::FloatLists { ends, numbers },
                }
            }
            _ => return Err("a column is of no known type"),
        })
    }
}

/// Ends and content of texts, each of which is UTF-8.
fn texts_of(bytes: &[u8], reader: &mut Reader<'_>, count: usize) -> Result<(Ends, usize), Wrong> {
    let (ends, len) = Ends::take(bytes, reader, count)?;
    let heap = reader.position();
    let all = std::str::from_utf8(reader.take(len)?).map_err(|_| "a text is not UTF-8")?;
    let is_whole = |index| all.is_char_boundary(ends.range(bytes, index).end);
    match (0..count).all(is_whole) {
        true => Ok((ends, heap)),
        false => Err("a text is not UTF-8"),
    }
}

fn range(kind: u8, flags: u8, least: [u8; PREFIX], most: [u8; PREFIX]) -> Option<Range> {
    let word =
        |bytes: [u8; PREFIX]| i64::from_le_bytes(*bytes.first_chunk().expect("more than eight"));
    let (low, high) = (word(least), word(most));
    Some(match kind {
        INTEGER => Range::Integers(low, high),
        FLOAT => Range::Floats(
            f64::from_bits(low as u64),
            f64::from_bits(high as u64),
            flags & HAS_NAN != 0,
        ),
        CODES | TEXT => Range::Texts(least, most),
        DATE => Range::Dates(low, high),
        LOCAL_DATE_TIME => Range::LocalDateTimes(low, high),
        _ => return None,
    })
}
