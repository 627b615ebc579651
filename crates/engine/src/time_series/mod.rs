//! Time-series collections: ordinary collections whose documents each have a time, with MongoDB's rules for them.
//!
//! Documents are kept one by one, not in buckets; how buckets are cut (`granularity`, `bucketMaxSpanSeconds`) is
//! checked, kept, listed, and followed where somebody asks for the [`buckets`]. Old documents go by the collection's
//! `expireAfterSeconds`.

pub(crate) mod buckets;
mod present;
mod unpack;

use crate::error::{Error, Result};
use crate::write::UpdateStatement;
use code::Code;
use store::{CollectionOptions, IndexSpec, Wildcard};
use value::{Document, DocumentBuf, Value, ValueRef, doc};

const INVALID_OPTIONS: Code = Code::INVALID_OPTIONS;
const CANNOT_CREATE_INDEX: Code = Code::CANNOT_CREATE_INDEX;

pub use pipeline::GRANULARITIES;

/// Buckets of these granularities begin at whole multiples of this many seconds.
const ROUNDING_SECONDS: [i64; 3] = [60, 3_600, 86_400];

/// The most bytes of a measurement: a bucket of it has its values three times (MongoDB's limit).
const MEASUREMENT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// What `collMod` changes of a time-series collection; none leaves it.
#[derive(Clone, Debug, Default)]
pub struct TimeSeriesChange {
    /// A coarser granularity.
    pub granularity: Option<String>,
    /// A longer span of the buckets.
    pub bucket_max_span_seconds: Option<i64>,
    /// The same, for where they begin.
    pub bucket_rounding_seconds: Option<i64>,
}

/// What makes a collection a time series.
#[derive(Clone, Debug)]
pub(crate) struct TimeSeries {
    time_field: String,
    meta_field: Option<String>,
    span_seconds: i64,
    rounding_seconds: i64,
}

impl pipeline::DocumentCheck for TimeSeries {
    fn check(&self, document: &DocumentBuf) -> query::Result<()> {
        Ok(self.check_document(document)?)
    }
}

impl TimeSeries {
    /// The time series of a collection's options; `None` if it is none.
    pub(crate) fn of(options: &CollectionOptions) -> Option<TimeSeries> {
        let Some(Value::Document(kept)) = options.kept.get("timeseries") else {
            return None;
        };
        let name = |field| match kept.get(field) {
            Some(Value::String(name)) => Some(name.clone()),
            _ => None,
        };
        let seconds = |field| kept.get(field)?.as_ref().as_f64().map(|seconds| seconds as i64);
        let granularity = name("granularity");
        let known = GRANULARITIES.iter().zip(ROUNDING_SECONDS);
        let (own_span, own_rounding) = known
            .filter(|((known, _), _)| granularity.as_deref() == Some(known))
            .map(|((_, span), rounding)| (*span, rounding))
            .next()
            .unwrap_or((GRANULARITIES[0].1, ROUNDING_SECONDS[0]));
        Some(TimeSeries {
            time_field: name("timeField")?,
            meta_field: name("metaField"),
            span_seconds: seconds("bucketMaxSpanSeconds").unwrap_or(own_span).max(1),
            rounding_seconds: seconds("bucketRoundingSeconds").unwrap_or(own_rounding).max(1),
        })
    }

    /// The index that a series with a meta field has from the start.
    pub(crate) fn first_index(&self) -> Option<IndexSpec> {
        let meta = self
            .meta_field
            .as_deref()
            .filter(|meta| *meta != self.time_field)?;
        let name = format!("{meta}_1_{}_1", self.time_field);
        Some(IndexSpec::new(
            name,
            doc! {meta: 1, (self.time_field.as_str()): 1},
        ))
    }

    /// Refuses a document without a time, and one that is too large.
    pub(crate) fn check_document(&self, document: &DocumentBuf) -> Result<()> {
        let size = document.bytes().len();
        if size > MEASUREMENT_BYTES_MAX {
            let message =
                format!("a document of a time series has at most {MEASUREMENT_BYTES_MAX} bytes, not {size}");
            return Err(Error::new(Code::BSON_OBJECT_TOO_LARGE, message));
        }
        match document.as_raw().get(&self.time_field) {
            Some(ValueRef::DateTime(_)) => Ok(()),
            _ => Err(Error::new(
                Code::BAD_VALUE,
                format!(
                    "'{}' must be present and contain a valid BSON UTC datetime value",
                    self.time_field
                ),
            )),
        }
    }

    /// Refuses an update of more than the meta field.
    pub(crate) fn check_update(&self, statement: &UpdateStatement) -> Result<()> {
        let refuse = |what: &str| {
            let message = format!("Cannot perform {what} on a time-series collection");
            Err(Error::new(INVALID_OPTIONS, message))
        };
        if !statement.multi {
            return refuse("a non-multi update");
        }
        if statement.upsert {
            return refuse("an upsert");
        }
        let Some(Value::Document(operators)) = &statement.update else {
            return refuse("an update with a pipeline");
        };
        if !self.asks_only_meta(&statement.filter) {
            return refuse("an update whose query names more than the metaField");
        }
        for (operator, operand) in operators.iter() {
            let Value::Document(fields) = operand else {
                return refuse("a replacement");
            };
            let others = fields.iter().any(|(path, _)| !self.is_meta(path));
            if !operator.starts_with('$') || operator == "$rename" || others {
                return refuse("an update of more than the metaField");
            }
        }
        Ok(())
    }

    fn is_meta(&self, path: &str) -> bool {
        self.meta_field
            .as_deref()
            .is_some_and(|meta| path.split('.').next() == Some(meta))
    }

    fn asks_only_meta(&self, filter: &Document) -> bool {
        filter.iter().all(|(name, value)| match value {
            Value::Array(branches) if name.starts_with('$') => branches
                .iter()
                .all(|branch| matches!(branch, Value::Document(branch) if self.asks_only_meta(branch))),
            _ => !name.starts_with('$') && self.is_meta(name),
        })
    }

    /// Refuses an index that is asked for with both a condition and a collation.
    pub(crate) fn check_given_index(spec: &Document) -> Result<()> {
        match spec.contains("partialFilterExpression") && spec.contains("collation") {
            true => Err(Error::new(
                Code::INDEX_OPTIONS_CONFLICT,
                "On a time-series collection, partialFilterExpression and collation arguments are incompatible",
            )),
            false => Ok(()),
        }
    }

    /// Refuses indexes that a time series cannot have.
    pub(crate) fn check_index(&self, spec: &IndexSpec) -> Result<()> {
        let refuse = |code, what: &str| {
            let message = format!("{what} indexes are not supported on time-series collections");
            Err(Error::new(code, message))
        };
        for (path, kind) in spec.key.iter() {
            match kind {
                Value::String(kind) if kind == "text" => return refuse(INVALID_OPTIONS, "text"),
                Value::String(kind) if path == self.time_field => {
                    return refuse(CANNOT_CREATE_INDEX, kind);
                }
                Value::String(kind) if matches!(kind.as_str(), "hashed" | "2d") && !self.is_meta(path) => {
                    return refuse(CANNOT_CREATE_INDEX, kind);
                }
                _ if Wildcard::is_pattern(path) && !self.is_meta(path) => {
                    return refuse(Code::location(7_246_201), "wildcard");
                }
                _ => {}
            }
        }
        if spec.unique || spec.prepare_unique {
            return refuse(INVALID_OPTIONS, "unique");
        }
        let is_of_measurement = |path: &str| path != self.time_field && !self.is_meta(path);
        if spec.sparse && spec.key.iter().any(|(path, _)| is_of_measurement(path)) {
            return refuse(INVALID_OPTIONS, "sparse");
        }
        let on_time = spec.key.len() == 1 && spec.key.contains(&self.time_field);
        let of_meta = |filter: &Document| self.asks_only_meta(filter);
        if spec.expire_after_seconds.is_some()
            && !(on_time && spec.partial_filter.as_ref().is_some_and(of_meta))
        {
            return refuse(
                INVALID_OPTIONS,
                "TTL (without a partialFilterExpression on the metaField)",
            );
        }
        Ok(())
    }
}

/// The option `timeseries` after a change.
pub(crate) fn changed(present: &Document, change: &TimeSeriesChange) -> Result<Document> {
    let refuse = |message: &str| Err(Error::new(INVALID_OPTIONS, message));
    let mut changed = present.clone();
    let span = |document: &Document| {
        let span = document.get("bucketMaxSpanSeconds");
        span.and_then(|span| span.as_ref().as_f64()).unwrap_or_default() as i64
    };
    if let Some(granularity) = &change.granularity {
        let Some((_, seconds)) = GRANULARITIES.iter().find(|(name, _)| name == granularity) else {
            return Err(Error::new(
                Code::BAD_VALUE,
                format!("Enumeration value '{granularity}' for field 'granularity' is not a valid value."),
            ));
        };
        if change
            .bucket_max_span_seconds
            .is_some_and(|given| given != *seconds)
        {
            return refuse("'bucketMaxSpanSeconds' of a granularity is not free to choose");
        }
        if *seconds < span(present) {
            return refuse("the granularity of a time series can only become coarser");
        }
        changed.remove("bucketRoundingSeconds");
        changed.set("granularity", granularity.as_str());
        changed.set("bucketMaxSpanSeconds", Value::Int32(*seconds as i32));
        return Ok(changed);
    }
    match (change.bucket_max_span_seconds, change.bucket_rounding_seconds) {
        (None, None) => Ok(changed),
        (Some(given), Some(rounding)) if given == rounding => {
            if given < span(present) {
                return refuse("'bucketMaxSpanSeconds' of a time series can only grow");
            }
            changed.remove("granularity");
            changed.set("bucketMaxSpanSeconds", Value::Int32(given as i32));
            changed.set("bucketRoundingSeconds", Value::Int32(given as i32));
            Ok(changed)
        }
        _ => refuse("'bucketMaxSpanSeconds' and 'bucketRoundingSeconds' must be set to the same value"),
    }
}
