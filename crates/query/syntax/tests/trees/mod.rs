//! Random trees: expressions and patterns.

mod statements;

use evergraph_syntax::tree::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
pub use statements::statement;

fn at<T>(node: T) -> (T, Span) {
    (node, Span::default())
}

fn of(node: Node) -> Expression {
    let (node, at) = at(node);
    Expression { node, at }
}

pub fn name() -> impl Strategy<Value = Name> {
    let text = prop_oneof![
        6 => "[a-e]",
        1 => "[A-Za-zäß_][a-z0-9_]{0,4}",
        1 => prop::sample::select(vec![
            "where", "all", "count", "end", "odd name", "`", "", "null", "exists", "in", "is",
            "from", "to", "if", "for", "shortest", "1a", "distinct", "😀",
        ]).prop_map(str::to_string),
    ];
    text.prop_map(Name::new)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,3}",
        ".{0,4}",
        Just("'\\\"\n\t\r\u{8}\u{7f}`".to_string())
    ]
}

fn leaf() -> impl Strategy<Value = Expression> {
    prop_oneof![
        Just(Node::Null),
        any::<bool>().prop_map(Node::Boolean),
        (-3_i64..9).prop_map(Node::Integer),
        any::<i64>().prop_map(Node::Integer),
        Just(Node::Integer(i64::MIN)),
        (-9_i32..9).prop_map(|number| Node::Float(f64::from(number) / 4.0)),
        any::<f64>()
            .prop_filter("a literal", |number| number.is_finite())
            .prop_map(Node::Float),
        text().prop_map(Node::Text),
        name().prop_map(|name| Node::Parameter(name.text)),
        name().prop_map(|name| Node::Variable(name.text)),
        name().prop_map(|name| Node::Variable(name.text)),
        Just(Node::CountAll),
    ]
    .prop_map(of)
}

type Inner = BoxedStrategy<Expression>;

pub fn expression() -> Inner {
    leaf()
        .prop_recursive(4, 40, 4, |inner| compound(inner.boxed()))
        .boxed()
}

/// Small ones, for what has many.
fn small() -> Inner {
    leaf()
        .prop_recursive(2, 8, 3, |inner| operators(inner.boxed()))
        .boxed()
}

fn two(inner: &Inner) -> impl Strategy<Value = Box<(Expression, Expression)>> + use<> {
    (inner.clone(), inner.clone()).prop_map(Box::new)
}

fn operators(inner: Inner) -> Inner {
    let parts = vec(inner.clone(), 2..4);
    let boxed = inner.clone().prop_map(Box::new);
    let levels = [
        vec![Operator::Add, Operator::Subtract, Operator::Concatenate],
        vec![Operator::Multiply, Operator::Divide, Operator::Modulo],
        vec![Operator::Power],
    ];
    let arithmetic = prop::sample::select(levels.to_vec()).prop_flat_map({
        let inner = inner.clone();
        move |level| {
            let others = vec((prop::sample::select(level), inner.clone()), 1..3);
            (inner.clone().prop_map(Box::new), others)
        }
    });
    let comparisons = vec![
        Comparison::Equal,
        Comparison::Unequal,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ];
    let compared = vec((prop::sample::select(comparisons), inner.clone()), 1..3);
    let tests = vec![
        TextTest::StartsWith,
        TextTest::EndsWith,
        TextTest::Contains,
        TextTest::Matches,
    ];
    let step = prop_oneof![
        name().prop_map(Access::Property),
        inner.clone().prop_map(Access::Index),
        (option::of(inner.clone()), option::of(inner.clone()))
            .prop_map(|(from, to)| Access::Slice(from, to)),
    ];
    prop_oneof![
        parts.clone().prop_map(Node::And),
        parts.clone().prop_map(Node::Or),
        parts.prop_map(Node::Xor),
        boxed.clone().prop_map(Node::Not),
        boxed.clone().prop_map(Node::Negative),
        boxed.clone().prop_map(Node::Positive),
        boxed.clone().prop_map(Node::IsNull),
        boxed.clone().prop_map(Node::IsNotNull),
        (boxed.clone(), labels()).prop_map(|(part, labels)| Node::Labelled(part, labels)),
        (
            prop::sample::select(vec![Typing::Is, Typing::Cast]),
            boxed.clone(),
            data_type()
        )
            .prop_map(|(typing, part, to)| Node::Typed(typing, part, to)),
        arithmetic.prop_map(|(first, others)| Node::Arithmetic(first, others)),
        (boxed.clone(), compared).prop_map(|(first, others)| Node::Comparison(first, others)),
        (prop::sample::select(tests), two(&inner))
            .prop_map(|(test, sides)| Node::Tested(test, sides)),
        two(&inner).prop_map(Node::In),
        (boxed, vec(step, 1..3)).prop_map(|(base, steps)| Node::Access(base, steps)),
        vec(inner, 0..3).prop_map(Node::List),
    ]
    // An access of an access is one of more steps.
    .prop_map(|node| match node {
        Node::Access(base, steps) if matches!(base.node, Node::Access(..)) => {
            let Node::Access(base, mut first) = base.node else {
                return Node::Null;
            };
            first.extend(steps);
            Node::Access(base, first)
        }
        node => node,
    })
    .prop_map(of)
    .boxed()
}

fn map(inner: &Inner) -> impl Strategy<Value = Map> + use<> {
    vec((name(), inner.clone()), 0..3).prop_map(|entries| Map { entries })
}

fn function() -> impl Strategy<Value = Vec<Name>> {
    // Words that take more than expressions.
    let special = ["reduce", "shortestpath", "allshortestpaths", "cast"];
    let plain = name().prop_filter("a function", move |name| {
        !special
            .iter()
            .any(|word| name.text.eq_ignore_ascii_case(word))
    });
    vec(plain, 1..3)
}

fn compound(inner: Inner) -> Inner {
    let some = option::of(inner.clone());
    let quantities = vec![
        Quantity::All,
        Quantity::Any,
        Quantity::None,
        Quantity::Single,
    ];
    let item = prop_oneof![
        Just(MapItem::All),
        name().prop_map(MapItem::Property),
        name().prop_map(MapItem::Variable),
        (name(), inner.clone()).prop_map(|(key, value)| MapItem::Entry(key, value)),
    ];
    let case = (any::<bool>(), inner.clone()).prop_flat_map({
        let inner = inner.clone();
        move |(is_simple, operand)| {
            let most = if is_simple { 3 } else { 2 };
            let value = inner.clone().prop_map(When::Value);
            let when = match is_simple {
                true => prop_oneof![1 => value, 2 => operand_test(&inner)].boxed(),
                false => value.boxed(),
            };
            let branch = (vec(when, 1..most), inner.clone());
            let branches = vec(branch.prop_map(|(when, then)| Branch { when, then }), 1..3);
            (
                Just(is_simple.then_some(operand)),
                branches,
                option::of(inner.clone()),
            )
        }
    });
    let kinds = vec![
        SubqueryKind::Exists,
        SubqueryKind::Count,
        SubqueryKind::Collect,
    ];
    let found = vec(path(small()), 1..3);
    let list = (name(), inner.clone(), some.clone(), some.clone());
    let reduce = (name(), inner.clone(), name(), inner.clone(), inner.clone());
    prop_oneof![
        8 => operators(inner.clone()),
        1 => map(&inner).prop_map(|map| of(Node::Map(map))),
        1 => (function(), any::<bool>(), vec(inner.clone(), 0..3)).prop_map(
            |(name, distinct, arguments)| {
                let distinct = distinct && !arguments.is_empty();
                of(Node::Call(Box::new(FunctionCall { name, distinct, arguments })))
            }
        ),
        1 => case.prop_map(|(operand, branches, otherwise)| {
            of(Node::Case(Box::new(Case { operand, branches, otherwise })))
        }),
        1 => list.prop_map(|(variable, list, filter, value)| {
            let part = ListComprehension { variable, list, filter, value };
            of(Node::ListComprehension(Box::new(part)))
        }),
        1 => (simple_path(small()), some.clone(), inner.clone()).prop_map(
            |(pattern, filter, value)| {
                let part = PatternComprehension { pattern, filter, value };
                of(Node::PatternComprehension(Box::new(part)))
            }
        ),
        1 => (prop::sample::select(quantities), name(), inner.clone(), inner.clone()).prop_map(
            |(quantity, variable, list, filter)| {
                let part = Quantified { quantity, variable, list, filter };
                of(Node::Quantified(Box::new(part)))
            }
        ),
        1 => reduce.prop_map(|(accumulator, initial, mut variable, list, step)| {
            if variable == accumulator {
                variable.text.push('2');
            }
            let part = Reduce { accumulator, initial, variable, list, step };
            of(Node::Reduce(Box::new(part)))
        }),
        1 => (name(), vec(item, 0..3)).prop_map(|(variable, items)| {
            of(Node::MapProjection(Box::new(MapProjection { variable, items })))
        }),
        1 => (prop::sample::select(kinds), found, some).prop_map(|(kind, patterns, filter)| {
            let part = PatternSubquery { patterns, filter };
            of(Node::PatternSubquery(kind, Box::new(part)))
        }),
        1 => simple_path(small()).prop_map(|mut pattern| {
            pattern.variable = None;
            of(Node::Pattern(Box::new(pattern)))
        }),
    ]
    .boxed()
}

/// A test of the operand of a case.
fn operand_test(inner: &Inner) -> impl Strategy<Value = When> + use<> {
    let comparisons = vec![Comparison::Equal, Comparison::Less];
    let tests = vec![TextTest::StartsWith, TextTest::Matches];
    let predicate = prop_oneof![
        Just(Predicate::Null),
        data_type().prop_map(Predicate::Typed),
        Just(Predicate::Normalized("NFKC")),
    ];
    prop_oneof![
        (prop::sample::select(comparisons), inner.clone())
            .prop_map(|(comparison, value)| When::Compared(comparison, value)),
        (prop::sample::select(tests), inner.clone())
            .prop_map(|(test, value)| When::Tested(test, value)),
        inner.clone().prop_map(When::In),
        (any::<bool>(), predicate).prop_map(|(not, what)| When::Is { not, what }),
    ]
}

pub fn data_type() -> impl Strategy<Value = DataType> {
    let types = vec![
        Types::ANY,
        Types::BOOLEAN,
        Types::LOCAL_DATETIME,
        Types::LIST,
        Types::NULL,
        Types::NONE,
        Types::NODE,
    ];
    let leaf = (prop::sample::select(types), any::<bool>())
        .prop_map(|(types, not_null)| DataType::of(types, not_null));
    let property_value = any::<bool>().prop_map(|not_null| DataType {
        any_of: vec![OneType::property_value(not_null)],
    });
    let leaf = prop_oneof![7 => leaf, 1 => property_value];
    leaf.prop_recursive(3, 6, 3, |inner| {
        prop_oneof![
            (inner.clone(), any::<bool>()).prop_map(|(element, not_null)| DataType {
                any_of: vec![OneType {
                    types: Types::LIST,
                    element: Some(Box::new(element)),
                    not_null,
                }],
            }),
            (vec(inner, 2..4), any::<bool>()).prop_map(|(parts, not_null)| DataType {
                any_of: parts
                    .into_iter()
                    .flat_map(|part| part.any_of)
                    .map(|one| OneType { not_null, ..one })
                    .collect(),
            }),
        ]
    })
}

fn computed_labels() -> impl Strategy<Value = StatementLabels> {
    (any::<bool>(), leaf()).prop_map(|(any, names)| {
        let names = Box::new(names);
        Labels::Computed(Computed { any, names })
    })
}

/// Labels that are set or removed.
fn written_labels() -> impl Strategy<Value = StatementLabels> {
    let label = prop_oneof![4 => name().prop_map(Labels::Name), 1 => computed_labels()];
    vec(label, 1..4).prop_map(|mut labels| match labels.len() {
        1 => labels.remove(0),
        _ => Labels::And(labels),
    })
}

fn labels() -> impl Strategy<Value = StatementLabels> {
    let computed = computed_labels();
    let leaf = prop_oneof![
        4 => name().prop_map(Labels::Name),
        1 => Just(Labels::Any),
        1 => computed,
    ];
    leaf.prop_recursive(3, 6, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|part| Labels::Not(Box::new(part))),
            vec(inner.clone(), 2..4).prop_map(Labels::And),
            vec(inner, 2..4).prop_map(Labels::Or),
        ]
    })
}

fn properties(inner: &Inner) -> impl Strategy<Value = Option<Properties>> + use<> {
    option::weighted(
        0.3,
        prop_oneof![
            map(inner).prop_map(Properties::Map),
            name().prop_map(Properties::Parameter),
        ],
    )
}

fn quantifier() -> impl Strategy<Value = Option<Quantifier>> {
    let one = (0..3_u64, option::of(0..4_u64)).prop_map(|(least, more)| Quantifier {
        least,
        most: more.map(|more| (least + more).max(1)),
    });
    option::weighted(0.2, one)
}

fn node(inner: &Inner) -> impl Strategy<Value = Factor> + use<> {
    let filter = option::weighted(0.2, inner.clone());
    let parts = (
        option::of(name()),
        option::weighted(0.3, labels()),
        properties(inner),
        filter,
    );
    parts.prop_map(|(variable, labels, properties, filter)| {
        let at = Span::default();
        Factor::Node(NodePattern {
            variable,
            labels,
            properties,
            filter,
            at,
        })
    })
}

fn relationship(inner: &Inner, is_quantified: bool) -> impl Strategy<Value = Factor> + use<> {
    let directions = vec![Direction::Left, Direction::Right, Direction::Either];
    let length = (option::of(0..9_u64), option::of(0..9_u64));
    let length = length.prop_map(|(least, most)| Length { least, most });
    let parts = (
        prop::sample::select(directions),
        option::of(name()),
        option::weighted(0.3, labels()),
        option::weighted(0.3, length),
        properties(inner),
        option::weighted(0.2, inner.clone()),
        quantifier(),
    );
    parts.prop_map(
        move |(direction, variable, types, length, properties, filter, quantifier)| {
            Factor::Relationship(Box::new(RelationshipPattern {
                direction,
                variable,
                types,
                length,
                properties,
                filter,
                quantifier: quantifier.filter(|_| is_quantified),
                at: Span::default(),
            }))
        },
    )
}

fn chain(inner: &Inner, is_quantified: bool) -> impl Strategy<Value = Vec<Factor>> + use<> {
    let least = usize::from(!is_quantified);
    let steps = vec((relationship(inner, is_quantified), node(inner)), least..3);
    (node(inner), steps).prop_map(|(first, steps)| {
        let mut factors = vec![first];
        for (relationship, node) in steps {
            factors.extend([relationship, node]);
        }
        factors
    })
}

/// A path as it stands in an expression.
fn simple_path(inner: Inner) -> impl Strategy<Value = PathPattern> {
    (option::weighted(0.3, name()), chain(&inner, false)).prop_map(|(variable, factors)| {
        PathPattern {
            variable,
            selector: Selector::All,
            mode: PathMode::Trail,
            factors,
            at: Span::default(),
        }
    })
}

fn group(inner: &Inner) -> impl Strategy<Value = Factor> + use<> {
    let filter = option::of(inner.clone());
    let parts = (option::of(name()), chain(inner, true), filter, quantifier());
    parts.prop_map(|(variable, factors, filter, quantifier)| {
        let at = Span::default();
        let selector = Selector::All;
        let pattern = PathPattern {
            variable,
            selector,
            mode: PathMode::Trail,
            factors,
            at,
        };
        Factor::Group(Box::new(Group {
            pattern,
            filter,
            quantifier,
            at,
        }))
    })
}

fn path(inner: Inner) -> impl Strategy<Value = PathPattern> {
    let count = prop_oneof![
        (0..9_u64).prop_map(Count::Number),
        name().prop_map(|name| Count::Parameter(name.text)),
    ];
    let selector = prop_oneof![
        6 => Just(Selector::All),
        1 => option::of(count.clone()).prop_map(Selector::Any),
        1 => Just(Selector::AllShortest),
        1 => count.clone().prop_map(Selector::Shortest),
        1 => count.prop_map(Selector::ShortestGroups),
        1 => Just(Selector::ShortestPath),
        1 => Just(Selector::AllShortestPaths),
    ];
    let groups = vec(group(&inner), 0..2);
    let modes = vec![
        PathMode::Trail,
        PathMode::Walk,
        PathMode::Acyclic,
        PathMode::Simple,
    ];
    let parts = (
        option::weighted(0.3, name()),
        selector,
        prop::sample::select(modes),
        chain(&inner, true),
        groups,
    );
    parts.prop_map(|(variable, selector, mode, mut factors, groups)| {
        factors.extend(groups);
        let is_function = matches!(
            selector,
            Selector::ShortestPath | Selector::AllShortestPaths
        );
        let mode = if is_function { PathMode::Trail } else { mode };
        PathPattern {
            variable,
            selector,
            mode,
            factors,
            at: Span::default(),
        }
    })
}
