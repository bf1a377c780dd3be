//! Facts about the past: what it occupies, and whether it holds.

use evergraph_storage::ViewToken;

use crate::error::TopologyError;
use crate::history::Snapshot;
use crate::published::Published;
use crate::store::Store;
use crate::store::read::check::CheckReport;

/// Space of the history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistoryStats {
    /// Named snapshots.
    pub snapshots: usize,
    /// Bytes on the medium: lengths of the past, and names.
    pub stored_bytes: u64,
    /// Segments that they are in.
    pub segments: usize,
    /// DRAM of lengths that were rebuilt and are kept for the next reader.
    pub cached_bytes: usize,
}

impl Store {
    pub(in crate::store) fn history_stats(&self) -> HistoryStats {
        let roots = self.checkpointer().roots.lock();
        HistoryStats {
            snapshots: self.live().snapshots.names.read().len(),
            stored_bytes: roots.segments.iter().map(|s| s.reserved_bytes()).sum(),
            segments: roots.segments.len(),
            cached_bytes: self.live().resources.pages.bytes(),
        }
    }

    /// All snapshots, ascending by commit, each with the bytes of the lengths that
    /// are kept for it: those that it shows and no snapshot before it does. What
    /// would come free if it were dropped alone is about that, or less, because the
    /// next snapshot may need them. Reads the past of all sections.
    pub fn snapshot_sizes(&self) -> Result<Vec<(Snapshot, u64)>, TopologyError> {
        let mut sizes: Vec<(Snapshot, u64)> = self
            .live()
            .snapshots
            .snapshots()
            .into_iter()
            .map(|s| (s, 0))
            .collect();
        for adjacency in self.live().adjacencies.iter() {
            for (_, section) in adjacency.sections() {
                section.with_history(|history| {
                    history.for_each_size(&self.live().resources.volume.uuid, |csn, bytes| {
                        let shows = sizes.partition_point(|(snapshot, _)| snapshot.csn < csn);
                        if let Some((_, size)) = sizes.get_mut(shows) {
                            *size += bytes as u64;
                        }
                    })
                })?;
            }
        }
        Ok(sizes)
    }

    /// Verifies all lengths of the past: that they can be read, and that they add
    /// up to what the snapshots count.
    pub(in crate::store) fn check_past(
        &self,
        now: &ViewToken<Published>,
        report: &mut CheckReport,
    ) {
        // Those that the lists of `now` can show; whatever is dropped meanwhile
        // stays.
        let (snapshots, held): (Vec<Snapshot>, Vec<_>) =
            (self.live().snapshots.snapshots().into_iter())
                .filter(|snapshot| snapshot.csn <= now.csn())
                .filter_map(|snapshot| {
                    let token = self.live().snapshots.register_at(snapshot.csn).ok()?;
                    Some((snapshot, token))
                })
                .unzip();
        let needed = self.live().registry.needed();
        let commits: Vec<u64> = snapshots.iter().map(|s| s.csn).collect();
        // Out-lists of all types, and in-lists, which a graph may not keep.
        let mut live = [vec![0; commits.len()], vec![0; commits.len()]];
        let sides = self.live().config.adjacency_count();
        for adjacency in self.live().adjacencies.iter() {
            let live = &mut live[adjacency.number() as usize % sides];
            for (_, section) in adjacency.sections() {
                let counted = section.live_at(&self.live().resources, now.csn(), &needed, &commits);
                match counted {
                    Ok(counted) => live.iter_mut().zip(counted).for_each(|(sum, n)| *sum += n),
                    Err(error) => return report.problems.push(error.to_string()),
                }
            }
        }
        for (live, lists) in live.iter().zip(["out-lists", "in-lists"]).take(sides) {
            for (snapshot, live) in snapshots.iter().zip(live) {
                if *live != snapshot.arc_count {
                    report.problems.push(format!(
                        "snapshot \"{}\" counts {} live edges and the {lists} had {live}",
                        snapshot.name, snapshot.arc_count,
                    ));
                }
            }
        }
        drop(held);
    }
}
