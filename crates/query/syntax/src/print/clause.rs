//! Queries and clauses.

use std::fmt::{self, Display, Formatter};

use super::pattern::PathOf;
use super::{Quoted, Separated, Text, optional, separated};
use crate::tree::{
    AccessHint, Call, CallSubquery, Clause, ClauseKind, Concurrency, Delete, Foreach, Hint,
    Imports, InTransactions, Item, LoadCsv, Match, MergeAction, Name, Node, OnError, PathMode,
    Projection, Query, RemoveItem, SetItem, SingleQuery, SortItem, StatementLabels, Yield,
    YieldItem,
};

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(as_of) = &self.as_of {
            write!(f, "AS OF {as_of} ")?;
        }
        for (number, part) in self.parts.iter().enumerate() {
            if let Some(union) = number.checked_sub(1).and_then(|at| self.unions.get(at)) {
                f.write_str(if union.all { " UNION ALL " } else { " UNION " })?;
            }
            part.fmt(f)?;
        }
        Ok(())
    }
}

impl Display for SingleQuery {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Separated(&self.clauses, " ").fmt(f)
    }
}

impl Display for Clause {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ClauseKind::Match(part) => part.fmt(f),
            ClauseKind::Unwind(list, variable) => write!(f, "UNWIND {list} AS {variable}"),
            ClauseKind::LoadCsv(part) => part.fmt(f),
            ClauseKind::With(part) if part.is_let => {
                write!(f, "LET {}", separated(&part.items, ", ", definition))
            }
            ClauseKind::With(projection) => write!(f, "WITH {projection}"),
            ClauseKind::Return(projection) => write!(f, "RETURN {projection}"),
            ClauseKind::Finish => f.write_str("FINISH"),
            ClauseKind::Create(patterns) => write!(f, "CREATE {}", Separated(patterns, ", ")),
            ClauseKind::Merge(pattern, actions) => {
                write!(f, "MERGE {pattern}{}", Separated(actions, ""))
            }
            ClauseKind::Set(items) => write!(f, "SET {}", Separated(items, ", ")),
            ClauseKind::Remove(items) => write!(f, "REMOVE {}", Separated(items, ", ")),
            ClauseKind::Delete(part) => part.fmt(f),
            ClauseKind::Foreach(part) => part.fmt(f),
            ClauseKind::Call(part) => part.fmt(f),
            ClauseKind::Subquery(part) => part.fmt(f),
        }
    }
}

/// `a = b`
fn definition(item: &Item, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "{} = {}", Quoted(item.name()), item.value)
}

impl Display for Match {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if self.optional { "OPTIONAL " } else { "" })?;
        f.write_str("MATCH ")?;
        let unwritten = PathMode::unwritten(self.repeatable);
        if self.repeatable {
            f.write_str("REPEATABLE ELEMENTS ")?;
        }
        let path = |one: &_, f: &mut Formatter<'_>| PathOf(one, unwritten).fmt(f);
        separated(&self.patterns, ", ", path).fmt(f)?;
        optional(f, " AS OF ", self.as_of.as_ref())?;
        for hint in &self.hints {
            write!(f, " {hint}")?;
        }
        optional(f, " WHERE ", self.filter.as_ref())
    }
}

impl Display for LoadCsv {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let headers = if self.headers { "WITH HEADERS " } else { "" };
        let (source, variable) = (&self.source, &self.variable);
        write!(f, "LOAD CSV {headers}FROM {source} AS {variable}")?;
        match self.terminator {
            None => Ok(()),
            Some(byte) => {
                let text = char::from(byte).to_string();
                write!(f, " FIELDTERMINATOR {}", Text(&text))
            }
        }
    }
}

impl Display for Hint {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Hint::Access(hint) => hint.fmt(f),
            Hint::Join(variables, _) => write!(f, "USING JOIN ON {}", Separated(variables, ", ")),
        }
    }
}

impl Display for AccessHint {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (variable, label, keys) = (&self.variable, &self.label, &self.keys);
        match keys.is_empty() {
            true => write!(f, "USING SCAN {variable}:{label}"),
            false => {
                let keys = Separated(keys, ", ");
                write!(f, "USING INDEX {variable}:{label}({keys})")
            }
        }
    }
}

impl Display for Projection {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if self.distinct { "DISTINCT " } else { "" })?;
        f.write_str(match (self.all, self.items.is_empty()) {
            (false, _) => "",
            (true, true) => "*",
            (true, false) => "*, ",
        })?;
        Separated(&self.items, ", ").fmt(f)?;
        if !self.order.is_empty() {
            write!(f, " ORDER BY {}", Separated(&self.order, ", "))?;
        }
        optional(f, " SKIP ", self.skip.as_ref())?;
        optional(f, " LIMIT ", self.limit.as_ref())?;
        optional(f, " WHERE ", self.filter.as_ref())
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)?;
        optional(f, " AS ", self.alias.as_ref())
    }
}

impl Display for SortItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let descending = if self.descending { " DESC" } else { "" };
        write!(f, "{}{descending}", self.key)
    }
}

impl Display for MergeAction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let on = if self.on_create { "CREATE" } else { "MATCH" };
        write!(f, " ON {on} SET {}", Separated(&self.items, ", "))
    }
}

/// `n:A:B`
fn written_labels(f: &mut Formatter<'_>, name: &Name, labels: &StatementLabels) -> fmt::Result {
    match labels.all() {
        Some(parts) => write!(f, "{name}:{}", Separated(&parts, ":")),
        None => write!(f, "{name}:{labels}"),
    }
}

impl Display for SetItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            SetItem::Property(property, value) => write!(f, "{property} = {value}"),
            SetItem::Replace(name, value) => write!(f, "{name} = {value}"),
            SetItem::Update(name, value) => write!(f, "{name} += {value}"),
            SetItem::Labels(name, labels) => written_labels(f, name, labels),
        }
    }
}

impl Display for RemoveItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            RemoveItem::Property(property) => property.fmt(f),
            RemoveItem::Labels(name, labels) => written_labels(f, name, labels),
        }
    }
}

impl Display for Delete {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let detach = if self.detach { "DETACH " } else { "" };
        write!(f, "{detach}DELETE {}", Separated(&self.items, ", "))
    }
}

impl Display for Foreach {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (variable, list, updates) = (&self.variable, &self.list, Separated(&self.updates, " "));
        write!(f, "FOREACH ({variable} IN {list} | {updates})")
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let optionally = if self.optional { "OPTIONAL " } else { "" };
        write!(f, "{optionally}CALL {}", Separated(&self.name, "."))?;
        if let Some(arguments) = &self.arguments {
            write!(f, "({})", Separated(arguments, ", "))?;
        }
        optional(f, " YIELD ", self.results.as_ref())
    }
}

impl Display for Yield {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Yield::All => f.write_str("*"),
            Yield::Items(items, filter) => {
                Separated(items, ", ").fmt(f)?;
                optional(f, " WHERE ", filter.as_ref())
            }
        }
    }
}

impl Display for YieldItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)?;
        optional(f, " AS ", self.alias.as_ref())
    }
}

impl Display for CallSubquery {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if self.optional { "OPTIONAL " } else { "" })?;
        f.write_str("CALL ")?;
        match &self.imports {
            Imports::ByWith => {}
            Imports::All => f.write_str("(*) ")?,
            Imports::Names(names) => write!(f, "({}) ", Separated(names, ", "))?,
        }
        write!(f, "{{ {} }}", self.query)?;
        optional(f, " ", self.transactions.as_ref())
    }
}

impl Display for InTransactions {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.concurrency {
            None => f.write_str("IN TRANSACTIONS"),
            Some(Concurrency::Any) => f.write_str("IN CONCURRENT TRANSACTIONS"),
            Some(Concurrency::Most(most)) => match most.node {
                Node::Integer(_) | Node::Parameter(_) => {
                    write!(f, "IN {most} CONCURRENT TRANSACTIONS")
                }
                _ => write!(f, "IN ({most}) CONCURRENT TRANSACTIONS"),
            },
        }?;
        if let Some(rows) = &self.rows {
            write!(f, " OF {rows} ROWS")?;
        }
        if self.on_error != OnError::Fail {
            write!(f, " ON ERROR {}", self.on_error.word())?;
        }
        optional(f, " REPORT STATUS AS ", self.status.as_ref())
    }
}
