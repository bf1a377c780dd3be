//! Full verification.

use std::ops::ControlFlow;

use evergraph_storage::{SectionKey, ViewToken};

use crate::adjacency::Adjacency;
use crate::list::ListScratch;
use crate::published::Published;
use crate::section_view::SectionView;
use crate::store::Store;

/// Report of a full verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Sections read.
    pub sections: usize,
    /// Entries read.
    pub entries: u64,
    /// Sealed graphs read.
    pub sealed_graphs: usize,
    /// Violations, one sentence each.
    pub problems: Vec<String>,
}

/// The live edges of an adjacency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Live {
    edges: u64,
    /// A sum over their ends and ids, which does not depend on the order; 0 in a
    /// graph without ids.
    sum: u64,
}

impl Store {
    /// Verifies every byte that the graph reaches: checksums, counts, ids in
    /// range, that in-lists mirror out-lists (in number; of relationships, one by
    /// one), that the snapshots have the edges that they count, sealed graphs, and
    /// what an extension has. Damage is reported, not returned as an error.
    pub fn check(&self) -> CheckReport {
        let token = self.register();
        let mut report = CheckReport::default();
        let mut out = 0;
        // The out-lists of the type whose in-lists come next.
        let mut last = Live::default();
        for adjacency in self.live().adjacencies.iter() {
            let live = self.check_adjacency(adjacency, &token, &mut report);
            if self.live().config.is_of_out_lists(adjacency.number()) {
                out += live.edges;
                last = live;
            } else {
                self.compare(adjacency, std::mem::take(&mut last), live, &mut report);
            }
        }
        let counted = self.arc_count(&token).unwrap_or(out);
        if out != counted && report.problems.is_empty() {
            report.problems.push(format!(
                "lists hold {out} live edges where {counted} are counted"
            ));
        }
        self.checkpointer().check_sealed(&mut report);
        if let Err(error) = self.ids() {
            report.problems.push(error.to_string());
        }
        if let Some(extension) = &self.live().extension {
            extension.check(token.csn(), &mut report.problems);
        }
        if self.live().direct.is_none() && report.problems.is_empty() {
            self.check_past(&token, &mut report);
        }
        report
    }

    /// Compares the in-lists of an adjacency with the out-lists.
    fn compare(&self, adjacency: &Adjacency, out: Live, incoming: Live, report: &mut CheckReport) {
        if out == incoming || !report.problems.is_empty() {
            return;
        }
        let of = match self.live().config.relationships {
            true => format!(" of type {}", adjacency.number() / 2),
            false => String::new(),
        };
        report.problems.push(match out.edges == incoming.edges {
            true => format!("out-lists and in-lists{of} hold other relationships"),
            false => format!(
                "out-lists{of} hold {} live edges and in-lists {}",
                out.edges, incoming.edges
            ),
        });
    }

    fn check_adjacency(
        &self,
        adjacency: &Adjacency,
        token: &ViewToken<Published>,
        report: &mut CheckReport,
    ) -> Live {
        let mut live = Live::default();
        let needed = self.live().registry.needed();
        for (key, section) in adjacency.sections() {
            report.sections += 1;
            let view = match section.view(&self.live().resources, token.csn(), &needed) {
                Ok(view) => view,
                Err(error) => {
                    report.problems.push(error.to_string());
                    continue;
                }
            };
            if let Err(error) = view.verify(&self.live().resources.volume.uuid) {
                report.problems.push(error.to_string());
                continue;
            }
            let (entries, tombstones) = view.recount();
            report.entries += entries;
            if view.totals() != (entries, tombstones) {
                report.problems.push(format!(
                    "section {} of adjacency {} counts {:?} entries and tombstones and holds {:?}",
                    key.section,
                    key.owner,
                    view.totals(),
                    (entries, tombstones)
                ));
            }
            if let Some(id) = view.largest_neighbor()
                && u64::from(id) >= token.state().vertex_count
            {
                report.problems.push(format!(
                    "section {} of adjacency {} names vertex {id} of {}",
                    key.section,
                    key.owner,
                    token.state().vertex_count
                ));
            }
            match entries.checked_sub(2 * tombstones) {
                Some(edges) => live.edges += edges,
                None => report.problems.push(format!(
                    "section {} of adjacency {} holds {tombstones} tombstones among {entries} entries",
                    key.section, key.owner
                )),
            }
            if self.live().config.relationships {
                let sum = self.sum_of(key, section.first_vertex(), &view, report);
                live.sum = live.sum.wrapping_add(sum);
            }
        }
        live
    }

    /// Sums the live relationships of a section up, and counts them again.
    fn sum_of(
        &self,
        key: SectionKey,
        first_vertex: u32,
        view: &SectionView,
        report: &mut CheckReport,
    ) -> u64 {
        let (mut sum, mut count) = (0u64, 0);
        let is_out = self.live().config.is_of_out_lists(key.owner);
        let mut scratch = ListScratch::default();
        for list in 0..view.list_count() {
            let vertex = first_vertex + list as u32;
            let _ = view.for_each_weighted_segment::<()>(list, &mut scratch, |words, ids| {
                count += words.len() as u64;
                for (&neighbor, &id) in words.iter().zip(ids) {
                    let (source, target) = match is_out {
                        true => (vertex, neighbor),
                        false => (neighbor, vertex),
                    };
                    sum = sum.wrapping_add(digest(source, target, id));
                }
                ControlFlow::Continue(())
            });
        }
        if count != view.live_entries() {
            report.problems.push(format!(
                "section {} of adjacency {} counts {} live relationships and shows {count}",
                key.section,
                key.owner,
                view.live_entries()
            ));
        }
        sum
    }
}

/// A number for a relationship, so that sums of different ones differ.
fn digest(source: u32, target: u32, id: u32) -> u64 {
    let mix = |word: u64| {
        let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    };
    mix(mix(u64::from(source) << 32 | u64::from(target)).wrapping_add(u64::from(id)))
}
