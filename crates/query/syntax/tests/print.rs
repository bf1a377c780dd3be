//! The reference of the printer and the parser: any tree, printed, parses to the same
//! tree.

mod trees;

use evergraph_syntax::{parse, parse_expression};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn expressions_parse_to_what_was_printed(tree in trees::expression()) {
        let text = tree.to_string();
        let again = parse_expression(&text);
        prop_assert!(again.as_ref() == Ok(&tree), "{}\n{:?}", text, again.map(|again| again.to_string()));
    }

    #[test]
    fn statements_parse_to_what_was_printed(tree in trees::statement()) {
        let text = tree.to_string();
        let again = parse(&text);
        prop_assert!(again.as_ref() == Ok(&tree), "{}\n{:?}", text, again.map(|again| again.to_string()));
    }
}

#[test]
fn the_language_is_read_and_printed() {
    for text in [
        "MATCH (n:A:B {a: 1} WHERE n.b) RETURN n",
        "MATCH p = (a)-[r:X|Y*1..3 {a: $b}]->(b)<-[*]-()-[*2]-()-[*..3]-() RETURN *",
        "MATCH (a:!A&(B|%))-[:X&Y]-(b) RETURN DISTINCT a.x AS x, count(*) ORDER BY x DESC SKIP 1 LIMIT $n",
        "MATCH ANY SHORTEST (a)-[r:R]->+(b) RETURN a",
        "MATCH ALL SHORTEST (a)((x)-[:R]->(y) WHERE x.a < y.a){2,5}(b) RETURN a",
        "MATCH p = SHORTEST 3 GROUPS (a)--{,4}(b) RETURN p",
        "MATCH ANY 2 PATHS (a)-->(b) RETURN a",
        "MATCH p = shortestPath((a)-[*..15]-(b)) RETURN length(p)",
        "OPTIONAL MATCH (a) AS OF 'monday' WHERE a.x IS NOT NULL RETURN a",
        "MATCH (a:A)-[r:R]->(b) USING INDEX SEEK a:A(x) USING SCAN r:R USING JOIN ON a, b WHERE a.x = 1 RETURN a",
        "MATCH (seek:A {x: 1}) AS OF $t USING TEXT INDEX seek:A(x) RETURN 1",
        "OPTIONAL MATCH (a:A {x: 1, y: 2}) USING RANGE INDEX SEEK a:A(x, y) RETURN a",
        "AS OF $t MATCH (a) RETURN a UNION ALL MATCH (a) RETURN a",
        "UNWIND [1, 2] AS x WITH x WHERE x > 1 RETURN x",
        "LOAD CSV FROM 'file:///a.csv' AS line RETURN line[0]",
        "MATCH (a) LOAD CSV WITH HEADERS FROM a.file + $x AS row FIELDTERMINATOR '\\t' MERGE (:A)",
        "CREATE (a:A $p)-[:R {x: 1}]->(b) SET a.x = 1, a += {y: 2}, b = {}, b:C:D REMOVE a.x, b:C",
        "MATCH (n:$(a):B)-[:$any(b)|C]->(:!$all([a])&D) WHERE n:$(a) AND n IS $any(b) RETURN n",
        "CREATE (n:A:$(b.c))-[:$('R' + $x)]->() SET n:$(a):B, n[a] = 1 REMOVE n:$(a), n[a]",
        "MERGE (a:A {x: 1}) ON CREATE SET a.y = 1 ON MATCH SET a.y = 2",
        "MATCH (a) DETACH DELETE a",
        "FOREACH (x IN [1] | CREATE (:A {x: x}) FOREACH (y IN [x] | MERGE (:B {y: y})))",
        "CALL a.b.c(1, $x) YIELD d AS e, f WHERE e > 1 RETURN e",
        "CALL a.b",
        "MATCH (n) CALL { WITH n MATCH (n)-->(m) RETURN m } RETURN m",
        "MATCH (n) CALL (n) { MATCH (n)-->(m) RETURN m } RETURN m",
        "OPTIONAL CALL (*) { RETURN 1 AS a } RETURN a",
        "CALL { CREATE () } IN TRANSACTIONS",
        "UNWIND a AS b CALL (b) { CREATE () } IN TRANSACTIONS OF $n ROWS ON ERROR FAIL FINISH",
        "CALL { RETURN 1 AS a } IN TRANSACTIONS REPORT STATUS AS s ON ERROR BREAK OF 1 ROW RETURN s",
        "MATCH (n) RETURN n NEXT LET x = n.a, y = x FILTER x > 1 RETURN x, y",
        "MATCH (n) RETURN n.a AS a, n AS `b c` NEXT RETURN a UNION ALL { RETURN `b c` AS a } NEXT RETURN a",
        "RETURN 1 AS a UNION RETURN 2 AS a NEXT CREATE (:A {x: a}) NEXT MATCH (n) RETURN n",
        "{ RETURN 1 AS a UNION RETURN 2 AS a } UNION ALL { { RETURN 3 AS a } }",
        "AS OF $t WHEN a < 1 THEN { RETURN 1 AS a } WHEN (b)-->(c) THEN RETURN 2 AS a ELSE RETURN 3 AS a",
        "MATCH (n) RETURN n, n.x AS x NEXT WHEN x THEN { SET n.y = 1 } ELSE { WHEN n.y THEN DELETE n }",
        "CALL (*) { WHEN true THEN RETURN 1 AS a } RETURN a, EXISTS { WHEN a THEN MATCH (n) RETURN n }",
        "RETURN allReduce(s = 0, x IN [1, 2] | s + x, s < 9), CAST(a AS INTEGER LIST ARRAY NOT NULL)",
        "RETURN [x IN [1, 2] WHERE x > 1 | x + 1], [(a)-->(b) WHERE a.x | b], [p = (a)-->() | p]",
        "RETURN all(x IN a WHERE x), none(x IN a WHERE x), reduce(s = 0, x IN a | s + x)",
        "RETURN CASE a WHEN 1, 2 THEN 'x' ELSE 'y' END, CASE WHEN a THEN 1 END",
        "RETURN CASE a WHEN < 1 + 2, = b, <> c IS NULL THEN 1 WHEN =~ 'x', STARTS WITH 'a' THEN 2 END",
        "RETURN CASE a WHEN IS NULL, IS NOT NULL, IS :: INTEGER | STRING, IS NOT TYPED LIST<MAP> THEN 1 END",
        "RETURN CASE a WHEN :: DATE, IS NFD NORMALIZED, IS NOT NORMALIZED, IN [1] THEN 1 END",
        "RETURN n {.*, .a, b, c: 1}, EXISTS { (a)-->(b) WHERE a.x }, COUNT { MATCH (a) RETURN a }",
        "RETURN exists((a)-->(b)), a[1..2], a[..2], a[1..], a.b.c[0], $`odd name`, `odd ``name`",
        "RETURN a = b <> c < d, NOT a AND b XOR c OR d, -a ^ -b * +c % d || 'x', a =~ 'b' IS NULL",
        "EXPLAIN MATCH (n) RETURN n",
        "PROFILE CREATE ()",
        "CREATE INDEX a IF NOT EXISTS FOR (n:L) ON (n.a, n.b)",
        "CREATE VECTOR INDEX FOR (n:L) ON (n.a) OPTIONS {dimensions: 3}",
        "CREATE FULLTEXT INDEX a FOR (n:L|M) ON EACH [n.a]",
        "CREATE INDEX FOR ()-[r:T]-() ON (r.a)",
        "CREATE INDEX FOR (n:L) ON n.a OPTIONS {indexProvider: 'range-1.0'}",
        "CREATE VECTOR INDEX a IF NOT EXISTS FOR (n:L) ON n.a OPTIONS {indexConfig: {`vector.dimensions`: $n}}",
        "CREATE CONSTRAINT a FOR (n:L) REQUIRE n.a IS UNIQUE",
        "CREATE CONSTRAINT a FOR (n:L) REQUIRE (n.a) IS NODE KEY OPTIONS {indexConfig: {}}",
        "CREATE CONSTRAINT IF NOT EXISTS FOR (n:L) REQUIRE (n.a, n.b) IS NODE KEY",
        "CREATE CONSTRAINT FOR (n:L) REQUIRE n.a IS :: STRING",
        "DROP INDEX a IF EXISTS",
        "DROP CONSTRAINT a",
        "CREATE INDEX $name IF NOT EXISTS FOR (n:L) ON (n.a)",
        "CREATE CONSTRAINT $`odd name` FOR (n:L) REQUIRE n.a IS UNIQUE",
        "DROP INDEX $0 IF EXISTS",
        "SHOW INDEXES YIELD name AS n WHERE n STARTS WITH 'a'",
        "SHOW INDEXES WHERE name STARTS WITH 'a' RETURN count(*)",
        "SHOW ALL INDEXES",
        "SHOW FULLTEXT INDEX WHERE true",
        "SHOW LOOKUP INDEXES YIELD *",
        "SHOW ALL CONSTRAINTS",
        "SHOW UNIQUE CONSTRAINT",
        "SHOW NODE UNIQUENESS CONSTRAINTS",
        "SHOW NODE KEY CONSTRAINTS YIELD *",
        "SHOW RELATIONSHIP PROPERTY EXISTENCE CONSTRAINTS",
        "SHOW REL EXIST CONSTRAINTS",
        "SHOW PROPERTY TYPE CONSTRAINTS WHERE name = 'a'",
        "SHOW TRANSACTIONS",
        "COPY Person FROM 'people.csv' (key id, header, delimiter '|', skip = 1, on_conflict skip)",
        "COPY KNOWS FROM $file (from Order.id, to = Person.id)",
        "COPY (MATCH (n) RETURN n.a) TO 'a.parquet'",
        "COPY (RETURN 1 UNION RETURN 2) TO 'a.csv' (header = false)",
    ] {
        let tree = parse(text).unwrap_or_else(|error| panic!("{error}"));
        let shown = tree.to_string();
        assert_eq!(parse(&shown).as_ref(), Ok(&tree), "{text}\n{shown}");
    }
}

#[test]
fn a_character_in_two_halves_is_one() {
    let whole = parse_expression("'😀A'");
    assert_eq!(parse_expression(r"'\uD83D\uDE00\u0041'"), whole);
    for text in [
        r"'\uD83D'",
        r"'\uD83D\u0041'",
        r"'\uDE00\uD83D'",
        r"'\uD83Dx'",
    ] {
        assert!(parse_expression(text).is_err(), "{text}");
    }
}

#[test]
fn precedences_are_those_of_the_language() {
    for (text, same) in [
        ("a OR b AND c", "a OR (b AND c)"),
        ("a XOR b AND c OR d", "(a XOR (b AND c)) OR d"),
        ("NOT a = b", "NOT (a = b)"),
        ("NOT a AND b", "(NOT a) AND b"),
        ("a = b IS NULL", "a = (b IS NULL)"),
        ("a + b IN c", "(a + b) IN c"),
        ("a - b - c", "(a - b) - c"),
        ("a + b * c ^ d", "a + (b * (c ^ d))"),
        ("-a ^ b", "(-a) ^ b"),
        ("-a.b", "-(a.b)"),
        ("a STARTS WITH b + c", "a STARTS WITH (b + c)"),
        ("a.b = c IN d", "(a.b) = (c IN d)"),
        ("a + b:C", "a + (b:C)"),
        ("-a.b:C IN d", "(-((a.b):C)) IN d"),
        ("a CONTAINS b:C|D", "a CONTAINS (b:(C|D))"),
        ("exists((a)-->(b))", "EXISTS { (a)-->(b) }"),
    ] {
        let (one, other) = (parse_expression(text), parse_expression(same));
        // A chain that is flat and one in parentheses differ, and mean the same.
        let flat = |text: &str| text.replace(['(', ')'], "");
        let shown =
            |tree: Result<evergraph_syntax::tree::Expression, _>| flat(&tree.unwrap().to_string());
        assert_eq!(shown(one), shown(other), "{text}");
        if !text.contains("a - b - c") {
            assert_eq!(parse_expression(text), parse_expression(same), "{text}");
        }
    }
}

#[test]
fn what_says_nothing_more_is_left_out() {
    for (text, short) in [
        ("RETURN ALL 1 AS x", "RETURN 1 AS x"),
        (
            "MATCH (n) WITH ALL n RETURN ALL n.x",
            "MATCH (n) WITH n RETURN n.x",
        ),
        (
            "MATCH (n) RETURN count(ALL n), sum(all n.x)",
            "MATCH (n) RETURN count(n), sum(n.x)",
        ),
        ("CYPHER 25 RETURN 1", "RETURN 1"),
        ("EXPLAIN CYPHER 5 RETURN 1", "EXPLAIN RETURN 1"),
        ("{ { RETURN 1 } }", "RETURN 1"),
        ("RETURN 1 AS a NEXT RETURN a", "WITH 1 AS a RETURN a"),
        (
            "{ RETURN 1 AS a NEXT { RETURN a } } UNION { RETURN 2 AS a }",
            "WITH 1 AS a RETURN a UNION RETURN 2 AS a",
        ),
        (
            "{ RETURN 1 AS a UNION RETURN 2 AS a } UNION ALL RETURN 3 AS a",
            "CALL (*) { RETURN 1 AS a UNION RETURN 2 AS a } RETURN a UNION ALL RETURN 3 AS a",
        ),
        (
            "RETURN 1 AS a UNION RETURN 2 AS a NEXT RETURN sum(a)",
            "CALL (*) { RETURN 1 AS a UNION RETURN 2 AS a } RETURN sum(a)",
        ),
        ("CREATE () NEXT RETURN 1", "CALL (*) { CREATE () } RETURN 1"),
        (
            "MATCH REPEATABLE ELEMENT ()",
            "MATCH REPEATABLE ELEMENTS ()",
        ),
        ("MATCH DIFFERENT RELATIONSHIP ()", "MATCH ()"),
        (
            "RETURN a IS :: INTEGER LIST",
            "RETURN a IS :: LIST<INTEGER>",
        ),
        (
            "RETURN CAST(a AS ANY<INT | FLOAT> ARRAY NOT NULL LIST)",
            "RETURN CAST(a AS LIST<LIST<INTEGER | FLOAT> NOT NULL>)",
        ),
    ] {
        let [long, short] = [text, short].map(|text| parse(text).map(|tree| tree.to_string()));
        assert!(long.is_ok() && long == short, "{text}: {long:?}");
    }
    // Where nothing follows it is a variable or a function.
    for text in [
        "WITH 1 AS `all` RETURN `all`",
        "WITH 1 AS `all` RETURN `all` ORDER BY `all`",
        "WITH 1 AS `all` RETURN count(`all`), `all` + 1, `all` IN [1] AS x",
        "RETURN all(x IN [1] WHERE x > 0) AS b",
    ] {
        let [plain, quoted] = [text.replace('`', ""), text.to_string()]
            .map(|text| parse(&text).map(|tree| tree.to_string()));
        assert!(plain.is_ok() && plain == quoted, "{text}: {plain:?}");
    }
}

/// A text with a keyword as a variable is the text with the keyword in backticks.
#[test]
fn keywords_are_variables_where_a_text_brings_them() {
    let words = [
        "and",
        "as",
        "asc",
        "by",
        "call",
        "contains",
        "create",
        "delete",
        "desc",
        "descending",
        "detach",
        "else",
        "end",
        "ends",
        "foreach",
        "in",
        "limit",
        "match",
        "merge",
        "on",
        "optional",
        "or",
        "order",
        "remove",
        "return",
        "set",
        "skip",
        "starts",
        "then",
        "union",
        "unwind",
        "when",
        "with",
        "xor",
        "yield",
        "Order",
        "LIMIT",
    ];
    let texts = [
        "MATCH (W:Order {a: 1})-[:R]->(b) WHERE W.x > 1 RETURN W, W.total ORDER BY W.total SKIP 1 LIMIT 2",
        "MATCH (W)-[r]->() WITH W AS a ORDER BY W.x DESC LIMIT 3 RETURN a",
        "MATCH ()-[W:IN*1..3]->(b) RETURN W",
        "MATCH (a)-[W]->(b) DELETE W",
        "MATCH (a) WITH a AS W MATCH (W)-->(c) SET W.x = 1, W += {y: 2}, W:B REMOVE W.x, W:A DETACH DELETE W",
        "UNWIND [1, 2] AS W WITH DISTINCT W, count(*) AS c WHERE W > 1 AND W < 5 OR NOT W = 3 RETURN W + c",
        "RETURN [W IN [1, 2] WHERE W > 1 | W + 1], all(W IN [1] WHERE W = 1), reduce(s = 0, W IN [1] | s + W)",
        "UNWIND [1] AS W RETURN CASE WHEN W IS NULL THEN W ELSE W END AS e",
        "UNWIND [{a: 1}] AS W RETURN W {.a, b: W.a}, W['a'], [W], size(W), {order: W}, $limit",
        "MATCH (W WHERE W.x = 1) CALL (W) { MATCH (W)--(b) RETURN b } RETURN W, b",
        "MATCH (W IS A) FOREACH (x IN [1] | CREATE (W)-[:SET]->(:MATCH {set: x}))",
        "CREATE INDEX FOR (W:A) ON (W.x)",
        "UNWIND [1] AS W RETURN W UNION ALL UNWIND [2] AS W RETURN W",
    ];
    for (text, word) in texts.iter().flat_map(|text| words.map(|word| (text, word))) {
        // As a word of its own.
        let with = |name: &str| {
            let parts = text.split_inclusive(|c: char| !c.is_alphanumeric());
            let parts = parts.map(|part| match part.strip_prefix('W') {
                Some(rest) if !rest.starts_with(char::is_alphanumeric) => format!("{name}{rest}"),
                _ => part.to_string(),
            });
            parts.collect::<String>()
        };
        let (plain, quoted) = (with(word), with(&format!("`{word}`")));
        let [plain_tree, quoted_tree] = [&plain, &quoted].map(|text| {
            let tree = parse(text).map(|tree| tree.to_string());
            tree.map_err(|error| format!("{text}: {error}"))
        });
        assert!(quoted_tree.is_ok(), "{quoted_tree:?}");
        assert_eq!(plain_tree, quoted_tree, "{plain}");
    }
}
