//! A table that is written, merged and read at the same time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::parts;
use crate::record::NodeRecord;
use crate::testing::Host;
use crate::value::Value;

const COMMITS: u64 = 3000;
/// In three chunks.
const SET: [u32; 3] = [0, 4, 7];
/// Exists after every second commit.
const SOMETIMES: u32 = 10;
const KEY: u32 = 1;

fn number(csn: u64) -> Option<NodeRecord> {
    Some(NodeRecord {
        labels: Vec::new(),
        properties: [(KEY, Value::from(csn as i64))].into_iter().collect(),
    })
}

/// Commit `n` sets three records to `n`: so every view, old or new, and every named
/// snapshot has to find its own commit in all of them, wherever they are meanwhile.
#[test]
fn views_show_their_commit_whatever_is_merged() {
    let (dictionary, table) = parts();
    let host = Host::new();
    let registry = Arc::clone(&host.registry);
    let host = Mutex::new(host);
    let writes = AtomicBool::new(true);
    let kept = Mutex::new(Vec::new());
    let verify = |csn: u64| {
        let found = |id: u32| table.find(id, csn).unwrap();
        for id in SET {
            let value = found(id).map(|found| found.property(KEY).unwrap());
            let expected = (csn > 0).then(|| Some(Value::from(csn as i64)));
            assert_eq!(value, expected, "record {id} as of {csn}");
        }
        assert_eq!(found(SOMETIMES).is_some(), csn % 2 == 1, "as of {csn}");
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for csn in 1..=COMMITS {
                let needed = registry.needed();
                for id in SET {
                    table.apply(csn, id, number(csn), &needed).unwrap();
                }
                let sometimes = (csn % 2 == 1).then(|| number(csn)).flatten();
                table.apply(csn, SOMETIMES, sometimes, &needed).unwrap();
                if csn % 100 == 0 {
                    registry.keep(csn);
                    kept.lock().unwrap().push(csn);
                }
                registry.publish(csn, ());
            }
            writes.store(false, Ordering::Release);
        });
        scope.spawn(|| {
            let mut host = host.lock().unwrap();
            while writes.load(Ordering::Acquire) {
                let token = registry.register();
                let needed = registry.needed();
                let flushed = host.with_place(|place| {
                    let mut flushed = table.write(token.csn(), &needed, place).unwrap();
                    flushed.extend(dictionary.write(token.csn(), place).unwrap());
                    flushed
                });
                host.switch_root(flushed, || table.publishing());
                table.published(&|| registry.needed());
                dictionary.published();
            }
        });
        scope.spawn(|| {
            let mut held = Vec::new();
            while writes.load(Ordering::Acquire) {
                let token = registry.register();
                verify(token.csn());
                held.push(token);
                if held.len() > 20 {
                    held.remove(held.len() / 2);
                }
                held.iter().for_each(|token| verify(token.csn()));
                let kept = kept.lock().unwrap().clone();
                kept.into_iter().for_each(verify);
            }
        });
    });
    let mut problems = Vec::new();
    table.check(COMMITS, &mut problems);
    // The dictionary was not told of the key.
    assert!(
        problems
            .iter()
            .all(|problem| problem.contains("key is not known"))
    );
    let kept = kept.into_inner().unwrap();
    kept.into_iter().for_each(verify);
    verify(COMMITS);
}
