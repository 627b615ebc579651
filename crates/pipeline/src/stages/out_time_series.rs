//! `timeseries` of `$out`: what the time series is made with that the results become.

use crate::collections::Resolved;
use crate::{Code, QueryError, Result};
use language::Fields;
use store::Namespace;
use value::{Document, DocumentRef, Value};

/// The granularities with the span of a bucket in seconds, the finest first.
pub const GRANULARITIES: [(&str, i64); 3] = [("seconds", 3_600), ("minutes", 86_400), ("hours", 2_592_000)];

/// The longest span of a bucket: a year.
const SPAN_SECONDS_MAX: i64 = 31_536_000;

/// Reads the options, completed as a collection keeps them. The meta field may be any field here, as in MongoDB.
pub(super) fn parse(options: DocumentRef<'_>) -> Result<Document> {
    let fields = Fields::new("$out.timeseries", options);
    let time_field = fields.string("timeField")?;
    let meta_field = fields.string("metaField")?;
    let granularity = fields.choice("granularity", &GRANULARITIES.map(|known| (known.0, known)))?;
    let max_span = fields.integer_within("bucketMaxSpanSeconds", 1..=SPAN_SECONDS_MAX)?;
    let rounding = fields.integer_within("bucketRoundingSeconds", 1..=SPAN_SECONDS_MAX)?;
    fields.finish()?;
    let time_field = time_field.ok_or_else(|| fields.missing("timeField"))?;
    check_name("timeField", time_field)?;
    if let Some(meta_field) = meta_field {
        check_name("metaField", meta_field)?;
    }
    if max_span != rounding || (granularity.is_some() && rounding.is_some()) {
        return Err(QueryError::new(
            Code::INVALID_OPTIONS,
            "Timeseries 'bucketMaxSpanSeconds' and 'bucketRoundingSeconds' need to be set to equal values, without \
             'granularity'",
        ));
    }
    let mut kept = Document::new().with("timeField", time_field);
    if let Some(meta_field) = meta_field {
        kept.push("metaField", meta_field);
    }
    match (granularity, max_span) {
        (None, Some(span)) => {
            kept.push("bucketRoundingSeconds", Value::Int32(span as i32));
            kept.push("bucketMaxSpanSeconds", Value::Int32(span as i32));
        }
        (granularity, _) => {
            let (name, span) = granularity.unwrap_or(GRANULARITIES[0]);
            kept.push("granularity", name);
            kept.push("bucketMaxSpanSeconds", Value::Int32(span as i32));
        }
    }
    Ok(kept)
}

/// Refuses a target that exists and is no such time series.
pub(super) fn check_target(target: &Namespace, present: &Resolved, wanted: &Document) -> Result<()> {
    let Some(collection) = &present.collection else {
        return Ok(());
    };
    match collection.options().kept.get("timeseries") {
        Some(Value::Document(own)) if own == wanted => Ok(()),
        Some(_) => Err(QueryError::new(
            Code::location(7_406_103),
            format!("the time series {target} has other options than those of $out"),
        )),
        None => Err(QueryError::new(
            Code::location(7_268_700),
            format!("Cannot create a time-series collection from a non time-series collection: {target}"),
        )),
    }
}

/// Refuses what is not the name of a field at the top of documents.
fn check_name(option: &str, field: &str) -> Result<()> {
    if field.contains('\0') {
        return Err(QueryError::bad_value(format!(
            "'{option}' must not contain null bytes"
        )));
    }
    if field.contains('.') {
        return Err(QueryError::new(
            Code::INVALID_OPTIONS,
            format!("'{option}' must be a top-level field and not contain a '.'"),
        ));
    }
    Ok(())
}
