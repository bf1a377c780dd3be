//! Segments of formats before 8, which have their versions one by one.
//!
//! | bytes | what |
//! |---|---|
//! | 16 | `EPST`, table, number of versions, 4 zeros |
//! | 48 · versions | the versions, by id, then by commit |
//! | … | their properties, packed |
//!
//! | bytes of a version | what |
//! |---|---|
//! | 8 + 8 | the commit that made it, and the one that made the next |
//! | 4 | id |
//! | 2 | type of a relationship, then 2 zeros |
//! | 4 + 4 | source and target; of a node its set of labels |
//! | 8 + 4 | place and length of its properties, then 4 zeros |

use super::{NewPast, Shape};
use crate::bytes::{Reader, Wrong};
use crate::record::content::Fixed;
use crate::value::Properties;

const MAGIC: &[u8; 4] = b"EPST";
const VERSION_BYTES: usize = 48;

pub(super) fn is_of_rows(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Its versions.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn read(bytes: &[u8], shape: &Shape) -> Result<Vec<NewPast>, String> {
    let mut reader = Reader::new(bytes);
    let index = index(&mut reader, shape)?;
    let heap = &bytes[reader.position()..];
    let versions = index.chunks_exact(VERSION_BYTES);
    versions
        .map(|version| decode(version, heap, shape))
        .collect()
}

fn index<'a>(reader: &mut Reader<'a>, shape: &Shape) -> Result<&'a [u8], Wrong> {
    reader.take(MAGIC.len())?;
    if reader.u32()? != shape.table {
        return Err("the section directory names another extent");
    }
    let count = reader.u32()? as usize;
    reader.take(4)?;
    reader.take(count.saturating_mul(VERSION_BYTES))
}

fn decode(version: &[u8], heap: &[u8], shape: &Shape) -> Result<NewPast, String> {
    let mut version = Reader::new(version);
    let (begin, end, id) = (version.u64()?, version.u64()?, version.u32()?);
    let kind = version.u16()?;
    version.take(2)?;
    let fixed = Fixed {
        kind,
        first: version.u32()?,
        second: version.u32()?,
    };
    let place = usize::try_from(version.u64()?).unwrap_or(usize::MAX);
    let until = place.saturating_add(version.u32()? as usize);
    let stored = heap.get(place..until);
    let stored = stored.ok_or("properties of a version lie outside it")?;
    let decoded = Properties::decode_with(&*shape.dictionary, stored);
    let decoded = decoded.map_err(|error| error.to_string())?;
    let mut properties = Vec::new();
    let encoded = decoded.encode(&mut properties);
    encoded.map_err(|error| error.to_string())?;
    Ok(NewPast {
        id,
        begin,
        end,
        born: 0,
        fixed,
        properties,
    })
}
