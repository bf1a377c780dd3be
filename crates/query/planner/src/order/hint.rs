//! Beginnings that hints ask for.

use super::Finder;
use super::start::Start;
use crate::plan::Slot;

impl Finder<'_> {
    /// Whether there is a hint for a node or a relationship.
    pub(super) fn is_hinted(&self, slot: Slot) -> bool {
        self.pattern.hints.iter().any(|hint| hint.slot == slot)
    }

    /// Whether a hint asks for a way to begin.
    pub(super) fn asks_for(&self, start: &Start) -> bool {
        let mut hints = self.pattern.hints.iter();
        hints.any(|hint| hint.is_followed_by(&start.operator))
    }

    /// The ways to begin that hints ask for, and that are possible now.
    pub(super) fn hinted_starts(&self) -> Vec<Start> {
        let hints = self.pattern.hints.iter().take(self.compared);
        let starts = hints.filter_map(|hint| self.start_of(hint.slot));
        starts.filter(|start| self.asks_for(start)).collect()
    }

    fn start_of(&self, slot: Slot) -> Option<Start> {
        if !self.missing.contains(&slot) {
            return None;
        }
        let relationships = &self.pattern.relationships;
        let mut open = self.open.iter();
        match open.find(|&&place| relationships[place].slot == slot) {
            Some(&place) => self.relationship_start(place),
            None => Some(self.start(slot)),
        }
    }

    /// Begins with the cheapest of what hints ask for, once: the rows of another one would
    /// be combined with all of these, where a relationship leads to few.
    pub(super) fn begin_hinted(&mut self) -> bool {
        if self.follows_hint {
            return false;
        }
        let starts = self.hinted_starts().into_iter();
        let Some(start) = starts.min_by(|one, other| one.cost().total_cmp(&other.cost())) else {
            return false;
        };
        self.follows_hint = true;
        self.begin_at(start);
        true
    }
}
