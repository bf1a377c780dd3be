//! Which records of a chunk have some labels, or a type.

use evergraph_storage::StorageError;

use super::at::ChunkAt;
use super::content::Record;
use super::found::Found;

impl<R: Record> ChunkAt<R> {
    /// Clears the bits of records that are not of a subject. `holds` says it of a code, a
    /// set of labels or a type, once for each that occurs in the base; `None` if that
    /// stands for nothing. `of_version` says it of one version of each, `of_found` of other
    /// records.
    ///
    /// # Errors
    /// Damage; a record of an unknown code.
    pub(crate) fn retain_subjects(
        &self,
        selected: &mut [u64],
        holds: impl Fn(i64) -> Option<bool>,
        of_version: impl Fn(&R) -> bool,
        of_found: impl Fn(&Found<'_, R>) -> Result<bool, StorageError>,
    ) -> Result<(), StorageError> {
        let mut passing = vec![0; selected.len()];
        if let Some(base) = self.base_reader()? {
            let codes = base.subjects(R::KIND);
            let known: Vec<Option<bool>> = codes.iter().map(|&code| holds(code)).collect();
            base.mark_subjects(R::KIND, |at| known[at] == Some(true), &mut passing);
            if known.contains(&None) {
                let mut unknown = vec![0; selected.len()];
                base.mark_subjects(R::KIND, |at| known[at].is_none(), &mut unknown);
                let words = unknown.iter_mut().enumerate();
                words.for_each(|(number, word)| *word &= self.clean(number));
                self.check_unknown(&unknown, selected, &of_found)?;
            }
        }
        for (number, word) in passing.iter_mut().enumerate() {
            *word &= self.clean(number);
        }
        for (code, bits) in self.past_subjects() {
            match holds(code) {
                Some(true) => {
                    let words = passing.iter_mut().zip(bits);
                    words.for_each(|(word, bits)| *word |= bits);
                }
                Some(false) => {}
                None => self.check_unknown(bits, selected, &of_found)?,
            }
        }
        let versions = self.versions_by_subject();
        for (record, bits) in &versions.groups {
            if of_version(record) {
                let words = passing.iter_mut().zip(bits);
                words.for_each(|(word, bits)| *word |= bits);
            }
        }
        for (at, record) in &versions.others {
            let (number, mask) = (*at as usize / 64, 1 << (at % 64));
            if selected[number] & mask != 0 && of_version(record) {
                passing[number] |= mask;
            }
        }
        for (word, passing) in selected.iter_mut().zip(passing) {
            *word &= passing;
        }
        Ok(())
    }

    /// The error of a record whose code stands for nothing, if there is one.
    fn check_unknown(
        &self,
        unknown: &[u64],
        selected: &[u64],
        of_found: &impl Fn(&Found<'_, R>) -> Result<bool, StorageError>,
    ) -> Result<(), StorageError> {
        for (number, unknown) in unknown.iter().enumerate() {
            let asked = unknown & selected[number];
            if asked != 0
                && let Some(found) = self.found(64 * number as u32 + asked.trailing_zeros())
            {
                of_found(&found)?;
            }
        }
        Ok(())
    }
}
