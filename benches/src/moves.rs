//! How to give a full section new gaps: the store's way beside DGAP's undo log
//! and a transaction for each move, over the same medium, for the very moves
//! that an ingest caused. The two others exist only here, as models that store,
//! flush and fence what the protocol asks for; the bytes mean nothing. They are
//! favoured: behind each section there is always room to grow in place, for
//! which a real array would have to move the neighbors.

use std::collections::HashMap;

use evergraph_storage::{Medium, MediumHandle, Storage};
use evergraph_topology::direct::Rewrite;

use crate::stores::text;

/// DGAP's undo log, and its unit.
const CHUNK: u64 = 2048;
/// Where the undo log is; a page before the sections.
const HEADER: u64 = 64;
const LOG_BYTES: u64 = 4096;

/// The way in which a move is made safe.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// The section is written to another place, and one word switches.
    Relocation,
    /// Chunk by chunk: its old bytes to the log and durable, then its new ones
    /// in place and durable.
    UndoLog,
    /// As the undo log, each chunk a transaction of its own: the log's header
    /// beside the bytes, and a mark that it is committed, durable too.
    Transactions,
}

impl Protocol {
    pub const ALL: [Protocol; 3] = [
        Protocol::Relocation,
        Protocol::UndoLog,
        Protocol::Transactions,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Protocol::Relocation => "relocation",
            Protocol::UndoLog => "undo log of 2 KiB",
            Protocol::Transactions => "a transaction for each chunk",
        }
    }
}

/// A place of a section on the medium.
#[derive(Clone, Copy)]
struct Home {
    at: u64,
    bytes: u64,
}

/// Repeats moves on a medium of its own.
pub struct Mover {
    medium: MediumHandle,
    homes: HashMap<(u32, u32), Home>,
    /// Largest size that a section will ever have.
    largest: HashMap<(u32, u32), u64>,
    /// Free places by their size.
    free: HashMap<u64, Vec<u64>>,
    end: u64,
    old: Vec<u8>,
    new: Vec<u8>,
}

impl Mover {
    /// For these moves, in any protocol.
    pub fn new<'a>(
        storage: &dyn Storage,
        moves: impl Iterator<Item = &'a Rewrite>,
    ) -> Result<Self, String> {
        let medium = storage.open("moves", true).map_err(text)?;
        medium.grow(1 << 20).map_err(text)?;
        let mut largest = HashMap::new();
        for rewrite in moves {
            let most = largest.entry(rewrite.section).or_insert(0);
            *most = rewrite.new_bytes.max(*most);
        }
        Ok(Mover {
            largest,
            medium,
            homes: HashMap::new(),
            free: HashMap::new(),
            end: LOG_BYTES,
            old: Vec::new(),
            new: Vec::new(),
        })
    }

    /// Forgets all sections, not the memory: the next move of them finds no
    /// page that was never touched.
    pub fn forget(&mut self) {
        self.homes.clear();
        self.free.clear();
        self.end = LOG_BYTES;
    }

    /// One move. A new section is written without further ado.
    pub fn perform(&mut self, protocol: Protocol, rewrite: &Rewrite) -> Result<(), String> {
        let home = self.homes.get(&rewrite.section).copied();
        match (home, protocol) {
            (_, Protocol::Relocation) | (None, _) => self.relocate(protocol, home, rewrite),
            (Some(home), _) => self.in_place(protocol, home, rewrite),
        }
    }

    fn relocate(
        &mut self,
        protocol: Protocol,
        home: Option<Home>,
        rewrite: &Rewrite,
    ) -> Result<(), String> {
        if let Some(home) = home {
            self.read(home.at, home.bytes)?;
        }
        let bytes = rewrite.new_bytes;
        let reserved = match protocol {
            Protocol::Relocation => bytes,
            _ => self.largest[&rewrite.section],
        };
        let at = match self.free.get_mut(&bytes).and_then(Vec::pop) {
            Some(at) => at,
            None => {
                let at = self.end;
                self.end += reserved.next_multiple_of(512);
                if self.end > self.medium.len() {
                    let grown = self.end.max(self.medium.len() * 3 / 2);
                    self.medium
                        .grow(grown.next_multiple_of(4096))
                        .map_err(text)?;
                }
                at
            }
        };
        self.compose(bytes);
        let new = &self.new[..bytes as usize];
        self.medium.write_through(at, new).map_err(text)?;
        self.medium.fence().map_err(text)?;
        self.store_word(HEADER + 8 * u64::from(rewrite.section.1 % 256), at)?;
        self.homes.insert(rewrite.section, Home { at, bytes });
        if let Some(old) = home {
            self.free.entry(old.bytes).or_default().push(old.at);
        }
        Ok(())
    }

    fn in_place(
        &mut self,
        protocol: Protocol,
        home: Home,
        rewrite: &Rewrite,
    ) -> Result<(), String> {
        // The lists move; their index would be in DRAM there.
        let moved = rewrite.new_list_bytes;
        self.compose(CHUNK);
        for from in (0..moved).step_by(CHUNK as usize) {
            let bytes = CHUNK.min(moved - from);
            let old_bytes = bytes.min(rewrite.old_list_bytes.saturating_sub(from));
            // Where nothing was there is nothing to save.
            if old_bytes > 0 {
                self.read(home.at + from, old_bytes)?;
                let old = &self.old[..old_bytes as usize];
                let undo = LOG_BYTES - CHUNK;
                self.medium.write_through(undo, old).map_err(text)?;
                // Which chunk it is, and that the log holds it.
                self.store_header(&[from + 1, bytes, home.at, 0])?;
                self.medium.fence().map_err(text)?;
            }
            let new = &self.new[..bytes as usize];
            let at = home.at + from;
            self.medium.write_through(at, new).map_err(text)?;
            self.medium.fence().map_err(text)?;
            if protocol == Protocol::Transactions && old_bytes > 0 {
                self.store_word(0, 0)?;
            }
        }
        // The edge log is empty, and the move is over: DGAP's undo log says so
        // at its end.
        let log = home.at + moved.next_multiple_of(64);
        let zeros = vec![0; 8 * rewrite.log_slots];
        self.medium.write_through(log, &zeros).map_err(text)?;
        self.medium.fence().map_err(text)?;
        let bytes = rewrite.new_bytes;
        self.homes.insert(rewrite.section, Home { bytes, ..home });
        self.store_word(0, 0)
    }

    fn read(&mut self, at: u64, bytes: u64) -> Result<(), String> {
        if self.old.len() < bytes as usize {
            self.old.resize(bytes as usize, 0);
        }
        let into = &mut self.old[..bytes as usize];
        self.medium.read(at, into).map_err(text)
    }

    fn compose(&mut self, bytes: u64) {
        if self.new.len() < bytes as usize {
            self.new.resize(bytes as usize, 0x5A);
        }
    }

    /// Stores, flushes and fences one word.
    fn store_word(&self, at: u64, value: u64) -> Result<(), String> {
        self.medium.store_u64(at, value);
        self.medium.flush(at, 8).map_err(text)?;
        self.medium.fence().map_err(text)
    }

    fn store_header(&self, words: &[u64]) -> Result<(), String> {
        for (i, &word) in words.iter().enumerate() {
            self.medium.store_u64(8 * i as u64, word);
        }
        self.medium.flush(0, 8 * words.len() as u64).map_err(text)
    }
}
