//! Tables as text or JSON.

use crate::call::Call;
use crate::error::{ElasticError, Result};
use crate::filter_path::is_match;
use crate::respond::{Answer, Content, ok};
use engine::Engine;
use http::StatusCode;
use serde_json::{Map, Value, json};

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

    pub(super) fn row(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// The table as `v`, `h`, `s`, `help` and `format` ask for it.
    pub(super) fn answer(mut self, call: &mut Call) -> Result<Answer> {
        let parameters = &mut call.parameters;
        let has_head = parameters.flag("v")?.unwrap_or(false);
        let wanted = parameters.list("h");
        let sorts = parameters.list("s").unwrap_or_default();
        let format = parameters.take("format");
        let is_help = parameters.flag("help")?.unwrap_or(false);
        parameters.end()?;
        if is_help {
            let line = |column: &Column| format!("{} | {} | \n", column.name, column.alias);
            return Ok(text(self.columns.iter().map(line).collect()));
        }
        for sort in sorts.iter().rev() {
            let (name, is_descending) = match sort.split_once(':') {
                Some((name, order)) => (name, order == "desc"),
                None => (sort.as_str(), false),
            };
            let at = self.columns.iter().position(|column| column.is_called(name));
            let at = at.ok_or_else(|| {
                ElasticError::illegal(format!("Unable to sort by unknown sort key `{name}`"))
            })?;
            let key = |row: &[String]| row.get(at).cloned().unwrap_or_default();
            self.rows
                .sort_by(|a, b| match (key(a).parse::<f64>(), key(b).parse::<f64>()) {
                    (Ok(a), Ok(b)) => a.total_cmp(&b),
                    _ => key(a).cmp(&key(b)),
                });
            if is_descending {
                self.rows.reverse();
            }
        }
        let shown: Vec<(usize, String)> = match &wanted {
            None => self
                .columns
                .iter()
                .enumerate()
                .filter(|(_, column)| !column.is_hidden)
                .map(|(at, column)| (at, column.name.to_owned()))
                .collect(),
            Some(names) => names.iter().flat_map(|name| self.named(name)).collect(),
        };
        let format = format.or_else(|| call.wants_objects.then(|| "json".to_owned()));
        match format.as_deref() {
            None | Some("text") => Ok(text(self.text(&shown, has_head))),
            Some("json") => {
                let object = |row: &Vec<String>| {
                    let cells = shown.iter().map(|(at, name)| (name.clone(), json!(row[*at])));
                    Value::Object(cells.collect::<Map<_, _>>())
                };
                Ok(ok(Value::Array(self.rows.iter().map(object).collect())))
            }
            Some(other) => Err(ElasticError::unsupported(format!(
                "the format [{other}] of a list"
            ))),
        }
    }

    fn named(&self, name: &str) -> Vec<(usize, String)> {
        let columns = self.columns.iter().enumerate();
        let named = columns.filter(|(_, column)| is_match(name, column.name) || column.is_called(name));
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

pub(super) fn text(text: String) -> Answer {
    Answer {
        status: StatusCode::OK,
        body: Content::Text(text),
    }
}

/// A size as people read it.
pub(super) fn bytes(bytes: u64) -> String {
    let units = [
        ("b", 1_u64),
        ("kb", 1 << 10),
        ("mb", 1 << 20),
        ("gb", 1 << 30),
        ("tb", 1 << 40),
    ];
    let (unit, size) = units
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
