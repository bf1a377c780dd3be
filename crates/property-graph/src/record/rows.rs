//! Chunks as format versions 4 and 5 have them: a row a record. They are turned into
//! columns when they are first read, and become such at their next checkpoint.
//!
//! | bytes | what |
//! |---|---|
//! | 64 | header: magic, table, chunk, records, used records, 4 zeros, commit, bytes of properties; zeros |
//! | 8 · ⌈records / 64⌉ | which records are used, the lowest bit first; padded to a multiple of 256 with the header |
//! | 32 · records | the records |
//! | … | their properties, packed |
//!
//! | bytes of a record | what |
//! |---|---|
//! | 8 | commit of this version; of a record that is not used, of its deletion; 0 if there never was one |
//! | 6 | commit that created the node or relationship; bit 47: whether the record is used |
//! | 2 | type of a relationship |
//! | 4 + 4 | source and target; of a node its set of labels |
//! | 4 + 4 | place and length of its properties among all of the chunk |

use super::builder::Builder;
use super::content::Fixed;
use super::core::{Identity, Slot};
use crate::bytes::Reader;
use crate::dictionary::Dictionary;
use crate::value::Properties;

const HEADER_BYTES: usize = 64;
const RECORD_BYTES: usize = 32;
/// Records begin at a multiple of it.
const LINE: usize = 256;
/// Beside the creating commit: the record is used.
const USED: u64 = 1 << 47;

fn records_at(identity: &Identity) -> usize {
    (HEADER_BYTES + 8 * identity.records.div_ceil(64) as usize).next_multiple_of(LINE)
}

/// A chunk has at least so many bytes.
pub(super) fn least_bytes(identity: &Identity) -> usize {
    records_at(identity) + RECORD_BYTES * identity.records as usize
}

/// Reads all records of a chunk whose checksum is right, which has at least
/// [`least_bytes`].
///
/// # Errors
/// What is wrong, for a message.
pub(super) fn read(
    bytes: &[u8],
    identity: Identity,
    used: u64,
    csn: u64,
    dictionary: &Dictionary,
) -> Result<Builder<'static>, String> {
    let mut header = Reader::new(bytes);
    let magic = header.take(4)?;
    let words = [header.u32()?, header.u32()?, header.u32()?];
    if magic != identity.magic || words != [identity.table, identity.chunk, identity.records] {
        return Err("the section directory names another extent".to_string());
    }
    let own_used = header.u32()?;
    header.take(4)?;
    let heap = &bytes[least_bytes(&identity)..];
    let counts = (u64::from(own_used), header.u64()?, header.u64()?);
    if counts != (used, csn, heap.len() as u64) {
        return Err("its header does not fit the section directory".to_string());
    }
    let rows = bytes[records_at(&identity)..].chunks_exact(RECORD_BYTES);
    let mut builder = Builder::new(identity);
    for (at, row) in (0..identity.records).zip(rows) {
        let mut row = Reader::new(row);
        let (begin, born) = (row.u64()?, row.u64()?);
        let slot = Slot {
            is_used: born & USED != 0,
            begin,
            born: born & (USED - 1),
        };
        if slot.born > slot.begin {
            return Err(format!("record {at} is older than its creation"));
        }
        let fixed = Fixed {
            kind: (born >> 48) as u16,
            first: row.u32()?,
            second: row.u32()?,
        };
        let (place, len) = (row.u32()? as usize, row.u32()? as usize);
        let stored = heap.get(place..place + len);
        let stored =
            stored.ok_or_else(|| format!("the properties of record {at} lie outside it"))?;
        let properties = match slot.is_used {
            true => Properties::decode_with(dictionary, stored)
                .map_err(|error| format!("record {at}: {error}"))?,
            false => Properties::new(),
        };
        builder.add(at, slot, fixed, properties);
    }
    match u64::from(builder.used()) == used {
        true => Ok(builder),
        false => Err("it counts other records than it has".to_string()),
    }
}
