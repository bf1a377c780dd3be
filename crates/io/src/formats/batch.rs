//! Edges as columns, filled by a reader and taken by a writer.

use std::fmt::Write as _;

use super::options::EndpointKind;

/// Texts one after another in one allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextColumn {
    bytes: String,
    /// End of each text.
    ends: Vec<usize>,
}

impl TextColumn {
    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text at `index`.
    ///
    /// # Panics
    /// If `index` is not below [`TextColumn::len`].
    pub fn get(&self, index: usize) -> &str {
        let start = match index {
            0 => 0,
            _ => self.ends[index - 1],
        };
        &self.bytes[start..self.ends[index]]
    }

    /// All texts in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Appends a text.
    pub fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
    }

    /// Appends a number in decimal.
    pub fn push_number(&mut self, number: u64) {
        write!(self.bytes, "{number}").expect("a String takes any text");
        self.ends.push(self.bytes.len());
    }

    /// Removes all texts and keeps the allocation.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    fn truncate(&mut self, len: usize) {
        if len < self.len() {
            self.ends.truncate(len);
            self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
        }
    }
}

/// A batch of edges. Either the number columns or the text columns are filled,
/// as [`super::Options::ids`] says; a column that the file was not asked for is
/// empty. In a batch of vertices ([`super::Contents::Vertices`]) only the
/// sources are filled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeBatch {
    /// Source of each edge.
    pub sources: Vec<u64>,
    /// Target of each edge.
    pub targets: Vec<u64>,
    /// Source of each edge, for text ids.
    pub source_texts: TextColumn,
    /// Target of each edge, for text ids.
    pub target_texts: TextColumn,
    /// A weight for each edge; never NaN.
    pub weights: Vec<f32>,
    /// Seconds since 1970 UTC for each edge.
    pub timestamps: Vec<i64>,
    /// In [`super::Format::Events`], for each edge whether it is deleted
    /// instead of added; empty in the other formats.
    pub deletions: Vec<bool>,
    /// Whether a weight of the file has more digits than floats of 32 bits keep.
    pub rounds_weights: bool,
}

impl EdgeBatch {
    /// How many edges (or vertices) there are.
    pub fn len(&self) -> usize {
        self.sources.len().max(self.source_texts.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all edges and keeps the allocations.
    pub fn clear(&mut self) {
        self.sources.clear();
        self.targets.clear();
        self.source_texts.clear();
        self.target_texts.clear();
        self.weights.clear();
        self.timestamps.clear();
        self.deletions.clear();
        self.rounds_weights = false;
    }

    /// Appends an edge of a format whose ids are numbers.
    pub(super) fn push_numbers(
        &mut self,
        kind: EndpointKind,
        source: u64,
        target: u64,
        weight: Option<f32>,
    ) {
        match kind {
            EndpointKind::Number => {
                self.sources.push(source);
                self.targets.push(target);
            }
            EndpointKind::Text => {
                self.source_texts.push_number(source);
                self.target_texts.push_number(target);
            }
        }
        self.weights.extend(weight);
    }

    /// Appends all edges of another batch with the same columns.
    pub fn append(&mut self, other: &EdgeBatch) {
        self.sources.extend_from_slice(&other.sources);
        self.targets.extend_from_slice(&other.targets);
        for (texts, more) in [
            (&mut self.source_texts, &other.source_texts),
            (&mut self.target_texts, &other.target_texts),
        ] {
            more.iter().for_each(|text| texts.push(text));
        }
        self.weights.extend_from_slice(&other.weights);
        self.timestamps.extend_from_slice(&other.timestamps);
        self.deletions.extend_from_slice(&other.deletions);
        self.rounds_weights |= other.rounds_weights;
    }

    /// Appends one edge of another batch with the same columns.
    pub fn push_from(&mut self, other: &EdgeBatch, edge: usize) {
        self.sources.extend(other.sources.get(edge));
        self.targets.extend(other.targets.get(edge));
        for (texts, more) in [
            (&mut self.source_texts, &other.source_texts),
            (&mut self.target_texts, &other.target_texts),
        ] {
            if edge < more.len() {
                texts.push(more.get(edge));
            }
        }
        self.weights.extend(other.weights.get(edge));
        self.timestamps.extend(other.timestamps.get(edge));
        self.deletions.extend(other.deletions.get(edge));
    }

    /// About how many bytes the columns take, and an order of them.
    pub fn bytes(&self) -> u64 {
        let texts = |texts: &TextColumn| texts.bytes.len() + 8 * texts.ends.len();
        let bytes = 8 * (self.sources.len() + self.targets.len() + self.timestamps.len())
            + texts(&self.source_texts)
            + texts(&self.target_texts)
            + 4 * self.weights.len()
            + self.deletions.len()
            + 8 * self.len();
        bytes as u64
    }

    /// Takes back the edges appended after the batch had `len` edges.
    pub(super) fn truncate(&mut self, len: usize) {
        self.sources.truncate(len);
        self.targets.truncate(len);
        self.source_texts.truncate(len);
        self.target_texts.truncate(len);
        self.weights.truncate(len);
        self.timestamps.truncate(len);
        self.deletions.truncate(len);
    }
}
