//! Pages of a dictionary: items with their codes, in the order in which they were
//! assigned. A page is a table of the section directory. The last page is written
//! anew until it is full, so that there are few.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `EDIC` |
//! | 4 | number of items |
//! | … | for each: code, then the item with its length in bytes; numbers as varints |
//!
//! A text is its bytes; a set of labels is the growth of each label code.

use std::sync::Arc;

use evergraph_storage::layout::{Field, tiles};

use crate::bytes::{Reader, Wrong, put_bytes, put_varint};

const MAGIC: &[u8; 4] = b"EDIC";
/// A page that is longer is full.
pub(super) const PAGE_BYTES: usize = 16 << 10;

const COUNT: Field = (4, 4);
const _: () = assert!(tiles(&[(0, MAGIC.len()), COUNT], 8));

pub(super) trait Stored {
    /// Appends its form.
    fn put(&self, bytes: &mut Vec<u8>);
    /// Reads it.
    fn take(bytes: &[u8]) -> Result<Arc<Self>, Wrong>;
}

impl Stored for str {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(self.as_bytes());
    }

    fn take(bytes: &[u8]) -> Result<Arc<Self>, Wrong> {
        let text = std::str::from_utf8(bytes).map_err(|_| "a name is not UTF-8")?;
        Ok(Arc::from(text))
    }
}

impl Stored for [u32] {
    fn put(&self, bytes: &mut Vec<u8>) {
        let mut before = 0;
        debug_assert!(self.is_sorted_by(|a, b| a < b), "labels ascend: {self:?}");
        for &label in self {
            put_varint(bytes, u64::from(label - before));
            before = label;
        }
    }

    fn take(bytes: &[u8]) -> Result<Arc<Self>, Wrong> {
        let mut reader = Reader::new(bytes);
        let mut labels: Vec<u32> = Vec::new();
        while !reader.is_empty() {
            let growth = reader.varint_u32()?;
            let label = match labels.last() {
                Some(_) if growth == 0 => return Err("a label is in a set twice"),
                last => last.copied().unwrap_or(0).checked_add(growth),
            };
            labels.push(label.ok_or("a label is impossible")?);
        }
        Ok(labels.into())
    }
}

/// A page on its way to the medium.
pub(super) struct PageImage {
    bytes: Vec<u8>,
    count: u32,
}

impl PageImage {
    pub(super) fn begin() -> Self {
        PageImage {
            bytes: [&MAGIC[..], &[0; 4]].concat(),
            count: 0,
        }
    }

    pub(super) fn push<T: Stored + ?Sized>(&mut self, code: u32, item: &T) {
        put_varint(&mut self.bytes, u64::from(code));
        let mut content = Vec::new();
        item.put(&mut content);
        put_bytes(&mut self.bytes, &content);
        self.count += 1;
        self.bytes[COUNT.0..][..COUNT.1].copy_from_slice(&self.count.to_le_bytes());
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() >= PAGE_BYTES
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Code and item, one after another.
pub(super) fn read<T: Stored + ?Sized>(
    bytes: &[u8],
    mut each: impl FnMut(u32, &T) -> Result<(), Wrong>,
) -> Result<(), Wrong> {
    let mut reader = Reader::new(bytes);
    if reader.take(4)? != MAGIC {
        return Err("this is not a page of a dictionary");
    }
    let count = reader.u32()?;
    for _ in 0..count {
        let code = reader.varint_u32()?;
        each(code, &*T::take(reader.bytes()?)?)?;
    }
    match reader.is_empty() {
        true => Ok(()),
        false => Err("a page of a dictionary is longer than it says"),
    }
}
