//! `--group-by`: what is imported is not the lines but one document a group, with how many lines it has and sums.
//!
//! Groups are made while lines are read: columns are not made into values, and only the groups are kept. Their table is
//! larger than the processor's caches, so that what is to be added waits until some lines are together ([`Pending`]).

use super::columns::Columns;
use super::infer;
use super::input::Input;
use super::lines::each_line;
use super::options::{ColumnType, ImportOptions, Kind};
use super::reader::Sink;
use anyhow::{Context, Result, bail};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::ops::Range;
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

/// The text of a group's key, in words, so that those of usual length lie in the table itself.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ShortKey([u64; 2]);

impl ShortKey {
    /// Up to 15 bytes, then how many.
    fn of(text: &[u8]) -> Option<ShortKey> {
        if text.len() > SHORT_KEY_BYTES_MAX {
            return None;
        }
        let mut bytes = [0; SHORT_KEY_BYTES_MAX + 1];
        bytes[..text.len()].copy_from_slice(text);
        bytes[SHORT_KEY_BYTES_MAX] = text.len() as u8;
        let whole = u128::from_le_bytes(bytes);
        Some(ShortKey([whole as u64, (whole >> 64) as u64]))
    }

    fn text(self) -> Vec<u8> {
        let [low, high] = self.0;
        let bytes = (u128::from(high) << 64 | u128::from(low)).to_le_bytes();
        bytes[..usize::from(bytes[SHORT_KEY_BYTES_MAX])].to_vec()
    }
}

impl Hash for ShortKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0[0]);
        state.write_u64(self.0[1]);
    }
}

/// Lines that are taken apart but not added to their groups.
///
/// To find a group and to add to it waits for memory. In short loops that do nothing else the processor waits for some
/// lines at a time; between the long work of taking lines apart it would wait for each.
#[derive(Default)]
struct Pending {
    keys: Vec<Key>,
    /// For each key the amounts of its sums.
    amounts: Vec<i64>,
    /// For each key its group.
    groups: Vec<usize>,
}

/// A key, or its group where the key is long: that was looked up while the line was there.
enum Key {
    Short(ShortKey),
    Long(usize),
}

/// Lines that are added together.
const PENDING_MAX: usize = 256;

/// Which group a key has, by the order in which they came.
#[derive(Default)]
struct Keys {
    short: HashMap<ShortKey, usize, RandomState>,
    long: HashMap<Box<[u8]>, usize, RandomState>,
}

impl Keys {
    fn short(&mut self, key: ShortKey) -> usize {
        let next = self.len();
        *self.short.entry(key).or_insert(next)
    }

    fn long(&mut self, text: &[u8]) -> usize {
        if let Some(known) = self.long.get(text) {
            return *known;
        }
        let next = self.len();
        self.long.insert(text.into(), next);
        next
    }

    fn len(&self) -> usize {
        self.short.len() + self.long.len()
    }

    /// All keys with the numbers of their groups.
    fn iter(&self) -> impl Iterator<Item = (Vec<u8>, usize)> {
        let short = self.short.iter().map(|(key, group)| (key.text(), *group));
        let long = self.long.iter().map(|(key, group)| (key.to_vec(), *group));
        short.chain(long)
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
    keys: Keys,
    pending: Pending,
    /// For each group the number of its lines, then its sums.
    numbers: Vec<i64>,
    /// Where the columns of the present line lie.
    ranges: Vec<Range<usize>>,
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
            keys: Keys::default(),
            pending: Pending::default(),
            ranges: Vec::new(),
            numbers: Vec::new(),
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
            if let Err(reason) = self.take(line) {
                return sink.bad(place.to_string(), reason, line);
            }
            match self.pending.keys.len() {
                PENDING_MAX.. => self.settle(),
                _ => Ok(()),
            }
        })?;
        self.settle()?;
        self.took += started.elapsed();
        Ok(())
    }

    /// Takes a line apart; why it cannot be, where it is not as it should.
    fn take(&mut self, line: &[u8]) -> Result<(), String> {
        self.columns.split(line, &mut self.ranges)?;
        let mut amounts = [0; SUMS_MAX];
        for (term, sum) in self.terms.iter().zip(&mut amounts) {
            *sum = amount(term, line, &self.ranges)?;
        }
        let key = &line[self.ranges[self.key].clone()];
        self.pending.keys.push(match ShortKey::of(key) {
            Some(key) => Key::Short(key),
            None => Key::Long(self.keys.long(key)),
        });
        self.pending
            .amounts
            .extend_from_slice(&amounts[..self.terms.len()]);
        self.lines += 1;
        Ok(())
    }

    /// Adds what is pending to its groups.
    fn settle(&mut self) -> Result<()> {
        let Pending {
            keys,
            amounts,
            groups,
        } = &mut self.pending;
        for key in keys.drain(..) {
            groups.push(match key {
                Key::Short(key) => self.keys.short(key),
                Key::Long(group) => group,
            });
        }
        let sums = self.terms.len();
        let width = 1 + sums;
        self.numbers.resize(self.keys.len() * width, 0);
        for (line, group) in groups.drain(..).enumerate() {
            let numbers = &mut self.numbers[group * width..][..width];
            numbers[0] += 1;
            for (number, amount) in numbers[1..].iter_mut().zip(&amounts[line * sums..]) {
                *number = number
                    .checked_add(*amount)
                    .context("a sum of --sum goes beyond 64 bits")?;
            }
        }
        amounts.clear();
        Ok(())
    }

    /// Gives a document for each group, and says how quick the lines were read.
    pub fn finish(self, sink: &mut Sink<'_>) -> Result<()> {
        let seconds = self.took.as_secs_f64();
        eprintln!(
            "read {} lines in {} groups in {seconds:.2} s ({:.0} MB/s)",
            self.lines,
            self.keys.len(),
            self.bytes as f64 / 1e6 / seconds.max(1e-9)
        );
        let field = &self.columns.fields[self.key];
        let width = 1 + self.terms.len();
        for (key, number) in self.keys.iter() {
            let numbers = &self.numbers[number * width..][..width];
            let text = String::from_utf8_lossy(&key);
            let place = format!("group {text}");
            let id = match infer::value_of(&text, field.kind) {
                Ok(id) => id.unwrap_or(Value::Null),
                Err(reason) => {
                    sink.bad(place, reason, &key)?;
                    continue;
                }
            };
            let mut document = Document::new().with("_id", id).with("count", numbers[0]);
            for (sum, number) in self.options.sum.iter().zip(&numbers[1..]) {
                document.push(sum.name.as_str(), *number);
            }
            sink.document(place, document)?;
        }
        Ok(())
    }
}

/// Sums at most, so that those of a line need no memory of their own.
pub const SUMS_MAX: usize = 8;

fn amount(term: &Term, line: &[u8], columns: &[Range<usize>]) -> Result<i64, String> {
    let number = |(at, kind): (usize, Kind)| infer::integral(&line[columns[at].clone()], kind);
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
