//! The layout `blocks`: the merged part of a section as chains of blocks.
//!
//! After XPGraph. A checkpoint of the packed layout writes a touched section
//! whole; here it writes what is new, into blocks that lie on the lines of the
//! medium, and the section's index. Reading costs a jump a block; a compaction
//! makes every list one block again.
//!
//! ```text
//! directory entry ─► index ─► slab table ─► slab  slab  slab …
//!                     │                      ▲
//!                     └ list: first block ───┘─► next block ─► …
//! ```
//!
//! * The **index** of a section is an extent that is written anew, out of place,
//!   at each flush; its checksum is in the directory entry. It holds all that an
//!   append needs (length, last block, how full that is, the checksum of the
//!   list so far), so a flush reads nothing of what was there.
//! * **Slabs** are extents in which blocks lie; each new one is at least a
//!   quarter of those before, so there are logarithmically many. A block is
//!   named by its word in the section's own address space, in which slabs have
//!   their fixed places: relative links, as in XPGraph, but of single words, so
//!   that blocks of exact size need no padding. That bounds a section's slabs to
//!   16 GiB, which is more entries than the packed layout can count.
//! * **Blocks** of 32, 64, and 128 bytes are aligned to their size, larger ones
//!   are multiples of 256 aligned to 256. So none of up to 256 bytes straddles a
//!   line of the medium, and a full vertex buffer of 62 entries is one write.
//!
//! # Who may write which bytes
//! Published entries never change. A flush writes only what no published index
//! counts: behind the last entry of a list's last block, the link of that block
//! (which readers of the old index do not follow, because for them the list
//! ends there), and free space. Nothing of it means anything before the root
//! names the new index; after a crash the old index holds, what lies beyond it
//! is ignored, and the replay writes over it. How far replay has got is the CSN
//! of the root: nothing is compared by value, as XPGraph does, which is wrong
//! where edges repeat.
//!
//! Space of blocks that a compaction emptied is handed out again by a flush
//! after the root with the compaction is durable, and when no reader holds an
//! older version of the section (`lineage` keeps count).

mod format;
mod index;
mod lineage;
mod pieces;
mod read;
mod rewrite;
mod slabs;
mod source;
mod space;
mod update;
mod verify;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use read::{Base, Segments};
pub(crate) use rewrite::Identity;
pub(crate) use source::ListSource;
pub(crate) use update::Written;
