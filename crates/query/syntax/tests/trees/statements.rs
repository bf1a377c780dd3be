//! Statements.

use evergraph_syntax::tree::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::{expression, map, name, of, path, small, written_labels};

pub fn statement() -> impl Strategy<Value = Statement> {
    let modes = vec![Mode::Execute, Mode::Explain, Mode::Profile];
    let body = prop_oneof![
        6 => query().prop_map(Body::Query),
        1 => command().prop_map(|command| Body::Command(Box::new(command))),
    ];
    let options = vec![
        ("runtime", "slotted"),
        ("Planner", "COST"),
        ("replan", "force"),
    ];
    let options = prop::sample::subsequence(options, 0..3).prop_map(|options| {
        let option = |(name, value): (&str, &str)| StatementOption {
            name: Name::new(name),
            value: Name::new(value),
        };
        options.into_iter().map(option).collect()
    });
    let parts = (options, prop::sample::select(modes), body);
    parts.prop_map(|(options, mode, body)| Statement {
        options,
        mode,
        body,
        at: Span::default(),
    })
}

fn query() -> BoxedStrategy<Query> {
    let leaf = union(clause(), 3).boxed();
    leaf.prop_recursive(2, 4, 2, |inner| {
        let imports = prop_oneof![
            Just(Imports::ByWith),
            Just(Imports::All),
            vec(name(), 0..3).prop_map(Imports::Names),
        ];
        let call = (any::<bool>(), imports, inner.clone(), transactions());
        let call = call.prop_map(|(optional, imports, query, transactions)| {
            kind(ClauseKind::Subquery(CallSubquery {
                optional,
                imports,
                query,
                transactions,
            }))
        });
        let exists = inner.prop_map(|query| {
            let value = of(Node::Subquery(SubqueryKind::Exists, Box::new(query)));
            kind(ClauseKind::Unwind(value, Name::new("x")))
        });
        union(
            prop_oneof![3 => clause(), 1 => call, 1 => exists].boxed(),
            3,
        )
    })
    .boxed()
}

fn transactions() -> impl Strategy<Value = Option<InTransactions>> {
    let errors = prop::sample::select(OnError::ALL.to_vec());
    let most = small().prop_map(Concurrency::Most);
    let concurrency = option::of(prop_oneof![Just(Concurrency::Any), most]);
    let parts = (concurrency, option::of(small()), errors, option::of(name()));
    let found = parts.prop_map(|(concurrency, rows, on_error, status)| InTransactions {
        concurrency,
        rows,
        on_error,
        status,
        at: Span::default(),
    });
    option::weighted(0.3, found)
}

fn union(clause: BoxedStrategy<Clause>, most: usize) -> BoxedStrategy<Query> {
    let returned = option::of(projection().prop_map(ClauseKind::Return).prop_map(kind));
    let single = (vec(clause, 1..most), returned).prop_map(|(mut clauses, returned)| {
        clauses.extend(returned);
        SingleQuery {
            clauses,
            at: Span::default(),
        }
    });
    let parts = (
        option::weighted(0.1, small()),
        vec(single, 1..3),
        any::<bool>(),
    );
    parts
        .prop_map(|(as_of, parts, all)| {
            let union = Union {
                all,
                at: Span::default(),
            };
            Query {
                as_of,
                unions: vec![union; parts.len() - 1],
                parts,
            }
        })
        .boxed()
}

fn kind(kind: ClauseKind) -> Clause {
    Clause {
        kind,
        at: Span::default(),
    }
}

fn projection() -> impl Strategy<Value = Projection> {
    let item = (small(), option::of(name())).prop_map(|(value, alias)| Item {
        value,
        alias,
        written: "".into(),
    });
    let sort = (small(), any::<bool>());
    let sort = sort.prop_map(|(key, descending)| SortItem { key, descending });
    let parts = (
        any::<bool>(),
        any::<bool>(),
        vec(item, 1..3),
        vec(sort, 0..3),
        option::of(small()),
        option::of(small()),
    );
    parts.prop_map(|(distinct, all, items, order, skip, limit)| Projection {
        distinct,
        all,
        items,
        order,
        skip,
        limit,
        filter: None,
        is_let: false,
    })
}

/// `LET a = b`
fn definitions() -> impl Strategy<Value = ClauseKind> {
    let item = (small(), name()).prop_map(|(value, alias)| Item {
        value,
        alias: Some(alias),
        written: "".into(),
    });
    vec(item, 1..3).prop_map(|items| {
        ClauseKind::With(Projection {
            distinct: false,
            all: true,
            items,
            order: Vec::new(),
            skip: None,
            limit: None,
            filter: None,
            is_let: true,
        })
    })
}

fn property() -> impl Strategy<Value = Expression> {
    (name(), vec(name(), 1..3)).prop_map(|(variable, steps)| {
        let base = Box::new(of(Node::Variable(variable.text)));
        of(Node::Access(
            base,
            steps.into_iter().map(Access::Property).collect(),
        ))
    })
}

fn set_item() -> impl Strategy<Value = SetItem> {
    prop_oneof![
        (property(), small()).prop_map(|(property, value)| SetItem::Property(property, value)),
        (name(), small()).prop_map(|(name, value)| SetItem::Replace(name, value)),
        (name(), small()).prop_map(|(name, value)| SetItem::Update(name, value)),
        (name(), written_labels()).prop_map(|(name, labels)| SetItem::Labels(name, labels)),
    ]
}

fn update() -> BoxedStrategy<Clause> {
    let removed = prop_oneof![
        property().prop_map(RemoveItem::Property),
        (name(), written_labels()).prop_map(|(name, labels)| RemoveItem::Labels(name, labels)),
    ];
    let action = (any::<bool>(), vec(set_item(), 1..3));
    let action = action.prop_map(|(on_create, items)| MergeAction { on_create, items });
    let deleted = (any::<bool>(), vec(small(), 1..3));
    let written = || {
        path(small()).prop_map(|path| PathPattern {
            selector: Selector::All,
            mode: PathMode::Trail,
            ..path
        })
    };
    prop_oneof![
        vec(written(), 1..3).prop_map(ClauseKind::Create),
        (written(), vec(action, 0..3))
            .prop_map(|(pattern, actions)| ClauseKind::Merge(pattern, actions)),
        vec(set_item(), 1..3).prop_map(ClauseKind::Set),
        vec(removed, 1..3).prop_map(ClauseKind::Remove),
        deleted.prop_map(|(detach, items)| ClauseKind::Delete(Delete { detach, items })),
    ]
    .prop_map(kind)
    .boxed()
}

fn yielded() -> impl Strategy<Value = YieldItem> {
    (name(), option::of(name())).prop_map(|(name, alias)| YieldItem { name, alias })
}

fn hint() -> impl Strategy<Value = Hint> {
    let access = (name(), name(), vec(name(), 0..3));
    prop_oneof![
        access.prop_map(|(variable, label, keys)| Hint::Access(AccessHint {
            variable,
            label,
            keys,
            at: Span::default(),
        })),
        vec(name(), 1..3).prop_map(|names| Hint::Join(names, Span::default())),
    ]
}

fn clause() -> BoxedStrategy<Clause> {
    let filter = option::weighted(0.3, small());
    let matched = (
        any::<(bool, bool)>(),
        vec(path(small()), 1..3),
        option::weighted(0.1, small()),
        vec(hint(), 0..2),
        filter.clone(),
    );
    let matched = matched.prop_map(
        |((optional, repeatable), mut patterns, as_of, hints, filter)| {
            for path in patterns.iter_mut().filter(|_| repeatable) {
                // No mode can be written there.
                if let Selector::ShortestPath | Selector::AllShortestPaths = path.selector {
                    path.mode = PathMode::unwritten(repeatable);
                }
            }
            Match {
                optional,
                repeatable,
                patterns,
                as_of,
                hints,
                filter,
            }
        },
    );
    let with = (projection(), filter.clone()).prop_map(|(projection, filter)| {
        ClauseKind::With(Projection {
            filter,
            ..projection
        })
    });
    let foreach = (name(), small(), vec(update(), 1..3));
    let foreach = foreach.prop_map(|(variable, list, updates)| {
        ClauseKind::Foreach(Foreach {
            variable,
            list,
            updates,
        })
    });
    let results = prop_oneof![
        Just(Yield::All),
        (vec(yielded(), 1..3), filter).prop_map(|(items, filter)| Yield::Items(items, filter)),
    ];
    let call = (
        any::<bool>(),
        vec(name(), 1..4),
        option::of(vec(small(), 0..3)),
        option::of(results),
    );
    let call = call.prop_map(|(optional, name, arguments, results)| {
        let at = Span::default();
        ClauseKind::Call(Call {
            optional,
            name,
            arguments,
            results,
            at,
        })
    });
    let terminators = prop::sample::select(b";|\t'\\ ".to_vec());
    let load = (any::<bool>(), expression(), name(), option::of(terminators));
    let load = load.prop_map(|(headers, source, variable, terminator)| {
        ClauseKind::LoadCsv(LoadCsv {
            headers,
            source,
            variable,
            terminator,
        })
    });
    prop_oneof![
        3 => matched.prop_map(ClauseKind::Match).prop_map(kind),
        1 => load.prop_map(kind),
        1 => (expression(), name())
            .prop_map(|(list, variable)| kind(ClauseKind::Unwind(list, variable))),
        1 => with.prop_map(kind),
        1 => definitions().prop_map(kind),
        1 => foreach.prop_map(kind),
        1 => call.prop_map(kind),
        3 => update(),
    ]
    .boxed()
}

fn definition_name() -> impl Strategy<Value = DefinitionName> {
    prop_oneof![
        4 => name().prop_map(DefinitionName::Written),
        1 => name().prop_map(DefinitionName::Parameter),
    ]
}

fn command() -> impl Strategy<Value = Command> {
    let options = || option::of(map(&small()));
    let subject = |most: usize| {
        let parts = (any::<bool>(), name(), vec(name(), 1..most));
        parts.prop_map(|(of_relationships, variable, labels)| Subject {
            of_relationships,
            variable,
            labels,
        })
    };
    let index = prop_oneof![
        (Just(IndexKind::Range), subject(2)),
        (Just(IndexKind::Vector), subject(2)),
        (Just(IndexKind::FullText), subject(4)),
    ];
    let index = (
        index,
        option::of(definition_name()),
        any::<bool>(),
        vec(name(), 1..3),
        options(),
    );
    let required = prop_oneof![
        Just(Requirement::Unique),
        Just(Requirement::NotNull),
        Just(Requirement::Key),
        super::data_type().prop_map(|of| Requirement::Type(of, Span::default())),
    ];
    let constraint = (
        option::of(definition_name()),
        any::<bool>(),
        subject(2),
        vec(name(), 1..3),
        required,
        options(),
    );
    let only = |of_relationships, rule| {
        Listing::Constraints(ConstraintFilter {
            of_relationships,
            rule,
        })
    };
    let listings = vec![
        Listing::Indexes(None),
        Listing::Indexes(Some("RANGE")),
        Listing::Indexes(Some("LOOKUP")),
        Listing::Constraints(ConstraintFilter::ALL),
        only(Some(false), Some(ConstraintRule::Key)),
        only(Some(true), Some(ConstraintRule::Type)),
        only(None, Some(ConstraintRule::Unique)),
        only(Some(true), Some(ConstraintRule::Exists)),
        Listing::Procedures,
        Listing::Functions,
        Listing::Transactions,
    ];
    let shown = (
        prop::sample::select(listings),
        option::of((projection(), option::of(small()), option::of(projection()))),
        option::of(small()),
    );
    let copied = || {
        let option = (name(), option::of(small()));
        vec(
            option.prop_map(|(name, value)| CopyOption { name, value }),
            0..3,
        )
    };
    prop_oneof![
        index.prop_map(
            |((kind, subject), name, if_not_exists, properties, options)| {
                let index = CreateIndex {
                    kind,
                    name,
                    if_not_exists,
                    subject,
                    properties,
                    options,
                };
                Command::CreateIndex(index)
            }
        ),
        constraint.prop_map(
            |(name, if_not_exists, subject, mut properties, requirement, options)| {
                if matches!(requirement, Requirement::NotNull | Requirement::Type(..)) {
                    properties.truncate(1);
                }
                let made = CreateConstraint {
                    name,
                    if_not_exists,
                    subject,
                    properties,
                    requirement,
                    options,
                };
                Command::CreateConstraint(made)
            }
        ),
        (any::<bool>(), definition_name(), any::<bool>()).prop_map(
            |(is_constraint, name, if_exists)| {
                Command::Drop(Drop {
                    is_constraint,
                    name,
                    if_exists,
                })
            }
        ),
        shown.prop_map(|(listing, yielded, filter)| {
            let (yielded, filter, returned) = match yielded {
                Some((columns, filter, returned)) => {
                    (Some(Projection { filter, ..columns }), None, returned)
                }
                None => (None, filter, None),
            };
            Command::Show(Box::new(Show {
                listing,
                yielded,
                filter,
                returned,
            }))
        }),
        (name(), file(), copied()).prop_map(|(name, file, options)| {
            Command::CopyFrom(CopyFrom {
                name,
                file,
                options,
            })
        }),
        (query(), file(), copied()).prop_map(|(query, file, options)| Command::CopyTo(CopyTo {
            query,
            at: Span::default(),
            file,
            options
        })),
    ]
}

fn file() -> impl Strategy<Value = Expression> {
    let text = "[a-z.']{1,8}";
    prop_oneof![
        text.prop_map(|text| of(Node::Text(text))),
        Just(of(Node::Parameter("file".to_string()))),
    ]
}
