//! Paths with parts that repeat, selectors and modes: what is searched whole.

use std::sync::Arc;

use evergraph_syntax::tree::{self, Count, PathMode, Selector};

use super::chain::{Ask, Chain, Inner, Link, is_search, linked, towards};
use super::expression::conjuncts;
use super::pattern::{Condition, Finding, Pattern, RelationshipToFind, SearchToFind};
use super::{Lowering, Scope};
use crate::PlanError;
use crate::plan::{
    Choice, Constant, Expression, PathPart, PathSearch, PathStep, PathTest, Repeat, Slot, Towards,
    names_of,
};

/// Numbers of repetitions of a relationship; `None` if it stands once.
pub(super) fn times(one: &tree::RelationshipPattern) -> Option<(u64, Option<u64>)> {
    match (&one.quantifier, &one.length) {
        (Some(quantifier), _) => Some((quantifier.least, quantifier.most)),
        (None, Some(length)) => Some((length.least.unwrap_or(1), length.most)),
        (None, None) => None,
    }
}

impl Finding<'_> {
    /// Refuses a node that stands within a path that is found whole.
    pub(super) fn need_outside(&self, name: &tree::Name) -> Result<(), PlanError> {
        match self.inner.contains(&name.text) {
            false => Ok(()),
            true => Err(used_twice(name)),
        }
    }
}

fn used_twice(name: &tree::Name) -> PlanError {
    let message = format!(
        "{} stands within a path with a selector or mode, and elsewhere, too: only its ends may; \
         find it by another name, and compare them in WHERE",
        name.text
    );
    PlanError::syntax("UnexpectedSyntax", name.at, message)
}

/// A search that is being lowered, and conditions within it.
struct Building<'a> {
    path: PathSearch,
    inner: Vec<Inner<'a>>,
}

impl Building<'_> {
    /// Demands of a slot that it is what is known.
    fn same(&mut self, known: Slot, slot: Slot) {
        let names = Arc::default();
        ask([Ask::Same(known, slot)], (None, &names), &mut self.inner);
    }
}

impl Lowering<'_> {
    /// Which paths are found, if the path is found whole.
    pub(super) fn choice(
        &mut self,
        path: &tree::PathPattern,
        chain: &Chain<'_>,
        repeatable: bool,
    ) -> Result<Option<Choice>, PlanError> {
        let repeats = chain.links.iter().any(|link| match link {
            Link::Repeat(_) => true,
            Link::One(one) => is_search(one, false),
        });
        let one = Expression::Constant(Constant::Integer(1));
        let choice = match &path.selector {
            Selector::All if path.mode == PathMode::Walk => return Ok(None),
            // Elsewhere relationships of other paths are not repeated, either.
            Selector::All if path.mode == PathMode::Trail && !repeatable => return Ok(None),
            Selector::All => Choice::All,
            Selector::Any(None) => Choice::Shortest(one),
            Selector::Any(Some(count)) | Selector::Shortest(count) => {
                Choice::Shortest(count_of(count, path.at)?)
            }
            Selector::ShortestGroups(count) => Choice::Groups(count_of(count, path.at)?),
            Selector::AllShortest => Choice::Groups(one),
            Selector::ShortestPath if repeats => Choice::Shortest(one),
            Selector::AllShortestPaths if repeats => Choice::Groups(one),
            Selector::ShortestPath | Selector::AllShortestPaths => return Ok(None),
        };
        Ok((!chain.links.is_empty()).then_some(choice))
    }

    /// A part of a path that is found by a search; the slot of its relationships.
    pub(super) fn searched_link<'a>(
        &mut self,
        link: &Link<'a>,
        (left, right): (usize, usize),
        walks: bool,
        finding: &mut Finding<'a>,
        scope: &mut Scope,
    ) -> Result<Slot, PlanError> {
        let ends = [left, right].map(|place| finding.pattern.nodes[place].slot);
        let mut building = self.building(ends.to_vec(), Choice::All);
        if walks {
            building.path.mode = PathMode::Walk;
        }
        self.link(link, &mut building, finding, scope)?;
        Ok(add(building, (left, right), finding))
    }

    /// A path that is found whole; the slots that it is made of.
    pub(super) fn whole_path<'a>(
        &mut self,
        path: &'a tree::PathPattern,
        chain: &Chain<'a>,
        choice: Choice,
        finding: &mut Finding<'a>,
        scope: &mut Scope,
    ) -> Result<Vec<Slot>, PlanError> {
        let last = chain.nodes.len() - 1;
        let left = self.node(chain.nodes[0], finding, scope)?;
        let right = self.node(chain.nodes[last], finding, scope)?;
        let ends = [left, right].map(|place| finding.pattern.nodes[place].slot);
        let mut building = self.building(vec![ends[0]], choice);
        building.path.mode = path.mode;
        let names = Arc::new(Scope::new());
        for (number, link) in chain.links.iter().enumerate() {
            self.link(link, &mut building, finding, scope)?;
            let slot = match chain.nodes[number + 1] {
                _ if number + 1 == last => ends[1],
                None => self.unnamed(),
                Some(node) => {
                    let slot = self.inner_node(node, ends, finding, scope, &mut building)?;
                    ask_node(node, slot, (None, &names), &mut building.inner);
                    slot
                }
            };
            building.path.nodes.push(slot);
        }
        let filters = chain.filter.into_iter().flat_map(conjuncts).map(Ask::Where);
        ask(filters, (None, &names), &mut building.inner);
        let relationships = add(building, (left, right), finding);
        Ok(vec![ends[0], relationships, ends[1]])
    }

    fn building<'a>(&mut self, nodes: Vec<Slot>, choice: Choice) -> Building<'a> {
        Building {
            path: PathSearch {
                nodes,
                parts: Vec::new(),
                tests: Vec::new(),
                into: false,
                relationships: self.unnamed(),
                unlike: Vec::new(),
                mode: PathMode::Trail,
                choice,
                reversed: false,
            },
            inner: Vec::new(),
        }
    }

    /// Slot of a node between the ends of a path.
    fn inner_node<'a>(
        &mut self,
        node: &'a tree::NodePattern,
        ends: [Slot; 2],
        finding: &mut Finding<'a>,
        scope: &mut Scope,
        building: &mut Building<'a>,
    ) -> Result<Slot, PlanError> {
        let Some(variable) = &node.variable else {
            return Ok(self.unnamed());
        };
        let slot = self.slot(&variable.text);
        let known = scope.get(&variable.text).copied();
        if let Some(known) = known {
            if !ends.contains(&known) && !building.path.nodes.contains(&known) {
                return Err(used_twice(variable));
            }
            building.same(known, slot);
            return Ok(slot);
        }
        scope.insert(variable.text.clone(), slot);
        finding.inner.insert(variable.text.clone());
        Ok(slot)
    }

    /// Adds a part to a search.
    fn link<'a>(
        &mut self,
        link: &Link<'a>,
        building: &mut Building<'a>,
        finding: &mut Finding<'a>,
        scope: &mut Scope,
    ) -> Result<(), PlanError> {
        let place = building.path.parts.len();
        let part = match *link {
            Link::Repeat(group) => self.group(group, place, &mut building.inner, scope)?,
            Link::One(one) => self.one(one, place, building, finding, scope)?,
        };
        building.path.parts.push(part);
        Ok(())
    }

    /// A relationship of a path that is searched, or a path of it.
    fn one<'a>(
        &mut self,
        one: &'a tree::RelationshipPattern,
        place: usize,
        building: &mut Building<'a>,
        finding: &mut Finding<'a>,
        scope: &mut Scope,
    ) -> Result<PathPart, PlanError> {
        let known = one.variable.as_ref().and_then(|name| scope.get(&name.text));
        let known = known.copied();
        let slot = self.bind_or_unnamed(one.variable.as_ref().filter(|_| known.is_none()), scope);
        let Some((least, most)) = times(one) else {
            let step = step_of(one, slot);
            ask_step(one, &step, (None, &Arc::default()), &mut building.inner);
            if let Some(known) = known {
                building.same(known, slot);
            }
            return Ok(PathPart::Step(step));
        };
        if let Some(known) = known {
            finding.conditions.push(Condition::Same(slot, known));
        }
        let inner = self.unnamed();
        let step = step_of(one, inner);
        let names = one.variable.iter().map(|name| (name.text.clone(), inner));
        let names = Arc::new(names.collect());
        ask_step(one, &step, (Some(place), &names), &mut building.inner);
        Ok(PathPart::Repeat(Repeat {
            nodes: vec![self.unnamed(), self.unnamed()],
            steps: vec![step],
            tests: Vec::new(),
            least,
            most,
            lists: vec![(inner, slot)],
        }))
    }

    /// A path that repeats.
    fn group<'a>(
        &mut self,
        group: &'a tree::Group,
        place: usize,
        asked: &mut Vec<Inner<'a>>,
        scope: &mut Scope,
    ) -> Result<PathPart, PlanError> {
        let (node_patterns, links) = linked(&group.pattern.factors);
        let mut names = Scope::new();
        let (mut nodes, mut steps) = (Vec::new(), Vec::new());
        let mut same = Vec::new();
        for node in &node_patterns {
            let variable = node.and_then(|node| node.variable.as_ref());
            let first = variable.and_then(|variable| names.get(&variable.text).copied());
            let slot = match (variable, first) {
                (Some(variable), Some(first)) => {
                    let slot = self.slot(&variable.text);
                    same.push((first, slot));
                    slot
                }
                _ => self.bind_or_unnamed(variable, &mut names),
            };
            nodes.push(slot);
        }
        for link in &links {
            let Link::One(one) = link else {
                let message = "a path that repeats has a part that repeats";
                return Err(PlanError::syntax("UnexpectedSyntax", group.at, message));
            };
            let slot = self.bind_or_unnamed(one.variable.as_ref(), &mut names);
            steps.push((step_of(one, slot), *one));
        }
        let mut lists = Vec::with_capacity(names.len());
        for (name, &inner) in &names {
            lists.push((inner, self.bind(name, scope)));
        }
        let names = Arc::new(names);
        let within = (Some(place), &names);
        for (node, &slot) in node_patterns.iter().zip(&nodes) {
            if let Some(node) = node {
                ask_node(node, slot, within, asked);
            }
        }
        for (step, one) in &steps {
            ask_step(one, step, within, asked);
        }
        let same = same.into_iter().map(|(one, other)| Ask::Same(one, other));
        let filters = group.filter.iter().flat_map(conjuncts).map(Ask::Where);
        ask(filters.chain(same), within, asked);
        let quantifier = group.quantifier.as_ref();
        Ok(PathPart::Repeat(Repeat {
            nodes,
            steps: steps.into_iter().map(|(step, _)| step).collect(),
            tests: Vec::new(),
            least: quantifier.map_or(1, |quantifier| quantifier.least),
            most: quantifier.map_or(Some(1), |quantifier| quantifier.most),
            lists,
        }))
    }

    /// Adds a condition to the search in which it stands.
    pub(super) fn inner_condition(
        &mut self,
        place: usize,
        inner: Inner<'_>,
        pattern: &mut Pattern,
        before: &Scope,
        scope: &Scope,
    ) -> Result<(), PlanError> {
        let mut visible = scope.clone();
        visible.extend((*inner.names).clone());
        let mut made: Vec<(Expression, Vec<Slot>, tree::Span)> = Vec::new();
        match inner.ask {
            Ask::Labels(slot, labels) => {
                let of = Expression::Slot(slot);
                let lower = |own: &mut Self| own.labelled(of, labels, &visible);
                let (condition, mut slots) = self.traced(lower)?;
                slots.push(slot);
                let at = labels.computed().first().map(|one| one.names.at);
                made.push((condition, slots, at.unwrap_or_default()));
            }
            Ask::Same(one, other) => {
                let equal = Expression::equal(Expression::Slot(one), Expression::Slot(other));
                made.push((equal, vec![one, other], tree::Span::default()));
            }
            Ask::Where(filter) => {
                if inner.part.is_none() {
                    self.unmade.clone_from(&pattern.paths);
                }
                let lowered = self.traced(|own| own.expression(filter, &visible));
                self.unmade.clear();
                let (condition, slots) = lowered?;
                made.push((condition, slots, filter.at));
            }
            Ask::Properties(slot, properties) => {
                for (key, value) in self.properties_of(properties)? {
                    let at = value.at;
                    let (value, mut slots) = self.traced(|own| own.expression(value, &visible))?;
                    slots.push(slot);
                    let equal = Expression::equal(Expression::property(slot, &key), value);
                    made.push((equal, slots, at));
                }
            }
        }
        let mut known: Vec<Slot> = before.values().copied().collect();
        known.extend(pattern.nodes.iter().map(|node| node.slot));
        let alone = |one: &&RelationshipToFind| one.search.is_none() && one.shortest.is_none();
        let others = pattern.relationships.iter().filter(alone);
        known.extend(others.map(|one| one.slot));
        let Some(search) = &mut pattern.relationships[place].search else {
            return Ok(());
        };
        let own = match inner.part.map(|part| &search.path.parts[part]) {
            Some(PathPart::Repeat(repeat)) => {
                let steps = repeat.steps.iter().map(|step| step.relationship);
                repeat.nodes.iter().copied().chain(steps).collect()
            }
            _ => search.path.brings(),
        };
        for (condition, slots, at) in made {
            let (slots, needs): (Vec<Slot>, Vec<Slot>) =
                slots.into_iter().partition(|slot| own.contains(slot));
            if needs.iter().any(|slot| !known.contains(slot)) {
                let message = "a condition within a path uses a variable that is found with the \
                               path; write it in WHERE behind the pattern";
                return Err(PlanError::syntax("UnexpectedSyntax", at, message));
            }
            search.needs.extend(needs);
            let test = PathTest { condition, slots };
            match inner.part.map(|part| &mut search.path.parts[part]) {
                Some(PathPart::Repeat(repeat)) => repeat.tests.push(test),
                _ => search.path.tests.push(test),
            }
        }
        Ok(())
    }
}

/// Adds a search to the pattern; the slot of its relationships.
fn add<'a>(
    building: Building<'a>,
    (left, right): (usize, usize),
    finding: &mut Finding<'a>,
) -> Slot {
    let Building { path, inner } = building;
    let place = finding.pattern.relationships.len();
    let slot = path.relationships;
    let within = inner.into_iter().map(|one| Condition::Within(place, one));
    finding.conditions.extend(within);
    let is_apart = path.mode == PathMode::Walk || path.choice != Choice::All;
    let repeatable = finding.repeatable || is_apart;
    finding.pattern.relationships.push(RelationshipToFind {
        slot,
        bound: false,
        left,
        right,
        towards: Towards::Both,
        types: Vec::new(),
        length: Some(path.length()),
        properties: Vec::new(),
        shortest: None,
        search: Some(Box::new(SearchToFind {
            path,
            needs: Vec::new(),
        })),
        repeatable,
        clause: finding.clause,
    });
    slot
}

fn step_of(one: &tree::RelationshipPattern, relationship: Slot) -> PathStep {
    PathStep {
        relationship,
        towards: towards(one.direction),
        types: one.types.as_ref().and_then(names_of).unwrap_or_default(),
    }
}

type Within<'w> = (Option<usize>, &'w Arc<Scope>);

fn ask_node<'a>(
    node: &'a tree::NodePattern,
    slot: Slot,
    within: Within<'_>,
    asked: &mut Vec<Inner<'a>>,
) {
    let labels = node.labels.iter();
    let labels = labels.map(|labels| Ask::Labels(slot, labels));
    let properties = node.properties.iter().map(|of| Ask::Properties(slot, of));
    let filters = node.filter.iter().flat_map(conjuncts).map(Ask::Where);
    ask(labels.chain(properties).chain(filters), within, asked);
}

fn ask_step<'a>(
    one: &'a tree::RelationshipPattern,
    step: &PathStep,
    within: Within<'_>,
    asked: &mut Vec<Inner<'a>>,
) {
    let slot = step.relationship;
    let labels = one.types.iter().filter(|types| names_of(types).is_none());
    let labels = labels.map(|labels| Ask::Labels(slot, labels));
    let properties = one.properties.iter().map(|of| Ask::Properties(slot, of));
    let filters = one.filter.iter().flat_map(conjuncts).map(Ask::Where);
    ask(labels.chain(properties).chain(filters), within, asked);
}

fn ask<'a>(
    asks: impl IntoIterator<Item = Ask<'a>>,
    (part, names): Within<'_>,
    asked: &mut Vec<Inner<'a>>,
) {
    asked.extend(asks.into_iter().map(|ask| Inner {
        part,
        names: Arc::clone(names),
        ask,
    }));
}

fn count_of(count: &Count, at: tree::Span) -> Result<Expression, PlanError> {
    match count {
        Count::Number(0) => {
            let message = "a number of paths is 1 or more";
            Err(PlanError::syntax("NegativeIntegerArgument", at, message))
        }
        Count::Number(number) => {
            let number = i64::try_from(*number).unwrap_or(i64::MAX);
            Ok(Expression::Constant(Constant::Integer(number)))
        }
        Count::Parameter(name) => Ok(Expression::Parameter(name.as_str().into())),
    }
}
