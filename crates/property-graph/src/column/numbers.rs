//! Integers of consecutive slots.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | bytes of a difference: 0, 1, 2, 4 or 8 |
//! | 1 | 1 if most slots hold the base and the others are listed, else 0; then 2 zeros |
//! | 4 | number of listed slots |
//! | 8 | base |
//! | … | the difference of each slot; or the listed slots (2 bytes each, ascending), and their integers in this form |
//!
//! Differences of 8 bytes are the integers: their base is 0.

use std::ops::RangeInclusive;

use super::integers::{Integers, fill};
use crate::bytes::{Reader, Wrong};

const HEADER_BYTES: usize = 16;

/// Where integers lie in the bytes of a column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Numbers {
    Dense(Dense),
    Sparse {
        base: i64,
        slots: Slots,
        values: Dense,
    },
}

/// An integer for each slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dense {
    at: usize,
    base: i64,
    width: usize,
}

/// Ascending slots, two bytes each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    at: usize,
    count: usize,
}

/// Appends integers, one a slot, as differences from the least of them. Gives that and the
/// greatest, 0 of none.
pub(crate) fn encode(values: &[i64], bytes: &mut Vec<u8>) -> (i64, i64) {
    encode_with(values, 0, bytes)
}

/// As [`encode`], with a byte at least for each: so bytes bound how many there are.
pub(super) fn encode_counted(values: &[i64], bytes: &mut Vec<u8>) {
    encode_with(values, 1, bytes);
}

fn encode_with(values: &[i64], least_width: usize, bytes: &mut Vec<u8>) -> (i64, i64) {
    let first = values.first().copied().unwrap_or(0);
    let wider = |(least, most): (i64, i64), value: &i64| (least.min(*value), most.max(*value));
    let (least, most) = values.iter().fold((first, first), wider);
    let width = match most.wrapping_sub(least) as u64 {
        0 => least_width,
        1..=0xFF => 1,
        0x100..=0xFFFF => 2,
        0x1_0000..=0xFFFF_FFFF => 4,
        _ => 8,
    };
    let base = if width == 8 { 0 } else { least };
    put_header(width as u8, 0, base, bytes);
    let differences = values.iter().map(|value| value.wrapping_sub(base) as u64);
    // A loop for each width, which the compiler makes one of vectors.
    match width {
        0 => {}
        1 => bytes.extend(differences.map(|difference| difference as u8)),
        2 => put_all(
            differences,
            |difference| (difference as u16).to_le_bytes(),
            bytes,
        ),
        4 => put_all(
            differences,
            |difference| (difference as u32).to_le_bytes(),
            bytes,
        ),
        _ => put_all(differences, u64::to_le_bytes, bytes),
    }
    (least, most)
}

fn put_all<const WIDTH: usize>(
    differences: impl ExactSizeIterator<Item = u64>,
    stored: impl Fn(u64) -> [u8; WIDTH],
    bytes: &mut Vec<u8>,
) {
    let at = bytes.len();
    bytes.resize(at + WIDTH * differences.len(), 0);
    let (places, _) = bytes[at..].as_chunks_mut::<WIDTH>();
    for (place, difference) in places.iter_mut().zip(differences) {
        *place = stored(difference);
    }
}

/// As [`encode`]; where it is smaller, the integer of most slots, and the others.
pub(crate) fn encode_sparse(values: &[i64], bytes: &mut Vec<u8>) {
    let start = bytes.len();
    encode(values, bytes);
    let base = majority(values);
    let others = || (0u16..).zip(values).filter(|(_, value)| **value != base);
    let other_values: Vec<i64> = others().map(|(_, value)| *value).collect();
    if values.len() < 2 || HEADER_BYTES + 3 * other_values.len() >= bytes.len() - start {
        return;
    }
    let mut sparse = Vec::new();
    put_header(0, other_values.len() as u32, base, &mut sparse);
    sparse[1] = 1;
    others().for_each(|(slot, _)| sparse.extend_from_slice(&slot.to_le_bytes()));
    encode(&other_values, &mut sparse);
    if sparse.len() < bytes.len() - start {
        bytes.truncate(start);
        bytes.append(&mut sparse);
    }
}

/// The value of more than half of the slots, if there is one.
fn majority(values: &[i64]) -> i64 {
    let (mut candidate, mut lead) = (0, 0u32);
    for &value in values {
        match lead {
            0 => (candidate, lead) = (value, 1),
            _ if value == candidate => lead += 1,
            _ => lead -= 1,
        }
    }
    candidate
}

fn put_header(width: u8, listed: u32, base: i64, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&[width, 0, 0, 0]);
    bytes.extend_from_slice(&listed.to_le_bytes());
    bytes.extend_from_slice(&base.to_le_bytes());
}

impl Numbers {
    /// Takes integers of `count` slots.
    pub(crate) fn take(reader: &mut Reader<'_>, count: usize) -> Result<Self, Wrong> {
        let mut ahead = reader.clone();
        ahead.u8()?;
        match ahead.u8()? {
            0 => Dense::take(reader, count).map(Numbers::Dense),
            1 => {
                reader.u32()?;
                let (listed, base) = (reader.u32()? as usize, reader.u64()? as i64);
                let slots = Slots::take(reader, listed, count)?;
                let values = Dense::take(reader, listed)?;
                Ok(Numbers::Sparse {
                    base,
                    slots,
                    values,
                })
            }
            _ => Err("integers are of no known form"),
        }
    }

    /// Sets the bits of slots whose integer is one of these, the lowest first.
    pub(crate) fn between(
        &self,
        bytes: &[u8],
        (least, most): (i64, i64),
        slots: usize,
        bits: &mut [u64],
    ) {
        match self {
            Numbers::Dense(dense) => dense
                .integers(bytes, slots)
                .between(least, most, slots, bits),
            Numbers::Sparse {
                base,
                slots: listed,
                values,
            } => {
                let inside = |value: i64| least <= value && value <= most;
                if inside(*base) {
                    fill(slots, bits);
                }
                for index in 0..listed.len() {
                    let slot = listed.get(bytes, index);
                    let mask = 1 << (slot % 64);
                    match inside(values.get(bytes, index)) {
                        true => bits[slot / 64] |= mask,
                        false => bits[slot / 64] &= !mask,
                    }
                }
            }
        }
    }

    /// The integers that occur, ascending, each once.
    pub(crate) fn distinct(&self, bytes: &[u8], slots: usize) -> Vec<i64> {
        let mut all: Vec<i64> = match self {
            Numbers::Dense(dense) if dense.width == 0 => vec![dense.base],
            Numbers::Dense(_) => (0..slots).map(|slot| self.get(bytes, slot)).collect(),
            Numbers::Sparse {
                base,
                slots: listed,
                values,
            } => {
                let others = (0..listed.len()).map(|index| values.get(bytes, index));
                others.chain([*base]).collect()
            }
        };
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The least and the greatest integer, without signs; 0 of no slots.
    pub(crate) fn bounds(&self, bytes: &[u8], slots: usize) -> RangeInclusive<u64> {
        let (mut least, mut most) = (u64::MAX, 0);
        let mut add = |number: i64| {
            least = least.min(number as u64);
            most = most.max(number as u64);
        };
        match self {
            Numbers::Dense(dense) if dense.width == 0 => add(dense.base),
            Numbers::Dense(_) => self.for_each(bytes, 0..slots, &mut add),
            Numbers::Sparse {
                base,
                slots: listed,
                values,
            } => {
                (0..listed.len()).for_each(|index| add(values.get(bytes, index)));
                if listed.len() < slots {
                    add(*base);
                }
            }
        }
        least.min(most)..=most
    }

    /// All of them, without signs.
    pub(crate) fn all(&self, bytes: &[u8], slots: usize) -> Vec<u64> {
        match self {
            Numbers::Dense(_) => {
                let mut all = Vec::with_capacity(slots);
                self.for_each(bytes, 0..slots, |number| all.push(number as u64));
                all
            }
            Numbers::Sparse {
                base,
                slots: listed,
                values,
            } => {
                let mut all = vec![*base as u64; slots];
                for index in 0..listed.len() {
                    all[listed.get(bytes, index)] = values.get(bytes, index) as u64;
                }
                all
            }
        }
    }

    /// As [`Numbers::get`] of each slot, in order; what they are is looked at once.
    pub(crate) fn for_each(
        &self,
        bytes: &[u8],
        slots: impl Iterator<Item = usize>,
        mut each: impl FnMut(i64),
    ) {
        match self {
            Numbers::Dense(dense) if dense.width == 0 => slots.for_each(|_| each(dense.base)),
            Numbers::Dense(dense) if dense.width == 4 => {
                slots.for_each(|slot| each(dense.get_of_width::<4>(bytes, slot)));
            }
            Numbers::Dense(dense) if dense.width == 2 => {
                slots.for_each(|slot| each(dense.get_of_width::<2>(bytes, slot)));
            }
            _ => slots.for_each(|slot| each(self.get(bytes, slot))),
        }
    }

    #[inline]
    pub(crate) fn get(&self, bytes: &[u8], slot: usize) -> i64 {
        match self {
            Numbers::Dense(dense) => dense.get(bytes, slot),
            Numbers::Sparse {
                base,
                slots,
                values,
            } => match slots.find(bytes, slot) {
                Some(listed) => values.get(bytes, listed),
                None => *base,
            },
        }
    }
}

impl Dense {
    pub(crate) fn take(reader: &mut Reader<'_>, count: usize) -> Result<Self, Wrong> {
        let (width, form) = (reader.u8()? as usize, reader.u8()?);
        let (zero, listed, base) = (reader.u16()?, reader.u32()?, reader.u64()? as i64);
        let is_known = matches!(width, 0 | 1 | 2 | 4 | 8) && (width < 8 || base == 0);
        if !is_known || form != 0 || zero != 0 || listed != 0 {
            return Err("integers are of no known form");
        }
        let at = reader.position();
        let len = count.checked_mul(width);
        reader.take(len.ok_or("a count is impossible")?)?;
        Ok(Dense { at, base, width })
    }

    /// Offset of the first difference.
    pub(super) fn start(&self) -> usize {
        self.at
    }

    pub(super) fn base(&self) -> i64 {
        self.base
    }

    /// Bytes of a difference.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Whether an integer can be put among the others.
    pub(super) fn has_place_for(&self, number: i64) -> bool {
        let difference = number.wrapping_sub(self.base) as u64;
        self.width == 8 || difference >> (8 * self.width) == 0
    }

    /// Puts an integer that has a place into a slot.
    pub(super) fn put(&self, bytes: &mut [u8], slot: usize, number: i64) {
        let difference = (number.wrapping_sub(self.base) as u64).to_le_bytes();
        let at = self.at + slot * self.width;
        bytes[at..at + self.width].copy_from_slice(&difference[..self.width]);
    }

    #[inline]
    pub(crate) fn get(&self, bytes: &[u8], slot: usize) -> i64 {
        let at = self.at + slot * self.width;
        let difference = match self.width {
            0 => 0,
            1 => u64::from(bytes[at]),
            2 => u64::from(u16_at(bytes, at)),
            4 => u64::from(u32::from_le_bytes(
                bytes[at..at + 4].try_into().expect("four bytes"),
            )),
            _ => u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")),
        };
        self.base.wrapping_add(difference as i64)
    }

    #[inline]
    fn get_of_width<const WIDTH: usize>(&self, bytes: &[u8], slot: usize) -> i64 {
        let at = self.at + slot * WIDTH;
        let mut difference = [0; 8];
        difference[..WIDTH].copy_from_slice(&bytes[at..at + WIDTH]);
        self.base
            .wrapping_add(u64::from_le_bytes(difference) as i64)
    }

    /// As [`Dense::take`], of the output of [`encode_counted`].
    pub(super) fn take_counted(reader: &mut Reader<'_>, count: usize) -> Result<Self, Wrong> {
        let dense = Self::take(reader, count)?;
        match dense.width > 0 {
            true => Ok(dense),
            false => Err("there is no telling how many integers there are"),
        }
    }

    /// Whether all of them, without signs, are below a number.
    pub(super) fn are_below(&self, bytes: &[u8], count: usize, limit: usize) -> bool {
        let bounds = Numbers::Dense(*self).bounds(bytes, count);
        count == 0 || *bounds.end() < limit as u64
    }

    pub(crate) fn integers<'a>(&self, bytes: &'a [u8], count: usize) -> Integers<'a> {
        Integers {
            base: self.base,
            width: self.width,
            differences: &bytes[self.at..self.at + count * self.width],
        }
    }
}

impl Slots {
    /// Takes `count` slots below `limit`.
    pub(crate) fn take(reader: &mut Reader<'_>, count: usize, limit: usize) -> Result<Self, Wrong> {
        let at = reader.position();
        let bytes = reader.take(count.checked_mul(2).ok_or("a count is impossible")?)?;
        let slot = |index: usize| usize::from(u16_at(bytes, 2 * index));
        let ascends = (1..count).all(|index| slot(index - 1) < slot(index));
        match ascends && (count == 0 || slot(count - 1) < limit) {
            true => Ok(Slots { at, count }),
            false => Err("listed slots do not ascend, or are none"),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub(crate) fn get(&self, bytes: &[u8], index: usize) -> usize {
        usize::from(u16_at(bytes, self.at + 2 * index))
    }

    /// Place of a slot in the list. O(log slots).
    #[inline]
    pub(crate) fn find(&self, bytes: &[u8], slot: usize) -> Option<usize> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = (low + high) / 2;
            match self.get(bytes, middle).cmp(&slot) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values() -> impl Strategy<Value = Vec<i64>> {
        let near = (any::<i64>(), 0u32..64).prop_flat_map(|(base, shift)| {
            let one = any::<u64>().prop_map(move |n| base.wrapping_add((n >> shift) as i64));
            prop::collection::vec(one, 0..60)
        });
        let mostly = prop::collection::vec(prop_oneof![9 => Just(7i64), 1 => any::<i64>()], 0..300);
        prop_oneof![near, mostly]
    }

    proptest! {
        #[test]
        fn integers_come_back(values in values()) {
            let plain = |values: &[i64], bytes: &mut Vec<u8>| {
                encode(values, bytes);
            };
            for encode in [plain, encode_sparse] {
                let mut bytes = vec![9];
                encode(&values, &mut bytes);
                let mut reader = Reader::new(&bytes);
                reader.u8().unwrap();
                let numbers = Numbers::take(&mut reader, values.len()).unwrap();
                prop_assert!(reader.is_empty());
                for (slot, value) in values.iter().enumerate() {
                    prop_assert_eq!(numbers.get(&bytes, slot), *value);
                }
                let mut odd = Vec::new();
                let slots = (1..values.len()).step_by(2);
                numbers.for_each(&bytes, slots, |value| odd.push(value));
                let expected: Vec<i64> = values.iter().skip(1).step_by(2).copied().collect();
                prop_assert_eq!(odd, expected);
                let all: Vec<u64> = values.iter().map(|value| *value as u64).collect();
                prop_assert_eq!(&numbers.all(&bytes, values.len()), &all);
                let (least, most) = (all.iter().min(), all.iter().max());
                let bounds = *least.unwrap_or(&0)..=*most.unwrap_or(&0);
                prop_assert_eq!(numbers.bounds(&bytes, values.len()), bounds);
            }
        }
    }

    #[test]
    fn a_few_others_take_few_bytes() {
        let mut values = vec![1 << 40; 2048];
        (values[7], values[2000]) = (i64::MIN, 3);
        let mut bytes = Vec::new();
        encode_sparse(&values, &mut bytes);
        assert_eq!(bytes.len(), 16 + 2 * 2 + 16 + 2 * 8);
    }
}
