//! Choices that are fixed when a database is made, and their encoding in the root.

use evergraph_graph::StoredLists;
use evergraph_storage::little_endian::{u32_at, u64_at};
use evergraph_storage::{Properties, StorageError, USER_BYTES, memory_bytes};

use crate::direct::MAX_SECTION_SHIFT;
use crate::entry::Cancels;
use crate::front::buffers::{DEFAULT_CHUNK_BYTES, Levels, level_of};
use crate::ids::IdKind;
use crate::layout::Layout;

/// Ways of edges to the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Commit log, unmerged data in DRAM, sections merged out of place. Every medium.
    Merged,
    /// DGAP as published: each edge in place. Byte-addressed media only.
    Direct,
}

/// Chosen at creation, kept for the life of the database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Directions of the stored lists.
    pub direction: StoredLists,
    /// Whether edges carry weights.
    pub weighted: bool,
    /// Whether edges are relationships: they have a type, whose adjacencies come into
    /// being with the first of it, and an id in the place of a weight.
    pub relationships: bool,
    /// Way of edges to the medium.
    pub mode: Mode,
    /// Layout of merged sections.
    pub layout: Layout,
    /// External ids.
    pub ids: IdKind,
    /// A section holds `1 << section_shift` vertices.
    pub section_shift: u32,
    /// Bytes that the commit log may hold, the bound of what recovery replays: its ring
    /// grows up to it. A single commit may be larger.
    pub log_bytes: u64,
    /// Bytes of the ring at creation. Not kept.
    pub first_ring_bytes: u64,
    /// Direct mode: bytes of each section's edge log; 0 for none.
    pub edge_log_bytes: u32,
    /// Extents start at multiples of this.
    pub extent_alignment: u64,
    /// The extents' file grows by at least this.
    pub growth_step: u64,
}

/// Chosen at each opening; what is stored does not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Bytes of DRAM for what is committed and not merged; past it, commits wait
    /// for a merge. One group of commits may pass it.
    pub buffer_bytes: usize,
    /// Bytes of the smallest chunk of a vertex buffer: a power of two from 16.
    pub least_chunk_bytes: usize,
    /// Bytes of the largest, up to 4096.
    pub most_chunk_bytes: usize,
    /// Logical shards: as many as the machine has NUMA nodes, or so many.
    pub shards: Option<usize>,
    /// Layout `blocks`: by how many percent a section grows until a merge writes
    /// it whole again, each list as one block. `None`: only compaction does.
    pub rewrite_growth: Option<u32>,
    /// Bytes of the largest chunk for lists of high degree, up to 4096. `None`:
    /// as much on media that are not byte-addressed, where a merge of many
    /// entries at once pays most; elsewhere `most_chunk_bytes`.
    pub hub_chunk_bytes: Option<usize>,
    /// Layout `blocks`: a list that is queried is made one block while fewer
    /// queries than that run at once; 0 is never. `None`: measured at the opening
    /// on media that are not byte-addressed, elsewhere never.
    pub merge_queried_below: Option<usize>,
    /// Bytes of length pages of the past that are kept once they were rebuilt: 4
    /// bytes a vertex (8 in sections with deletions) for each snapshot that is
    /// read.
    pub past_page_bytes: usize,
}

/// A list then has two or three blocks at most, and what is written again is at
/// most three times what there is.
const REWRITE_GROWTH: u32 = 50;

/// Chunks of vertex buffers have no more.
const MOST_CHUNK_BYTES: usize = 4096;

/// Enough for a few thousand small commits.
const FIRST_RING_BYTES: u64 = 256 << 10;

/// By how much a ring grows. What is carried over from one to the next is a small part
/// of what the log takes until the ring is as large as it may be.
const RING_GROWTH: u64 = 16;

/// Enough for merges that write in large steps.
const MOST_BUFFER_BYTES: u64 = 512 << 20;

/// One snapshot of 16 million vertices.
const PAST_PAGE_BYTES: usize = 64 << 20;

impl Default for Tuning {
    /// Half a gigabyte of buffers; where that is more than a quarter of the memory
    /// that the process may use, as much.
    fn default() -> Self {
        Tuning {
            buffer_bytes: MOST_BUFFER_BYTES.min(memory_bytes() / 4) as usize,
            least_chunk_bytes: 16,
            most_chunk_bytes: DEFAULT_CHUNK_BYTES,
            shards: None,
            rewrite_growth: Some(REWRITE_GROWTH),
            hub_chunk_bytes: None,
            merge_queried_below: None,
            past_page_bytes: PAST_PAGE_BYTES,
        }
    }
}

impl Tuning {
    pub(crate) fn levels(&self, medium: Properties) -> Levels {
        let most = level_of(self.most_chunk_bytes.clamp(16, MOST_CHUNK_BYTES));
        let hubs = match self.hub_chunk_bytes {
            Some(bytes) => level_of(bytes.clamp(16, MOST_CHUNK_BYTES)),
            None if medium.byte_addressed => most,
            None => level_of(MOST_CHUNK_BYTES),
        };
        Levels {
            least: level_of(self.least_chunk_bytes.clamp(16, MOST_CHUNK_BYTES)).min(most),
            most,
            hubs: hubs.max(most),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Config {
            direction: StoredLists::Out,
            weighted: false,
            relationships: false,
            mode: Mode::Merged,
            layout: Layout::Pma,
            ids: IdKind::Dense,
            section_shift: 8,
            log_bytes: 64 << 20,
            first_ring_bytes: FIRST_RING_BYTES,
            edge_log_bytes: 2048,
            extent_alignment: 512,
            growth_step: 16 << 20,
        }
    }
}

impl Config {
    /// Columns of an entry.
    pub fn columns(&self) -> usize {
        1 + usize::from(self.weighted || self.relationships)
    }

    /// Edges that a deletion cancels.
    pub(crate) fn cancels(&self) -> Cancels {
        match self.relationships {
            true => Cancels::Named,
            false => Cancels::Latest,
        }
    }

    /// Whether in-lists are kept apart from the out-lists.
    pub(crate) fn keeps_in_lists(&self) -> bool {
        self.direction == StoredLists::Both
    }

    /// Whether an adjacency holds out-lists.
    pub(crate) fn is_of_out_lists(&self, adjacency: u32) -> bool {
        (adjacency as usize).is_multiple_of(self.adjacency_count())
    }

    /// Adjacencies of one relationship type.
    pub fn adjacency_count(&self) -> usize {
        if self.direction == StoredLists::Both {
            2
        } else {
            1
        }
    }

    /// Bytes of the ring of a new database.
    pub(crate) fn first_ring(&self) -> u64 {
        self.ring_of(self.first_ring_bytes)
    }

    /// Bytes of the ring that replaces one of `bytes` and is large for commits that want one
    /// of `wanted`; `None` if that one is as large as it may be.
    pub(crate) fn next_ring(&self, bytes: u64, wanted: u64) -> Option<u64> {
        let is_last = bytes >= self.log_bytes;
        (!is_last).then(|| self.ring_of(bytes.max(wanted).saturating_mul(RING_GROWTH)))
    }

    /// A ring of `bytes`, or the largest, where that is not much more: each ring is at
    /// least twice as large as the one before.
    fn ring_of(&self, bytes: u64) -> u64 {
        match self.log_bytes / 2 < bytes {
            true => self.log_bytes,
            false => bytes,
        }
    }

    /// Returns a fault of the sizes, or a contradiction between choices, if there is one.
    pub(crate) fn geometry_problem(&self) -> Option<&'static str> {
        if self.relationships && (self.weighted || self.direction != StoredLists::Both) {
            return Some("relationships have out- and in-lists, and ids in the place of weights");
        }
        if self.relationships && self.mode == Mode::Direct {
            return Some("relationships need merged mode");
        }
        let most = match self.mode {
            Mode::Merged => 20,
            Mode::Direct => MAX_SECTION_SHIFT,
        };
        if self.section_shift > most {
            return Some("a section holds at most 2^20 vertices, 2^15 in direct mode");
        }
        if !self.extent_alignment.is_power_of_two() || self.extent_alignment < 64 {
            return Some("extents are aligned to a power of two of at least 64 bytes");
        }
        let fits_records = |log: u64| log >= 256 && log.is_multiple_of(8);
        if !fits_records(self.log_bytes) || !fits_records(self.first_ring_bytes) {
            return Some("the log has at least 256 bytes, in multiples of 8");
        }
        None
    }

    pub(crate) fn encode(&self, vertex_count: u64) -> [u8; USER_BYTES] {
        let mut bytes = [0; USER_BYTES];
        bytes[0] = match self.direction {
            StoredLists::Undirected => 1,
            StoredLists::Out => 2,
            StoredLists::Both => 3,
        };
        bytes[1] = match (self.relationships, self.weighted) {
            (true, _) => 2,
            (false, weighted) => u8::from(weighted),
        };
        bytes[2] = match self.mode {
            Mode::Merged => 1,
            Mode::Direct => 2,
        };
        bytes[3] = match self.ids {
            IdKind::Dense => 1,
            IdKind::Numbers => 2,
            IdKind::Texts => 3,
        };
        bytes[4..8].copy_from_slice(&self.section_shift.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.log_bytes.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.extent_alignment.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.growth_step.to_le_bytes());
        bytes[32..40].copy_from_slice(&vertex_count.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.edge_log_bytes.to_le_bytes());
        bytes[44] = match self.layout {
            Layout::Pma => 0,
            Layout::Blocks => 1,
        };
        bytes
    }

    pub(crate) fn decode(bytes: &[u8; USER_BYTES]) -> Result<(Self, u64), StorageError> {
        let unknown = |what: &str| StorageError::damaged("pool", 0, format!("unknown {what}"));
        let config = Config {
            direction: match bytes[0] {
                1 => StoredLists::Undirected,
                2 => StoredLists::Out,
                3 => StoredLists::Both,
                _ => return Err(unknown("direction")),
            },
            weighted: bytes[1] == 1,
            relationships: bytes[1] == 2,
            mode: match bytes[2] {
                1 => Mode::Merged,
                2 => Mode::Direct,
                _ => return Err(unknown("mode")),
            },
            layout: match bytes[44] {
                0 => Layout::Pma,
                1 => Layout::Blocks,
                _ => return Err(unknown("layout")),
            },
            ids: match bytes[3] {
                1 => IdKind::Dense,
                2 => IdKind::Numbers,
                3 => IdKind::Texts,
                _ => return Err(unknown("kind of ids")),
            },
            section_shift: u32_at(bytes, 4),
            log_bytes: u64_at(bytes, 8),
            first_ring_bytes: FIRST_RING_BYTES,
            edge_log_bytes: u32_at(bytes, 40),
            extent_alignment: u64_at(bytes, 16),
            growth_step: u64_at(bytes, 24),
        };
        if config.geometry_problem().is_some() {
            return Err(unknown("geometry"));
        }
        Ok((config, u64_at(bytes, 32)))
    }
}
