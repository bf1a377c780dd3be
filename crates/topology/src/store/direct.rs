//! Direct mode in the store: edges in place, the rest through the log.

use std::sync::atomic::{AtomicU64, Ordering};

use evergraph_graph::Direction;
use evergraph_persistence::mutant::{Mutant, active};
use evergraph_persistence::{Medium, MediumError, MediumHandle, PersistenceError, Storage};
use parking_lot::{Mutex, RwLock};

use super::{Batch, Commit, Config, Store};
use crate::direct::{DirectEntry, DirectInsert, DirectParameters, Slots};
use crate::entry::TOMBSTONE;
use crate::error::TopologyError;
use crate::plane::{Plane, PlaneAccess};
use crate::record::{Edges, Op};
use crate::section::{Context, Section};

const VERTICES: &str = "vertices";
/// Edges that are inserted under one look at the plane.
const WINDOW: usize = 4096;

/// Edges that are inserted under one look at the plane, or deleted.
struct Window<'a> {
    edges: &'a [(u32, u32)],
    /// Empty without weights.
    weights: &'a [f32],
    /// [`TOMBSTONE`] or 0.
    tag: u32,
}

impl<'a> Window<'a> {
    fn inserts(edges: &'a [(u32, u32)], weights: &'a [f32]) -> Self {
        Window {
            edges,
            weights,
            tag: 0,
        }
    }
}

/// What a store in direct mode has beside the common parts.
pub struct Direct {
    slots: Slots,
    vertex_count: AtomicU64,
    growing: Mutex<()>,
    parameters: RwLock<DirectParameters>,
    /// Degrees on the medium, only for the ablation.
    vertices: Option<MediumHandle>,
}

impl Direct {
    /// Claims the extents that the slots name. Sections are read when they are
    /// touched, so this costs a word a section.
    pub fn open(
        storage: &dyn Storage,
        config: &Config,
        context: &Context,
        planes: &[Plane],
    ) -> Result<Self, TopologyError> {
        let slots = Slots::open(storage, &context.uuid, planes.len())?;
        slots.for_each(|plane, section, slot| {
            if u64::from(section) << config.section_shift >= crate::MAX_VERTICES {
                return Err(PersistenceError::damaged(
                    "sections",
                    0,
                    "a section's number is out of range",
                ));
            }
            let extent = context.region.adopt(slot.offset, slot.len)?;
            let home = &planes[plane as usize];
            let first = home.first_vertex(section);
            let (lists, columns) = (home.section_lists(), config.columns());
            let stored = Section::stored_direct(first, lists, columns, extent);
            home.insert_section(section, stored);
            Ok(())
        })?;
        Ok(Direct {
            vertex_count: AtomicU64::new(slots.vertex_count()?),
            slots,
            growing: Mutex::new(()),
            parameters: RwLock::new(DirectParameters {
                edge_log_bytes: config.edge_log_bytes,
                ..DirectParameters::default()
            }),
            vertices: None,
        })
    }

    /// Vertices.
    pub fn vertex_count(&self) -> u64 {
        self.vertex_count.load(Ordering::Acquire)
    }

    /// Makes vertices exist, durably, before an edge names them.
    fn reach_vertices<M: Medium + ?Sized>(
        &self,
        medium: &M,
        count: u64,
    ) -> Result<(), PersistenceError> {
        if self.vertex_count() >= count {
            return Ok(());
        }
        let _alone = self.growing.lock();
        if self.vertex_count() < count {
            self.slots.set_vertex_count(medium, count)?;
            self.vertex_count.store(count, Ordering::Release);
        }
        Ok(())
    }
}

/// Runs `$body` with the handle's medium by its own type, so that the store of
/// one edge is compiled for it.
macro_rules! by_type {
    ($extents:expr, $slots:expr, $e:ident, $s:ident => $body:expr) => {
        match ($extents, $slots) {
            (MediumHandle::Mapped($e), MediumHandle::Mapped($s)) => {
                let ($e, $s) = (&**$e, &**$s);
                $body
            }
            (MediumHandle::Emulated($e), MediumHandle::Emulated($s)) => {
                let ($e, $s) = (&**$e, &**$s);
                $body
            }
            (MediumHandle::Simulated($e), MediumHandle::Simulated($s)) => {
                let ($e, $s) = (&**$e, &**$s);
                $body
            }
            _ => Err(TopologyError::from(MediumError::Unsupported(
                "direct mode needs a byte-addressed medium".to_string(),
            ))),
        }
    };
}

impl Store {
    /// Geometry of sections that are written from now on, in direct mode.
    ///
    /// # Errors
    /// In merged mode.
    pub fn set_direct_parameters(
        &mut self,
        storage: &dyn Storage,
        parameters: DirectParameters,
    ) -> Result<(), TopologyError> {
        let Some(direct) = &mut self.direct else {
            return Err(TopologyError::Unsupported(
                "only direct mode has an edge log in each section".to_string(),
            ));
        };
        if parameters.vertices_on_medium && direct.vertices.is_none() {
            let create = !storage.exists(VERTICES)?;
            let medium = storage.open(VERTICES, create)?;
            storage.sync_names()?;
            direct.vertices = Some(medium);
        }
        *direct.parameters.get_mut() = parameters;
        Ok(())
    }

    /// Adds edges without weights in place, each durable before the next
    /// begins: direct mode's hot path. Edges before a failure stay.
    pub fn insert_edges_direct(&self, edges: &[(u32, u32)]) -> Result<(), TopologyError> {
        self.refuse_if_not_writable()?;
        let direct = self.direct_part()?;
        if self.config.weighted {
            let problem = "this graph has weights: give each edge one";
            return Err(TopologyError::Weights(problem));
        }
        by_type!(self.context.region.medium(), direct.slots.medium(), e, s => {
            for window in edges.chunks(WINDOW) {
                self.insert_window(direct, e, s, Window::inserts(window, &[]), |_| ())?;
            }
            Ok(())
        })
    }

    fn direct_part(&self) -> Result<&Direct, TopologyError> {
        self.direct.as_ref().ok_or_else(|| {
            TopologyError::Unsupported("this database is in merged mode".to_string())
        })
    }

    /// Edges go in place in order, then whatever else the batch says goes
    /// through the log. There is no atomicity over edges.
    pub(super) fn commit_direct(&self, batch: Batch) -> Result<Commit, TopologyError> {
        let direct = self.direct_part()?;
        let mut rest = Batch {
            ops: Vec::new(),
            wall_us: batch.wall_us,
        };
        let mut missed_deletes = 0;
        for op in batch.ops {
            match op {
                Op::Insert(edges) => {
                    self.edges_direct(direct, &edges, 0)?;
                }
                Op::Delete(edges) => {
                    missed_deletes += self.edges_direct(direct, &edges, TOMBSTONE)?;
                }
                Op::Vertices(count) => {
                    direct.reach_vertices(direct.slots.medium(), count)?;
                }
                other => rest.ops.push(other),
            }
        }
        if !rest.ops.is_empty() {
            self.commit_logged(rest)?;
            let ids = self.ids.read().len() as u64;
            direct.reach_vertices(direct.slots.medium(), ids)?;
        }
        Ok(Commit {
            csn: self.registry.csn(),
            ack: self.ack,
            missed_deletes,
        })
    }

    /// Returns the number of deletions that found nothing.
    fn edges_direct(&self, direct: &Direct, edges: &Edges, tag: u32) -> Result<u64, TopologyError> {
        let pairs: Vec<(u32, u32)> = edges
            .sources
            .iter()
            .copied()
            .zip(edges.targets.iter().copied())
            .collect();
        let edges_weights = &edges.weights;
        by_type!(self.context.region.medium(), direct.slots.medium(), e, s => {
            let mut missed = 0;
            for (i, edges) in pairs.chunks(WINDOW).enumerate() {
                let from = i * WINDOW;
                let weights = edges_weights.get(from..from + edges.len()).unwrap_or_default();
                let window = Window { edges, weights, tag };
                self.insert_window(direct, e, s, window, |placed| {
                    missed += u64::from(!placed);
                })?;
            }
            Ok(missed)
        })
    }

    /// Commits the edges of a window one by one. What each will touch is
    /// fetched some steps ahead, because the fence between two edges would
    /// otherwise expose every cache miss.
    fn insert_window<M: Medium + ?Sized>(
        &self,
        direct: &Direct,
        extents: &M,
        slot_medium: &M,
        Window {
            edges,
            weights,
            tag,
        }: Window<'_>,
        mut outcome: impl FnMut(bool),
    ) -> Result<(), TopologyError> {
        let undirected = self.config.direction == Direction::Undirected;
        let largest = edges.iter().map(|&(u, v)| u.max(v)).max().unwrap_or(0);
        if u64::from(largest) >= crate::MAX_VERTICES {
            return Err(TopologyError::VertexOutOfRange {
                id: u64::from(largest),
                max: crate::MAX_VERTICES - 1,
            });
        }
        let plane = &self.planes[0];
        plane.reach(edges.iter().map(|&(u, _)| u));
        if undirected {
            plane.reach(edges.iter().map(|&(_, v)| v));
        }
        let access = plane.access();
        let parameters = *direct.parameters.read();
        let insert = |vertex: u32, word: u32, weight: u32| {
            let (number, section, list) = access.section_of(vertex).expect("reached above");
            let at = DirectInsert {
                context: &self.context,
                extents,
                slot_medium,
                slots: &direct.slots,
                registry: &self.registry,
                parameters: &parameters,
                plane: plane.number(),
                number,
            };
            let entry = DirectEntry { list, word, weight };
            let placed = section.insert_direct(&at, entry)?;
            if let Some(vertices) = &direct.vertices {
                write_degree(vertices, vertex)?;
            }
            Ok::<bool, PersistenceError>(placed)
        };
        for (i, &(u, v)) in edges.iter().enumerate() {
            if let Some(&(later, _)) = edges.get(i + 12) {
                access.prefetch_section(later);
            }
            if let Some((_, section, list)) = ahead(&access, edges, i + 8) {
                section.prefetch_place(list);
            }
            if let Some((_, section, list)) = ahead(&access, edges, i + 4) {
                section.prefetch_slot(list);
            }
            let count = u64::from(u.max(v)) + 1;
            let late = active(Mutant::DirectVertexCountLate);
            if tag == 0 && !late {
                direct.reach_vertices(slot_medium, count)?;
            }
            let weight = weights.get(i).map_or(0, |weight| weight.to_bits());
            let placed = insert(u, v | tag, weight)?;
            if undirected {
                insert(v, u | tag, weight)?;
            }
            if late {
                direct.reach_vertices(slot_medium, count)?;
            }
            outcome(placed);
        }
        Ok(())
    }
}

/// The list of the edge at `i`.
#[inline(always)]
fn ahead<'a>(
    access: &'a PlaneAccess<'_>,
    edges: &[(u32, u32)],
    i: usize,
) -> Option<(u32, &'a Section, usize)> {
    access.section_of(edges.get(i)?.0)
}

/// The ablation's cost: one word of the vertex's record, flushed and fenced.
fn write_degree(medium: &MediumHandle, vertex: u32) -> Result<(), PersistenceError> {
    let offset = u64::from(vertex) * 16;
    if medium.len() < offset + 16 {
        medium.grow((offset + 16).next_multiple_of(1 << 20))?;
    }
    medium.store_u64(offset, u64::from(vertex) + 1);
    medium.flush(offset, 8)?;
    Ok(medium.fence()?)
}
