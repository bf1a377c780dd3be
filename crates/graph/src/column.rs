//! Columns: arrays of numbers, one for each vertex or of any other length, with
//! their type known at run time. What kernels offer to be kept, and results
//! consist of.

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnKind {
    /// Bytes; truth values as 0 and 1.
    U8,
    /// Vertices, depths, labels.
    U32,
    /// Counts.
    U64,
    /// Scores of 32 bits.
    F32,
    /// Scores of 64 bits.
    F64,
}

impl ColumnKind {
    /// All kinds, in the order of their numbers in stored results.
    pub const ALL: [ColumnKind; 5] = [
        ColumnKind::U8,
        ColumnKind::U32,
        ColumnKind::U64,
        ColumnKind::F32,
        ColumnKind::F64,
    ];

    /// Bytes of a value.
    pub fn value_bytes(self) -> usize {
        match self {
            ColumnKind::U8 => 1,
            ColumnKind::U32 | ColumnKind::F32 => 4,
            ColumnKind::U64 | ColumnKind::F64 => 8,
        }
    }

    /// As in Rust.
    pub fn name(self) -> &'static str {
        match self {
            ColumnKind::U8 => "u8",
            ColumnKind::U32 => "u32",
            ColumnKind::U64 => "u64",
            ColumnKind::F32 => "f32",
            ColumnKind::F64 => "f64",
        }
    }
}

/// A number that columns consist of.
pub trait ColumnValue: Copy + Send + Sync + 'static {
    /// The values as a column.
    fn column(values: &[Self]) -> Column<'_>;

    /// The values of a column.
    ///
    /// # Errors
    /// The type that they have instead.
    fn values(column: OwnedColumn) -> Result<Vec<Self>, ColumnKind>;
}

/// Declares the two enums and their conversions for each type of value.
macro_rules! columns {
    ($($variant:ident($value:ty)),*) => {
        /// A borrowed column.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Column<'a> {
            $(#[allow(missing_docs, reason = "see `ColumnKind`")] $variant(&'a [$value]),)*
        }

        /// A column.
        #[derive(Clone, Debug, PartialEq)]
        pub enum OwnedColumn {
            $(#[allow(missing_docs, reason = "see `ColumnKind`")] $variant(Vec<$value>),)*
        }

        impl Column<'_> {
            /// The type of its values.
            pub fn kind(&self) -> ColumnKind {
                match self { $(Column::$variant(_) => ColumnKind::$variant,)* }
            }

            /// Number of values.
            pub fn len(&self) -> usize {
                match self { $(Column::$variant(values) => values.len(),)* }
            }

            /// Whether there are no values.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// A copy.
            pub fn to_owned(&self) -> OwnedColumn {
                match self { $(Column::$variant(values) => OwnedColumn::$variant(values.to_vec()),)* }
            }
        }

        impl OwnedColumn {
            /// The same, borrowed.
            pub fn as_column(&self) -> Column<'_> {
                match self { $(OwnedColumn::$variant(values) => Column::$variant(values),)* }
            }

            /// So many zeros.
            pub fn zeros(kind: ColumnKind, len: usize) -> Self {
                match kind { $(ColumnKind::$variant => OwnedColumn::$variant(vec![<$value>::default(); len]),)* }
            }
        }

        $(
            impl From<Vec<$value>> for OwnedColumn {
                fn from(values: Vec<$value>) -> Self {
                    OwnedColumn::$variant(values)
                }
            }

            impl ColumnValue for $value {
                fn column(values: &[Self]) -> Column<'_> {
                    Column::$variant(values)
                }

                fn values(column: OwnedColumn) -> Result<Vec<Self>, ColumnKind> {
                    match column {
                        OwnedColumn::$variant(values) => Ok(values),
                        other => Err(other.as_column().kind()),
                    }
                }
            }
        )*
    };
}

columns!(U8(u8), U32(u32), U64(u64), F32(f32), F64(f64));

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored results name a kind by its place.
    #[test]
    fn numbers_of_kinds_are_pinned() {
        let pinned = [
            ColumnKind::U8,
            ColumnKind::U32,
            ColumnKind::U64,
            ColumnKind::F32,
            ColumnKind::F64,
        ];
        assert_eq!(ColumnKind::ALL, pinned);
        assert_eq!(pinned.map(ColumnKind::value_bytes), [1, 4, 8, 4, 8]);
    }

    #[test]
    fn columns_know_their_type() {
        for kind in ColumnKind::ALL {
            let column = OwnedColumn::zeros(kind, 3);
            assert_eq!(column.as_column().kind(), kind);
            assert_eq!(column.as_column().len(), 3);
            assert_eq!(column.as_column().to_owned(), column);
        }
        let column = OwnedColumn::from(vec![1.0_f64, 2.0]);
        assert_eq!(u32::values(column.clone()), Err(ColumnKind::F64));
        assert_eq!(f64::values(column), Ok(vec![1.0, 2.0]));
    }
}
