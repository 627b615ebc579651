//! Tables as text or JSON.

use crate::call::Call;
use crate::respond::{Answer, Content, ok};
use engine::Engine;
use http::StatusCode;
use indices::error::{ElasticError, Result};
use search::{Held, simple_match};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::cmp::Ordering;

/// What a cell takes, about: it is there as a text of its own, and in the answer.
const CELL_BYTES: usize = size_of::<String>() + 16;

/// One column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    name: &'static str,
    alias: &'static str,
    is_right: bool,
    /// Shown only where it is asked for.
    is_hidden: bool,
}

impl Column {
    pub(super) const fn left(name: &'static str, alias: &'static str) -> Column {
        Column {
            name,
            alias,
            is_right: false,
            is_hidden: false,
        }
    }

    /// One that is shown only where it is asked for.
    pub(super) const fn hidden(name: &'static str, alias: &'static str) -> Column {
        Column {
            name,
            alias,
            is_right: false,
            is_hidden: true,
        }
    }

    fn is_called(&self, name: &str) -> bool {
        self.name == name || self.alias.split(',').any(|alias| alias == name)
    }

    pub(super) const fn right(name: &'static str, alias: &'static str) -> Column {
        Column {
            name,
            alias,
            is_right: true,
            is_hidden: false,
        }
    }
}

/// A table.
pub(super) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(columns: &[Column]) -> Table {
        Table {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Takes the memory of this many rows to come.
    pub(super) fn hold(&self, held: &Held, rows: u64) -> Result<()> {
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        let bytes = self.columns.len() * CELL_BYTES;
        Ok(held.add(rows.saturating_mul(bytes))?)
    }

    pub(super) fn row(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// The table as `v`, `h`, `s`, `help` and `format` ask for it.
    pub(super) fn answer(mut self, call: &mut Call) -> Result<Answer> {
        let parameters = &mut call.parameters;
        let has_head = parameters.flag("v")?.unwrap_or(false);
        let wanted = parameters.list("h");
        let sorts = parameters.list("s").unwrap_or_default();
        let is_help = parameters.flag("help")?.unwrap_or(false);
        parameters.end()?;
        if is_help {
            let line = |column: &Column| format!("{} | {} | \n", column.name, column.alias);
            return Ok(text(self.columns.iter().map(line).collect()));
        }
        self.sort(&sorts)?;
        let shown: Vec<(usize, String)> = match &wanted {
            None => self
                .columns
                .iter()
                .enumerate()
                .filter(|(_, column)| !column.is_hidden)
                .map(|(at, column)| (at, column.name.to_owned()))
                .collect(),
            Some(names) => {
                let mut all: Vec<(usize, String)> = Vec::new();
                for one in names.iter().flat_map(|name| self.named(name)) {
                    // Each once, so that a long list of patterns is no wider table.
                    if !all.contains(&one) {
                        all.push(one);
                    }
                }
                all
            }
        };
        if !call.wants_objects {
            return Ok(text(self.text(&shown, has_head)));
        }
        let objects = self.rows.iter().map(|row| self.object(&shown, row));
        Ok(ok(Value::Array(objects.collect())))
    }

    /// A row by the names of its columns; a number that is not known is null.
    fn object(&self, shown: &[(usize, String)], row: &[String]) -> Value {
        let cell = |at: usize| match row[at].as_str() {
            "" if self.columns[at].is_right => Value::Null,
            text => json!(text),
        };
        let cells = shown.iter().map(|(at, name)| (name.clone(), cell(*at)));
        Value::Object(cells.collect::<Map<_, _>>())
    }

    /// Puts rows in the order of keys as `name:desc`, the first of which counts most.
    fn sort(&mut self, keys: &[String]) -> Result<()> {
        let mut columns: Vec<(usize, bool)> = Vec::new();
        for key in keys {
            let (name, is_descending) = match key.split_once(':') {
                Some((name, order)) => (name, order == "desc"),
                None => (key.as_str(), false),
            };
            let at = self.columns.iter().position(|column| column.is_called(name));
            let at = at.ok_or_else(|| {
                ElasticError::illegal(format!("Unable to sort by unknown sort key `{name}`"))
            })?;
            // What is sorted by already is alike where it would be sorted by again.
            if !columns.iter().any(|(known, _)| *known == at) {
                columns.push((at, is_descending));
            }
        }
        self.rows.sort_by(|a, b| {
            let by = |(at, is_descending): &(usize, bool)| {
                let (a, b) = match is_descending {
                    true => (&b[*at], &a[*at]),
                    false => (&a[*at], &b[*at]),
                };
                match self.columns[*at].is_right {
                    true => order(&size(a), &size(b)),
                    false => order(a, b),
                }
            };
            columns
                .iter()
                .map(by)
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        });
        Ok(())
    }

    fn named(&self, name: &str) -> Vec<(usize, String)> {
        let columns = self.columns.iter().enumerate();
        let named = columns.filter(|(_, column)| simple_match(name, column.name) || column.is_called(name));
        // A column is called what it was asked for by.
        let shown = |column: &Column| {
            if name.contains('*') {
                column.name.to_owned()
            } else {
                name.to_owned()
            }
        };
        named.map(|(at, column)| (at, shown(column))).collect()
    }

    fn text(&self, shown: &[(usize, String)], has_head: bool) -> String {
        let mut lines: Vec<Vec<&str>> = Vec::new();
        if has_head {
            lines.push(shown.iter().map(|(_, name)| name.as_str()).collect());
        }
        lines.extend(
            self.rows
                .iter()
                .map(|row| shown.iter().map(|(at, _)| row[*at].as_str()).collect()),
        );
        let widths: Vec<usize> = (0..shown.len())
            .map(|at| {
                lines
                    .iter()
                    .map(|line| line[at].chars().count())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let mut out = String::new();
        for line in lines {
            let last = line.len().saturating_sub(1);
            for (at, cell) in line.iter().enumerate() {
                let width = widths[at];
                match (self.columns[shown[at].0].is_right, at == last) {
                    (true, _) => out.push_str(&format!("{cell:>width$}")),
                    (false, true) => out.push_str(cell),
                    (false, false) => out.push_str(&format!("{cell:<width$}")),
                }
                if at < last {
                    out.push(' ');
                }
            }
            out.push('\n');
        }
        out
    }
}

/// A size as a number of bytes; what is none stays as it is, and what is not known comes before all.
fn size(cell: &str) -> Cow<'_, str> {
    if cell.is_empty() {
        return Cow::Borrowed("-inf");
    }
    let bytes = UNITS.iter().rev().find_map(|(unit, size)| {
        let number: f64 = cell.strip_suffix(unit)?.parse().ok()?;
        Some(number * *size as f64)
    });
    bytes.map_or(Cow::Borrowed(cell), |bytes| Cow::Owned(bytes.to_string()))
}

/// Which of two cells comes first: numbers by what they are, before texts, so that this is one order of all.
fn order(a: &str, b: &str) -> Ordering {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => a.total_cmp(&b),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}

pub(super) fn text(text: String) -> Answer {
    Answer {
        status: StatusCode::OK,
        body: Content::Text(text),
    }
}

/// The units of sizes, with their bytes.
const UNITS: [(&str, u64); 5] = [
    ("b", 1),
    ("kb", 1 << 10),
    ("mb", 1 << 20),
    ("gb", 1 << 30),
    ("tb", 1 << 40),
];

/// A size as people read it.
pub(super) fn bytes(bytes: u64) -> String {
    let (unit, size) = UNITS
        .into_iter()
        .rev()
        .find(|(_, size)| bytes >= *size)
        .unwrap_or(("b", 1));
    let tenths = bytes.saturating_mul(10) / size;
    match tenths % 10 {
        0 => format!("{}{unit}", tenths / 10),
        tenth => format!("{}.{tenth}{unit}", tenths / 10),
    }
}

/// The time in seconds since 1970, and that of the day.
pub(super) fn now(engine: &Engine) -> (String, String) {
    let seconds = engine.now_ms() / 1000;
    let of_day = seconds % 86_400;
    let time = format!("{:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60);
    (seconds.to_string(), time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(rows: &[[&str; 2]], keys: &[&str]) -> Vec<String> {
        let mut table = Table::new(&[Column::left("a", ""), Column::left("b", "")]);
        for row in rows {
            table.row(row.map(str::to_owned).to_vec());
        }
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        table.sort(&keys).expect("sorted");
        table.rows.iter().map(|row| row.join(" ")).collect()
    }

    #[test]
    fn numbers_and_texts_are_in_one_order() {
        let cells = ["10", "1a", "2", "NaN", "b", "", "-1", "1e3"];
        for a in cells {
            for b in cells {
                assert_eq!(order(a, b), order(b, a).reverse(), "{a} {b}");
                for c in cells {
                    let is_between = order(a, b).is_le() && order(b, c).is_le();
                    assert!(!is_between || order(a, c).is_le(), "{a} {b} {c}");
                }
            }
        }
    }

    #[test]
    fn many_rows_of_numbers_and_texts_are_sorted() {
        let names: Vec<String> = (0..100)
            .map(|at| format!("{}{}", at * 7 % 50, ["", "a"][at % 2]))
            .collect();
        let rows: Vec<[&str; 2]> = names.iter().map(|name| [name.as_str(), ""]).collect();
        let found = sorted(&rows, &["a"]);
        assert_eq!(
            (found.len(), found[0].as_str(), found[99].as_str()),
            (100, "0 ", "9a ")
        );
    }

    #[test]
    fn sizes_are_sorted_by_their_bytes_and_unknown_ones_are_null() {
        let mut table = Table::new(&[Column::left("i", ""), Column::right("store", "")]);
        let sizes = ["9kb", "", "1.2mb", "10kb", "225b", "3gb"];
        for (at, size) in sizes.iter().enumerate() {
            table.row(vec![at.to_string(), (*size).to_owned()]);
        }
        table.sort(&["store:desc".to_owned()]).expect("sorted");
        let names: String = table.rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(names, "523041");
        let shown = [(1, "store".to_owned())];
        assert_eq!(table.object(&shown, &table.rows[5]), json!({"store": null}));
        assert_eq!(table.object(&shown, &table.rows[0]), json!({"store": "3gb"}));
    }

    #[test]
    fn each_key_has_an_order_of_its_own() {
        let rows = [["1", "x"], ["2", "y"], ["1", "a"], ["2", "b"]];
        assert_eq!(sorted(&rows, &["a:desc", "b:asc"]), ["2 b", "2 y", "1 a", "1 x"]);
        assert_eq!(
            sorted(&rows, &["a", "b:desc", "a:desc"]),
            ["1 x", "1 a", "2 y", "2 b"]
        );
    }
}
