//! Which rows have a value.

/// One bit a row, the lowest first; none at all as long as every row has a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validity {
    rows: usize,
    /// `None` if all are valid. Bits behind the last row are zero.
    words: Option<Vec<u64>>,
}

impl Validity {
    /// Every row has a value.
    pub fn all(rows: usize) -> Self {
        Validity { rows, words: None }
    }

    /// No row has one.
    pub fn none(rows: usize) -> Self {
        Validity::from_words(vec![0; rows.div_ceil(64)], rows)
    }

    /// From bits, the lowest first.
    ///
    /// # Panics
    /// If they are of another length.
    pub fn from_words(mut words: Vec<u64>, rows: usize) -> Self {
        assert_eq!(words.len(), rows.div_ceil(64), "one bit a row");
        if let Some(last) = words.last_mut().filter(|_| !rows.is_multiple_of(64)) {
            *last &= (1 << (rows % 64)) - 1;
        }
        let count: usize = words.iter().map(|word| word.count_ones() as usize).sum();
        Validity {
            rows,
            words: (count < rows).then_some(words),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Whether every row has a value.
    pub fn is_all(&self) -> bool {
        self.words.is_none()
    }

    /// Number of rows with a value.
    pub fn count(&self) -> usize {
        match &self.words {
            None => self.rows,
            Some(words) => words.iter().map(|word| word.count_ones() as usize).sum(),
        }
    }

    /// Whether a row has a value.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn is_valid(&self, row: usize) -> bool {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        let word = self.words.as_ref().map(|words| words[row / 64]);
        word.is_none_or(|word| word >> (row % 64) & 1 == 1)
    }

    /// Bits, the lowest first; `None` if all are set.
    pub fn words(&self) -> Option<&[u64]> {
        self.words.as_deref()
    }

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, is_valid: bool) {
        match self.words.is_none() && is_valid {
            true => self.rows += 1,
            false => self.push_word(is_valid.into(), 1),
        }
    }

    /// Adds up to 64 rows, the lowest bit first; bits behind them are zero.
    pub(crate) fn push_word(&mut self, bits: u64, rows: usize) {
        debug_assert!(rows <= 64 && (rows == 64 || bits >> rows == 0));
        let row = self.rows;
        self.rows += rows;
        if self.words.is_none() && bits.count_ones() as usize == rows {
            return;
        }
        let words = self.words.get_or_insert_with(|| {
            let mut words = vec![u64::MAX; row / 64];
            let rest = row % 64;
            words.extend((rest > 0).then_some((1 << rest) - 1));
            words
        });
        words.resize(self.rows.div_ceil(64), 0);
        if rows > 0 {
            words[row / 64] |= bits << (row % 64);
            let taken = 64 - row % 64;
            if taken < rows {
                words[row / 64 + 1] |= bits >> taken;
            }
        }
    }

    /// Adds rows that are all valid, or all not.
    pub(crate) fn push_same(&mut self, is_valid: bool, rows: usize) {
        if self.words.is_none() && is_valid {
            self.rows += rows;
            return;
        }
        for row in (0..rows).step_by(64) {
            let some = (rows - row).min(64);
            let bits = if is_valid { u64::MAX >> (64 - some) } else { 0 };
            self.push_word(bits, some);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bits_come_back(bits in prop::collection::vec(prop::bool::weighted(0.9), 0..200), size in 1usize..130) {
            let mut validity = Validity::default();
            bits.iter().for_each(|&bit| validity.push(bit));
            // Many at once, of any number.
            let mut at_once = Validity::default();
            for (some, size) in bits.chunks(size).zip(std::iter::repeat(size)) {
                match some.iter().all(|bit| *bit == some[0]) {
                    true => at_once.push_same(some[0], some.len()),
                    false if size <= 64 => {
                        let word = some.iter().rev().fold(0, |word, bit| word << 1 | u64::from(*bit));
                        at_once.push_word(word, some.len());
                    }
                    false => some.iter().for_each(|bit| at_once.push(*bit)),
                }
            }
            prop_assert_eq!(&at_once, &validity);
            let read: Vec<bool> = (0..bits.len()).map(|row| validity.is_valid(row)).collect();
            prop_assert_eq!(&read, &bits);
            prop_assert_eq!(validity.is_all(), bits.iter().all(|&bit| bit));
            prop_assert_eq!(validity.count(), bits.iter().filter(|&&bit| bit).count());
            if let Some(words) = validity.words() {
                let again = Validity::from_words(words.to_vec(), bits.len());
                prop_assert_eq!(again, validity);
            }
        }
    }
}
