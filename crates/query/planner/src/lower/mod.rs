//! From the syntax tree to operators: names become slots.

mod call;
mod chain;
mod expression;
mod hint;
mod matches;
mod path;
mod pattern;
mod projection;
mod query;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use evergraph_syntax::tree;

use crate::plan::{Aggregate, Expression, Plan, Slot};
use crate::{Catalog, PlanError, rewrite};

pub use hint::{Hinted, IdleHint};
pub(crate) use pattern::as_label;
pub use pattern::{NodeToFind, Pattern, Predicate, RelationshipToFind, SearchToFind};
pub(crate) use query::elements_of;

/// A query ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedQuery {
    /// Its plan.
    pub plan: Plan,
    /// Its columns in order, by name and slot.
    pub columns: Vec<(String, Slot)>,
    /// Names of the slots, for the printed form.
    pub names: Vec<String>,
    /// The graph that it reads, if not the newest.
    pub as_of: Option<Expression>,
    /// Whether it may write.
    pub writes: bool,
    /// Hints without effect.
    pub idle_hints: Vec<IdleHint>,
}

/// Variables by name.
pub(crate) type Scope = BTreeMap<String, Slot>;

/// Plans a query that has passed the checks of `evergraph_syntax`.
///
/// # Errors
/// Procedures that do not exist or take other arguments; parts of the language that are
/// read but not run.
pub fn plan(query: &tree::Query, catalog: &dyn Catalog) -> Result<PlannedQuery, PlanError> {
    planned(query, catalog, &|plan| rewrite::all(plan, catalog))
}

/// As [`plan`], without the rewrites that only save work.
///
/// # Errors
/// As [`plan`].
pub fn plan_plainly(query: &tree::Query, catalog: &dyn Catalog) -> Result<PlannedQuery, PlanError> {
    planned(query, catalog, &rewrite::needed)
}

fn planned(
    query: &tree::Query,
    catalog: &dyn Catalog,
    rewritten: &dyn Fn(Plan) -> (Plan, bool),
) -> Result<PlannedQuery, PlanError> {
    let mut lowering = Lowering::new(catalog);
    let as_of = lowering.optional(query.as_of.as_ref(), &Scope::new())?;
    let (plan, columns) = lowering.query(query, Plan::argument(), &Scope::new())?;
    let (plan, writes) = rewritten(plan);
    if let Some(at) = lowering.transactions
        && rewrite::writes_beside(&plan)
    {
        let message = "a statement with CALL { ... } IN TRANSACTIONS writes beside it; put all \
                       writes into its subquery, or into statements of their own";
        return Err(PlanError::syntax("InvalidClauseComposition", at, message));
    }
    Ok(PlannedQuery {
        plan,
        columns,
        idle_hints: std::mem::take(&mut lowering.idle_hints),
        names: lowering.all_names(),
        as_of,
        writes,
    })
}

/// The plan of a query before any rewrite, with the names of its slots.
///
/// # Errors
/// As [`plan`].
pub fn lower_only(
    query: &tree::Query,
    catalog: &dyn Catalog,
) -> Result<(Plan, Vec<String>), PlanError> {
    let mut lowering = Lowering::new(catalog);
    let (plan, _) = lowering.query(query, Plan::argument(), &Scope::new())?;
    Ok((plan, lowering.all_names()))
}

/// Expressions whose values are in slots already, by tree.
pub(crate) type Known = Vec<(tree::Expression, Slot)>;

/// Aggregations that are met within an expression, to be computed before it.
pub(crate) struct Aggregates {
    /// Variables that their arguments see.
    scope: Scope,
    /// Those that were met.
    met: Vec<(tree::Expression, Slot, Aggregate)>,
}

pub(crate) struct Lowering<'a> {
    catalog: &'a dyn Catalog,
    names: Vec<String>,
    /// Most slots that were in use at a time.
    width: usize,
    /// Slots in the order in which they were asked for.
    used: Vec<Slot>,
    known: Known,
    /// Paths that the conditions within them see before they are made, and their parts.
    unmade: Vec<(Slot, Vec<Slot>)>,
    /// Slots of nodes that patterns find: they have a node, or null.
    nodes: BTreeSet<Slot>,
    aggregates: Option<Aggregates>,
    /// Slots that variables get which are made.
    given: Scope,
    /// Variables of the query around the one that is lowered: `WITH` drops none of them.
    around: Scope,
    /// Whether a query is within another.
    is_within: bool,
    /// Where the last `IN TRANSACTIONS` stands.
    transactions: Option<tree::Span>,
    idle_hints: Vec<IdleHint>,
    /// The number of the line and the file of the last `LOAD CSV`, up to the next `WITH`.
    line: Option<(Slot, Slot)>,
}

impl<'a> Lowering<'a> {
    fn new(catalog: &'a dyn Catalog) -> Self {
        Lowering {
            catalog,
            names: Vec::new(),
            width: 0,
            used: Vec::new(),
            known: Known::new(),
            unmade: Vec::new(),
            nodes: BTreeSet::new(),
            aggregates: None,
            given: Scope::new(),
            around: Scope::new(),
            is_within: false,
            transactions: None,
            idle_hints: Vec::new(),
            line: None,
        }
    }

    /// A slot of a name.
    fn slot(&mut self, name: &str) -> Slot {
        self.names.push(name.to_string());
        self.names.len() - 1
    }

    /// A slot of a new variable of a scope.
    fn bind(&mut self, name: &str, scope: &mut Scope) -> Slot {
        let slot = self.slot(name);
        scope.insert(name.to_string(), slot);
        slot
    }

    /// As [`Lowering::bind`]; a slot without a name for what has no variable.
    fn bind_or_unnamed(&mut self, variable: Option<&tree::Name>, scope: &mut Scope) -> Slot {
        match variable {
            Some(variable) => self.bind(&variable.text, scope),
            None => self.unnamed(),
        }
    }

    /// Gives slots from one on to other variables again.
    fn reuse_slots(&mut self, from: Slot) {
        self.width = self.width.max(self.names.len());
        self.names.truncate(from);
        self.nodes.retain(|slot| *slot < from);
    }

    /// Names of all slots that were ever in use.
    fn all_names(mut self) -> Vec<String> {
        let width = self.width.max(self.names.len());
        self.names.resize(width, "_".to_string());
        self.names
    }

    /// A slot without a name.
    fn unnamed(&mut self) -> Slot {
        let name = format!("_{}", self.names.len());
        self.slot(&name)
    }

    /// Slot of a variable.
    fn variable(&mut self, name: &str, scope: &Scope, at: tree::Span) -> Result<Slot, PlanError> {
        let Some(&slot) = scope.get(name) else {
            let message = format!("variable `{name}` is not defined");
            return Err(PlanError::syntax("UndefinedVariable", at, message));
        };
        self.used.push(slot);
        Ok(slot)
    }

    /// The value of a variable: of a path that is being found, of its parts.
    fn variable_value(
        &mut self,
        name: &str,
        scope: &Scope,
        at: tree::Span,
    ) -> Result<Expression, PlanError> {
        let slot = self.variable(name, scope, at)?;
        let Some((_, parts)) = self.unmade.iter().find(|(path, _)| *path == slot) else {
            return Ok(Expression::Slot(slot));
        };
        self.used.pop();
        self.used.extend(parts);
        Ok(Expression::Path(parts.clone()))
    }

    /// Calls `lower`, and returns the slots of before that it uses, too.
    fn traced<T>(
        &mut self,
        lower: impl FnOnce(&mut Self) -> Result<T, PlanError>,
    ) -> Result<(T, Vec<Slot>), PlanError> {
        let (mark, bound) = (self.used.len(), self.names.len());
        let made = lower(self)?;
        let mut slots: Vec<Slot> = self.used[mark..].to_vec();
        slots.retain(|&slot| slot < bound);
        slots.sort_unstable();
        slots.dedup();
        Ok((made, slots))
    }

    /// Calls `lower` where aggregations and known expressions do not count.
    fn apart<T>(
        &mut self,
        lower: impl FnOnce(&mut Self) -> Result<T, PlanError>,
    ) -> Result<T, PlanError> {
        let known = std::mem::take(&mut self.known);
        let aggregates = self.aggregates.take();
        let made = lower(self);
        self.known = known;
        self.aggregates = aggregates;
        made
    }
}

/// Slots of the variables that have come into a scope.
fn new_slots(before: &Scope, after: &Scope) -> Vec<Slot> {
    let new = after.iter().filter(|(name, _)| !before.contains_key(*name));
    new.map(|(_, &slot)| slot).collect()
}

fn text(name: &tree::Name) -> Arc<str> {
    name.text.as_str().into()
}
