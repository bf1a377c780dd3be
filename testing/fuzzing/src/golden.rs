//! Golden databases, changed by scripts of edits, and sealed again.

use crate::image::Image;
use crate::seals::{self, Seal, u32_at, u64_at};

/// A sound database, with the places where a change is worth it.
pub struct Golden {
    pub image: Image,
    seals: Vec<Seal>,
    /// Bytes under a checksum, file by file, without what another one covers, too.
    covered: Vec<(usize, std::ops::Range<usize>)>,
    covered_bytes: usize,
}

/// Values that are at a limit somewhere.
const NUMBERS: [u64; 16] = [
    0,
    1,
    2,
    7,
    64,
    255,
    4096,
    0xffff,
    0x1_0000,
    (1 << 30) - 2,
    (1 << 31) - 1,
    1 << 31,
    u32::MAX as u64,
    1 << 32,
    1 << 63,
    u64::MAX,
];

/// Bytes of an edit.
const EDIT: usize = 8;
/// More edits than these would only break more at once.
const MOST_EDITS: usize = 12;

impl Golden {
    pub fn new(image: Image) -> Self {
        let seals = seals::of_image(&image);
        let mut covered: Vec<_> = seals.iter().flat_map(Seal::parts).collect();
        covered.sort_by_key(|(file, range)| (*file, range.start, range.end));
        covered.dedup();
        let covered_bytes = covered.iter().map(|(_, range)| range.len()).sum();
        Golden {
            image,
            seals,
            covered,
            covered_bytes,
        }
    }

    /// The database with edits, and its checksums made right again.
    pub fn edited(&self, script: &[u8]) -> Image {
        let mut image = self.image.clone();
        for edit in script.chunks_exact(EDIT).take(MOST_EDITS) {
            self.edit(&mut image, edit);
        }
        self.seal(&mut image);
        image
    }

    /// Makes all checksums right.
    pub fn seal(&self, image: &mut Image) {
        self.seals.iter().for_each(|seal| seal.renew(image));
    }

    /// Of the covered bytes the one of this number, modulo.
    fn find(&self, number: usize) -> (usize, usize) {
        let mut left = number % self.covered_bytes;
        for (file, range) in &self.covered {
            match left < range.len() {
                true => return (*file, range.start + left),
                false => left -= range.len(),
            }
        }
        unreachable!("the number is below the sum")
    }

    /// An edit: what is done (1 byte), where (3), with what (4).
    fn edit(&self, image: &mut Image, edit: &[u8]) {
        let (file, at) = self.find((u32_at(edit, 0) >> 8) as usize);
        let value = u32_at(edit, 4);
        let bytes = image.bytes_mut(file);
        let (word, long) = (at & !3, at & !7);
        if long + 8 > bytes.len() {
            return;
        }
        let put = |bytes: &mut [u8], at: usize, value: &[u8]| {
            bytes[at..at + value.len()].copy_from_slice(value);
        };
        let number = NUMBERS[value as usize % NUMBERS.len()];
        match edit[0] & 15 {
            0 | 1 => bytes[at] = value as u8,
            2 | 3 => bytes[at] ^= 1 << (value & 7),
            4 | 5 => put(bytes, word, &(number as u32).to_le_bytes()),
            6 | 7 => put(bytes, long, &number.to_le_bytes()),
            8 | 9 => {
                let sum = u32_at(bytes, word).wrapping_add(value as u8 as i8 as u32);
                put(bytes, word, &sum.to_le_bytes());
            }
            10 => {
                let sum = u64_at(bytes, long).wrapping_add(value as i16 as u64);
                put(bytes, long, &sum.to_le_bytes());
            }
            11 => put(bytes, word, &value.to_le_bytes()),
            // Copies a value that is right elsewhere: another offset, key or table number.
            12..=14 => {
                let (from, at) = self.find(value as usize);
                let len = if edit[0] & 16 == 0 { 4 } else { 8 };
                let at = at & !(len - 1);
                let copied = image.bytes(from).get(at..at + len).map(<[u8]>::to_vec);
                if let Some(copied) = copied {
                    let to = if len == 4 { word } else { long };
                    put(image.bytes_mut(file), to, &copied);
                }
            }
            _ if value.is_multiple_of(16) => bytes.truncate(at),
            _ => bytes[at] = bytes[at].wrapping_add(1),
        }
    }
}

#[cfg(test)]
mod tests {
    /// The reader of checksums agrees with the program that wrote them.
    #[test]
    fn sealing_changes_nothing_in_a_sound_database() {
        for golden in crate::databases::goldens() {
            let mut image = golden.image.clone();
            golden.seal(&mut image);
            let sealed = image.0.iter().zip(&golden.image.0);
            for ((name, now), (_, before)) in sealed {
                let changed = (0..now.len()).find(|&at| now[at] != before[at]);
                assert_eq!(changed, None, "{name} of {:?}", golden.image.uuid());
            }
        }
    }
}
