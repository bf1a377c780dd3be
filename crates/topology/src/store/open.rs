//! Making and opening a store: creation order, recovery order.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use evergraph_graph::Direction;
use evergraph_storage::failpoint;
use evergraph_storage::machine::Nodes;
use evergraph_storage::{
    CommitLog, Directory, Entry, LogRecord, LogStart, Medium, MediumHandle, Pool, PoolKind, Region,
    Registry, Root, SectionKey, Storage, StorageError, Uuid,
};
use parking_lot::{Mutex, RwLock};

use super::commit::NOTHING_ATTACHED;
use super::direct::Direct;
use super::flow::Flow;
use super::history;
use super::queried::Queried;
use super::replay::Replayer;
use super::ring::{self, LoggedExtents};
use super::sealed::SealedGraphs;
use super::{
    BLOB_IDS, BLOB_META, Config, GroupEnd, LogState, Mode, Published, RootState, Store, Tuning,
    weakest_of,
};
use crate::adjacencies::{Adjacencies, MAX_TYPED_ADJACENCIES};
use crate::adjacency::Adjacency;
use crate::attachment::{self, ATTACHED_OWNERS, Attached, Attachment};
use crate::blocks;
use crate::direct::Slots;
use crate::entry::MAX_VERTICES;
use crate::error::TopologyError;
use crate::front::pool::BufferPool;
use crate::front::shards::Shards;
use crate::history::PageCache;
use crate::ids::IdTable;
use crate::layout::Layout;
use crate::record::{self, InExtent, Op};
use crate::section::{Context, Section};

const EXTENTS: &str = "extents";

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
}

impl Store {
    /// Makes a new store. The first root comes last, so that a crash in between
    /// leaves a directory that is not a database yet and can be made again.
    pub fn create(
        storage: &dyn Storage,
        config: Config,
        uuid: Uuid,
    ) -> Result<Self, TopologyError> {
        Self::create_with(storage, config, uuid, Tuning::default())
    }

    /// As [`Store::create`], with other buffers than by default.
    pub fn create_with(
        storage: &dyn Storage,
        config: Config,
        uuid: Uuid,
        tuning: Tuning,
    ) -> Result<Self, TopologyError> {
        Self::create_files(storage, config, uuid)?;
        Ok(Self::open_with(storage, false, tuning)?.0)
    }

    /// As [`Store::create_with`], for a store with something attached to it.
    ///
    /// # Errors
    /// As [`Store::create`]; in direct mode, which has no commits to attach to.
    pub fn create_attached(
        storage: &dyn Storage,
        config: Config,
        uuid: Uuid,
        tuning: Tuning,
        attachment: Arc<dyn Attachment>,
    ) -> Result<Self, TopologyError> {
        refuse_attaching(&config)?;
        Self::create_files(storage, config, uuid)?;
        Ok(Self::open_attached(storage, false, tuning, attachment)?.0)
    }

    fn create_files(
        storage: &dyn Storage,
        config: Config,
        uuid: Uuid,
    ) -> Result<(), TopologyError> {
        refuse_what_was_used(storage)?;
        if let Some(problem) = config.geometry_problem() {
            return Err(TopologyError::Unsupported(problem.to_string()));
        }
        // Never removed: the database may be locked by it.
        match storage.exists(PoolKind::GRAPH.file_name())? {
            true => Pool::refuse_if_made(storage, PoolKind::GRAPH)?,
            false => drop(storage.open(PoolKind::GRAPH.file_name(), true)?),
        }
        for name in CommitLog::file_names().iter().chain(&[EXTENTS]) {
            if storage.exists(name)? {
                storage.remove(name)?;
            }
        }
        // Durability step 0: log and extents exist durably before the first root.
        let mut root = Root::first(config.encode(0));
        root.log_bytes = config.first_ring();
        let log = storage.open(CommitLog::file_name(root.log_file)?, true)?;
        CommitLog::create(&log, &uuid, root.log_bytes)?;
        let extents = storage.open(EXTENTS, true)?;
        Region::reserve_first(&extents, config.growth_step)?;
        extents.fence()?;
        if config.mode == Mode::Direct {
            Slots::create(storage, &uuid, config.direction != Direction::Out)?;
        }
        if !failpoint!("create.names-not-durable") {
            storage.sync_names()?;
        }
        drop((log, extents));
        failpoint!("create.before-root");
        drop(Pool::create(storage, uuid, root)?);
        Ok(())
    }

    /// Choices of the creation of a store, without opening it.
    ///
    /// # Errors
    /// If there is none, or its root is damaged.
    pub fn config_on(storage: &dyn Storage) -> Result<Config, TopologyError> {
        let (pool, _) = Pool::open(storage)?;
        Ok(Config::decode(&pool.root().user)?.0)
    }

    /// Opens a store and brings it to its newest commit. With `read_only`
    /// nothing is written, replay happens in DRAM.
    ///
    /// Recovery steps R1 to R5 (docs/durability.md): pool → section directory →
    /// claim extents → log tail → new epoch. Sections are read at first touch.
    pub fn open(
        storage: &dyn Storage,
        read_only: bool,
    ) -> Result<(Self, OpenReport), TopologyError> {
        Self::open_with(storage, read_only, Tuning::default())
    }

    /// As [`Store::open`], with other buffers than by default.
    pub fn open_with(
        storage: &dyn Storage,
        read_only: bool,
        tuning: Tuning,
    ) -> Result<(Self, OpenReport), TopologyError> {
        Self::open_files(storage, read_only, tuning, None)
    }

    /// As [`Store::open_with`], for a store with something attached to it; that may
    /// be one which has never had any.
    ///
    /// # Errors
    /// As [`Store::open`], and what the attachment reports.
    pub fn open_attached(
        storage: &dyn Storage,
        read_only: bool,
        tuning: Tuning,
        attachment: Arc<dyn Attachment>,
    ) -> Result<(Self, OpenReport), TopologyError> {
        Self::open_files(storage, read_only, tuning, Some(attachment))
    }

    fn open_files(
        storage: &dyn Storage,
        read_only: bool,
        tuning: Tuning,
        attached: Attached,
    ) -> Result<(Self, OpenReport), TopologyError> {
        // Recovery step R1.
        let (pool, file) = Pool::open(storage)?;
        let root = pool.root().clone();
        let uuid = *pool.uuid();
        let (config, vertex_count) = Config::decode(&root.user)?;
        if vertex_count > MAX_VERTICES {
            let what = "the root counts more vertices than there can be";
            return Err(StorageError::damaged("pool", 0, what).into());
        }
        let medium = storage.open(EXTENTS, false)?;
        let region = Region::new(medium.clone(), config.extent_alignment, config.growth_step);
        // Recovery step R2.
        let mut directory = Directory::load(
            &region,
            &uuid,
            root.directory_offset,
            root.directory_len,
            root.directory_crc,
        )?;
        let mut context = Context {
            region,
            uuid,
            vertex_limit: MAX_VERTICES,
            buffers: BufferPool::new(),
            levels: tuning.levels(medium.properties()),
            rewrite_growth: tuning.rewrite_growth,
            shards: Arc::new(Shards::new(tuning.shards, Nodes::of_this_machine())),
            pages: Arc::new(PageCache::new(tuning.past_page_bytes)),
            cancels: config.cancels(),
            presence: Arc::default(),
            pinned_bytes: Arc::default(),
            confirms_sections: !read_only && root.clean_log_end.is_none(),
        };
        // Recovery step R3: all extents that the directory names, before anything is
        // allocated, which could take their space.
        let adjacencies = new_adjacencies(&config);
        let arc_count = claim_sections(&context, &config, &adjacencies, &directory)?;
        let merged = merged_commits(&directory);
        let direct = match config.mode {
            Mode::Merged => None,
            Mode::Direct => Some(Direct::open(storage, &config, &context, &adjacencies)?),
        };
        if let Some(direct) = &direct {
            context.vertex_limit = direct.vertex_count();
        }
        let sealed = SealedGraphs::claim(&context, &directory)?;
        restore_attached(&attached, &config, &context, &mut directory)?;
        let mut ids = IdTable::new(config.ids);
        let mut meta = BTreeMap::new();
        read_blobs(&directory, &uuid, &mut ids, &mut meta)?;
        let (segments, mut names) = history::read(&directory, &uuid, &adjacencies)?;

        let published = Published {
            vertex_count,
            arc_count,
            wall_us: root.wall_us,
        };
        let stored_ids = ids.len();
        let newest_stored = merged.last().copied().unwrap_or(0).max(names.stored_csn());
        let mut replayer = Replayer::new(
            &config,
            &context,
            &adjacencies,
            &attached,
            merged,
            root.csn,
            published,
            names.kept(),
        );
        let log_name = CommitLog::file_name(root.log_file)?;
        let log_medium = storage.open(log_name, false)?;
        // Before version 5 the ring was as large as it may be from the beginning.
        let ring_bytes = match root.log_bytes {
            0 => config.log_bytes,
            bytes => bytes,
        };
        if log_medium.len() != CommitLog::file_bytes(ring_bytes) {
            return Err(StorageError::damaged(
                log_name,
                0,
                format!(
                    "the log has {} bytes instead of {}",
                    log_medium.len(),
                    CommitLog::file_bytes(ring_bytes)
                ),
            )
            .into());
        }
        let mut failure = None;
        let mut boundaries = VecDeque::new();
        let mut extents = LoggedExtents::default();
        // Recovery step R4.
        let opened = CommitLog::open(
            log_medium.clone(),
            &uuid,
            root.epoch + 1,
            LogStart {
                lsn: root.log_start,
                epoch: root.log_epoch,
                csn: root.csn,
            },
            root.clean_log_end,
            |record| {
                boundaries.push_back(GroupEnd {
                    csn: record.csn,
                    lsn: record.end,
                    wall_us: record.wall_us,
                    epoch: record.epoch,
                });
                let mut replay = |record: &LogRecord<'_>| {
                    replayer.replay(record, &mut ids, &mut meta, &mut names)
                };
                let replayed = match InExtent::is_named_by(record.payload) {
                    false => replay(&record),
                    true => ring::claim(&context, &record).and_then(|extent| {
                        let payload = extent.bytes();
                        replay(&LogRecord { payload, ..record })?;
                        extents.push(record.csn, extent);
                        Ok(())
                    }),
                };
                replayed.map_err(|error| match error {
                    TopologyError::Storage(error) => error,
                    other => {
                        failure = Some(other);
                        StorageError::LogFull
                    }
                })
            },
        );
        if let Some(error) = failure {
            return Err(error);
        }
        let (log, csn) = opened?;
        // All extents are claimed, those that the log names, too: the rest is free.
        // Until here nothing could be allocated.
        context.region.finish_adoption();
        // The log has lost commits that sections hold: the next commit would get the
        // number of one of them, and replay would take it for merged.
        if direct.is_none() && csn < newest_stored {
            return Err(StorageError::damaged(
                log_name,
                0,
                format!("the log ends with commit {csn}, but commit {newest_stored} is stored"),
            )
            .into());
        }
        sealed.refuse_if_newer_than(csn)?;
        let (published, replayed_entries) = replayer.finish()?;
        let report = OpenReport {
            clean: root.clean_log_end.is_some(),
            replayed_commits: csn - root.csn,
            replayed_entries,
            csn,
            unconfirmed: read_only && root.clean_log_end.is_none(),
        };
        let durability = weakest_of(&[&medium, &log_medium]);
        let mut store = Store {
            storage: storage.share(),
            registry: Registry::keeping(csn, published, names.snapshots().map(|s| s.csn)),
            layout: RwLock::new(config.layout),
            queried: Queried::new(&tuning, config.layout, &medium),
            tuning: RwLock::new(tuning),
            config,
            context,
            adjacencies,
            ids: RwLock::new(ids),
            meta: RwLock::new(meta),
            names: RwLock::new(names),
            direct,
            durability,
            read_only,
            failed: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            poisoned: AtomicBool::new(false),
            makes_room: AtomicBool::new(false),
            flow: Flow::with_ring(ring_bytes),
            queue: Mutex::default(),
            log: Mutex::new(LogState {
                log,
                next_csn: csn + 1,
                boundaries,
                extents,
            }),
            apply: Mutex::new(()),
            roots: Mutex::new(RootState {
                pool,
                file,
                directory,
                stored_ids,
                segments,
            }),
            sealed,
            attached,
        };
        if !read_only {
            // Recovery step R5: earlier versions made names durable behind the first root,
            // to which a creation that was killed has not come.
            storage.sync_names()?;
            store.begin_epoch()?;
            ring::remove_other_rings(storage, log_name)?;
            store.keep_reserve();
        }
        // Recovery step R6 writes, so it comes behind R5.
        store.fulfil_intents()?;
        Ok((store, report))
    }

    /// Recovery step R5: what was replayed and the new epoch are durable, and the mark
    /// of a clean stop gone, before anything else can be written.
    fn begin_epoch(&mut self) -> Result<(), TopologyError> {
        // Before the store is shown: its readers must find the replayed commits after a
        // power cut. And before a record is written: behind a gap it would not be replayed.
        self.log.get_mut().log.make_tail_durable()?;
        if let Some(direct) = &self.direct {
            direct.confirm()?;
        }
        let RootState { pool, file, .. } = self.roots.get_mut();
        let mut root = pool.root().clone();
        // Records of this opening are told by it from those behind a torn tail, which an
        // earlier opening wrote at the same positions.
        root.epoch += 1;
        if !failpoint!("open.clean-mark-kept") {
            root.clean_log_end = None;
        }
        pool.update(file, root)?;
        Ok(())
    }
}

/// An interrupted creation leaves only zeros. Where a log or a slot was written,
/// there were commits, whatever has become of the pool file.
fn refuse_what_was_used(storage: &dyn Storage) -> Result<(), TopologyError> {
    type IsUsed = fn(&MediumHandle) -> Result<bool, StorageError>;
    let logs = CommitLog::file_names();
    let logs = logs
        .iter()
        .map(|&name| (name, CommitLog::is_used as IsUsed));
    let slots = (Slots::file_name(), Slots::is_used as IsUsed);
    for (name, is_used) in logs.chain([slots]) {
        if storage.exists(name)? && is_used(&storage.open(name, false)?)? {
            return Err(StorageError::Exists(format!(
                "the file `{name}` holds data; restore what is missing, or empty the directory"
            ))
            .into());
        }
    }
    Ok(())
}

fn refuse_attaching(config: &Config) -> Result<(), TopologyError> {
    match config.mode {
        Mode::Merged => Ok(()),
        Mode::Direct => Err(TopologyError::Unsupported(
            "a property graph needs merged mode: edges of direct mode are no commits".to_string(),
        )),
    }
}

/// Recovery step R3 for the attachment.
fn restore_attached(
    attached: &Attached,
    config: &Config,
    context: &Context,
    directory: &mut Directory,
) -> Result<(), TopologyError> {
    let Some(attachment) = attached else {
        return match attachment::is_named(directory) {
            true => Err(TopologyError::Unsupported(NOTHING_ATTACHED.to_string())),
            false => Ok(()),
        };
    };
    refuse_attaching(config)?;
    let mut place = attachment::Place {
        region: &context.region,
        uuid: &context.uuid,
        directory,
    };
    Ok(attachment.restore(&mut place)?)
}

/// Those that a graph of edges has from the beginning.
pub(super) fn new_adjacencies(config: &Config) -> Adjacencies {
    let adjacencies = Adjacencies::new(config.section_shift, config.columns());
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
    context: &Context,
    config: &Config,
    adjacencies: &Adjacencies,
    directory: &Directory,
) -> Result<u64, TopologyError> {
    let mut arc_count: u64 = 0;
    for (SectionKey { owner, section }, entry) in directory.entries() {
        if owner >= ATTACHED_OWNERS {
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
        let extent = context.region.adopt(entry.offset, entry.len)?;
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
                let base = blocks::Base::open(context, extent, &entry, first, lists, columns)?;
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

fn read_blobs(
    directory: &Directory,
    uuid: &Uuid,
    ids: &mut IdTable,
    meta: &mut BTreeMap<Vec<u8>, Vec<u8>>,
) -> Result<(), TopologyError> {
    for blob in directory.blobs(BLOB_META) {
        for op in record::decode(blob.read(uuid)?, blob.extent.offset())? {
            if let Op::Meta { key, value } = op {
                meta.insert(key, value);
            }
        }
    }
    for blob in directory.blobs(BLOB_IDS) {
        for op in record::decode(blob.read(uuid)?, blob.extent.offset())? {
            if let Op::Ids(assigned) = op {
                let fits = ids.assign(&assigned);
                fits.map_err(|what| StorageError::damaged("extents", blob.extent.offset(), what))?;
            }
        }
    }
    Ok(())
}

/// Whether a graph keeps in-lists apart from its out-lists.
pub(super) fn keeps_in_lists(config: &Config) -> bool {
    config.direction == Direction::Both
}
