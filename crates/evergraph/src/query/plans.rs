//! Plans of statements that were run before.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use evergraph_property_graph::graph::PropertyGraph;
use parking_lot::Mutex;

use super::hot::HotQueries;
use super::prepared::Planned;
use super::statement::Statement;
use crate::Error;

/// Plans that are kept.
const MOST: usize = 256;
/// Longer texts are planned each time: they hardly come twice.
const LONGEST: usize = 1 << 14;

/// Plans by the texts of statements and the names of their parameters; those that were
/// used last are kept.
#[derive(Default)]
pub(crate) struct Plans {
    kept: Mutex<Kept>,
    hot: HotQueries,
}

#[derive(Default)]
struct Kept {
    by_key: HashMap<String, Entry, foldhash::fast::RandomState>,
    /// Number of lookups.
    clock: u64,
}

struct Entry {
    planned: Arc<Planned>,
    used: u64,
}

/// What a plan is kept by; `None` of a statement that is not kept.
pub(super) fn key_of(statement: &Statement) -> Option<String> {
    let text = statement.text.trim_end();
    if text.len() > LONGEST {
        return None;
    }
    let mut key = String::with_capacity(text.len() + 16);
    key.push_str(text);
    // Whether a parameter is missing is told when the text is read.
    for (name, _) in statement.parameters.iter() {
        key.push('\0');
        key.push_str(name);
    }
    Some(key)
}

impl Plans {
    /// None yet; of queries that were hot in a database's directory the code is made again.
    pub(crate) fn after(directory: &Path, read_only: bool) -> Self {
        Plans {
            kept: Mutex::default(),
            hot: HotQueries::read(directory, read_only),
        }
    }

    /// Keeps what is needed to make the code of now again when the database is open again.
    ///
    /// # Errors
    /// I/O errors; nothing but time is lost then.
    pub(crate) fn keep_hot(&self) -> Result<(), Error> {
        let kept = self.kept.lock();
        let plans = kept.by_key.values().map(|entry| &entry.planned);
        let code = plans.filter_map(|planned| {
            let lines = planned.query.code_lines();
            (!lines.is_empty()).then(|| (planned.text.clone(), lines))
        });
        let code: BTreeMap<String, Vec<String>> = code.collect();
        drop(kept);
        self.hot.keep(code)
    }

    /// A plan that is not outdated.
    pub(super) fn get(&self, key: &str, graph: &PropertyGraph) -> Option<Arc<Planned>> {
        let planned = {
            let mut kept = self.kept.lock();
            kept.clock += 1;
            let clock = kept.clock;
            let entry = kept.by_key.get_mut(key)?;
            entry.used = clock;
            Arc::clone(&entry.planned)
        };
        planned.query.is_current(graph).then_some(planned)
    }

    /// Keeps a plan, and forgets the one that was not used for longest.
    pub(super) fn keep(&self, key: String, planned: &Arc<Planned>) {
        let mut kept = self.kept.lock();
        if kept.by_key.len() >= MOST && !kept.by_key.contains_key(&key) {
            let oldest = kept.by_key.iter().min_by_key(|(_, entry)| entry.used);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                kept.by_key.remove(&oldest);
            }
        }
        if let Some(lines) = self.hot.of(&planned.text) {
            planned.query.recall_code(&lines);
        }
        kept.clock += 1;
        let used = kept.clock;
        let planned = Arc::clone(planned);
        kept.by_key.insert(key, Entry { planned, used });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{MOST, key_of};
    use crate::query::prepared::{Ready, plan};
    use crate::query::{Parameters, Statement};
    use crate::{Database, MediumKind, Options};

    fn database() -> Database {
        let options = Options {
            medium: MediumKind::Dram,
            property_graph: true,
            ..Options::default()
        };
        Database::create("anywhere", &options).expect("a database")
    }

    fn address(db: &Database, statement: &Statement) -> usize {
        match plan(db, statement).expect("a plan") {
            Ready::Query(planned) => Arc::as_ptr(&planned).addr(),
            Ready::Command(_) => panic!("it is a query"),
        }
    }

    #[test]
    fn plans_are_kept_by_text_and_parameters() {
        let db = database();
        let one = Statement::new("RETURN $a AS a").parameter("a", 1);
        let other = Statement::new("RETURN $a AS a \n").parameter("a", 2);
        assert_eq!(address(&db, &one), address(&db, &other));
        let row = |statement| db.execute(statement).expect("rows").single::<i64>();
        assert_eq!((row(&one).expect("1"), row(&other).expect("2")), (1, 2));
        let more = one.clone().parameter("b", 1);
        assert_ne!(address(&db, &one), address(&db, &more));
        let missing = Statement::new("RETURN $a AS a");
        let error = db.execute(&missing).err().unwrap();
        assert_eq!(error.class(), "ParameterMissing");
        assert!(key_of(&Statement::new("x".repeat(1 << 20))).is_none());
    }

    #[test]
    fn plans_are_made_anew_when_the_graph_has_changed() {
        let db = database();
        db.query("CREATE (:A {x: 1})", ()).expect("a node");
        let statement = Statement::new("MATCH (a:A {x: 1}) RETURN count(*)");
        let count = || {
            db.execute(&statement)
                .expect("rows")
                .single::<i64>()
                .expect("one")
        };
        let first = address(&db, &statement);
        assert_eq!((count(), address(&db, &statement)), (1, first));
        db.query("CREATE INDEX FOR (a:A) ON (a.x)", ())
            .expect("an index");
        let second = address(&db, &statement);
        assert_ne!(second, first, "an index is new");
        assert_eq!(count(), 1);
        db.query(
            "UNWIND range(1, 1000) AS x CREATE (:A {x: 1})",
            Parameters::new(),
        )
        .expect("nodes");
        assert_ne!(address(&db, &statement), second, "there are many more");
        assert_eq!(count(), 1001);
    }

    #[test]
    fn the_plan_that_was_not_used_for_longest_is_forgotten() {
        let db = database();
        let text = |number: usize| format!("RETURN {number} AS n");
        let used = |number: usize| address(&db, &Statement::new(text(number)));
        let first = used(0);
        for number in 1..MOST {
            used(number);
        }
        assert_eq!(used(0), first);
        used(MOST);
        let kept = db.plans().kept.lock();
        let is_kept = |number: usize| kept.by_key.contains_key(&text(number));
        assert_eq!([0, 1, 2, MOST].map(is_kept), [true, false, true, true]);
    }

    /// Threads plan, run and outdate the same statements.
    #[test]
    fn few_plans_are_kept_and_threads_share_them() {
        let db = database();
        db.query("CREATE (:A {x: 1})", ()).expect("a node");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let db = &db;
                scope.spawn(move || {
                    for number in 0..MOST as i64 {
                        let text = format!("MATCH (a:A) RETURN a.x + {number}");
                        let sum = db.query(&text, ()).expect("rows").single::<i64>();
                        assert_eq!(sum.expect("a sum"), number + 1);
                        if number % 64 == thread {
                            let text = format!("CREATE (:New{thread}x{number})");
                            db.query(&text, ()).expect("a node");
                        }
                    }
                });
            }
        });
        assert!(db.plans().kept.lock().by_key.len() <= MOST);
    }
}
