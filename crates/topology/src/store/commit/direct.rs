//! Direct mode in the store: edges in place, the rest through the log.

use std::sync::Arc;

use evergraph_graph::StoredLists;
use evergraph_storage::failpoint;
use evergraph_storage::{Medium, MediumError, MediumHandle, Storage, StorageError};

use crate::adjacency::{Adjacency, AdjacencyAccess};
use crate::direct::{
    Claim, DirectEntry, DirectInsert, DirectParameters, DirectShared, Half, Intent, Intents, Pair,
    Rewrites, Slots,
};
use crate::error::TopologyError;
use crate::record::Edges;
use crate::section::Section;
use crate::store::live::LiveGraph;
use crate::store::live::in_place::Direct;

const VERTICES: &str = "vertices";
/// Edges that are inserted under one look at the adjacency.
const WINDOW: usize = 4096;

/// Edges that are inserted under one look at the adjacency, or deleted.
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
            (MediumHandle::Other($e), MediumHandle::Other($s)) => {
                let ($e, $s) = (&**$e, &**$s);
                $body
            }
            _ => Err(TopologyError::from(MediumError::NotByteAddressed)),
        }
    };
}

impl LiveGraph {
    pub(in crate::store) fn set_direct_parameters(
        &mut self,
        storage: &dyn Storage,
        parameters: DirectParameters,
    ) -> Result<(), TopologyError> {
        let Some(direct) = &mut self.direct else {
            return Err(TopologyError::WrongMode(
                "only direct mode has an edge log in each section",
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

    pub(in crate::store) fn insert_edges_direct(
        &self,
        edges: &[(u32, u32)],
    ) -> Result<(), TopologyError> {
        self.status.refuse_if_not_writable()?;
        let direct = self.direct_part()?;
        if self.config.weighted {
            let problem = "this graph has weights: give each edge one";
            return Err(TopologyError::Weights(problem));
        }
        by_type!(self.resources.volume.region.medium(), direct.slots.medium(), e, s => {
            for window in edges.chunks(WINDOW) {
                self.insert_window(direct, e, s, Window::inserts(window, &[]), |_| ())?;
            }
            Ok(())
        })
    }

    pub(in crate::store) fn rewrites(&self) -> Option<&Rewrites> {
        self.direct.as_ref().map(|direct| &direct.rewrites)
    }

    pub(in crate::store) fn edge_log_fill(&self) -> (u64, u64) {
        let sections = self.adjacencies.iter().flat_map(Adjacency::sections);
        sections.fold((0, 0), |(used, slots), (_, section)| {
            let (its_used, its_slots) = section.edge_log_fill();
            (used + its_used as u64, slots + its_slots as u64)
        })
    }

    pub(in crate::store) fn direct_part(&self) -> Result<&Direct, TopologyError> {
        let direct = self.direct.as_ref();
        direct.ok_or(TopologyError::WrongMode("this database is in merged mode"))
    }

    /// Returns the number of deletions that found nothing.
    pub(in crate::store) fn edges_direct(
        &self,
        direct: &Direct,
        edges: &Edges,
        tag: u32,
    ) -> Result<u64, TopologyError> {
        let pairs: Vec<(u32, u32)> = edges
            .sources
            .iter()
            .copied()
            .zip(edges.targets.iter().copied())
            .collect();
        let edges_weights = &edges.weights;
        by_type!(self.resources.volume.region.medium(), direct.slots.medium(), e, s => {
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
        let largest = edges.iter().map(|&(u, v)| u.max(v)).max().unwrap_or(0);
        if u64::from(largest) >= crate::MAX_VERTICES {
            return Err(TopologyError::VertexOutOfRange {
                id: u64::from(largest),
                max: crate::MAX_VERTICES - 1,
            });
        }
        let parameters = *direct.parameters.read();
        let shared = DirectShared {
            resources: &self.resources,
            extents,
            slot_medium,
            slots: &direct.slots,
            registry: &self.registry,
            parameters: &parameters,
            rewrites: &direct.rewrites,
        };
        let adjacency = &self.adjacencies[0];
        adjacency.reach(edges.iter().map(|&(u, _)| u));
        let reverse = self.reverse_adjacency();
        if let Some(reverse) = reverse {
            reverse.reach(edges.iter().map(|&(_, v)| v));
        }
        let access = adjacency.access();
        // One adjacency is looked at once: a second look could wait for a writer
        // that waits for the first.
        let reverse_access = match reverse {
            Some(reverse) if reverse.number() != adjacency.number() => Some(reverse.access()),
            _ => None,
        };
        let forward = Lists {
            adjacency: adjacency.number(),
            access: &access,
        };
        let backward = reverse.map(|reverse| Lists {
            adjacency: reverse.number(),
            access: reverse_access.as_ref().unwrap_or(&access),
        });
        let mut claim = match &backward {
            Some(_) => direct.intents.as_ref().map(Intents::claim),
            None => None,
        };
        for (i, &(u, v)) in edges.iter().enumerate() {
            announce(edges, i, &forward, |edge| edge.0);
            if let Some(backward) = &backward {
                announce(edges, i, backward, |edge| edge.1);
            }
            let count = u64::from(u.max(v)) + 1;
            let late = failpoint!("direct.vertex-count-late");
            if tag == 0 && !late {
                direct.reach_vertices(slot_medium, count)?;
            }
            let weight = weights.get(i).map_or(0, |weight| weight.to_bits());
            let placed = match &backward {
                None => self.insert_in_one(&forward.half(&shared, u, v | tag, weight))?,
                Some(backward) => self.insert_in_two(
                    [
                        forward.half(&shared, u, v | tag, weight),
                        backward.half(&shared, v, u | tag, weight),
                    ],
                    claim.as_mut(),
                )?,
            };
            if let Some(vertices) = &direct.vertices {
                write_degree(vertices, u)?;
                if backward.is_some() {
                    write_degree(vertices, v)?;
                }
            }
            if late {
                direct.reach_vertices(slot_medium, count)?;
            }
            outcome(placed);
        }
        Ok(())
    }

    /// One edge in one list.
    #[inline(always)]
    fn insert_in_one<M: Medium + ?Sized>(
        &self,
        there: &Half<'_, M>,
    ) -> Result<bool, TopologyError> {
        let mut locked = there.section.lock_direct();
        // A list that a panic has left half changed must not grow any more.
        self.status.refuse_if_failed()?;
        let insert = || {
            there
                .section
                .insert_direct(&mut locked, &there.at, there.entry)
        };
        Ok(self.status.poisoning(insert)?)
    }

    /// One edge in two lists. Apart, so that the loop over edges in one list
    /// stays small.
    #[inline(never)]
    fn insert_in_two<M: Medium + ?Sized>(
        &self,
        halves: [Half<'_, M>; 2],
        claim: Option<&mut Claim<'_>>,
    ) -> Result<bool, TopologyError> {
        let Some(claim) = claim else {
            let [there, back] = &halves;
            let placed = self.insert_in_one(there)?;
            self.insert_in_one(back)?;
            return Ok(placed);
        };
        let mut pair = Pair::lock(halves);
        // Asked under the locks: a list that a failed intent is about must not grow any
        // more.
        self.status.refuse_if_failed()?;
        self.status.poisoning(|| {
            if !pair.prepare()? {
                return Ok(false);
            }
            // After an error it is unknown how much of it is on the medium.
            pair.carry_out(claim.slot())
                .inspect_err(|_| self.status.fail())?;
            pair.finish()?;
            Ok(true)
        })
    }

    /// Adjacency of the second entry of an edge, if there is one.
    fn reverse_adjacency(&self) -> Option<&Adjacency> {
        match self.config.direction {
            StoredLists::Out => None,
            StoredLists::Undirected => Some(&self.adjacencies[0]),
            StoredLists::Both => Some(&self.adjacencies[1]),
        }
    }

    /// Recovery step R6: of an edge in two lists that a power cut left in one,
    /// the other entry is appended. A reader only shows it so.
    pub(in crate::store) fn fulfil_intents(&mut self) -> Result<(), TopologyError> {
        let Some(direct) = &self.direct else {
            return Ok(());
        };
        let medium = direct.slots.medium();
        let intents = direct.slots.open_intents(|slot, intent| {
            if failpoint!("direct.intents-ignored") {
                return Ok(());
            }
            let halves = self.halves_of(&intent, slot.offset())?;
            let mut there = [false; 2];
            for (half, (section, entry)) in halves.iter().enumerate() {
                let len = section.direct_len(&self.resources, entry.list)?;
                there[half] = len > intent.expected[half];
                if failpoint!("direct.intent-redone-by-value") {
                    there[half] = section.direct_holds(&self.resources, *entry)?;
                }
            }
            match there {
                [true, true] => Ok(()),
                // Not begun. It must not look half done when another edge has
                // been appended to one of the lists.
                [false, false] if self.status.is_read_only() => Ok(()),
                [false, false] => {
                    slot.void(medium)?;
                    Ok(())
                }
                _ => {
                    let missing = usize::from(there[0]);
                    self.append_missing(direct, &halves[missing], missing, slot.offset())
                }
            }
        })?;
        if let Some(direct) = &mut self.direct {
            direct.intents = intents;
        }
        Ok(())
    }

    /// Section and entry of both halves of an intent.
    fn halves_of(
        &self,
        intent: &Intent,
        offset: u64,
    ) -> Result<[(Arc<Section>, DirectEntry); 2], StorageError> {
        let damaged = || unfounded(offset);
        let reverse = self.reverse_adjacency().ok_or_else(damaged)?;
        let half = |adjacency: &Adjacency, vertex: u32, neighbor: u32| {
            let known = self.direct.as_ref().map_or(0, Direct::vertex_count);
            if u64::from(vertex.max(neighbor)) >= known {
                return Err(damaged());
            }
            let number = (vertex >> self.config.section_shift) as usize;
            let section = adjacency.section(number).ok_or_else(damaged)?;
            let entry = DirectEntry {
                list: (vertex - section.first_vertex()) as usize,
                word: neighbor | intent.tag,
                weight: intent.weight,
            };
            Ok((section, entry))
        };
        let halves = [
            half(&self.adjacencies[0], intent.source, intent.target)?,
            half(reverse, intent.target, intent.source)?,
        ];
        // Lists never become shorter.
        let twice = std::ptr::eq(&self.adjacencies[0], reverse) && intent.source == intent.target;
        for (half, (section, entry)) in halves.iter().enumerate() {
            let counts_first = u32::from(twice && half == 1);
            let least = intent.expected[half].checked_sub(counts_first);
            let len = section.direct_len(&self.resources, entry.list)?;
            if least.is_none_or(|least| len < least) {
                return Err(damaged());
            }
        }
        Ok(halves)
    }

    fn append_missing(
        &self,
        direct: &Direct,
        (section, entry): &(Arc<Section>, DirectEntry),
        half: usize,
        offset: u64,
    ) -> Result<(), StorageError> {
        let appended = if self.status.is_read_only() {
            section.show_direct(&self.resources, *entry)?
        } else {
            let adjacency = if half == 0 {
                Some(&self.adjacencies[0])
            } else {
                self.reverse_adjacency()
            };
            let parameters = *direct.parameters.read();
            let shared = DirectShared {
                resources: &self.resources,
                extents: self.resources.volume.region.medium(),
                slot_medium: direct.slots.medium(),
                slots: &direct.slots,
                registry: &self.registry,
                parameters: &parameters,
                rewrites: &direct.rewrites,
            };
            let at = DirectInsert {
                shared: &shared,
                adjacency: adjacency.map_or(0, Adjacency::number),
                number: section.first_vertex() >> self.config.section_shift,
            };
            section.insert_direct(&mut section.lock_direct(), &at, *entry)?
        };
        if appended {
            Ok(())
        } else {
            Err(unfounded(offset))
        }
    }
}

fn unfounded(offset: u64) -> StorageError {
    let what = "a writer was about to do what does not fit the lists";
    StorageError::damaged(Slots::file_name(), offset, what)
}

/// The lists of one direction.
struct Lists<'a> {
    adjacency: u32,
    access: &'a AdjacencyAccess<'a>,
}

impl<'a> Lists<'a> {
    /// An entry on its way to the list of `vertex`.
    #[inline(always)]
    fn half<M: Medium + ?Sized>(
        &self,
        shared: &'a DirectShared<'a, M>,
        vertex: u32,
        word: u32,
        weight: u32,
    ) -> Half<'a, M> {
        let found = self.access.section_of(vertex);
        let (number, section, list) = found.expect("reached before");
        Half {
            section,
            at: DirectInsert {
                shared,
                adjacency: self.adjacency,
                number,
            },
            entry: DirectEntry { list, word, weight },
        }
    }
}

/// Fetches what later edges will touch.
#[inline(always)]
fn announce(
    edges: &[(u32, u32)],
    i: usize,
    lists: &Lists<'_>,
    vertex: impl Fn(&(u32, u32)) -> u32,
) {
    let vertex = |i: usize| edges.get(i).map(&vertex);
    if let Some(later) = vertex(i + 12) {
        lists.access.prefetch_section(later);
    }
    let section_of = |i| lists.access.section_of(vertex(i)?);
    if let Some((_, section, list)) = section_of(i + 8) {
        section.prefetch_place(list);
    }
    if let Some((_, section, list)) = section_of(i + 4) {
        section.prefetch_slot(list);
    }
}

/// The ablation's cost: one word of the vertex's record, flushed and fenced.
fn write_degree(medium: &MediumHandle, vertex: u32) -> Result<(), StorageError> {
    let offset = u64::from(vertex) * 16;
    if medium.len() < offset + 16 {
        medium.grow((offset + 16).next_multiple_of(1 << 20))?;
    }
    medium.store_u64(offset, u64::from(vertex) + 1);
    medium.flush(offset, 8)?;
    Ok(medium.fence()?)
}
