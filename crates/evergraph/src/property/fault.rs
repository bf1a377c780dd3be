//! Rows that are left out.

use std::sync::Arc;

/// Why a row is left out, and the column that says so.
#[derive(Debug)]
pub(super) struct Why {
    pub fault: Fault,
    pub column: Option<Arc<str>>,
    pub problem: String,
}

/// Which policy is about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// None: it is wrong.
    Bad,
    /// Its id or key is that of a row before it.
    Duplicate,
    /// A relationship one end of which is not there.
    Dangling,
}

impl Why {
    /// Of the row as a whole.
    pub fn of_row(problem: String) -> Self {
        Why {
            fault: Fault::Bad,
            column: None,
            problem,
        }
    }

    pub fn of_column(column: &Arc<str>, problem: String) -> Self {
        Why {
            column: Some(Arc::clone(column)),
            ..Why::of_row(problem)
        }
    }

    pub fn dangling(problem: String) -> Self {
        Why {
            fault: Fault::Dangling,
            ..Why::of_row(problem)
        }
    }
}
