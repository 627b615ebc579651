//! `$out` with `timeseries`: not supported yet, but what is wrong in it is told first, as MongoDB does.

use crate::{Code, QueryError, Result};
use language::Fields;
use value::DocumentRef;

/// The longest span of a bucket: a year.
const SPAN_SECONDS_MAX: i64 = 31_536_000;

/// Refuses time-series collections.
pub(super) fn refuse<T>(options: DocumentRef<'_>) -> Result<T> {
    let fields = Fields::new("$out.timeseries", options);
    let time_field = fields.string("timeField")?;
    let meta_field = fields.string("metaField")?;
    let granularity = fields.choice("granularity", &[("seconds", ()), ("minutes", ()), ("hours", ())])?;
    let max_span = fields.integer_within("bucketMaxSpanSeconds", 1..=SPAN_SECONDS_MAX)?;
    let rounding = fields.integer_within("bucketRoundingSeconds", 1..=SPAN_SECONDS_MAX)?;
    fields.finish()?;
    let time_field = time_field.ok_or_else(|| fields.missing("timeField"))?;
    check_name("timeField", time_field)?;
    if let Some(meta_field) = meta_field {
        check_name("metaField", meta_field)?;
        if meta_field == "_id" || meta_field == time_field {
            return Err(QueryError::new(
                Code::INVALID_OPTIONS,
                "The field 'metaField' cannot be \"_id\" or the same as 'timeField'",
            ));
        }
    }
    if max_span != rounding || (granularity.is_some() && rounding.is_some()) {
        return Err(QueryError::new(
            Code::INVALID_OPTIONS,
            "Timeseries 'bucketMaxSpanSeconds' and 'bucketRoundingSeconds' need to be set to equal values, without \
             'granularity'",
        ));
    }
    Err(QueryError::new(
        Code::NOT_IMPLEMENTED,
        "time-series collections are not supported yet",
    ))
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
