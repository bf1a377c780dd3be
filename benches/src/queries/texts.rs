//! The texts of the queries.

/// A query by its name in `benches/queries`.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! texts {
    ($folder:literal $($name:literal)*) => {
        [$(Text {
            name: $name,
            text: include_str!(concat!("../../queries/", $folder, "/", $name, ".cypher")),
        }),*]
    };
}

/// Short reads 1 to 7 of SNB Interactive.
pub const SHORT: [Text; 7] =
    texts!("snb" "short-1" "short-2" "short-3" "short-4" "short-5" "short-6" "short-7");

/// Complex reads 1 to 14 of SNB Interactive.
pub const COMPLEX: [Text; 14] = texts!("snb"
    "complex-1" "complex-2" "complex-3" "complex-4" "complex-5" "complex-6" "complex-7"
    "complex-8" "complex-9" "complex-10" "complex-11" "complex-12" "complex-13" "complex-14"
);

/// Updates 1 to 8 of SNB Interactive.
pub const UPDATES: [Text; 8] = texts!("snb"
    "update-1" "update-2" "update-3" "update-4" "update-5" "update-6" "update-7" "update-8"
);

/// Counts 1 to 9 of LSQB, and one more on its graph.
pub const COUNTS: [Text; 10] = texts!("lsqb" "1" "2" "3" "4" "5" "6" "7" "8" "9" "4-cliques");

/// Small queries on a random graph.
pub const MICRO: [Text; 10] = texts!("micro"
    "point-read" "one-hop" "scan" "aggregation" "two-hops" "triangles" "triangles-once"
    "variable-length" "merge" "insert"
);
