//! Results as columns and notes, and back.

use std::borrow::Cow;
use std::fmt::Display;
use std::time::Instant;

use std::sync::Arc;

use evergraph_graph::{Column, StoredLists};
use evergraph_results::{StateError, Stored};
use evergraph_snapshots::View;
use evergraph_topology::Mode;

use super::algorithm::Algorithm;
use super::canonical::{between_ids, joined, parted};
use super::conventions::{column, counted, labels_groups, peers};
use super::given::Given;
use super::naming::{Naming, Nodes};
use super::part::{KEYS, NAME_BY, Part};
use super::rows::{Rows, Shown};
use super::{Fact, Format, Lists, Outcome, Values};
use crate::{Error, Session, origin};
use evergraph_property_graph::graph::NodeNames;

/// Notes that begin so are facts of the summary.
const FACT: &str = "result.";
/// Type of the values.
const VALUES: &str = "values";
/// How they are to be written.
const FORMAT: &str = "format";
/// The column with the head of each vertex's group.
const HEADS: &str = "head";
/// The column with the node of each vertex, if they are not the same.
const NODES: &str = "node";

/// A result as it was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The summary.
    pub result: Vec<(String, Fact)>,
    /// The values.
    pub values: Values,
    /// How they are to be written.
    pub format: Format,
    /// The nodes, or vertices of the database, that vertices stand for, of a part of the
    /// graph that does not have all.
    pub nodes: Option<Arc<[u32]>>,
    /// Why nodes go by their ids, where the run gave them names.
    pub without_names: Option<String>,
    algorithm: String,
    column: String,
    naming: Naming,
}

impl Kept {
    /// Reads a finished result of the database. O(values).
    ///
    /// # Errors
    /// If it is the state of a run that goes on, is none that an algorithm left,
    /// or is damaged.
    pub fn read(session: &Session, stored: &Stored) -> Result<Self, Error> {
        let description = stored.description();
        if !description.finished {
            return Err(Error::usage(
                format!(
                    "{:?} is the state of a run of {} after step {}, not a result",
                    description.name, description.algorithm, description.step
                ),
                "finish it with `evergraph run DB ALGORITHM --resume`",
            ));
        }
        let facts = description.notes.iter().filter_map(|(name, value)| {
            let name = name.strip_prefix(FACT)?;
            Some((name.to_string(), fact(value)?))
        });
        let result: Vec<(String, Fact)> = facts.collect();
        let output = description.parameter("output");
        let nodes: Option<Arc<[u32]>> = match stored.columns().any(|(name, ..)| name == NODES) {
            true => Some(stored.values::<u32>(NODES)?.into()),
            false => None,
        };
        let (naming, without_names) = match session.is_property_graph() {
            true => named(session, stored, nodes.clone())?,
            false => (Naming::of_vertices(nodes.clone()), None),
        };
        Ok(Kept {
            algorithm: description.algorithm.clone(),
            column: column(&description.algorithm, output, &result),
            naming,
            without_names,
            result,
            values: values(stored)?,
            format: match description.note(FORMAT) {
                Some("graphalytics") => Format::Graphalytics,
                _ => Format::Evergraph,
            },
            nodes,
        })
    }

    /// The same, with nodes that go by their ids.
    pub fn by_number(mut self) -> Self {
        if let Naming::Nodes(nodes) = self.naming {
            self.naming = Naming::Nodes(Nodes::new(nodes.count(), nodes.of_vertex().cloned()));
            self.without_names = None;
        }
        self
    }

    /// The rows that the run gave. Nodes go by the names that they had at its commit; by
    /// their ids where that cannot be read any more ([`Kept::without_names`]).
    pub fn rows<'a>(&'a self, session: &'a Session) -> Rows<'a> {
        let facts = self.result.iter();
        Rows {
            session,
            shown: Shown::Values(Cow::Borrowed(&self.values)),
            naming: &self.naming,
            format: self.format,
            column: &self.column,
            facts: facts.map(|(name, fact)| (name.as_str(), fact)).collect(),
            labels_groups: labels_groups(&self.algorithm) && self.column != "member",
        }
    }
}

/// Names of the nodes of a result, as the run gave them; or their ids, and why.
fn named(
    session: &Session,
    stored: &Stored,
    nodes: Option<Arc<[u32]>>,
) -> Result<(Naming, Option<String>), Error> {
    let description = stored.description();
    let count = u32::try_from(description.graph.vertex_count).unwrap_or(u32::MAX);
    let nodes = Nodes::new(count, nodes);
    let name_by = description.parameter(NAME_BY);
    let keys = description.parameter(KEYS);
    if name_by.or(keys).is_none() {
        return Ok((Naming::Nodes(nodes), None));
    }
    let by_id = |why: String| Ok((Naming::Nodes(nodes.clone()), Some(why)));
    if let Some(why) = session.other_history(stored)? {
        return by_id(format!("the result {why}"));
    }
    let csn = description.graph.csn;
    let Ok(view) = session.view_at(csn) else {
        return by_id(format!(
            "no snapshot keeps commit {csn}, of which the result is"
        ));
    };
    let graph = session.property_graph()?;
    let view = graph.view_of(&view)?;
    if let Some(name_by) = name_by {
        return Ok((Naming::Nodes(nodes.by(&view, &parted(name_by))), None));
    }
    let names = NodeNames::of(graph);
    if joined(names.texts().iter().map(String::as_str)).as_deref() != keys {
        return by_id("labels have other keys than at the commit of the result".to_string());
    }
    Ok((Naming::Nodes(nodes.by_keys(&view, &names)), None))
}

/// The result that a run with these parameters would have on this view, if it was
/// kept; the first of several by name that can be read.
///
/// # Errors
/// If none can, of those that there are.
pub(super) fn find_kept(
    session: &Session,
    view: &View,
    (algorithm, given): (&Algorithm, &Given),
    part: Option<&Part>,
) -> Result<Option<Outcome>, Error> {
    // Commits there are numbered anew by each process: none says which graph it was.
    if session.config().mode == Mode::Direct {
        return Ok(None);
    }
    let started = Instant::now();
    let parameters = parameters(session, (algorithm, given), part);
    let fits = |stored: &&Arc<Stored>| {
        let known = stored.description();
        known.finished
            && known.algorithm == algorithm.name
            && known.graph.csn == view.csn()
            && known.parameters == parameters
    };
    let results = session.results()?.list();
    let mut failed = None;
    for stored in results.iter().filter(fits) {
        if !origin::is_of(stored.description(), view)? {
            failed = failed.or(Some(of_another_history(stored)));
            continue;
        }
        match Kept::read(session, stored) {
            Ok(kept) => {
                let graph = &stored.description().graph;
                let directed = graph.direction != StoredLists::Undirected;
                let asked = (algorithm, given);
                let counted = counted(asked, (directed, graph.weighted), &kept.result);
                let column = kept.column;
                let facts = kept.result.into_iter();
                return Ok(Some(Outcome {
                    counted,
                    peers: peers(algorithm.name),
                    column,
                    algorithm: algorithm.name,
                    csn: view.csn(),
                    vertices: graph.vertex_count,
                    edges: match graph.direction {
                        StoredLists::Undirected => graph.arc_count / 2,
                        StoredLists::Out | StoredLists::Both => graph.arc_count,
                    },
                    naming: match part {
                        None => Naming::of_vertices(kept.nodes),
                        Some(part) => part.naming(graph.vertex_count as u32, kept.nodes),
                    },
                    seconds: started.elapsed().as_secs_f64(),
                    prepared: None,
                    iterations: None,
                    kept: Some(stored.description().name.clone()),
                    damaged: None,
                    result: facts.map(|(name, fact)| (Cow::Owned(name), fact)).collect(),
                    values: kept.values,
                    format: kept.format,
                    dram_bytes: None,
                    dram_bound: 0,
                    medium_writes: 0,
                    verified: None,
                    checkpointing: None,
                }));
            }
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    failed.map_or(Ok(None), Err)
}

fn of_another_history(stored: &Stored) -> Error {
    let description = stored.description();
    Error::usage(
        format!(
            "the result {:?} {}",
            description.name,
            origin::of_another(description.graph.csn)
        ),
        "drop it with `evergraph results DB drop`",
    )
}

/// Parameters that a result was computed with: those of the algorithm, and the part of a
/// property graph.
pub(super) fn parameters(
    session: &Session,
    (algorithm, given): (&Algorithm, &Given),
    part: Option<&Part>,
) -> Vec<(String, String)> {
    let mut parameters = algorithm.canonical(given, between_ids(session));
    tell_revised(algorithm.name, &mut parameters);
    parameters.extend(part.map(Part::parameters).unwrap_or_default());
    parameters.sort();
    parameters
}

/// Tells results with defaults of now from those that were kept with others: what was a
/// default is left out, and what is one is named.
fn tell_revised(algorithm: &str, parameters: &mut Vec<(String, String)>) {
    let is_given = |name: &str| parameters.iter().any(|(known, _)| known == name);
    let named = match algorithm {
        "k-core" if !is_given("parallel") => Some(("parallel", "once")),
        "closeness" | "harmonic" if !is_given("samples") => Some(("samples", "by size")),
        "betweenness" if is_given("source") => None,
        "betweenness" if !is_given("samples") => Some(("samples", "by size")),
        "betweenness" => Some(("pairs", "all")),
        _ => None,
    };
    let was_default = |(name, value): &(String, String)| match algorithm {
        "k-core" => (name.as_str(), value.as_str()) == ("parallel", "each"),
        "closeness" | "harmonic" => (name.as_str(), value.as_str()) == ("samples", "256"),
        _ => false,
    };
    parameters.retain(|parameter| !was_default(parameter));
    parameters.extend(named.map(|(name, value)| (name.to_string(), value.to_string())));
}

/// The notes that describe a result.
pub(super) fn notes(outcome: &Outcome) -> Vec<(String, String)> {
    stored_notes(kind(&outcome.values), outcome.format, &outcome.result)
}

/// The notes that describe a result whose values are of this kind.
pub(crate) fn stored_notes(
    kind: &str,
    format: Format,
    facts: &[(impl Display, Fact)],
) -> Vec<(String, String)> {
    let note = |name: &str, value: &str| (name.to_string(), value.to_string());
    let format = match format {
        Format::Evergraph => "evergraph",
        Format::Graphalytics => "graphalytics",
    };
    let mut notes = vec![note(VALUES, kind), note(FORMAT, format)];
    notes.extend((facts.iter()).map(|(name, fact)| (format!("{FACT}{name}"), text(fact))));
    notes
}

/// A fact that reads back as the same, to the bit.
fn text(fact: &Fact) -> String {
    match fact {
        Fact::Whole(number) => format!("whole {number}"),
        Fact::Real(number) => format!("real {:016x}", number.to_bits()),
        Fact::Text(text) => format!("text {text}"),
        Fact::Flag(is_so) => format!("flag {is_so}"),
        Fact::Id(id) => format!("id {id}"),
        Fact::Names(names) => {
            let names: Vec<String> = names.iter().map(text).collect();
            format!("names {}", names.join("\u{1f}"))
        }
        Fact::Counts(counts) => {
            let counts = counts.iter();
            let counts: Vec<String> = counts.map(|(at, n)| format!("{at}:{n}")).collect();
            format!("counts {}", counts.join(" "))
        }
    }
}

fn fact(text: &str) -> Option<Fact> {
    let (kind, value) = text.split_once(' ')?;
    Some(match kind {
        "whole" => Fact::Whole(value.parse().ok()?),
        "real" => Fact::Real(f64::from_bits(u64::from_str_radix(value, 16).ok()?)),
        "text" => Fact::Text(value.to_string()),
        "flag" => Fact::Flag(value.parse().ok()?),
        "id" => Fact::Id(value.parse().ok()?),
        "names" => Fact::Names(value.split('\u{1f}').map(fact).collect::<Option<_>>()?),
        "counts" => Fact::Counts(counts(value)?),
        _ => return None,
    })
}

fn counts(text: &str) -> Option<Vec<(u64, u64)>> {
    let pairs = text.split_whitespace().map(|pair| {
        let (at, count) = pair.split_once(':')?;
        Some((at.parse().ok()?, count.parse().ok()?))
    });
    pairs.collect()
}

fn kind(values: &Values) -> &'static str {
    match values {
        Values::Reals(_) => "reals",
        Values::Depths(_) => "depths",
        Values::Counts(_) => "counts",
        Values::Vertices(_) | Values::Headed(..) => "vertices",
        Values::Members(_) => "members",
        Values::Ranked(_) => "ranked",
        Values::Edges(_) => "edges",
        Values::EdgeReals(_) => "edge-reals",
        Values::EdgeCounts(_) => "edge-counts",
        Values::Lists(_) => "lists",
        Values::Nothing => "nothing",
    }
}

/// Lends the columns of a result, and of the nodes that its vertices stand for.
pub(super) fn with_columns<R>(
    outcome: &Outcome,
    take: impl FnOnce(&[(&str, Column<'_>)]) -> R,
) -> R {
    let nodes = outcome.naming.of_vertex();
    with_columns_of(&outcome.values, |columns| match nodes {
        None => take(columns),
        Some(nodes) => take(&[columns, &[(NODES, Column::U32(nodes))]].concat()),
    })
}

fn with_columns_of<R>(values: &Values, take: impl FnOnce(&[(&str, Column<'_>)]) -> R) -> R {
    match values {
        Values::Reals(values) => take(&[("value", Column::F64(values))]),
        Values::Depths(values) | Values::Vertices(values) => {
            take(&[("value", Column::U32(values))])
        }
        Values::Counts(values) => take(&[("value", Column::U64(values))]),
        Values::Headed(labels, heads) => {
            take(&[("value", Column::U32(labels)), (HEADS, Column::U32(heads))])
        }
        Values::Members(members) => {
            let bytes: Vec<u8> = members.iter().map(|&member| u8::from(member)).collect();
            take(&[("value", Column::U8(&bytes))])
        }
        Values::Ranked(ranked) => {
            let (vertices, scores): (Vec<u32>, Vec<f64>) = ranked.iter().copied().unzip();
            take(&[
                ("vertex", Column::U32(&vertices)),
                ("value", Column::F64(&scores)),
            ])
        }
        Values::Edges(edges) => {
            let (sources, targets): (Vec<u32>, Vec<u32>) = edges.iter().copied().unzip();
            take(&[
                ("source", Column::U32(&sources)),
                ("target", Column::U32(&targets)),
            ])
        }
        Values::EdgeReals(edges) => {
            let values: Vec<f64> = edges.iter().map(|edge| edge.2).collect();
            let (sources, targets): (Vec<u32>, Vec<u32>) =
                edges.iter().map(|&(u, v, _)| (u, v)).unzip();
            take(&[
                ("source", Column::U32(&sources)),
                ("target", Column::U32(&targets)),
                ("value", Column::F64(&values)),
            ])
        }
        Values::EdgeCounts(edges) => {
            let values: Vec<u64> = edges.iter().map(|edge| edge.2).collect();
            let (sources, targets): (Vec<u32>, Vec<u32>) =
                edges.iter().map(|&(u, v, _)| (u, v)).unzip();
            take(&[
                ("source", Column::U32(&sources)),
                ("target", Column::U32(&targets)),
                ("value", Column::U64(&values)),
            ])
        }
        Values::Lists(lists) => {
            let ends: Vec<u64> = lists.ends.iter().map(|&end| end as u64).collect();
            take(&[
                ("end", Column::U64(&ends)),
                ("vertex", Column::U32(&lists.vertices)),
            ])
        }
        Values::Nothing => take(&[]),
    }
}

fn values(stored: &Stored) -> Result<Values, Error> {
    let edges = || -> Result<Vec<(u32, u32)>, StateError> {
        let sources = stored.values::<u32>("source")?;
        let targets = stored.values::<u32>("target")?;
        Ok(sources.into_iter().zip(targets).collect())
    };
    let kind = stored.description().note(VALUES).unwrap_or_default();
    Ok(match kind {
        "reals" => Values::Reals(stored.values("value")?),
        "depths" => Values::Depths(stored.values("value")?),
        "counts" => Values::Counts(stored.values("value")?),
        "vertices" if stored.columns().any(|(name, ..)| name == HEADS) => {
            Values::Headed(stored.values("value")?, stored.values(HEADS)?)
        }
        "vertices" => Values::Vertices(stored.values("value")?),
        "members" => {
            let bytes = stored.values::<u8>("value")?;
            Values::Members(bytes.into_iter().map(|byte| byte != 0).collect())
        }
        "ranked" => {
            let vertices = stored.values::<u32>("vertex")?.into_iter();
            Values::Ranked(vertices.zip(stored.values::<f64>("value")?).collect())
        }
        "edges" => Values::Edges(edges()?),
        "edge-reals" => {
            let values = stored.values::<f64>("value")?;
            let pairs = edges()?.into_iter().zip(values);
            Values::EdgeReals(pairs.map(|((u, v), value)| (u, v, value)).collect())
        }
        "edge-counts" => {
            let values = stored.values::<u64>("value")?;
            let pairs = edges()?.into_iter().zip(values);
            Values::EdgeCounts(pairs.map(|((u, v), value)| (u, v, value)).collect())
        }
        "lists" => {
            let ends = stored.values::<u64>("end")?;
            let vertices = stored.values::<u32>("vertex")?;
            let len = vertices.len() as u64;
            if !ends.is_sorted() || ends.last().is_some_and(|&end| end > len) {
                return Err(unknown(stored));
            }
            Values::Lists(Lists {
                ends: ends.into_iter().map(|end| end as usize).collect(),
                vertices,
            })
        }
        "nothing" => Values::Nothing,
        _ => return Err(unknown(stored)),
    })
}

fn unknown(stored: &Stored) -> Error {
    Error::usage(
        format!(
            "{:?} holds no values that this program can write",
            stored.description().name
        ),
        "it was made by another version; run the algorithm again",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_read_back_as_they_were() {
        let names = [Fact::Id(7), Fact::Text("a b".to_string())];
        for known in [
            Fact::Whole(u64::MAX),
            Fact::Real(0.1),
            Fact::Real(f64::NEG_INFINITY),
            Fact::Text("a: b\n".to_string()),
            Fact::Flag(true),
            Fact::Names(names.to_vec()),
            Fact::Counts(vec![(0, 3), (1 << 40, u64::MAX)]),
            Fact::Counts(Vec::new()),
        ] {
            assert_eq!(fact(&text(&known)), Some(known));
        }
        assert_eq!(fact("other 1"), None);
    }

    #[test]
    fn results_of_other_defaults_say_so() {
        for (algorithm, known, expected) in [
            ("pagerank", "", ""),
            ("k-core", "", "parallel=once"),
            ("k-core", "parallel=each", ""),
            ("harmonic", "", "samples=by size"),
            ("harmonic", "samples=256", ""),
            ("betweenness", "", "samples=by size"),
            ("betweenness", "samples=9", "samples=9 pairs=all"),
            ("betweenness", "source=3", "source=3"),
        ] {
            let given = known
                .split_whitespace()
                .filter_map(|one| one.split_once('='));
            let mut parameters: Vec<(String, String)> = given
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect();
            tell_revised(algorithm, &mut parameters);
            let told = parameters
                .iter()
                .map(|(name, value)| format!("{name}={value}"));
            let told: Vec<String> = told.collect();
            assert_eq!(told.join(" "), expected, "{algorithm} {known}");
        }
    }
}
