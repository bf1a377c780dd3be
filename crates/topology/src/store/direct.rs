//! Direct mode in the store: edges in place, the rest through the log.

use std::sync::atomic::{AtomicU64, Ordering};

use evergraph_graph::Direction;
use evergraph_persistence::mutant::{Mutant, active};
use evergraph_persistence::{Medium, MediumError, MediumHandle, PersistenceError, Storage};
use parking_lot::{Mutex, RwLock};

use super::open::keeps_in_lists;
use super::{Batch, Commit, Config, Store};
use crate::direct::{DirectInsert, DirectParameters, Slots};
use crate::entry::TOMBSTONE;
use crate::error::TopologyError;
use crate::plane::Plane;
use crate::record::{Edges, Op};
use crate::section::{Context, Section};

const VERTICES: &str = "vertices";

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
        let slots = Slots::open(storage, planes.len())?;
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
            let lists = home.section_lists();
            home.insert_section(section, Section::stored_direct(first, lists, extent));
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

    /// Adds edges in place, each durable before the next begins: direct mode's
    /// hot path. Edges before a failure stay.
    pub fn insert_edges_direct(&self, edges: &[(u32, u32)]) -> Result<(), TopologyError> {
        let direct = self.direct_part()?;
        by_type!(self.context.region.medium(), direct.slots.medium(), e, s => {
            for &(u, v) in edges {
                self.insert_direct(direct, e, s, u, v, 0)?;
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
    fn edges_direct(
        &self,
        direct: &Direct,
        edges: &Edges,
        tag: u32,
    ) -> Result<u64, TopologyError> {
        by_type!(self.context.region.medium(), direct.slots.medium(), e, s => {
            let mut missed = 0;
            for (&u, &v) in edges.sources.iter().zip(&edges.targets) {
                missed += u64::from(!self.insert_direct(direct, e, s, u, v, tag)?);
            }
            Ok(missed)
        })
    }

    #[inline(always)]
    fn insert_direct<M: Medium + ?Sized>(
        &self,
        direct: &Direct,
        extents: &M,
        slot_medium: &M,
        u: u32,
        v: u32,
        tag: u32,
    ) -> Result<bool, TopologyError> {
        let late = active(Mutant::DirectVertexCountLate);
        if tag == 0 && !late {
            direct.reach_vertices(slot_medium, u64::from(u.max(v)) + 1)?;
        }
        let parameters = direct.parameters.read();
        let insert = |plane: usize, vertex: u32, word: u32| {
            let home = &self.planes[plane];
            let (number, section) = home.section_of(vertex);
            let at = DirectInsert {
                context: &self.context,
                extents,
                slot_medium,
                slots: &direct.slots,
                registry: &self.registry,
                parameters: &parameters,
                plane: plane as u32,
                number,
            };
            let list = vertex as usize & (home.section_lists() - 1);
            let placed = section.insert_direct(&at, list, word)?;
            if let Some(vertices) = &direct.vertices {
                write_degree(vertices, vertex)?;
            }
            Ok::<bool, PersistenceError>(placed)
        };
        let placed = insert(0, u, v | tag)?;
        if self.config.direction == Direction::Undirected {
            insert(0, v, u | tag)?;
        } else if keeps_in_lists(&self.config) {
            insert(1, v, u | tag)?;
        }
        if late {
            direct.reach_vertices(slot_medium, u64::from(u.max(v)) + 1)?;
        }
        Ok(placed)
    }
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
