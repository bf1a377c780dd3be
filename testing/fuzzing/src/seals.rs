//! The checksums of a database, found by reading it as `docs/storage-format.md` says,
//! so that what was changed can be sealed again: else the first checksum would end
//! every execution. Shares no code with the program under test but CRC-32C itself.

#![expect(
    clippy::single_range_in_vec_init,
    reason = "most checksums are of one range, some of several"
)]

use std::ops::Range;

use crate::image::Image;

/// One checksum: where it stands, and what it is of. Places are those of the image as
/// it was read: where a change moves something, its checksum does not hold.
pub struct Seal {
    file: usize,
    at: usize,
    of: usize,
    parts: Vec<Range<usize>>,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// CRC-32C from a seed on.
    Crc(u32),
    /// Of a section in direct mode: one field of its header counts as zero.
    Direct(u32),
    /// The check byte of a word of the file `sections`, by the word's index.
    Byte(u64),
    /// The check of a word of an edge log, by the extent and the word's number.
    Logged(u64, u64),
    /// The check byte of a word of an intent, by its offset.
    Intent(u64),
}

impl Seal {
    /// The bytes that the checksum covers.
    pub fn parts(&self) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        self.parts.iter().map(|part| (self.of, part.clone()))
    }

    /// Writes the checksum anew.
    pub fn renew(&self, image: &mut Image) {
        let bytes = image.bytes(self.of);
        let crc = |seed| {
            let parts = self.parts.iter().filter_map(|part| bytes.get(part.clone()));
            parts.fold(seed, crc32c::crc32c_append)
        };
        let word = |part: usize| {
            let at = self.parts[part].start;
            bytes.get(at..at + 8).map_or(0, |word| u64_at(word, 0))
        };
        let sum: u64 = match self.kind {
            Kind::Crc(seed) => crc(seed).into(),
            Kind::Direct(seed) => {
                let header = bytes.get(self.parts[0].clone()).unwrap_or_default();
                let mut header = header.to_vec();
                header.get_mut(36..40).unwrap_or_default().fill(0);
                let rest = self.parts[1..].iter();
                let seed = crc32c::crc32c_append(seed, &header);
                let rest = rest.filter_map(|part| bytes.get(part.clone()));
                rest.fold(seed, crc32c::crc32c_append).into()
            }
            Kind::Byte(index) => {
                let word = word(0);
                let of = word.to_le_bytes()[..7].to_vec();
                let check = crc8(&[&of[..], &index.to_le_bytes()].concat());
                word & ((1 << 56) - 1) | u64::from(check) << 56
            }
            Kind::Logged(offset, slot) => {
                let word = word(0) & ((1 << 47) - 1);
                let seed = crc32c::crc32c(&(offset ^ slot << 48).to_le_bytes());
                let crc = crc32c::crc32c_append(seed, &word.to_le_bytes()[..6]);
                let check = (crc ^ crc >> 15 ^ crc >> 30) & 0x7fff;
                word | u64::from(check) << 48 | 1 << 47 | 1 << 63
            }
            Kind::Intent(offset) => {
                let word = word(0) & ((1 << 54) - 1) | 3 << 54;
                let seed = crc32c::crc32c(&offset.to_le_bytes());
                let crc = crc32c::crc32c_append(seed, &word.to_le_bytes()[..7]);
                let check = crc.to_le_bytes().into_iter().fold(0, |a, b| a ^ b);
                word | u64::from(check) << 56
            }
        };
        let len = match self.kind {
            Kind::Crc(_) | Kind::Direct(_) => 4,
            _ => 8,
        };
        if let Some(at) = image.bytes_mut(self.file).get_mut(self.at..self.at + len) {
            at.copy_from_slice(&sum.to_le_bytes()[..len]);
        }
    }
}

fn crc8(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0x5a, |mut crc, byte| {
        crc ^= byte;
        for _ in 0..8 {
            crc = if crc & 0x80 != 0 {
                crc << 1 ^ 7
            } else {
                crc << 1
            };
        }
        crc
    })
}

pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// An offset or a length, which are 64 bits on the medium.
pub fn place(bytes: &[u8], at: usize) -> usize {
    u64_at(bytes, at) as usize
}

/// All checksums of a database, or of its results, in an order in which each can be
/// renewed after those that it covers.
pub fn of_image(image: &Image) -> Vec<Seal> {
    let (pool, extents) = match image.file("pool") {
        Some(pool) => (pool, image.file("extents").expect("extents")),
        None => (
            image.file("results").expect("a pool"),
            image.file("results.extents").expect("extents"),
        ),
    };
    let bytes = image.bytes(pool);
    let slot = root_slot(image);
    let uuid = &bytes[slot + 16..slot + 32];
    let mut walk = Walk {
        image,
        extents,
        uuid: crc32c::crc32c(uuid),
        lists: 1 << (u32_at(bytes, slot + 132) & 31),
        block_bytes: u32_at(bytes, slot + 128) as usize,
        seals: Vec::new(),
    };
    for slot in [0, 4096] {
        walk.add(
            (pool, slot + 508),
            pool,
            Kind::Crc(0),
            vec![slot..slot + 508],
        );
    }
    if let Some(log) = image.file("log") {
        walk.log(log, place(bytes, slot + 64));
    }
    if let Some(sections) = image.file("sections") {
        let columns = 1 + usize::from(bytes[slot + 129]);
        walk.direct_mode(sections, columns);
    }
    let directory = place(bytes, slot + 88)..place(bytes, slot + 88) + place(bytes, slot + 96);
    if !directory.is_empty() {
        walk.extent((pool, slot + 104), directory.clone());
        walk.directory(directory.start, image.file("log").is_none());
    }
    walk.seals.reverse();
    walk.seals
}

/// Offset of the superblock's newer slot in the pool.
pub fn root_slot(image: &Image) -> usize {
    let file = image.file("pool").or_else(|| image.file("results"));
    let pool = image.bytes(file.expect("a pool"));
    let sequence = |slot: &usize| pool.get(slot + 32..slot + 40).map(|word| u64_at(word, 0));
    let newest = [0, 4096].into_iter().max_by_key(sequence);
    newest.expect("two slots")
}

/// The numbers of the leaves that a directory names, which may be none.
pub fn leaves(image: &Image) -> Vec<u32> {
    let slot = root_slot(image);
    let (Some(pool), Some(extents)) = (image.file("pool"), image.file("extents")) else {
        return Vec::new();
    };
    let Some(root) = image.bytes(pool).get(slot..slot + 512) else {
        return Vec::new();
    };
    let start = place(root, 88).saturating_add(16);
    let end = place(root, 88).saturating_add(place(root, 96));
    let references = image.bytes(extents).get(start..end).unwrap_or_default();
    references
        .chunks_exact(24)
        .map(|leaf| u32_at(leaf, 4))
        .collect()
}

/// A record of a log, with its header.
pub struct Record {
    pub at: usize,
    pub covered: usize,
    /// The position behind it.
    pub end: usize,
    /// Of a commit; not of a pad.
    pub is_commit: bool,
}

/// The records of a log from a position on, as far as they are where they say.
pub fn log_records(log: &[u8], start: usize) -> Vec<Record> {
    let ring = log.len().saturating_sub(512);
    let mut records = Vec::new();
    let mut lsn = start;
    while lsn.checked_sub(start).is_some_and(|read| read < ring) {
        let at = lsn % ring;
        if ring - at < 56 {
            let Some(next) = lsn.checked_add(ring - at) else {
                break;
            };
            lsn = next;
            continue;
        }
        let (kind, len) = (u32_at(log, at + 4), place(log, at + 8));
        if !(1..=2).contains(&kind) || len < 56 || place(log, at + 16) != lsn {
            break;
        }
        let end = len
            .checked_next_multiple_of(8)
            .and_then(|len| lsn.checked_add(len));
        let Some(end) = end else {
            break;
        };
        lsn = end;
        records.push(Record {
            at,
            covered: if kind == 2 { 56 } else { len },
            end: lsn,
            is_commit: kind == 1,
        });
    }
    records
}

/// Reads from the outside in.
struct Walk<'a> {
    image: &'a Image,
    extents: usize,
    uuid: u32,
    /// In a section of a store.
    lists: usize,
    /// Of results.
    block_bytes: usize,
    seals: Vec<Seal>,
}

impl Walk<'_> {
    fn add(&mut self, (file, at): (usize, usize), of: usize, kind: Kind, parts: Vec<Range<usize>>) {
        self.seals.push(Seal {
            file,
            at,
            of,
            parts,
            kind,
        });
    }

    fn seed(&self, offset: usize) -> u32 {
        crc32c::crc32c_append(self.uuid, &(offset as u64).to_le_bytes())
    }

    /// A checksum over a range of the extents, bound to where it begins.
    fn extent(&mut self, at: (usize, usize), of: Range<usize>) {
        let seed = self.seed(of.start);
        self.add(at, self.extents, Kind::Crc(seed), vec![of]);
    }

    fn log(&mut self, file: usize, start: usize) {
        let log = self.image.bytes(file);
        let ring = log.len() - 512;
        self.add(
            (file, ring + 508),
            file,
            Kind::Crc(0),
            vec![ring..ring + 508],
        );
        for record in log_records(log, start) {
            let kind = Kind::Crc(self.uuid);
            let covered = vec![record.at + 4..record.at + record.covered];
            self.add((file, record.at), file, kind, covered);
        }
    }

    fn directory(&mut self, at: usize, of_results: bool) {
        let image = self.image;
        let bytes = image.bytes(self.extents);
        let leaves = place(bytes, at);
        for leaf in (0..leaves).map(|i| at + 16 + 24 * i) {
            let offset = place(bytes, leaf + 8);
            self.extent((self.extents, leaf + 16), offset..offset + 7168);
            let owner = u32_at(bytes, leaf);
            let first = 128 * u32_at(bytes, leaf + 4) as usize;
            for (i, entry) in (offset..offset + 7168).step_by(56).enumerate() {
                if u64_at(bytes, entry + 48) == 1 {
                    self.entry(owner, first + i, entry);
                }
            }
        }
        let tables = at + 16 + 24 * leaves;
        for table in (0..place(bytes, at + 8)).map(|i| tables + 32 * i) {
            let offset = place(bytes, table + 8);
            let content = offset..offset + place(bytes, table + 16);
            self.extent((self.extents, table + 24), content.clone());
            match u32_at(bytes, table) {
                1 if of_results => self.manifest_of_result(offset),
                3 => self.history(offset),
                16 => self.sealed_graph(content),
                _ => {}
            }
        }
    }

    /// One entry of a leaf, by the magic of what it names.
    fn entry(&mut self, owner: u32, section: usize, entry: usize) {
        let image = self.image;
        let bytes = image.bytes(self.extents);
        let (offset, len) = (place(bytes, entry), place(bytes, entry + 8));
        let crc = (self.extents, entry + 28);
        if owner < 1 << 31 && &bytes[offset..offset + 4] == b"ESEC" {
            let lists = u32_at(bytes, offset + 12) as usize;
            let tombstones = if u32_at(bytes, offset + 4) & 2 != 0 {
                lists
            } else {
                0
            };
            let index = offset + 64 + 4 * (lists + 1 + tombstones);
            self.extent(crc, offset..index);
            let kind = Kind::Crc(self.seed(offset));
            let data = vec![index..offset + len];
            return self.add((self.extents, offset + 36), self.extents, kind, data);
        }
        self.extent(crc, offset..offset + len);
        match &bytes[offset..offset + 4] {
            b"EBLK" => self.blocks(offset, section * self.lists),
            b"EIDX" => self.index(offset),
            _ => {}
        }
    }

    fn blocks(&mut self, offset: usize, first_vertex: usize) {
        let image = self.image;
        let bytes = image.bytes(self.extents);
        let lists = u32_at(bytes, offset + 12) as usize;
        let flags = u32_at(bytes, offset + 4);
        let (weighted, tombstones) = (flags & 1 != 0, flags & 2 != 0);
        let slabs = offset + 64 + lists * if tombstones { 24 } else { 20 };
        let slabs: Vec<usize> = (0..u32_at(bytes, offset + 36) as usize)
            .map(|i| slabs + 16 * i)
            .collect();
        let find = |address: u32| {
            let begins = |slab: &&usize| u32_at(bytes, **slab + 12) <= address;
            let slab = *slabs.iter().rfind(begins).expect("a block is in a slab");
            place(bytes, slab) + 4 * (address - u32_at(bytes, slab + 12)) as usize
        };
        for list in 0..lists {
            let mut left = u32_at(bytes, offset + 64 + 8 * list) as usize;
            let mut address = u32_at(bytes, offset + 64 + 8 * list + 4);
            let mut parts = Vec::new();
            while left > 0 {
                let block = find(address);
                let capacity = u32_at(bytes, block + 4) as usize;
                let count = left.min(capacity);
                let words = block + 8;
                match weighted {
                    false => parts.push(words..words + 4 * count),
                    true => parts.extend((0..count).flat_map(|i| {
                        let word = words + 4 * i;
                        let weight = word + 4 * capacity;
                        [word..word + 4, weight..weight + 4]
                    })),
                }
                left -= count;
                address = u32_at(bytes, block);
            }
            let vertex = (first_vertex + list) as u32;
            let seed = crc32c::crc32c_append(self.uuid, &vertex.to_le_bytes());
            let at = offset + 64 + 8 * lists + 12 * list + 8;
            if !parts.is_empty() {
                self.add((self.extents, at), self.extents, Kind::Crc(seed), parts);
            }
        }
    }

    fn index(&mut self, manifest: usize) {
        let image = self.image;
        let bytes = image.bytes(self.extents);
        let leaf_bytes = u32_at(bytes, manifest + 24) as usize;
        for i in 0..u32_at(bytes, manifest + 28) as usize {
            let row = manifest + 32 + 56 * i;
            let (offset, len) = (place(bytes, row), place(bytes, row + 8));
            let fences = offset + u32_at(bytes, row + 16) as usize * leaf_bytes;
            for leaf in (offset..fences).step_by(leaf_bytes) {
                let kind = Kind::Crc(self.seed(leaf));
                let rest = vec![leaf + 4..leaf + leaf_bytes];
                self.add((self.extents, leaf), self.extents, kind, rest);
            }
            self.extent((self.extents, row + 20), fences..offset + len);
        }
    }

    fn history(&mut self, offset: usize) {
        let image = self.image;
        let bytes = image.bytes(self.extents);
        let chunks = u32_at(bytes, offset + 8) as usize;
        let index = offset + 64 + place(bytes, offset + 16);
        let data = index + 48 * chunks;
        let kind = Kind::Crc(self.seed(offset));
        let parts = vec![offset..offset + 4, offset + 8..data];
        self.add((self.extents, offset + 4), self.extents, kind, parts);
        for entry in (0..chunks).map(|i| index + 48 * i) {
            let at = data + place(bytes, entry + 32);
            let len = u32_at(bytes, entry + 40) as usize;
            self.extent((self.extents, entry + 44), at..at + len);
        }
    }

    fn sealed_graph(&mut self, header: Range<usize>) {
        let image = self.image;
        let bytes = image.bytes(self.extents);
        let name = u32_at(bytes, header.start + 40) as usize;
        let mut array = header.start + 64 + name.next_multiple_of(8);
        for _ in 0..u32_at(bytes, header.start + 44) {
            let (offset, len) = (place(bytes, array + 8), place(bytes, array + 16));
            let pieces = len.div_ceil(1 << 20);
            for piece in 0..pieces {
                let start = offset + (piece << 20);
                let end = (offset + len).min(start + (1 << 20));
                self.extent((self.extents, array + 24 + 4 * piece), start..end);
            }
            array += 24 + (4 * pieces).next_multiple_of(8);
        }
    }

    /// The checksums of a result's blocks, behind texts of any length.
    fn manifest_of_result(&mut self, offset: usize) {
        let image = self.image;
        let bytes = image.bytes(self.extents);
        let text = |at: usize| at + 4 + u32_at(bytes, at) as usize;
        let pairs = |at: usize| {
            let count = u32_at(bytes, at);
            (0..count).fold(at + 4, |at, _| text(text(at)))
        };
        let parameters = text(text(offset + 4));
        let numbers = pairs(parameters);
        let columns = pairs(numbers + 24 + 2 + 8 + 1 + 16);
        let mut at = columns + 4;
        for _ in 0..u32_at(bytes, columns) {
            at = text(at);
            let width = [1, 4, 8, 4, 8][usize::from(bytes[at])];
            let mut left = width * place(bytes, at + 1);
            let blocks = u32_at(bytes, at + 9) as usize;
            for block in (0..blocks).map(|i| at + 13 + 12 * i) {
                let start = place(bytes, block);
                self.extent(
                    (self.extents, block + 8),
                    start..start + left.min(self.block_bytes),
                );
                left -= left.min(self.block_bytes);
            }
            at += 13 + 12 * blocks;
        }
    }

    fn direct_mode(&mut self, file: usize, columns: usize) {
        let image = self.image;
        let (words, bytes) = (image.bytes(file), image.bytes(self.extents));
        let numbered = [(0, u64::MAX), (8, u64::MAX - 8), (48, u64::MAX - 48)];
        let intents = (u64_at(words, 48) & ((1 << 56) - 1)) as usize;
        let sections = 64 + 64 * intents;
        let slots = (sections..words.len()).step_by(8).enumerate();
        let slots = slots.map(|(i, at)| (at, i as u64));
        for (at, index) in numbered.into_iter().chain(slots) {
            if u64_at(words, at) == 0 {
                continue;
            }
            self.add((file, at), file, Kind::Byte(index), vec![at..at + 8]);
            if at >= sections {
                let offset = (u64_at(words, at) & ((1 << 34) - 1)) as usize * 64;
                self.direct_section(bytes, offset, columns);
            }
        }
        let intent_words = (64..sections)
            .step_by(64)
            .flat_map(|slot| (slot..slot + 40).step_by(8));
        for at in intent_words.filter(|&at| u64_at(words, at) != 0) {
            self.add((file, at), file, Kind::Intent(at as u64), vec![at..at + 8]);
        }
        let identity = vec![16..40];
        self.add((file, 40), file, Kind::Crc(0), identity);
    }

    fn direct_section(&mut self, bytes: &[u8], offset: usize, columns: usize) {
        let slot_bytes = 4 * columns;
        let lists = u32_at(bytes, offset + 12) as usize;
        let capacity = u32_at(bytes, offset + 16) as usize;
        let starts = offset + 64;
        let written = starts + 4 * (lists + 1);
        let slots = offset + (64 + 4 * (2 * lists + 1)).next_multiple_of(slot_bytes);
        let log = (slots - offset + slot_bytes * capacity).next_multiple_of(8 * columns);
        let mut parts = vec![offset..offset + 64, starts..slots];
        for list in 0..lists {
            let pivot = u32_at(bytes, starts + 4 * list) as usize - 1;
            let entries = u32_at(bytes, written + 4 * list) as usize;
            let first = slots + slot_bytes * pivot;
            parts.push(first..first + slot_bytes * (1 + entries));
        }
        let kind = Kind::Direct(self.seed(offset));
        self.add((self.extents, offset + 36), self.extents, kind, parts);
        let logged = columns * u32_at(bytes, offset + 20) as usize;
        for slot in 0..logged {
            let at = offset + log + 8 * slot;
            if u64_at(bytes, at) != 0 {
                let kind = Kind::Logged(offset as u64, slot as u64);
                self.add((self.extents, at), self.extents, kind, vec![at..at + 8]);
            }
        }
    }
}
