//! Rules for the snapshots that a database keeps.

use std::fmt;

use evergraph_storage::StorageError;
use evergraph_topology::{Batch, Snapshot, is_reserved};

use crate::Every;
use crate::calendar::{DAY, SECOND_US};
use crate::{Error, Session};

/// Stored under this key, as text.
const KEY: &[u8] = b"retention";

/// Rules that say which snapshots are kept: each that one of them names. Snapshots
/// that kept results need are always kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Number of the newest snapshots.
    pub last: Option<u64>,
    /// Snapshots from so long before the time of the newest that is no result's: `30d`,
    /// `6mo`; a month counts 30 days, a year 365.
    pub within: Option<Every>,
    /// Snapshots whose names fit a pattern, in which `*` stands for any text and `?` for
    /// any character.
    pub names: Vec<String>,
}

/// Effect of rules on the snapshots of a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Names of the snapshots that were dropped.
    pub dropped: Vec<String>,
    /// Snapshots that no rule keeps and that stored results need.
    pub needed: Vec<String>,
}

impl Retention {
    /// Whether there is no rule: then nothing is ever dropped.
    pub fn is_empty(&self) -> bool {
        *self == Retention::default()
    }

    /// Snapshots that these rules drop.
    pub fn applied_to(&self, snapshots: &[Snapshot]) -> Pruned {
        let mut pruned = Pruned::default();
        if self.is_empty() {
            return pruned;
        }
        // Snapshots of results do not use up the places of others, and are of today.
        let others = || snapshots.iter().filter(|s| !is_reserved(&s.name));
        // A time behind that of the last creation was mistyped, unless all are.
        let created = others().map(|s| s.wall_us).max().unwrap_or(0);
        let times = || others().map(|s| s.time_us);
        let past = times().filter(|&time| time <= created).max();
        let newest = past.or_else(|| times().max()).unwrap_or(0);
        let length_us = self.within.and_then(length_us);
        let since = length_us.map(|length| newest.saturating_sub(length));
        let last = self.last.unwrap_or(0);
        let mut older = others().count() as u64;
        for snapshot in snapshots {
            let needed = is_reserved(&snapshot.name);
            let is_last = !needed && older <= last;
            older -= u64::from(!needed);
            let is_kept = is_last
                || since.is_some_and(|since| snapshot.time_us >= since)
                || self.names.iter().any(|name| fits(name, &snapshot.name));
            match (is_kept, needed) {
                (true, _) => {}
                (false, true) => pruned.needed.push(snapshot.name.clone()),
                (false, false) => pruned.dropped.push(snapshot.name.clone()),
            }
        }
        pruned
    }

    /// Whether they would keep a snapshot that is to come behind all others.
    pub fn keep(&self, new: Snapshot, mut snapshots: Vec<Snapshot>) -> bool {
        snapshots.retain(|known| known.name != new.name);
        let name = new.name.clone();
        snapshots.push(new);
        !self.applied_to(&snapshots).dropped.contains(&name)
    }

    /// One rule a line.
    fn encode(&self) -> String {
        let mut text = String::new();
        if let Some(last) = self.last {
            text += &format!("last {last}\n");
        }
        if let Some(within) = self.within {
            text += &format!("within {within}\n");
        }
        for name in &self.names {
            text += &format!("name {name}\n");
        }
        text
    }

    fn decode(text: &str) -> Option<Self> {
        let mut rules = Retention::default();
        for line in text.lines() {
            match line.split_once(' ')? {
                ("last", last) => rules.last = Some(last.parse().ok()?),
                ("within", within) => rules.within = Some(within.parse().ok()?),
                ("name", name) => rules.names.push(name.to_string()),
                _ => return None,
            }
        }
        Some(rules)
    }
}

impl fmt::Display for Retention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rules = Vec::new();
        rules.extend(self.last.map(|last| format!("the last {last}")));
        rules.extend(
            self.within
                .map(|within| format!("those of the last {within}")),
        );
        rules.extend(self.names.iter().map(|name| format!("`{name}`")));
        match rules.is_empty() {
            true => f.write_str("all"),
            false => f.write_str(&rules.join(", ")),
        }
    }
}

impl Session {
    /// The rules that are applied after each new snapshot and each import.
    pub fn retention(&self) -> Result<Retention, Error> {
        let Some(bytes) = self.store().meta(KEY) else {
            return Ok(Retention::default());
        };
        let rules = std::str::from_utf8(&bytes).ok().and_then(Retention::decode);
        rules.ok_or_else(|| {
            let what = "the rules of retention cannot be read";
            StorageError::damaged("extents", 0, what).into()
        })
    }

    /// Makes these the rules, and applies them. Without any, all snapshots are kept.
    ///
    /// # Errors
    /// Rules that keep nothing, or with a pattern of several lines.
    pub fn set_retention(&self, rules: &Retention) -> Result<Pruned, Error> {
        check(rules)?;
        let mut batch = Batch::new();
        batch.set_meta(KEY, rules.encode().as_bytes());
        self.commit(batch)?;
        self.apply_retention()
    }

    /// Drops, once, the snapshots that these rules do not keep.
    ///
    /// # Errors
    /// As [`Session::set_retention`].
    pub fn prune(&self, rules: &Retention) -> Result<Pruned, Error> {
        check(rules)?;
        let mut pruned = Pruned::default();
        if !rules.is_empty() {
            self.store().drop_snapshots_where(|snapshots| {
                pruned = rules.applied_to(snapshots);
                pruned.dropped.clone()
            })?;
        }
        Ok(pruned)
    }

    /// The snapshots that [`Session::prune`] would drop.
    ///
    /// # Errors
    /// Rules that keep nothing.
    pub fn would_prune(&self, rules: &Retention) -> Result<Pruned, Error> {
        check(rules)?;
        Ok(rules.applied_to(&self.snapshots()))
    }

    /// Applies the rules of the database.
    pub fn apply_retention(&self) -> Result<Pruned, Error> {
        self.prune(&self.retention()?)
    }
}

fn check(rules: &Retention) -> Result<(), Error> {
    if rules.last == Some(0) && rules.within.is_none() && rules.names.is_empty() {
        return Err(Error::argument(
            "these rules keep no snapshot",
            "keep at least one; `evergraph snapshot DB drop` drops by name",
        ));
    }
    if rules.within.is_some_and(|within| !within.is_of_time()) {
        return Err(Error::argument(
            "a length of time needs a unit",
            "give h, d, w, mo or y, as in 30d",
        ));
    }
    if rules.within.is_some_and(|within| !within.is_step()) {
        return Err(Error::argument(
            "that is no length of time to keep snapshots for",
            "give a second up to 10000 years",
        ));
    }
    if rules.names.iter().any(String::is_empty) {
        return Err(Error::argument(
            "no snapshot has an empty name",
            "give a pattern, such as '2016*'",
        ));
    }
    if rules.names.iter().any(|name| name.contains('\n')) {
        return Err(Error::argument(
            "no snapshot has a name of several lines",
            "give one pattern a rule",
        ));
    }
    Ok(())
}

fn length_us(within: Every) -> Option<i64> {
    let seconds = match within {
        Every::Seconds(seconds) => seconds,
        Every::Months(months) => DAY * (365 * (months / 12) + 30 * (months % 12)),
        Every::Edges(_) => return None,
    };
    Some(seconds.saturating_mul(SECOND_US))
}

/// Whether a name fits a pattern with `*` and `?`.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    // `reached[i]`: what was read of the pattern fits the first `i` characters.
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for &sign in &pattern {
        let mut next = vec![false; name.len() + 1];
        for i in 0..=name.len() {
            next[i] = match sign {
                '*' => reached[i] || (i > 0 && next[i - 1]),
                '?' => i > 0 && reached[i - 1],
                sign => i > 0 && reached[i - 1] && name[i - 1] == sign,
            };
        }
        reached = next;
    }
    reached[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(name: &str, csn: u64, day: i64) -> Snapshot {
        Snapshot {
            name: name.to_string(),
            csn,
            time_us: day * DAY * SECOND_US,
            wall_us: day * DAY * SECOND_US,
            vertex_count: 0,
            arc_count: 0,
        }
    }

    /// It would have all others dropped.
    #[test]
    fn a_time_in_the_future_is_not_the_newest() {
        let typo = Snapshot {
            wall_us: 9 * DAY * SECOND_US,
            ..snapshot("typo", 1, 4_000)
        };
        let mut snapshots = vec![typo, snapshot("today", 2, 10), snapshot("today-2", 3, 11)];
        let rules = Retention {
            within: Some(Every::Seconds(2 * DAY)),
            ..Retention::default()
        };
        assert_eq!(rules.applied_to(&snapshots), Pruned::default());
        // Where all are of the future, as times of a simulation, the last of them counts.
        for one in &mut snapshots {
            one.wall_us = 0;
        }
        assert_eq!(rules.applied_to(&snapshots).dropped, ["today", "today-2"]);
    }

    #[test]
    fn patterns_fit_names() {
        for (pattern, name, expected) in [
            ("", "", true),
            ("*", "", true),
            ("2016-*", "2016-05", true),
            ("2016-*", "2015-05", false),
            ("20??-12", "2015-12", true),
            ("20??-12", "20155-12", false),
            ("*-05-*", "2016-05-31", true),
            ("*a*b", "xxaxbxb", true),
            ("*a*b", "xxaxbxc", false),
            ("é?", "éa", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }

    /// Stored as it is.
    #[test]
    fn the_text_of_rules_is_pinned() {
        let rules = Retention {
            last: Some(3),
            within: Some(Every::Months(6)),
            names: vec!["a b*".to_string(), "?".to_string()],
        };
        let pinned = "last 3\nwithin 6mo\nname a b*\nname ?\n";
        assert_eq!(rules.encode(), pinned);
        assert_eq!(KEY, b"retention");
        for (within, pinned) in [
            (Every::Seconds(90), "90s"),
            (Every::Seconds(120), "2min"),
            (Every::Seconds(7200), "2h"),
            (Every::Seconds(14 * DAY), "14d"),
            (Every::Months(5), "5mo"),
            (Every::Months(24), "2y"),
        ] {
            assert_eq!(within.to_string(), pinned);
            assert_eq!(pinned.parse(), Ok(within));
        }
    }

    #[test]
    fn rules_add_up() {
        let snapshots = [
            snapshot("manual", 1, 0),
            snapshot("maintain/pr", 2, 1),
            snapshot("a", 3, 2),
            snapshot("b", 4, 10),
            snapshot("run/x", 5, 11),
            snapshot("c", 6, 12),
            // Made today, of a graph of long ago.
            snapshot("maintain/cc/1", 7, 20_000),
        ];
        let rows: &[(Retention, &str, &str)] = &[
            (Retention::default(), "", ""),
            (
                Retention {
                    last: Some(1),
                    ..Retention::default()
                },
                "manual a b",
                "maintain/pr run/x maintain/cc/1",
            ),
            (
                Retention {
                    last: Some(2),
                    names: vec!["man*".to_string()],
                    ..Retention::default()
                },
                "a",
                "maintain/pr run/x maintain/cc/1",
            ),
            (
                Retention {
                    within: Some(Every::Seconds(10 * DAY)),
                    ..Retention::default()
                },
                "manual",
                "maintain/pr",
            ),
        ];
        for (rules, dropped, needed) in rows {
            let pruned = rules.applied_to(&snapshots);
            assert_eq!(pruned.dropped.join(" "), *dropped, "{rules}");
            assert_eq!(pruned.needed.join(" "), *needed, "{rules}");
            assert_eq!(Retention::decode(&rules.encode()).as_ref(), Some(rules));
        }
        assert_eq!(Retention::decode("forever"), None);
    }

    #[test]
    fn lengths_of_months_are_days() {
        for (within, days) in [
            (Every::Months(1), 30),
            (Every::Months(11), 330),
            (Every::Months(12), 365),
            (Every::Months(25), 760),
            (Every::Seconds(DAY), 1),
        ] {
            assert_eq!(length_us(within), Some(days * DAY * SECOND_US), "{within}");
        }
        assert_eq!(length_us(Every::Edges(3)), None);
    }

    /// One that takes the place of another of its name, too.
    #[test]
    fn rules_say_whether_a_new_snapshot_would_stay() {
        let rules = Retention {
            last: Some(1),
            names: vec!["b".to_string()],
            ..Retention::default()
        };
        let known = vec![snapshot("a", 1, 0), snapshot("b", 2, 1)];
        for (name, is_kept) in [("a", true), ("b", true), ("c", true)] {
            assert_eq!(
                rules.keep(snapshot(name, 3, 2), known.clone()),
                is_kept,
                "{name}"
            );
        }
        let only_b = Retention {
            last: None,
            ..rules
        };
        assert!(!only_b.keep(snapshot("a", 3, 2), known));
    }
}
