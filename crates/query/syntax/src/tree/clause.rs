//! Queries and their clauses.

use super::{Expression, Name, OnError, PathPattern, Span, StatementLabels};

/// Queries whose rows are put together.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// `AS OF a` before the first clause: the graph that all of it reads.
    pub as_of: Option<Expression>,
    /// At least one.
    pub parts: Vec<SingleQuery>,
    /// Those between the parts, one less.
    pub unions: Vec<Union>,
}

/// `UNION` or `UNION ALL`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Union {
    /// Whether equal rows stay.
    pub all: bool,
    /// Where it stands.
    pub at: Span,
}

/// A query without `UNION`.
#[derive(Clone, Debug, PartialEq)]
pub struct SingleQuery {
    /// At least one.
    pub clauses: Vec<Clause>,
    /// Where it stands.
    pub at: Span,
}

/// A clause, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// Kind and parts.
    pub kind: ClauseKind,
    /// Where it stands.
    pub at: Span,
}

/// The clauses.
#[derive(Clone, Debug, PartialEq)]
pub enum ClauseKind {
    /// `MATCH`
    Match(Match),
    /// `UNWIND a AS b`
    Unwind(Expression, Name),
    /// `LOAD CSV`
    LoadCsv(LoadCsv),
    /// `WITH`
    With(Projection),
    /// `RETURN`; its filter is `None`
    Return(Projection),
    /// `FINISH`: no rows are returned
    Finish,
    /// `CREATE`
    Create(Vec<PathPattern>),
    /// `MERGE`
    Merge(PathPattern, Vec<MergeAction>),
    /// `SET`
    Set(Vec<SetItem>),
    /// `REMOVE`
    Remove(Vec<RemoveItem>),
    /// `DELETE`
    Delete(Delete),
    /// `FOREACH (x IN list | ...)`
    Foreach(Foreach),
    /// `CALL name(...)`
    Call(Call),
    /// `CALL { ... }`
    Subquery(CallSubquery),
}

/// `MATCH` and `OPTIONAL MATCH`
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Whether a row without a match stays.
    pub optional: bool,
    /// `REPEATABLE ELEMENTS`: whether a relationship may be found twice.
    pub repeatable: bool,
    /// At least one.
    pub patterns: Vec<PathPattern>,
    /// `AS OF a` behind the patterns: the graph that they are found in.
    pub as_of: Option<Expression>,
    /// `USING ...`
    pub hints: Vec<Hint>,
    /// `WHERE`
    pub filter: Option<Expression>,
}

/// `LOAD CSV WITH HEADERS FROM a AS b FIELDTERMINATOR ';'`
#[derive(Clone, Debug, PartialEq)]
pub struct LoadCsv {
    /// `WITH HEADERS`: whether the first line has names for the fields of the others.
    pub headers: bool,
    /// The name of the file.
    pub source: Expression,
    /// Each line.
    pub variable: Name,
    /// A character of ASCII between fields, if not a comma.
    pub terminator: Option<u8>,
}

/// Advice on how patterns are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// `USING INDEX n:Label(a, b)` and `USING SCAN n:Label`
    Access(AccessHint),
    /// `USING JOIN ON a, b`
    Join(Vec<Name>, Span),
}

/// How a node or a relationship is to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessHint {
    /// Its variable.
    pub variable: Name,
    /// Its label or type.
    pub label: Name,
    /// Properties of the index, in order; none of a scan.
    pub keys: Vec<Name>,
    /// Where the hint stands.
    pub at: Span,
}

/// The body of `WITH` and `RETURN`.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// `DISTINCT`
    pub distinct: bool,
    /// `*`, before the items
    pub all: bool,
    /// At least one without `all`.
    pub items: Vec<Item>,
    /// `ORDER BY`
    pub order: Vec<SortItem>,
    /// `SKIP`
    pub skip: Option<Expression>,
    /// `LIMIT`
    pub limit: Option<Expression>,
    /// `WHERE`, only of `WITH`
    pub filter: Option<Expression>,
    /// Whether it is `LET`, which is of each row by itself: `*` and items with names.
    pub is_let: bool,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its value.
    pub value: Expression,
    /// `AS name`
    pub alias: Option<Name>,
    /// The value as it is written, which names a column without an alias. Items are equal
    /// however they are written.
    pub written: Box<str>,
}

impl Item {
    /// Name of the column.
    pub fn name(&self) -> &str {
        match (&self.alias, &self.value.node) {
            (Some(alias), _) => &alias.text,
            (None, super::Node::Variable(name)) => name,
            (None, super::Node::MapProjection(of)) => &of.variable.text,
            _ => &self.written,
        }
    }
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        (&self.value, &self.alias) == (&other.value, &other.alias)
    }
}

/// Key that rows are ordered by.
#[derive(Clone, Debug, PartialEq)]
pub struct SortItem {
    /// The key.
    pub key: Expression,
    /// `DESC`
    pub descending: bool,
}

/// `ON CREATE SET ...`
#[derive(Clone, Debug, PartialEq)]
pub struct MergeAction {
    /// Whether it is for what was created, and not for what was found.
    pub on_create: bool,
    /// At least one.
    pub items: Vec<SetItem>,
}

/// Property or labels to set.
#[derive(Clone, Debug, PartialEq)]
pub enum SetItem {
    /// `a.b = c`; the first is an access whose last step is a property or an index
    Property(Expression, Expression),
    /// `a = b`: all properties
    Replace(Name, Expression),
    /// `a += b`: some properties
    Update(Name, Expression),
    /// `a:Label`
    Labels(Name, StatementLabels),
}

/// Property or labels to remove.
#[derive(Clone, Debug, PartialEq)]
pub enum RemoveItem {
    /// `a.b`
    Property(Expression),
    /// `a:Label`
    Labels(Name, StatementLabels),
}

/// `DELETE` and `DETACH DELETE`
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    /// Whether relationships of deleted nodes are deleted, too.
    pub detach: bool,
    /// At least one.
    pub items: Vec<Expression>,
}

/// Updates for each element of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Foreach {
    /// Each element.
    pub variable: Name,
    /// Their list.
    pub list: Expression,
    /// Clauses that write, at least one.
    pub updates: Vec<Clause>,
}

/// The call of a procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// `OPTIONAL CALL`: whether a row without results stays.
    pub optional: bool,
    /// Its name, with namespaces.
    pub name: Vec<Name>,
    /// `None` if they are parameters of the names that the procedure gives them.
    pub arguments: Option<Vec<Expression>>,
    /// `YIELD`
    pub results: Option<Yield>,
    /// Where name and arguments stand.
    pub at: Span,
}

/// Results of a procedure.
#[derive(Clone, Debug, PartialEq)]
pub enum Yield {
    /// `YIELD *`
    All,
    /// `YIELD a AS b WHERE c`; at least one
    Items(Vec<YieldItem>, Option<Expression>),
}

/// A result of a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YieldItem {
    /// Its name there.
    pub name: Name,
    /// Its variable, if it has another name.
    pub alias: Option<Name>,
}

impl YieldItem {
    /// Its variable.
    pub fn variable(&self) -> &Name {
        self.alias.as_ref().unwrap_or(&self.name)
    }
}

/// `CALL { ... }` and `CALL (a, b) { ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct CallSubquery {
    /// `OPTIONAL CALL`
    pub optional: bool,
    /// Variables that it takes.
    pub imports: Imports,
    /// The query.
    pub query: Query,
    /// `IN TRANSACTIONS` behind it.
    pub transactions: Option<InTransactions>,
}

/// `IN TRANSACTIONS OF 10 ROWS ON ERROR CONTINUE REPORT STATUS AS s`
#[derive(Clone, Debug, PartialEq)]
pub struct InTransactions {
    /// Whether several may run at a time.
    pub concurrency: Option<Concurrency>,
    /// Rows that one transaction is for.
    pub rows: Option<Expression>,
    /// Effect of an error in a transaction.
    pub on_error: OnError,
    /// Variable that tells what became of the transaction of a row.
    pub status: Option<Name>,
    /// Where it stands.
    pub at: Span,
}

/// `IN CONCURRENT TRANSACTIONS`
#[derive(Clone, Debug, PartialEq)]
pub enum Concurrency {
    /// As many as there are processors.
    Any,
    /// `IN 4 CONCURRENT TRANSACTIONS`
    Most(Expression),
}

/// Variables that a subquery takes from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imports {
    /// Those of its first clause, if that is `WITH`.
    ByWith,
    /// `CALL (*)`
    All,
    /// `CALL (a, b)`
    Names(Vec<Name>),
}
