//! Queries that had machine code when the database was closed.
//!
//! Their texts and the types of their columns lie in a file beside the database, so that the
//! code is made again, in the background, as soon as such a query is prepared. Code itself
//! is never read from a file: it would have to be trusted (Poseidon, section 6.2, keeps it).
//! The file is no part of the database: what is missing or damaged in it is passed over.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use crate::Error;
use crate::whole::WholeFile;

/// The file, in the directory of the database.
const FILE: &str = "hot-queries";
/// Its first line.
const FORMAT: &str = "evergraph hot queries 1";
/// Queries that are kept.
const MOST: usize = 64;
/// Bytes that are read of the file.
const MOST_BYTES: u64 = 4 << 20;

/// Lines of [`Query::code_lines`](evergraph_interpreter::Query::code_lines) by the texts of
/// queries.
#[derive(Default)]
pub(super) struct HotQueries {
    /// `None` of a database that has no files, or is only read.
    path: Option<PathBuf>,
    by_text: Mutex<BTreeMap<String, Vec<String>>>,
}

impl HotQueries {
    /// Those of a database's directory; none if there is no readable file.
    pub(super) fn read(directory: &Path, read_only: bool) -> Self {
        let path = directory.join(FILE);
        HotQueries {
            by_text: Mutex::new(read(&path).unwrap_or_default()),
            path: (!read_only).then_some(path),
        }
    }

    /// Lines that are kept for a text.
    pub(super) fn of(&self, text: &str) -> Option<Vec<String>> {
        self.by_text.lock().get(text).cloned()
    }

    /// Writes the file anew, if there is anything new: first those of now, then older ones,
    /// as many as are kept.
    pub(super) fn keep(&self, now: BTreeMap<String, Vec<String>>) -> Result<(), Error> {
        let mut by_text = self.by_text.lock();
        let Some(path) = &self.path else {
            return Ok(());
        };
        if now
            .iter()
            .all(|(text, lines)| by_text.get(text) == Some(lines))
        {
            return Ok(());
        }
        let mut kept: BTreeMap<String, Vec<String>> = now.into_iter().take(MOST).collect();
        for (text, lines) in std::mem::take(&mut *by_text) {
            if kept.len() < MOST {
                kept.entry(text).or_insert(lines);
            }
        }
        let file = WholeFile::create(path)?;
        let mut content = format!("{FORMAT}\n");
        for (text, lines) in &kept {
            content += &format!("{}\n", json!({"query": text, "code": lines}));
        }
        // The texts have what was asked for in them: no other user reads them, as the graph.
        let mut writer = file.writer()?;
        let private = writer.set_permissions(Permissions::from_mode(0o600));
        let written = private.and_then(|()| writer.write_all(content.as_bytes()));
        written.map_err(|error| Error::io(path.display().to_string(), error))?;
        *by_text = kept;
        file.finish()
    }
}

fn read(path: &Path) -> Option<BTreeMap<String, Vec<String>>> {
    let file = std::fs::File::open(path).ok()?;
    let mut content = String::new();
    std::io::Read::read_to_string(&mut std::io::Read::take(file, MOST_BYTES), &mut content).ok()?;
    let mut lines = content.lines();
    if lines.next()? != FORMAT {
        return None;
    }
    let entries = lines.take(MOST).filter_map(|line| {
        let entry: Map<String, Value> = serde_json::from_str(line).ok()?;
        let code = entry.get("code")?.as_array()?.iter();
        let code: Option<Vec<String>> = code.map(|line| Some(line.as_str()?.into())).collect();
        Some((entry.get("query")?.as_str()?.to_string(), code?))
    });
    Some(entries.collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{FILE, HotQueries, PermissionsExt};
    use crate::query::{Execution, Statement};
    use crate::{Database, Options};

    const TEXT: &str = "MATCH (n:N) WHERE n.x * 3 + n.y % 7 > 40 RETURN count(*) AS c";

    fn count(db: &Database, text: &str, execution: Execution) -> i64 {
        let statement = Statement::new(text).execution(execution);
        db.execute(&statement).unwrap().single().unwrap()
    }

    /// Times that the operators of a query were run by code.
    fn compiled(db: &Database) -> u64 {
        let rows = db.query(&format!("PROFILE {TEXT}"), ()).unwrap();
        let profile = rows.summary().profile.clone().expect("a profile");
        profile.operators.iter().map(|one| one.compiled).sum()
    }

    #[test]
    fn code_is_made_again_after_a_restart() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("db");
        let options = Options {
            property_graph: true,
            ..Options::default()
        };
        let db = Database::create(&path, &options).unwrap();
        db.query(
            "UNWIND range(1, 5000) AS x CREATE (:N {x: x, y: x % 50})",
            (),
        )
        .unwrap();
        let profiled = format!("PROFILE {TEXT}");
        let expected = count(&db, &profiled, Execution::Interpret);
        assert_eq!(compiled(&db), 0, "too few rows to be worth it");
        assert_eq!(count(&db, &profiled, Execution::Compile), expected);
        db.close().unwrap();
        let kept = fs::read_to_string(path.join(FILE)).unwrap();
        assert!(kept.contains("n.x * 3"), "{kept}");
        let mode = fs::metadata(path.join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);

        let open = || Database::open(&path, &options).unwrap();
        let db = open();
        // Planning has asked for it; it is there before long.
        while compiled(&db) == 0 {
            std::thread::yield_now();
        }
        assert_eq!(count(&db, &profiled, Execution::Adapt), expected);
        db.close().unwrap();
        assert_eq!(fs::read_to_string(path.join(FILE)).unwrap(), kept);

        // What is damaged, of another plan or of another format is passed over.
        for damaged in [
            "",
            "something else\n",
            &kept.replace("rows", "values"),
            &kept.replace("i", "f"),
            &kept[..kept.len() - 9],
            &kept.replace('"', ""),
        ] {
            fs::write(path.join(FILE), damaged).unwrap();
            let db = open();
            assert_eq!(count(&db, &profiled, Execution::Adapt), expected);
            drop(db);
        }
        fs::write(path.join(FILE), [0xff; 99]).unwrap();
        assert_eq!(count(&open(), &profiled, Execution::Adapt), expected);
    }

    /// Of queries that were hot before the last opening, too, if there is anything to write.
    #[test]
    fn older_queries_are_kept_unless_the_database_is_only_read() {
        for read_only in [false, true] {
            let directory = tempfile::tempdir().unwrap();
            let opened = || HotQueries::read(directory.path(), read_only);
            for text in ["RETURN 1", "RETURN 2"] {
                let now = [(text.to_string(), vec!["rows".to_string()])];
                opened().keep(now.into()).unwrap();
            }
            let kept = ["RETURN 1", "RETURN 2"].map(|text| opened().of(text).is_some());
            assert_eq!(kept, [!read_only; 2]);
        }
    }

    #[test]
    fn compiled_queries_are_listed() {
        let options = Options {
            property_graph: true,
            medium: crate::MediumKind::Dram,
            ..Options::default()
        };
        let db = Database::create("anywhere", &options).unwrap();
        db.query("UNWIND range(1, 50) AS x CREATE (:L {x: x})", ())
            .unwrap();
        let text = "MATCH (n:L) RETURN sum(n.x * 5 - 3 * n.x) AS listed";
        count(&db, text, Execution::Compile);
        let list = "SHOW COMPILED QUERIES YIELD query, rows, bytes, compilation \
                    WHERE query ENDS WITH 'AS listed' AND bytes > 0 AND compilation.nanoseconds > 0 \
                    RETURN query, rows";
        let rows = db.query(list, ()).unwrap();
        let listed: Vec<(String, i64)> = rows.typed().collect::<Result<_, _>>().unwrap();
        assert_eq!(listed, [(text.to_string(), 50)]);
        let refused = db.query("SHOW COMPILED", ()).err();
        let error = refused.expect("a word is missing").to_string();
        assert!(error.contains("QUERIES"), "{error}");
    }
}
