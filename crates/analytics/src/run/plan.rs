//! Choice of the graph that an algorithm reads: the lists as they are, both of a vertex
//! as one, or a sealed copy.

use evergraph_graph::StoredLists;

use super::algorithm::Needs;
use crate::copies::Content;

/// Form of the graph that the caller wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// The stored lists where that is possible.
    #[default]
    Live,
    /// A sealed copy: sorted lists in memory.
    Sealed,
    /// A compressed sealed copy.
    Compressed,
    /// A sealed copy without self-loops and parallel edges.
    Simple,
}

/// Graph to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    Live,
    Symmetric,
    Copy(Content),
}

impl Plan {
    /// The same lists as a copy.
    pub(super) fn as_copy(self) -> Self {
        match self {
            Plan::Live => Plan::Copy(Content::InOrder),
            Plan::Symmetric => Plan::Copy(Content::Undirected),
            copy @ Plan::Copy(_) => copy,
        }
    }
}

/// Lists that a run is to read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub needs: Needs,
    pub form: Form,
    /// Edges of a directed graph lead both ways.
    pub undirected: bool,
}

/// Chooses the cheapest graph that serves, of lists in these directions.
pub(super) fn plan(wanted: Wanted, direction: StoredLists) -> Plan {
    let Wanted {
        needs,
        form,
        undirected,
    } = wanted;
    let wanted = match needs {
        Needs::OutLists | Needs::InLists if undirected => Content::Undirected,
        Needs::SimpleDirected if undirected => Content::SimpleUndirected,
        Needs::OutLists | Needs::AnyLists => Content::Stored,
        Needs::InLists => Content::InLists,
        Needs::Undirected => Content::Undirected,
        Needs::SimpleDirected => Content::Simple,
        Needs::Simple => Content::SimpleUndirected,
    };
    let lists = match (wanted, direction) {
        (Content::Undirected, _) if form == Form::Simple => Content::SimpleUndirected,
        (Content::Stored | Content::InLists, StoredLists::Undirected) if form == Form::Simple => {
            Content::SimpleUndirected
        }
        (Content::Stored | Content::InLists, _) if form == Form::Simple => Content::Simple,
        (Content::InLists, StoredLists::Undirected | StoredLists::Both)
        | (Content::Undirected, StoredLists::Undirected) => Content::Stored,
        (Content::Simple, StoredLists::Undirected) => Content::SimpleUndirected,
        _ => wanted,
    };
    match (form, lists) {
        (Form::Live, Content::Stored) => Plan::Live,
        (Form::Live, Content::Undirected) if direction == StoredLists::Both => Plan::Symmetric,
        _ => Plan::Copy(lists),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use StoredLists::{Both, Out, Undirected};

    #[test]
    fn nothing_is_copied_without_need() {
        for (needs, direction, expected) in [
            (Needs::OutLists, Out, Plan::Live),
            (Needs::AnyLists, Both, Plan::Live),
            (Needs::InLists, Both, Plan::Live),
            (Needs::InLists, Undirected, Plan::Live),
            (Needs::InLists, Out, Plan::Copy(Content::InLists)),
            (Needs::Undirected, Undirected, Plan::Live),
            (Needs::Undirected, Both, Plan::Symmetric),
            (Needs::Undirected, Out, Plan::Copy(Content::Undirected)),
            (Needs::Simple, Both, Plan::Copy(Content::SimpleUndirected)),
            (
                Needs::Simple,
                Undirected,
                Plan::Copy(Content::SimpleUndirected),
            ),
            (Needs::SimpleDirected, Out, Plan::Copy(Content::Simple)),
            (
                Needs::SimpleDirected,
                Undirected,
                Plan::Copy(Content::SimpleUndirected),
            ),
        ] {
            let found = plan(as_stored(needs, Form::Live), direction);
            assert_eq!(found, expected, "{needs:?} {direction:?}");
        }
    }

    fn as_stored(needs: Needs, form: Form) -> Wanted {
        Wanted {
            needs,
            form,
            undirected: false,
        }
    }

    #[test]
    fn directions_are_left_out_where_that_is_wanted() {
        let both = Plan::Symmetric;
        let doubled = Plan::Copy(Content::Undirected);
        let simple = Plan::Copy(Content::SimpleUndirected);
        for (needs, form, direction, expected) in [
            (Needs::OutLists, Form::Live, Both, both),
            (Needs::OutLists, Form::Live, Out, doubled),
            (Needs::OutLists, Form::Live, Undirected, Plan::Live),
            (Needs::InLists, Form::Sealed, Both, doubled),
            (Needs::InLists, Form::Simple, Both, simple),
            (Needs::SimpleDirected, Form::Live, Out, simple),
            (Needs::Simple, Form::Live, Out, simple),
            // They do not matter to it.
            (Needs::AnyLists, Form::Live, Out, Plan::Live),
        ] {
            let wanted = Wanted {
                needs,
                form,
                undirected: true,
            };
            assert_eq!(
                plan(wanted, direction),
                expected,
                "{wanted:?} {direction:?}"
            );
        }
    }

    #[test]
    fn a_sealed_copy_is_made_where_it_is_wanted() {
        for (needs, direction, lists) in [
            (Needs::OutLists, Out, Content::Stored),
            (Needs::InLists, Both, Content::Stored),
            (Needs::Undirected, Undirected, Content::Stored),
            (Needs::Undirected, Both, Content::Undirected),
        ] {
            let wanted = as_stored(needs, Form::Sealed);
            assert_eq!(plan(wanted, direction), Plan::Copy(lists));
        }
    }
}
