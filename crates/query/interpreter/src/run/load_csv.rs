//! Lines of files.

use std::iter;
use std::sync::Arc;

use evergraph_functions::{Datum, ReadError};
use evergraph_planner::LoadCsv;
use evergraph_property_graph::Value;
use evergraph_syntax::with_article;

use super::{Filled, Flow, Result, Run, Sink};
use crate::batch::Batch;
use crate::evaluate::Row;
use crate::{CsvRecords, QueryError};

/// Bytes of lines that go on before a batch is full.
const MOST_BYTES: usize = 1 << 20;

impl Run<'_, '_> {
    /// Pushes the lines of the file of each row.
    pub(super) fn load_csv(
        &self,
        load: &LoadCsv,
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let most = MOST_BYTES.min(self.guard.memory() / 8);
        let mut held = self.guard.account("lines of a file");
        self.for_each_row(batch, sink, |row, out| {
            let CsvRecords { file, mut records } = self.records(load, row)?;
            let names = match load.headers {
                true => match records.next() {
                    Some(first) => Some(names_of(first.map_err(unreadable)?.1)),
                    None => return Ok(Flow::Continue),
                },
                false => None,
            };
            for record in records {
                self.step()?;
                let (number, fields) = match record {
                    Ok(record) => record,
                    // The lines before it are no worse: transactions may commit them.
                    Err(error) => match out.flush()? {
                        Flow::Stop => return Ok(Flow::Stop),
                        Flow::Continue => return Err(unreadable(error)),
                    },
                };
                let line = match &names {
                    Some(names) => by_name(names, fields),
                    None => Value::List(fields.into()),
                };
                held.grow(size_of::<Datum>() + line.heap_bytes())?;
                let line = (load.variable, Filled::Datum(Datum::Value(line)));
                let mut flow = match load.place {
                    None => out.add([line])?,
                    Some((at, of)) => {
                        let number = i64::try_from(number).unwrap_or(i64::MAX).into();
                        let file = Datum::from(Arc::clone(&file));
                        let place = [(at, Filled::Datum(number)), (of, Filled::Datum(file))];
                        out.add([line].into_iter().chain(place))?
                    }
                };
                if flow == Flow::Continue && held.bytes() >= most {
                    flow = out.flush()?;
                    held.clear();
                }
                if flow == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
            Ok(Flow::Continue)
        })
    }

    /// The records of the file that a row names.
    fn records(&self, load: &LoadCsv, row: &mut Row<'_>) -> Result<CsvRecords> {
        let name = match self.value(&load.source, row)? {
            Datum::Value(Value::Text(name)) => name,
            other => {
                let found = with_article(other.type_name());
                let message = format!("LOAD CSV takes the name of a file, a STRING, not {found}");
                return Err(QueryError::type_error(message));
            }
        };
        match self.open_csv {
            Some(open) => open(&name, load.terminator).map_err(unreadable),
            None => {
                let message =
                    "LOAD CSV reads no files here; give it lists as parameters, and UNWIND";
                Err(QueryError::runtime("AccessError", "NoFiles", message))
            }
        }
    }
}

/// Names of the fields of a line; `''` where there is none.
fn names_of(fields: Vec<Value>) -> Vec<Arc<str>> {
    let fields = fields.into_iter();
    let names = fields.map(|field| match field {
        Value::Text(name) => name,
        _ => Arc::from(""),
    });
    names.collect()
}

/// The fields of a line by their names: null where it is too short, and no more than there
/// are names.
fn by_name(names: &[Arc<str>], fields: Vec<Value>) -> Value {
    let fields = fields.into_iter().chain(iter::repeat(Value::Null));
    Value::Map(Arc::new(names.iter().cloned().zip(fields).collect()))
}

fn unreadable(source: ReadError) -> QueryError {
    QueryError::runtime("FileError", "File", source.to_string())
}
