//! Results as tables: for `--json`, and for people.

use std::fmt::Write;

use serde_json::{Map, Value, json};

/// Rows under named columns.
pub struct Table {
    name: String,
    columns: Vec<&'static str>,
    rows: Vec<Vec<Value>>,
}

impl Table {
    /// No rows yet.
    pub fn new(name: impl Into<String>, columns: &[&'static str]) -> Self {
        Table {
            name: name.into(),
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it does not have a value for each column.
    pub fn row(&mut self, values: Vec<Value>) {
        assert_eq!(values.len(), self.columns.len(), "{}", self.name);
        self.rows.push(values);
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// For the result.
    pub fn to_json(&self) -> Value {
        let object = |row: &Vec<Value>| {
            let pairs = self.columns.iter().zip(row);
            let map: Map<String, Value> = pairs
                .map(|(name, value)| (name.to_string(), value.clone()))
                .collect();
            Value::Object(map)
        };
        json!({
            "name": self.name,
            "columns": self.columns,
            "rows": self.rows.iter().map(object).collect::<Vec<_>>(),
        })
    }
}

/// Rounds to four digits that matter, so that results can be read.
pub fn number(value: f64) -> Value {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 {
            json!(0.0)
        } else {
            Value::Null
        };
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    let factor = 10_f64.powi(digits);
    json!((value * factor).round() / factor)
}

/// A result of [`crate::command`] for people.
pub fn render(result: &Value) -> String {
    let mut text = String::new();
    let machine = &result["machine"];
    let _ = writeln!(
        text,
        "{}: {} ({} cores, {} GiB), load {} before and {} after\n{}",
        plain(&result["benchmark"]),
        plain(&machine["cpu"]),
        plain(&machine["cores"]),
        plain(&machine["memory_gib"]),
        plain(&machine["load_before"]),
        plain(&machine["load_after"]),
        plain(&result["arguments"]["command_line"]),
    );
    for table in result["tables"].as_array().into_iter().flatten() {
        render_table(table, &mut text);
    }
    text
}

fn render_table(table: &Value, text: &mut String) {
    let columns: Vec<String> = (table["columns"].as_array().into_iter().flatten())
        .map(plain)
        .collect();
    let mut lines = vec![columns.clone()];
    for row in table["rows"].as_array().into_iter().flatten() {
        lines.push(columns.iter().map(|name| plain(&row[name])).collect());
    }
    let widths: Vec<usize> = (0..columns.len())
        .map(|i| lines.iter().map(|line| line[i].len()).max().unwrap_or(0))
        .collect();
    let _ = writeln!(text, "\n{}", plain(&table["name"]));
    for line in lines {
        let cells = line.iter().zip(&widths);
        let padded: Vec<String> = cells
            .map(|(cell, &width)| format!("{cell:<width$}"))
            .collect();
        let _ = writeln!(text, "  {}", padded.join("  ").trim_end());
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "-".to_string(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_four_digits() {
        assert_eq!(number(1234567.0), json!(1235000.0));
        assert_eq!(number(0.000123456), json!(0.0001235));
        assert_eq!(number(0.0), json!(0.0));
        assert_eq!(number(f64::NAN), Value::Null);
    }

    #[test]
    fn a_table_is_aligned() {
        let mut table = Table::new("speeds", &["what", "rate"]);
        table.row(vec![json!("a long name"), number(1.0)]);
        table.row(vec![json!("b"), Value::Null]);
        let mut text = String::new();
        render_table(&table.to_json(), &mut text);
        assert_eq!(
            text,
            "\nspeeds\n  what         rate\n  a long name  1.0\n  b            -\n"
        );
    }
}
