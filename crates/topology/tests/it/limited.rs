//! A storage whose files share so many bytes of a disk.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use evergraph_storage::medium::{DramStorage, Properties};
use evergraph_storage::{Medium, MediumError, MediumHandle, Storage};

const PAGE: u64 = 512;

/// Memory that stands for a disk of `pages`.
pub struct LimitedStorage {
    files: DramStorage,
    disk: Arc<Disk>,
}

struct Disk {
    pages: usize,
    /// By file, the pages that have room on the disk.
    used: Mutex<BTreeMap<String, BTreeSet<u64>>>,
}

struct Limited {
    file: MediumHandle,
    disk: Arc<Disk>,
}

impl LimitedStorage {
    pub fn new(bytes: u64) -> Self {
        LimitedStorage {
            files: DramStorage::new(),
            disk: Arc::new(Disk {
                pages: (bytes / PAGE) as usize,
                used: Mutex::default(),
            }),
        }
    }
}

impl Storage for LimitedStorage {
    fn kind(&self) -> &'static str {
        "limited"
    }

    fn share(&self) -> Arc<dyn Storage> {
        Arc::new(LimitedStorage {
            files: self.files.clone(),
            disk: Arc::clone(&self.disk),
        })
    }

    fn exists(&self, name: &str) -> Result<bool, MediumError> {
        self.files.exists(name)
    }

    fn open(&self, name: &str, create: bool) -> Result<MediumHandle, MediumError> {
        let (file, disk) = (self.files.open(name, create)?, Arc::clone(&self.disk));
        Ok(MediumHandle::Other(Arc::new(Limited { file, disk })))
    }

    fn remove(&self, name: &str) -> Result<(), MediumError> {
        self.disk.used.lock().unwrap().remove(name);
        self.files.remove(name)
    }

    fn sync_names(&self) -> Result<(), MediumError> {
        self.files.sync_names()
    }
}

impl Limited {
    /// Gives pages room on the disk, or none of them.
    fn take(&self, from: u64, to: u64) -> Result<(), MediumError> {
        let mut used = self.disk.used.lock().unwrap();
        let all: usize = used.values().map(BTreeSet::len).sum();
        let mine = used.entry(self.name().to_string()).or_default();
        let pages = from / PAGE..to.div_ceil(PAGE);
        let missing: Vec<u64> = pages.filter(|page| !mine.contains(page)).collect();
        if all + missing.len() > self.disk.pages {
            return Err(MediumError::NoSpace {
                file: self.name().to_string(),
                wanted_bytes: to - from,
            });
        }
        mine.extend(missing);
        Ok(())
    }
}

impl Medium for Limited {
    fn name(&self) -> &str {
        self.file.name()
    }

    fn properties(&self) -> Properties {
        self.file.properties()
    }

    fn len(&self) -> u64 {
        self.file.len()
    }

    fn grow(&self, len: u64) -> Result<(), MediumError> {
        if len > self.len() {
            self.take(self.len(), len)?;
        }
        self.file.grow(len)
    }

    fn discard(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        let mut used = self.disk.used.lock().unwrap();
        let mine = used.entry(self.name().to_string()).or_default();
        mine.retain(|page| page * PAGE < offset || (page + 1) * PAGE > offset + len);
        Ok(())
    }

    fn reserve(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.take(offset, offset + len)
    }

    fn base(&self) -> *const u8 {
        self.file.base()
    }

    fn touch(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.file.touch(offset, len)
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), MediumError> {
        let (first, end) = (offset / PAGE, (offset + bytes.len() as u64).div_ceil(PAGE));
        let used = self.disk.used.lock().unwrap();
        let has_room = |page| {
            used.get(self.name())
                .is_some_and(|mine| mine.contains(&page))
        };
        assert!(
            (first..end).all(has_room),
            "{}: a write into a hole",
            self.name()
        );
        self.file.write(offset, bytes)
    }

    fn store_u32(&self, offset: u64, value: u32) {
        self.file.store_u32(offset, value);
    }

    fn store_u64(&self, offset: u64, value: u64) {
        self.file.store_u64(offset, value);
    }

    fn flush(&self, offset: u64, len: u64) -> Result<(), MediumError> {
        self.file.flush(offset, len)
    }

    fn fence(&self) -> Result<(), MediumError> {
        self.file.fence()
    }
}
