//! The file of an index.
//!
//! Little-endian, one after the other: `EGVECTOR`, format (4 bytes), the mark (length 4,
//! UTF-8: the database's uuid, the commit up to which the index goes, how often the
//! database had been opened for writing by then, the definition), the next number of a
//! vector (4), the newest vectors (count 8, each node 4 and number 4), the
//! old ones (count 8, each key 8), what the library has (length 8, bytes), and the
//! CRC-32C of all that.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::{IndexFileError, IndexPosition};

use crate::vector::items::Items;

const MAGIC: &[u8; 8] = b"EGVECTOR";
/// Changes whenever older files cannot be read any more.
const FORMAT: u32 = 2;

/// Decoded content of an index's file.
#[derive(Debug, PartialEq)]
pub(crate) struct Stored<'a> {
    pub(crate) mark: IndexPosition,
    pub(crate) items: Items,
    pub(crate) library: &'a [u8],
}

/// The bytes of a file; `library` appends its own behind their length.
pub(crate) fn encode<E>(
    mark: &IndexPosition,
    items: &Items,
    library: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<Vec<u8>, E> {
    let mark = mark.encode();
    let mut bytes = Vec::new();
    bytes.extend(MAGIC);
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend((mark.len() as u32).to_le_bytes());
    bytes.extend(mark.as_bytes());
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
    library(&mut bytes)?;
    bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
    Ok(bytes)
}

/// Decodes the bytes of a file; `None` if anything of them is wrong, so that the index is
/// built anew.
pub(crate) fn decode(bytes: &[u8]) -> Option<Stored<'_>> {
    let (content, sum) = bytes.split_last_chunk::<4>()?;
    if u32::from_le_bytes(*sum) != crc32c::crc32c(content) {
        return None;
    }
    let mut reader = Reader(content);
    if &reader.array::<8>()? != MAGIC || reader.u32()? != FORMAT {
        return None;
    }
    let length = reader.u32()?;
    let mark = std::str::from_utf8(reader.take(length.into())?).ok()?;
    let mark = IndexPosition::decode(mark)?;
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
    reader.0.is_empty().then_some(Stored {
        mark,
        items,
        library,
    })
}

/// Reads the file at a path; nothing if there is none.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, IndexFileError> {
    match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        read => read.map_err(IndexFileError::io(path)),
    }
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

    fn mark() -> IndexPosition {
        IndexPosition {
            csn: 7,
            epoch: 2,
            uuid: [9; 16],
            identity: "\"IndexFile\" \"at\" 2 Cosine".to_string(),
        }
    }

    fn encoded(items: &Items, library: &[u8]) -> Vec<u8> {
        let bytes = encode(&mark(), items, |bytes| {
            bytes.extend((library.len() as u64).to_le_bytes());
            bytes.extend(library);
            Ok::<(), ()>(())
        });
        bytes.expect("no failure")
    }

    #[test]
    fn a_file_reads_as_it_was_written_and_not_otherwise() {
        let mut items = Items::default();
        let (a, b) = (items.key(3).unwrap(), items.key(3).unwrap());
        items.set_newest(3, Some(a));
        items.set_newest(3, Some(b));
        let bytes = encoded(&items, b"library");
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
        let bytes = encoded(&Items::default(), b"");
        let counts = 8 + 4 + 4 + mark().encode().len() + 4;
        for at in [counts, counts + 8, counts + 16] {
            let mut damaged = bytes[..bytes.len() - 4].to_vec();
            damaged[at..at + 8].fill(0xFF);
            damaged.extend(crc32c::crc32c(&damaged).to_le_bytes());
            assert_eq!(decode(&damaged), None);
        }
    }
}
