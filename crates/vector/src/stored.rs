//! The file of an index.
//!
//! Little-endian, one after the other: `EGVECTOR`, format (4 bytes), the database's
//! uuid (16), the commit up to which the index goes (8), how often the database had
//! been opened for writing by then (4), the definition (length 4, UTF-8), the next
//! number of a vector (4), the newest vectors (count 8, each node 4 and number 4), the
//! old ones (count 8, each key 8), what the library has (length 8, bytes), and the
//! CRC-32C of all that.

use crate::items::Items;

const MAGIC: &[u8; 8] = b"EGVECTOR";
/// Changes whenever older files cannot be read any more.
const FORMAT: u32 = 1;

/// Whose index it is, and up to where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// All commits of the graph up to this one are in it.
    pub csn: u64,
    /// How often the database had been opened for writing by then.
    pub epoch: u32,
    /// The database.
    pub uuid: [u8; 16],
    /// What it is about ([`crate::VectorDefinition::identity`]).
    pub identity: String,
}

impl Mark {
    /// Whether an index of this mark can be brought to where the database is, given a
    /// mark of that: the same database, in its own past.
    pub fn leads_to(&self, now: &Mark) -> bool {
        self.uuid == now.uuid
            && self.identity == now.identity
            && self.csn <= now.csn
            && self.epoch <= now.epoch
    }
}

/// What a file holds.
#[derive(Debug, PartialEq)]
pub(crate) struct Stored<'a> {
    pub mark: Mark,
    pub items: Items,
    pub library: &'a [u8],
}

/// The bytes of a file.
pub(crate) fn encode(mark: &Mark, items: &Items, library: &[u8]) -> Vec<u8> {
    let size = library.len() + 8 * (items.newest.len() + items.old.len());
    let mut bytes = Vec::with_capacity(size + mark.identity.len() + 256);
    bytes.extend(MAGIC);
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend(mark.uuid);
    bytes.extend(mark.csn.to_le_bytes());
    bytes.extend(mark.epoch.to_le_bytes());
    bytes.extend((mark.identity.len() as u32).to_le_bytes());
    bytes.extend(mark.identity.as_bytes());
    bytes.extend(items.next.to_le_bytes());
    bytes.extend((items.newest.len() as u64).to_le_bytes());
    for (node, number) in &items.newest {
        bytes.extend(node.to_le_bytes());
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend((items.old.len() as u64).to_le_bytes());
    for key in &items.old {
        bytes.extend(key.to_le_bytes());
    }
    bytes.extend((library.len() as u64).to_le_bytes());
    bytes.extend(library);
    bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
    bytes
}

/// What the bytes of a file say; `None` if anything of them is wrong.
pub(crate) fn decode(bytes: &[u8]) -> Option<Stored<'_>> {
    let (content, sum) = bytes.split_last_chunk::<4>()?;
    if u32::from_le_bytes(*sum) != crc32c::crc32c(content) {
        return None;
    }
    let mut reader = Reader(content);
    if &reader.array::<8>()? != MAGIC || reader.u32()? != FORMAT {
        return None;
    }
    let uuid = reader.array()?;
    let (csn, epoch) = (reader.u64()?, reader.u32()?);
    let length = reader.u32()?;
    let identity = std::str::from_utf8(reader.take(length.into())?).ok()?;
    let mut items = Items {
        next: reader.u32()?,
        ..Items::default()
    };
    for _ in 0..reader.u64()? {
        items.newest.insert(reader.u32()?, reader.u32()?);
    }
    for _ in 0..reader.u64()? {
        items.old.insert(reader.u64()?);
    }
    let length = reader.u64()?;
    let library = reader.take(length)?;
    let mark = Mark {
        csn,
        epoch,
        uuid,
        identity: identity.to_string(),
    };
    reader.0.is_empty().then_some(Stored {
        mark,
        items,
        library,
    })
}

/// The rest of what is read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N as u64)?.try_into().ok()
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.array()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark() -> Mark {
        Mark {
            csn: 7,
            epoch: 2,
            uuid: [9; 16],
            identity: "\"Place\" \"at\" 2 Cosine".to_string(),
        }
    }

    #[test]
    fn a_file_reads_as_it_was_written_and_not_otherwise() {
        let mut items = Items::default();
        let (a, b) = (items.key(3).unwrap(), items.key(3).unwrap());
        items.set_newest(3, Some(a));
        items.set_newest(3, Some(b));
        let bytes = encode(&mark(), &items, b"library");
        let read = decode(&bytes).expect("whole");
        assert_eq!(
            (read.mark, read.items, read.library),
            (mark(), items, &b"library"[..])
        );
        for cut in 0..bytes.len() {
            assert_eq!(decode(&bytes[..cut]), None);
        }
        for bit in 0..8 * bytes.len() {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&damaged), None);
        }
    }

    #[test]
    fn counts_that_cannot_be_are_no_reason_to_fail() {
        let bytes = encode(&mark(), &Items::default(), b"");
        let counts = 8 + 4 + 16 + 8 + 4 + 4 + mark().identity.len() + 4;
        for at in [counts, counts + 8, counts + 16] {
            let mut damaged = bytes[..bytes.len() - 4].to_vec();
            damaged[at..at + 8].fill(0xFF);
            damaged.extend(crc32c::crc32c(&damaged).to_le_bytes());
            assert_eq!(decode(&damaged), None);
        }
    }

    #[test]
    fn only_the_past_of_the_same_index_leads_somewhere() {
        let now = Mark { csn: 9, ..mark() };
        assert!(mark().leads_to(&now) && mark().leads_to(&mark()));
        assert!(!now.leads_to(&mark()), "an older state was restored");
        let reopened = Mark {
            epoch: 3,
            ..now.clone()
        };
        assert!(!reopened.leads_to(&now), "an older state was restored");
        let other = Mark {
            uuid: [8; 16],
            ..mark()
        };
        assert!(!other.leads_to(&now));
        let identity = "\"Place\" \"at\" 3 Cosine".to_string();
        assert!(!Mark { identity, ..mark() }.leads_to(&now));
    }
}
