//! Ranges of an index, beside the same of a sorted array.

use std::hint::black_box;
use std::ops::Bound;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Account, GraphRead, IndexSubject, Opened, Order, PropertyGraph,
};
use evergraph_property_graph::index::KeyRange;

use super::data::{Data, Ids, RANGE_OF_C};
use super::rows::Rows;
use super::text;

/// Makes an index of `c`, and reads ranges of it.
pub(super) fn measure(
    rows: &mut Rows,
    data: &Data,
    ids: &Ids,
    graph: &PropertyGraph,
) -> Result<(), String> {
    graph.create_index("by c", "Item", &["c"]).map_err(text)?;
    graph.checkpoint().map_err(text)?;
    let mut sorted: Vec<(i64, u32)> = (data.c.iter().zip(&ids.nodes))
        .map(|(c, id)| (*c, id.0))
        .collect();
    sorted.sort_unstable();
    let view = graph.view();
    let (label, key) = (view.label_code("Item"), view.key_code("c"));
    let (label, key) = (label.ok_or("no such label")?, key.ok_or("no such key")?);
    let index = view.index_over(IndexSubject::Label(label), &[key]);
    let index = index.ok_or("the index is not there")?;
    let hundredth = (RANGE_OF_C / 2, RANGE_OF_C / 2 + RANGE_OF_C / 100);
    let ranges = [
        ("a hundredth of an index", hundredth, usize::MAX),
        ("the first ten of an index", (0, i64::MAX), 10),
    ];
    for (what, (from, until), most) in ranges {
        let of_array = || -> u64 {
            let start = sorted.partition_point(|(c, _)| *c < from);
            let some = sorted[start..].iter().take_while(|(c, _)| *c < until);
            let found: Vec<u32> = some.take(most).map(|(_, id)| *id).collect();
            black_box(&found).iter().map(|id| u64::from(*id)).sum()
        };
        let lower = Value::from(from);
        let upper = Value::from(until);
        let range = KeyRange::between(&[], Bound::Included(&lower), Bound::Excluded(&upper));
        let start = sorted.partition_point(|(c, _)| *c < from);
        let count = sorted[start..].iter().take_while(|(c, _)| *c < until);
        rows.pair("merged", what, count.take(most).count(), of_array, || {
            let (account, mut found) = (Account::default(), Vec::new());
            let cursor = view.cursor(index, &range, Order::Ascending);
            let Opened::Cursor(mut cursor) = cursor.map_err(text)? else {
                return Err("the index cannot be used".to_string());
            };
            cursor.read(most, &mut found, &account).map_err(text)?;
            Ok(found.iter().map(|id| u64::from(*id)).sum())
        })?;
    }
    Ok(())
}
