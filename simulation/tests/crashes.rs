//! The short campaign: every power cut of small workloads, and every seeded
//! mistake caught.
//!
//! `EVERGRAPH_CAMPAIGN=deep` explores more seeds, longer; `EVERGRAPH_REPLAY`
//! repeats one execution.

mod campaign;

use campaign::{assert_all_caught, explore, is_deep};
use evergraph_graph::Direction;
use evergraph_simulated::{Budget, Persistence, Report};
use evergraph_simulation::StoreScenario;
use evergraph_topology::Mode;

const DIRECTIONS: [Direction; 3] = [Direction::Out, Direction::Undirected, Direction::Both];

fn scenarios() -> Vec<StoreScenario> {
    let seeds = if is_deep() { 64 } else { 10 };
    let operations = if is_deep() { 24 } else { 10 };
    let media = [
        (Mode::Merged, Persistence::Pages),
        (Mode::Merged, Persistence::Lines),
        (Mode::Merged, Persistence::LinesEadr),
    ];
    let mut all = Vec::new();
    for persistence in [Persistence::Lines, Persistence::LinesEadr] {
        let scenario = |direction, seed| {
            StoreScenario::new(Mode::Direct, persistence, direction, seed, 3 * operations)
        };
        all.extend((1..=2 * seeds).map(|seed| scenario(Direction::Out, seed)));
        for direction in DIRECTIONS {
            for seed in 1..=seeds / 2 {
                // Out-lists without weights are above.
                let scenario = scenario(direction, 100 + seed);
                let plain = direction != Direction::Out && seed % 2 == 0;
                all.push(if plain { scenario } else { scenario.weighted() });
            }
        }
    }
    for (_, persistence) in media {
        all.push(StoreScenario::one_list_compacted(persistence));
        all.push(StoreScenario::section_rewritten(persistence));
        all.push(StoreScenario::snapshots_passed(persistence));
    }
    for (mode, persistence) in media {
        for direction in DIRECTIONS {
            for seed in 1..=seeds {
                all.push(StoreScenario::new(
                    mode,
                    persistence,
                    direction,
                    seed,
                    operations,
                ));
            }
        }
    }
    for (_, persistence) in media {
        for direction in DIRECTIONS {
            let scenario =
                |seed| StoreScenario::with_snapshots(persistence, direction, seed, operations);
            all.extend((1..=seeds / 2).map(scenario));
        }
    }
    all
}

#[test]
fn every_power_cut_is_recovered_from() {
    let scenarios = scenarios();
    let short = Budget {
        executions: 60_000,
        exhaustive: [300, 16, 4],
        sampled: [120, 8, 2],
        sources: [3, 1],
    };
    let Some(reports) = explore(&scenarios, short) else {
        return;
    };
    let executions: u64 = reports.iter().map(Report::total_executions).sum();
    assert!(
        executions >= 1_000_000,
        "the short campaign is a million executions"
    );
    reports.iter().for_each(|report| report.assert_clean());
}

/// Every seeded mistake must be caught; the score is printed.
#[test]
fn every_seeded_mistake_is_caught() {
    let budget = Budget {
        executions: 40_000,
        exhaustive: [300, 16, 0],
        sampled: [120, 8, 0],
        sources: [4, 0],
    };
    let direct =
        |direction, seed| StoreScenario::new(Mode::Direct, Persistence::Lines, direction, seed, 36);
    let combinations = [
        (Mode::Merged, Persistence::Lines),
        (Mode::Merged, Persistence::Pages),
        (Mode::Direct, Persistence::Lines),
    ];
    let scenarios: Vec<StoreScenario> = (1..=8)
        .flat_map(|seed| {
            combinations.map(|(mode, persistence)| {
                let count = if mode == Mode::Direct { 36 } else { 12 };
                StoreScenario::new(mode, persistence, Direction::Out, seed, count)
            })
        })
        .chain([Persistence::Lines, Persistence::Pages].map(StoreScenario::one_list_compacted))
        .chain([Persistence::Lines, Persistence::Pages].map(StoreScenario::section_rewritten))
        .chain([Persistence::Lines, Persistence::Pages].map(StoreScenario::snapshots_passed))
        .chain((1..=6).map(|seed| {
            StoreScenario::with_snapshots(Persistence::Pages, Direction::Out, seed, 12)
        }))
        .chain((1..=3).flat_map(|seed| DIRECTIONS.map(|d| direct(d, seed).weighted())))
        .collect();
    assert_all_caught(MUTANTS, &scenarios, budget);
}

const MUTANTS: &[&str] = &[
    "log.records-not-flushed",
    "log.header-flushed-alone",
    "log.fence-missing",
    "log.valid-by-nonzero",
    "log.replay-off-by-one",
    "log.epoch-not-bumped",
    "extent.half-flushed",
    "superblock.slots-share-one-fence",
    "checkpoint.section-forgotten",
    "checkpoint.metadata-forgotten",
    "replay.merged-ignored",
    "checkpoint.log-freed-too-far",
    "blocks.fill-not-flushed",
    "blocks.reused-too-early",
    "blocks.rewrite-frees-first",
    "history.dropped-at-merge",
    "history.after-root",
    "history.freed-first",
    "history.stored-twice",
    "history.names-not-stored",
    "history.drop-forgotten",
    "compact.snapshots-ignored",
    "replay.snapshots-jumped",
    "relayout.unmarked",
    "checkpoint.directory-not-fenced",
    "checkpoint.old-extents-freed-first",
    "open.clean-mark-kept",
    "direct.wrong-address-flushed",
    "direct.edge-not-fenced",
    "direct.slot-before-extent",
    "direct.slot-not-flushed",
    "direct.old-freed-first",
    "direct.edge-log-ignored",
    "direct.edge-log-off-by-one",
    "direct.torn-entry-counts",
    "direct.vertex-count-late",
    "direct.rewrite-loses-log",
    "direct.slot-counted-first",
    "direct.slots-identity-not-flushed",
    "log.identity-not-flushed",
    "direct.intent-not-fenced",
    "direct.intents-ignored",
    "direct.intent-redone-by-value",
];
