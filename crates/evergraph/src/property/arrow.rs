//! Nodes of a property graph as Arrow record batches (feature `columnar`).

use evergraph_io::arrow::{self, Kind, RecordBatch, SchemaRef};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{Account, EntityKind, Filter, GraphRead, View};
use evergraph_property_graph::vector::{Values, Vector};

use crate::Error;
use crate::query::Cell;
use crate::query::json::to_json;

/// Nodes with a label, as batches of their ids (`id`, `Int64`) and of properties: a batch
/// for each 2,048 ids. Threads read batches beside each other; types of columns are those
/// of [`query::arrow::Batches`](crate::query::arrow::Batches).
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use evergraph::{Database, MediumKind, Options, property::arrow::NodeBatches};
/// # let options = Options {
/// #     medium: MediumKind::Dram,
/// #     property_graph: true,
/// #     ..Options::default()
/// # };
/// # let db = Database::create("anywhere", &options)?;
/// db.query("UNWIND range(1, 5000) AS x CREATE (:Person {born: x})", ())?;
/// let view = db.property_graph()?.view();
/// let people = NodeBatches::new(&view, "Person", &["born"])?;
/// let mut rows = 0;
/// for number in 0..people.len() {
///     rows += people.batch(number)?.num_rows();
/// }
/// assert_eq!(rows, 5000);
/// # Ok(())
/// # }
/// ```
pub struct NodeBatches<'v> {
    view: &'v View,
    /// `None` if no node ever had the label.
    filter: Option<Filter>,
    keys: Vec<String>,
    kinds: Vec<Kind>,
    schema: SchemaRef,
}

impl<'v> NodeBatches<'v> {
    /// Looks at the types of the properties: a pass over them, in place.
    ///
    /// # Errors
    /// Damage.
    pub fn new(view: &'v View, label: &str, keys: &[&str]) -> Result<Self, Error> {
        let mut batches = NodeBatches {
            view,
            filter: view.label_code(label).map(Filter::label),
            keys: keys.iter().map(ToString::to_string).collect(),
            kinds: vec![Kind::Null; keys.len()],
            schema: arrow::schema([]),
        };
        for number in 0..batches.len() {
            let (_, vectors) = batches.read(number)?;
            for (kind, vector) in batches.kinds.iter_mut().zip(&vectors) {
                *kind = std::mem::take(kind).with(kind_of(vector));
            }
        }
        let names = batches.keys.iter().map(String::as_str);
        let columns = names.zip(&batches.kinds);
        batches.schema = arrow::schema([("id", &Kind::Integer)].into_iter().chain(columns));
        Ok(batches)
    }

    /// Names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Number of batches.
    pub fn len(&self) -> u32 {
        let morsels = || self.view.morsels(EntityKind::Node).len();
        self.filter.as_ref().map_or(0, |_| morsels())
    }

    /// Whether there is no batch.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A batch by its number, from 0; perhaps without rows.
    ///
    /// # Errors
    /// Damage; a number that is too large gives a batch without rows.
    pub fn batch(&self, number: u32) -> Result<RecordBatch, Error> {
        let (ids, vectors) = self.read(number)?;
        let ids: Vec<Value> = ids.into_iter().map(|id| i64::from(id).into()).collect();
        let mut columns = vec![Kind::Integer.array(&ids)];
        for (kind, vector) in self.kinds.iter().zip(&vectors) {
            let values = (0..vector.len()).map(|row| vector.get(row));
            let values = values.map(|value| match (kind, value) {
                (_, Value::Null) => Value::Null,
                (Kind::Json, value) => Value::Text(to_json(&Cell::Value(value)).to_string().into()),
                (_, value) => value,
            });
            columns.push(kind.array(&values.collect::<Vec<_>>()));
        }
        let batch = arrow::batch(&self.schema, columns, ids.len());
        batch.map_err(|error| Error::io("a record batch", std::io::Error::other(error)))
    }

    fn read(&self, number: u32) -> Result<(Vec<u32>, Vec<Vector>), Error> {
        let account = Account::default();
        let mut ids = Vec::new();
        let morsel = self.view.morsels(EntityKind::Node).get(number);
        if let (Some(morsel), Some(filter)) = (morsel, &self.filter) {
            self.view.scan(&morsel, filter, &mut ids, &account)?;
        }
        let vectors = self.keys.iter().map(|key| match self.view.key_code(key) {
            Some(key) => self.view.gather(EntityKind::Node, &ids, key, &account),
            None => Ok(Vector::nulls(ids.len())),
        });
        let vectors = vectors.collect::<Result<_, _>>()?;
        Ok((ids, vectors))
    }
}

/// The type of a vector; of arrays of one type without a look at the values.
fn kind_of(vector: &Vector) -> Kind {
    if vector.validity().count() == 0 {
        return Kind::Null;
    }
    match vector.values() {
        Values::Null(_) => Kind::Null,
        Values::Boolean(_) => Kind::Boolean,
        Values::Integer(_) => Kind::Integer,
        Values::Float(_) => Kind::Float,
        Values::Text(_) => Kind::Text,
        _ => {
            let rows = 0..vector.len();
            let kinds = rows.map(|row| Kind::of(&vector.get(row)));
            kinds.fold(Kind::Null, Kind::with)
        }
    }
}
