//! Clauses that write.

use evergraph_syntax::tree::{self, Direction, Factor, Properties, RemoveItem};

use super::{Lowering, Scope, new_slots, text};
use crate::PlanError;
use crate::plan::{
    Create, Expression, Merge, NewNode, NewRelationship, Operator, Plan, SetItem, Slot, Step,
    WrittenLabel,
};

impl Lowering<'_> {
    pub(super) fn create(
        &mut self,
        patterns: &[tree::PathPattern],
        input: Plan,
        scope: &mut Scope,
    ) -> Result<Plan, PlanError> {
        let mut create = Create::default();
        for pattern in patterns {
            self.created(pattern, &mut create, scope, false)?;
        }
        Ok(input.with(Operator::Create(create)))
    }

    /// Adds a path to what is made. In `MERGE` an undirected relationship is made from
    /// left to right.
    fn created(
        &mut self,
        pattern: &tree::PathPattern,
        create: &mut Create,
        scope: &mut Scope,
        undirected: bool,
    ) -> Result<(), PlanError> {
        let mut slots = Vec::new();
        let mut last: Option<Slot> = None;
        let mut open: Option<&tree::RelationshipPattern> = None;
        for factor in &pattern.factors {
            match factor {
                Factor::Node(node) => {
                    let slot = self.created_node(node, create, scope)?;
                    if let (Some(relationship), Some(left)) = (open.take(), last) {
                        let between = (left, slot);
                        let made = self.created_relationship(
                            relationship,
                            between,
                            create,
                            scope,
                            undirected,
                        )?;
                        slots.push(made);
                    }
                    slots.push(slot);
                    last = Some(slot);
                }
                Factor::Relationship(relationship) => open = Some(relationship),
                Factor::Group(group) => {
                    let message = "a path that is made has no quantified part";
                    return Err(PlanError::syntax("CreatingVarLength", group.at, message));
                }
            }
        }
        if pattern.variable.is_some() {
            let slot = self.new_variable(pattern.variable.as_ref(), scope);
            create.paths.push((slot, slots));
        }
        Ok(())
    }

    fn created_node(
        &mut self,
        node: &tree::NodePattern,
        create: &mut Create,
        scope: &mut Scope,
    ) -> Result<Slot, PlanError> {
        let variable = node.variable.as_ref();
        if let Some(&slot) = variable.and_then(|name| scope.get(&name.text)) {
            self.used.push(slot);
            return Ok(slot);
        }
        let labels = match &node.labels {
            Some(labels) => self.written_labels(labels, node.at, scope)?,
            None => Vec::new(),
        };
        let properties = self.new_properties(node.properties.as_ref(), scope)?;
        let slot = self.new_variable(variable, scope);
        create.nodes.push(NewNode {
            node: slot,
            labels,
            properties,
        });
        Ok(slot)
    }

    fn created_relationship(
        &mut self,
        from: &tree::RelationshipPattern,
        (left, right): (Slot, Slot),
        create: &mut Create,
        scope: &mut Scope,
        undirected: bool,
    ) -> Result<Slot, PlanError> {
        let types = match &from.types {
            Some(types) => self.written_labels(types, from.at, scope)?,
            None => Vec::new(),
        };
        let ([kind], None) = (&types[..], &from.length) else {
            let message = "a relationship that is made has exactly one type";
            let detail = "NoSingleRelationshipType";
            return Err(PlanError::syntax(detail, from.at, message));
        };
        let kind = kind.clone();
        let properties = self.new_properties(from.properties.as_ref(), scope)?;
        let slot = self.new_variable(from.variable.as_ref(), scope);
        let (source, target) = match from.direction {
            Direction::Right => (left, right),
            Direction::Left => (right, left),
            Direction::Either if undirected => (left, right),
            Direction::Either => {
                let message = "a relationship that is made has a direction";
                let detail = "RequiresDirectedRelationship";
                return Err(PlanError::syntax(detail, from.at, message));
            }
        };
        create.relationships.push(NewRelationship {
            relationship: slot,
            source,
            kind,
            target,
            properties,
        });
        Ok(slot)
    }

    fn new_variable(&mut self, variable: Option<&tree::Name>, scope: &mut Scope) -> Slot {
        let given = variable.and_then(|variable| self.given.get(&variable.text));
        match (variable, given.copied()) {
            (Some(variable), Some(slot)) => {
                scope.insert(variable.text.clone(), slot);
                slot
            }
            _ => self.bind_or_unnamed(variable, scope),
        }
    }

    fn new_properties(
        &mut self,
        properties: Option<&Properties>,
        scope: &Scope,
    ) -> Result<Option<Expression>, PlanError> {
        Ok(match properties {
            None => None,
            Some(Properties::Map(map)) => Some(Expression::Map(self.map(map, scope)?)),
            Some(Properties::Parameter(name)) => Some(Expression::Parameter(text(name))),
        })
    }

    pub(super) fn merge(
        &mut self,
        pattern: &tree::PathPattern,
        actions: &[tree::MergeAction],
        input: Plan,
        scope: &mut Scope,
    ) -> Result<Plan, PlanError> {
        let before = scope.clone();
        let patterns = std::slice::from_ref(pattern);
        let found = self.match_patterns(patterns, None, Plan::argument(), scope)?;
        let mut create = Create::default();
        let mut made_scope = before.clone();
        // What is made goes into the slots of what is found.
        self.given = scope.clone();
        let created = self.created(pattern, &mut create, &mut made_scope, true);
        self.given.clear();
        created?;
        let brings = new_slots(&before, scope);
        let mut sets = [Vec::new(), Vec::new()];
        for action in actions {
            let items = self.set_items(&action.items, scope)?;
            sets[usize::from(action.on_create)].extend(items);
        }
        let [on_match, on_create] = sets;
        Ok(input.with(Operator::Merge(Merge {
            found: Box::new(found),
            brings,
            create,
            on_create,
            on_match,
        })))
    }

    pub(super) fn set_items(
        &mut self,
        items: &[tree::SetItem],
        scope: &Scope,
    ) -> Result<Vec<SetItem>, PlanError> {
        let items = items.iter().map(|item| {
            Ok(match item {
                tree::SetItem::Property(target, value) => {
                    let value = self.expression(value, scope)?;
                    self.property_item(target, value, scope)?
                }
                tree::SetItem::Replace(name, value) => SetItem::Replace(
                    self.variable(&name.text, scope, name.at)?,
                    self.expression(value, scope)?,
                ),
                tree::SetItem::Update(name, value) => SetItem::Update(
                    self.variable(&name.text, scope, name.at)?,
                    self.expression(value, scope)?,
                ),
                tree::SetItem::Labels(name, labels) => SetItem::AddLabels(
                    self.variable(&name.text, scope, name.at)?,
                    self.written_labels(labels, name.at, scope)?,
                ),
            })
        });
        items.collect()
    }

    pub(super) fn remove_items(
        &mut self,
        items: &[RemoveItem],
        scope: &Scope,
    ) -> Result<Vec<SetItem>, PlanError> {
        let items = items.iter().map(|item| {
            Ok(match item {
                RemoveItem::Property(target) => {
                    self.property_item(target, Expression::NULL, scope)?
                }
                RemoveItem::Labels(name, labels) => SetItem::RemoveLabels(
                    self.variable(&name.text, scope, name.at)?,
                    self.written_labels(labels, name.at, scope)?,
                ),
            })
        });
        items.collect()
    }

    /// A property that is set: the last step of an access.
    fn property_item(
        &mut self,
        target: &tree::Expression,
        value: Expression,
        scope: &Scope,
    ) -> Result<SetItem, PlanError> {
        let (of, last) = match self.expression(target, scope)? {
            Expression::Access(of, mut steps) => match (steps.pop(), steps.is_empty()) {
                (last, true) => (*of, last),
                (last, false) => (Expression::Access(of, steps), last),
            },
            of => (of, None),
        };
        match last {
            Some(Step::Property(key)) => Ok(SetItem::Property(of, key, value)),
            Some(Step::Index(key)) => Ok(SetItem::Computed(of, key, value)),
            _ => {
                let message = "only a property of a node or relationship can be set";
                Err(PlanError::syntax("UnexpectedSyntax", target.at, message))
            }
        }
    }

    pub(super) fn foreach(
        &mut self,
        foreach: &tree::Foreach,
        input: Plan,
        scope: &Scope,
    ) -> Result<Plan, PlanError> {
        let list = self.expression(&foreach.list, scope)?;
        let (variable, mut inner_scope) = self.local(&foreach.variable, scope);
        let mut inner = Plan::argument();
        for clause in &foreach.updates {
            inner = self.clause(clause, inner, &mut inner_scope, false)?.0;
        }
        Ok(input.with(Operator::Foreach {
            list,
            variable,
            inner: Box::new(inner),
        }))
    }

    fn written_labels(
        &mut self,
        labels: &tree::StatementLabels,
        at: tree::Span,
        scope: &Scope,
    ) -> Result<Vec<WrittenLabel>, PlanError> {
        let message = "labels and types that are written are names, as in `:A:B`";
        let refused = || PlanError::syntax("UnexpectedSyntax", at, message);
        let parts = labels.all().ok_or_else(refused)?.into_iter();
        let parts = parts.map(|part| match part {
            tree::Labels::Name(name) => Ok(WrittenLabel::Name(text(name))),
            tree::Labels::Computed(computed) if !computed.any => {
                let names = self.expression(&computed.names, scope)?;
                Ok(WrittenLabel::Computed(names))
            }
            _ => Err(refused()),
        });
        parts.collect()
    }
}
