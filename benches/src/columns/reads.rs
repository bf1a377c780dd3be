//! Scans, gathers and reads by id.

use std::hint::black_box;

use evergraph_graph::random::Random;
use evergraph_property_graph::graph::{
    Account, Comparison, EntityKind, Filter, GraphRead, PropertyGraph, Test, View,
};
use evergraph_property_graph::vector::{Values, Vector};

use super::data::{Data, Ids, RANGE_OF_A};
use super::rows::Rows;
use super::text;

/// A tenth of the nodes passes.
const BELOW: i64 = RANGE_OF_A / 10;

pub(super) fn measure(
    rows: &mut Rows,
    state: &str,
    data: &Data,
    ids: &Ids,
    graph: &PropertyGraph,
) -> Result<(), String> {
    let view = graph.view();
    scans(rows, state, data, &view)?;
    gathers(rows, state, data, ids, &view)?;
    by_id(rows, state, data, ids, &view)
}

fn code(view: &View, key: &str) -> Result<u32, String> {
    let code = view.key_code(key);
    code.ok_or_else(|| format!("no commit has used {key}"))
}

/// Ids of everything of a kind that a filter gives.
fn scan(view: &View, of: EntityKind, filter: &Filter) -> Result<Vec<u32>, String> {
    let (account, mut found) = (Account::default(), Vec::new());
    for morsel in view.morsels(of).iter() {
        view.scan(&morsel, filter, &mut found, &account)
            .map_err(text)?;
    }
    Ok(found)
}

/// Number of the nodes that a filter of an integer passes, a tenth of all.
pub(super) fn below(view: &View) -> Result<u64, String> {
    let test = Test::Compares(Comparison::Less, BELOW.into());
    let filter = Filter::default().and(code(view, "a")?, test);
    Ok(scan(view, EntityKind::Node, &filter)?.len() as u64)
}

/// Sum of an integer of all nodes.
pub(super) fn sum(view: &View) -> Result<u64, String> {
    let c = code(view, "c")?;
    let (account, mut found, mut sum) = (Account::default(), Vec::new(), 0);
    for morsel in view.morsels(EntityKind::Node).iter() {
        found.clear();
        view.scan(&morsel, &Filter::default(), &mut found, &account)
            .map_err(text)?;
        let values = view.gather(EntityKind::Node, &found, c, &account);
        sum += total(&values.map_err(text)?);
        account.release(account.used());
    }
    Ok(sum)
}

fn scans(rows: &mut Rows, state: &str, data: &Data, view: &View) -> Result<(), String> {
    let nodes = data.nodes();
    rows.pair(
        state,
        "filter of an integer, a tenth passes",
        nodes,
        || {
            let mut found: Vec<u32> = Vec::new();
            let passes = data.a.iter().enumerate().filter(|(_, a)| **a < BELOW);
            found.extend(passes.map(|(number, _)| number as u32));
            black_box(&found).len() as u64
        },
        || below(view),
    )?;
    rows.pair(
        state,
        "sum of an integer of all nodes",
        nodes,
        || black_box(&data.c).iter().sum::<i64>() as u64,
        || sum(view),
    )?;
    for (label, is_one) in [
        ("Item", Box::new(|_| true) as Box<dyn Fn(usize) -> bool>),
        ("Tenth", Box::new(Data::is_tenth)),
        ("Few", Box::new(|number| data.is_few(number))),
    ] {
        let flags: Vec<bool> = (0..nodes).map(&is_one).collect();
        let count = flags.iter().filter(|flag| **flag).count();
        let code = view.label_code(label).ok_or("no such label")?;
        rows.pair(
            state,
            &format!("nodes with a label that {count} of {nodes} have"),
            count,
            || {
                let flags = black_box(&flags).iter().enumerate();
                let found: Vec<u32> = flags
                    .filter_map(|(number, flag)| flag.then_some(number as u32))
                    .collect();
                found.len() as u64
            },
            || Ok(scan(view, EntityKind::Node, &Filter::label(code))?.len() as u64),
        )?;
    }
    Ok(())
}

fn total(values: &Vector) -> u64 {
    match values.values() {
        Values::Integer(values) => values.iter().sum::<i64>() as u64,
        _ => u64::MAX,
    }
}

fn gathers(
    rows: &mut Rows,
    state: &str,
    data: &Data,
    ids: &Ids,
    view: &View,
) -> Result<(), String> {
    let b = code(view, "b")?;
    let mut numbers: Vec<usize> = (0..data.nodes()).collect();
    for what in [
        "gather of an integer in order",
        "gather of an integer at random",
    ] {
        let nodes: Vec<u32> = numbers.iter().map(|&number| ids.nodes[number].0).collect();
        rows.pair(
            state,
            what,
            numbers.len(),
            || {
                let values: Vec<i64> = numbers.iter().map(|&number| data.b[number]).collect();
                black_box(&values).iter().sum::<i64>() as u64
            },
            || {
                let account = Account::default();
                let mut sum = 0;
                for some in nodes.chunks(2_048) {
                    let values = view
                        .gather(EntityKind::Node, some, b, &account)
                        .map_err(text)?;
                    sum += total(&values);
                }
                Ok(sum)
            },
        )?;
        Random::new(7).shuffle(&mut numbers);
    }
    Ok(())
}

fn by_id(rows: &mut Rows, state: &str, data: &Data, ids: &Ids, view: &View) -> Result<(), String> {
    let mut random = Random::new(9);
    // They lie in the caches after the first trial.
    let numbers: Vec<usize> = (0..10_000)
        .map(|_| random.below(data.nodes().min(4_096) as u64) as usize)
        .collect();
    let array = || numbers.iter().map(|&number| data.b[number] as u64).sum();
    rows.pair(
        state,
        "property of a node, by name",
        numbers.len(),
        array,
        || {
            let mut sum = 0;
            for &number in &numbers {
                let value = view.property(ids.nodes[number], "b").map_err(text)?;
                sum += value.map_or(Ok(0), i64::try_from).map_err(text)? as u64;
            }
            Ok(sum)
        },
    )?;
    let b = code(view, "b")?;
    rows.pair(
        state,
        "property of a node, by code",
        numbers.len(),
        array,
        || {
            let mut sum = 0;
            for &number in &numbers {
                let value = view.property_of(ids.nodes[number], b).map_err(text)?;
                sum += value.map_or(Ok(0), i64::try_from).map_err(text)? as u64;
            }
            Ok(sum)
        },
    )?;
    let array = || {
        let hop = numbers
            .iter()
            .map(|&number| data.edges[number % data.edges.len()].1);
        hop.map(u64::from).sum()
    };
    rows.pair(state, "end of a relationship", numbers.len(), array, || {
        let (account, mut sum) = (Account::default(), 0);
        let some: Vec<u32> = numbers
            .iter()
            .map(|&number| ids.relationships[number % ids.relationships.len()].0)
            .collect();
        for ends in some.chunks(2_048) {
            let ends = view.ends(ends, &account).map_err(text)?;
            sum += ends
                .targets
                .iter()
                .map(|&target| u64::from(target))
                .sum::<u64>();
        }
        Ok(sum)
    })
}
