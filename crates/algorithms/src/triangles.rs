//! Counting of triangles, shared by several problems.
//!
//! Vertices get ranks, those of high degree first, and every edge belongs to its
//! end of lower degree: a vertex u has a list N+(u) of its neighbors ranked
//! higher, of at most about √(2m) vertices whatever their degrees ([`order`]). A
//! triangle is counted at its lowest end u, for a v and a w in N+(u), by looking
//! for w in N+(v). Neither lists that are sorted nor lists without repetitions
//! are needed, as u marks N+(u) in a bitmap by rank.
//!
//! The graph cannot hold the lists N+, and there is no room for all of them at
//! once. So the work is done in passes over the graph, each for the lists of some
//! vertices v, and each reading every u again:
//!
//! - the first for hubs, the first ranks, whose lists are rows of a bit matrix:
//!   N+(u) and a row meet word by word ([`hubs`]);
//! - each of the others for as many lists as 4n entries hold ([`batch`]).
//!
//! Work O(m^1.5): a search in N+(v) for each edge; there are m / 8n passes of work
//! O(m) each, and m ≤ n² / 2. Depth O(passes · √m). DRAM for c see [`count`].
//! Sources: Shun and Tangwongsan, "Multicore Triangle Computations Without Tuning",
//! ICDE 2015 (ranks by degree); Latapy, "Main-Memory Triangle Computations for
//! Very Large (Sparse (Power-Law)) Graphs", 2008 (marks; hubs on their own).

mod batch;
mod hubs;
mod marks;
mod order;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use evergraph_graph::{Graph, StoredLists};

use crate::parallel::{for_each_chunk, shared_u32, shared_u64, unshared_u32};
use crate::{Cancelled, Control};
use batch::Batch;
use hubs::Hubs;
use marks::{Marks, Source};
use order::Order;

/// Counts of [`count`]. Parallel edges count once, self-loops not at all.
pub(crate) struct Counts {
    /// Triangles of the undirected graph.
    pub(crate) triangles: u64,
    /// For each vertex its triangles; of a directed graph, for each of them the
    /// arcs (one or two) between the other two vertices. Empty if not asked for.
    pub(crate) credits: Vec<u64>,
    /// For each vertex the neighbors in either direction; as `credits`.
    pub(crate) degrees: Vec<u32>,
}

/// Counts triangles: in all, and if `CREDIT` at each vertex; if `MUTUAL`, of a
/// graph with out- and in-lists, telling edges in one direction from those in
/// both.
///
/// DRAM in words: 5n; `CREDIT` 2n more, `MUTUAL` n more; and for each thread n /
/// 64, twice that with `MUTUAL`.
pub(crate) fn count<G: Graph, const CREDIT: bool, const MUTUAL: bool>(
    graph: &G,
    control: &Control,
) -> Result<Counts, Cancelled> {
    debug_assert_eq!(MUTUAL, graph.stored_lists() == StoredLists::Both);
    let n = graph.vertex_count();
    let order = Order::by_degree(graph, control)?;
    let credits = shared_u64(if CREDIT { n } else { 0 }, 0, control)?;
    let passes = Passes::<G, CREDIT, MUTUAL> {
        graph,
        order: &order,
        control,
        longer: shared_u32(n, 0, control)?,
        degrees: shared_u32(if CREDIT { n } else { 0 }, 0, control)?,
        credits: &credits,
        triangles: AtomicU64::new(0),
        marks: Mutex::default(),
    };
    let mut done = passes.hubs()?;
    while done < n {
        control.report("vertices", done as u64, Some(n as u64));
        done = passes.batch(done)?;
    }
    control.report("vertices", n as u64, Some(n as u64));

    let Passes {
        degrees, triangles, ..
    } = passes;
    Ok(Counts {
        triangles: triangles.into_inner(),
        credits: order.by_vertex(&credits, |credit| credit.load(Relaxed)),
        degrees: order.by_vertex(&unshared_u32(degrees), |&degree| degree),
    })
}

/// The passes of one count; arrays are by rank.
struct Passes<'a, G, const CREDIT: bool, const MUTUAL: bool> {
    graph: &'a G,
    order: &'a Order,
    control: &'a Control<'a>,
    /// Lengths of the lists N+, found by the first pass.
    longer: Vec<AtomicU32>,
    degrees: Vec<AtomicU32>,
    credits: &'a [AtomicU64],
    triangles: AtomicU64,
    /// Marks that no task uses now.
    marks: Mutex<Vec<Marks<'a, CREDIT, MUTUAL>>>,
}

impl<'a, G: Graph, const CREDIT: bool, const MUTUAL: bool> Passes<'a, G, CREDIT, MUTUAL> {
    /// Counts the triangles whose v is a hub; returns how many hubs there are.
    fn hubs(&self) -> Result<usize, Cancelled> {
        let hubs = Hubs::<MUTUAL>::new(self.graph.vertex_count(), |rank, row, mutual| {
            self.task(|marks, source| {
                marks.gather(rank, source)?;
                marks.copy_to(row, mutual);
                marks.clear();
                Ok(())
            })
        })?;
        self.for_each_vertex(|marks, rank, source| {
            marks.gather(rank, source)?;
            let list = marks.list();
            self.longer[rank as usize].store(list.len() as u32, Relaxed);
            if CREDIT {
                self.degrees[rank as usize].fetch_add(list.len() as u32, Relaxed);
                for &v in list {
                    self.degrees[v as usize].fetch_add(1, Relaxed);
                }
            }
            Ok(marks.meet_hubs(&hubs))
        })?;
        Ok(hubs.count())
    }

    /// Counts those whose v is ranked `first` or some ranks after; returns the
    /// rank behind.
    fn batch(&self, first: usize) -> Result<usize, Cancelled> {
        let batch = Batch::new(&self.longer, first, |lists| {
            self.task(|marks, source| {
                lists.fill(|rank, list| {
                    marks.gather(rank, source)?;
                    list.copy_from_slice(marks.entries());
                    marks.clear();
                    Ok(())
                })
            })
        })?;
        self.for_each_vertex(|marks, rank, source| {
            // The lowest end of a triangle has two neighbors ranked higher.
            if rank as usize <= first || self.longer[rank as usize].load(Relaxed) < 2 {
                return Ok(0);
            }
            marks.gather(rank, source)?;
            marks.meet_lists(&batch, self.control)
        })?;
        Ok(batch.end())
    }

    /// Runs `work` for each vertex by its rank, and adds up the triangles it
    /// returns.
    fn for_each_vertex(
        &self,
        work: impl Fn(&mut Marks<'a, CREDIT, MUTUAL>, u32, &mut Source<'_, G>) -> Result<u64, Cancelled>
        + Sync,
    ) -> Result<(), Cancelled> {
        for_each_chunk(self.graph.vertex_count(), |vertices| {
            self.task(|marks, source| {
                let mut triangles = 0;
                for v in vertices {
                    let rank = self.order.rank(v);
                    triangles += work(marks, rank, source)?;
                    marks.give(rank);
                    marks.clear();
                }
                self.triangles.fetch_add(triangles, Relaxed);
                Ok(())
            })
        })
    }

    /// Runs a task with marks, which it gives back without any; there are as many
    /// as there are threads.
    fn task(
        &self,
        work: impl FnOnce(&mut Marks<'a, CREDIT, MUTUAL>, &mut Source<'_, G>) -> Result<(), Cancelled>,
    ) -> Result<(), Cancelled> {
        self.control.check()?;
        let idle = self.marks.lock().expect("no task panics here").pop();
        let n = self.graph.vertex_count();
        // The threads' own credits are n numbers together.
        let own_credits = n / rayon::current_num_threads();
        let mut marks = idle.unwrap_or_else(|| Marks::new(n, own_credits, self.credits));
        let mut source = Source {
            order: self.order,
            control: self.control,
            out: self.graph.reader(),
            incoming: self.graph.reverse_reader(),
        };
        work(&mut marks, &mut source)?;
        self.marks.lock().expect("no task panics here").push(marks);
        Ok(())
    }
}
