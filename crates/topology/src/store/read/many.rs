//! Reading the lists of many vertices: lists that lie beside each other are copied together.

use std::ops::Range;

use crate::error::TopologyError;
use crate::list::ListScratch;
use crate::section_view::SectionView;
use crate::store::ListReader;

/// Lists of many vertices, one behind the other.
#[derive(Clone, Debug, Default)]
pub struct ManyLists {
    /// Live neighbors, in insertion order within each list.
    pub neighbors: Vec<u32>,
    /// Ids of the relationships to them, if they are asked for.
    pub ids: Vec<u32>,
    /// End of each vertex's list in `neighbors`.
    pub ends: Vec<usize>,
}

impl ManyLists {
    /// Appends parts of lists.
    #[inline(always)]
    fn extend<const IDS: bool>(&mut self, (neighbors, ids): (&[u32], &[u32])) {
        self.neighbors.extend_from_slice(neighbors);
        if IDS {
            self.ids.extend_from_slice(ids);
        }
    }

    /// Appends lists that lie beside each other.
    fn append_all<const IDS: bool>(&mut self, view: &SectionView, starts: &[u32]) {
        let (first, before) = (starts[0], self.neighbors.len());
        let last = starts[starts.len() - 1];
        self.extend::<IDS>(view.in_extent_at(&(first as usize..last as usize)));
        let ends = starts[1..].iter();
        self.ends
            .extend(ends.map(|end| before + (end - first) as usize));
    }

    /// Appends the lists of vertices of one section.
    fn append<const IDS: bool>(
        &mut self,
        view: &SectionView,
        lists: impl Iterator<Item = usize>,
        scratch: &mut ListScratch,
    ) {
        // Of the extent, what is to be copied.
        let mut waiting: Range<usize> = 0..0;
        for list in lists {
            match view.place(list) {
                Some((start, len)) => {
                    if start != waiting.end {
                        self.extend::<IDS>(view.in_extent_at(&waiting));
                        waiting = start..start;
                    }
                    waiting.end += len;
                }
                None => {
                    self.extend::<IDS>(view.in_extent_at(&waiting));
                    waiting = 0..0;
                    for slices in view.segments(list, || scratch) {
                        self.extend::<IDS>(slices);
                    }
                }
            }
            self.ends.push(self.neighbors.len() + waiting.len());
        }
        self.extend::<IDS>(view.in_extent_at(&waiting));
    }
}

impl ListReader<'_> {
    /// Adds the number of live entries of each vertex's list, and starts to fetch the
    /// lists, unless they are read in order.
    ///
    /// # Panics
    /// If there are not as many numbers as vertices.
    pub fn add_degrees(
        &mut self,
        vertices: &[u32],
        degrees: &mut [u64],
    ) -> Result<(), TopologyError> {
        let mask = self.list_mask();
        let mut degrees = degrees;
        self.for_each_run(vertices, |view, run, _| {
            let (own, others) = std::mem::take(&mut degrees).split_at_mut(run.len());
            degrees = others;
            let Some(view) = view else {
                return;
            };
            if let Some(starts) = starts_of(view, run, mask) {
                let ends = starts.iter().zip(&starts[1..]);
                for ((start, end), degree) in ends.zip(own) {
                    *degree += u64::from(end - start);
                }
                return;
            }
            let mut next = 0;
            for (&vertex, degree) in run.iter().zip(own) {
                let list = vertex as usize & mask;
                *degree += view.degree(list) as u64;
                if vertex != next {
                    view.prefetch_words(list);
                }
                next = vertex + 1;
            }
        })
    }

    /// Appends the lists of vertices, of which those in ascending order are the cheapest;
    /// with `IDS` also ids of relationships.
    pub fn append<const IDS: bool>(
        &mut self,
        vertices: &[u32],
        lists: &mut ManyLists,
    ) -> Result<(), TopologyError> {
        let mask = self.list_mask();
        self.for_each_run(vertices, |view, run, scratch| match view {
            Some(view) if let Some(starts) = starts_of(view, run, mask) => {
                lists.append_all::<IDS>(view, starts);
            }
            Some(view) => {
                let places = run.iter().map(|&vertex| vertex as usize & mask);
                lists.append::<IDS>(view, places, scratch);
            }
            None => {
                let ends = lists.ends.len() + run.len();
                lists.ends.resize(ends, lists.neighbors.len());
            }
        })
    }

    /// Counts, in the list of each vertex that is wanted, the entries that name the vertex
    /// itself, and takes them off its number, which wraps below zero.
    ///
    /// # Panics
    /// If there are not as many numbers as vertices.
    pub fn take_loops(
        &mut self,
        vertices: &[u32],
        is_wanted: impl Fn(usize) -> bool,
        degrees: &mut [u64],
    ) -> Result<(), TopologyError> {
        let mask = self.list_mask();
        let mut at = 0;
        self.for_each_run(vertices, |view, run, scratch| {
            for &vertex in run {
                if let Some(view) = view
                    && is_wanted(at)
                {
                    let count = |neighbors: &[u32]| {
                        let loops = neighbors.iter().filter(|&&other| other == vertex);
                        loops.count() as u64
                    };
                    let list = vertex as usize & mask;
                    let loops: u64 = match view.place(list) {
                        Some((start, len)) => count(view.in_extent_at(&(start..start + len)).0),
                        None => {
                            let parts = view.segments(list, || &mut *scratch);
                            parts.map(|(neighbors, _)| count(neighbors)).sum()
                        }
                    };
                    degrees[at] = degrees[at].wrapping_sub(loops);
                }
                at += 1;
            }
        })
    }

    /// The last commit that changed a list of the section of a vertex, or a later one up to
    /// which none did: what readers that are told the same read there is the same. 0 where
    /// no list is.
    pub fn changed_at(&mut self, vertex: u32) -> Result<u64, TopologyError> {
        let place = self.index_of(vertex)?;
        let section = self.kept[place].section.as_deref();
        Ok(section.map_or(0, |section| section.view.csn()))
    }

    /// Calls `each` with vertices of one section that follow one another, and the section.
    fn for_each_run<'v>(
        &mut self,
        vertices: &'v [u32],
        mut each: impl FnMut(Option<&SectionView>, &'v [u32], &mut ListScratch),
    ) -> Result<(), TopologyError> {
        let shift = self.section_shift;
        let mut left = vertices;
        while let Some(&first) = left.first() {
            let number = first >> shift;
            let len = left.iter().position(|&vertex| vertex >> shift != number);
            let (run, others) = left.split_at(len.unwrap_or(left.len()));
            left = others;
            let place = self.index_of(first)?;
            let section = self.kept[place].section.as_deref();
            let view = section.map(|section| &section.view);
            let _query = match (view, run) {
                (Some(view), &[vertex]) => Some(self.store.query(self.adjacency, vertex, view)),
                _ => None,
            };
            each(view, run, &mut self.scratch);
        }
        Ok(())
    }

    fn list_mask(&self) -> usize {
        (1 << self.section_shift) - 1
    }
}

/// Where the lists of vertices of a section lie, if they follow one another there and are
/// whole.
fn starts_of<'v>(view: &'v SectionView, vertices: &[u32], mask: usize) -> Option<&'v [u32]> {
    let mut pairs = vertices.iter().zip(&vertices[1..]);
    let follow = vertices.len() > 1 && pairs.all(|(one, next)| one.wrapping_add(1) == *next);
    match follow {
        true => view.starts_of(vertices[0] as usize & mask, vertices.len()),
        false => None,
    }
}
