//! Statements that read and write files.

use std::fmt::{self, Display, Formatter};

use super::{Separated, optional};
use crate::tree::{CopyFrom, CopyOption, CopyTo};

impl Display for CopyFrom {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "COPY {} FROM {}", self.name, self.file)?;
        options(f, &self.options)
    }
}

impl Display for CopyTo {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "COPY ({}) TO {}", self.query, self.file)?;
        options(f, &self.options)
    }
}

fn options(f: &mut Formatter<'_>, options: &[CopyOption]) -> fmt::Result {
    match options.is_empty() {
        true => Ok(()),
        false => write!(f, " ({})", Separated(options, ", ")),
    }
}

impl Display for CopyOption {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)?;
        optional(f, " = ", self.value.as_ref())
    }
}
