//! The maps in the documents against the workspace: crates and dependencies,
//! `unsafe`, files, and the numbered steps of `docs/durability.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.join("../..").canonicalize().unwrap()
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All `.rs` files below a folder, as (path from the root, text).
fn sources(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root()).unwrap().display().to_string();
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

/// Rows of the table below a heading, as cells without decoration.
fn table(document: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, below) = document
        .split_once(&format!("\n## {heading}\n"))
        .unwrap_or_else(|| panic!("no heading {heading:?}"));
    let section = below.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with('|'));
    rows.skip(2)
        .map(|row| {
            let cells = row.trim_matches('|').split('|');
            cells.map(|cell| cell.trim().to_string()).collect()
        })
        .collect()
}

/// Words in backticks.
fn quoted(cell: &str) -> BTreeSet<String> {
    let parts = cell.split('`').skip(1).step_by(2);
    parts.map(str::to_string).collect()
}

/// A crate of the workspace, as cargo reads its manifest.
struct Member {
    name: String,
    /// Its folder, from the root.
    path: String,
    manifest: Value,
}

impl Member {
    /// Its dependencies for everything, or with `Some("dev")` those of its tests.
    fn dependencies(&self, kind: Option<&str>) -> impl Iterator<Item = &Value> {
        let all = self.manifest["dependencies"].as_array().unwrap().iter();
        all.filter(move |dependency| dependency["kind"].as_str() == kind)
    }

    fn dependency_names(&self) -> BTreeSet<String> {
        let names = self.dependencies(None);
        names
            .map(|dependency| string(&dependency["name"]))
            .collect()
    }

    /// Whether it may be published.
    fn ships(&self) -> bool {
        self.manifest["publish"].is_null()
    }
}

fn string(value: &Value) -> String {
    value.as_str().expect("a text").to_string()
}

fn members() -> Vec<Member> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{output:?}");
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let member = |package: &Value| {
        let manifest = PathBuf::from(string(&package["manifest_path"]));
        let folder = manifest.parent().unwrap().strip_prefix(root()).unwrap();
        Member {
            name: string(&package["name"]),
            path: folder.display().to_string(),
            manifest: package.clone(),
        }
    };
    packages.iter().map(member).collect()
}

#[test]
fn the_map_of_crates_is_the_workspace() {
    let mut real = BTreeMap::new();
    for member in members() {
        let dependencies = member.dependency_names();
        real.insert(member.name, (member.path, dependencies));
    }
    let crates: BTreeSet<String> = real.keys().cloned().collect();
    let mut mapped = BTreeSet::new();
    for row in table(&text("ARCHITECTURE.md"), "Who depends on whom") {
        let name = quoted(&row[0]).pop_first().expect("a crate");
        let (path, dependencies) = real
            .get(&name)
            .unwrap_or_else(|| panic!("the map has a crate {name} that the workspace lacks"));
        assert_eq!(
            quoted(&row[1]).pop_first().as_ref(),
            Some(path),
            "path of {name}"
        );
        let between: BTreeSet<String> = dependencies.intersection(&crates).cloned().collect();
        assert_eq!(
            between,
            quoted(&row[2]),
            "dependencies of {name}: workspace, then map"
        );
        mapped.insert(name);
    }
    assert_eq!(crates, mapped, "crates of the workspace, then of the map");
}

#[test]
fn dependencies_have_no_cycle_and_algorithms_see_no_store() {
    let mut edges = BTreeMap::new();
    for member in members() {
        let dependencies = member.dependency_names();
        edges.insert(member.name, dependencies);
    }
    fn reach(edges: &BTreeMap<String, BTreeSet<String>>, from: &str, seen: &mut BTreeSet<String>) {
        for next in edges.get(from).into_iter().flatten() {
            if edges.contains_key(next) && seen.insert(next.clone()) {
                reach(edges, next, seen);
            }
        }
    }
    for member in edges.keys() {
        let mut seen = BTreeSet::new();
        reach(&edges, member, &mut seen);
        assert!(!seen.contains(member), "{member} depends on itself");
        if member == "evergraph-algorithms" {
            assert_eq!(seen, BTreeSet::from(["evergraph-graph".to_string()]));
        }
    }
}

/// Features that are there for tests alone.
const FOR_TESTS: [&str; 2] = ["failpoints", "shuttle"];

#[test]
fn what_ships_depends_on_nothing_that_does_not() {
    let members = members();
    for member in &members {
        let folder_ships = member.path.starts_with("crates/");
        assert_eq!(member.ships(), folder_ships, "{} ships", member.path);
    }
    let unpublished: BTreeSet<String> = members
        .iter()
        .filter(|member| !member.ships())
        .map(|member| member.name.clone())
        .collect();
    assert!(!unpublished.is_empty());
    for member in members.iter().filter(|member| member.ships()) {
        for dependency in member.dependencies(None) {
            let name = string(&dependency["name"]);
            assert!(!unpublished.contains(&name), "{} needs {name}", member.name);
        }
        for dependency in member.dependencies(Some("dev")) {
            let name = string(&dependency["name"]);
            // Only what has no version is left out of a package.
            assert!(
                !unpublished.contains(&name) || dependency["req"] == "*",
                "{}: {name} has a version",
                member.name
            );
        }
    }
}

#[test]
fn features_for_tests_are_off_in_what_ships() {
    let members = members();
    let mut there = BTreeSet::new();
    for member in members.iter().filter(|member| member.ships()) {
        let enabled = |by: &str, features: &Value| {
            for feature in features.as_array().unwrap() {
                let feature = string(feature);
                let name = feature.rsplit('/').next().unwrap();
                assert!(
                    !FOR_TESTS.contains(&name),
                    "{by} of {} switches on {feature}",
                    member.name
                );
            }
        };
        for (feature, implied) in member.manifest["features"].as_object().unwrap() {
            if FOR_TESTS.contains(&feature.as_str()) {
                there.insert(feature.clone());
            }
            enabled(feature, implied);
        }
        for dependency in member.dependencies(None) {
            enabled("a dependency", &dependency["features"]);
        }
    }
    assert_eq!(there, FOR_TESTS.map(str::to_string).into());
}

#[test]
fn what_ships_says_what_it_is_and_under_which_license() {
    for member in members().iter().filter(|member| member.ships()) {
        for field in ["description", "license", "readme"] {
            assert!(
                member.manifest[field].is_string(),
                "{} has no {field}",
                member.name
            );
        }
        for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
            assert_eq!(
                text(&format!("{}/{license}", member.path)),
                text(license),
                "{license} of {}",
                member.name
            );
        }
    }
}

/// The code of a line, without strings that span lines: good enough to look
/// for a keyword.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap()
}

fn uses_unsafe(source: &str) -> bool {
    source.lines().map(code).any(|line| {
        [
            "unsafe {",
            "unsafe fn",
            "unsafe impl",
            "unsafe extern",
            "unsafe trait",
        ]
        .iter()
        .any(|form| line.contains(form))
    })
}

#[test]
fn unsafe_is_only_where_the_map_says() {
    let rows = table(&text("ARCHITECTURE.md"), "Where `unsafe` may be");
    let allowed: Vec<String> = rows.iter().flat_map(|row| quoted(&row[0])).collect();
    assert!(!allowed.is_empty());
    let mut used = BTreeSet::new();
    for member in members() {
        // Tests and examples may do as they like; what ships may not.
        for (path, source) in sources(&format!("{}/src", member.path)) {
            if !uses_unsafe(&source) {
                continue;
            }
            let home = allowed.iter().find(|home| path.starts_with(home.as_str()));
            used.insert(
                home.unwrap_or_else(|| panic!("unsafe code in {path}"))
                    .clone(),
            );
        }
    }
    let listed: BTreeSet<String> = allowed.into_iter().collect();
    assert_eq!(used, listed, "where unsafe code is, then where it may be");
}

/// Words that another has replaced, and the parts of paths where an old one has a meaning
/// of its own. `settled` vertices are Dijkstra's, and so the residuals of a PageRank.
const OLD_WORDS: &[(&str, &str, &[&str])] = &[
    ("AckLevel", "durability level", &[]),
    ("PersistenceError", "storage error", &[]),
    ("mend", "repair", &[]),
    ("mended", "repair", &[]),
    ("mending", "repair", &[]),
    ("mistake", "mutant, or bug", &[]),
    ("mistakes", "mutants, or bugs", &[]),
    ("plane", "adjacency", &["query/jit"]),
    ("planes", "adjacencies", &[]),
    ("planted", "mutant", &[]),
    ("settle", "complete, finish, sort", SETTLING),
    ("settled", "complete, finished, sorted", SETTLING),
    ("settles", "completes, finishes, sorts", SETTLING),
    ("sown", "mutant", &[]),
    ("twin", "reference implementation", &[]),
    ("twins", "reference implementations", &[]),
    ("anybody", "a subject that exists", EMPTY_SUBJECTS),
    ("everybody", "a subject that exists", EMPTY_SUBJECTS),
    ("nobody", "a subject that exists", EMPTY_SUBJECTS),
    ("somebody", "a subject that exists", EMPTY_SUBJECTS),
    ("whoever", "a subject that exists", EMPTY_SUBJECTS),
];
const SETTLING: &[&str] = &["crates/algorithms/", "crates/analytics/src/run/"];
/// Tests speak of people that are no subject.
const EMPTY_SUBJECTS: &[&str] = &["/tests/", "/tests.rs"];

/// The words of a line and of the identifiers in it: `LOG_PLANES` and `logPlanes` have
/// `planes`, and an identifier counts as a whole, too.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for name in line.split(|c: char| !c.is_ascii_alphanumeric()) {
        words.push(name.to_string());
        let mut last = ' ';
        let mut word = String::new();
        for c in name.chars() {
            if c.is_ascii_uppercase() && last.is_ascii_lowercase() {
                words.push(std::mem::take(&mut word));
            }
            word.push(c.to_ascii_lowercase());
            last = c;
        }
        words.push(word);
    }
    words
}

#[test]
fn old_words_do_not_come_back() {
    let this = "crates/evergraph/tests/it/architecture.rs";
    for folder in ["benches", "crates", "testing"] {
        for (path, source) in sources(folder) {
            if path == this {
                continue;
            }
            let lines = source.lines().enumerate();
            for (number, line) in std::iter::once((0, path.as_str())).chain(lines) {
                let words = words(line);
                let is_old = |(old, _, elsewhere): &&(&str, &str, &[&str])| {
                    words.iter().any(|word| word == old)
                        && !elsewhere.iter().any(|folder| path.contains(folder))
                };
                if let Some((old, new, _)) = OLD_WORDS.iter().find(is_old) {
                    panic!("{path}:{}: `{old}` is called {new}", number + 1);
                }
            }
        }
    }
}

#[test]
fn crates_above_storage_open_no_files() {
    let forbidden = [
        " fs::",
        ":fs::",
        "(fs::",
        "std::fs",
        "File::",
        "OpenOptions",
        "mmap",
        "memmap",
        "rustix",
        "libc",
    ];
    let crates = ["topology", "snapshots", "algorithms", "graph"];
    for member in crates {
        for (path, source) in sources(&format!("crates/{member}/src")) {
            for (number, line) in source.lines().enumerate() {
                let found = forbidden.iter().find(|word| code(line).contains(**word));
                if let Some(word) = found {
                    panic!("{path}:{}: {word} belongs to `storage`", number + 1);
                }
            }
        }
    }
    let crates = crates.map(|member| format!("crates/{member}"));
    for member in members()
        .iter()
        .filter(|member| crates.contains(&member.path))
    {
        for crate_name in ["memmap2", "rustix", "libc"] {
            assert!(
                !member.dependency_names().contains(crate_name),
                "{} depends on {crate_name}",
                member.name
            );
        }
    }
}

/// Steps that a text names: "Durability steps L1 and L2", "Recovery step R4".
fn steps_in(text: &str) -> BTreeSet<String> {
    let flat = text
        .replace("///", " ")
        .replace("//!", " ")
        .replace("//", " ");
    let words: Vec<&str> = flat.split_whitespace().collect();
    let number = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let digits = word.trim_start_matches(['L', 'D', 'R', 'S', 'B']);
        let short = word.len() - digits.len() <= 1 && (1..=2).contains(&digits.len());
        (short && digits.chars().all(|c| c.is_ascii_digit())).then(|| word.to_string())
    };
    let mut steps = BTreeSet::new();
    for (i, pair) in words.windows(2).enumerate() {
        let kind = pair[0]
            .trim_matches(|c: char| !c.is_ascii_alphabetic())
            .to_lowercase();
        let named =
            ["durability", "recovery", "direct", "state", "reader"].contains(&kind.as_str());
        if !named || !pair[1].trim_matches('*').starts_with("step") {
            continue;
        }
        let mut at = i + 2;
        while let Some(step) = words.get(at).and_then(|word| number(word)) {
            steps.insert(format!("{kind} {step}"));
            match words.get(at + 1) {
                Some(&("and" | "or")) => at += 2,
                Some(&"to") => {
                    let last = words.get(at + 2).and_then(|word| number(word));
                    steps.extend(range(&kind, &step, &last.expect("a range of steps ends")));
                    break;
                }
                _ => break,
            }
        }
    }
    steps
}

fn range(kind: &str, from: &str, to: &str) -> Vec<String> {
    let split = |step: &str| {
        let at = step.find(|c: char| c.is_ascii_digit()).unwrap();
        (step[..at].to_string(), step[at..].parse::<u32>().unwrap())
    };
    let ((letter, from), (_, to)) = (split(from), split(to));
    (from..=to).map(|n| format!("{kind} {letter}{n}")).collect()
}

#[test]
fn the_steps_that_code_cites_are_those_of_the_document() {
    let mut cited = BTreeMap::new();
    for member in ["storage", "topology", "results", "analytics", "evergraph"] {
        for (path, source) in sources(&format!("crates/{member}/src")) {
            for step in steps_in(&source) {
                cited.entry(step).or_insert(path.clone());
            }
        }
    }
    let document = text("docs/durability.md");
    let bold = document.split("**").skip(1).step_by(2);
    let defined: BTreeSet<String> = bold.flat_map(steps_in).collect();
    for (step, path) in &cited {
        assert!(
            defined.contains(step),
            "{path} cites {step}, which docs/durability.md lacks"
        );
    }
    for step in &defined {
        assert!(
            cited.contains_key(step),
            "no code cites {step} of docs/durability.md"
        );
    }
    assert!(defined.len() >= 15, "{defined:?}");
}

#[test]
fn links_of_the_documents_lead_somewhere() {
    let mut documents = vec!["README.md".to_string(), "ARCHITECTURE.md".to_string()];
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") && name != "benchmarks.md" {
            documents.push(format!("docs/{name}"));
        }
    }
    for document in documents {
        let content = text(&document);
        let folder = Path::new(&document).parent().unwrap().to_path_buf();
        for link in content.split("](").skip(1) {
            let target = link.split([')', '#']).next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            // Written by another program: the page of measured numbers.
            if target.ends_with("benchmarks.md") {
                continue;
            }
            let path = root().join(&folder).join(target);
            assert!(path.exists(), "{document} links to {target}");
        }
        // Files named in backticks exist, too.
        for word in content.split('`').skip(1).step_by(2) {
            let is_path = ["benches/", "crates/", "docs/", "testing/"]
                .iter()
                .any(|p| word.starts_with(p));
            if is_path && !word.contains([' ', '*', '{']) && !word.ends_with("benchmarks.md") {
                assert!(root().join(word).exists(), "{document} names {word}");
            }
        }
    }
}

#[test]
fn the_program_of_the_readme_is_the_example() {
    let readme = text("README.md");
    let (_, block) = readme.split_once("```rust\n").expect("a program");
    let block = block.split("```").next().unwrap();
    let example = text("crates/evergraph/examples/tour.rs");
    let (_, program) = example
        .split_once("\n\n")
        .expect("a line of documentation first");
    assert_eq!(block, program);
}

/// Blocks of Rust in documents other than the README, and where they are compiled.
const COMPILED: [(&str, &str); 4] = [
    (
        "docs/embedding.md",
        "crates/evergraph/examples/embedding.rs",
    ),
    (
        "docs/property-graph.md",
        "crates/evergraph/tests/it/property_graph.rs",
    ),
    (
        "docs/reading-in-batches.md",
        "crates/property-graph/tests/it/graph/engine.rs",
    ),
    (
        "docs/time-travel.md",
        "crates/evergraph/examples/time_travel.rs",
    ),
];

#[test]
fn the_programs_of_the_documents_are_compiled() {
    let flat = |text: &str| {
        let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
        lines.join("\n")
    };
    for (document, source) in COMPILED {
        let compiled = flat(&text(source));
        let content = text(document);
        let blocks: Vec<&str> = content.split("```rust\n").skip(1).collect();
        assert!(!blocks.is_empty(), "{document} has no program");
        for block in blocks {
            let block = flat(block.split("```").next().unwrap_or_default());
            assert!(
                compiled.contains(&block),
                "{document} has a program that {source} lacks:\n{block}"
            );
        }
    }
}
