//! Directories for databases, removed when they are no longer needed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use evergraph::MediumKind;
use evergraph_storage::failpoint;

use crate::settings::Settings;

/// Where byte-addressed media are emulated.
const IN_MEMORY: &str = "/dev/shm";

/// Directories that are in use.
static PLACES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes the directories of all benchmarks, and ends the process before another can be
/// made. The benchmark goes on until then, so it can make files meanwhile.
pub fn remove_all_and_exit(status: i32) -> ! {
    let places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    for place in &*places {
        let gone = || std::fs::remove_dir_all(place).is_ok() || !place.exists();
        let _ = (0..100).any(|_| gone());
    }
    std::process::exit(status)
}

/// A directory of its own.
pub struct Place {
    path: PathBuf,
}

impl Place {
    /// Makes one that suits a medium.
    pub fn new(settings: &Settings<'_>, medium: MediumKind) -> Result<Self, String> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let parent = match (&settings.directory, medium) {
            (Some(directory), _) => directory.clone(),
            (None, MediumKind::Dax | MediumKind::Battery) if Path::new(IN_MEMORY).is_dir() => {
                PathBuf::from(IN_MEMORY)
            }
            (None, _) => PathBuf::from("."),
        };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("evergraph-bench-{}-{number}", std::process::id());
        let path = parent.join(name);
        let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
        std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        places.insert(path.clone());
        drop(places);
        // The signal ends the process here.
        failpoint!("bench.place-made", until false);
        Ok(Place { path })
    }

    /// A name in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What cannot be removed is only left over.
        let _ = std::fs::remove_dir_all(&self.path);
        let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
        places.remove(&self.path);
    }
}
