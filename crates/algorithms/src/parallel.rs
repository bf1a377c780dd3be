//! How work is cut into tasks, and arrays that tasks share.

use std::convert::Infallible;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use evergraph_graph::{Graph, NeighborReader, StoredLists, VertexId};
use rayon::prelude::*;

use crate::{Cancelled, Control};

/// Consecutive vertices that one task handles with one reader: a multiple of 64,
/// so that tasks share no word of a bitmap.
pub(crate) const CHUNK_VERTICES: usize = 1024;
/// Listed vertices that one task handles; fewer, as a frontier may be all hubs.
pub(crate) const CHUNK_LISTED: usize = 64;
/// A list longer than this is shared among tasks, in pieces of this length. With
/// [`CHUNK_VERTICES`] it bounds a task to 8 M arcs, some 10 ms.
pub(crate) const HUB_DEGREE: usize = 1 << 13;
/// Items of one task in a pass that does little for each.
pub(crate) const CHUNK_ITEMS: usize = 1 << 14;

/// The lists of one direction of a graph.
pub struct Lists<'g, G> {
    graph: &'g G,
    incoming: bool,
}

impl<G> Clone for Lists<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<G> Copy for Lists<'_, G> {}

impl<'g, G: Graph> Lists<'g, G> {
    /// The out-lists.
    pub fn outgoing(graph: &'g G) -> Self {
        Self {
            graph,
            incoming: false,
        }
    }

    /// The in-lists; `None` if the graph keeps only out-lists.
    pub fn incoming(graph: &'g G) -> Option<Self> {
        (graph.stored_lists() != StoredLists::Out).then_some(Self {
            graph,
            incoming: true,
        })
    }

    /// A reader for one task.
    #[inline]
    pub fn reader(&self) -> G::Reader<'g> {
        if self.incoming {
            self.graph
                .reverse_reader()
                .expect("a graph that is not `Out` has in-lists")
        } else {
            self.graph.reader()
        }
    }

    /// The lists of the other direction; `None` for the out-lists of a graph that
    /// keeps only those.
    pub fn reversed(&self) -> Option<Self> {
        match self.incoming {
            true => Some(Self::outgoing(self.graph)),
            false => Self::incoming(self.graph),
        }
    }

    /// Vertices of the graph.
    pub fn vertex_count(&self) -> usize {
        self.graph.vertex_count()
    }

    /// Entries of all lists.
    pub fn arc_count(&self) -> u64 {
        self.graph.arc_count()
    }
}

/// Runs `work` for each chunk of `0..vertex_count`.
pub(crate) fn for_each_chunk<E: Send>(
    vertex_count: usize,
    work: impl Fn(Range<VertexId>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let chunks = vertex_count.div_ceil(CHUNK_VERTICES);
    for_each_task(chunks, 4, &|chunk| work(chunk_range(chunk, vertex_count)))
}

/// Runs `work` with each number below `count`; up to `most` of them are a task. The work is
/// behind a pointer, so that the scheduling is compiled once: for each algorithm it would be
/// a third of all code.
fn for_each_task<E: Send>(
    count: usize,
    most: usize,
    work: &(dyn Fn(usize) -> Result<(), E> + Sync),
) -> Result<(), E> {
    let tasks = (0..count).into_par_iter().with_max_len(most);
    tasks.try_for_each(work)
}

/// As [`for_each_task`], a number a task; gives the results in the order of the numbers.
pub(crate) fn map_tasks<T: Send, E: Send>(
    count: usize,
    work: &(dyn Fn(usize) -> Result<T, E> + Sync),
) -> Result<Vec<T>, E> {
    let tasks = (0..count).into_par_iter().with_max_len(1);
    tasks.map(work).collect()
}

/// Runs `work` for each vertex of `list`, which does little: without tasks if
/// the list is short.
pub(crate) fn for_each_listed(
    list: &[VertexId],
    control: &Control,
    work: impl Fn(VertexId) + Sync,
) -> Result<(), Cancelled> {
    let chunk = |list: &[VertexId]| {
        control.check()?;
        list.iter().for_each(|&v| work(v));
        Ok(())
    };
    if list.len() <= CHUNK_ITEMS {
        chunk(list)
    } else {
        for_each_task(list.len().div_ceil(CHUNK_ITEMS), usize::MAX, &|at| {
            chunk(items_of_task(list, at))
        })
    }
}

/// The items of a task, of a pass that does little for each.
pub(crate) fn items_of_task<T>(items: &[T], task: usize) -> &[T] {
    let start = task * CHUNK_ITEMS;
    &items[start..items.len().min(start + CHUNK_ITEMS)]
}

/// The vertices of a chunk.
pub(crate) fn chunk_range(chunk: usize, vertex_count: usize) -> Range<VertexId> {
    let start = chunk * CHUNK_VERTICES;
    start as VertexId..vertex_count.min(start + CHUNK_VERTICES) as VertexId
}

/// Calls `visit` with each vertex that `wanted` accepts and each segment of its
/// list. Lists of hubs are shared among tasks, so their segments come in any order.
pub(crate) fn for_each_list<G: Graph>(
    lists: Lists<'_, G>,
    wanted: impl Fn(VertexId) -> bool + Sync,
    visit: impl Fn(VertexId, &[VertexId]) + Sync,
    control: &Control,
) -> Result<(), Cancelled> {
    for_each_chunk(lists.vertex_count(), |vertices| {
        control.check()?;
        let mut hubs = Vec::new();
        {
            let mut reader = lists.reader();
            for u in vertices.filter(|&u| wanted(u)) {
                if reader.degree(u) > HUB_DEGREE {
                    hubs.push(u);
                    continue;
                }
                let _ = reader.for_each_segment(u, |segment| {
                    visit(u, segment);
                    ControlFlow::Continue(())
                });
            }
        }
        for u in hubs {
            hub_pieces(lists, u, control, |_: &mut (), segment| {
                visit(u, segment);
                ControlFlow::Continue(())
            })?;
        }
        Ok(())
    })
}

/// Folds the pieces of one hub's list in parallel; results come in list order.
///
/// Call it with no reader alive: a waiting task may be given other work, and
/// readers are short pins.
pub(crate) fn hub_pieces<G: Graph, T: Default + Send>(
    lists: Lists<'_, G>,
    hub: VertexId,
    control: &Control,
    fold: impl Fn(&mut T, &[VertexId]) -> ControlFlow<()> + Sync,
) -> Result<Vec<T>, Cancelled> {
    map_hub_parts(lists, hub, control, |reader, part| {
        let mut result = T::default();
        let _ = reader.for_each_segment_in(hub, part, |segment| fold(&mut result, segment));
        result
    })
}

/// Calls `work` in parallel with each part of one hub's list, and a reader;
/// results come in list order. Call it with no reader alive.
pub(crate) fn map_hub_parts<'g, G: Graph, T: Send>(
    lists: Lists<'g, G>,
    hub: VertexId,
    control: &Control,
    work: impl Fn(&mut G::Reader<'g>, Range<usize>) -> T + Sync,
) -> Result<Vec<T>, Cancelled> {
    let degree = lists.reader().degree(hub);
    map_tasks(degree.div_ceil(HUB_DEGREE), &|piece| {
        control.check()?;
        let start = piece * HUB_DEGREE;
        Ok(work(&mut lists.reader(), start..start + HUB_DEGREE))
    })
}

/// Calls `act` with each of `vertices`, in parallel if there are many.
pub(crate) fn for_each_in(vertices: &[VertexId], act: impl Fn(VertexId) + Sync) {
    if vertices.len() <= CHUNK_ITEMS {
        vertices.iter().for_each(|&v| act(v));
    } else {
        let done = for_each_task(vertices.len().div_ceil(CHUNK_ITEMS), usize::MAX, &|at| {
            items_of_task(vertices, at).iter().for_each(|&v| act(v));
            Ok::<(), Infallible>(())
        });
        let Ok(()) = done;
    }
}

/// The degree of every vertex.
pub(crate) fn shared_degrees<G: Graph>(
    lists: Lists<'_, G>,
    control: &Control,
) -> Result<Vec<AtomicU32>, Cancelled> {
    let degrees = shared_u32(lists.vertex_count(), 0, control)?;
    for_each_chunk(degrees.len(), |vertices| {
        control.check()?;
        let mut reader = lists.reader();
        for v in vertices {
            degrees[v as usize].store(reader.degree(v) as u32, Ordering::Relaxed);
        }
        Ok(())
    })?;
    Ok(degrees)
}

/// Loads the first neighbor of `v` without waiting for it, so that the cache
/// misses of a group overlap. Work on one list after the other would meet them one
/// by one, each behind a branch that depends on the last.
#[inline]
pub(crate) fn touch(reader: &mut impl NeighborReader, v: VertexId) {
    let _ = reader.for_each_segment(v, |segment| {
        std::hint::black_box(segment.first().copied());
        ControlFlow::Break(())
    });
}

/// Total degree of `vertices`.
pub(crate) fn degree_sum<G: Graph>(lists: Lists<'_, G>, vertices: &[VertexId]) -> u64 {
    let sum = |vertices: &[VertexId]| -> u64 {
        let mut reader = lists.reader();
        vertices.iter().map(|&v| reader.degree(v) as u64).sum()
    };
    if vertices.len() <= CHUNK_VERTICES {
        sum(vertices)
    } else {
        vertices.par_chunks(CHUNK_VERTICES).map(sum).sum()
    }
}

/// Makes of each value the sum of those before it. Returns the sum of all.
pub(crate) fn prefix_sums(values: &mut [u64]) -> u64 {
    let scan = |values: &mut [u64], before: u64| {
        values.iter_mut().fold(before, |sum, value| {
            let own = std::mem::replace(value, sum);
            sum + own
        })
    };
    if values.len() <= CHUNK_ITEMS {
        return scan(values, 0);
    }
    let chunks = values.par_chunks(CHUNK_ITEMS);
    let mut starts: Vec<u64> = chunks.map(|chunk| chunk.iter().sum()).collect();
    let total = scan(&mut starts, 0);
    let chunks = values.par_chunks_mut(CHUNK_ITEMS).zip(starts);
    chunks.for_each(|(chunk, start)| {
        scan(chunk, start);
    });
    total
}

/// `len` times `value`, for tasks to share.
pub(crate) fn shared_u32(
    len: usize,
    value: u32,
    control: &Control,
) -> Result<Vec<AtomicU32>, Cancelled> {
    shared(len, || AtomicU32::new(value), control)
}

/// As [`shared_u32`].
pub(crate) fn shared_u64(
    len: usize,
    value: u64,
    control: &Control,
) -> Result<Vec<AtomicU64>, Cancelled> {
    shared(len, || AtomicU64::new(value), control)
}

/// `len` zeros for tasks to share.
pub(crate) fn shared_f64(len: usize, control: &Control) -> Result<Vec<AtomicF64>, Cancelled> {
    shared(len, AtomicF64::default, control)
}

/// `len` values for tasks to share.
pub(crate) fn shared<T: Send>(
    len: usize,
    value: impl Fn() -> T + Send + Sync,
    control: &Control,
) -> Result<Vec<T>, Cancelled> {
    let mut values = control.room_for(len)?;
    let places = (0..len).into_par_iter().with_min_len(CHUNK_ITEMS);
    places.map(|_| value()).collect_into_vec(&mut values);
    Ok(values)
}

/// The array once no task shares it any more.
pub(crate) fn unshared_u32(values: Vec<AtomicU32>) -> Vec<u32> {
    values.into_iter().map(AtomicU32::into_inner).collect()
}

/// The array once no task shares it any more.
pub(crate) fn unshared_u64(values: Vec<AtomicU64>) -> Vec<u64> {
    values.into_iter().map(AtomicU64::into_inner).collect()
}

/// The array as it is now, when no task changes it.
pub(crate) fn copied_u32(values: &[AtomicU32]) -> Vec<u32> {
    let values = values.par_iter().with_min_len(CHUNK_ITEMS);
    values.map(|value| value.load(Ordering::Relaxed)).collect()
}

/// As [`copied_u32`].
pub(crate) fn copied_u64(values: &[AtomicU64]) -> Vec<u64> {
    let values = values.par_iter().with_min_len(CHUNK_ITEMS);
    values.map(|value| value.load(Ordering::Relaxed)).collect()
}

/// An array for tasks to share.
pub(crate) fn sharing_u32(values: Vec<u32>) -> Vec<AtomicU32> {
    values.into_iter().map(AtomicU32::new).collect()
}

/// As [`sharing_u32`].
pub(crate) fn sharing_u64(values: Vec<u64>) -> Vec<AtomicU64> {
    values.into_iter().map(AtomicU64::new).collect()
}

/// A number that several tasks add to.
#[derive(Debug, Default)]
pub(crate) struct AtomicF64(AtomicU64);

impl AtomicF64 {
    #[inline]
    pub(crate) fn load(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    #[inline]
    pub(crate) fn store(&self, value: f64) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }

    /// Adds and returns the sum before.
    #[inline]
    pub(crate) fn add(&self, value: f64) -> f64 {
        let mut before = self.0.load(Ordering::Relaxed);
        loop {
            let after = (f64::from_bits(before) + value).to_bits();
            match self
                .0
                .compare_exchange_weak(before, after, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return f64::from_bits(before),
                Err(now) => before = now,
            }
        }
    }
}
