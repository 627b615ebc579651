//! `timeseries`: what a time-series collection is made with.

use crate::arguments::{Arguments, Fields};
use crate::error::{CommandError, Result};
use engine::GRANULARITIES;
use value::{Document, Value};

/// The longest span of a bucket: a year.
const SPAN_SECONDS_MAX: i64 = 31_536_000;
/// Options that a time-series collection cannot have.
const INCOMPATIBLE: [&str; 9] = [
    "changeStreamPreAndPostImages",
    "recordIdsReplicated",
    "autoIndexId",
    "idIndex",
    "validator",
    "validationLevel",
    "validationAction",
    "viewOn",
    "pipeline",
];

/// Reads the option, completed as MongoDB lists it.
pub(super) fn parse(create: &Arguments<'_>) -> Result<Option<Document>> {
    let Some(document) = create.document("timeseries")? else {
        return Ok(None);
    };
    let arguments = Fields::new("create.timeseries", document);
    let time_field = arguments.required_string("timeField")?;
    let meta_field = arguments.string("metaField")?;
    let granularity = arguments.string("granularity")?;
    let max_span = seconds(&arguments, "bucketMaxSpanSeconds")?;
    let rounding = seconds(&arguments, "bucketRoundingSeconds")?;
    arguments.finish()?;
    check_name("timeField", time_field)?;
    if let Some(meta_field) = meta_field {
        check_name("metaField", meta_field)?;
        if meta_field == "_id" || meta_field == time_field {
            return Err(CommandError::invalid_options(
                "The field 'metaField' cannot be \"_id\" or the same as 'timeField'",
            ));
        }
    }
    let known = granularity.map(|name| (name, GRANULARITIES.iter().find(|(known, _)| *known == name)));
    if let Some((name, None)) = known {
        return Err(arguments.bad_enumeration("granularity", name).into());
    }
    let granularity = known.and_then(|(_, known)| known);
    check_span(granularity, max_span, rounding)?;
    check_compatible(create)?;
    let mut kept = Document::new();
    kept.push("timeField", time_field);
    if let Some(meta_field) = meta_field {
        kept.push("metaField", meta_field);
    }
    match (granularity, max_span) {
        (None, Some(span)) => {
            kept.push("bucketRoundingSeconds", Value::Int32(span as i32));
            kept.push("bucketMaxSpanSeconds", Value::Int32(span as i32));
        }
        (granularity, _) => {
            let (name, span) = granularity.unwrap_or(&GRANULARITIES[0]);
            kept.push("granularity", *name);
            kept.push("bucketMaxSpanSeconds", Value::Int32(*span as i32));
        }
    }
    Ok(Some(kept))
}

/// A granularity has its own span, which may be named beside it, as listings do; without one, the span and where buckets
/// begin are given as one number twice.
fn check_span(granularity: Option<&(&str, i64)>, max_span: Option<i64>, rounding: Option<i64>) -> Result<()> {
    let refuse = |message: String| Err(CommandError::invalid_options(message));
    match (granularity, max_span, rounding) {
        (Some((name, own)), Some(span), None) if span != *own => refuse(format!(
            "Timeseries 'bucketMaxSpanSeconds' is not configurable to a value other than the default of {own} for the \
             granularity '{name}'"
        )),
        (Some(_), _, Some(_)) => {
            refuse("Timeseries 'bucketRoundingSeconds' is not allowed with 'granularity'".to_owned())
        }
        (None, span, rounding) if span != rounding => refuse(
            "Timeseries 'bucketMaxSpanSeconds' and 'bucketRoundingSeconds' need to be set to equal values"
                .to_owned(),
        ),
        _ => Ok(()),
    }
}

fn check_compatible(create: &Arguments<'_>) -> Result<()> {
    let is_capped = create.flag("capped")?.unwrap_or(false);
    let given = INCOMPATIBLE
        .into_iter()
        .find(|name| create.present(name).is_some());
    let given = given.or(is_capped.then_some("capped"));
    match given {
        Some(name) => Err(CommandError::invalid_options(format!(
            "The field 'timeseries' is not valid together with '{name}'"
        ))),
        None => Ok(()),
    }
}

fn check_name(field: &str, name: &str) -> Result<()> {
    if name.contains('\0') {
        return Err(CommandError::bad_value(format!(
            "'{field}' must not contain null bytes"
        )));
    }
    match name.contains('.') {
        true => Err(CommandError::invalid_options(format!(
            "'{field}' must be a top-level field and not contain a '.'"
        ))),
        false => Ok(()),
    }
}

/// A span of buckets, for `create` and `collMod`.
pub(in crate::commands) fn seconds(arguments: &Fields<'_>, name: &'static str) -> Result<Option<i64>> {
    match arguments.integer(name)? {
        Some(seconds) if !(1..=SPAN_SECONDS_MAX).contains(&seconds) => Err(CommandError::bad_value(format!(
            "BSON field '{name}' value must be >= 1 and <= {SPAN_SECONDS_MAX}, actual value '{seconds}'"
        ))),
        seconds => Ok(seconds),
    }
}
