//! Options and hints of a query that have no effect, and names that it looks for and the
//! graph does not have: most often they are misspelt, and openCypher gives no rows, or
//! nulls, and no error.

use std::collections::HashSet;
use std::sync::Arc;

use evergraph_planner::IdleHint;
use evergraph_property_graph::graph::{GraphRead, View};
use evergraph_syntax::nearest;
use evergraph_syntax::scope::Named;
use evergraph_syntax::tree::{Name, Span, StatementOption};

/// Names among which a like one is looked for, at most.
const MOST_NAMES: u32 = 4096;
/// Names that are told, at most: a generated text may have thousands.
const MOST_TOLD: usize = 20;

/// Information about a query that is right: a name that the graph does not have, or an
/// option or a hint without effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// One line.
    pub message: String,
    /// The place in the text.
    pub at: Span,
}

/// One for each of the first options.
pub(crate) fn of_options(options: &[StatementOption]) -> Vec<Notification> {
    let told = options.iter().take(MOST_TOLD);
    told.map(|option| Notification {
        message: format!("the option {option} has no effect"),
        at: option.name.at.to(option.value.at),
    })
    .collect()
}

/// One for each of the first hints.
pub(crate) fn of_hints(hints: &[IdleHint]) -> impl Iterator<Item = Notification> {
    hints.iter().take(MOST_TOLD).map(|hint| Notification {
        message: hint.message.clone(),
        at: hint.at,
    })
}

/// One for each of the first names that no commit has used, in the order of the text.
pub(crate) fn of_names(view: &View, mut searched: Vec<(Named, Name)>) -> Vec<Notification> {
    searched.sort_by_key(|(_, name)| name.at.range().start);
    let mut met: HashSet<(Named, String)> = HashSet::new();
    let unused = searched.into_iter().filter(|(named, name)| {
        !is_used(view, *named, &name.text) && met.insert((*named, name.text.clone()))
    });
    let told = unused.take(MOST_TOLD);
    told.map(|(named, name)| of_name(view, named, &name))
        .collect()
}

fn of_name(view: &View, named: Named, name: &Name) -> Notification {
    let (what, effect) = match named {
        Named::Label => ("label", "no node has it"),
        Named::Type => ("relationship type", "no relationship has it"),
        Named::Key => ("property key", "it is null"),
    };
    let names = names(view, named);
    let meant = match nearest(&name.text, names.iter().map(|name| &**name)) {
        Some(near) => format!(": did you mean {near}?"),
        None => format!(": {effect}"),
    };
    Notification {
        message: format!("the graph has no {what} {}{meant}", name.text),
        at: name.at,
    }
}

fn is_used(view: &View, named: Named, name: &str) -> bool {
    match named {
        Named::Label => view.label_code(name).is_some(),
        Named::Type => view.type_code(name).is_some(),
        Named::Key => view.key_code(name).is_some(),
    }
}

/// Names that commits have used; the others are of transactions that have not committed.
fn names(view: &View, named: Named) -> Vec<Arc<str>> {
    let name = |code: u32| match named {
        Named::Label => view.label_name(code),
        Named::Type => view.type_name(code.try_into().ok()?),
        Named::Key => view.key_name(code),
    };
    let all = (0..MOST_NAMES).map_while(name);
    all.filter(|name| is_used(view, named, name)).collect()
}
