//! What batches are made of, beside vectors of values.

use crate::dictionary::{LabelCode, TypeCode};
use crate::record::EndColumns;
use crate::vector::Validity;

/// A list of labels a row: offsets and codes, as a list column of Arrow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// End of each row in `codes`.
    ends: Vec<u32>,
    codes: Vec<LabelCode>,
}

impl Labels {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Labels of a row, ascending; none of a node that is not there.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn get(&self, row: usize) -> &[LabelCode] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.codes[start as usize..self.ends[row] as usize]
    }

    /// DRAM of the rows.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.ends[..]) + size_of_val(&self.codes[..])
    }

    pub(super) fn push(&mut self, labels: &[LabelCode]) {
        self.codes.extend_from_slice(labels);
        self.ends.push(self.codes.len() as u32);
    }
}

/// The types and ends of relationships, one a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// Types.
    pub types: Vec<TypeCode>,
    /// Nodes that they leave.
    pub sources: Vec<u32>,
    /// Nodes that they enter.
    pub targets: Vec<u32>,
    /// Which of them there are; the others have zeros.
    pub validity: Validity,
}

impl Ends {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// DRAM of the rows.
    pub fn bytes(&self) -> usize {
        let validity = self.validity.words().map_or(0, size_of_val);
        size_of_val(&self.types[..]) + 8 * self.types.len() + validity
    }

    pub(super) fn with_capacity(rows: usize) -> Self {
        Ends {
            types: Vec::with_capacity(rows),
            sources: Vec::with_capacity(rows),
            targets: Vec::with_capacity(rows),
            validity: Validity::default(),
        }
    }

    /// Columns to be filled with rows that there are, and told of by [`Ends::filled`].
    pub(super) fn columns(&mut self) -> EndColumns<'_> {
        (&mut self.types, &mut self.sources, &mut self.targets)
    }

    pub(super) fn filled(&mut self) {
        let rows = self.types.len() - self.validity.len();
        self.validity.push_same(true, rows);
    }

    #[inline]
    pub(super) fn push(&mut self, ends: Option<(TypeCode, u32, u32)>) {
        let (kind, source, target) = ends.unwrap_or_default();
        self.types.push(kind);
        self.sources.push(source);
        self.targets.push(target);
        self.validity.push(ends.is_some());
    }
}

/// Relationships that an expansion found, one a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    /// The row of the input that each was found for; ascending.
    pub rows: Vec<u32>,
    /// The node at its other end.
    pub neighbors: Vec<u32>,
    /// Its id.
    pub relationships: Vec<u32>,
}

impl Expanded {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// DRAM of the rows.
    pub fn bytes(&self) -> usize {
        12 * self.rows.len()
    }
}

/// The nodes at the other ends of relationships: a list a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbors {
    /// End of each row in `nodes`.
    ends: Vec<usize>,
    nodes: Vec<u32>,
}

impl Neighbors {
    pub(super) fn new(ends: Vec<usize>, nodes: Vec<u32>) -> Self {
        Neighbors { ends, nodes }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Those of a row, a node as often as there are relationships to it.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn get(&self, row: usize) -> &[u32] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.nodes[start..self.ends[row]]
    }

    /// Those of all rows.
    pub fn all(&self) -> &[u32] {
        &self.nodes
    }

    /// The row of each of those, ascending.
    pub fn rows(&self) -> Vec<u32> {
        rows_of(&self.ends)
    }

    /// Those of all rows, without the ends of each.
    pub fn into_all(self) -> Vec<u32> {
        self.nodes
    }

    /// DRAM of the rows.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.ends[..]) + size_of_val(&self.nodes[..])
    }
}

/// The row of each entry of lists that end there.
pub(super) fn rows_of(ends: &[usize]) -> Vec<u32> {
    /// Copies that are made without a look at how many are wanted.
    const AT_ONCE: usize = 8;
    let count = ends.last().map_or(0, |&end| end);
    let mut rows = vec![0; count + AT_ONCE];
    let mut start = 0;
    for (row, &end) in ends.iter().enumerate() {
        // The next list overwrites what is too much.
        let all = [row as u32; AT_ONCE];
        let mut at = start;
        while at < end {
            rows[at..at + AT_ONCE].copy_from_slice(&all);
            at += AT_ONCE;
        }
        start = end;
    }
    rows.truncate(count);
    rows
}
