//! Recovery: each type is what is known after a step of docs/durability.md, and its
//! method the next step.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use evergraph_storage::machine::Nodes;
use evergraph_storage::{
    CommitLog, CopiedLog, Directory, DurabilityLevel, Entry, LogRecord, LogStart, Medium,
    MediumHandle, Pool, PoolFile, PoolKind, Readers, Region, SectionKey, Storage, StorageError,
    Uuid, failpoint,
};
use parking_lot::{Mutex, RwLock};

use crate::adjacencies::{Adjacencies, MAX_TYPED_ADJACENCIES};
use crate::adjacency::Adjacency;
use crate::blocks;
use crate::entry::MAX_VERTICES;
use crate::error::TopologyError;
use crate::extension::{self, EXTENSION_OWNERS, Extension};
use crate::front::pool::BufferPool;
use crate::front::shards::Shards;
use crate::history::PageCache;
use crate::history::segment::Segment;
use crate::ids::IdTable;
use crate::layout::Layout;
use crate::published::Published;
use crate::record::{self, InExtent, Op};
use crate::section::Section;
use crate::section::resources::{Buffers, Resources, Rules};
use crate::store::Store;
use crate::store::checkpoint::history;
use crate::store::checkpoint::queried::Queried;
use crate::store::checkpoint::ring;
use crate::store::checkpoint::sealed_graphs::SealedGraphs;
use crate::store::checkpoint::{BLOB_IDS, BLOB_META, Checkpointer, RootState};
use crate::store::commit::{Committer, Waits};
use crate::store::config::{Config, Mode, Tuning};
use crate::store::live::LiveGraph;
use crate::store::live::catalog::SnapshotCatalog;
use crate::store::live::in_place::Direct;
use crate::store::log::{GroupEnd, Log, LogState, LoggedExtents};
use crate::store::recover::beside::{self, Found, open_ring};
use crate::store::recover::replay::{Replayer, Tables, Target};
use crate::store::status::Status;
use crate::volume::Volume;

/// File of the extents.
pub(in crate::store) const EXTENTS: &str = "extents";

/// Report of an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenReport {
    /// Whether the last writer stopped in order.
    pub clean: bool,
    /// Commits replayed from the log.
    pub replayed_commits: u64,
    /// Entries indexed from the log, both directions counted.
    pub replayed_entries: u64,
    /// The newest commit.
    pub csn: u64,
    /// Opened for reading after an unclean stop: what it shows was not made durable
    /// (Recovery step R5), so a power cut may take the newest commits back, until the
    /// database is opened for writing.
    pub unconfirmed: bool,
    /// Opened for reading while another process writes: what it commits from now on is not
    /// shown, nor are commits of which nothing on the medium proved that they are durable.
    pub beside_writer: bool,
}

/// After Recovery step R1.
pub(in crate::store) struct RootFound<'a> {
    storage: &'a dyn Storage,
    read_only: bool,
    tuning: Tuning,
    pool: Pool,
    file: PoolFile,
    /// Of a reader of files.
    copied_log: Option<CopiedLog>,
    is_written: bool,
    config: Config,
    vertex_count: u64,
}

/// After Recovery step R2.
pub(in crate::store) struct DirectoryRead<'a> {
    of: RootFound<'a>,
    medium: MediumHandle,
    directory: Directory,
    resources: Resources,
}

/// After Recovery step R3.
pub(in crate::store) struct ExtentsClaimed<'a> {
    of: DirectoryRead<'a>,
    adjacencies: Adjacencies,
    /// Live entries of the out-lists.
    arc_count: u64,
    direct: Option<Direct>,
    sealed: SealedGraphs,
    extension: Extension,
    tables: Tables,
    segments: Vec<Arc<Segment>>,
}

/// After Recovery step R4.
pub(in crate::store) struct LogReplayed<'a> {
    storage: &'a dyn Storage,
    log_name: &'static str,
    store: Store,
    report: OpenReport,
}

impl<'a> RootFound<'a> {
    /// Recovery step R1.
    pub(in crate::store) fn read(
        storage: &'a dyn Storage,
        read_only: bool,
        tuning: Tuning,
    ) -> Result<Self, TopologyError> {
        let Found {
            pool,
            file,
            log,
            is_written,
        } = beside::read_root(storage)?;
        let (config, vertex_count) = Config::decode(&pool.root().user)?;
        if vertex_count > MAX_VERTICES {
            let what = "the root counts more vertices than there can be";
            return Err(StorageError::damaged("pool", 0, what).into());
        }
        Ok(RootFound {
            storage,
            read_only,
            tuning,
            pool,
            file,
            copied_log: log,
            is_written,
            config,
            vertex_count,
        })
    }

    /// Whether the last writer stopped in order.
    fn is_clean(&self) -> bool {
        self.pool.root().clean_log_end.is_some()
    }

    /// Recovery step R2.
    pub(in crate::store) fn read_directory(self) -> Result<DirectoryRead<'a>, TopologyError> {
        let (root, config, tuning) = (self.pool.root(), &self.config, &self.tuning);
        let uuid = *self.pool.uuid();
        let medium = self.storage.open(EXTENTS, false)?;
        let readers = Readers::of(self.storage, PoolKind::GRAPH, root);
        let (alignment, growth_step) = (config.extent_alignment, config.growth_step);
        let region = Region::beside(readers, medium.clone(), alignment, growth_step);
        let directory = Directory::load(
            &region,
            &uuid,
            root.directory_offset,
            root.directory_len,
            root.directory_crc,
        )?;
        let resources = Resources {
            volume: Volume { region, uuid },
            buffers: Buffers {
                pool: BufferPool::new(),
                levels: tuning.levels(medium.properties()),
            },
            pages: Arc::new(PageCache::new(tuning.past_page_bytes)),
            rules: Rules {
                cancels: config.cancels(),
                rewrite_growth: tuning.rewrite_growth,
                vertex_limit: MAX_VERTICES,
                confirms_sections: !self.read_only && !self.is_clean(),
            },
        };
        Ok(DirectoryRead {
            of: self,
            medium,
            directory,
            resources,
        })
    }
}

impl<'a> DirectoryRead<'a> {
    /// Recovery step R3: all extents that the directory names, before anything is
    /// allocated, which could take their space.
    pub(in crate::store) fn claim_extents(
        mut self,
        extension: Extension,
    ) -> Result<ExtentsClaimed<'a>, TopologyError> {
        let config = &self.of.config;
        let shards = Shards::new(self.of.tuning.shards, Nodes::of_this_machine());
        let adjacencies = new_adjacencies(config, shards);
        let arc_count = claim_sections(&self.resources, config, &adjacencies, &self.directory)?;
        let direct = match config.mode {
            Mode::Merged => None,
            Mode::Direct => {
                let storage = self.of.storage;
                let direct = Direct::open(storage, config, &self.resources, &adjacencies)?;
                self.resources.rules.vertex_limit = direct.vertex_count();
                Some(direct)
            }
        };
        let volume = &self.resources.volume;
        let sealed = SealedGraphs::claim(volume, &self.directory)?;
        restore_extension(&extension, config, volume, &mut self.directory)?;
        let id_blobs = self.directory.blobs(BLOB_IDS).cloned().collect();
        let ids = IdTable::stored(config.ids, id_blobs, volume.uuid)?;
        let mut meta = BTreeMap::new();
        read_facts(&self.directory, &volume.uuid, &mut meta)?;
        let (segments, names) = history::read(&self.directory, &volume.uuid, &adjacencies)?;
        Ok(ExtentsClaimed {
            of: self,
            adjacencies,
            arc_count,
            direct,
            sealed,
            extension,
            tables: Tables { ids, meta, names },
            segments,
        })
    }
}

impl<'a> ExtentsClaimed<'a> {
    /// Recovery step R4.
    pub(in crate::store) fn replay_log(mut self) -> Result<LogReplayed<'a>, TopologyError> {
        let DirectoryRead {
            of: found,
            medium,
            directory,
            resources,
        } = self.of;
        let root = found.pool.root().clone();
        let (log_name, ring, ring_bytes) = match &found.copied_log {
            // Its file may be gone.
            Some(copied) => {
                let ring_bytes = CommitLog::ring_bytes(&copied.medium);
                let name = CommitLog::file_name(root.log_file)?;
                (name, copied.medium.clone(), ring_bytes)
            }
            None => open_ring(found.storage, &found.config, &root)?,
        };
        let log_end = found.copied_log.as_ref().map(|copied| copied.end);
        let stored_ids = self.tables.ids.len();
        let merged = merged_commits(&directory);
        let newest_stored = merged.last().copied().unwrap_or(0);
        let newest_stored = newest_stored.max(self.tables.names.stored_csn());
        let target = Target {
            config: &found.config,
            resources: &resources,
            adjacencies: &self.adjacencies,
            extension: &self.extension,
        };
        let published = Published {
            vertex_count: found.vertex_count,
            arc_count: self.arc_count,
            wall_us: root.wall_us,
        };
        let mut replayer = Replayer::new(target, merged, root.csn, published, &mut self.tables);
        let mut boundaries = VecDeque::new();
        let mut extents = LoggedExtents::default();
        let (log, csn) = CommitLog::open(
            ring.clone(),
            &resources.volume.uuid,
            root.epoch + 1,
            LogStart {
                lsn: root.log_start,
                epoch: root.log_epoch,
                csn: root.csn,
            },
            log_end.unwrap_or(root.clean_log_end),
            |record| {
                boundaries.push_back(GroupEnd {
                    csn: record.csn,
                    lsn: record.end,
                    wall_us: record.wall_us,
                    epoch: record.epoch,
                });
                match InExtent::is_named_by(record.payload) {
                    false => replayer.replay(&record),
                    true => ring::claim(&resources.volume, &record).and_then(|extent| {
                        let payload = extent.bytes();
                        replayer.replay(&LogRecord { payload, ..record })?;
                        extents.push(record.csn, extent);
                        Ok(())
                    }),
                }
            },
        )?;
        // All extents are claimed, those that the log names, too: the rest is free.
        // Until here nothing could be allocated.
        resources.volume.region.finish_adoption();
        // The log has lost commits that sections hold: the next commit would get the
        // number of one of them, and replay would take it for merged.
        if self.direct.is_none() && csn < newest_stored {
            let what =
                format!("the log ends with commit {csn}, but commit {newest_stored} is stored");
            return Err(StorageError::damaged(log_name, 0, what).into());
        }
        self.sealed.refuse_if_newer_than(csn)?;
        let (published, replayed_entries) = replayer.finish()?;
        let report = OpenReport {
            clean: found.is_clean(),
            replayed_commits: csn - root.csn,
            replayed_entries,
            csn,
            unconfirmed: found.read_only && !found.is_clean() && !found.is_written,
            beside_writer: found.is_written,
        };
        let Tables { ids, meta, names } = self.tables;
        let snapshots = SnapshotCatalog::new(names, csn, published, self.direct.is_some());
        let live = LiveGraph {
            registry: Arc::clone(&snapshots.registry),
            config: found.config,
            resources,
            adjacencies: self.adjacencies,
            pinned: Arc::default(),
            ids: RwLock::new(ids),
            meta: RwLock::new(meta),
            snapshots,
            direct: self.direct,
            extension: self.extension,
            status: Status::new(found.read_only),
            applying: Mutex::new(()),
            makes_room: AtomicBool::new(false),
        };
        let state = LogState {
            log,
            next_csn: csn + 1,
            boundaries,
            extents,
        };
        let roots = RootState {
            pool: found.pool,
            file: found.file,
            directory,
            stored_ids,
            segments: self.segments,
        };
        let checkpointer = Checkpointer {
            live,
            log: Log::new(found.storage.share(), state, ring_bytes),
            roots: Mutex::new(roots),
            layout: RwLock::new(found.config.layout),
            sealed: self.sealed,
            buffer_budget: found.tuning.buffer_bytes,
        };
        let committer = Committer {
            checkpointer,
            gate: RwLock::new(()),
            queue: Mutex::default(),
            waits: Waits::default(),
            durability: match &found.copied_log {
                Some(_) => medium.properties().durability,
                None => weakest_of(&[&medium, &ring]),
            },
        };
        let queried = Queried::new(&found.tuning, found.config.layout, &medium);
        Ok(LogReplayed {
            storage: found.storage,
            log_name,
            store: Store { committer, queried },
            report,
        })
    }
}

impl LogReplayed<'_> {
    /// Recovery step R5: what was replayed and the new epoch are durable, and the mark
    /// of a clean stop gone, before anything else can be written.
    pub(in crate::store) fn make_durable(mut self) -> Result<Self, TopologyError> {
        let checkpointer = &mut self.store.committer.checkpointer;
        if checkpointer.live.status.is_read_only() {
            return Ok(self);
        }
        // Earlier versions made names durable behind the first root, to which a creation
        // that was killed has not come.
        self.storage.sync_names()?;
        // Before the store is shown: its readers must find the replayed commits after a
        // power cut. And before a record is written: behind a gap it would not be replayed.
        let log = &mut checkpointer.log.get_mut().log;
        log.make_tail_durable()?;
        let log_durable = log.durable();
        if let Some(direct) = &checkpointer.live.direct {
            direct.confirm()?;
        }
        let RootState { pool, file, .. } = checkpointer.roots.get_mut();
        let mut root = pool.root().clone();
        // Records of this opening are told by it from those behind a torn tail, which an
        // earlier opening wrote at the same positions.
        root.epoch += 1;
        if !failpoint!("open.clean-mark-kept") {
            root.clean_log_end = None;
        }
        root.log_durable = log_durable;
        pool.update(file, root)?;
        let region = &checkpointer.live.resources.volume.region;
        region.root_published(pool.root().sequence);
        ring::remove_other_rings(self.storage, self.log_name)?;
        checkpointer.keep_reserve();
        Ok(self)
    }

    /// Recovery step R6, which writes, so it comes behind R5.
    pub(in crate::store) fn fulfil_intents(mut self) -> Result<(Store, OpenReport), TopologyError> {
        self.store.committer.checkpointer.live.fulfil_intents()?;
        Ok((self.store, self.report))
    }
}

pub(in crate::store) fn refuse_extension(config: &Config) -> Result<(), TopologyError> {
    match config.mode {
        Mode::Merged => Ok(()),
        Mode::Direct => Err(TopologyError::WrongMode(
            "a property graph needs merged mode: edges of direct mode are no commits",
        )),
    }
}

/// Recovery step R3 for the extension.
fn restore_extension(
    extension: &Extension,
    config: &Config,
    volume: &Volume,
    directory: &mut Directory,
) -> Result<(), TopologyError> {
    let Some(extension) = extension else {
        return match extension::is_named(directory) {
            true => Err(TopologyError::WithoutExtension),
            false => Ok(()),
        };
    };
    refuse_extension(config)?;
    let mut place = extension::Place {
        region: &volume.region,
        uuid: &volume.uuid,
        directory,
    };
    Ok(extension.restore(&mut place)?)
}

/// Those that a graph of edges has from the beginning.
fn new_adjacencies(config: &Config, shards: Shards) -> Adjacencies {
    let adjacencies = Adjacencies::new(config.section_shift, config.columns(), shards);
    if !config.relationships {
        for number in 0..config.adjacency_count() {
            adjacencies.reach(number);
        }
    }
    adjacencies
}

/// The adjacency of a stored section.
fn home<'a>(config: &Config, adjacencies: &'a Adjacencies, number: u32) -> Option<&'a Adjacency> {
    if config.relationships && number < MAX_TYPED_ADJACENCIES {
        // A type has both.
        adjacencies.reach(number as usize ^ 1);
        adjacencies.reach(number as usize);
    }
    adjacencies.get(number as usize)
}

/// Claims every section's extent. Returns the live entries of the out-lists.
fn claim_sections(
    resources: &Resources,
    config: &Config,
    adjacencies: &Adjacencies,
    directory: &Directory,
) -> Result<u64, TopologyError> {
    let mut arc_count: u64 = 0;
    for (SectionKey { owner, section }, entry) in directory.entries() {
        if owner >= EXTENSION_OWNERS {
            continue;
        }
        let damaged = |what: &str| StorageError::damaged(EXTENTS, entry.offset, what);
        let Some(home) = home(config, adjacencies, owner) else {
            return Err(damaged("a section belongs to an adjacency that does not exist").into());
        };
        if u64::from(section) << config.section_shift >= crate::MAX_VERTICES {
            return Err(damaged("a section's number is out of range").into());
        }
        if config.is_of_out_lists(owner) {
            arc_count = live_entries(&entry)
                .and_then(|live| arc_count.checked_add(live))
                .ok_or_else(|| damaged("a section counts more tombstones than entries"))?;
        }
        let extent = resources.volume.region.adopt(entry.offset, entry.len)?;
        let (first, lists, columns) = (
            home.first_vertex(section),
            home.section_lists(),
            config.columns(),
        );
        let layout = Layout::of(&entry);
        let entry = Layout::unmark(entry);
        let stored = match layout {
            Layout::Pma => Section::stored(first, lists, columns, entry, extent),
            Layout::Blocks => {
                let base =
                    blocks::Base::open(&resources.volume, extent, &entry, first, lists, columns)?;
                Section::stored_blocks(first, columns, entry.csn, base)
            }
        };
        home.insert_section(section, stored);
    }
    Ok(arc_count)
}

/// The commits up to which sections are merged, ascending, each once.
fn merged_commits(directory: &Directory) -> Vec<u64> {
    let mut merged: Vec<u64> = directory.entries().map(|(_, entry)| entry.csn).collect();
    merged.sort_unstable();
    merged.dedup();
    merged
}

fn live_entries(entry: &Entry) -> Option<u64> {
    entry.entries.checked_sub(entry.tombstones.checked_mul(2)?)
}

fn read_facts(
    directory: &Directory,
    uuid: &Uuid,
    meta: &mut BTreeMap<Vec<u8>, Vec<u8>>,
) -> Result<(), TopologyError> {
    for blob in directory.blobs(BLOB_META) {
        for op in record::decode(blob.read(uuid)?, blob.extent.offset())? {
            if let Op::Meta { key, value } = op {
                meta.insert(key, value);
            }
        }
    }
    Ok(())
}

/// Level that a medium's fence reaches, the lowest over the database's files.
fn weakest_of(media: &[&dyn Medium]) -> DurabilityLevel {
    let levels = media.iter().map(|medium| medium.properties().durability);
    levels.min().unwrap_or(DurabilityLevel::Volatile)
}
