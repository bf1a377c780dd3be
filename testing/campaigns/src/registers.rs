//! A small store extension: registers with a number each, in chunks that are extents, and
//! a table that counts all writes.
//!
//! It keeps all versions that a view or snapshot needs, in DRAM for views and in its
//! chunks for named snapshots, so a register can be read as of any commit that the store
//! keeps.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Entry, Extent, Needed, SectionKey, StorageError, Uuid, checksum};
use evergraph_topology::extension::{EXTENSION_BLOBS, EXTENSION_OWNERS, Place, StoreExtension};
use parking_lot::Mutex;

/// Registers of a chunk.
const CHUNK: u32 = 2;
const VERSION_BYTES: usize = 24;

/// A register's number from a commit on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    register: u32,
    csn: u64,
    number: u64,
}

#[derive(Default)]
struct Chunk {
    /// By register and commit.
    versions: Vec<Version>,
    /// Commits up to here are in the extent.
    merged: u64,
    extent: Option<(Arc<Extent>, u32)>,
    written: Option<(u64, Arc<Extent>, u32)>,
}

#[derive(Default)]
struct State {
    chunks: BTreeMap<u32, Chunk>,
    /// How much was ever written, as of commits; the first is stored.
    tally: Vec<(u64, u64)>,
    tally_written: Option<u64>,
    uuid: Uuid,
}

/// Registers, by number.
#[derive(Default)]
pub struct Registers(Mutex<State>);

/// The payload that sets registers.
pub fn payload(settings: &[(u32, u64)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (register, number) in settings {
        bytes.extend_from_slice(&register.to_le_bytes());
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes
}

impl Registers {
    /// Registers that are set as of a commit that is kept.
    pub fn as_of(&self, csn: u64) -> BTreeMap<u32, u64> {
        let state = self.0.lock();
        let versions = state.chunks.values().flat_map(|chunk| &chunk.versions);
        let seen = versions.filter(|version| version.csn <= csn);
        // Ascending by commit, so that the newest stays.
        seen.map(|version| (version.register, version.number))
            .collect()
    }

    /// How many settings there ever were.
    pub fn tally(&self) -> u64 {
        self.0.lock().tally.last().map_or(0, |tally| tally.1)
    }
}

impl Chunk {
    fn unmerged_since(&self) -> Option<u64> {
        let news = self.versions.iter().map(|version| version.csn);
        news.filter(|&csn| csn > self.merged).min()
    }

    /// The versions up to `csn` for which `keeps` says so of the commits from one
    /// to the next, and the newest of each register.
    fn select(&self, until: u64, keeps: impl Fn(u64, u64) -> bool) -> Vec<Version> {
        let old: Vec<Version> = self
            .versions
            .iter()
            .copied()
            .filter(|v| v.csn <= until)
            .collect();
        let stays = |at: &usize| match old.get(at + 1) {
            Some(next) if next.register == old[*at].register => keeps(old[*at].csn, next.csn),
            _ => true,
        };
        (0..old.len()).filter(stays).map(|at| old[at]).collect()
    }

    fn prune(&mut self, needed: &Needed) {
        let known = needed.watermark().unwrap_or(u64::MAX);
        self.versions = self.select(u64::MAX, |from, until| {
            until > known || needed.is_needed(from, until)
        });
    }
}

fn encode(versions: &[Version]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for version in versions {
        bytes.extend_from_slice(&u64::from(version.register).to_le_bytes());
        bytes.extend_from_slice(&version.csn.to_le_bytes());
        bytes.extend_from_slice(&version.number.to_le_bytes());
    }
    bytes
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks_exact(8).map(|word| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(word);
        u64::from_le_bytes(bytes)
    })
}

fn damaged(offset: u64, what: &str) -> StorageError {
    StorageError::damaged("extents", offset, what)
}

impl StoreExtension for Registers {
    fn apply(&self, csn: u64, payloads: &[&[u8]], needed: &Needed) -> Result<(), StorageError> {
        if needed.watermark().is_some_and(|visible| visible >= csn) {
            return Err(damaged(csn, "a commit was visible before it was applied"));
        }
        let state = &mut *self.0.lock();
        let mut count = 0;
        for settings in payloads {
            for setting in settings.chunks_exact(12) {
                let (register, number) = setting.split_at(4);
                let mut bytes = [0; 4];
                bytes.copy_from_slice(register);
                let register = u32::from_le_bytes(bytes);
                let number = words(number).next().unwrap_or(0);
                count += 1;
                let chunk = state.chunks.entry(register / CHUNK).or_default();
                if csn <= chunk.merged {
                    continue;
                }
                chunk
                    .versions
                    .retain(|v| (v.register, v.csn) != (register, csn));
                chunk.versions.push(Version {
                    register,
                    csn,
                    number,
                });
                chunk.versions.sort_unstable();
                chunk.prune(needed);
            }
        }
        let (last, tally) = state.tally.last().copied().unwrap_or_default();
        if csn > last {
            state.tally.push((csn, tally + count));
        }
        Ok(())
    }

    fn unmerged_since(&self) -> Option<u64> {
        let state = self.0.lock();
        let chunks = state.chunks.values().filter_map(Chunk::unmerged_since);
        chunks.chain(state.tally.get(1).map(|tally| tally.0)).min()
    }

    fn unmerged_bytes(&self) -> usize {
        let state = self.0.lock();
        let news = |chunk: &Chunk| {
            let versions = chunk.versions.iter();
            versions
                .filter(|version| version.csn > chunk.merged)
                .count()
        };
        VERSION_BYTES * state.chunks.values().map(news).sum::<usize>()
    }

    fn write(
        &self,
        csn: u64,
        needed: &Needed,
        place: &mut Place<'_>,
    ) -> Result<Vec<Flushed<()>>, StorageError> {
        let state = &mut *self.0.lock();
        let mut written = Vec::new();
        for (&section, chunk) in &mut state.chunks {
            if chunk.unmerged_since().is_none_or(|since| since > csn) {
                continue;
            }
            let versions = chunk.select(csn, |from, until| needed.is_kept(from, until));
            let bytes = encode(&versions);
            let draft = place.region.allocate(bytes.len() as u64)?;
            let crc = checksum(place.uuid, draft.offset(), &bytes);
            let (extent, flushed) = draft.finish(&bytes)?.split();
            let entry = Entry {
                offset: extent.offset(),
                len: extent.len(),
                csn,
                generation: 0,
                crc,
                entries: versions.len() as u64,
                tombstones: 0,
            };
            let owner = EXTENSION_OWNERS;
            place.directory.set(SectionKey { owner, section }, entry);
            chunk.written = Some((csn, Arc::new(extent), crc));
            written.push(flushed);
        }
        let stored = state.tally.iter().rev().find(|tally| tally.0 <= csn);
        if let Some(&(at, tally)) = stored {
            let bytes: Vec<u8> = [at, tally]
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect();
            let (region, uuid) = (place.region, place.uuid);
            let table = place
                .directory
                .set_blob(region, uuid, EXTENSION_BLOBS, 0, &bytes)?;
            written.push(table);
            state.tally_written = Some(at);
        }
        Ok(written)
    }

    fn publishing(&self) {
        for chunk in self.0.lock().chunks.values() {
            if let Some((_, extent, _)) = &chunk.written {
                extent.published();
            }
        }
    }

    fn published(&self, needed: &dyn Fn() -> Needed) {
        let state = &mut *self.0.lock();
        let needed = needed();
        for chunk in state.chunks.values_mut() {
            let Some((csn, extent, crc)) = chunk.written.take() else {
                continue;
            };
            extent.published();
            if let Some((old, _)) = chunk.extent.replace((extent, crc)) {
                old.retire();
            }
            chunk.merged = csn;
            chunk.prune(&needed);
        }
        if let Some(at) = state.tally_written.take() {
            state.tally.retain(|tally| tally.0 >= at);
        }
    }

    fn abandoned(&self) {
        let state = &mut *self.0.lock();
        state.tally_written = None;
        state
            .chunks
            .values_mut()
            .for_each(|chunk| chunk.written = None);
    }

    fn restore(&self, place: &mut Place<'_>) -> Result<(), StorageError> {
        let state = &mut *self.0.lock();
        state.uuid = *place.uuid;
        state.tally = vec![(0, 0)];
        let extension = place.directory.entries();
        for (key, entry) in extension.filter(|(key, _)| key.owner == EXTENSION_OWNERS) {
            let extent = Arc::new(place.region.adopt(entry.offset, entry.len)?);
            let versions = read(place.uuid, &extent, entry.crc)?;
            if failpoint!("extension.not-claimed") {
                extent.retire();
                drop(extent);
                let (merged, extent, written) = (entry.csn, None, None);
                let chunk = Chunk {
                    versions,
                    merged,
                    extent,
                    written,
                };
                state.chunks.insert(key.section, chunk);
                continue;
            }
            let chunk = Chunk {
                versions,
                merged: entry.csn,
                extent: Some((extent, entry.crc)),
                written: None,
            };
            state.chunks.insert(key.section, chunk);
        }
        if let Some(table) = place.directory.blob(EXTENSION_BLOBS, 0) {
            let mut words = words(table.read(place.uuid)?);
            if let (Some(csn), Some(tally)) = (words.next(), words.next()) {
                state.tally = vec![(csn, tally)];
            }
        }
        Ok(())
    }

    fn check(&self, csn: u64, problems: &mut Vec<String>) {
        let state = self.0.lock();
        for (number, chunk) in &state.chunks {
            if chunk.versions.iter().any(|version| version.csn > csn) {
                problems.push(format!("chunk {number} has versions after commit {csn}"));
            }
            if let Some((extent, crc)) = &chunk.extent
                && let Err(error) = read(&state.uuid, extent, *crc)
            {
                problems.push(error.to_string());
            }
        }
    }
}

fn read(uuid: &Uuid, extent: &Extent, crc: u32) -> Result<Vec<Version>, StorageError> {
    extent.touch()?;
    let (offset, bytes) = (extent.offset(), extent.bytes());
    if checksum(uuid, offset, bytes) != crc {
        return Err(damaged(offset, "a chunk of registers has a wrong checksum"));
    }
    let versions = bytes.chunks_exact(VERSION_BYTES).map(|bytes| {
        let mut words = words(bytes);
        let mut next = || words.next().unwrap_or(0);
        Version {
            register: next() as u32,
            csn: next(),
            number: next(),
        }
    });
    Ok(versions.collect())
}
