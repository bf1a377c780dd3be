//! Versions of a result: the one that is stored, and the one being written.

use std::collections::HashSet;
use std::sync::Arc;

use evergraph_graph::{Column, ColumnKind, ColumnValue, OwnedColumn};
use evergraph_storage::order::Flushed;
use evergraph_storage::{Region, StorageError, Uuid};

use super::block::{Block, bytes_of, bytes_of_mut};
use super::manifest::{Manifest, ManifestColumn};
use super::{Description, Hot, Staging, StateError};

/// A stored version of a result. It stays readable as long as it is held,
/// whatever is written or removed meanwhile.
#[derive(Debug)]
pub struct Stored {
    pub(super) description: Description,
    pub(super) columns: Vec<StoredColumn>,
    pub(super) uuid: Uuid,
    /// Of the manifest in the directory.
    pub(super) number: u32,
    pub(super) manifest_bytes: u64,
}

/// A column of a stored version.
#[derive(Clone, Debug)]
pub(super) struct StoredColumn {
    pub name: String,
    pub kind: ColumnKind,
    pub len: usize,
    pub blocks: Vec<Arc<Block>>,
}

/// Cost of writing a new version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Blocks that differ from the version before, or are new.
    pub blocks_written: u64,
    /// Blocks that both versions share.
    pub blocks_shared: u64,
    /// Bytes of the blocks that were written.
    pub bytes_written: u64,
}

impl Stored {
    /// Description of the result.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Name, type and length of each column.
    pub fn columns(&self) -> impl Iterator<Item = (&str, ColumnKind, usize)> {
        let columns = self.columns.iter();
        columns.map(|column| (column.name.as_str(), column.kind, column.len))
    }

    /// Reads a column. O(length); each block is checked at its first touch.
    ///
    /// # Errors
    /// If there is none of this name, or a block is damaged: the error names file
    /// and offset.
    pub fn column(&self, name: &str) -> Result<OwnedColumn, StateError> {
        let found = self.columns.iter().find(|column| column.name == name);
        let column = found.ok_or_else(|| self.no_column(name, "there is none".to_string()))?;
        let mut values = OwnedColumn::zeros(column.kind, column.len);
        let mut rest = bytes_of_mut(&mut values);
        for block in &column.blocks {
            let bytes = block.bytes(&self.uuid)?;
            let (place, behind) = rest.split_at_mut(bytes.len());
            place.copy_from_slice(bytes);
            rest = behind;
        }
        Ok(values)
    }

    /// Reads a column of a known type.
    ///
    /// # Errors
    /// As [`Stored::column`]; also if it has another type.
    pub fn values<T: ColumnValue>(&self, name: &str) -> Result<Vec<T>, StateError> {
        let values = T::values(self.column(name)?);
        values.map_err(|kind| self.no_column(name, format!("its values are {}", kind.name())))
    }

    fn no_column(&self, column: &str, problem: String) -> StateError {
        StateError::NoColumn {
            result: self.description.name.clone(),
            column: column.to_string(),
            problem,
        }
    }

    /// Bytes that it occupies on the medium.
    pub fn bytes(&self) -> u64 {
        let blocks = self.columns.iter().flat_map(|column| &column.blocks);
        self.manifest_bytes + blocks.map(|b| b.extent.reserved_bytes()).sum::<u64>()
    }

    /// Problems of its blocks, in words; all are read.
    pub(super) fn check(&self) -> Vec<String> {
        let blocks = self.columns.iter().flat_map(|column| &column.blocks);
        let failed = blocks.filter_map(|block| block.verify(&self.uuid).err());
        let name = &self.description.name;
        failed
            .map(|error| format!("{error} (the result {name:?})"))
            .collect()
    }
}

/// A version being written. Dropped unpublished, its space is free again.
pub struct NewVersion {
    pub(super) base: Option<Arc<Stored>>,
    pub(super) columns: Vec<NewColumn>,
    pub(super) written: Written,
    /// Flushed on this thread and not fenced.
    pub(super) pending: Vec<Flushed<()>>,
    pub(super) region: Region,
    pub(super) uuid: Uuid,
    pub(super) block_bytes: usize,
}

/// A column of which not all blocks are there yet.
pub(super) struct NewColumn {
    name: String,
    kind: ColumnKind,
    len: usize,
    blocks: Vec<Option<Arc<Block>>>,
}

impl NewVersion {
    /// With the shape of `columns`, and no block yet.
    pub(super) fn new(
        base: Option<Arc<Stored>>,
        columns: &[(&str, Column<'_>)],
        (region, uuid, block_bytes): (Region, Uuid, usize),
    ) -> Self {
        let columns = columns.iter().map(|(name, column)| NewColumn {
            name: name.to_string(),
            kind: column.kind(),
            len: column.len(),
            blocks: vec![None; bytes_of(column).len().div_ceil(block_bytes)],
        });
        NewVersion {
            base,
            columns: columns.collect(),
            written: Written::default(),
            pending: Vec::new(),
            region,
            uuid,
            block_bytes,
        }
    }

    /// Copies blocks into `staging` (emptied first), up to `budget` bytes: short
    /// columns and the blocks with the most hot vertices first.
    ///
    /// `columns` are those that the version was begun with.
    pub fn stage(
        &self,
        columns: &[(&str, Column<'_>)],
        (budget, hot): (usize, &Hot),
        staging: &mut Staging,
    ) {
        staging.clear();
        for (column, block) in self.by_heat(hot) {
            let bytes = self.block(&columns[column].1, block);
            if staging.len() + bytes.len() <= budget {
                staging.push(column, block, bytes);
            }
        }
    }

    /// All blocks, the hottest first.
    fn by_heat(&self, hot: &Hot) -> Vec<(usize, usize)> {
        let longest = self.columns.iter().map(|column| column.len).max();
        let mut blocks: Vec<(usize, (usize, usize))> = Vec::new();
        for (at, column) in self.columns.iter().enumerate() {
            let values = (self.block_bytes / column.kind.value_bytes()) as u64;
            for block in 0..column.blocks.len() {
                // Short columns are not of vertices: sums and the like.
                let heat = match Some(column.len) == longest {
                    true => hot.count(block as u64 * values, (block as u64 + 1) * values),
                    false => usize::MAX,
                };
                blocks.push((heat, (at, block)));
            }
        }
        blocks.sort_by_key(|&(heat, _)| std::cmp::Reverse(heat));
        blocks.into_iter().map(|(_, block)| block).collect()
    }

    fn block<'a>(&self, column: &Column<'a>, block: usize) -> &'a [u8] {
        let bytes = bytes_of(column);
        let start = block * self.block_bytes;
        &bytes[start..bytes.len().min(start + self.block_bytes)]
    }

    /// State step S1: writes what is staged, as far as it differs.
    ///
    /// # Errors
    /// If there is no room, or the medium refuses; the version is of no use then.
    pub fn write_staged(&mut self, staging: &Staging) -> Result<(), StateError> {
        for (column, block, bytes) in staging.blocks() {
            self.write_block(column, block, bytes)?;
        }
        Ok(())
    }

    /// State step S1: writes every block that is not there yet, as far as it
    /// differs from the version before; what is in `staging` is left out.
    ///
    /// `columns` are those that the version was begun with.
    ///
    /// # Errors
    /// As [`NewVersion::write_staged`].
    pub fn write_rest(
        &mut self,
        columns: &[(&str, Column<'_>)],
        staging: &Staging,
    ) -> Result<(), StateError> {
        let staged: HashSet<(usize, usize)> = staging
            .blocks()
            .map(|(column, block, _)| (column, block))
            .collect();
        for (at, (_, column)) in columns.iter().enumerate() {
            for block in 0..self.columns[at].blocks.len() {
                let is_there = self.columns[at].blocks[block].is_some();
                if !is_there && !staged.contains(&(at, block)) {
                    self.write_block(at, block, self.block(column, block))?;
                }
            }
        }
        Ok(())
    }

    fn write_block(&mut self, column: usize, block: usize, bytes: &[u8]) -> Result<(), StateError> {
        debug_assert!(
            self.columns[column].blocks[block].is_none(),
            "block {block} of column {column} is written twice"
        );
        debug_assert!(
            (1..=self.block_bytes).contains(&bytes.len()),
            "a block of {} bytes",
            bytes.len()
        );
        let before = self.block_before(column, block);
        if let Some(before) = before.filter(|before| before.holds(&self.uuid, bytes)) {
            self.columns[column].blocks[block] = Some(before);
            self.written.blocks_shared += 1;
            return Ok(());
        }
        let (new, token) = Block::write(&self.region, &self.uuid, bytes)?.split();
        self.pending.push(token);
        self.columns[column].blocks[block] = Some(Arc::new(new));
        self.written.blocks_written += 1;
        self.written.bytes_written += bytes.len() as u64;
        Ok(())
    }

    /// The same block of the version before.
    fn block_before(&self, column: usize, block: usize) -> Option<Arc<Block>> {
        let new = &self.columns[column];
        let mut columns = self.base.as_ref()?.columns.iter();
        let old = columns.find(|old| old.name == new.name && old.kind == new.kind)?;
        old.blocks.get(block).cloned()
    }

    /// Makes durable what this thread has written so far, so that another may
    /// publish it.
    ///
    /// # Errors
    /// If the medium refuses.
    pub fn make_durable(&mut self) -> Result<(), StateError> {
        if !self.pending.is_empty() {
            let pending = Flushed::all(self.pending.drain(..));
            let _durable = pending.fence(self.region.medium())?;
        }
        Ok(())
    }

    /// The columns, when every block is there.
    ///
    /// # Panics
    /// If one is missing: a bug of the caller, which says what it stages.
    pub(super) fn complete(self) -> (Vec<StoredColumn>, Vec<Flushed<()>>, Written) {
        let columns = self.columns.into_iter().map(|column| StoredColumn {
            name: column.name,
            kind: column.kind,
            len: column.len,
            blocks: column
                .blocks
                .into_iter()
                .map(|block| block.expect("every block is staged or written"))
                .collect(),
        });
        (columns.collect(), self.pending, self.written)
    }
}

/// A stored version as its manifest names it.
pub(super) fn adopt(
    region: &Region,
    block_bytes: usize,
    manifest: Manifest,
) -> Result<(Description, Vec<StoredColumn>), StorageError> {
    let columns = manifest.columns.into_iter().map(|column| {
        let bytes = column.len.checked_mul(column.kind.value_bytes() as u64);
        let fits = |bytes: &u64| bytes.div_ceil(block_bytes as u64) == column.blocks.len() as u64;
        let bytes = bytes.filter(fits).ok_or_else(|| {
            let offset = column.blocks.first().map_or(0, |block| block.0);
            let what = format!(
                "the column {:?} has not as many blocks as it needs",
                column.name
            );
            StorageError::damaged(&region.file_name(), offset, what)
        })?;
        let mut blocks = Vec::with_capacity(column.blocks.len());
        let mut left = bytes;
        for (offset, crc) in column.blocks {
            let len = left.min(block_bytes as u64);
            left -= len;
            blocks.push(Arc::new(Block::adopt(region, offset, len, crc)?));
        }
        Ok(StoredColumn {
            name: column.name,
            kind: column.kind,
            len: column.len as usize,
            blocks,
        })
    });
    Ok((
        manifest.description,
        columns.collect::<Result<_, StorageError>>()?,
    ))
}

/// The manifest of a version.
pub(super) fn manifest(description: &Description, columns: &[StoredColumn]) -> Manifest {
    let columns = columns.iter().map(|column| ManifestColumn {
        name: column.name.clone(),
        kind: column.kind,
        len: column.len as u64,
        blocks: column
            .blocks
            .iter()
            .map(|block| (block.extent.offset(), block.crc))
            .collect(),
    });
    Manifest {
        description: description.clone(),
        columns: columns.collect(),
    }
}
