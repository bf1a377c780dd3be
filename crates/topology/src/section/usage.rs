//! DRAM that a section occupies.

use super::{Section, State};

/// DRAM that a section occupies, and its entries by tier.
#[derive(Clone, Copy, Debug, Default)]
pub struct SectionUsage {
    /// Bytes of length pages.
    pub page_bytes: usize,
    /// Bytes of the chunks of vertex buffers; they are the pool's.
    pub chunk_bytes: usize,
    /// Bytes that find chunks and append buffers; not the pool's.
    pub buffer_bytes: usize,
    /// Entries in the append buffer.
    pub appended_entries: u64,
    /// Entries in vertex buffers.
    pub buffered_entries: u64,
}

impl SectionUsage {
    /// Adds another section's.
    pub fn add(&mut self, other: SectionUsage) {
        self.page_bytes += other.page_bytes;
        self.chunk_bytes += other.chunk_bytes;
        self.buffer_bytes += other.buffer_bytes;
        self.appended_entries += other.appended_entries;
        self.buffered_entries += other.buffered_entries;
    }
}

impl Section {
    /// DRAM of the section beyond its fixed part, and entries by place.
    pub fn usage(&self) -> SectionUsage {
        let guard = self.state.lock();
        let mut usage = SectionUsage {
            appended_entries: guard.appended.len() as u64,
            buffer_bytes: guard.appended.heap_bytes(),
            page_bytes: guard.history.heap_bytes(),
            ..SectionUsage::default()
        };
        let State::Loaded(loaded) = &guard.state else {
            return usage;
        };
        let older = loaded.older.iter().map(|version| version.page.heap_bytes());
        usage.page_bytes += loaded.page.heap_bytes() + older.sum::<usize>();
        if let Some(buffers) = loaded.body.buffers.get() {
            let (chunks, heads) = buffers.bytes();
            usage.chunk_bytes = chunks;
            usage.buffer_bytes += heads;
        }
        usage.buffer_bytes += (loaded.writer.as_ref()).map_or(0, |writer| writer.bytes());
        if loaded.direct.is_none() {
            let merged = loaded.body.base.entries();
            usage.buffered_entries = loaded.page.totals().0.saturating_sub(merged);
        }
        usage
    }
}
