//! Sorting, grouping and joining beyond memory, against the same within it.

use std::path::{Path, PathBuf};
use std::process::Command;

use evergraph_interpreter::{Cancellation, Datum, Limits, Parameters, QueryError};
use evergraph_property_graph::graph::PropertyGraph;
use evergraph_storage::failpoint::Scope;

use crate::{graph, rows, within};

fn with(
    graph: &PropertyGraph,
    text: &str,
    memory: usize,
    spill: Option<PathBuf>,
) -> Result<Vec<Vec<Datum>>, QueryError> {
    let limits = Limits {
        memory,
        spill,
        threads: 1,
        ..Limits::default()
    };
    let query = within(graph, text, limits)?;
    let mut found = Vec::new();
    query.read_each(&graph.view(), &Parameters::new(), &mut |row| {
        found.push(row);
        std::ops::ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// Rows with nulls, mixed types, zeros of both signs, NaN, nodes, paths, lists of nodes.
fn sample() -> PropertyGraph {
    let graph = graph();
    rows(
        &graph,
        "UNWIND range(0, 9999) AS x \
         WITH x, (x * 7919) % 10007 AS y \
         CREATE (n:N {x: x, z: CASE x WHEN 9000 THEN null ELSE x % 9000 END, y: CASE y % 9 \
            WHEN 0 THEN null WHEN 1 THEN toString(y) WHEN 2 THEN y / 10 \
            WHEN 3 THEN y * 0.5 WHEN 4 THEN [toString(y), 'a'] WHEN 5 THEN date() + duration({days: y}) \
            WHEN 6 THEN -0.0 WHEN 7 THEN 0.0 / 0.0 ELSE y % 2 = 0 END})\
         -[:R {w: y % 100}]->(:M)",
    );
    graph
}

#[test]
fn spilled_rows_are_those_of_memory() {
    let graph = sample();
    let directory = std::env::temp_dir().join(format!("evergraph-sort-{}", std::process::id()));
    for text in [
        "MATCH (n:N) RETURN n, n.y AS y, n.x AS x ORDER BY y, x",
        "MATCH (n:N) RETURN n.x AS x, n.y AS y ORDER BY y DESC",
        "MATCH p = (n:N)-[r]->(m) RETURN p, [n, m] AS l, {a: r} AS e, m ORDER BY r.w, n.x % 3 DESC",
        "MATCH (n:N) OPTIONAL MATCH (n)-[r:R {w: 3}]->(m) RETURN r, m, n.x AS x ORDER BY n.y",
        "MATCH (n:N) WITH n ORDER BY n.x % 10, n.x DESC SKIP 100 MATCH (n)-->(m) RETURN n, m",
        "MATCH p = (n:N)-->(m) RETURN p, [n, m] AS l ORDER BY n.y, n.x LIMIT 9000",
        "MATCH (n:N) WHERE n.x < 40 CALL { WITH n MATCH (m:N) WHERE m.x % 40 = n.x \
            RETURN m, [m] AS l ORDER BY m.y DESC, m.x LIMIT 200 } RETURN n, m, l",
    ] {
        let expected = with(&graph, text, 1 << 30, None).expect("memory for all");
        let memory = 1 << 19;
        let without = with(&graph, text, memory, None);
        assert!(matches!(without, Err(QueryError::Memory { .. })), "{text}");
        let found = with(&graph, text, memory, Some(directory.clone())).expect("a disk");
        assert!(found == expected, "{text}");
        let left = std::fs::read_dir(&directory).expect("a directory").count();
        assert_eq!(left, 0, "{text}");
    }
    std::fs::remove_dir(&directory).expect("it is empty");
}

/// A directory for the temporary files of a test; nothing may be left in it.
struct Directory(PathBuf);

impl Directory {
    fn new(of: &str) -> Self {
        let path = std::env::temp_dir().join(format!("evergraph-{of}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory of temporary files");
        Directory(path)
    }

    fn check(&self, text: &str) {
        let left = std::fs::read_dir(&self.0).expect("a directory").count();
        assert_eq!(left, 0, "{text}");
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // An error is another one's that is told already.
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// To the last bit.
fn texts(rows: &[Vec<Datum>]) -> Vec<String> {
    rows.iter().map(|row| format!("{row:?}")).collect()
}

/// Distinct rows and groups, whose order is that of their first rows.
const IN_ORDER: [&str; 15] = [
    "MATCH (n:N) RETURN DISTINCT n.y AS y, n.x % 5000 AS x",
    "MATCH (n:N) RETURN DISTINCT n",
    "MATCH p = (n:N)-->(m) RETURN DISTINCT p, [n, m] AS l, n.y AS y",
    "MATCH (n:N) RETURN n.x AS x UNION MATCH (n:N) RETURN n.x * 1.0 AS x",
    "MATCH (n:N) WITH DISTINCT n.x % 3000 AS k, n.y AS y RETURN k, y LIMIT 4000",
    "MATCH (n:N) WITH DISTINCT n, n.y AS y RETURN y, n.x AS x ORDER BY y, x",
    "MATCH (n:N) RETURN n.y AS y, n.x % 2500 AS k, count(*), sum(n.x), avg(n.x * 0.5), \
        min(n.y), max(n.y), collect(n.x)",
    "MATCH (n:N) RETURN CASE WHEN n.x < 5000 THEN n.x ELSE (n.x - 5000) * 1.0 END AS k, \
        count(*), collect(n.y)",
    "MATCH (n:N)-[r]->(m) RETURN n, [m, r.w] AS l, sum(duration({days: n.x})), count(DISTINCT m)",
    "MATCH (n:N) RETURN count(DISTINCT n.x), sum(DISTINCT n.x), count(*), \
        percentileDisc(n.x, 0.3), max(DISTINCT n.y)",
    "MATCH (n:N) RETURN n.x % 10 AS k, collect(DISTINCT n.y), count(DISTINCT n), collect(n.x % 7), \
        percentileCont(DISTINCT n.x, 0.5), round(1e6 * stDev(DISTINCT n.x % 4)), \
        collect(DISTINCT n.x % 1000)",
    "MATCH (n:N) WITH n.y AS y, count(*) AS c RETURN y, c LIMIT 2000",
    "MATCH (n:N) WHERE n.x < 40 CALL { WITH n MATCH (m:N) WHERE m.x % 40 = n.x \
        RETURN DISTINCT m.y AS y, m.x % 1000 AS z } RETURN n.x AS x, y, z",
    "MATCH (n:N) WHERE n.x < 40 CALL { WITH n MATCH (m:N) WHERE m.x % 40 = n.x \
        RETURN m.x % 1000 AS z, count(*) AS c, count(DISTINCT m.y) AS l } \
        RETURN n.x AS x, z, c, l",
    "MATCH (n:N) RETURN DISTINCT n.z AS z",
];

/// Joins, whose rows come in any order, and subqueries that are sorted.
const IN_ANY_ORDER: [&str; 4] = [
    "MATCH (n:N), (m:N) WHERE m.x = n.x * 2.0 RETURN n, m.x AS x, m.y AS y",
    "MATCH (n:N), (m:N) WHERE m.y = n.y AND n.x % 100 = 0 RETURN n.x AS n, m.x AS m",
    "MATCH (n:N), (m:N) WHERE m.x = n.x + 1 AND m.y = n.y RETURN n.x AS n, m.y AS m",
    "MATCH (n:N) WHERE n.x < 40 CALL { WITH n MATCH (m:N), (o:N) \
        WHERE m.x % 1000 = n.x AND o.x = m.x RETURN m.x AS x, o.y AS y } RETURN n.x AS n, x, y",
];

#[test]
fn spilled_groups_and_joins_are_those_of_memory() {
    let graph = sample();
    let directory = Directory::new("groups");
    let all = IN_ORDER.map(|text| (text, true));
    for (text, in_order) in all
        .into_iter()
        .chain(IN_ANY_ORDER.map(|text| (text, false)))
    {
        let expected = with(&graph, text, 1 << 30, None).expect("memory for all");
        let (mut expected, mut spilled) = (texts(&expected), false);
        if !in_order {
            expected.sort();
        }
        for memory in [1 << 20, 3 << 18, 1 << 19, 1 << 17, 1 << 16] {
            let needs_files = spilled || with(&graph, text, memory, None).is_err();
            let found = with(&graph, text, memory, Some(directory.0.clone()));
            let found = match found {
                Ok(found) => found,
                // What a batch holds by itself.
                Err(QueryError::Memory { .. }) if memory < 1 << 20 => continue,
                Err(error) => panic!("{text} in {memory}: {error}"),
            };
            spilled |= needs_files;
            let mut found = texts(&found);
            if !in_order {
                found.sort();
            }
            assert!(found == expected, "{text} in {memory}");
            directory.check(text);
        }
        assert!(spilled, "{text}");
    }
}

#[test]
fn threads_spill_together() {
    let graph = sample();
    let directory = Directory::new("threads");
    for text in [
        "MATCH (n:N) RETURN n.x % 4000 AS k, count(*), sum(n.x), count(DISTINCT n.x % 7), max(n.x)",
        "MATCH (n:N) RETURN count(DISTINCT n.x)",
        "MATCH (n:N), (m:N) WHERE m.x = n.x * 2.0 RETURN n, m.x AS x, m.y AS y",
    ] {
        let mut expected = texts(&with(&graph, text, 1 << 30, None).expect("memory for all"));
        expected.sort();
        for threads in [2, 3] {
            let limits = Limits {
                memory: 3 << 18,
                spill: Some(directory.0.clone()),
                threads,
                ..Limits::default()
            };
            let query = within(&graph, &format!("PROFILE {text}"), limits);
            let rows = query
                .expect(text)
                .execute(&graph, &Parameters::new())
                .expect(text);
            let profile = rows.summary().profile.clone().expect("a profile");
            let operators = profile.operators.iter();
            assert!(operators.map(|one| one.spilled).sum::<u64>() > 0, "{text}");
            let mut found = texts(&rows.collect::<Vec<_>>());
            found.sort();
            assert!(found == expected, "{text}");
            directory.check(text);
        }
    }
}

#[test]
fn a_profile_tells_what_was_spilled() {
    let graph = sample();
    let directory = Directory::new("profile");
    for (text, operator) in [
        ("MATCH (n:N) RETURN DISTINCT n.x AS x", "Distinct"),
        ("MATCH (n:N) RETURN n.x AS x, count(*)", "Aggregate"),
        ("MATCH (n:N) RETURN n.x AS x ORDER BY n.y", "Sort"),
        (
            "MATCH (n:N), (m:N) WHERE m.x = n.x RETURN n.x + m.x",
            "HashJoin",
        ),
    ] {
        for (memory, spills) in [(1 << 18, true), (1 << 30, false)] {
            let limits = Limits {
                memory,
                spill: Some(directory.0.clone()),
                threads: 1,
                ..Limits::default()
            };
            let query = within(&graph, &format!("PROFILE {text}"), limits);
            let query = query.expect(text);
            let mut plan = String::new();
            let summary = query.read_each(&graph.view(), &Parameters::new(), &mut |_| {
                std::ops::ControlFlow::Continue(())
            });
            plan += &summary.expect(text).plan.expect("a plan");
            for line in plan.lines().filter(|line| line.contains(" bytes spilled]")) {
                assert!(line.contains(operator), "{plan}");
            }
            assert_eq!(plan.contains(" bytes spilled]"), spills, "{plan}");
        }
    }
}

const SPILLING: [&str; 4] = [
    "MATCH (n:N) RETURN n.x AS x ORDER BY n.y",
    "MATCH (n:N) RETURN DISTINCT n.x AS x",
    "MATCH (n:N) RETURN n.x AS x, count(*)",
    "MATCH (n:N), (m:N) WHERE m.x = n.x RETURN n.x + m.x",
];

#[test]
fn what_is_cancelled_leaves_no_files() {
    let graph = sample();
    let directory = Directory::new("cancelled");
    for text in SPILLING {
        let cancellation = Cancellation::new();
        let limits = Limits {
            cancellation: cancellation.clone(),
            memory: 1 << 18,
            spill: Some(directory.0.clone()),
            threads: 1,
            ..Limits::default()
        };
        let query = within(&graph, text, limits).expect(text);
        let scope = Scope::calling("spill.written", move |_| cancellation.cancel());
        let _scope = scope.enter();
        let ended = query.execute(&graph, &Parameters::new());
        assert!(matches!(ended, Err(QueryError::Cancelled)), "{text}");
        directory.check(text);
    }
}

/// A file system of 64 KiB, or `None` if none may be mounted.
struct TinyDisk(PathBuf);

impl TinyDisk {
    fn mount(at: &Path) -> Option<Self> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
            .arg(at)
            .output()
            .is_ok_and(|output| output.status.success());
        if !mounted {
            eprintln!("SKIPPED: a full disk (cannot mount a tmpfs here)");
        }
        mounted.then(|| TinyDisk(at.into()))
    }
}

impl Drop for TinyDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_is_told() {
    let graph = sample();
    let directory = Directory::new("full");
    let Some(_disk) = TinyDisk::mount(&directory.0) else {
        return;
    };
    for text in SPILLING {
        let error = with(&graph, text, 1 << 18, Some(directory.0.clone()));
        let error = error.expect_err("a full disk");
        assert!(matches!(&error, QueryError::Spill { .. }), "{error}");
        assert!(error.to_string().contains("evergraph-full"), "{error}");
        directory.check(text);
    }
}

/// Each of these makes wrong groups of some.
#[test]
fn mutants_are_caught() {
    let graph = sample();
    let directory = Directory::new("mutants");
    for (mutant, text) in [
        ("spill.equivalent-keys-apart", IN_ORDER[3]),
        ("spill.equivalent-keys-apart", IN_ORDER[7]),
        ("spill.equivalent-keys-apart", IN_ANY_ORDER[0]),
        ("spill.later-states-forgotten", IN_ORDER[10]),
    ] {
        let mut expected = texts(&with(&graph, text, 1 << 30, None).expect("memory for all"));
        expected.sort();
        let scope = Scope::armed(mutant);
        let _scope = scope.enter();
        let found = with(&graph, text, 1 << 19, Some(directory.0.clone()));
        let mut found = texts(&found.expect("a disk"));
        found.sort();
        assert!(found != expected, "{mutant}: {text}");
    }
}

#[test]
fn a_directory_that_cannot_be_is_told() {
    let graph = sample();
    for text in SPILLING {
        let nowhere = Some(PathBuf::from("/dev/null/nowhere"));
        let error = with(&graph, text, 1 << 18, nowhere).expect_err("no directory");
        assert!(matches!(&error, QueryError::Spill { .. }), "{error}");
        assert!(error.to_string().contains("/dev/null/nowhere"), "{error}");
    }
}
