//! The store of results: versions by name.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use evergraph_graph::Column;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Storage, Uuid};
use parking_lot::Mutex;

use super::description::check_name;
use super::files::Files;
use super::{Description, Geometry, NewVersion, Staging, StateError, Stored, Written};

/// The results of one database; see the module.
///
/// May be used by any number of threads: versions are written side by side, and
/// published one after another. Writing needs the database's writer lock, reading
/// its reader lock: the caller holds it.
pub struct ResultStore {
    storage: Arc<dyn Storage>,
    uuid: Uuid,
    read_only: bool,
    /// Set while the files are locked.
    closed: AtomicBool,
    geometry: Geometry,
    /// `None` as long as there are no files.
    files: Mutex<Option<Files>>,
}

impl ResultStore {
    /// Opens the results of the database with this identity. Writes nothing; the
    /// files are made by the first result.
    ///
    /// # Errors
    /// If they are damaged or belong to another database. O(results + blocks).
    pub fn open(
        storage: Arc<dyn Storage>,
        uuid: Uuid,
        read_only: bool,
    ) -> Result<Self, StateError> {
        Self::open_with(storage, uuid, read_only, Geometry::default())
    }

    /// As [`ResultStore::open`]; new files get this geometry.
    pub fn open_with(
        storage: Arc<dyn Storage>,
        uuid: Uuid,
        read_only: bool,
        geometry: Geometry,
    ) -> Result<Self, StateError> {
        let files = Files::open(&*storage, &uuid)?;
        if let Some(files) = files.as_ref().filter(|_| !read_only) {
            files.confirm(&*storage)?;
        }
        Ok(ResultStore {
            storage,
            uuid,
            read_only,
            closed: AtomicBool::new(false),
            geometry,
            files: Mutex::new(files),
        })
    }

    /// All results by name.
    pub fn list(&self) -> Vec<Arc<Stored>> {
        let files = self.files.lock();
        let results = files.iter().flat_map(|files| files.results.values());
        results.cloned().collect()
    }

    /// The newest version of a result.
    pub fn get(&self, name: &str) -> Option<Arc<Stored>> {
        self.files.lock().as_ref()?.results.get(name).cloned()
    }

    /// As [`ResultStore::get`].
    ///
    /// # Errors
    /// If there is none; the message names those that there are.
    pub fn find(&self, name: &str) -> Result<Arc<Stored>, StateError> {
        self.get(name).ok_or_else(|| self.unknown(name))
    }

    fn unknown(&self, name: &str) -> StateError {
        let names: Vec<String> = self
            .list()
            .iter()
            .map(|stored| stored.description.name.clone())
            .collect();
        StateError::Unknown {
            name: name.to_string(),
            hint: match names.is_empty() {
                true => "the database has no results yet".to_string(),
                false => format!("there are {}", names.join(", ")),
            },
        }
    }

    /// Bytes that all results occupy, with the directory.
    pub fn bytes(&self) -> u64 {
        let files = self.files.lock();
        files.as_ref().map_or(0, |files| files.region.used_bytes())
    }

    /// Makes `columns` the newest version of `description.name`, of which it may
    /// be the first. Durable on return; all or nothing. Writes the blocks that
    /// differ from the version before; O(bytes of the columns) to compare.
    ///
    /// # Errors
    /// If there is no room or the medium refuses; the version before stays.
    pub fn put(
        &self,
        description: &Description,
        columns: &[(&str, Column<'_>)],
    ) -> Result<Written, StateError> {
        let nothing_staged = Staging::default();
        loop {
            let mut version = self.begin(&description.name, columns)?;
            version.write_rest(columns, &nothing_staged)?;
            match self.publish(version, description) {
                // Another thread was faster; what it shares has changed.
                Err(StateError::Changed { .. }) => {}
                published => return published,
            }
        }
    }

    /// Begins a new version of a result, which is written by its methods and then
    /// published.
    ///
    /// # Errors
    /// If nothing may be written, or the name is none.
    pub fn begin(
        &self,
        name: &str,
        columns: &[(&str, Column<'_>)],
    ) -> Result<NewVersion, StateError> {
        check_name(name)?;
        let mut files = self.files.lock();
        let files = self.writable(&mut files)?;
        Ok(NewVersion::new(
            files.results.get(name).cloned(),
            columns,
            (files.region.clone(), self.uuid, files.block_bytes),
        ))
    }

    /// Makes a version the newest one. All of its blocks have been written, by
    /// this thread or by one that has called [`NewVersion::make_durable`].
    ///
    /// # Errors
    /// As [`ResultStore::put`]; [`StateError::Changed`] if there is a newer
    /// version than the one that this was begun on.
    pub fn publish(
        &self,
        version: NewVersion,
        description: &Description,
    ) -> Result<Written, StateError> {
        let mut files = self.files.lock();
        let files = self.writable(&mut files)?;
        let current = files.results.get(&description.name);
        let is_base = match (current, &version.base) {
            (Some(current), Some(base)) => Arc::ptr_eq(current, base),
            (None, None) => true,
            _ => false,
        };
        if !is_base {
            return Err(StateError::Changed {
                name: description.name.clone(),
            });
        }
        let (columns, pending, written) = version.complete();
        files.switch_to(&self.uuid, description, columns, Flushed::all(pending))?;
        Ok(written)
    }

    /// Removes results, all of them at once. Their space is free when the last
    /// reader lets go.
    ///
    /// # Errors
    /// If one of them does not exist: then all stay.
    pub fn remove(&self, names: &[&str]) -> Result<(), StateError> {
        for name in names {
            self.find(name)?;
        }
        let mut files = self.files.lock();
        self.writable(&mut files)?.remove(&self.uuid, names)
    }

    /// Reads and verifies every block; problems in words.
    pub fn check(&self) -> Vec<String> {
        self.list()
            .iter()
            .flat_map(|stored| stored.check())
            .collect()
    }

    /// Refuses every later write. What is read of it stays.
    pub fn close(&self) {
        let _none_is_writing = self.files.lock();
        self.closed.store(true, Ordering::Release);
    }

    /// Whether a publication has failed, so that its version may be the newest at the next
    /// opening, or may not. Until then nothing more is written.
    pub fn is_uncertain(&self) -> bool {
        self.files.lock().as_ref().is_some_and(|files| files.broken)
    }

    /// The files, made if there are none.
    fn writable<'f>(&self, files: &'f mut Option<Files>) -> Result<&'f mut Files, StateError> {
        if self.read_only {
            return Err(StateError::ReadOnly);
        }
        if self.closed.load(Ordering::Acquire) {
            return Err(StateError::Closed);
        }
        if files.is_none() {
            *files = Some(Files::create(&*self.storage, &self.uuid, self.geometry)?);
        }
        let files = files.as_mut().expect("made above");
        match files.broken {
            true => Err(StateError::Broken),
            false => Ok(files),
        }
    }
}
