//! How large chunks are on the medium, or will be.

use super::content::Record;
use super::table::Table;

impl<R: Record> Table<R> {
    /// Records that the chunks have room for; numbers of chunks that do not exist do not
    /// count. O(chunks).
    pub(crate) fn most_records(&self) -> u64 {
        self.chunks.all().count() as u64 * u64::from(self.geometry.records_per_chunk)
    }

    /// Properties of a chunk take at most so many bytes on the medium, as of the newest
    /// commit. O(1): stored and unmerged bytes, even if the latter replace some of the
    /// former.
    pub(crate) fn most_chunk_bytes(&self, chunk: u32) -> u64 {
        self.chunks.get(chunk).map_or(0, |chunk| {
            let state = chunk.state.read();
            // A bulk load that is not stored is counted as unmerged.
            let extents = state.base.iter().flat_map(|base| base.extents());
            let stored: u64 = extents.map(|extent| extent.len()).sum();
            stored + state.unmerged_bytes as u64
        })
    }
}
