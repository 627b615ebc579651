//! Aggregations by the columns of an index, without the documents.
//!
//! Entries whose values are alike, for all that is asked, are counted together and collected once, as if they were one document that
//! counts so often: an hourly histogram of millions of entries collects some hundred of them.

use super::composite::Kind;
use super::histogram::{Interval, Width};
use super::metrics::MetricKind;
use super::values::Source;
use super::{Aggregations, Spec};
use crate::indexed::Layout;
use crate::matching::Node;
use fulltext::{Block, Columns, Key, Number, Value};
use jiff::tz::TimeZone;
use mapping::fields::{Row, Term};
use mapping::{Field, FieldKind, Mapping};
use std::collections::HashMap;
use std::sync::Arc;

/// The different entries that are counted before they are collected.
const GROUPS_MAX: usize = 10_000;
/// The bytes of their values.
const GROUPS_BYTES_MAX: usize = 2 << 20;
/// The values of a group that differ from those of others only within a bucket.
const BUCKETS_MAX: usize = 100_000;

/// Values that were found, each row with how many entries have it.
#[derive(Debug)]
pub struct Rows(pub(crate) Vec<(Row, u64)>);

/// Columns that say all that aggregations ask.
#[derive(Debug)]
pub struct Grouping {
    fields: Vec<OneField>,
    /// How often entries with these values were found: of each column the number of values, then those.
    groups: HashMap<Box<[u64]>, u64>,
    groups_bytes: usize,
    blocks: Vec<Block>,
    /// The values of one entry.
    values: Vec<u64>,
}

#[derive(Debug)]
struct OneField {
    field: Arc<Field>,
    key: Key,
    /// Buckets, where they are all that is asked of the field.
    buckets: Option<Buckets>,
}

/// The buckets of a histogram: for each the value that was met first.
#[derive(Debug)]
struct Buckets {
    source: Source,
    interval: Interval,
    first: HashMap<u64, u64>,
    /// The bucket that was met last: where it begins, where it ends, its first value.
    last: Option<(f64, f64, u64)>,
}

impl Aggregations {
    /// The columns that say all that these ask; `None` where documents must be asked.
    pub(crate) fn grouping(&self, mapping: &Mapping, layout: &Layout, filters: &[Node]) -> Option<Grouping> {
        let mut sources = Vec::new();
        self.sources(mapping, &mut sources)?;
        let mut fields: Vec<OneField> = Vec::new();
        for (source, interval) in sources {
            // A field that is not mapped has no values.
            let Some(field) = mapping.field(&source.field) else {
                continue;
            };
            let key = layout.key(&field.name)?;
            match fields.iter_mut().find(|known| known.key == key) {
                // What is asked in two ways is kept as it is.
                Some(known) => known.buckets = None,
                None => fields.push(OneField {
                    field: field.clone(),
                    key,
                    buckets: interval.and_then(|interval| Buckets::new(source, interval)),
                }),
            }
        }
        let mut asked = Vec::new();
        filters.iter().try_for_each(|filter| filter.columns(&mut asked))?;
        for field in asked {
            if !has_column(&field, true) {
                return None;
            }
            let key = layout.key(&field.name)?;
            match fields.iter_mut().find(|known| known.key == key) {
                Some(known) => known.buckets = None,
                None => fields.push(OneField {
                    field,
                    key,
                    buckets: None,
                }),
            }
        }
        Some(Grouping {
            blocks: fields.iter().map(|_| Block::default()).collect(),
            fields,
            groups: HashMap::new(),
            groups_bytes: 0,
            values: Vec::new(),
        })
    }

    /// Adds what is asked of columns; `None` where something else is asked.
    fn sources<'a>(
        &'a self,
        mapping: &Mapping,
        out: &mut Vec<(&'a Source, Option<&'a Interval>)>,
    ) -> Option<()> {
        for named in &self.named {
            match &named.spec {
                Spec::Pipeline(_) => continue,
                // A document counts a value once that it has twice, and a column has it once.
                Spec::Terms(source, _) | Spec::Missing(source) => add(source, None, true, mapping, out)?,
                Spec::Metric(source, MetricKind::Cardinality) => add(source, None, true, mapping, out)?,
                Spec::Metric(_, MetricKind::WeightedAvg(_)) => return None,
                Spec::Metric(source, _) | Spec::Range(source, _) => add(source, None, false, mapping, out)?,
                Spec::Histogram(source, interval) => add(source, Some(interval), false, mapping, out)?,
                Spec::Composite(composite) => {
                    for part in &composite.parts {
                        match &part.kind {
                            Kind::Terms => add(&part.source, None, true, mapping, out)?,
                            Kind::Histogram(interval) => {
                                add(&part.source, Some(interval), false, mapping, out)?;
                            }
                            Kind::Tile(_) => return None,
                        }
                    }
                }
                // What they ask is asked of columns, too.
                Spec::Filter(_) | Spec::Filters { .. } | Spec::Adjacency { .. } => {}
                _ => return None,
            }
            named.inner.sources(mapping, out)?;
        }
        Some(())
    }
}

/// Adds what is asked of a column; `None` where the field has none that says it.
fn add<'a>(
    source: &'a Source,
    interval: Option<&'a Interval>,
    may_be_text: bool,
    mapping: &Mapping,
    out: &mut Vec<(&'a Source, Option<&'a Interval>)>,
) -> Option<()> {
    let field = mapping.field(&source.field);
    if field.is_some_and(|field| !has_column(field, may_be_text)) {
        return None;
    }
    out.push((source, interval));
    Some(())
}

/// Whether a field's values are in a column; of a text each value once.
fn has_column(field: &Field, may_be_text: bool) -> bool {
    let is_column = match field.kind {
        FieldKind::Keyword => may_be_text && field.doc_values,
        FieldKind::Integer(..) | FieldKind::Float(_) | FieldKind::Boolean | FieldKind::Date => true,
        _ => false,
    };
    is_column && field.nested.is_none() && field.meta.is_none()
}

impl Grouping {
    /// The keys of its columns.
    pub fn keys(&self) -> Vec<Key> {
        self.fields.iter().map(|field| field.key).collect()
    }

    /// Counts entries of a part of the index; false where [`Grouping::take`] must be called before more come.
    pub fn add(&mut self, columns: &Columns, entries: &[u32]) -> fulltext::Result<bool> {
        for (at, block) in self.blocks.iter_mut().enumerate() {
            columns.read(at, entries, block);
        }
        for entry in 0..entries.len() {
            self.values.clear();
            for (at, (field, block)) in self.fields.iter_mut().zip(&self.blocks).enumerate() {
                let values = block.values(entry);
                self.values.push(values.len() as u64);
                match &mut field.buckets {
                    None => self.values.extend_from_slice(values),
                    Some(buckets) => {
                        for bits in values {
                            let value = number(columns.value(at, *bits)?);
                            self.values.push(buckets.first(*bits, value));
                        }
                    }
                }
            }
            match self.groups.get_mut(&self.values[..]) {
                Some(count) => *count += 1,
                None => {
                    self.groups_bytes += size_of_val(&self.values[..]);
                    self.groups.insert(self.values.as_slice().into(), 1);
                }
            }
        }
        let is_full = |field: &OneField| {
            let buckets = field.buckets.as_ref();
            buckets.is_some_and(|buckets| buckets.first.len() > BUCKETS_MAX)
        };
        let is_room = self.groups.len() <= GROUPS_MAX && self.groups_bytes <= GROUPS_BYTES_MAX;
        Ok(is_room && !self.fields.iter().any(is_full))
    }

    /// What was counted in this part of the index since the last call.
    pub fn take(&mut self, columns: &Columns) -> fulltext::Result<Rows> {
        let mut rows = Vec::with_capacity(self.groups.len());
        self.groups_bytes = 0;
        for (values, count) in std::mem::take(&mut self.groups) {
            let mut rest = &values[..];
            let mut row = Row::with_capacity(self.fields.len());
            for (at, OneField { field, .. }) in self.fields.iter().enumerate() {
                let Some((many, after)) = rest.split_first() else {
                    break;
                };
                let (own, after) = after.split_at(*many as usize);
                rest = after;
                let mut terms = Vec::with_capacity(own.len());
                for bits in own {
                    terms.extend(columns.value(at, *bits)?.and_then(|value| term(field, value)));
                }
                row.push((field.name.clone(), terms));
            }
            rows.push((row, count));
        }
        // Values are other bits in another part.
        for buckets in self.fields.iter_mut().filter_map(|field| field.buckets.as_mut()) {
            buckets.first.clear();
            buckets.last = None;
        }
        Ok(Rows(rows))
    }
}

impl Buckets {
    fn new(source: &Source, interval: &Interval) -> Option<Buckets> {
        // Within what is cut off hard, a bucket's values do not all count.
        interval.hard.is_none().then(|| Buckets {
            source: source.clone(),
            interval: interval.clone(),
            first: HashMap::new(),
            last: None,
        })
    }

    /// The bits of the first value that was met in the bucket of this one.
    fn first(&mut self, bits: u64, value: f64) -> u64 {
        if let Some((from, to, first)) = self.last
            && (from..to).contains(&value)
        {
            return first;
        }
        let Some(from) = self.interval.floor(value, &self.source) else {
            return bits;
        };
        let first = *self.first.entry(from.to_bits()).or_insert(bits);
        // Where clocks are changed, buckets are not as wide as usual. Numbers are rounded on both sides alike.
        let is_even = matches!(self.interval.width, Width::Fixed(_)) && self.source.zone == TimeZone::UTC;
        let end = self.interval.next(from, &self.source).filter(|_| is_even);
        self.last = end.map(|to| (from, to, first));
        first
    }
}

fn number(value: Option<Value>) -> f64 {
    match value {
        Some(Value::Number(Number::Integer(number))) => number as f64,
        Some(Value::Number(Number::Float(number))) => number,
        Some(Value::Text(_)) | None => f64::NAN,
    }
}

/// A value of a column as a document's field has it.
fn term(field: &Field, value: Value) -> Option<Term> {
    Some(match (&field.kind, value) {
        (FieldKind::Date, Value::Number(Number::Integer(ms))) => Term::Date(ms),
        (FieldKind::Boolean, Value::Number(Number::Integer(flag))) => Term::Boolean(flag != 0),
        (FieldKind::Float(_), Value::Number(Number::Integer(number))) => Term::Float(number as f64),
        (_, Value::Number(Number::Integer(number))) => Term::Integer(number),
        (_, Value::Number(Number::Float(number))) => Term::Float(number),
        (_, Value::Text(text)) => Term::Text(text),
    })
}
