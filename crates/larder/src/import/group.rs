//! `--group-by`: what is imported is not the lines but one document a group, with how many lines it has and sums.
//!
//! Groups are made while lines are read, each at the speed of the memory: columns are not made into values, and only
//! the groups are kept.

use super::columns::Columns;
use super::infer;
use super::input::Input;
use super::lines::{Place, each_line};
use super::options::{ColumnType, ImportOptions, Kind};
use super::reader::Sink;
use anyhow::{Context, Result, anyhow, bail};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use value::{Document, Value};

/// A group's key that fits here lies in the table itself.
const SHORT_KEY_BYTES_MAX: usize = 15;

/// A sum over the lines of a group: `NAME=COLUMN` or `NAME=COLUMN-COLUMN`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    name: String,
    plus: String,
    minus: Option<String>,
}

impl std::str::FromStr for Sum {
    type Err = String;

    fn from_str(text: &str) -> Result<Sum, String> {
        let parts = text
            .split_once('=')
            .filter(|(name, of)| !name.is_empty() && !of.is_empty());
        let (name, of) =
            parts.ok_or_else(|| format!("'{text}' is neither NAME=COLUMN nor NAME=COLUMN-COLUMN"))?;
        let (plus, minus) = match of.split_once('-') {
            Some((plus, minus)) => (plus, Some(minus.to_owned())),
            None => (of, None),
        };
        Ok(Sum {
            name: name.to_owned(),
            plus: plus.to_owned(),
            minus,
        })
    }
}

/// The key of a group as its text.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    /// Up to 15 bytes, then how many.
    Short([u8; SHORT_KEY_BYTES_MAX + 1]),
    Long(Box<[u8]>),
}

impl Key {
    fn of(text: &[u8]) -> Key {
        let mut short = [0; SHORT_KEY_BYTES_MAX + 1];
        match short.get_mut(..text.len()) {
            Some(place) if text.len() <= SHORT_KEY_BYTES_MAX => {
                place.copy_from_slice(text);
                short[SHORT_KEY_BYTES_MAX] = text.len() as u8;
                Key::Short(short)
            }
            _ => Key::Long(text.into()),
        }
    }

    fn text(&self) -> &[u8] {
        match self {
            Key::Short(short) => &short[..usize::from(short[SHORT_KEY_BYTES_MAX])],
            Key::Long(text) => text,
        }
    }
}

/// A sum with its columns found.
struct Term {
    plus: (usize, Kind),
    minus: Option<(usize, Kind)>,
}

/// The groups of all files.
pub struct Groups<'a> {
    options: &'a ImportOptions,
    columns: Columns<'a>,
    key: usize,
    terms: Vec<Term>,
    /// The place of a group's numbers in `numbers`.
    places: HashMap<Key, usize, RandomState>,
    /// For each group the number of its lines, then its sums.
    numbers: Vec<i64>,
    lines: u64,
    bytes: u64,
    took: Duration,
}

impl<'a> Groups<'a> {
    /// The groups that the options ask for; none where they ask for none.
    pub fn of(options: &'a ImportOptions) -> Result<Option<Groups<'a>>> {
        let Some(key) = &options.group_by else {
            if !options.sum.is_empty() {
                bail!("--sum adds up the lines of a group: say with --group-by which");
            }
            return Ok(None);
        };
        let columns = Columns::of(options).context("--group-by groups lines of columns")?;
        let (key, _) = column(columns.fields, key)?;
        let term = |sum: &Sum| {
            let minus = sum
                .minus
                .as_ref()
                .map(|minus| number_column(columns.fields, minus));
            Ok(Term {
                plus: number_column(columns.fields, &sum.plus)?,
                minus: minus.transpose()?,
            })
        };
        Ok(Some(Groups {
            terms: options.sum.iter().map(term).collect::<Result<_>>()?,
            options,
            columns,
            key,
            places: HashMap::default(),
            numbers: Vec::new(),
            lines: 0,
            bytes: 0,
            took: Duration::ZERO,
        }))
    }

    /// Adds the lines of a file.
    pub fn read(&mut self, input: Input, sink: &mut Sink<'_>) -> Result<()> {
        let started = Instant::now();
        // The columns of a line lie in it, so their list cannot outlive it; two per line are cheap where they are on the stack.
        each_line(input, |line, place| {
            self.bytes += line.len() as u64 + 1;
            if line.is_empty() {
                return Ok(());
            }
            match self.add(line, place)? {
                Ok(()) => Ok(()),
                Err(reason) => sink.bad(place.to_string(), reason, line),
            }
        })?;
        self.took += started.elapsed();
        Ok(())
    }

    /// Adds a line; why it cannot be, where it is not as it should.
    fn add(&mut self, line: &[u8], place: Place<'_>) -> Result<Result<(), String>> {
        let mut columns = Vec::with_capacity(self.columns.fields.len());
        if let Err(reason) = self.columns.split(line, &mut columns) {
            return Ok(Err(reason));
        }
        let mut sums = [0; SUMS_MAX];
        for (term, sum) in self.terms.iter().zip(&mut sums) {
            match amount(term, &columns) {
                Ok(amount) => *sum = amount,
                Err(reason) => return Ok(Err(reason)),
            }
        }
        let width = 1 + self.terms.len();
        let next = self.numbers.len();
        let at = *self.places.entry(Key::of(columns[self.key])).or_insert(next);
        if at == next {
            self.numbers.resize(next + width, 0);
        }
        let numbers = &mut self.numbers[at..at + width];
        numbers[0] += 1;
        for (number, sum) in numbers[1..].iter_mut().zip(sums) {
            *number = number
                .checked_add(sum)
                .ok_or_else(|| anyhow!("{place}: a sum goes beyond 64 bits"))?;
        }
        self.lines += 1;
        Ok(Ok(()))
    }

    /// Gives a document for each group, and says how quick the lines were read.
    pub fn finish(self, sink: &mut Sink<'_>) -> Result<()> {
        let seconds = self.took.as_secs_f64();
        eprintln!(
            "read {} lines in {} groups in {seconds:.2} s ({:.0} MB/s)",
            self.lines,
            self.places.len(),
            self.bytes as f64 / 1e6 / seconds.max(1e-9)
        );
        let field = &self.columns.fields[self.key];
        for (key, at) in &self.places {
            let text = String::from_utf8_lossy(key.text());
            let place = format!("group {text}");
            let id = match infer::value_of(&text, field.kind) {
                Ok(id) => id.unwrap_or(Value::Null),
                Err(reason) => {
                    sink.bad(place, reason, key.text())?;
                    continue;
                }
            };
            let mut document = Document::new().with("_id", id).with("count", self.numbers[*at]);
            for (sum, number) in self.options.sum.iter().zip(&self.numbers[at + 1..]) {
                document.push(sum.name.as_str(), *number);
            }
            sink.document(place, document)?;
        }
        Ok(())
    }
}

/// Sums at most, so that those of a line need no memory of their own.
pub const SUMS_MAX: usize = 8;

fn amount(term: &Term, columns: &[&[u8]]) -> Result<i64, String> {
    let number = |(at, kind): (usize, Kind)| infer::integral(columns[at], kind);
    let plus = number(term.plus)?;
    match term.minus {
        None => Ok(plus),
        Some(minus) => plus
            .checked_sub(number(minus)?)
            .ok_or_else(|| "a difference goes beyond 64 bits".to_owned()),
    }
}

/// The place and type of a column.
fn column(fields: &[ColumnType], name: &str) -> Result<(usize, Kind)> {
    let at = fields.iter().position(|field| field.name == name);
    let at = at.with_context(|| {
        let known: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
        format!("--fields names no column '{name}', but {}", known.join(", "))
    })?;
    Ok((at, fields[at].kind))
}

fn number_column(fields: &[ColumnType], name: &str) -> Result<(usize, Kind)> {
    let found = column(fields, name)?;
    match found.1 {
        Kind::Int | Kind::Date => Ok(found),
        _ => bail!(
            "--sum adds up integers and dates (in milliseconds): give '{name}' the type int or date in --fields"
        ),
    }
}
