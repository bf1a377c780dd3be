//! Blocks: a piece of a column on the medium, written once.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use evergraph_graph::{Column, OwnedColumn};
use evergraph_storage::failpoint;
use evergraph_storage::order::Flushed;
use evergraph_storage::{Extent, Region, StorageError, Uuid, checksum};

/// A piece of a column.
#[derive(Debug)]
pub(super) struct Block {
    pub extent: Extent,
    pub crc: u32,
    /// Whether the content is known to hold.
    checked: AtomicBool,
}

impl Block {
    /// State step S1: writes a block out of place.
    pub(crate) fn write(
        region: &Region,
        uuid: &Uuid,
        bytes: &[u8],
    ) -> Result<Flushed<Block>, StorageError> {
        let draft = region.allocate(bytes.len() as u64)?;
        let crc = checksum(uuid, draft.offset(), bytes);
        Ok(draft.finish(bytes)?.map(|extent| Block {
            extent,
            crc,
            checked: AtomicBool::new(true),
        }))
    }

    /// A block that a manifest names; its content is checked at the first touch.
    pub(crate) fn adopt(
        region: &Region,
        offset: u64,
        len: u64,
        crc: u32,
    ) -> Result<Block, StorageError> {
        Ok(Block {
            extent: region.adopt(offset, len)?,
            crc,
            checked: AtomicBool::new(false),
        })
    }

    /// The content.
    pub(crate) fn bytes(&self, uuid: &Uuid) -> Result<&[u8], StorageError> {
        if !self.checked.load(Relaxed) {
            self.verify(uuid)?;
            self.checked.store(true, Relaxed);
        }
        Ok(self.extent.bytes())
    }

    /// Reads the content and checks it.
    pub(crate) fn verify(&self, uuid: &Uuid) -> Result<(), StorageError> {
        self.extent.touch()?;
        if checksum(uuid, self.extent.offset(), self.extent.bytes()) == self.crc {
            return Ok(());
        }
        Err(StorageError::damaged(
            &self.extent.file_name(),
            self.extent.offset(),
            "a block of a result has a wrong checksum",
        ))
    }

    /// Whether it holds these bytes. A damaged one does not.
    pub(crate) fn holds(&self, uuid: &Uuid, bytes: &[u8]) -> bool {
        let same = |old: &[u8]| {
            if failpoint!("results.changed-block-shared") {
                return old.len() == bytes.len() && old[..4] == bytes[..4];
            }
            old == bytes
        };
        self.bytes(uuid).is_ok_and(same)
    }
}

/// The bytes of a column.
pub(super) fn bytes_of<'a>(column: &Column<'a>) -> &'a [u8] {
    match *column {
        Column::U8(values) => values,
        Column::U32(values) => bytemuck::cast_slice(values),
        Column::U64(values) => bytemuck::cast_slice(values),
        Column::F32(values) => bytemuck::cast_slice(values),
        Column::F64(values) => bytemuck::cast_slice(values),
    }
}

/// The bytes of a column that is being filled.
pub(super) fn bytes_of_mut(column: &mut OwnedColumn) -> &mut [u8] {
    match column {
        OwnedColumn::U8(values) => values,
        OwnedColumn::U32(values) => bytemuck::cast_slice_mut(values),
        OwnedColumn::U64(values) => bytemuck::cast_slice_mut(values),
        OwnedColumn::F32(values) => bytemuck::cast_slice_mut(values),
        OwnedColumn::F64(values) => bytemuck::cast_slice_mut(values),
    }
}
