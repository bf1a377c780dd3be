//! The header of an index's files: database, commit and definition.

use evergraph_property_graph::graph::PropertyGraph;

/// Identity of an index, and the commit up to which it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexPosition {
    /// All commits of the graph up to this one are in it.
    pub csn: u64,
    /// How often the database had been opened for writing by then.
    pub epoch: u32,
    /// The database.
    pub uuid: [u8; 16],
    /// All that decides what the files hold, in the words of their crate.
    pub identity: String,
}

impl IndexPosition {
    /// Mark of an index of a graph as it is now.
    pub fn of(graph: &PropertyGraph, identity: String) -> Self {
        IndexPosition {
            csn: graph.view().csn(),
            epoch: graph.store().stats().epoch,
            uuid: *graph.store().uuid(),
            identity,
        }
    }

    /// Whether an index of this mark can be brought to where the database is, given a
    /// mark of that: the same database, in its own past.
    pub fn leads_to(&self, now: &IndexPosition) -> bool {
        self.uuid == now.uuid
            && self.identity == now.identity
            && self.csn <= now.csn
            && self.epoch <= now.epoch
    }

    /// Whether it is of a later moment of the same index than `now`: of what another
    /// process has committed since this one opened the database, or of what was restored.
    pub fn is_ahead_of(&self, now: &IndexPosition) -> bool {
        now.leads_to(self) && !self.leads_to(now)
    }

    /// As a text.
    pub fn encode(&self) -> String {
        let uuid = u128::from_be_bytes(self.uuid);
        let (csn, epoch, identity) = (self.csn, self.epoch, &self.identity);
        format!("{uuid:032x} {csn} {epoch} {identity}")
    }

    /// `None` if it is no such text.
    pub fn decode(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, ' ');
        Some(IndexPosition {
            uuid: u128::from_str_radix(parts.next()?, 16).ok()?.to_be_bytes(),
            csn: parts.next()?.parse().ok()?,
            epoch: parts.next()?.parse().ok()?,
            identity: parts.next()?.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark() -> IndexPosition {
        IndexPosition {
            csn: 7,
            epoch: 2,
            uuid: [9; 16],
            identity: "4:Post1:a 5:words".to_string(),
        }
    }

    #[test]
    fn the_text_of_a_mark_is_pinned() {
        let pinned = "09090909090909090909090909090909 7 2 4:Post1:a 5:words";
        assert_eq!(mark().encode(), pinned);
    }

    #[test]
    fn a_mark_reads_as_it_was_written() {
        assert_eq!(IndexPosition::decode(&mark().encode()), Some(mark()));
        let encoded = mark().encode();
        let identity = encoded.len() - mark().identity.len();
        for cut in 0..identity {
            assert_eq!(IndexPosition::decode(&encoded[..cut]), None);
        }
    }

    #[test]
    fn only_the_past_of_the_same_index_leads_somewhere() {
        let now = IndexPosition { csn: 9, ..mark() };
        assert!(mark().leads_to(&now) && mark().leads_to(&mark()));
        assert!(!now.leads_to(&mark()), "an older state was restored");
        assert!(now.is_ahead_of(&mark()) && !mark().is_ahead_of(&now));
        assert!(!mark().is_ahead_of(&mark()));
        let reopened = IndexPosition {
            epoch: 3,
            ..now.clone()
        };
        assert!(!reopened.leads_to(&now), "an older state was restored");
        let other = IndexPosition {
            uuid: [8; 16],
            ..mark()
        };
        assert!(!other.leads_to(&now));
        let identity = "4:Post1:c5:words".to_string();
        assert!(!IndexPosition { identity, ..mark() }.leads_to(&now));
    }
}
