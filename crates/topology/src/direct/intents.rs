//! Intents: changes that a writer is about to make to two lists (direct steps D0 and D1).
//!
//! An edge that stands in two lists (undirected, or out- and in-list) is two
//! stores, and a power cut may come between them. So its writer first makes
//! durable what it will do, and how long both lists are before; then it stores.
//! Lists only grow, and moving a section keeps their lengths. So recovery sees
//! from the lengths which of the two is there, and appends the other. An intent
//! that was fulfilled stays where it is: both lists are longer for ever.
//!
//! An intent is five words of eight bytes in one line: 32 bits of content, the
//! number of the intent in its slot, and a check. A torn intent is one whose
//! words have different numbers, which is exact and not a matter of a checksum;
//! and a flipped bit is damage and not taken for a torn one.

use evergraph_storage::failpoint;
use evergraph_storage::order::{Durable, Flushed};
use evergraph_storage::{Medium, MediumError, MediumHandle, StorageError};
use parking_lot::{Condvar, Mutex};

/// Slots of a database: so many threads insert at a time, others wait.
pub(super) const INTENT_SLOTS: u64 = 64;
/// Bytes of a slot.
pub(super) const INTENT_BYTES: u64 = 64;

const WORDS: usize = 5;
/// Bits of an intent's number.
const NUMBER_BITS: u32 = 22;
/// Two bits, so that no single flipped bit makes a word of an empty one.
const USED: u64 = 3 << 54;
const _: () = assert!(
    u32::BITS + NUMBER_BITS + 2 + u8::BITS == u64::BITS && USED == 3 << (u32::BITS + NUMBER_BITS),
    "content, number, mark, check"
);
const _: () = assert!(
    8 * WORDS as u64 <= INTENT_BYTES && INTENT_BYTES == 64,
    "an intent lies in one line"
);

/// An edge on its way to two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Intent {
    /// Vertex whose list gets the first entry.
    pub source: u32,
    /// Vertex whose list gets the second.
    pub target: u32,
    /// [`crate::TOMBSTONE`] or 0.
    pub tag: u32,
    /// Weight bits.
    pub weight: u32,
    /// Entries of each list before its entry is there. Of an edge from a vertex
    /// to itself that stands twice in one list, the second counts the first.
    pub expected: [u32; 2],
}

/// A slot, in the hands of one writer.
#[derive(Debug)]
pub(crate) struct IntentSlot {
    offset: u64,
    next: u32,
}

/// The slots of a database.
pub(crate) struct Intents {
    free: Mutex<Vec<IntentSlot>>,
    returned: Condvar,
}

/// A slot that is given back when dropped.
pub(crate) struct Claim<'a> {
    intents: &'a Intents,
    slot: Option<IntentSlot>,
}

fn check_byte(value: u64, offset: u64) -> u64 {
    let seed = crc32c::crc32c(&offset.to_le_bytes());
    let crc = crc32c::crc32c_append(seed, &value.to_le_bytes()[..7]);
    u64::from((crc ^ (crc >> 8) ^ (crc >> 16) ^ (crc >> 24)) & 0xFF)
}

fn encode(content: u32, number: u32, offset: u64) -> u64 {
    let value = u64::from(content) | u64::from(number) << 32 | USED;
    value | check_byte(value, offset) << 56
}

/// Content and number; `None` if the word does not hold.
fn decode(word: u64, offset: u64) -> Option<(u32, u32)> {
    let value = word & ((1 << 56) - 1);
    let holds = value & USED == USED && word >> 56 == check_byte(value, offset);
    let number = (value >> 32) as u32 & ((1 << NUMBER_BITS) - 1);
    holds.then_some((value as u32, number))
}

impl Intent {
    fn content(&self) -> [u32; WORDS] {
        let [first, second] = self.expected;
        [
            self.source,
            self.target | self.tag,
            self.weight,
            first,
            second,
        ]
    }

    fn of(content: [u32; WORDS]) -> Self {
        let [source, word, weight, first, second] = content;
        Intent {
            source,
            target: word & !crate::TOMBSTONE,
            tag: word & crate::TOMBSTONE,
            weight,
            expected: [first, second],
        }
    }
}

impl IntentSlot {
    /// Makes an intent durable: it may be carried out.
    #[inline(always)]
    pub(crate) fn announce<M: Medium + ?Sized>(
        &mut self,
        medium: &M,
        intent: &Intent,
    ) -> Result<Durable<()>, MediumError> {
        debug_assert!(
            self.next < 1 << NUMBER_BITS && intent.tag & !crate::TOMBSTONE == 0,
            "{intent:?} as number {}",
            self.next
        );
        for (i, content) in intent.content().into_iter().enumerate() {
            let offset = self.offset + 8 * i as u64;
            medium.store_u64(offset, encode(content, self.next, offset));
        }
        self.next = following(self.next);
        let flushed = Flushed::of_stores(medium, self.offset, 8 * WORDS as u64)?;
        failpoint!("direct.intent-not-fenced" => {
            return Ok(flushed.assume_durable());
        });
        flushed.fence(medium)
    }

    /// Makes an intent void that was not carried out at all.
    pub(crate) fn void(&mut self, medium: &MediumHandle) -> Result<Durable<()>, MediumError> {
        medium.store_u64(self.offset, 0);
        Flushed::of_stores(medium, self.offset, 8)?.fence(medium)
    }

    /// Its offset in the file.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }
}

fn following(number: u32) -> u32 {
    (number + 1) & ((1 << NUMBER_BITS) - 1)
}

impl Intents {
    /// Reads the slots from `at` on. Gives those that hold a whole intent to
    /// `visit`, which may make it void.
    pub(crate) fn open(
        medium: &MediumHandle,
        at: u64,
        mut visit: impl FnMut(&mut IntentSlot, Intent) -> Result<(), StorageError>,
    ) -> Result<Self, StorageError> {
        let mut bytes = [0; (INTENT_SLOTS * INTENT_BYTES) as usize];
        medium.read(at, &mut bytes)?;
        let mut free = Vec::new();
        let slots = bytes.chunks_exact(INTENT_BYTES as usize);
        for (offset, bytes) in (at..).step_by(INTENT_BYTES as usize).zip(slots) {
            let (next, intent) = read(medium.name(), bytes, offset)?;
            let mut slot = IntentSlot { offset, next };
            if let Some(intent) = intent {
                visit(&mut slot, intent)?;
            }
            free.push(slot);
        }
        // The first is on top, so that few slots are ever used by few writers.
        free.reverse();
        Ok(Intents {
            free: Mutex::new(free),
            returned: Condvar::new(),
        })
    }

    /// A slot for a writer; waits for one if all are taken.
    pub(crate) fn claim(&self) -> Claim<'_> {
        let mut free = self.free.lock();
        loop {
            if let Some(slot) = free.pop() {
                return Claim {
                    intents: self,
                    slot: Some(slot),
                };
            }
            self.returned.wait(&mut free);
        }
    }
}

/// A number that no word of the slot has, and its intent if it is whole. `name` is that of
/// the file.
fn read(name: &str, bytes: &[u8], offset: u64) -> Result<(u32, Option<Intent>), StorageError> {
    let mut content = [0; WORDS];
    let mut numbers = [None; WORDS];
    for (i, word) in bytes.chunks_exact(8).take(WORDS).enumerate() {
        let word = u64::from_le_bytes(word.try_into().expect("8 bytes"));
        if word == 0 {
            continue;
        }
        let at = offset + 8 * i as u64;
        let Some((its_content, its_number)) = decode(word, at) else {
            let what = "what a writer was about to do does not hold";
            return Err(StorageError::damaged(name, at, what));
        };
        content[i] = its_content;
        numbers[i] = Some(its_number);
    }
    let mut next = 0;
    while numbers.contains(&Some(next)) {
        next = following(next);
    }
    let first = numbers[0];
    if let Some(number) = first {
        // Far from what is there, not only different: the usual case.
        let after = following(number);
        if !numbers.contains(&Some(after)) {
            next = after;
        }
    }
    let whole = first.is_some() && numbers.iter().all(|&number| number == first);
    Ok((next, whole.then(|| Intent::of(content))))
}

impl Claim<'_> {
    /// The slot.
    #[inline(always)]
    pub(crate) fn slot(&mut self) -> &mut IntentSlot {
        self.slot.as_mut().expect("there until dropped")
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.take() {
            self.intents.free.lock().push(slot);
            self.intents.returned.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flipped_bit_in_a_word_is_noticed() {
        for offset in [64, 72, 4096] {
            for (content, number) in [(0, 0), (u32::MAX, 1), (77, (1 << NUMBER_BITS) - 1)] {
                let word = encode(content, number, offset);
                assert_eq!(decode(word, offset), Some((content, number)));
                assert_eq!(decode(word, offset + 8), None, "in the wrong place");
                for bit in 0..64 {
                    assert_eq!(decode(word ^ (1 << bit), offset), None, "bit {bit}");
                    assert_ne!(word ^ (1 << bit), 0);
                    assert_eq!(decode(1 << bit, offset), None);
                }
            }
        }
    }
}
