//! `timeseries`: not supported yet, but what is wrong in it is told first, as MongoDB does.

use crate::arguments::Arguments;
use crate::error::{CommandError, Result};
use value::ValueRef;

/// The longest span of a bucket: a year.
const SPAN_SECONDS_MAX: i64 = 31_536_000;
/// Options that a time-series collection cannot have.
const INCOMPATIBLE: [&str; 8] = [
    "capped",
    "autoIndexId",
    "idIndex",
    "validator",
    "validationLevel",
    "validationAction",
    "viewOn",
    "pipeline",
];

/// Refuses time-series collections.
pub(super) fn refuse(create: &Arguments<'_>) -> Result<()> {
    let Some(document) = create.document("timeseries")? else {
        return Ok(());
    };
    let arguments = Arguments::of_document("create.timeseries", document);
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
    if let Some(granularity) = granularity
        && !["seconds", "minutes", "hours"].contains(&granularity)
    {
        return Err(arguments.bad_enumeration("granularity", granularity));
    }
    if max_span != rounding || (granularity.is_some() && rounding.is_some()) {
        return Err(CommandError::invalid_options(
            "Timeseries 'bucketMaxSpanSeconds' and 'bucketRoundingSeconds' need to be set to equal values, without 'granularity'",
        ));
    }
    let refused = |name: &&str| {
        create
            .document_ref()
            .get(name)
            .is_some_and(|value| !matches!(value, ValueRef::Bool(false)))
    };
    if let Some(name) = INCOMPATIBLE.iter().find(|name| refused(name)) {
        let message = format!("The field 'timeseries' is not valid together with '{name}'");
        return Err(CommandError::invalid_options(message));
    }
    Err(CommandError::new(
        238,
        "time-series collections are not supported yet",
    ))
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

fn seconds(arguments: &Arguments<'_>, name: &'static str) -> Result<Option<i64>> {
    match arguments.integer(name)? {
        Some(seconds) if !(1..=SPAN_SECONDS_MAX).contains(&seconds) => Err(CommandError::bad_value(format!(
            "BSON field '{name}' value must be >= 1 and <= {SPAN_SECONDS_MAX}, actual value '{seconds}'"
        ))),
        seconds => Ok(seconds),
    }
}
