//! `evergraph run` with problems about triangles.

use crate::common::Place;

/// A triangle with a tail, an edge in both directions, and a loop.
const EDGES: &str = "0 1\n1 2\n2 0\n0 2\n2 3\n3 3\n";

#[test]
fn values_and_summaries() {
    let place = Place::new();
    place.file("edges.txt", EDGES);
    place.json("import db edges.txt --directions both");
    let output = |run: &str| place.call(&format!("run db {run} -o -")).stdout;

    assert_eq!(output("tc"), "0 1\n1 1\n2 1\n3 0\n");
    assert_eq!(output("tc --param output=total"), "triangles 1\n");
    assert_eq!(output("k-truss"), "0 1 3\n0 2 3\n1 2 3\n2 3 2\n");
    assert_eq!(
        output("k-truss --param output=vertices"),
        "0 3\n1 3\n2 3\n3 2\n"
    );
    // Of vertex 1 both arcs between its neighbors are there.
    let coefficients = output("lcc");
    assert!(
        coefficients.starts_with("0 0.5\n1 1\n2 0.1666"),
        "{coefficients}"
    );
    assert!(coefficients.ends_with("\n3 0\n"), "{coefficients}");

    let graphalytics = output("lcc --param spec=graphalytics");
    assert!(
        graphalytics.starts_with("0 5.000000000000000e-01\n1 1.000000000000000e+00\n"),
        "{graphalytics}"
    );

    let counted = place.json("run db tc");
    assert_eq!(counted["result"]["triangles"], 1);
    assert_eq!(counted["result"]["top_vertex"], 0);
    let clustered = place.json("run db lcc");
    assert_eq!(clustered["result"]["transitivity"], 0.6);
    let trusses = place.json("run db k-truss");
    assert_eq!(trusses["result"]["edges"], 4);
    assert_eq!(trusses["result"]["max_trussness"], 3);
    assert_eq!(trusses["result"]["max_edges"], 3);
}
