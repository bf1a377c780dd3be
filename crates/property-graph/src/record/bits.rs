//! Bits of the slots of a chunk, 64 a word, and the place of each slot among them.

/// Bits with how many come before each word.
#[derive(Clone, Debug)]
pub(super) struct Ranked {
    bits: Box<[u64]>,
    before: Box<[u32]>,
}

impl Ranked {
    pub(super) fn new(bits: Box<[u64]>) -> Self {
        let before = bits.iter().scan(0, |count, word| {
            let before = *count;
            *count += word.count_ones();
            Some(before)
        });
        Ranked {
            before: before.collect(),
            bits,
        }
    }

    pub(super) fn bits(&self) -> &[u64] {
        &self.bits
    }

    #[inline]
    pub(super) fn has(&self, slot: usize) -> bool {
        self.bits[slot / 64] >> (slot % 64) & 1 == 1
    }

    /// How many of them come before a slot: its place, if it is one.
    #[inline]
    pub(super) fn rank(&self, slot: usize) -> usize {
        let below = self.bits[slot / 64] & !(u64::MAX << (slot % 64));
        (self.before[slot / 64] + below.count_ones()) as usize
    }

    /// The slots, ascending.
    pub(super) fn slots(&self) -> impl Iterator<Item = usize> + Clone {
        slots_of(&self.bits)
    }

    /// DRAM.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.bits) + size_of_val(&*self.before)
    }
}

/// The slots of bits, ascending.
pub(super) fn slots_of(bits: &[u64]) -> impl Iterator<Item = usize> + Clone {
    let words = (0..).zip(bits);
    words.flat_map(|(number, word)| {
        let mut left = *word;
        std::iter::from_fn(move || {
            let slot: usize = 64 * number + (left != 0).then(|| left.trailing_zeros())? as usize;
            left &= left - 1;
            Some(slot)
        })
    })
}

/// So many words without a bit.
pub(super) fn zeros(words: usize) -> Box<[u64]> {
    vec![0; words].into()
}

#[inline]
pub(super) fn bit(words: &[u64], at: u32) -> bool {
    words
        .get(at as usize / 64)
        .is_some_and(|word| word >> (at % 64) & 1 == 1)
}

pub(super) fn set(words: &mut [u64], at: u32, to: bool) {
    let (word, mask) = (&mut words[at as usize / 64], 1 << (at % 64));
    match to {
        true => *word |= mask,
        false => *word &= !mask,
    }
}
