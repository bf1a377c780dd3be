//! Columns of a table that the caller chooses.

/// A column of an `edgelist` or `csv` file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// The column at this index, from 0.
    Index(usize),
    /// The column with this name in the header line.
    Name(String),
}

/// Columns to read; `None` leaves the choice to names in the header and to the usual
/// order `source target [weight] [time]`.
///
/// With four or more columns and both or only one of weight and time wanted,
/// the third is the weight and the fourth the time, unless the first edge has
/// a time in the third and none in the fourth. A chosen weight or time is read
/// without [`Options::weighted`](super::Options::weighted) or [`Options::timestamps`](super::Options::timestamps).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnChoice {
    /// Column of the source.
    pub source: Option<Column>,
    /// Column of the target.
    pub target: Option<Column>,
    /// Its weight.
    pub weight: Option<Column>,
    /// Its time.
    pub timestamp: Option<Column>,
}

impl ColumnChoice {
    pub(super) fn by_name(&self) -> bool {
        [&self.source, &self.target, &self.weight, &self.timestamp]
            .into_iter()
            .any(|column| matches!(column, Some(Column::Name(_))))
    }
}
