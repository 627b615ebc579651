//! Tables as text or JSON.

use super::Asked;
use super::columns::FIGURES;
use super::text::SIZES;
use engine::Engine;
use http::StatusCode;
use indices::error::{ElasticError, Result};
use rest::call::Call;
use rest::parameters::Parameters;
use rest::respond::{Answer, Content, ok};
use search::{Held, simple_match};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::cmp::Ordering;

/// What a cell takes, about: it is there as a text of its own, and in the answer.
const CELL_BYTES: usize = size_of::<String>() + 16;

/// The columns that say when a table was made, which are left out where `ts` says so.
const TIMES: [&str; 2] = ["epoch", "timestamp"];

/// One column.
#[derive(Clone, Debug)]
struct Column {
    name: String,
    aliases: &'static str,
    /// What `help` says of it.
    about: &'static str,
    is_right: bool,
    /// Shown only where it is asked for.
    is_hidden: bool,
    /// An empty cell is an empty text, and not one that is not known.
    is_text: bool,
}

impl Column {
    /// Reads a line of the columns.
    fn parse(line: &'static str) -> Column {
        let named = line.trim_start_matches(['-', '>', '=']);
        let signs = &line[..line.len() - named.len()];
        let mut parts = named.splitn(3, '|');
        let mut part = || parts.next().unwrap_or_default();
        Column {
            name: part().to_owned(),
            aliases: part(),
            about: part(),
            is_right: signs.contains('>'),
            is_hidden: signs.contains('-'),
            is_text: signs.contains('='),
        }
    }

    fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.split(',').any(|alias| alias == name)
    }

    /// Whether a pattern is one of its names.
    fn fits(&self, pattern: &str) -> bool {
        simple_match(pattern, &self.name) || self.aliases.split(',').any(|alias| simple_match(pattern, alias))
    }
}

/// A figure that lists have behind their own columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figure {
    name: &'static str,
    aliases: &'static str,
    about: &'static str,
    /// Where `_stats` has it.
    at: &'static str,
}

impl Figure {
    /// The figures of indices (`i`), nodes (`n`) or shards (`s`).
    pub(super) fn of(list: char) -> Vec<Figure> {
        let parse = |line: &'static str| {
            let (lists, named) = line.split_once(' ')?;
            let mut parts = named.splitn(4, '|');
            let mut part = || parts.next().unwrap_or_default();
            let figure = Figure {
                name: part(),
                aliases: part(),
                about: part(),
                at: part(),
            };
            lists.contains(list).then_some(figure)
        };
        FIGURES.lines().filter_map(parse).collect()
    }

    /// Whether it is counted, and then of the primary shards alone too.
    pub(super) fn is_counted(&self) -> bool {
        !self.at.starts_with('=')
    }

    /// What it is where the figures are these.
    pub(super) fn cell(&self, figures: &Map<String, Value>, asked: &Asked) -> String {
        if let Some(always) = self.at.strip_prefix('=') {
            return always.to_owned();
        }
        let Some((section, name)) = self.at.split_once('/') else {
            return String::new();
        };
        let found = figures.get(section).and_then(|section| section.get(name));
        let Some(number) = found.map_or(Some(0), Value::as_u64) else {
            // Where nothing was changed yet, the number of the last change is -1.
            return found.map(Value::to_string).unwrap_or_default();
        };
        match name {
            size if size.ends_with("_in_bytes") => asked.units.size(number),
            time if time.ends_with("_in_millis") => asked.units.time(number.saturating_mul(1_000_000)),
            _ => number.to_string(),
        }
    }
}

/// A table.
pub(super) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns, a line each.
    pub(super) fn new(columns: &'static str) -> Table {
        Table {
            columns: columns.lines().map(Column::parse).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds columns.
    pub(super) fn and(mut self, columns: &'static str) -> Table {
        self.columns.extend(columns.lines().map(Column::parse));
        self
    }

    /// Adds the columns of figures; those of primaries alone behind each, where the list has them.
    pub(super) fn with_figures(mut self, figures: &[Figure], has_primaries: bool) -> Table {
        for figure in figures {
            let column = |name: String, aliases| Column {
                name,
                aliases,
                about: figure.about,
                is_right: true,
                is_hidden: true,
                is_text: false,
            };
            self.columns.push(column(figure.name.to_owned(), figure.aliases));
            if has_primaries && figure.is_counted() {
                self.columns.push(column(format!("pri.{}", figure.name), ""));
            }
        }
        self
    }

    /// Whether a request asks for more than these columns.
    pub(super) fn is_exceeded(&self, parameters: &Parameters) -> bool {
        let is_own = |name: &str| self.columns.iter().any(|column| column.is_called(name));
        let names = ["h", "s"].into_iter().filter_map(|name| parameters.peek(name));
        let mut names = names.flat_map(|names| names.split(','));
        parameters.has("help") || names.any(|name| !is_own(name.split(':').next().unwrap_or(name)))
    }

    /// Takes the memory of this many rows to come.
    pub(super) fn hold(&self, held: &Held, rows: u64) -> Result<()> {
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        let bytes = self.columns.len() * CELL_BYTES;
        Ok(held.add(rows.saturating_mul(bytes))?)
    }

    /// Adds a row; cells that are missing at its end are not known.
    pub(super) fn row(&mut self, mut row: Vec<String>) {
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    /// The table as `v`, `h`, `s`, `ts`, `pri` and `help` ask for it.
    pub(super) fn answer(mut self, call: &mut Call) -> Result<Answer> {
        let parameters = &mut call.parameters;
        let has_head = parameters.flag("v")?.unwrap_or(false);
        let wanted = parameters.list("h");
        let sorts = parameters.list("s").unwrap_or_default();
        let is_help = parameters.flag("help")?.unwrap_or(false);
        let is_timed = parameters.flag("ts")?.unwrap_or(true);
        let has_primaries = parameters.flag("pri")?.unwrap_or(false);
        parameters.end()?;
        if is_help {
            return Ok(text(self.help()));
        }
        self.sort(&sorts)?;
        let mut shown = match &wanted {
            None => self.usual(),
            Some(names) => self.wanted(names, has_primaries),
        };
        shown.retain(|(at, _)| is_timed || !TIMES.contains(&self.columns[*at].name.as_str()));
        if !call.wants_objects {
            return Ok(text(self.text(&shown, has_head)));
        }
        let objects = self.rows.iter().map(|row| self.object(&shown, row));
        Ok(ok(Value::Array(objects.collect())))
    }

    /// All columns, with what each is.
    fn help(&self) -> String {
        let width = |of: fn(&Column) -> usize| self.columns.iter().map(of).max().unwrap_or(0);
        let (name, alias) = (width(|one| one.name.len()), width(|one| one.aliases.len()));
        let about = width(|one| one.about.len());
        let line = |one: &Column| {
            format!(
                "{:<name$} | {:<alias$} | {:<about$}\n",
                one.name, one.aliases, one.about
            )
        };
        self.columns.iter().map(line).collect()
    }

    /// The columns that are shown where none is named.
    fn usual(&self) -> Vec<(usize, String)> {
        let columns = self.columns.iter().enumerate();
        let shown = columns.filter(|(_, column)| !column.is_hidden);
        shown.map(|(at, column)| (at, column.name.clone())).collect()
    }

    /// The columns of these names, each once, so that a long list of patterns is no wider table.
    fn wanted(&self, names: &[String], has_primaries: bool) -> Vec<(usize, String)> {
        let mut all: Vec<(usize, String)> = Vec::new();
        for (at, shown) in names.iter().flat_map(|name| self.named(name)) {
            let sibling = format!("pri.{}", self.columns[at].name);
            let sibling = self.columns.iter().position(|column| column.name == sibling);
            let sibling = sibling
                .filter(|_| has_primaries)
                .map(|at| (at, format!("pri.{shown}")));
            for one in [Some((at, shown)), sibling].into_iter().flatten() {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
        all
    }

    /// A row by the names of its columns; what is not known is null.
    fn object(&self, shown: &[(usize, String)], row: &[String]) -> Value {
        let cell = |at: usize| match row[at].as_str() {
            "" if !self.columns[at].is_text => Value::Null,
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

    /// The columns of a name or pattern. A column is called what it was asked for by.
    fn named(&self, name: &str) -> Vec<(usize, String)> {
        let columns = self.columns.iter().enumerate();
        if name.contains('*') {
            let named = columns.filter(|(_, column)| column.fits(name));
            return named.map(|(at, column)| (at, column.name.clone())).collect();
        }
        let own = self.columns.iter().position(|column| column.name == name);
        // Of several columns with this alias, the last one is meant.
        let found = own.or_else(|| self.columns.iter().rposition(|column| column.is_called(name)));
        found.map(|at| (at, name.to_owned())).into_iter().collect()
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
    let bytes = SIZES.iter().rev().find_map(|(unit, size)| {
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

/// The time in seconds since 1970, and that of the day.
pub(super) fn now(engine: &Engine) -> (String, String) {
    let milliseconds = engine.now_ms();
    ((milliseconds / 1000).to_string(), time_of_day(milliseconds))
}

/// The time of the day, of milliseconds since 1970.
pub(super) fn time_of_day(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000 % 86_400;
    format!(
        "{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(rows: &[[&str; 2]], keys: &[&str]) -> Vec<String> {
        let mut table = Table::new("a||\nb||");
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
        let mut table = Table::new("i||\n>store||");
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
    fn columns_are_found_by_names_aliases_and_patterns() {
        let figures = Figure::of('i');
        let table =
            Table::new("index|i,idx|\n>docs.count|dc|\n-docs.deleted|dd|").with_figures(&figures, true);
        let found = |names: &str, has_primaries: bool| {
            let names: Vec<String> = names.split(',').map(str::to_owned).collect();
            let found = table.wanted(&names, has_primaries);
            found
                .into_iter()
                .map(|(_, name)| name)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(found("idx,docs.*,nothing", false), "idx docs.count docs.deleted");
        assert_eq!(found("gto,index", true), "gto pri.gto index");
        assert_eq!(found("pri.search.*", false).find("throttled"), None);
        assert_eq!(table.usual().len(), 2);
        let shown = table.help();
        let first = shown.lines().next().unwrap_or_default();
        assert!(
            first.starts_with("index ") && first.contains(" | i,idx"),
            "{first}"
        );
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
