//! How a database is made and opened.

use std::path::Path;
use std::sync::Arc;

use evergraph_graph::StoredLists;
use evergraph_property_graph::graph::GraphOptions;
use evergraph_property_graph::transaction::Settings;
use evergraph_storage::Storage;
use evergraph_storage::medium::{
    Access, DramStorage, EmulatedDevice, EmulatedStorage, FileStorage, LatencyProfile, MappedKind,
    MappedStorage,
};
use evergraph_topology::ids::IdKind;
use evergraph_topology::{Config, Layout, Mode, Tuning};

use crate::{Error, RebasePolicy};

/// Medium of a database's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MediumKind {
    /// An ordinary directory; commits are synced with `fdatasync`.
    File,
    /// Persistent memory or CXL through a DAX file system.
    Dax,
    /// DRAM and caches protected by a battery.
    Battery,
    /// DRAM only: nothing survives the process.
    Dram,
}

impl MediumKind {
    /// All, with the names that the command line uses.
    pub const ALL: &[(&'static str, MediumKind)] = &[
        ("file", MediumKind::File),
        ("dax", MediumKind::Dax),
        ("battery", MediumKind::Battery),
        ("dram", MediumKind::Dram),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, kind)| *kind == self);
        found.expect("every kind has a name").0
    }
}

/// Options of [`crate::Database::create`] and [`crate::Database::open`].
#[derive(Clone, Debug)]
pub struct Options {
    /// The medium.
    pub medium: MediumKind,
    /// Accept a directory without `MAP_SYNC` for `dax` and `battery`; commits
    /// then survive the process, and no more is reported.
    pub assume_persistent: bool,
    /// Count and optionally delay accesses to the medium.
    pub emulated: Option<Option<LatencyProfile>>,
    /// Make a property graph: nodes with labels, relationships with types, both with
    /// properties (creation only). Lists are kept in both directions then, and
    /// weights are properties.
    pub property_graph: bool,
    /// Lists to keep (creation only).
    pub direction: StoredLists,
    /// Whether edges carry weights (creation only).
    pub weighted: bool,
    /// Kind of external ids (creation only).
    pub ids: IdKind,
    /// How edges reach the medium (creation only).
    pub mode: Mode,
    /// How merged sections lie on the medium (creation only; see
    /// [`crate::Session::relayout`]).
    pub layout: Layout,
    /// A section holds `1 << section_shift` vertices (creation only). Property graphs
    /// have sections of 2048 nodes if this is left as it is.
    pub section_shift: u32,
    /// Records of a property graph that lie in one chunk, which a checkpoint writes for
    /// one of them that changed; at most 65,536 (creation only).
    pub chunk_records: u32,
    /// Most bytes of the write-ahead log, and so most that recovery replays, but for one
    /// commit that is larger (creation only). The file begins with 256 KiB and grows.
    pub log_bytes: u64,
    /// Open without writing a byte, also while another process writes: then the graph is
    /// shown as of the newest commit that is proven to be durable, at most one group of
    /// commits behind, and stays so
    /// ([`OpenReport::beside_writer`](crate::OpenReport::beside_writer)). In direct mode
    /// only while no other process writes.
    pub read_only: bool,
    /// Merge in the background when half the log or of the buffers is used.
    pub background: bool,
    /// When a snapshot that is read more than others is rebased in the background;
    /// never if `None`, or if `background` is off.
    pub rebase: Option<RebasePolicy>,
    /// DRAM for committed changes that are not merged.
    pub tuning: Tuning,
    /// Settings for all transactions of a property graph: their time, and the DRAM that
    /// one may take.
    pub transactions: Settings,
    /// DRAM for sealed copies that are kept for the next run of an algorithm;
    /// copies of older commits go when there is no room.
    pub sealed_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        let config = Config::default();
        Options {
            medium: MediumKind::File,
            assume_persistent: false,
            emulated: None,
            property_graph: false,
            direction: config.direction,
            weighted: config.weighted,
            ids: config.ids,
            mode: config.mode,
            layout: config.layout,
            section_shift: config.section_shift,
            chunk_records: GraphOptions::default().chunk_records,
            log_bytes: config.log_bytes,
            read_only: false,
            background: true,
            rebase: Some(RebasePolicy::default()),
            tuning: Tuning::default(),
            transactions: Settings::default(),
            sealed_bytes: evergraph_storage::memory_bytes() / 4,
        }
    }
}

impl Options {
    pub(crate) fn config(&self) -> Config {
        Config {
            direction: self.direction,
            weighted: self.weighted,
            mode: self.mode,
            layout: self.layout,
            ids: self.ids,
            section_shift: self.section_shift,
            log_bytes: self.log_bytes.next_multiple_of(4096),
            ..Config::default()
        }
    }

    /// The files in a directory, locked as long as any of them is open. The directory is
    /// made if the database is.
    pub(crate) fn storage(&self, path: &Path, access: Access) -> Result<OpenStorage, Error> {
        let mapped = |kind| -> Result<MappedStorage, Error> {
            let persistent = self.assume_persistent;
            let storage = match access {
                Access::Creating => MappedStorage::create(path, kind, persistent)?,
                Access::Writing | Access::Reading => MappedStorage::open(path, kind, persistent)?,
            };
            Ok(storage.locked(access)?)
        };
        let base: Arc<dyn Storage> = match self.medium {
            MediumKind::File => {
                let storage = match access {
                    Access::Creating => FileStorage::create(path)?,
                    Access::Writing | Access::Reading => FileStorage::open(path)?,
                };
                Arc::new(storage.locked(access)?)
            }
            MediumKind::Dax => Arc::new(mapped(MappedKind::Dax)?),
            MediumKind::Battery => Arc::new(mapped(MappedKind::Battery)?),
            MediumKind::Dram => Arc::new(DramStorage::new()),
        };
        Ok(match &self.emulated {
            None => OpenStorage {
                storage: base,
                emulated: None,
            },
            Some(profile) => {
                let emulated = Arc::new(EmulatedStorage::new(base, *profile));
                OpenStorage {
                    emulated: Some(Arc::clone(emulated.device())),
                    storage: emulated,
                }
            }
        })
    }
}

/// A storage, and its counters if it counts.
pub(crate) struct OpenStorage {
    pub storage: Arc<dyn Storage>,
    pub emulated: Option<Arc<EmulatedDevice>>,
}
