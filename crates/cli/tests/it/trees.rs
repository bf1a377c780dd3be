//! Components, trees and greedy sets from the command line.

use crate::common::Place;

#[test]
fn results_are_written_with_external_ids() {
    let place = Place::new();
    // A square a b c d with a tail from d, and a pair beside it.
    place.file(
        "named.csv",
        "source,target,weight\na,b,1\nb,c,2.5\nc,d,-1\nd,a,4\nd,e,3\nx,y,0.5\n",
    );
    place.json("import db named.csv --ids map --weighted --directions both");
    let run = |arguments: &str| {
        let outcome = place.call(&format!("run db {arguments} -o -"));
        outcome.expect(0);
        outcome.stdout
    };
    assert_eq!(run("scc"), "a a\nb a\nc a\nd a\ne e\nx x\ny y\n");
    assert_eq!(run("bicc"), "a a\nb b\nc b\nd b\ne e\nx x\ny y\n");
    assert_eq!(
        run("bicc --param output=heads"),
        "a inf\nb a\nc a\nd a\ne d\nx inf\ny x\n"
    );
    assert_eq!(run("bicc --param output=bridges"), "d e\nx y\n");
    let points = run("bicc --param output=articulation-points");
    assert_eq!(points, "a 0\nb 0\nc 0\nd 1\ne 0\nx 0\ny 0\n");
    assert_eq!(run("msf"), "a b 1\nb c 2.5\nc d -1\nd e 3\nx y 0.5\n");
    assert_eq!(run("sf").lines().count(), 5);
    assert_eq!(run("topological-order --param output=cycle"), "a b c d\n");
    assert_eq!(run("mis").lines().count(), 7);
    let found = place.json("run db topological-order");
    assert_eq!(found["result"]["acyclic"], false);
    assert_eq!(
        found["result"]["cycle"],
        serde_json::json!(["a", "b", "c", "d"])
    );
    assert_eq!(place.json("run db msf")["result"]["weight"], 6.0);
    assert_eq!(place.json("run db coloring")["result"]["colors"], 2);
}
