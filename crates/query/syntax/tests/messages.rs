//! Errors: their names, their places, and what they advise.

use evergraph_syntax::scope::{
    Environment, FunctionSignature, Functions, Parameter, Procedures, Returns, Signature, Times,
    Types, check,
};
use evergraph_syntax::{Error, parse, parse_script};

/// A few functions, of one argument but for the last.
struct Few;

const FEW: [(&str, Types, Types); 4] = [
    ("count", Types::ANY, Types::INTEGER),
    ("size", Types::LIST, Types::INTEGER),
    ("toUpper", Types::STRING, Types::STRING),
    ("percentileCont", Types::NUMBER, Types::FLOAT),
];

impl Functions for Few {
    fn find(&self, name: &str) -> Option<FunctionSignature> {
        let mut few = FEW.into_iter();
        let (name, types, result) = few.find(|(known, ..)| known.eq_ignore_ascii_case(name))?;
        let parameter = Parameter {
            name: "value",
            types,
            times: Times::Once,
        };
        Some(FunctionSignature {
            name,
            parameters: match name {
                "percentileCont" => Vec::leak(vec![parameter; 2]),
                _ => Vec::leak(vec![parameter]),
            },
            returns: Returns::One(result),
            aggregates: matches!(name, "count" | "percentileCont"),
            is_late: false,
        })
    }

    fn names(&self) -> Vec<&'static str> {
        FEW.map(|(name, ..)| name).to_vec()
    }
}

struct FewProcedures;

impl Procedures for FewProcedures {
    fn find(&self, _: &str) -> Option<Signature> {
        None
    }

    fn names(&self) -> Vec<String> {
        ["algo.pagerank", "algo.wcc.write", "db.labels"]
            .map(String::from)
            .into()
    }
}

fn refused(text: &str) -> Error {
    let environment = Environment {
        functions: Some(&Few),
        procedures: Some(&FewProcedures),
        ..Environment::default()
    };
    let checked = parse(text).and_then(|statement| check(text, &statement, environment));
    match checked {
        Ok(_) => panic!("{text} is accepted"),
        Err(error) => error,
    }
}

#[test]
#[rustfmt::skip] // Rows of a table.
fn errors_name_the_place_and_what_was_meant() {
    for (text, detail, marked, what, near) in [
        ("", "UnexpectedSyntax", "", "the text ends where a clause", None),
        ("RETURN reduce(x = 0, x IN [1, 2] | x)",
            "VariableAlreadyBound", "x", "already a variable x", None),
        ("RETURN allReduce(x = 0, x IN [1, 2] | x, x < 9)",
            "VariableAlreadyBound", "x", "already a variable x", None),
        ("RETURN [1][017]", "InvalidNumberLiteral", "017", "no number", None),
        ("RETURN 08", "InvalidNumberLiteral", "08", "no number", None),
        ("RETURN 0X1F", "InvalidNumberLiteral", "0X1F", "no number", None),
        ("RETURN 0O17", "InvalidNumberLiteral", "0O17", "no number", None),
        ("RETURN 1e400", "FloatingPointOverflow", "1e400", "larger than a float", None),
        ("RETURN 1 =~ 'a'", "InvalidArgumentType", "1", "an INTEGER where a STRING", None),
        ("RETURN 'a' =~ [1]", "InvalidArgumentType", "[1]", "a LIST where a STRING", None),
        ("RETURN size(DISTINCT [1])",
            "InvalidAggregation", "size(DISTINCT [1])", "no aggregation", None),
        ("CREATE p = ALL (x)", "UnexpectedSyntax", "ALL", "has no choice", None),
        ("MERGE ANY SHORTEST (x)", "UnexpectedSyntax", "ANY", "has no choice", None),
        ("CREATE shortestPath((a)-[:R]->(b))",
            "UnexpectedSyntax", "shortestPath", "has no choice", None),
        ("MATCH (a)-[r*1..2]->{2}(b) RETURN a",
            "UnexpectedSyntax", "-[r*1..2]->{2}", "a length and a quantifier", None),
        ("MATCH (a)-[r*]-+(b) RETURN a",
            "UnexpectedSyntax", "-[r*]-+", "a length and a quantifier", None),
        ("UNWIND [] AS x RETURN percentileCont(x, 1.5)",
            "NumberOutOfRange", "1.5", "no percentile", None),
        ("UNWIND [] AS x RETURN percentileCont(x, -0.5)",
            "NumberOutOfRange", "-0.5", "no percentile", None),
        ("UNWIND [] AS x RETURN percentileCont(x, 2)",
            "NumberOutOfRange", "2", "no percentile", None),
        ("UNWIND [] AS x RETURN percentileCont(x, null)",
            "NumberOutOfRange", "null", "no percentile", None),
        ("MATCH ()-[r:A:B]->() RETURN r", "NoSingleRelationshipType", ":", "one type", None),
        ("MATCH (a) RETURN shortestPath((a)-[*]->(zz))", "UndefinedVariable", "zz", "zz", None),
        ("MATCH (a) RETURN allShortestPaths((a)-[*]->(:B))",
            "UnexpectedSyntax", "allShortestPaths((a)-[*]->(:B))", "no name", None),
        ("MATCH (n) SET n:A&B", "UnexpectedSyntax", "&", "by name", None),
        ("MATCH (n) REMOVE n IS A|B", "UnexpectedSyntax", "|", "by name", None),
        ("RETURN 1 IS :: INTEGER NOT NULL | FLOAT",
            "UnexpectedSyntax", "INTEGER NOT NULL | FLOAT", "take null", None),
        ("MATCH (n) LET c = count(*) RETURN c", "InvalidAggregation", "count(*)", "LET", None),
        ("MATCH (n) WHEN n.a THEN RETURN n", "UnexpectedSyntax", "WHEN", "where a clause", None),
        ("WHEN count(*) > 1 THEN RETURN 1 AS a", "InvalidAggregation", "count(*)", "WHEN", None),
        (
            "WHEN true THEN RETURN 1 AS a ELSE RETURN 2 AS b",
            "DifferentColumnsInUnion",
            "WHEN true THEN RETURN 1 AS a ELSE RETURN 2 AS b",
            "the columns are b, and were a",
            None,
        ),
        ("WHEN true THEN RETURN 1", "NoExpressionAlias", "1", "has no name", None),
        ("WHEN 1 THEN RETURN 1 AS a", "InvalidArgumentType", "1", "BOOLEAN", None),
        ("MATCH (n) RETURN * NEXT RETURN 1 AS a UNION RETURN 2 AS a",
            "UnexpectedSyntax", "NEXT", "RETURN *", None),
        ("RETURN 1 AS a UNION RETURN 2 AS a UNION ALL RETURN 3 AS a",
            "InvalidClauseComposition", "UNION ALL", "beside each other", None),
        ("CALL { MATCH (n) RETURN n.k } RETURN 1", "NoExpressionAlias", "n.k", "has no name", None),
        ("RETURN EXISTS { CALL (*) { CREATE () } RETURN 1 AS a }",
            "InvalidClauseComposition", "CREATE ()", "within an expression", None),
        ("MATCH (a)-[r*1..$n]->() RETURN r",
            "InvalidParameterUse", "$n", "the length of a path", None),
        ("RETURN 'a' * 2",
            "InvalidArgumentType", "'a'", "an INTEGER or FLOAT or DURATION should be", None),
        ("RETURN 2 ^ 'a'", "InvalidArgumentType", "'a'", "an INTEGER or FLOAT should be", None),
        ("RETURN toInt('1')", "UnknownFunction", "toInt", "", Some("toInteger")),
        ("RETURN pow(2, 3)", "UnknownFunction", "pow", "", Some("a ^ b")),
        ("RETURN nope(1)", "UnknownFunction", "nope", "", None),
        ("CREATE CONSTRAINT FOR ()-[r:R]-() REQUIRE r.a IS NODE KEY",
            "UnexpectedSyntax", "NODE", "of relationships", None),
        ("CREATE CONSTRAINT FOR (n:L) REQUIRE n.a IS REL UNIQUE",
            "UnexpectedSyntax", "REL", "of nodes", None),
        ("RETRUN 1", "UnexpectedSyntax", "RETRUN", "where a clause", Some("RETURN")),
        ("MATCH (n) RETRUN n", "UnexpectedSyntax", "RETRUN", "a clause", Some("RETURN")),
        ("MACH (n) RETURN n", "UnexpectedSyntax", "MACH", "a clause", Some("MATCH")),
        ("MATCH (n) WERE n.a = 1 RETURN n", "UnexpectedSyntax", "WERE", "", Some("WHERE")),
        ("MATCH (n) RETURN n ODER BY n", "UnexpectedSyntax", "ODER", "", Some("ORDER")),
        ("MATCH (n) RETURN n ORDER n", "UnexpectedSyntax", "n", "where BY should be", None),
        ("RETURN 1 LIMT 2", "UnexpectedSyntax", "LIMT", "", Some("LIMIT")),
        ("MATCH (n RETURN n", "UnexpectedSyntax", "RETURN", "), a label", None),
        ("MATCH (x) MATCH (a)((x)-->(b)){1,2} RETURN b", "VariableAlreadyBound", "x", "x", None),
        ("MATCH (a)((b)-->(a)){1,2} RETURN b", "VariableAlreadyBound", "a", "a", None),
        ("MATCH n RETURN n", "UnexpectedSyntax", "n", "a node, such as (n)", None),
        ("MATCH (a)(b) RETURN a", "UnexpectedSyntax", "(", "", None),
        ("MATCH (a)-[r RETURN a", "UnexpectedSyntax", "RETURN", "], a type", None),
        ("CALL { CREATE () } IN CONCURENT TRANSACTIONS",
            "UnexpectedSyntax", "CONCURENT", "where TRANSACTIONS should be", Some("CONCURRENT")),
        (
            "CALL { CREATE () } IN TRANSACTION",
            "UnexpectedSyntax",
            "TRANSACTION",
            "where TRANSACTIONS should be",
            Some("TRANSACTIONS"),
        ),
        ("CALL { CREATE () } IN TRANSACTIONS ON ERROR BRAKE",
            "UnexpectedSyntax", "BRAKE", "FAIL, BREAK or CONTINUE", Some("BREAK")),
        ("CALL { CALL { CREATE () } IN TRANSACTIONS }",
            "InvalidClauseComposition", "IN TRANSACTIONS", "within another query", None),
        ("CALL { CREATE () } IN TRANSACTIONS UNION CREATE ()",
            "InvalidClauseComposition", "IN TRANSACTIONS", "beside UNION", None),
        ("CALL { CREATE () } IN TRANSACTIONS OF 0 ROWS",
            "NegativeIntegerArgument", "0", "rows of a transaction is less than 1", None),
        ("CALL { CREATE () } IN 0 CONCURRENT TRANSACTIONS",
            "NegativeIntegerArgument", "0", "transactions at a time is less than 1", None),
        ("UNWIND [1] AS x CALL { CREATE () } IN TRANSACTIONS OF x ROWS",
            "NonConstantExpression", "x", "depends on a variable", None),
        ("CALL { CREATE () } IN TRANSACTIONS REPORT STATUS AS s RETURN s",
            "InvalidClauseComposition", "s", "whose errors fail the statement", None),
        ("CREATE (:$any(['A', 'B']))",
            "UnexpectedSyntax", "(:$any(['A', 'B']))", "have alternatives", None),
        ("MATCH (n) SET n:$(1)",
            "InvalidArgumentType", "1", "an INTEGER where a STRING or LIST should be", None),
        ("RETURN $p:$('A') AS a", "UnexpectedSyntax", "$p", "what is no variable", None),
        ("MATCH (n:$(label)) RETURN n", "UndefinedVariable", "label", "no variable label", None),
        ("RETURN CASE 1 WHEN IS NUL THEN 1 END",
            "UnexpectedSyntax", "NUL", "NULL, NORMALIZED or a type should be", Some("NULL")),
        ("RETURN CASE WHEN < 1 THEN 1 END", "UnexpectedSyntax", "<", "an expression", None),
        ("RETURN CASE 1 WHEN IN 2 THEN 1 END",
            "InvalidArgumentType", "2", "an INTEGER where a LIST should be", None),
        ("RETURN foo", "UndefinedVariable", "foo", "no variable foo", None),
        ("MATCH (name) RETURN nmae", "UndefinedVariable", "nmae", "", Some("name")),
        ("RETURN cuont(1)", "UnknownFunction", "cuont", "no function cuont", Some("count")),
        ("RETURN toUper('a')", "UnknownFunction", "toUper", "", Some("toUpper")),
        ("RETURN size()", "InvalidNumberOfArguments", "size()", "0 arguments", None),
        ("RETURN 1 == 1", "UnexpectedSyntax", "==", "no operator ==", None),
        ("RETURN 1 != 1", "UnexpectedSyntax", "!=", "no operator !=", None),
        ("RETURN 'abc", "UnexpectedSyntax", "'", "no end", None),
        ("RETURN `abc", "UnexpectedSyntax", "`", "no end", None),
        ("RETURN 1 /* abc", "UnexpectedSyntax", "/*", "no end", None),
        ("RETURN 'a\\x'", "UnexpectedSyntax", "\\x", "no such escape", None),
        ("RETURN '\\uD800'", "InvalidUnicodeLiteral", "\\u", "no character", None),
        ("RETURN 12ab", "InvalidNumberLiteral", "12ab", "no number", None),
        ("RETURN 1e", "InvalidNumberLiteral", "1e", "no number", None),
        ("RETURN 0o8", "InvalidNumberLiteral", "0o8", "no number", None),
        ("RETURN 1 – 2", "InvalidUnicodeCharacter", "–", "no meaning", None),
        ("RETURN 18446744073709551616", "IntegerOverflow", "18446744073709551616", "", None),
        ("LOAD CVS FROM 'a' AS b RETURN b",
            "UnexpectedSyntax", "CVS", "where CSV should be", Some("CSV")),
        ("LOAD CSV WITH HEADER FROM 'a' AS b RETURN b",
            "UnexpectedSyntax", "HEADER", "where HEADERS should be", Some("HEADERS")),
        ("LOAD CSV FROM 'a' AS b FIELDTERMINATOR ';;' RETURN b",
            "UnexpectedSyntax", "';;'", "one character", None),
        ("LOAD CSV FROM 'a' AS b FIELDTERMINATOR $b RETURN b",
            "UnexpectedSyntax", "$b", "a character in quotes", None),
        ("LOAD CSV FROM 1 AS b RETURN b", "InvalidArgumentType", "1", "a STRING should be", None),
        ("UNWIND ['a'] AS b LOAD CSV FROM b AS b RETURN b", "VariableAlreadyBound", "b", "", None),
        ("LOAD CSV WITH HEADERS FROM 'a' AS b RETURN b:C",
            "InvalidArgumentType", "b", "a MAP where", None),
        ("LOAD CSV FROM 'a' AS b",
            "InvalidClauseComposition", "LOAD CSV FROM 'a' AS b", "no effect", None),
        ("FOREACH (a IN [1] | LOAD CSV FROM 'a' AS b)",
            "InvalidClauseComposition", "LOAD CSV FROM 'a' AS b", "FOREACH", None),
        ("MATCH ((a)-->(b)){2,1} RETURN 1", "UnexpectedSyntax", "{2,1}", "never there", None),
        ("MATCH (a)-->{0}(b) RETURN 1", "UnexpectedSyntax", "{0}", "never there", None),
        ("CREATE CONSTRAINT FOR (n:A) REQUIRE (n.x, n.y) IS NOT NULL",
            "UnexpectedSyntax", "y", "of one property", None),
        ("MATCH (n) CALL { WITH n LIMIT 1 RETURN n AS m } RETURN m",
            "InvalidClauseComposition", "WITH n LIMIT 1", "only names variables", None),
        ("MATCH (n) CALL { WITH n AS m RETURN m } RETURN m",
            "InvalidClauseComposition", "WITH n AS m", "only names variables", None),
        ("MATCH (case:Case) RETURN 1", "UnexpectedSyntax", "case", "case stands where", None),
        ("MATCH (Order:Order) RETURN order",
            "UnexpectedSyntax", "order", "order stands where", None),
        ("MATCH (n)", "InvalidClauseComposition", "MATCH (n)", "no effect", None),
        ("RETURN [x IN a, b]", "UnexpectedSyntax", ",", "comprehension", None),
        ("FOREACH (x IN [1] | MATCH (n))", "InvalidClauseComposition", "MATCH (n)", "", None),
        ("CREATE INDX FOR (n:A) ON (n.a)", "UnexpectedSyntax", "INDX", "", None),
        ("CREATE INDEX FOR (n:A) ON (m.a)", "UndefinedVariable", "m", "no variable m", None),
        ("SHOW INDEXS", "UnexpectedSyntax", "INDEXS", "", Some("INDEXES")),
        ("CREATE TEXT INDEX a IF NOT EXISTS FOR (n:A) ON (n.a)",
            "Unsupported", "TEXT", "there are no text indexes", None),
        ("CREATE LOOKUP INDEX a FOR (n) ON EACH labels(n)",
            "Unsupported", "LOOKUP", "no lookup indexes", None),
        ("SHOW RANGE INDEXS", "UnexpectedSyntax", "INDEXS", "INDEXES", Some("INDEXES")),
        ("SHOW NODE KEY", "UnexpectedSyntax", "", "where CONSTRAINTS should be", None),
        ("SHOW ALL TRANSACTIONS",
            "UnexpectedSyntax", "TRANSACTIONS", "CONSTRAINTS or FUNCTIONS", None),
        ("DROP INDX a", "UnexpectedSyntax", "INDX", "", Some("INDEX")),
        ("RETURN 1; RETURN 2", "UnexpectedSyntax", "RETURN", "", None),
        ("MATCH (n) WHERE n.age > 1 AND count(n) > 1 RETURN n",
            "InvalidAggregation", "count(n)", "WHERE", None),
        ("WITH [1] AS a RETURN a:Label", "InvalidArgumentType", "a", "a LIST where", None),
        ("MATCH ((a)-->(b)){2} MATCH (a) RETURN a", "VariableTypeConflict", "a", "", None),
        ("CALL { WITH 1 AS a RETURN a } RETURN b", "UndefinedVariable", "b", "", None),
        ("WITH 1 AS x CALL { RETURN x AS y } RETURN y", "UndefinedVariable", "x", "", None),
        ("WITH 1 AS x CALL { WITH x RETURN 2 AS x } RETURN x",
            "VariableAlreadyBound", "WITH x RETURN 2 AS x", "", None),
        ("CREATE (a:A|B)", "UnexpectedSyntax", "(a:A|B)", "alternatives", None),
        ("CREATE (a)-->+(b)", "CreatingVarLength", "-->+", "", None),
        ("MATCH (a:A) USING INDX a:A(x) RETURN a",
            "UnexpectedSyntax", "INDX", "INDEX, SCAN or JOIN ON", Some("INDEX")),
        ("MATCH (a:A) MATCH (b) USING SCAN a:A RETURN b",
            "UndefinedVariable", "a", "no node and no relationship of this MATCH", None),
        ("MATCH (a)-[r:R*]->(b) USING SCAN r:R RETURN b",
            "UndefinedVariable", "r", "no node and no relationship of this MATCH", None),
        ("MATCH (a:!B) USING SCAN a:B RETURN a",
            "InvalidClauseComposition", "B", "does not ask of a", None),
        ("MATCH (a:A) USING INDEX a:A(x, y) WHERE a.x = 1 RETURN a",
            "InvalidClauseComposition", "y", "no condition is on it", None),
        ("MATCH (a:A {x: 1}) USING SCAN a:A USING INDEX a:A(x) RETURN a",
            "InvalidClauseComposition", "USING INDEX a:A(x)", "two hints for a", None),
        ("MATCH (a)-[r]->(b) USING JOIN ON r RETURN b",
            "UndefinedVariable", "r", "no node of this MATCH", None),
    ] {
        let error = refused(text);
        assert_eq!(error.detail().name(), detail, "{text}: {error}");
        assert_eq!(&text[error.at()], marked, "{text}: {error}");
        assert!(error.what().contains(what), "{text}: {error}");
        assert_eq!(error.near(), near, "{text}: {error}");
        assert!(!error.hint().is_empty(), "{text}");
        let shown = error.to_string();
        assert!(
            shown.contains('^') && shown.contains(", at line 1, column "),
            "{shown}"
        );
    }
}

/// Hints and what was probably meant, for those who come from elsewhere.
#[test]
#[rustfmt::skip] // Rows of a table.
fn habits_are_told_what_to_write() {
    for (text, advice) in [
        ("SHOW DATABASES", "a database is a directory"),
        ("USE neo4j MATCH (n) RETURN n", "a database is a directory"),
        ("CREATE DATABASE a", "a database is a directory"),
        ("DROP DATABASE a", "a database is a directory"),
        (":help", "are for `evergraph shell`"),
        (":param x => 1", "--param NAME=VALUE"),
        ("BEGIN", "has :begin"),
        ("COMMIT", ":commit"),
        ("ROLLBACK", ":rollback"),
        ("USING PERIODIC COMMIT 500 LOAD CSV FROM 'a' AS b CREATE ()",
            "CALL (row) { ... } IN TRANSACTIONS OF 500 ROWS"),
        ("CALL gds.pageRank.stream('g')", "algo.pagerank"),
        ("CALL gds.wcc.write('g')", "algo.wcc.write"),
        ("CALL db.indexes()", "SHOW INDEXES"),
        ("CALL db.constraints()", "SHOW CONSTRAINTS"),
        ("CALL dbms.procedures()", "SHOW PROCEDURES"),
        ("DROP INDEX ON :L(p)", "DROP INDEX name"),
        ("DROP CONSTRAINT ON (n:L) ASSERT n.p IS UNIQUE", "DROP CONSTRAINT name"),
        ("MATCH (n {name: {name}}) RETURN n", "a parameter is written $name"),
        ("MATCH (n {name='x'}) RETURN n", "{name: value}"),
        ("MATCH (n) RETURN n.name AS \"Name\"", "in backticks"),
        ("MATCH (p) WHERE p.name = Keanu RETURN p", "in quotes: 'Keanu'"),
        ("MATCH (p) RETURN p.name ORDER BY born", "p.born"),
        ("DELETE (p:Person)", "write MATCH (p:Person) DETACH DELETE p"),
        ("DELETE FROM Person", "DETACH DELETE"),
        ("DELETE FROM Person WHERE name = 'x'", "DETACH DELETE"),
        ("UPDATE Person SET name = 'x'", "SET n.key = value"),
        ("INSERT INTO Person VALUES (1)", "write CREATE"),
        ("RETURN IF(1=1, 2, 3)", "CASE WHEN"),
        ("RETURN substr('a', 1)", "substring"),
        ("RETURN concat('a', 'b')", "a + b"),
        ("RETURN NOW()", "datetime()"),
        ("RETURN ISNULL(1)", "a IS NULL"),
        ("MATCH (n) WHERE NOT EXISTS (n)-[:X]->() RETURN n", "EXISTS { (n)-->() }"),
        ("RETURN 1; MATCH (n) RETURN n", "one statement is given"),
        ("RETURN 1;;", "one statement is given"),
        ("SELECT 1", "RETURN gives its columns"),
    ] {
        let error = refused(text);
        let told = format!("{} {}", error.near().unwrap_or_default(), error.hint());
        assert!(told.contains(advice), "{text}: {error}\n{told}");
    }
    let behind = refused("RETURN 1; MATCH (n) RETURN n");
    assert_eq!(behind.what(), "MATCH stands where the end of the text should be");
}

#[test]
fn places_are_shown_under_their_line() {
    assert_eq!(
        refused("MATCH (n)\nWHERE n.age >\nRETURN n").to_string(),
        "RETURN stands where an expression, such as n.name or 1, should be, \
         at line 3, column 1\n  RETURN n\n  ^^^^^^"
    );
}

#[test]
fn scripts_are_statements() {
    let found = parse_script(";RETURN 1;;\n CREATE (a) ; // end\n").unwrap();
    let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["RETURN 1", "CREATE (a)"]);
    assert!(parse_script("RETURN 1 RETURN 2").is_err());
}
