//! Scenarios of each kind, and how many of them a run takes.

use evergraph_graph::StoredLists;
use evergraph_simulated::mutants::of_suite;
use evergraph_simulated::{Budget, Depth, Persistence, Suite};
use evergraph_topology::Mode;

use crate::{ExtensionScenario, ResultScenario, SealedScenario, StoreScenario};

const DIRECTIONS: [StoredLists; 3] = [StoredLists::Out, StoredLists::Undirected, StoredLists::Both];

fn killers(suite: &str) -> String {
    format!("{}/killers/{suite}.tsv", env!("CARGO_MANIFEST_DIR"))
}

/// The store in merged mode: edges, vertices, snapshots, both layouts.
pub fn store() -> Suite<StoreScenario> {
    Suite {
        name: "store",
        scripted: || {
            let scripts = [
                StoreScenario::left_behind,
                StoreScenario::one_list_compacted,
                StoreScenario::section_rewritten,
                StoreScenario::snapshots_passed,
                StoreScenario::stored_ahead,
                StoreScenario::large_commits,
            ];
            let of_medium = |medium| scripts.map(|script| script(medium));
            Persistence::ALL.into_iter().flat_map(of_medium).collect()
        },
        of_seed: |seed, depth| {
            let steps = match depth {
                Depth::Short => 10,
                Depth::Deep => 24,
            };
            let of = |medium, lists| {
                [
                    StoreScenario::new(Mode::Merged, medium, lists, seed, steps),
                    StoreScenario::with_snapshots(medium, lists, seed, steps),
                ]
            };
            let of_medium = |medium| {
                let others = [
                    StoreScenario::laps(medium, seed),
                    StoreScenario::with_snapshots(medium, StoredLists::Out, seed, steps)
                        .meanwhile(),
                ];
                let of_medium = DIRECTIONS.into_iter().flat_map(move |d| of(medium, d));
                of_medium.chain(others)
            };
            Persistence::ALL.into_iter().flat_map(of_medium).collect()
        },
        seeds: 64,
        drawn: 1,
        fixed: &[],
        short: Budget {
            executions: 60_000,
            exhaustive: [200, 12, 4],
            sampled: [80, 6, 2],
            sources: [3, 1],
        },
        ends: 3,
        mutants: of_suite("store"),
        killers: killers("store"),
    }
}

/// Direct mode, in which each edge is a commit of its own.
pub fn direct() -> Suite<StoreScenario> {
    Suite {
        name: "direct",
        scripted: Vec::new,
        of_seed: |seed, depth| {
            let steps = match depth {
                Depth::Short => 30,
                Depth::Deep => 72,
            };
            let of = |medium, lists| StoreScenario::new(Mode::Direct, medium, lists, seed, steps);
            let of_medium = |medium| {
                DIRECTIONS
                    .into_iter()
                    .flat_map(move |lists| [of(medium, lists), of(medium, lists).weighted()])
            };
            let media = [Persistence::Lines, Persistence::LinesEadr];
            media.into_iter().flat_map(of_medium).collect()
        },
        seeds: 128,
        drawn: 2,
        fixed: &[],
        short: Budget {
            executions: 20_000,
            exhaustive: [80, 8, 0],
            sampled: [40, 4, 0],
            sources: [2, 0],
        },
        ends: 3,
        mutants: of_suite("direct"),
        killers: killers("direct"),
    }
}

/// Sealed graphs: stored, replaced, dropped.
pub fn sealed() -> Suite<SealedScenario> {
    Suite {
        name: "sealed",
        scripted: Vec::new,
        of_seed: |seed, depth| {
            let steps = match depth {
                Depth::Short => 9,
                Depth::Deep => 20,
            };
            Persistence::ALL
                .map(|medium| SealedScenario::new(medium, seed, steps))
                .into()
        },
        seeds: 48,
        drawn: 3,
        fixed: &[],
        short: Budget {
            executions: 20_000,
            exhaustive: [300, 16, 0],
            sampled: [120, 8, 0],
            sources: [3, 0],
        },
        ends: 3,
        mutants: of_suite("sealed"),
        killers: killers("sealed"),
    }
}

/// Relationships, and registers that are an extension of their store.
pub fn extension() -> Suite<ExtensionScenario> {
    Suite {
        name: "extension",
        scripted: Vec::new,
        of_seed: |seed, depth| {
            let steps = match depth {
                Depth::Short => 10,
                Depth::Deep => 20,
            };
            Persistence::ALL
                .map(|medium| ExtensionScenario::new(medium, seed, steps))
                .into()
        },
        seeds: 48,
        drawn: 3,
        fixed: &[],
        short: sealed().short,
        ends: 3,
        mutants: of_suite("extension"),
        killers: killers("extension"),
    }
}

/// Kept results.
pub fn results() -> Suite<ResultScenario> {
    Suite {
        name: "results",
        scripted: Vec::new,
        of_seed: |seed, depth| {
            let steps = match depth {
                Depth::Short => 8,
                Depth::Deep => 16,
            };
            Persistence::ALL
                .map(|medium| ResultScenario::new(medium, seed, steps))
                .into()
        },
        seeds: 32,
        drawn: 3,
        fixed: &[],
        short: Budget {
            executions: 20_000,
            exhaustive: [300, 16, 4],
            sampled: [120, 8, 2],
            sources: [3, 1],
        },
        ends: 3,
        mutants: of_suite("results"),
        killers: killers("results"),
    }
}
