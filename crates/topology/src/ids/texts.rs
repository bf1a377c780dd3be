//! Texts of vertices, and from texts to vertices, in DRAM.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use evergraph_storage::prefetch_for_read;

use super::hash::Seed;
use super::sparse::NO_VERTEX;
use super::sparse::SparseIndex;

/// Texts whose slots are fetched from memory before the first of them is used.
const FETCHED_TOGETHER: usize = 64;

/// The text of each vertex, in two allocations.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    /// End of each in `bytes`.
    ends: Vec<u64>,
    bytes: Vec<u8>,
}

impl Texts {
    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Appends the text of the next vertex.
    pub fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len() as u64);
    }

    /// The text of a vertex.
    ///
    /// # Panics
    /// If it has none.
    #[inline]
    pub fn get(&self, vertex: usize) -> &[u8] {
        &self.bytes[self.start(vertex)..self.ends[vertex] as usize]
    }

    /// All texts, in the order of their vertices.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + DoubleEndedIterator {
        (0..self.len()).map(|vertex| self.get(vertex))
    }

    /// Bytes of the texts from that of a vertex on.
    pub fn bytes_from(&self, vertex: usize) -> &[u8] {
        &self.bytes[self.start(vertex)..]
    }

    /// End of each text from that of a vertex on, counted from the first of them.
    pub fn ends_from(&self, vertex: usize) -> impl Iterator<Item = u32> {
        let start = self.start(vertex) as u64;
        self.ends[vertex..]
            .iter()
            .map(move |&end| (end - start) as u32)
    }

    #[inline]
    fn start(&self, vertex: usize) -> usize {
        match vertex {
            0 => 0,
            _ => self.ends[vertex - 1] as usize,
        }
    }

    /// Has the processor fetch where the text of a vertex ends, if there is one.
    #[inline]
    fn fetch_end(&self, vertex: u32) {
        if let Some(end) = self.ends.get(vertex as usize) {
            prefetch_for_read(std::ptr::from_ref(end).cast());
        }
    }

    /// Has the processor fetch the first bytes of the text of a vertex, if there is one.
    #[inline]
    fn fetch_bytes(&self, vertex: u32) {
        if (vertex as usize) < self.len()
            && let Some(byte) = self.bytes.get(self.start(vertex as usize))
        {
            prefetch_for_read(std::ptr::from_ref(byte));
        }
    }
}

/// The vertex of each text. The texts themselves are elsewhere: each call is given those
/// that the index was made of.
#[derive(Debug, Default)]
pub struct TextIndex<S = Seed> {
    /// The vertex of each hash.
    by_hash: SparseIndex,
    /// Texts whose hash is that of another, which came first.
    colliding: HashMap<Box<[u8]>, u32, Seed>,
    hasher: S,
}

impl<S: BuildHasher + Default> TextIndex<S> {
    /// The index of some texts.
    pub fn of(texts: &Texts) -> Self {
        let mut index = TextIndex {
            by_hash: SparseIndex::with_room(texts.len()),
            ..TextIndex::default()
        };
        let mut hashes = Vec::new();
        for first in (0..texts.len()).step_by(FETCHED_TOGETHER) {
            let vertices = first..texts.len().min(first + FETCHED_TOGETHER);
            hashes.clear();
            hashes.extend(vertices.map(|vertex| index.hash(texts.get(vertex))));
            hashes.iter().for_each(|&hash| index.by_hash.fetch(hash));
            for (vertex, &hash) in (first as u32..).zip(&hashes) {
                index.insert_hashed(texts, vertex, hash);
            }
        }
        index
    }

    /// The vertex of a text.
    #[inline]
    pub fn get(&self, texts: &Texts, text: &[u8]) -> Option<u32> {
        self.get_hashed(texts, text, self.hash(text))
    }

    #[inline]
    fn get_hashed(&self, texts: &Texts, text: &[u8], hash: u64) -> Option<u32> {
        let vertex = self.by_hash.get(hash)?;
        match texts.get(vertex as usize) == text {
            true => Some(vertex),
            false => self.colliding.get(text).copied(),
        }
    }

    /// Appends the vertex of each text, or [`NO_VERTEX`]. A text costs a fraction of what
    /// [`TextIndex::get`] does: what is read of one is fetched from memory while the others
    /// are looked at, so they should be few enough to stay in the cache.
    pub fn get_all<'a>(
        &self,
        texts: &Texts,
        wanted: impl Iterator<Item = &'a [u8]> + Clone,
        vertices: &mut Vec<u32>,
    ) {
        let hashes: Vec<u64> = wanted.clone().map(|text| self.hash(text)).collect();
        hashes.iter().for_each(|&hash| self.by_hash.fetch(hash));
        let from = vertices.len();
        vertices.extend(hashes.iter().map(|&hash| {
            let vertex = self.by_hash.get(hash).unwrap_or(NO_VERTEX);
            texts.fetch_end(vertex);
            vertex
        }));
        let likely = &mut vertices[from..];
        likely.iter().for_each(|&vertex| texts.fetch_bytes(vertex));
        for ((vertex, text), &hash) in likely.iter_mut().zip(wanted).zip(&hashes) {
            *vertex = self.get_hashed(texts, text, hash).unwrap_or(NO_VERTEX);
        }
    }

    /// Has the text of a vertex lead to it, and to no other any more.
    pub fn insert(&mut self, texts: &Texts, vertex: u32) {
        let hash = self.hash(texts.get(vertex as usize));
        self.insert_hashed(texts, vertex, hash);
    }

    fn insert_hashed(&mut self, texts: &Texts, vertex: u32, hash: u64) {
        let text = texts.get(vertex as usize);
        match self.by_hash.get(hash) {
            Some(other) if texts.get(other as usize) != text => {
                self.colliding.insert(text.into(), vertex);
            }
            _ => self.by_hash.insert(hash, vertex),
        }
    }

    #[inline]
    fn hash(&self, text: &[u8]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(text);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evergraph_graph::random::Random;
    use std::hash::{BuildHasherDefault, DefaultHasher};

    /// A hash under which most texts collide.
    #[derive(Default)]
    struct Colliding(DefaultHasher);

    impl Hasher for Colliding {
        fn write(&mut self, bytes: &[u8]) {
            self.0.write(bytes);
        }

        fn finish(&self) -> u64 {
            self.0.finish() % 100
        }
    }

    /// Against an ordinary map, whose texts are of all lengths and come again.
    fn leads_to_the_last<S: BuildHasher + Default>(different: u64) {
        let mut random = Random::new(3);
        let (mut texts, mut reference) = (Texts::default(), HashMap::new());
        let mut index = TextIndex::<S>::default();
        let mut text = |different| {
            let number = random.next_u64() % different;
            let text = format!("{number:b}");
            text[..text.len().min(number as usize % 40)].to_string()
        };
        for vertex in 0..10_000 {
            let new = text(different).into_bytes();
            assert_eq!(index.get(&texts, &new), reference.get(&new).copied());
            texts.push(&new);
            index.insert(&texts, vertex);
            reference.insert(new, vertex);
        }
        let wanted: Vec<Vec<u8>> = (0..5_000)
            .map(|_| text(2 * different).into_bytes())
            .collect();
        let mut vertices = vec![5];
        index.get_all(&texts, wanted.iter().map(|text| &text[..]), &mut vertices);
        let expected = wanted.iter().map(|text| reference.get(text).copied());
        let expected: Vec<u32> = expected.map(|v| v.unwrap_or(NO_VERTEX)).collect();
        assert_eq!(vertices[1..], expected);
        assert!(expected.contains(&NO_VERTEX));
        let made_at_once = TextIndex::<S>::of(&texts);
        for (text, &vertex) in &reference {
            assert_eq!(made_at_once.get(&texts, text), Some(vertex));
        }
    }

    #[test]
    fn texts_lead_to_the_vertex_that_they_got_last() {
        leads_to_the_last::<Seed>(8_000);
        leads_to_the_last::<BuildHasherDefault<Colliding>>(8_000);
    }

    #[test]
    fn texts_from_one_on_are_those_behind_it() {
        let mut texts = Texts::default();
        ["ab", "", "cde", "f"]
            .iter()
            .for_each(|text| texts.push(text.as_bytes()));
        assert_eq!((texts.len(), texts.get(1)), (4, &b""[..]));
        assert!(texts.ends_from(1).eq([0, 3, 4]));
        assert_eq!(texts.bytes_from(2), b"cdef");
        assert!(texts.iter().eq([&b"ab"[..], b"", b"cde", b"f"]));
    }
}
