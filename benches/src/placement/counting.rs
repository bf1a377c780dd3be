//! Who counts the accesses of a replay.

use std::collections::HashSet;
use std::sync::Arc;

use evergraph_graph::VertexId;
use evergraph_storage::medium::{DramStorage, Emulated, EmulatedDevice};
use evergraph_storage::{Medium, Storage};

use super::replay::Accesses;
use crate::stores::text;

/// Bytes of a vertex's state.
pub const STATE_BYTES: u64 = 8;
/// Of a vertex whose state is in DRAM.
const IN_DRAM: u32 = u32::MAX;

/// How often each state is read and written, and the order in which lists are read.
pub struct Counts {
    pub lists: Vec<VertexId>,
    pub reads: Vec<u64>,
    pub writes: Vec<u64>,
}

impl Counts {
    pub fn new(vertex_count: usize) -> Self {
        Self {
            lists: Vec::new(),
            reads: vec![0; vertex_count],
            writes: vec![0; vertex_count],
        }
    }
}

impl Accesses for Counts {
    fn list(&mut self, u: VertexId) {
        self.lists.push(u);
    }
    fn read(&mut self, v: VertexId) {
        self.reads[v as usize] += 1;
    }
    fn write(&mut self, _: VertexId, v: VertexId) {
        self.writes[v as usize] += 1;
    }
    fn step(&mut self) {}
}

/// The state on an emulated medium, but for that of hot vertices; what is on the
/// medium lies without gaps in the order of the vertices.
pub struct OnMedium {
    places: Vec<u32>,
    medium: Emulated,
    /// Whether each write goes to the medium at once; else at the end of a step.
    at_once: bool,
    pub writes: u64,
    pub in_dram: u64,
}

impl OnMedium {
    pub fn new(vertex_count: usize, hot: &[VertexId], at_once: bool) -> Result<Self, String> {
        let mut places = vec![0; vertex_count];
        hot.iter().for_each(|&v| places[v as usize] = IN_DRAM);
        let cold = places.iter_mut().filter(|place| **place != IN_DRAM);
        (0..).zip(cold).for_each(|(at, place)| *place = at);
        let file = DramStorage::new().open("state", true).map_err(text)?;
        file.grow((vertex_count as u64 * STATE_BYTES).next_multiple_of(4096))
            .map_err(text)?;
        let device: Arc<EmulatedDevice> = EmulatedDevice::new(None);
        Ok(Self {
            places,
            medium: Emulated::new(file, device).map_err(text)?,
            at_once,
            writes: 0,
            in_dram: 0,
        })
    }

    /// Units of 256 bytes that the medium wrote.
    pub fn media_writes(&self) -> u64 {
        self.medium.device().drain().media_writes
    }

    fn flush(&self, offset: u64, len: u64) {
        self.medium.flush(offset, len).expect("DRAM does not fail");
    }
}

impl Accesses for OnMedium {
    fn list(&mut self, _: VertexId) {}
    fn read(&mut self, _: VertexId) {}

    fn write(&mut self, _: VertexId, v: VertexId) {
        self.writes += 1;
        match self.places[v as usize] {
            IN_DRAM => self.in_dram += 1,
            place => {
                let offset = u64::from(place) * STATE_BYTES;
                self.medium.store_u64(offset, self.writes);
                if self.at_once {
                    self.flush(offset, STATE_BYTES);
                }
            }
        }
    }

    fn step(&mut self) {
        if !self.at_once {
            self.flush(0, self.medium.len());
        }
    }
}

/// How many writes come over some edges.
pub struct OverEdges {
    pub edges: HashSet<(VertexId, VertexId)>,
    pub over: u64,
    pub all: u64,
}

impl Accesses for OverEdges {
    fn list(&mut self, _: VertexId) {}
    fn read(&mut self, _: VertexId) {}
    fn write(&mut self, u: VertexId, v: VertexId) {
        self.all += 1;
        self.over += u64::from(self.edges.contains(&(u, v)));
    }
    fn step(&mut self) {}
}
