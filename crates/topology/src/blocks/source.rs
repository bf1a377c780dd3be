//! Sources of entries on their way into a section.

/// Entries of the lists of one section, from wherever they lie.
pub trait ListSource {
    /// Entries of a list, tombstones included.
    fn len(&self, list: usize) -> usize;

    /// Tombstones among them.
    fn tombstones(&self, list: usize) -> u32;

    /// Calls `visit` with the words and weights (empty without weights) of a
    /// list, segment by segment in order: [`ListSource::len`] of them.
    fn visit(&self, list: usize, visit: &mut dyn FnMut(&[u32], &[u32]));
}

/// One list gathered from a source, so that it can be cut into blocks.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub words: Vec<u32>,
    pub weights: Vec<u32>,
}

impl Gathered {
    /// Fetches a list.
    ///
    /// # Panics
    /// If the source gives something else than it said.
    pub(super) fn fetch(&mut self, source: &dyn ListSource, list: usize, columns: usize) {
        self.words.clear();
        self.weights.clear();
        source.visit(list, &mut |words, weights| {
            self.words.extend_from_slice(words);
            self.weights.extend_from_slice(weights);
        });
        assert_eq!(self.words.len(), source.len(list), "the length announced");
        assert_eq!(self.weights.len(), (columns - 1) * self.words.len());
    }
}
