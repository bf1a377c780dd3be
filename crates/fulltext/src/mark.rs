//! What the files of an index say about themselves: committed with them, in one step.

/// Changes whenever older files cannot be read any more.
const FORMAT: u32 = 1;

/// Whose index it is, and up to where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// All commits of the graph up to this one are in it.
    pub csn: u64,
    /// How often the database had been opened for writing by then.
    pub epoch: u32,
    /// Texts in it that no node has any more; about.
    pub superseded: u64,
    /// The database.
    pub uuid: [u8; 16],
    /// What it is about ([`crate::TextDefinition::identity`]).
    pub identity: String,
}

impl Mark {
    pub fn encode(&self) -> String {
        let uuid = u128::from_be_bytes(self.uuid);
        let (csn, epoch, superseded) = (self.csn, self.epoch, self.superseded);
        let identity = &self.identity;
        format!("{FORMAT} {uuid:032x} {csn} {epoch} {superseded} {identity}")
    }

    /// `None` if it is none.
    pub fn decode(text: &str) -> Option<Mark> {
        let mut parts = text.splitn(6, ' ');
        let format: u32 = parts.next()?.parse().ok()?;
        if format != FORMAT {
            return None;
        }
        Some(Mark {
            uuid: u128::from_str_radix(parts.next()?, 16).ok()?.to_be_bytes(),
            csn: parts.next()?.parse().ok()?,
            epoch: parts.next()?.parse().ok()?,
            superseded: parts.next()?.parse().ok()?,
            identity: parts.next()?.to_string(),
        })
    }

    /// Whether an index of this mark can be brought to where the database is, given a
    /// mark of that: the same database, in its own past.
    pub fn leads_to(&self, now: &Mark) -> bool {
        self.uuid == now.uuid
            && self.identity == now.identity
            && self.csn <= now.csn
            && self.epoch <= now.epoch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark() -> Mark {
        Mark {
            csn: 7,
            epoch: 2,
            superseded: 3,
            uuid: [9; 16],
            identity: "\"Post\" [\"a b\"] Words".to_string(),
        }
    }

    #[test]
    fn a_mark_reads_as_it_was_written() {
        assert_eq!(Mark::decode(&mark().encode()), Some(mark()));
        for cut in 0..12 {
            assert_eq!(Mark::decode(&mark().encode()[..cut]), None);
        }
        assert_eq!(Mark::decode(&mark().encode().replacen('1', "2", 1)), None);
    }

    #[test]
    fn only_the_past_of_the_same_index_leads_somewhere() {
        let now = Mark { csn: 9, ..mark() };
        assert!(mark().leads_to(&now) && mark().leads_to(&mark()));
        assert!(!now.leads_to(&mark()), "an older state was restored");
        let reopened = Mark {
            epoch: 3,
            ..now.clone()
        };
        assert!(!reopened.leads_to(&now), "an older state was restored");
        let other = Mark {
            uuid: [8; 16],
            ..mark()
        };
        assert!(!other.leads_to(&now));
        let identity = "\"Post\" [\"c\"] Words".to_string();
        assert!(!Mark { identity, ..mark() }.leads_to(&now));
    }
}
