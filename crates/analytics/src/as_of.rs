//! Times, names and commits that select a snapshot.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use evergraph_snapshots::View;
use evergraph_topology::{Snapshot, is_reserved};

use crate::calendar::{start_of, time_of_text, time_text};
use crate::names::nearest;
use crate::{Error, Session};

/// Selector of a snapshot, as the user gives it.
///
/// As a text: digits are a commit, `now` is the newest commit, anything else is the
/// name of a snapshot, or, if there is none of that name, a date: `2016-05`,
/// `2016-05-01`, `2016-05-01T12`, `2016-05-01T12:30:00Z`, UTC unless it has a zone.
/// A date means the newest snapshot that shows nothing after the end of that month,
/// day, hour, minute or second. Snapshots that belong to results (`run/…`,
/// `maintain/…`) are meant only by their names and commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// The newest commit.
    Now,
    /// A commit: that of a snapshot, or the newest.
    Csn(u64),
    /// The newest snapshot whose time is at or before so many microseconds since
    /// 1970.
    Time(i64),
    /// A snapshot by its name, or else by a date.
    Name(String),
}

/// A commit of a database that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The commit.
    pub csn: u64,
    /// The snapshot that keeps it; none for the newest commit.
    pub snapshot: Option<Snapshot>,
}

impl At {
    /// Reads a text; every text says something.
    pub fn from_text(text: &str) -> Self {
        let text = text.trim();
        // Not as the parser takes numbers, with a sign: `+2` may be a snapshot.
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(csn) if is_number => At::Csn(csn),
            _ if text == "now" => At::Now,
            _ => At::Name(text.to_string()),
        }
    }
}

impl FromStr for At {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<At, Infallible> {
        Ok(At::from_text(text))
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Now => f.write_str("now"),
            At::Csn(csn) => write!(f, "{csn}"),
            At::Time(time_us) => f.write_str(&time_text(*time_us)),
            At::Name(name) => f.write_str(name),
        }
    }
}

impl Moment {
    /// The snapshot's name, or `now`.
    pub fn name(&self) -> &str {
        match &self.snapshot {
            Some(snapshot) => &snapshot.name,
            None => "now",
        }
    }
}

impl Session {
    /// The graph as it was; O(1).
    ///
    /// # Errors
    /// If no snapshot keeps it: the error lists those that there are, and the nearest.
    pub fn as_of(&self, at: &At) -> Result<View, Error> {
        match at {
            At::Now => Ok(self.view()),
            at => self.view_of(&self.moment(at)?),
        }
    }

    /// View of a commit that was found before.
    pub fn view_of(&self, moment: &Moment) -> Result<View, Error> {
        self.view_at(moment.csn)
    }

    /// The graph as of a commit that a snapshot keeps, or of the newest.
    pub(crate) fn view_at(&self, csn: u64) -> Result<View, Error> {
        Ok(View::as_of(self.shared_store(), csn)?)
    }

    /// Finds the commit that is meant.
    ///
    /// # Errors
    /// As [`Session::as_of`].
    pub fn moment(&self, at: &At) -> Result<Moment, Error> {
        let newest = self.store().published().0;
        find(at, &self.snapshots(), newest)
    }

    /// As [`Session::moments`], of a range `A..B` as a text; either end may be missing.
    ///
    /// # Errors
    /// As [`Session::moments`]; and if there is no `..`.
    pub fn moments_of(&self, range: &str) -> Result<Vec<Moment>, Error> {
        let (from, to) = range.split_once("..").ok_or_else(|| {
            Error::argument(
                format!("\"{range}\" is no range"),
                "write A..B, A.., ..B, or .. for all snapshots",
            )
        })?;
        let end = |text: &str| (!text.trim().is_empty()).then(|| At::from_text(text));
        self.moments(end(from).as_ref(), end(to).as_ref())
    }

    /// The snapshots from one commit to another, both included, by commit. `None`
    /// stands for the oldest and for the newest snapshot; `now` adds the newest
    /// commit at the end, if no snapshot keeps it. Those that belong to results are
    /// left out, unless an end names them.
    ///
    /// # Errors
    /// As [`Session::as_of`]; and if there is nothing from the one to the other.
    pub fn moments(&self, from: Option<&At>, to: Option<&At>) -> Result<Vec<Moment>, Error> {
        let snapshots = self.snapshots();
        let newest = self.store().published().0;
        let csn_of = |at: &At| Ok::<_, Error>(find(at, &snapshots, newest)?.csn);
        let first = match from {
            Some(from) => from_csn(from, &snapshots, newest)?,
            None => 0,
        };
        let last = to.map(csn_of).transpose()?.unwrap_or(newest);
        let is_end = |snapshot: &Snapshot| {
            [from, to].into_iter().flatten().any(|at| match at {
                At::Name(name) => *name == snapshot.name,
                At::Csn(csn) => *csn == snapshot.csn,
                At::Now | At::Time(_) => false,
            })
        };
        let between = snapshots
            .iter()
            .filter(|snapshot| (first..=last).contains(&snapshot.csn))
            .filter(|snapshot| !is_reserved(&snapshot.name) || is_end(snapshot));
        let mut moments: Vec<Moment> = between.map(Moment::of).collect();
        // Two names of one commit show one graph.
        moments.dedup_by_key(|moment| moment.csn);
        let newest_is_meant = [from, to].contains(&Some(&At::Now));
        if newest_is_meant && moments.last().is_none_or(|moment| moment.csn != newest) {
            moments.push(Moment {
                csn: newest,
                snapshot: None,
            });
        }
        if moments.is_empty() {
            let text = |at: Option<&At>| at.map(At::to_string).unwrap_or_default();
            return Err(Error::usage(
                format!("there is no snapshot in {}..{}", text(from), text(to)),
                match first > last {
                    true => "the range runs from the earlier to the later",
                    false => "`evergraph snapshot DB list` shows what there is",
                },
            ));
        }
        Ok(moments)
    }
}

impl Moment {
    fn of(snapshot: &Snapshot) -> Self {
        Moment {
            csn: snapshot.csn,
            snapshot: Some(snapshot.clone()),
        }
    }
}

/// First commit of a range; of a date, that of the first snapshot not before it.
fn from_csn(at: &At, snapshots: &[Snapshot], newest: u64) -> Result<u64, Error> {
    let begins = match at {
        At::Time(time_us) => Some(*time_us),
        At::Name(name) if snapshots.iter().all(|s| s.name != *name) => start_of(name),
        _ => None,
    };
    let Some(begins) = begins else {
        return Ok(find(at, snapshots, newest)?.csn);
    };
    let first = named(snapshots).find(|s| s.time_us >= begins);
    Ok(first.map_or(newest + 1, |snapshot| snapshot.csn))
}

/// The snapshots that do not belong to results.
fn named(snapshots: &[Snapshot]) -> impl DoubleEndedIterator<Item = &Snapshot> {
    snapshots.iter().filter(|s| !is_reserved(&s.name))
}

fn find(at: &At, snapshots: &[Snapshot], newest: u64) -> Result<Moment, Error> {
    match at {
        At::Now => Ok(Moment {
            csn: newest,
            snapshot: named(snapshots).find(|s| s.csn == newest).cloned(),
        }),
        At::Csn(csn) => {
            let of_commit = |s: &&Snapshot| s.csn == *csn;
            let snapshot = named(snapshots).find(of_commit);
            let snapshot = snapshot.or_else(|| snapshots.iter().find(of_commit));
            match snapshot {
                Some(snapshot) => Ok(Moment::of(snapshot)),
                None if *csn == newest => Ok(Moment {
                    csn: newest,
                    snapshot: None,
                }),
                None => Err(not_kept(*csn, snapshots, newest)),
            }
        }
        At::Time(time_us) => at_time(*time_us, snapshots),
        At::Name(name) => match snapshots.iter().find(|s| s.name == *name) {
            Some(snapshot) => Ok(Moment::of(snapshot)),
            None => match time_of_text(name) {
                Some(time_us) => at_time(time_us, snapshots),
                None => Err(unknown(name, snapshots)),
            },
        },
    }
}

fn at_time(time_us: i64, snapshots: &[Snapshot]) -> Result<Moment, Error> {
    let newest = named(snapshots).rfind(|s| s.time_us <= time_us);
    newest.map(Moment::of).ok_or_else(|| {
        let earliest = named(snapshots).min_by_key(|s| s.time_us);
        match earliest {
            None => no_snapshots(),
            Some(earliest) => Error::usage(
                format!("{} is before the history", time_text(time_us)),
                format!(
                    "the earliest snapshot is `{}`, of {}",
                    earliest.name,
                    time_text(earliest.time_us)
                ),
            ),
        }
    })
}

fn not_kept(csn: u64, snapshots: &[Snapshot], newest: u64) -> Error {
    let named = |snapshot: &Snapshot| format!("{} (`{}`)", snapshot.csn, snapshot.name);
    let before = snapshots.iter().rfind(|s| s.csn < csn);
    let after = snapshots.iter().find(|s| s.csn > csn);
    let mut near: Vec<String> = [before, after].into_iter().flatten().map(named).collect();
    near.push(format!("{newest} (now)"));
    let message = match csn > newest {
        true => format!("commit {csn} is not there yet"),
        false => format!("the graph as of commit {csn} is not kept"),
    };
    let mut hint = format!("the nearest are {}", near.join(", "));
    if (1900..=2100).contains(&csn) {
        hint += &format!("; a year is written as its last month, {csn}-12");
    }
    Error::usage(message, hint)
}

/// The error for a name that no snapshot has.
pub(crate) fn unknown(name: &str, snapshots: &[Snapshot]) -> Error {
    if snapshots.is_empty() {
        return no_snapshots();
    }
    let hint = match nearest(name, snapshots.iter().map(|s| s.name.as_str())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`evergraph snapshot DB list` shows what there is".to_string(),
    };
    Error::usage(format!("there is no snapshot \"{name}\""), hint)
}

fn no_snapshots() -> Error {
    Error::usage(
        "the database has no snapshots",
        "name one with `evergraph snapshot DB create NAME`, or import with --snapshot-every",
    )
}
