//! Making and opening a store: creation order, recovery order.

use std::sync::Arc;

use evergraph_graph::StoredLists;
use evergraph_storage::{
    CommitLog, Medium, MediumHandle, Pool, PoolKind, Region, Root, Storage, StorageError, Uuid,
    failpoint,
};

use crate::direct::Slots;
use crate::error::TopologyError;
use crate::extension::{Extension, StoreExtension};
use crate::store::Store;
use crate::store::config::{Config, Mode, Tuning};
use crate::store::recover::recovery::{self, EXTENTS, OpenReport, RootFound};

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

    /// As [`Store::create_with`], for a store with an extension.
    ///
    /// # Errors
    /// As [`Store::create`]; in direct mode, which has no commits that could carry its changes.
    pub fn create_with_extension(
        storage: &dyn Storage,
        config: Config,
        uuid: Uuid,
        tuning: Tuning,
        extension: Arc<dyn StoreExtension>,
    ) -> Result<Self, TopologyError> {
        recovery::refuse_extension(&config)?;
        Self::create_files(storage, config, uuid)?;
        Ok(Self::open_with_extension(storage, false, tuning, extension)?.0)
    }

    fn create_files(
        storage: &dyn Storage,
        config: Config,
        uuid: Uuid,
    ) -> Result<(), TopologyError> {
        refuse_what_was_used(storage)?;
        if let Some(problem) = config.geometry_problem() {
            return Err(TopologyError::BadConfig(problem));
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
            Slots::create(storage, &uuid, config.direction != StoredLists::Out)?;
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
        Self::recover(storage, read_only, tuning, None)
    }

    /// As [`Store::open_with`], for a store with an extension; that may
    /// be one which has never had any.
    ///
    /// # Errors
    /// As [`Store::open`], and what the extension reports.
    pub fn open_with_extension(
        storage: &dyn Storage,
        read_only: bool,
        tuning: Tuning,
        extension: Arc<dyn StoreExtension>,
    ) -> Result<(Self, OpenReport), TopologyError> {
        Self::recover(storage, read_only, tuning, Some(extension))
    }

    fn recover(
        storage: &dyn Storage,
        read_only: bool,
        tuning: Tuning,
        extension: Extension,
    ) -> Result<(Self, OpenReport), TopologyError> {
        RootFound::read(storage, read_only, tuning)?
            .read_directory()?
            .claim_extents(extension)?
            .replay_log()?
            .make_durable()?
            .fulfil_intents()
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
