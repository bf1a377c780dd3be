//! Patterns and labels.

use std::fmt::{self, Display, Formatter};

use super::{Parameter, Separated, optional, separated};
use crate::tree::{
    Computed, Count, Direction, Factor, Group, Labels, Length, NodePattern, PathMode, PathPattern,
    Properties, Quantifier, RelationshipPattern, Selector,
};

impl Display for PathPattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        PathOf(self, PathMode::Trail).fmt(f)
    }
}

/// A path, and the mode that it has if none is written.
pub(super) struct PathOf<'p>(pub(super) &'p PathPattern, pub(super) PathMode);

impl Display for PathOf<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let PathOf(path, unwritten) = self;
        if let Some(variable) = &path.variable {
            write!(f, "{variable} = ")?;
        }
        let factors = Separated(&path.factors, "");
        let mode = match path.mode == *unwritten {
            true => String::new(),
            false => format!("{} ", path.mode.word()),
        };
        match &path.selector {
            Selector::All => write!(f, "{mode}{factors}"),
            Selector::Any(None) => write!(f, "ANY {mode}{factors}"),
            Selector::Any(Some(count)) => write!(f, "ANY {count} {mode}{factors}"),
            Selector::AllShortest => write!(f, "ALL SHORTEST {mode}{factors}"),
            Selector::Shortest(count) => write!(f, "SHORTEST {count} {mode}{factors}"),
            Selector::ShortestGroups(count) => {
                write!(f, "SHORTEST {count} {mode}GROUPS {factors}")
            }
            Selector::ShortestPath => write!(f, "shortestPath({factors})"),
            Selector::AllShortestPaths => write!(f, "allShortestPaths({factors})"),
        }
    }
}

impl Display for Count {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Count::Number(number) => number.fmt(f),
            Count::Parameter(name) => Parameter(name).fmt(f),
        }
    }
}

impl Display for Factor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Factor::Node(node) => node.fmt(f),
            Factor::Relationship(relationship) => relationship.fmt(f),
            Factor::Group(group) => group.fmt(f),
        }
    }
}

impl Display for Group {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "({}", self.pattern)?;
        optional(f, " WHERE ", self.filter.as_ref())?;
        f.write_str(")")?;
        optional(f, "", self.quantifier.as_ref())
    }
}

/// Parts with blanks between them.
struct Filler<'a> {
    separator: &'static str,
    f: &'a mut dyn fmt::Write,
}

impl Filler<'_> {
    fn add(&mut self, part: Option<impl Display>) -> fmt::Result {
        if let Some(part) = part {
            write!(self.f, "{}{part}", self.separator)?;
            self.separator = " ";
        }
        Ok(())
    }
}

impl Display for NodePattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        optional(f, "", self.variable.as_ref())?;
        optional(f, ":", self.labels.as_ref())?;
        let separator = match self.variable.is_some() || self.labels.is_some() {
            true => " ",
            false => "",
        };
        let mut filler = Filler { separator, f };
        filler.add(self.properties.as_ref())?;
        filler.add(self.filter.as_ref().map(|filter| format!("WHERE {filter}")))?;
        f.write_str(")")
    }
}

impl Display for RelationshipPattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self.direction {
            Direction::Left => "<-[",
            Direction::Right | Direction::Either => "-[",
        })?;
        optional(f, "", self.variable.as_ref())?;
        if let Some(types) = &self.types {
            // What colons join is read for nodes alone.
            write!(f, ":{types:#}")?;
        }
        optional(f, "", self.length.as_ref())?;
        let mut filler = Filler { separator: " ", f };
        filler.add(self.properties.as_ref())?;
        filler.add(self.filter.as_ref().map(|filter| format!("WHERE {filter}")))?;
        f.write_str(match self.direction {
            Direction::Right => "]->",
            Direction::Left | Direction::Either => "]-",
        })?;
        optional(f, "", self.quantifier.as_ref())
    }
}

impl Display for Properties {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Properties::Map(map) => map.fmt(f),
            Properties::Parameter(name) => Parameter(&name.text).fmt(f),
        }
    }
}

impl Display for Length {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("*")?;
        optional(f, "", self.least.as_ref())?;
        if self.least.is_none() || self.least != self.most {
            optional(f, "..", self.most.as_ref())?;
            if self.least.is_some() && self.most.is_none() {
                f.write_str("..")?;
            }
        }
        Ok(())
    }
}

impl Display for Quantifier {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{{{},", self.least)?;
        optional(f, "", self.most.as_ref())?;
        f.write_str("}")
    }
}

/// `a:b` where all are names or computed, and `a&b` otherwise, or with `{:#}`.
impl<C: Display> Display for Labels<C> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let nested = |f: &mut Formatter<'_>, part: &Labels<C>, inner: bool| match inner {
            true => write!(f, "({part:#})"),
            false => write!(f, "{part:#}"),
        };
        let within_and = |part: &Labels<C>, f: &mut Formatter<'_>| {
            nested(f, part, matches!(part, Labels::And(_) | Labels::Or(_)))
        };
        let within_or = |part: &Labels<C>, f: &mut Formatter<'_>| {
            nested(f, part, matches!(part, Labels::Or(_)))
        };
        match self {
            Labels::Name(name) => name.fmt(f),
            Labels::Any => f.write_str("%"),
            Labels::Computed(computed) => write!(f, "{computed}"),
            Labels::Not(part) => {
                f.write_str("!")?;
                within_and(part, f)
            }
            Labels::And(parts) => {
                let are_plain = !f.alternate() && self.all().is_some();
                separated(parts, if are_plain { ":" } else { "&" }, within_and).fmt(f)
            }
            Labels::Or(parts) => separated(parts, "|", within_or).fmt(f),
        }
    }
}

impl Display for Computed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let any = if self.any { "any" } else { "" };
        write!(f, "${any}({})", self.names)
    }
}
