//! `--group-by`: what is imported is not the lines but one document a group, with how many lines it has and sums.
//!
//! Groups are made while lines are read: columns are not made into values, and only the groups are kept ([`Tally`]).

use super::columns::Columns;
use super::infer;
use super::input::{Input, NOT_UTF8};
use super::lines::each_line;
use super::options::{ColumnType, FieldType, ImportOptions, Sum};
use super::sink::Sink;
use super::tally::Tally;
use anyhow::{Context, Result, bail};
use std::ops::Range;
use std::time::{Duration, Instant};
use value::{Document, Value};

/// A sum with its columns found.
struct Term {
    plus: (usize, FieldType),
    minus: Option<(usize, FieldType)>,
}

impl Term {
    /// What a line adds to the sum.
    fn amount(&self, line: &[u8], columns: &[Range<usize>]) -> Result<i64, String> {
        let number = |(at, kind): (usize, FieldType)| infer::integral(&line[columns[at].clone()], kind);
        let plus = number(self.plus)?;
        match self.minus {
            None => Ok(plus),
            Some(minus) => plus
                .checked_sub(number(minus)?)
                .ok_or_else(|| "a difference goes beyond 64 bits".to_owned()),
        }
    }
}

/// The groups of all files.
pub struct Groups<'a> {
    options: &'a ImportOptions,
    columns: Columns<'a>,
    key: usize,
    terms: Vec<Term>,
    tally: Tally,
    /// Where the columns of the present line lie.
    ranges: Vec<Range<usize>>,
    /// What the present line adds to each sum.
    amounts: [i64; SUMS_MAX],
    lines: u64,
    bytes: u64,
    took: Duration,
}

impl<'a> Groups<'a> {
    /// The groups that the options ask for; `None` if they ask for none.
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
            tally: Tally::new(options.sum.len()),
            ranges: Vec::new(),
            amounts: [0; SUMS_MAX],
            lines: 0,
            bytes: 0,
            took: Duration::ZERO,
        }))
    }

    /// Adds the lines of a file.
    pub fn read(&mut self, input: Input, sink: &mut Sink<'_>) -> Result<()> {
        let started = Instant::now();
        each_line(input, |line, place| {
            self.bytes += line.len() as u64 + 1;
            if line.is_empty() {
                return Ok(());
            }
            if let Err(reason) = self.take_apart(line) {
                return sink.bad(place.to_string(), reason, line);
            }
            self.lines += 1;
            let key = &line[self.ranges[self.key].clone()];
            self.tally.add(key, &self.amounts[..self.terms.len()])
        })?;
        self.tally.settle()?;
        self.took += started.elapsed();
        Ok(())
    }

    /// Finds the columns of a line and what it adds to each sum, or says why it cannot.
    fn take_apart(&mut self, line: &[u8]) -> Result<(), String> {
        self.columns.split(line, &mut self.ranges)?;
        for (term, amount) in self.terms.iter().zip(&mut self.amounts) {
            *amount = term.amount(line, &self.ranges)?;
        }
        Ok(())
    }

    /// Passes on a document for each group, and says how quickly the lines were read.
    pub fn finish(self, sink: &mut Sink<'_>) -> Result<()> {
        let seconds = self.took.as_secs_f64();
        eprintln!(
            "read {} lines in {} groups in {seconds:.2} s ({:.0} MB/s)",
            self.lines,
            self.tally.len(),
            self.bytes as f64 / 1e6 / seconds.max(1e-9)
        );
        let field = &self.columns.fields[self.key];
        for (key, numbers) in self.tally.iter() {
            let place = format!("group {}", String::from_utf8_lossy(&key));
            // Others would get the same `_id`.
            let Ok(text) = std::str::from_utf8(&key) else {
                sink.bad(place, NOT_UTF8.to_owned(), &key)?;
                continue;
            };
            let id = match infer::value_of(text, field.kind) {
                Ok(id) => id.unwrap_or(Value::Null),
                Err(reason) => {
                    sink.bad(place, reason, &key)?;
                    continue;
                }
            };
            let [id_field, count_field] = GROUP_FIELDS;
            let mut document = Document::new().with(id_field, id).with(count_field, numbers[0]);
            for (sum, number) in self.options.sum.iter().zip(&numbers[1..]) {
                document.push(sum.name.as_str(), *number);
            }
            sink.document(place, document)?;
        }
        Ok(())
    }
}

/// The fields that the document of a group has besides its sums.
pub const GROUP_FIELDS: [&str; 2] = ["_id", "count"];

/// The most sums, so that those of a line need no memory of their own.
pub const SUMS_MAX: usize = 8;

/// The place and type of a column.
fn column(fields: &[ColumnType], name: &str) -> Result<(usize, FieldType)> {
    let at = fields.iter().position(|field| field.name == name);
    let at = at.with_context(|| {
        let known: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
        format!("--fields names no column '{name}', but {}", known.join(", "))
    })?;
    Ok((at, fields[at].kind))
}

fn number_column(fields: &[ColumnType], name: &str) -> Result<(usize, FieldType)> {
    let found = column(fields, name)?;
    match found.1 {
        FieldType::Int | FieldType::Date => Ok(found),
        _ => bail!(
            "--sum adds up integers and dates (in milliseconds): give '{name}' the type int or date in --fields"
        ),
    }
}
