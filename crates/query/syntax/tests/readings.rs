//! Texts at the edges of the language: which of two readings is taken, and which texts are
//! no statement at all.

use evergraph_syntax::scope::{
    Environment, FunctionSignature, Functions, Parameter, Returns, Times, Types, check,
};
use evergraph_syntax::{Error, nearest, parse, parse_expression};

const fn one(types: Types) -> [Parameter; 1] {
    let (name, times) = ("value", Times::Once);
    [Parameter { name, types, times }]
}

const ANY: [Parameter; 1] = one(Types::ANY);
const TEXT: [Parameter; 1] = one(Types::STRING);

struct Few;

impl Functions for Few {
    fn find(&self, name: &str) -> Option<FunctionSignature> {
        let (name, parameters, types): (_, &'static [Parameter], _) = match name {
            "count" => ("count", &ANY, Types::INTEGER),
            "toUpper" => ("toUpper", &TEXT, Types::STRING),
            _ => return None,
        };
        Some(FunctionSignature {
            name,
            parameters,
            returns: Returns::One(types),
            aggregates: name == "count",
            is_late: false,
        })
    }

    fn names(&self) -> Vec<&'static str> {
        vec!["count", "toUpper"]
    }
}

fn checked(text: &str) -> Result<Vec<String>, Error> {
    let environment = Environment {
        functions: Some(&Few),
        ..Environment::default()
    };
    let statement = parse(text)?;
    check(text, &statement, environment).map(|checked| checked.columns)
}

fn shown(text: &str) -> String {
    let tree = parse_expression(text).unwrap_or_else(|error| panic!("{error}"));
    tree.to_string()
}

#[test]
fn two_texts_of_one_meaning_are_one_tree() {
    for (text, same) in [
        // Eight digits before six.
        (r"'\U0001F600'", "'😀'"),
        (r"'\U01F600'", "'😀'"),
        ("1_000_000", "1000000"),
        ("a IS NORMALIZED", "a IS NFC NORMALIZED"),
        ("a IS NOT NORMALIZED", "NOT a IS NFC NORMALIZED"),
        // The bar is that of the comprehension, also behind a CASE.
        (
            "[x IN CASE a WHEN 1 THEN [2] END + b:C | x]",
            "[x IN (CASE a WHEN 1 THEN [2] END + (b:C)) | x]",
        ),
        ("-1[0]", "-(1[0])"),
        ("-1.a", "-(1 .a)"),
    ] {
        assert_eq!(shown(text), shown(same), "{text}");
    }
    for (text, same) in [
        ("RETURN 1 // a comment\rAS a", "RETURN 1 AS a"),
        ("RETURN 1 // a comment\r\nAS a", "RETURN 1 AS a"),
        (
            "RETURN 1 AS a OFFSET 1 LIMIT 2",
            "RETURN 1 AS a SKIP 1 LIMIT 2",
        ),
        (
            "MATCH (n) OFFSET 1 RETURN n",
            "MATCH (n) WITH * SKIP 1 RETURN n",
        ),
        (
            "RETURN EXISTS { REPEATABLE ELEMENTS (a)-->(b) WHERE a.x } AS c",
            "RETURN EXISTS { MATCH REPEATABLE ELEMENTS (a)-->(b) WHERE a.x } AS c",
        ),
        (
            "RETURN COUNT { DIFFERENT RELATIONSHIPS (a)-->(b), (c)-->(b) } AS c",
            "RETURN COUNT { MATCH (a)-->(b), (c)-->(b) } AS c",
        ),
        (
            "MATCH ()-[*2]->() RETURN 1",
            "MATCH ()-[*2..2]->() RETURN 1",
        ),
    ] {
        let [tree, same] = [text, same].map(|text| parse(text).map(|tree| tree.to_string()));
        assert!(tree.is_ok() && tree == same, "{text}: {tree:?}");
    }
}

/// Behind a parenthesis `< -[` begins a relationship, but not behind two.
#[test]
fn a_comparison_with_what_is_negative_is_printed_as_no_path() {
    for text in [
        "((a:B OR c)) < -[1] - 2",
        "((a:B AND c)) < - - (1)",
        "((a:B OR c)) - - (1)",
    ] {
        let tree = parse_expression(text).unwrap();
        assert_eq!(parse_expression(&tree.to_string()), Ok(tree), "{text}");
    }
}

#[test]
fn digits_are_parted_by_single_underscores_between_them() {
    for text in ["1_", "1__2", "0x", "1_000_"] {
        assert!(parse_expression(text).is_err(), "{text}");
    }
}

#[test]
fn of_several_faults_in_a_string_the_first_is_told() {
    let text = r"RETURN 'a\x b\uZZZZ'";
    let error = parse(text).unwrap_err();
    assert_eq!(&text[error.at()], r"\x", "{error}");
}

/// How often a text can stand within another, or behind it.
fn most(text: impl Fn(usize) -> String) -> usize {
    let read = (1..300).take_while(|&count| parse_expression(&text(count)).is_ok());
    read.last().unwrap_or_default()
}

#[test]
fn limits_are_reached_and_not_passed() {
    // The expression in the innermost ones is the hundredth.
    let parentheses = |count| format!("{}1{}", "(".repeat(count), ")".repeat(count));
    assert_eq!(most(parentheses), 99);
    assert_eq!(most(|count| format!("a{}", " IS NULL".repeat(count))), 7);
    let text = format!("{}RETURN 1", " ".repeat((64 << 20) - "RETURN 1".len()));
    assert!(parse(&text).is_ok(), "as long as a text can be");
    assert!(parse(&format!("{text} ")).is_err(), "longer by one byte");
}

#[test]
fn long_words_are_shown_in_part() {
    let error = parse(&format!("RETURN 1 {}", "x".repeat(50))).unwrap_err();
    let start = format!("{}… stands", "x".repeat(40));
    assert!(error.what().starts_with(&start), "{error}");
}

#[test]
fn words_are_near_up_to_three_letters() {
    assert_eq!(nearest("abcdefghijkl", ["abcdefghi"]), Some("abcdefghi"));
    assert_eq!(nearest("abcdefghijkl", ["abcdefgh"]), None);
    // Too short for as many.
    assert_eq!(nearest("abcdef", ["abcd"]), Some("abcd"));
    assert_eq!(nearest("abcdef", ["abc"]), None);
}

#[test]
fn an_argument_may_be_there_as_often_as_its_parameter_says() {
    let (name, types) = ("others", Types::STRING);
    let of = |times| FunctionSignature {
        name: "f",
        parameters: Vec::leak(vec![Parameter { name, types, times }]),
        returns: Returns::One(Types::STRING),
        aggregates: false,
        is_late: false,
    };
    assert_eq!(of(Times::Any).counts(), (0, usize::MAX));
    assert!(
        of(Times::Any)
            .parameter(7)
            .is_some_and(|found| found.name == "others")
    );
    assert_eq!(of(Times::Optional).counts(), (0, 1));
    assert!(of(Times::Optional).parameter(1).is_none());
}

#[test]
fn types_are_refused_only_where_no_value_can_be_right() {
    for text in [
        // Of each column the types of all parts.
        "CALL { RETURN 1 AS a UNION RETURN 'x' AS a } RETURN toUpper(a) AS b",
        // One relationship within what repeats, a list behind it.
        "MATCH (a)-[r:R WHERE r.x > 1]->+(b) RETURN r",
        "MATCH (a)-[r:R* {x: 1}]->(b) RETURN r",
        // What a reduce names is no variable of the group.
        "MATCH (n) RETURN reduce(s = 0, x IN [1, 2] | s + x) + count(*) AS c",
        "MATCH (a) CREATE (a)-[:R]->(b {x: 1})",
        "MATCH WALK ((a)-[*..3]->(b)) RETURN a",
        "FOREACH (x IN ['a'] | CREATE (:A {y: toUpper(x)}))",
        "MATCH (n) WITH DISTINCT n.x AS x ORDER BY x RETURN x SKIP 0",
    ] {
        assert!(checked(text).is_ok(), "{text}: {:?}", checked(text));
    }
    for (text, detail) in [
        (
            "CALL { RETURN 1 AS a UNION RETURN 2 AS a } RETURN toUpper(a) AS b",
            "InvalidArgumentType",
        ),
        (
            "MATCH (a)-[r]->(b)-[r]->(c) RETURN a",
            "RelationshipUniquenessViolation",
        ),
        ("MATCH (n) RETURN n SKIP -1", "NegativeIntegerArgument"),
        (
            "MATCH (n) RETURN DISTINCT n.x AS x ORDER BY n.y",
            "UndefinedVariable",
        ),
        (
            "MATCH (a) CREATE (a {x: 1})-[:R]->(b)",
            "VariableAlreadyBound",
        ),
        ("MATCH (a) CREATE (a:A)-[:R]->(b)", "VariableAlreadyBound"),
        (
            "FOREACH (x IN [1] | CREATE (:A {y: toUpper(x)}))",
            "InvalidArgumentType",
        ),
        ("MATCH WALK ((a)-[*]->(b)) RETURN a", "UnexpectedSyntax"),
        (
            "LOAD CSV FROM 'a' AS b FIELDTERMINATOR '\\r' RETURN b",
            "UnexpectedSyntax",
        ),
        (
            "LOAD CSV FROM 'a' AS b FIELDTERMINATOR '\\n' RETURN b",
            "UnexpectedSyntax",
        ),
        (
            "LOAD CSV FROM 'a' AS b FIELDTERMINATOR '\"' RETURN b",
            "UnexpectedSyntax",
        ),
    ] {
        match checked(text) {
            Ok(columns) => panic!("{text}: {columns:?}"),
            Err(error) => assert_eq!(error.detail().name(), detail, "{text}: {error}"),
        }
    }
}

/// The spelling of GQL is the tree of what openCypher writes.
#[test]
fn spellings_of_gql_are_those_of_cypher() {
    for (text, same) in [
        ("ELEMENT_ID(n)", "elementId(n)"),
        ("cardinality(l)", "size(l)"),
        ("PATH_LENGTH(p) + CEILING(x)", "length(p) + ceil(x)"),
        ("COLLECT_LIST(DISTINCT x)", "collect(DISTINCT x)"),
        ("STDDEV_SAMP(x) + STDDEV_POP(x)", "stDev(x) + stDevP(x)"),
        ("PERCENTILE_CONT(x, 0.5)", "percentileCont(x, 0.5)"),
        ("LN(x) + LOG(2, x)", "log(x) + log(x) / log(2)"),
        ("POWER(a + 1, 2) * MOD(7, b)", "(a + 1) ^ 2 * (7 % b)"),
        ("DURATION_BETWEEN(a, b)", "duration.between(a, b)"),
        ("LOCAL_TIME('12:00')", "localtime('12:00')"),
        ("ZONED_DATETIME(x)", "datetime(x)"),
        ("DATE '2026-01-31'", "date('2026-01-31')"),
        ("TIME '12:00+01:00'", "time('12:00+01:00')"),
        ("TIME '12:00'", "localtime('12:00')"),
        (
            "DATETIME '2026-01-31T12:00Z'",
            "datetime('2026-01-31T12:00Z')",
        ),
        (
            "TIMESTAMP '2026-01-31T12:00'",
            "localdatetime('2026-01-31T12:00')",
        ),
        ("DURATION 'P1D'", "duration('P1D')"),
        ("CURRENT_DATE", "date()"),
        ("current_timestamp.year", "datetime().year"),
        ("toString(CURRENT_DATE)", "toString(date())"),
        ("[CURRENT_DATE]", "[date()]"),
        (
            "[LOCAL_TIME, LOCAL_TIMESTAMP, CURRENT_TIME]",
            "[localtime(), localdatetime(), time()]",
        ),
        ("a IS TRUE", "coalesce(a AND true, false)"),
        ("a = b IS NOT TRUE", "a = (NOT coalesce(b AND true, false))"),
        ("(a = b) IS FALSE", "coalesce(NOT a = b, false)"),
        ("a IS UNKNOWN", "(a AND true) IS NULL"),
        ("n IS LABELED A&B", "n:A&B"),
        ("n IS NOT LABELED Person AND x", "NOT n:Person AND x"),
        ("n IS LABELED", "n:LABELED"),
        ("n IS LABELED AND x", "n:LABELED AND x"),
        ("n IS SOURCE OF r", "n = startNode(r)"),
        ("n IS NOT DESTINATION OF r", "NOT n = endNode(r)"),
        ("PROPERTY_EXISTS(n, name)", "n.name IS NOT NULL"),
        ("SAME(a, b)", "a = b"),
        ("SAME(a, b, c)", "a = b = c"),
        ("ALL_DIFFERENT(a, b)", "a <> b"),
        ("ALL_DIFFERENT(a, b, c)", "a <> b AND a <> c AND b <> c"),
        ("0b101", "5"),
    ] {
        assert_eq!(shown(text), shown(same), "{text}");
    }
    // A name that the text brings stands for what it names.
    for (text, columns) in [
        ("UNWIND [1] AS local_time RETURN local_time", ["local_time"]),
        ("MATCH (current_date) RETURN current_date.x AS x", ["x"]),
        (
            "MATCH ()-[current_date]-() RETURN current_date.x AS x",
            ["x"],
        ),
        ("CREATE (current_date) RETURN current_date AS x", ["x"]),
        ("RETURN $x.current_date AS y", ["y"]),
        ("RETURN {local_time: 1} AS y", ["y"]),
    ] {
        assert_eq!(checked(text).unwrap(), columns, "{text}");
    }
    for (text, part) in [
        ("MATCH (n) RETURN n IS UNKNOWN", "NODE"),
        ("RETURN ALL_DIFFERENT(1)", "ALL_DIFFERENT"),
        ("RETURN 0b12", "0b12"),
    ] {
        let error = checked(text).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}
