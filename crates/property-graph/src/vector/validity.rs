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
    pub fn push(&mut self, is_valid: bool) {
        let row = self.rows;
        self.rows += 1;
        if self.words.is_none() && is_valid {
            return;
        }
        let words = self.words.get_or_insert_with(|| {
            let mut words = vec![u64::MAX; row / 64];
            let rest = row % 64;
            words.extend((rest > 0).then_some((1 << rest) - 1));
            words
        });
        if row.is_multiple_of(64) {
            words.push(0);
        }
        words[row / 64] |= u64::from(is_valid) << (row % 64);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bits_come_back(bits in prop::collection::vec(any::<bool>(), 0..200)) {
            let mut validity = Validity::default();
            bits.iter().for_each(|&bit| validity.push(bit));
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
