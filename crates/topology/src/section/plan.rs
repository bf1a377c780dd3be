//! Plans of merges: the ways from a section's present state to the wanted one.

use crate::entry::Cancels;
use crate::layout::{Base, Layout};
use crate::lengths::LengthPage;

/// Goals of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Everything committed is in the extent.
    Merged,
    /// And the section has the layout that the store has now.
    Converted,
    /// And nothing that is deleted is there, nor a list in several blocks.
    Compacted,
    /// As far as one list is concerned, without deletions and in one block; others
    /// may be compacted, too.
    CompactedList(usize),
}

/// A section of relationships of which so many entries are tombstones, as one part
/// of all, is compacted by any merge.
const MANY_TOMBSTONES: u64 = 8;

/// Relationships come and go without a call of `compact`: a merge of a packed section,
/// which writes it whole in any case, drops what is deleted when that is much of it.
/// Sections of blocks keep it until they are compacted.
pub(super) fn compacting_on_the_way(
    wanted: Wanted,
    page: &LengthPage,
    layout: Layout,
    cancels: Cancels,
) -> Wanted {
    let asks = wanted == Wanted::Merged && layout == Layout::Pma && cancels == Cancels::Named;
    if !asks || page.tombstones.is_none() {
        return wanted;
    }
    let (entries, tombstones) = page.totals();
    match tombstones * MANY_TOMBSTONES >= entries {
        true => Wanted::Compacted,
        false => wanted,
    }
}

/// Ways of a frozen section to the medium, each with its content of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// All entries, as a packed section.
    Pack,
    /// All entries, as a section of blocks that was none before.
    IntoBlocks,
    /// All entries, or all live ones, as a section of blocks again, one block a
    /// list.
    RewriteBlocks,
    /// The new entries, behind the blocks there are.
    AppendBlocks,
    /// The same, but all live entries of one list.
    CompactBlocks(usize),
}

pub(super) fn is_chained(base: &Base) -> bool {
    match base {
        Base::Packed(_) => false,
        Base::Blocks(base) => {
            let bytes = base.bytes();
            bytes.slabs > bytes.least_slabs
        }
    }
}

/// Chooses the way from the section's present state to the wanted one.
pub(super) fn plan(
    base: &Base,
    page: &LengthPage,
    wanted: Wanted,
    layout: Layout,
    rewrite_growth: Option<u32>,
) -> Plan {
    match (layout, base) {
        (Layout::Pma, _) => Plan::Pack,
        (Layout::Blocks, Base::Packed(_)) => Plan::IntoBlocks,
        (Layout::Blocks, Base::Blocks(blocks)) => match wanted {
            Wanted::Compacted if page.tombstones.is_some() || is_chained(base) => {
                Plan::RewriteBlocks
            }
            Wanted::CompactedList(list) if page.tombstones(list) > 0 || base.is_chained(list) => {
                Plan::CompactBlocks(list)
            }
            _ if blocks.has_outgrown(page, 0, rewrite_growth) => Plan::RewriteBlocks,
            _ => Plan::AppendBlocks,
        },
    }
}

/// Lists that a merge compacts.
#[derive(Clone, Copy)]
pub(super) enum Dropping {
    All,
    One(usize),
}

impl Dropping {
    /// Those that are wanted and have tombstones, if there are any.
    pub(super) fn of(page: &LengthPage, wanted: Wanted, plan: Plan) -> Option<Self> {
        page.tombstones.as_ref()?;
        match (wanted, plan) {
            (Wanted::Merged | Wanted::Converted, _) | (_, Plan::AppendBlocks) => None,
            (_, Plan::CompactBlocks(list)) => Some(Dropping::One(list)),
            _ => Some(Dropping::All),
        }
    }

    pub(super) fn is_of(self, list: usize) -> bool {
        match self {
            Dropping::All => true,
            Dropping::One(one) => one == list,
        }
    }
}

impl Plan {
    /// Whether lists in several blocks become one.
    pub(super) fn ends_chains(self, base: &Base) -> bool {
        match self {
            Plan::CompactBlocks(list) => base.is_chained(list),
            _ => is_chained(base),
        }
    }
}
