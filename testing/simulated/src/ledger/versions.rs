//! Versions of each unit that follow from a ledger, and their fingerprint.

use super::{Ledger, Pending, Record};
use crate::choices::Random;

/// Versions of one unit above which the choice is thinned.
const MOST_VERSIONS: usize = 128;
/// Subsets of non-temporal stores above which they are sampled.
const MOST_SUBSETS: usize = 32;

impl Ledger {
    /// Appends the versions of a pending unit to `out`, distinct ones only, the
    /// oldest first; with `marks` (eADR) also the cut from which each holds.
    /// `false` if there are so many that some were left out.
    pub fn versions(
        &self,
        file: usize,
        pending: &Pending,
        bytes: &[u8],
        out: &mut Vec<u8>,
        mut marks: Option<&mut Vec<u32>>,
    ) -> bool {
        let unit_bytes = self.unit_bytes;
        let start = out.len();
        let from = pending.unit as usize * unit_bytes;
        let mut complete = true;
        let known = self.files[file].image.get(from..from + unit_bytes);
        let zeros = [0u8; 512];
        let bases = if pending.alternatives.is_empty() {
            known.unwrap_or(&zeros[..unit_bytes])
        } else {
            &pending.alternatives
        };
        let streamed = pending.records.iter().filter(|r| r.non_temporal).count();
        let mut content = [0u8; 512];
        let content = &mut content[..unit_bytes];
        for base in bases.chunks_exact(unit_bytes) {
            if streamed == 0 {
                content.copy_from_slice(base);
                if push_distinct(out, start, unit_bytes, content)
                    && let Some(marks) = marks.as_mut()
                {
                    marks.push(0);
                }
                let count = pending.records.len();
                let stride = count.div_ceil(MOST_VERSIONS).max(1);
                complete &= stride == 1;
                for (i, record) in pending.records.iter().enumerate() {
                    record.apply(content, bytes);
                    if i % stride != 0 && i + 1 != count {
                        continue;
                    }
                    if let Some(marks) = marks.as_mut() {
                        // A cut selects by position, so equal versions stay.
                        out.extend_from_slice(content);
                        marks.push(record.sequence + 1);
                    } else {
                        push_distinct(out, start, unit_bytes, content);
                    }
                }
            } else if streamed == pending.records.len() && pending.is_disjoint() {
                // The usual case, a bulk copy. Stores that change something, each
                // elsewhere, make distinct versions: nothing to compare.
                let changing = |r: &&Record| {
                    let (at, len) = (usize::from(r.at), usize::from(r.len));
                    base[at..at + len] != bytes[r.bytes as usize..][..len]
                };
                let records: Vec<&Record> = pending.records.iter().filter(changing).collect();
                complete &= records.len() < MOST_SUBSETS.ilog2() as usize;
                for subset in subsets(records.len()) {
                    content.copy_from_slice(base);
                    for (number, record) in records.iter().enumerate() {
                        if subset >> (number % 64) & 1 == 1 {
                            record.apply(content, bytes);
                        }
                    }
                    if bases.len() == unit_bytes {
                        out.extend_from_slice(content);
                    } else {
                        push_distinct(out, start, unit_bytes, content);
                    }
                }
            } else {
                complete &= streamed < MOST_SUBSETS.ilog2() as usize;
                for subset in subsets(streamed) {
                    for prefix in 0..=pending.records.len() - streamed {
                        content.copy_from_slice(base);
                        let (mut ordinary, mut number) = (0, 0);
                        for record in &pending.records {
                            let kept = if record.non_temporal {
                                number += 1;
                                subset >> ((number - 1) % 64) & 1 == 1
                            } else {
                                ordinary += 1;
                                ordinary <= prefix
                            };
                            if kept {
                                record.apply(content, bytes);
                            }
                        }
                        push_distinct(out, start, unit_bytes, content);
                    }
                }
            }
        }
        complete
    }

    /// A number that two ledgers share only if the same power-cut images follow
    /// from them (but for collisions of 64 bits).
    pub fn fingerprint(&self, bytes: &[u8]) -> u64 {
        let mut hash = mix(self.digest, self.files.len() as u64);
        let mut pending_sum = 0u64;
        for (number, file) in self.files.iter().enumerate() {
            for &size in &file.sizes {
                hash = mix(hash, size);
            }
            hash = mix(hash, number as u64);
            for pending in &file.pending {
                // Summed, because the order of pending units means nothing.
                let mut one = mix(number as u64 + 1, u64::from(pending.unit));
                one = mix_bytes(one, &pending.alternatives);
                for r in &pending.records {
                    let shape = u64::from(r.at) << 32 | u64::from(r.len) << 1;
                    one = mix(one, shape | u64::from(r.non_temporal));
                    if self.eadr {
                        one = mix(one, u64::from(r.sequence));
                    }
                    one = mix_bytes(one, &bytes[r.bytes as usize..][..usize::from(r.len)]);
                }
                pending_sum = pending_sum.wrapping_add(one);
            }
        }
        for name in &self.names {
            hash = mix_bytes(hash, name.name.as_bytes());
            for version in &name.versions {
                hash = mix(hash, version.map_or(0, |file| u64::from(file) + 1));
            }
        }
        mix(hash, pending_sum)
    }
}

/// Sets of `count` non-temporal stores that may survive, as bit sets: all subsets, or
/// none, singles, all but one, some at random, and all.
fn subsets(count: usize) -> Vec<u64> {
    if count < MOST_SUBSETS.ilog2() as usize {
        return (0..1u64 << count).collect();
    }
    let bits = count.min(63);
    let all = (1u64 << bits) - 1;
    let mut list = vec![0];
    list.extend((0..bits.min(10)).map(|bit| 1 << bit));
    let mut random = Random::new(count as u64);
    while list.len() + bits.min(10) + 1 < MOST_SUBSETS {
        list.push(random.next_u64() & all);
    }
    list.extend((0..bits.min(10)).map(|bit| all & !(1 << bit)));
    list.push(u64::MAX);
    list
}

/// Appends `content` unless it is among the units from `start`.
pub(super) fn push_distinct(
    out: &mut Vec<u8>,
    start: usize,
    unit_bytes: usize,
    content: &[u8],
) -> bool {
    if out[start..].chunks_exact(unit_bytes).any(|c| c == content) {
        return false;
    }
    out.extend_from_slice(content);
    true
}

pub(crate) fn mix(hash: u64, value: u64) -> u64 {
    let product = (hash ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (product ^ (product >> 29)).wrapping_add(hash.rotate_left(23))
}

fn mix_bytes(hash: u64, bytes: &[u8]) -> u64 {
    let mut hash = mix(hash, bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0u8; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash, u64::from_le_bytes(word));
    }
    hash
}

pub(super) fn unit_digest(file: usize, unit: u32, content: &[u8]) -> u64 {
    mix_bytes(mix(file as u64 + 7, u64::from(unit)), content)
}
