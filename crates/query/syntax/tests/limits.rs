//! Long and deep texts: a tree or a clear error, in bounded time and stack.

use evergraph_syntax::scope::{Environment, check};
use evergraph_syntax::{Detail, parse, parse_expression};

const MANY: usize = 100_000;

/// On a stack as small as that of a thread of a pool.
fn on_a_small_stack(text: String) -> Result<usize, Detail> {
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let run = move || {
        let statement = parse(&text).map_err(|error| {
            assert!(
                error.to_string().len() < 2000,
                "{}",
                error.to_string().len()
            );
            error.detail()
        })?;
        let columns = check(&text, &statement, Environment::default());
        let columns = columns.map_err(|error| error.detail())?.columns;
        let shown = statement.to_string();
        assert_eq!(parse(&shown).as_ref(), Ok(&statement));
        Ok(columns.len())
    };
    thread
        .spawn(run)
        .expect("a thread")
        .join()
        .expect("no panic")
}

#[test]
fn what_is_deep_is_refused() {
    for (open, middle, close) in [
        ("RETURN (", "1", ")"),
        ("RETURN [", "1", "]"),
        ("RETURN {a: ", "1", "}"),
        ("RETURN NOT ", "true", ""),
        ("RETURN - ", "a", ""),
        ("RETURN size(", "a", ")"),
        ("RETURN [x IN ", "a", "]"),
        ("RETURN CASE WHEN ", "a", " THEN 1 END"),
        ("RETURN a[", "1", "]"),
        ("RETURN [(a {b: ", "1", "})-->(c) | 1]"),
        ("RETURN EXISTS { MATCH (a) WHERE ", "true", "}"),
        ("RETURN EXISTS { (a {b: ", "1", "}) }"),
        ("CALL { ", "RETURN 1 AS a", "}"),
        ("FOREACH (x IN [1] | ", "CREATE ()", ")"),
        ("MATCH (", "(a)-->(b)", ")"),
        ("MATCH (a:!", "A", ")"),
        ("MATCH (a:(", "A", "))"),
        ("RETURN a IN ", "b", ""),
        ("RETURN reduce(a = 1, x IN ", "b", " | x)"),
    ] {
        let (first, rest) = open.split_once(' ').unwrap_or((open, ""));
        for count in [MANY, 150] {
            let opened = match open.starts_with("CALL") || open.starts_with("FOREACH") {
                true => open.repeat(count),
                false => format!("{first} {}", rest.repeat(count)),
            };
            // Some of these repeat something else than nesting, and are refused for that.
            let text = format!("{opened}{middle}{}", close.repeat(count));
            let found = on_a_small_stack(text);
            let is_refused = matches!(
                found,
                Err(Detail::LimitExceeded | Detail::UnexpectedSyntax | Detail::UndefinedVariable)
            );
            assert!(is_refused, "{open}: {found:?}");
        }
    }
    let error = parse_expression(&"(".repeat(MANY)).unwrap_err();
    assert_eq!(error.detail(), Detail::LimitExceeded);
    assert!(error.what().contains("more than 100"), "{error}");
}

#[test]
fn what_is_less_deep_is_read() {
    // Every operator at every level, as deep as can be.
    let level = "1 OR a XOR b AND NOT c = d IS NULL + e * f ^ - g[";
    let deep = format!("{}1{}", "1 IN x IS NULL = - (".repeat(45), ")".repeat(45));
    assert!(parse_expression(&deep).is_ok(), "{level}");
    let lists = format!("RETURN {}{} AS a", "[".repeat(95), "]".repeat(95));
    assert_eq!(on_a_small_stack(lists), Ok(1));
    let operators = "true OR true XOR true AND NOT 1 < 2 + 3 * 4 ^ - (";
    let nested = format!("RETURN {}1{} AS a", operators.repeat(30), ")".repeat(30));
    assert!(!matches!(
        on_a_small_stack(nested),
        Err(Detail::LimitExceeded)
    ));
}

/// Trees of `WHEN`, `NEXT` and `allReduce` are no deeper than other statements are, and
/// is read again.
#[test]
fn what_stands_for_something_deeper_is_counted() {
    let nested = |count: usize, text: &str, within: &str| {
        (0..count).fold(text.to_string(), |text, _| within.replace("...", &text))
    };
    for (text, within) in [
        (
            "RETURN 1 AS a",
            "CALL (*) { ... UNION RETURN 2 AS a NEXT RETURN a UNION RETURN 3 AS a } RETURN a",
        ),
        (
            "RETURN 1 AS a",
            "{ RETURN 1 AS b NEXT WHEN b THEN { ... } ELSE RETURN 2 AS a }",
        ),
        ("RETURN 1 AS a", "WHEN EXISTS { ... } THEN RETURN 1 AS a"),
        (
            "RETURN 1 AS a",
            "RETURN allReduce(s = 1, x IN [1] | s + x, EXISTS { ... }) AS a",
        ),
        (
            "RETURN 1 AS a",
            "RETURN allReduce(s = 1, x IN [1] | COUNT { ... }, s > x) AS a",
        ),
    ] {
        let deepest = (1..100).take_while(|&count| parse(&nested(count, text, within)).is_ok());
        let deepest = deepest.last().unwrap_or_default();
        assert!(deepest > 10, "{deepest}: {within}");
        let tree = parse(&nested(deepest, text, within)).unwrap();
        assert_eq!(parse(&tree.to_string()), Ok(tree), "{within}");
        let refused = parse(&nested(deepest + 1, text, within)).unwrap_err();
        assert_eq!(refused.detail(), Detail::LimitExceeded, "{refused}");
    }
}

#[test]
fn what_is_long_is_read() {
    let columns = |text: String| on_a_small_stack(text);
    let unions = vec!["RETURN 1 AS a"; MANY].join(" UNION ");
    assert_eq!(columns(unions), Ok(1));
    for (part, sign) in [
        ("1", " + "),
        ("true", " AND "),
        ("true", " OR "),
        ("2", " < "),
    ] {
        let chain = vec![part; MANY].join(sign);
        assert_eq!(columns(format!("RETURN {chain} AS a")), Ok(1), "{sign}");
    }
    let list = vec!["1"; MANY].join(", ");
    assert_eq!(columns(format!("RETURN [{list}] AS a")), Ok(1));
    let access = ".a".repeat(MANY);
    assert_eq!(
        columns(format!("WITH {{}} AS n RETURN n{access} AS a")),
        Ok(1)
    );
    let clauses = "WITH 1 AS a ".repeat(MANY);
    assert_eq!(columns(format!("{clauses} RETURN a")), Ok(1));
    let nodes: Vec<String> = (0..MANY).map(|number| format!("(n{number})")).collect();
    assert_eq!(columns(format!("CREATE {}", nodes.join(", "))), Ok(0));
    let path = format!("MATCH ()-->{}() RETURN 1", "()-->".repeat(MANY));
    assert_eq!(columns(path), Ok(1));
    let items: Vec<String> = (0..MANY)
        .map(|number| format!("{number} AS c{number}"))
        .collect();
    assert_eq!(columns(format!("RETURN {}", items.join(", "))), Ok(MANY));
    let text = "ä'\\".repeat(200_000);
    let quoted = text.replace('\\', "\\\\").replace('\'', "\\'");
    assert_eq!(columns(format!("RETURN '{quoted}' AS a")), Ok(1));
    assert_eq!(
        columns(format!("RETURN 1 AS a {}", "/* a */ // b\n".repeat(MANY))),
        Ok(1)
    );
}
