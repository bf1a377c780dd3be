//! Making pictures of chunks, and finding those that were made before.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use evergraph_storage::StorageError;
use parking_lot::Mutex;

use super::{Changed, ChunkAt, Past, Row, Rows, Subjects};
use crate::record::bits::{set, zeros};
use crate::record::by_key::ByKey;
use crate::record::chunk::Chunk;
use crate::record::content::Record;
use crate::record::layer::Layer;
use crate::record::stored::StoredChunk;
use crate::record::table::Table;

impl<R: Record> Table<R> {
    /// A chunk as of a commit that a view or a named snapshot shows; `None` if it does not
    /// exist. O(records a chunk / 64 + changed records); of the newest commit it is made
    /// once, until something changes. Of a commit before the base's it takes a pass over
    /// the history of its records, once between two checkpoints.
    pub(crate) fn chunk_at(
        &self,
        number: u32,
        csn: u64,
    ) -> Result<Option<Arc<ChunkAt<R>>>, StorageError> {
        let Some(chunk) = self.chunks.get(number) else {
            return Ok(None);
        };
        if let Some(known) = self.known_picture(chunk, number, csn) {
            return Ok(Some(known));
        }
        let round = self.past.round();
        let (base, since, changes) = {
            let state = chunk.state.read();
            if let Some(picture) = state.picture_after_last(csn) {
                return Ok(Some(picture));
            }
            // As of the commit; of a base's picture, of all before the next change.
            let since = state.changed().min(csn);
            let versions = state.chains.iter();
            let versions = versions.filter_map(|(&at, chain)| Some(chain.at(csn)?.changed(at)));
            (state.base.clone(), since, versions.collect::<Vec<_>>())
        };
        let is_past = base.as_ref().is_some_and(|base| csn < base.csn());
        let (base, past) = match base {
            Some(base) if is_past => {
                let (base, past) = self.replaced_since(number, base, csn, &changes)?;
                (Some(base), Some(past))
            }
            base => (base, None),
        };
        let picture = Arc::new(self.picture(base, since, changes, past)?);
        if is_past {
            self.past.keep(round, csn, number, &picture);
        } else {
            let state = chunk.state.read();
            state.keep_picture(&picture, csn);
            state.begin_with_picture(&picture);
        }
        Ok(Some(picture))
    }

    /// A picture that was made before.
    fn known_picture(&self, chunk: &Chunk<R>, number: u32, csn: u64) -> Option<Arc<ChunkAt<R>>> {
        let merged = {
            let state = chunk.state.read();
            if let Some(known) = state.known_picture(csn) {
                return Some(known);
            }
            state.merged()
        };
        (csn < merged).then(|| self.past.get(csn, number)).flatten()
    }

    /// The chunk as of a commit if that costs no more than a look: it was made before, or
    /// little was changed since the base.
    pub(crate) fn cheap_chunk_at(
        &self,
        number: u32,
        csn: u64,
    ) -> Result<Option<Arc<ChunkAt<R>>>, StorageError> {
        /// Changed records that are worth a picture for a single read.
        const FEW: usize = 32;
        let Some(chunk) = self.chunks.get(number) else {
            return Ok(None);
        };
        if let Some(known) = self.known_picture(chunk, number, csn) {
            return Ok(Some(known));
        }
        let is_cheap = {
            let state = chunk.state.read();
            state.merged() <= csn && state.chains.len() <= FEW
        };
        match is_cheap {
            true => self.chunk_at(number, csn),
            false => Ok(None),
        }
    }

    /// The records that a base newer than the commit has replaced, and of which no version
    /// is `changed`. Gives the base, or what it was then where the history has all of that.
    fn replaced_since(
        &self,
        number: u32,
        base: Arc<StoredChunk>,
        csn: u64,
        changed: &[Changed<R>],
    ) -> Result<(Arc<StoredChunk>, Past), StorageError> {
        let records = self.geometry.records_per_chunk;
        let first = number * records;
        let (ids, uuid) = (first..first + records, self.uuid());
        let mut past = Past {
            charge: self.past.charge(),
            replaced: zeros(records.div_ceil(64) as usize),
            layers: Vec::new(),
            subjects: Subjects::new(),
        };
        if changed.is_empty()
            && let Some(then) = self.history.find_chunk(&ids, csn, uuid)?
        {
            return Ok((then, past));
        }
        base.read(uuid)?.mark_since(csn, &mut past.replaced);
        for (at, ..) in changed {
            set(&mut past.replaced, *at, false);
        }
        past.layers = self.history.find_all(&ids, csn, &past.replaced, uuid)?;
        for layer in &past.layers {
            layer.add_subjects(R::KIND, uuid, &mut past.subjects)?;
        }
        let subjects = past.subjects.values().map(|bits| size_of_val(&**bits));
        let layers = past.layers.iter().map(Layer::bytes);
        past.charge.add(subjects.chain(layers).sum());
        Ok((base, past))
    }

    fn picture(
        &self,
        base: Option<Arc<StoredChunk>>,
        since: u64,
        changes: Vec<Changed<R>>,
        past: Option<Past>,
    ) -> Result<ChunkAt<R>, StorageError> {
        let words = self.geometry.records_per_chunk.div_ceil(64);
        let mut exists: Box<[u64]> = match &base {
            Some(base) => {
                let reader = base.read(self.uuid())?;
                (0..words).map(|word| reader.used_word(word)).collect()
            }
            None => zeros(words as usize),
        };
        let mut changed = match &past {
            Some(past) => past.replaced.clone(),
            None if !changes.is_empty() => zeros(exists.len()),
            None => Box::default(),
        };
        for (word, changed) in exists.iter_mut().zip(&changed) {
            *word &= !changed;
        }
        for layer in past.iter().flat_map(|past| &past.layers) {
            let words = exists.iter_mut().zip(layer.bits());
            words.for_each(|(word, bits)| *word |= bits);
        }
        let mut rows = Vec::with_capacity(changes.len());
        for (at, born, record) in changes {
            set(&mut changed, at, true);
            set(&mut exists, at, record.is_some());
            rows.extend(record.map(|record| Row { at, born, record }));
        }
        let picture = ChunkAt {
            base,
            exists,
            changed,
            rows: Rows::new(rows),
            since,
            dictionary: Arc::clone(&self.dictionary),
            uuid: *self.uuid(),
            columns: ByKey::default(),
            single_reads: AtomicU32::new(0),
            past,
            before: Mutex::default(),
        };
        picture.charge(size_of_val(&picture) + picture.rows.bytes());
        Ok(picture)
    }
}
