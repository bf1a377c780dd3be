//! Choice of the graph that an algorithm reads: the lists as they are, both of a vertex
//! as one, or a sealed copy.

use evergraph_graph::Direction;

use super::algorithm::Needs;
use super::sealing::Content;

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

/// Chooses the cheapest graph that serves, of lists in these directions.
pub(super) fn plan(needs: Needs, form: Form, direction: Direction) -> Plan {
    let wanted = match needs {
        Needs::OutLists | Needs::AnyLists => Content::Stored,
        Needs::InLists => Content::InLists,
        Needs::Undirected => Content::Undirected,
        Needs::SimpleDirected => Content::Simple,
        Needs::Simple => Content::SimpleUndirected,
    };
    let lists = match (wanted, direction) {
        (Content::Undirected, _) if form == Form::Simple => Content::SimpleUndirected,
        (Content::Stored | Content::InLists, Direction::Undirected) if form == Form::Simple => {
            Content::SimpleUndirected
        }
        (Content::Stored | Content::InLists, _) if form == Form::Simple => Content::Simple,
        (Content::InLists, Direction::Undirected | Direction::Both)
        | (Content::Undirected, Direction::Undirected) => Content::Stored,
        (Content::Simple, Direction::Undirected) => Content::SimpleUndirected,
        _ => wanted,
    };
    match (form, lists) {
        (Form::Live, Content::Stored) => Plan::Live,
        (Form::Live, Content::Undirected) if direction == Direction::Both => Plan::Symmetric,
        _ => Plan::Copy(lists),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::{Both, Out, Undirected};

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
            let found = plan(needs, Form::Live, direction);
            assert_eq!(found, expected, "{needs:?} {direction:?}");
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
            assert_eq!(plan(needs, Form::Sealed, direction), Plan::Copy(lists));
        }
    }
}
