//! Sealed lists in memory, one after another.

use super::{Csr, CsrLists, Lists};
use crate::seal::{Adjacency, CHUNK_VERTICES, Ends, Part, chunks, map_each, measure, union};
use crate::{Graph, Shape, StoredLists, Symmetric, VertexId};

impl Csr {
    /// A sorted copy of `graph`, the same for any number of threads and any order
    /// of its lists.
    ///
    /// Work O(m log n), parallel over vertices. DRAM at its peak: 8 bytes a
    /// vertex and 4 for each entry of `graph` that is read (both adjacencies of a
    /// [`StoredLists::Both`] graph; a graph of out-lists
    /// alone counts twice when it becomes symmetric), 4 more with weights, and for
    /// each task 4 bytes an entry of its longest list, 16 with weights. What the
    /// shape leaves out is given back at the end.
    ///
    /// # Errors
    /// The first that `check` gives; it is asked at least every 50 ms.
    pub fn seal<G: Graph, E: Send>(
        graph: &G,
        shape: Shape,
        check: &(dyn Fn() -> Result<(), E> + Sync),
    ) -> Result<Self, E> {
        let sorted = Some(shape);
        let (out, incoming) = match (shape, Symmetric::of(graph)) {
            (Shape::Symmetric, Some(both)) => (read(&both, Adjacency::Out, sorted, check)?, None),
            (Shape::Symmetric, None) => (unite(graph, Ends::Both, true, check)?, None),
            _ => read_adjacencies(graph, sorted, check)?,
        };
        Ok(Self {
            direction: shape.direction(graph.stored_lists()),
            shape: sorted,
            out,
            incoming,
        })
    }

    /// A copy of `graph` whose lists are in the same order.
    ///
    /// Work O(m), parallel over vertices. DRAM as the result.
    ///
    /// # Errors
    /// As [`Csr::seal`].
    pub fn copy<G: Graph, E: Send>(
        graph: &G,
        check: &(dyn Fn() -> Result<(), E> + Sync),
    ) -> Result<Self, E> {
        let (out, incoming) = read_adjacencies(graph, None, check)?;
        Ok(Self {
            direction: graph.stored_lists(),
            shape: None,
            out,
            incoming,
        })
    }

    /// A sorted copy of `graph` that has in-lists, also where `graph` keeps only
    /// out-lists; with all its entries, or as a simple graph. An undirected graph
    /// stays undirected.
    ///
    /// Work and DRAM as those of [`Csr::seal`], of both directions.
    ///
    /// # Errors
    /// As [`Csr::seal`].
    pub fn seal_with_in_lists<G: Graph, E: Send>(
        graph: &G,
        simple: bool,
        check: &(dyn Fn() -> Result<(), E> + Sync),
    ) -> Result<Self, E> {
        let shape = match simple {
            true => Shape::Simple,
            false => Shape::Sorted,
        };
        let mut sealed = Self::seal(graph, shape, check)?;
        if graph.stored_lists() == StoredLists::Out {
            sealed.incoming = Some(unite(&sealed, Ends::Target, simple, check)?);
            sealed.direction = StoredLists::Both;
        }
        Ok(sealed)
    }
}

/// Out- and in-lists, as far as they are kept; in their order without a shape.
fn read_adjacencies<G: Graph, E: Send>(
    graph: &G,
    shape: Option<Shape>,
    check: &(dyn Fn() -> Result<(), E> + Sync),
) -> Result<(CsrLists, Option<CsrLists>), E> {
    let out = read(graph, Adjacency::Out, shape, check)?;
    let incoming = match graph.stored_lists() {
        StoredLists::Both => Some(read(graph, Adjacency::In, shape, check)?),
        StoredLists::Undirected | StoredLists::Out => None,
    };
    Ok((out, incoming))
}

/// The lists of one adjacency; in their order without a shape.
fn read<G: Graph, E: Send>(
    graph: &G,
    adjacency: Adjacency,
    shape: Option<Shape>,
    check: &(dyn Fn() -> Result<(), E> + Sync),
) -> Result<CsrLists, E> {
    let n = graph.vertex_count();
    let mut offsets = vec![0; n + 1];
    let ends = offsets[1..].chunks_mut(CHUNK_VERTICES);
    let lens = map_each(chunks(n).into_iter().zip(ends).collect(), &|(
        vertices,
        ends,
    )| {
        check()?;
        Ok(measure(graph, adjacency, vertices.start, ends))
    })?;
    let arc_count = lens.iter().sum();
    let mut lists = Lists {
        offsets,
        neighbors: vec![0; arc_count],
        weights: vec![0.0; if graph.is_weighted() { arc_count } else { 0 }],
    };
    let kept = map_each(parts(&mut lists, &lens), &|mut part| {
        part.fill(graph, adjacency, check)?;
        match shape {
            Some(shape) => part.tidy(n, shape.is_simple(), check),
            None => Ok(part.neighbors.len()),
        }
    })?;
    join(&mut lists, &lens, &kept, check)?;
    Ok(lists.into())
}

/// The in-lists, or the symmetric lists, of a graph that keeps only out-lists.
fn unite<G: Graph, E: Send>(
    graph: &G,
    ends: Ends,
    simple: bool,
    check: &(dyn Fn() -> Result<(), E> + Sync),
) -> Result<CsrLists, E> {
    let n = graph.vertex_count();
    let mut lists = union(graph, ends, check)?;
    let mut start = 0;
    let mut lens = Vec::with_capacity(n.div_ceil(CHUNK_VERTICES));
    for ends in lists.offsets[1..].chunks_mut(CHUNK_VERTICES) {
        let end = ends[ends.len() - 1];
        ends.iter_mut().for_each(|end| *end -= start);
        lens.push((end - start) as usize);
        start = end;
    }
    let kept = map_each(parts(&mut lists, &lens), &|mut part| {
        part.tidy(n, simple, check)
    })?;
    join(&mut lists, &lens, &kept, check)?;
    Ok(lists.into())
}

/// The chunks of `lists`, whose offsets count from the start of their chunk.
fn parts<'a>(lists: &'a mut Lists, lens: &[usize]) -> Vec<Part<'a>> {
    fn take<'a, T>(from: &mut &'a mut [T], len: usize) -> &'a mut [T] {
        let len = len.min(from.len());
        from.split_off_mut(..len).unwrap_or_default()
    }
    let mut offsets = &mut lists.offsets[1..];
    let mut neighbors = &mut lists.neighbors[..];
    let mut weights = &mut lists.weights[..];
    let chunk = |(chunk, &len): (usize, &usize)| Part {
        first: (chunk * CHUNK_VERTICES) as VertexId,
        ends: take(&mut offsets, CHUNK_VERTICES),
        neighbors: take(&mut neighbors, len),
        weights: take(&mut weights, len),
    };
    lens.iter().enumerate().map(chunk).collect()
}

/// Closes the gaps behind the chunks, of whose `lens` only `kept` are left, and
/// counts offsets from the start of all.
fn join<E>(
    lists: &mut Lists,
    lens: &[usize],
    kept: &[usize],
    check: &dyn Fn() -> Result<(), E>,
) -> Result<(), E> {
    let (mut from, mut to) = (0, 0);
    let chunks = lists.offsets[1..].chunks_mut(CHUNK_VERTICES);
    for (ends, (&len, &kept)) in chunks.zip(lens.iter().zip(kept)) {
        check()?;
        if from != to {
            lists.neighbors.copy_within(from..from + kept, to);
            if !lists.weights.is_empty() {
                lists.weights.copy_within(from..from + kept, to);
            }
        }
        ends.iter_mut().for_each(|end| *end += to as u64);
        from += len;
        to += kept;
    }
    lists.neighbors.truncate(to);
    lists.neighbors.shrink_to_fit();
    lists.weights.truncate(to);
    lists.weights.shrink_to_fit();
    Ok(())
}
