//! Morsels: the parts of a scan that threads take.

use crate::record::EntityKind;

/// Slots of a morsel.
pub const MORSEL_SLOTS: u32 = 2048;

/// A range of ids of nodes or of relationships: the unit of a scan. Threads read morsels in
/// any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Morsel {
    kind: EntityKind,
    number: u32,
    is_last: bool,
}

impl Morsel {
    /// Whether it is of nodes or of relationships.
    pub fn kind(&self) -> EntityKind {
        self.kind
    }

    /// Its place among the morsels: the ids of a later one are higher.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The ids that it may give.
    pub fn ids(&self) -> std::ops::Range<u32> {
        let first = self.number * MORSEL_SLOTS;
        match self.is_last {
            true => first..u32::MAX,
            false => first..first + MORSEL_SLOTS,
        }
    }
}

/// The morsels of a scan, at least one: to be taken one by one, from an atomic counter or
/// with [`Morsels::get`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Morsels {
    kind: EntityKind,
    count: u32,
}

impl Morsels {
    /// Of entities with ids below a bound.
    pub(super) fn below(kind: EntityKind, bound: u32) -> Self {
        Morsels {
            kind,
            count: bound.div_ceil(MORSEL_SLOTS).max(1),
        }
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.count
    }

    /// There is always one.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The morsel of a number; `None` behind the last.
    pub fn get(&self, number: u32) -> Option<Morsel> {
        (number < self.count).then(|| Morsel {
            kind: self.kind,
            number,
            is_last: number + 1 == self.count,
        })
    }

    /// All of them.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Morsel> + ExactSizeIterator {
        let Morsels { kind, count } = self;
        (0..count as usize).map(move |number| Morsel {
            kind,
            number: number as u32,
            is_last: number + 1 == count as usize,
        })
    }
}
