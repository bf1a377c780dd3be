//! Procedures of the program that has the database open.

use evergraph_interpreter::{Datum, Path, ProcedureContext, Seen};
use evergraph_syntax::scope::read_signature;

use crate::Database;
use crate::query::resolve;
use crate::query::{Cell, Error};

/// Why a procedure has failed; any error is one.
pub type ProcedureError = Box<dyn std::error::Error + Send + Sync>;

/// Whether a procedure may change the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcedureMode {
    /// It does not.
    Read,
    /// It may, in the transaction of the statement that calls it.
    Write,
}

impl Database {
    /// Registers a procedure that statements may `CALL`, under the name that its signature
    /// has: `my.degree(node :: NODE, least = null :: INTEGER) :: (degree :: INTEGER)`. A
    /// parameter with `= null` need not be given. Types are those of the query language, and
    /// `NUMBER`.
    ///
    /// The body is called for each row, with its arguments; each row that it gives has a
    /// cell for each result. It runs in the thread of the statement, reads what the
    /// statement sees ([`ProcedureContext::seen`], [`ProcedureContext::view`]), and should
    /// [check](ProcedureContext::check) from time to time whether the statement is to stop.
    ///
    /// ```
    /// use evergraph::property::Direction;
    /// use evergraph::query::{Cell, ProcedureMode};
    /// use evergraph::{Database, MediumKind, Options};
    ///
    /// let options = Options {
    ///     medium: MediumKind::Dram,
    ///     property_graph: true,
    ///     ..Options::default()
    /// };
    /// let mut db = Database::create("anywhere", &options)?;
    /// db.register_procedure(
    ///     "my.degree(node :: NODE) :: (degree :: INTEGER)",
    ///     "Relationships that begin at a node.",
    ///     ProcedureMode::Read,
    ///     |context, arguments| {
    ///         let Some(Cell::Node(node)) = arguments.first() else {
    ///             return Ok(Vec::new());
    ///         };
    ///         let view = context.view().ok_or("commit first")?;
    ///         let degree = view.degree(node.id, Direction::Outgoing, &[])?;
    ///         Ok(vec![vec![Cell::Value((degree as i64).into())]])
    ///     },
    /// )?;
    /// db.query("CREATE (:A)-[:R]->(:B)<-[:R]-(:A)", ())?;
    /// let text = "MATCH (a:A) CALL my.degree(a) YIELD degree RETURN sum(degree)";
    /// assert_eq!(db.query(text, ())?.single::<i64>()?, 2);
    /// # Ok::<(), evergraph::query::Error>(())
    /// ```
    ///
    /// # Errors
    /// A signature that cannot be read; a name that there is.
    pub fn register_procedure(
        &mut self,
        signature: &str,
        description: &str,
        mode: ProcedureMode,
        body: impl Fn(&ProcedureContext<'_, '_>, &[Cell]) -> Result<Vec<Vec<Cell>>, ProcedureError>
        + Send
        + Sync
        + 'static,
    ) -> Result<(), Error> {
        let (name, mut signature) = read_signature(signature).map_err(|message| {
            let hint = "such as my.degree(node :: NODE) :: (degree :: INTEGER)";
            Error::of_usage_with(format!("`{signature}`: {message}"), hint)
        })?;
        if evergraph_syntax::scope::Procedures::find(self.procedures(), &name).is_some() {
            let message = format!("there is a procedure {name}");
            return Err(Error::of_usage_with(message, "take another name"));
        }
        signature.writes = mode == ProcedureMode::Write;
        let width = signature.outputs.len();
        let run = move |context: &ProcedureContext<'_, '_>, arguments: &[Datum]| {
            let arguments = context.seen(|seen| {
                let reader: &dyn resolve::Reader = match seen {
                    Seen::View(view) => view,
                    Seen::Transaction(transaction) => transaction,
                };
                resolve::row(arguments.to_vec(), reader)
            })?;
            let rows = body(context, &arguments)?;
            if let Some(row) = rows.iter().find(|row| row.len() != width) {
                let has = row.len();
                return Err(format!("a row has {has} cells, and the signature {width}").into());
            }
            let data = |row: Vec<Cell>| row.into_iter().map(datum).collect();
            Ok(rows.into_iter().map(data).collect::<Vec<Vec<Datum>>>())
        };
        self.procedures_mut()
            .register(&name, description, signature, run);
        Ok(())
    }
}

/// A cell as the interpreter has it; of nodes and relationships their ids.
fn datum(cell: Cell) -> Datum {
    match cell {
        Cell::Value(value) => Datum::Value(value),
        Cell::Node(node) => Datum::Node(node.id),
        Cell::Relationship(relationship) => Datum::Relationship(relationship.id),
        Cell::Path(path) => {
            let nodes = path.nodes.iter().map(|node| node.id).collect();
            let relationships = path.relationships.iter().map(|one| one.id).collect();
            Datum::Path(Path::new(nodes, relationships).into())
        }
        Cell::List(cells) => Datum::list(cells.into_iter().map(datum).collect()),
        Cell::Map(entries) => {
            let entries = entries.into_iter().map(|(key, cell)| (key, datum(cell)));
            Datum::map(entries.collect())
        }
    }
}
