//! Records and names in DRAM, until those on the medium are there.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use evergraph_persistence::order::Flushed;
use evergraph_persistence::{Needed, PersistenceError};
use evergraph_topology::attachment::Place;
use parking_lot::RwLock;

use super::effects::Names;
use crate::dictionary::{KeyCode, LabelCode, TypeCode};

type Chain<R> = Vec<(u64, Option<Arc<R>>)>;

pub struct Table<R> {
    chunk: u32,
    inner: RwLock<Inner<R>>,
}

struct Inner<R> {
    records: BTreeMap<u32, Chain<R>>,
    next: u32,
    free: Vec<u32>,
}

impl<R> Table<R> {
    pub fn new(chunk: u32) -> Self {
        Table {
            chunk,
            inner: RwLock::new(Inner {
                records: BTreeMap::new(),
                next: 0,
                free: Vec::new(),
            }),
        }
    }

    pub fn get(&self, id: u32, csn: u64) -> Result<Option<Arc<R>>, PersistenceError> {
        let inner = self.inner.read();
        let chain = inner.records.get(&id);
        Ok(chain.and_then(|chain| at(chain, csn)))
    }

    pub fn newest(&self, id: u32) -> Result<(u64, bool), PersistenceError> {
        let inner = self.inner.read();
        let last = inner.records.get(&id).and_then(|chain| chain.last());
        Ok(last.map_or((0, false), |(csn, record)| (*csn, record.is_some())))
    }

    pub fn apply(
        &self,
        csn: u64,
        id: u32,
        record: Option<R>,
        _: &Needed,
    ) -> Result<(), PersistenceError> {
        let mut inner = self.inner.write();
        inner.next = inner.next.max(id + 1);
        let chain = inner.records.entry(id).or_default();
        chain.push((csn, record.map(Arc::new)));
        Ok(())
    }

    pub fn reserve(&self) -> Result<u32, PersistenceError> {
        let mut inner = self.inner.write();
        if let Some(id) = inner.free.pop() {
            return Ok(id);
        }
        let id = inner.next;
        inner.next += 1;
        Ok(id)
    }

    pub fn release(&self, ids: &[u32]) {
        self.inner.write().free.extend(ids);
    }

    pub fn chunk_count(&self) -> u32 {
        self.inner.read().next.div_ceil(self.chunk)
    }

    pub fn chunk_records(&self) -> u32 {
        self.chunk
    }

    pub fn for_each_in_chunk(
        &self,
        chunk: u32,
        csn: u64,
        mut each: impl FnMut(u32, &Arc<R>),
    ) -> Result<(), PersistenceError> {
        let inner = self.inner.read();
        let from = chunk * self.chunk;
        for (&id, chain) in inner.records.range(from..from + self.chunk) {
            if let Some(record) = at(chain, csn) {
                each(id, &record);
            }
        }
        Ok(())
    }

    pub fn unmerged_since(&self) -> Option<u64> {
        Some(1)
    }

    pub fn unmerged_bytes(&self) -> usize {
        0
    }

    pub fn write(
        &self,
        _: u64,
        _: &Needed,
        _: &mut Place<'_>,
    ) -> Result<Vec<Flushed<()>>, PersistenceError> {
        Ok(Vec::new())
    }

    pub fn publishing(&self) {}
    pub fn published(&self, _: &dyn Fn() -> Needed) {}
    pub fn abandoned(&self) {}
    pub fn restore(&self, _: &mut Place<'_>) -> Result<(), PersistenceError> {
        Ok(())
    }
    pub fn check(&self, _: u64, _: &mut Vec<String>) {}
}

fn at<R>(chain: &Chain<R>, csn: u64) -> Option<Arc<R>> {
    let found = chain.iter().rev().find(|version| version.0 <= csn);
    found.and_then(|version| version.1.clone())
}

#[derive(Default)]
pub struct Dictionary {
    inner: RwLock<Vec3>,
}

#[derive(Default)]
struct Vec3 {
    codes: HashMap<(Names, String), (u32, bool)>,
    names: HashMap<(Names, u32), Arc<str>>,
    next: [u32; 3],
}

impl Dictionary {
    pub fn reserve(&self, names: Names, name: &str) -> Result<(u32, bool), PersistenceError> {
        let mut inner = self.inner.write();
        if let Some(&known) = inner.codes.get(&(names, name.to_string())) {
            return Ok(known);
        }
        let code = inner.next[names as usize];
        inner.next[names as usize] += 1;
        inner.codes.insert((names, name.to_string()), (code, false));
        inner.names.insert((names, code), name.into());
        Ok((code, false))
    }

    pub fn apply(
        &self,
        _: u64,
        names: Names,
        code: u32,
        name: &str,
    ) -> Result<(), PersistenceError> {
        let mut inner = self.inner.write();
        inner.next[names as usize] = inner.next[names as usize].max(code + 1);
        inner.codes.insert((names, name.to_string()), (code, true));
        inner.names.insert((names, code), name.into());
        Ok(())
    }

    fn code(&self, names: Names, name: &str) -> Option<u32> {
        let inner = self.inner.read();
        inner.codes.get(&(names, name.to_string())).map(|c| c.0)
    }

    fn name(&self, names: Names, code: u32) -> Option<Arc<str>> {
        self.inner.read().names.get(&(names, code)).cloned()
    }

    pub fn label_code(&self, name: &str) -> Option<LabelCode> {
        self.code(Names::Labels, name)
    }
    pub fn label(&self, code: LabelCode) -> Option<Arc<str>> {
        self.name(Names::Labels, code)
    }
    pub fn key_code(&self, name: &str) -> Option<KeyCode> {
        self.code(Names::Keys, name)
    }
    pub fn key(&self, code: KeyCode) -> Option<Arc<str>> {
        self.name(Names::Keys, code)
    }
    pub fn type_code(&self, name: &str) -> Option<TypeCode> {
        self.code(Names::Types, name).map(|code| code as TypeCode)
    }
    pub fn relationship_type(&self, code: TypeCode) -> Option<Arc<str>> {
        self.name(Names::Types, code.into())
    }
}
