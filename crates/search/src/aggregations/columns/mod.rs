//! Aggregations by the columns of an index, without the documents.
//!
//! Entries whose values are alike, for all that is asked, are counted together and collected once, as if they were one document that
//! counts so often: an hourly histogram of millions of entries collects some hundred of them.

mod asked;
mod buckets;

use crate::indexed::unsigned;
use asked::{Form, OneField};
use foldhash::fast::RandomState;
use fulltext::{Block, Columns, Key, Number, Value};
use mapping::fields::Term;
use mapping::rows::{Row, RowValues, Summary};
use mapping::{Field, FieldKind};
use std::collections::HashMap;
use std::fmt::Write;

/// The different entries that are counted before they are collected.
const GROUPS_MAX: usize = 10_000;
/// The bytes of their values.
const GROUPS_BYTES_MAX: usize = 2 << 20;

/// Values that were found, each row with how many entries have it.
#[derive(Debug)]
pub struct Rows(pub(crate) Vec<(Row, u64)>);

impl Rows {
    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// About the bytes that they take.
    pub fn bytes(&self) -> usize {
        let of_values = |values: &RowValues| match values {
            RowValues::Each(terms) => terms.iter().map(term_bytes).sum(),
            RowValues::Summary(_) => 0,
        };
        let of_row = |(row, _): &(Row, u64)| {
            let fields = row.iter();
            let of_fields = fields
                .map(|(name, values)| size_of::<(String, RowValues)>() + name.len() + of_values(values));
            size_of::<(Row, u64)>() + of_fields.sum::<usize>()
        };
        self.0.iter().map(of_row).sum()
    }
}

fn term_bytes(term: &Term) -> usize {
    let text = match term {
        Term::Text(text) => text.len(),
        _ => 0,
    };
    size_of::<Term>() + text
}

/// Columns that say all that aggregations ask.
#[derive(Debug)]
pub struct Grouping {
    fields: Vec<OneField>,
    /// The entries with these values: of each column that tells entries apart, the number of values, then those.
    groups: HashMap<Box<[u64]>, Group, RandomState>,
    groups_bytes: usize,
    blocks: Vec<Block>,
    /// The values of one entry.
    values: Vec<u64>,
}

/// Entries that are alike.
#[derive(Debug)]
struct Group {
    count: u64,
    /// For each field that is summarized, what its values add up to.
    summaries: Box<[Summary]>,
}

impl Grouping {
    fn new(fields: Vec<OneField>) -> Grouping {
        Grouping {
            blocks: fields.iter().map(|_| Block::default()).collect(),
            fields,
            groups: HashMap::default(),
            groups_bytes: 0,
            values: Vec::new(),
        }
    }

    /// The keys of its columns.
    pub fn keys(&self) -> Vec<Key> {
        self.fields.iter().map(|field| field.key).collect()
    }

    /// What is asked of the columns, in words, of which two are the same only where the same is found. Of a grouping that nothing was
    /// added to.
    pub fn name(&self) -> String {
        let mut name = String::new();
        for OneField { field, key, form } in &self.fields {
            let _ = write!(name, "{key:?} {:?} {:?} {form:?};", field.name, field.kind);
        }
        name
    }

    /// Counts entries of a part of the index; false where [`Grouping::take`] must be called before more come.
    pub fn add(&mut self, columns: &Columns, entries: &[u32]) -> fulltext::Result<bool> {
        for (at, block) in self.blocks.iter_mut().enumerate() {
            columns.read(at, entries, block);
        }
        for entry in 0..entries.len() {
            self.key(columns, entry)?;
            let summarized = self.fields.iter().zip(&self.blocks).enumerate();
            let summarized = summarized.filter(|(_, (field, _))| matches!(field.form, Form::Summary));
            let group = match self.groups.get_mut(&self.values[..]) {
                Some(group) => group,
                None => {
                    let group = Group {
                        count: 0,
                        summaries: summarized.clone().map(|_| Summary::default()).collect(),
                    };
                    self.groups_bytes += size_of_val(&self.values[..]) + size_of_val(&group.summaries[..]);
                    self.groups.entry(self.values.as_slice().into()).or_insert(group)
                }
            };
            group.count += 1;
            for ((at, (field, block)), summary) in summarized.zip(&mut group.summaries) {
                for bits in block.values(entry) {
                    let value = number(&field.field, columns.value(at, *bits)?);
                    summary.add(value, 1);
                }
            }
        }
        let is_full = |field: &OneField| matches!(&field.form, Form::Buckets(buckets) if buckets.are_full());
        let is_room = self.groups.len() <= GROUPS_MAX && self.groups_bytes <= GROUPS_BYTES_MAX;
        Ok(is_room && !self.fields.iter().any(is_full))
    }

    /// Reads what tells an entry of the blocks apart from others.
    fn key(&mut self, columns: &Columns, entry: usize) -> fulltext::Result<()> {
        self.values.clear();
        for (at, (field, block)) in self.fields.iter_mut().zip(&self.blocks).enumerate() {
            let values = block.values(entry);
            if !matches!(field.form, Form::Summary) {
                self.values.push(values.len() as u64);
            }
            match &mut field.form {
                Form::Summary => {}
                Form::Values => self.values.extend_from_slice(values),
                Form::Buckets(buckets) => {
                    for bits in values {
                        let value = number(&field.field, columns.value(at, *bits)?);
                        self.values.push(buckets.first(*bits, value));
                    }
                }
            }
        }
        Ok(())
    }

    /// What was counted in this part of the index since the last call.
    pub fn take(&mut self, columns: &Columns) -> fulltext::Result<Rows> {
        let mut rows = Vec::with_capacity(self.groups.len());
        self.groups_bytes = 0;
        for (values, group) in std::mem::take(&mut self.groups) {
            rows.push((self.row(columns, &values, &group)?, group.count));
        }
        // Values are other bits in another part.
        for field in &mut self.fields {
            if let Form::Buckets(buckets) = &mut field.form {
                buckets.clear();
            }
        }
        Ok(Rows(rows))
    }

    /// A group as a document would be seen.
    fn row(&self, columns: &Columns, values: &[u64], group: &Group) -> fulltext::Result<Row> {
        let (mut rest, mut summaries) = (values, group.summaries.iter());
        let mut row = Row::with_capacity(self.fields.len());
        for (at, OneField { field, form, .. }) in self.fields.iter().enumerate() {
            let values = match form {
                Form::Summary => RowValues::Summary(summaries.next().copied().unwrap_or_default()),
                Form::Values | Form::Buckets(_) => {
                    let own = own(&mut rest);
                    let mut terms = Vec::with_capacity(own.len());
                    for bits in own {
                        terms.extend(columns.value(at, *bits)?.and_then(|value| term(field, value)));
                    }
                    RowValues::Each(terms)
                }
            };
            row.push((field.name.clone(), values));
        }
        Ok(row)
    }
}

/// Takes a column's values off the front.
fn own<'v>(rest: &mut &'v [u64]) -> &'v [u64] {
    let Some((many, after)) = rest.split_first() else {
        return &[];
    };
    let (own, after) = after.split_at(*many as usize);
    *rest = after;
    own
}

fn number(field: &Field, value: Option<Value>) -> f64 {
    match value {
        Some(Value::Number(Number::Integer(number))) => match field.kind {
            FieldKind::Unsigned => unsigned(number) as f64,
            _ => number as f64,
        },
        Some(Value::Number(Number::Float(number))) => number,
        Some(Value::Text(_)) | None => f64::NAN,
    }
}

/// A value of a column as a document's field has it.
fn term(field: &Field, value: Value) -> Option<Term> {
    Some(match (&field.kind, value) {
        (FieldKind::Date, Value::Number(Number::Integer(ms))) => Term::Date(ms),
        (FieldKind::Boolean, Value::Number(Number::Integer(flag))) => Term::Boolean(flag != 0),
        (FieldKind::Unsigned, Value::Number(Number::Integer(number))) => Term::Unsigned(unsigned(number)),
        (FieldKind::Float(_), Value::Number(Number::Integer(number))) => Term::Float(number as f64),
        (_, Value::Number(Number::Integer(number))) => Term::Integer(number),
        (_, Value::Number(Number::Float(number))) => Term::Float(number),
        (_, Value::Text(text)) => Term::Text(text),
    })
}
