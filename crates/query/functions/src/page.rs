//! The page of the documentation that lists the functions.

use std::fmt::Write;

use crate::functions::{Category, Function, OnNull, all};

const HEAD: &str = "# Functions

Generated from the definitions in `crates/query/functions`, whose examples are run as tests. \
`SHOW FUNCTIONS` lists the same.

Names are written in any case. An argument with `?` may be left out, one with `...` may be \
there any number of times. A null among the arguments gives null, unless the table says *null*: \
then the description says what it gives. Functions of rows leave nulls out, and take \
`DISTINCT`. In examples `n` is `(:Person {name: 'Ann'})`, `r` a relationship of type `KNOWS` \
from it, and `p` the path along it.
";

/// The text of `docs/functions.md`.
pub fn functions_page() -> String {
    let mut page = HEAD.to_string();
    let mut before = None;
    for function in all() {
        if before != Some(function.category) {
            before = Some(function.category);
            let title = title(function.category);
            page.push_str(&format!(
                "\n## {title}\n\n| Function | Gives | Example |\n|---|---|---|\n"
            ));
        }
        push_row(function, &mut page);
    }
    page
}

fn push_row(function: &Function, page: &mut String) {
    let null = match function.on_null {
        OnNull::Handled => " *null*",
        OnNull::Null | OnNull::Ignored => "",
    };
    let (call, value) = function.example;
    // A bar would end the cell.
    let cell = |text: &str| text.replace('|', "\\|");
    let written = writeln!(
        page,
        "| `{}`{null} | {} | `{}` is `{}` |",
        cell(&function.signature.to_string()),
        cell(function.description),
        cell(call),
        cell(value)
    );
    debug_assert!(written.is_ok());
}

fn title(category: Category) -> &'static str {
    match category {
        Category::Scalar => "Any values",
        Category::Graph => "Nodes, relationships, paths",
        Category::List => "Lists",
        Category::Mathematical => "Numbers",
        Category::String => "Texts",
        Category::Temporal => "Dates, times, durations",
        Category::Spatial => "Points",
        Category::Vector => "Vectors",
        Category::Aggregating => "Rows",
    }
}
