//! `$readPreference`: checked, and then of no consequence, since all reads are of the one copy there is.

use super::{Arguments, Fields, Number};
use crate::error::{CommandError, Result};
use code::Code;
use value::{DocumentRef, ValueRef};

const MODES: [&str; 5] = [
    "primary",
    "primaryPreferred",
    "secondary",
    "secondaryPreferred",
    "nearest",
];
/// The least staleness that may be asked for, as in MongoDB.
const STALENESS_SECONDS_MIN: i64 = 90;
/// The greatest: what MongoDB counts in milliseconds.
const STALENESS_SECONDS_MAX: i64 = i64::MAX / 1000;

/// Refuses a read preference that MongoDB refuses.
pub(super) fn check(arguments: &Arguments<'_>) -> Result<()> {
    let Some(preference) = arguments.document("$readPreference")? else {
        return Ok(());
    };
    let fields = Fields::new("$readPreference", preference);
    let mode = match fields.string("mode")? {
        Some(mode) if MODES.contains(&mode) => mode,
        Some(mode) => return Err(fields.bad_enumeration("mode", mode).into()),
        // Drivers leave the mode out where it is the usual one.
        None => "primary",
    };
    check_tags(&fields, mode)?;
    let hedges = fields.document("hedge")?;
    let hedging = hedges.is_some_and(|hedge| !matches!(hedge.get("enabled"), Some(ValueRef::Bool(false))));
    if hedging && mode == "primary" {
        return Err(CommandError::invalid_options(
            "cannot enable hedging for read preference mode \"primary\"",
        ));
    }
    let seconds = fields
        .number("maxStalenessSeconds")?
        .map(Number::to_i64_saturating);
    check_staleness(mode, seconds.unwrap_or(0))
}

/// Whether a read preference is a mode alone, one that there is.
pub(crate) fn is_plain_mode(preference: DocumentRef<'_>) -> bool {
    let mut fields = preference.iter();
    let is_mode = matches!(fields.next(), Some(("mode", ValueRef::String(mode))) if MODES.contains(&mode));
    is_mode && fields.next().is_none()
}

/// One server has every tag that is asked for.
fn check_tags(fields: &Fields<'_>, mode: &str) -> Result<()> {
    let Some(tags) = fields.array("tags")? else {
        return Ok(());
    };
    for set in tags.iter() {
        let ValueRef::Document(set) = set else {
            return Err(CommandError::type_mismatch(
                "the tags of a $readPreference must be an array of documents",
            ));
        };
        if mode == "primary" && !set.is_empty() {
            return Err(CommandError::bad_value(
                "Only empty tags are allowed with primary read preference",
            ));
        }
    }
    Ok(())
}

fn check_staleness(mode: &str, seconds: i64) -> Result<()> {
    let refused =
        |code, reason: String| Err(CommandError::new(code, format!("maxStalenessSeconds {reason}")));
    match seconds {
        // As if it were not given.
        0 => Ok(()),
        ..0 => refused(Code::BAD_VALUE, "must be a non-negative integer".to_owned()),
        STALENESS_SECONDS_MAX.. => refused(
            Code::BAD_VALUE,
            format!("value can not exceed {STALENESS_SECONDS_MAX}"),
        ),
        1..STALENESS_SECONDS_MIN => refused(
            Code::MAX_STALENESS_OUT_OF_RANGE,
            format!("value can not be less than {STALENESS_SECONDS_MIN}"),
        ),
        _ if mode == "primary" => refused(Code::BAD_VALUE, "can not be set for the primary mode".to_owned()),
        _ => Ok(()),
    }
}
