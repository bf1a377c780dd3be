//! Storing a dictionary with the store's checkpoints, and reading it at opening.

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Blob, Medium, StorageError, Uuid};
use evergraph_topology::extension::Place;
use parking_lot::RwLock;

use super::pages::{self, PAGE_BYTES, PageImage, Stored};
use super::space::{Item, Pending, Space};
use super::{Dictionary, MOST_CODES, Names};

/// Numbers of tables are `space << PAGE_BITS | page`.
const PAGE_BITS: u32 = 24;
const LABEL_SETS: u32 = 3;
const TEXTS: u32 = 4;

impl Dictionary {
    /// The oldest commit with an assignment that is not stored.
    pub(crate) fn unmerged_since(&self) -> Option<u64> {
        let oldest = |space: &RwLock<Space<str>>| space.read().unstored.front().copied();
        self.names.iter().filter_map(oldest).min()
    }

    /// Bytes of DRAM of items that are not stored.
    pub(crate) fn unmerged_bytes(&self) -> usize {
        let names = self.names.iter().map(|space| space.read().unstored_bytes());
        names.sum()
    }

    /// Writes the codes that commits up to `csn` assigned, and all that tables used while
    /// they wrote: call it after them, in the same round.
    pub(crate) fn write(
        &self,
        csn: u64,
        place: &mut Place<'_>,
    ) -> Result<Vec<Flushed<()>>, StorageError> {
        let _ = self.uuid.set(*place.uuid);
        let mut flushed = Vec::new();
        for names in Names::ALL {
            self.write_space(names as u32, self.space(names), csn, place, &mut flushed)?;
        }
        self.write_space(LABEL_SETS, &self.label_sets, csn, place, &mut flushed)?;
        Ok(flushed)
    }

    fn write_space<T: Item + Stored + ?Sized>(
        &self,
        number: u32,
        space: &RwLock<Space<T>>,
        csn: u64,
        place: &mut Place<'_>,
        flushed: &mut Vec<Flushed<()>>,
    ) -> Result<(), StorageError> {
        let mut space = space.write();
        let new = space.unstored.iter().take_while(|&&of| of <= csn).count();
        if new == 0 {
            return Ok(());
        }
        let until = space.stored() + new;
        // The last page is written anew with its items and those that follow, unless it is
        // full.
        let (first, from) = match space.pages.last() {
            Some((begin, page)) if page.extent.len() < PAGE_BYTES as u64 => {
                (space.pages.len() - 1, *begin)
            }
            Some(_) if failpoint!("dictionary.full-page-lost") => {
                (space.pages.len() - 1, space.stored())
            }
            _ => (space.pages.len(), space.stored()),
        };
        let mut begin = from;
        let mut written: Vec<(usize, Blob)> = Vec::new();
        let mut image = PageImage::begin();
        for at in from..until {
            let code = space.order[at];
            let item = space.get(code).expect("an assigned code has an item");
            image.push(code, &*item);
            if image.is_full() || at + 1 == until {
                let page = number << PAGE_BITS | (first + written.len()) as u32;
                let Place {
                    region,
                    uuid,
                    directory,
                } = place;
                flushed.push(directory.set_blob(region, uuid, self.kind, page, image.bytes())?);
                let blob = directory.blob(self.kind, page).expect("just set").clone();
                if failpoint!("dictionary.page-not-flushed") {
                    let (medium, bytes) = (region.medium(), image.bytes());
                    let (offset, len) = (blob.extent.offset(), bytes.len() as u64);
                    medium.write(offset, &vec![0; bytes.len()])?;
                    medium.flush(offset, len)?;
                    medium.write(offset, bytes)?;
                }
                written.push((begin, blob));
                (begin, image) = (at + 1, PageImage::begin());
            }
        }
        debug_assert!(image.is_empty());
        space.pending = Some(Pending {
            first,
            pages: written,
            stored: until,
        });
        Ok(())
    }

    /// A superblock names the written pages.
    pub(crate) fn published(&self) {
        self.names.iter().for_each(publish_space);
        publish_space(&self.label_sets);
    }

    /// No superblock names the written pages.
    pub(crate) fn abandoned(&self) {
        (self.names.iter()).for_each(|space| space.write().pending = None);
        self.label_sets.write().pending = None;
    }

    /// Reads the pages that the directory names. Before the tables, whose records hold
    /// the codes.
    pub(crate) fn restore(&self, place: &Place<'_>) -> Result<(), StorageError> {
        let _ = self.uuid.set(*place.uuid);
        for (number, blob) in place.directory.numbered_blobs(self.kind) {
            let page = (number & ((1 << PAGE_BITS) - 1)) as usize;
            let bytes = blob.read(place.uuid)?;
            let restored = match number >> PAGE_BITS {
                LABEL_SETS => restore_page(&self.label_sets, page, blob, bytes),
                TEXTS => restore_page(&self.texts, page, blob, bytes),
                number => match Names::from_number(number as u8) {
                    Some(names) => restore_page(self.space(names), page, blob, bytes),
                    None => Err("a page of a dictionary is of no known kind"),
                },
            };
            restored.map_err(|what| damaged(blob, what))?;
        }
        Ok(())
    }

    /// Reads all pages again, and compares them with the items in DRAM.
    pub(crate) fn check(&self, problems: &mut Vec<String>) {
        let Some(uuid) = self.uuid.get() else {
            return;
        };
        for space in self.names.iter().chain([&self.texts]) {
            check_space(space, uuid, problems);
        }
        check_space(&self.label_sets, uuid, problems);
    }
}

fn publish_space<T: Item + ?Sized>(space: &RwLock<Space<T>>) {
    let mut space = space.write();
    let pending = space.pending.take();
    if let Some(Pending {
        first,
        pages,
        stored,
    }) = pending
    {
        space.pages.truncate(first);
        space.pages.extend(pages);
        debug_assert!(
            space.stored() <= stored && stored <= space.order.len(),
            "pages have {stored} of {} codes, and had {}",
            space.order.len(),
            space.stored()
        );
        let new = stored - space.stored();
        space.unstored.drain(..new);
        space.invariants();
    }
}

fn restore_page<T: Item + Stored + ?Sized>(
    space: &RwLock<Space<T>>,
    page: usize,
    blob: &Blob,
    bytes: &[u8],
) -> Result<(), &'static str> {
    let mut space = space.write();
    if page != space.pages.len() {
        return Err("a page of a dictionary is missing");
    }
    let begin = space.order.len();
    space.pages.push((begin, blob.clone()));
    pages::read(bytes, |code, item: &T| {
        if code >= MOST_CODES {
            return Err("a code is impossible");
        }
        match space.assign_stored(code, item)? {
            true => Ok(()),
            false => Err("a code is there twice"),
        }
    })
}

fn check_space<T: Item + Stored + ?Sized>(
    space: &RwLock<Space<T>>,
    uuid: &Uuid,
    problems: &mut Vec<String>,
) {
    let space = space.read();
    for (begin, blob) in &space.pages {
        let mut at = *begin;
        let read = blob.read(uuid).and_then(|bytes| {
            let same = |code: u32, item: &T| {
                let known = space.order.get(at) == Some(&code);
                at += 1;
                match known && space.get(code).as_deref() == Some(item) {
                    true => Ok(()),
                    false => Err("a page of a dictionary is not what was read at opening"),
                }
            };
            pages::read(bytes, same).map_err(|what| damaged(blob, what))
        });
        problems.extend(read.err().map(|error| error.to_string()));
    }
}

fn damaged(blob: &Blob, what: &str) -> StorageError {
    StorageError::damaged(&blob.extent.file_name(), blob.extent.offset(), what)
}
