//! `expireAfterSeconds` of a whole collection: a time series or one clustered by `_id`.

use crate::arguments::Number;
use crate::error::{CommandError, Result};
use value::ValueRef;

/// Checks the number. Of a time series no time before 1970 can be meant.
pub(in crate::commands) fn seconds(value: ValueRef<'_>, now_ms: u64) -> Result<i64> {
    let seconds = Number::of(value).map(Number::to_i64_saturating).ok_or_else(|| {
        CommandError::type_mismatch(format!(
            "'expireAfterSeconds' is the wrong type '{}', expected a number",
            value.type_of().alias()
        ))
    })?;
    if seconds < 0 {
        return Err(CommandError::invalid_options(
            "'expireAfterSeconds' cannot be less than 0",
        ));
    }
    let fits = seconds
        .checked_mul(1000)
        .is_some_and(|expiry_ms| expiry_ms as u64 <= now_ms);
    if !fits {
        return Err(CommandError::invalid_options(
            "'expireAfterSeconds' must reach back to no time before 1970",
        ));
    }
    Ok(seconds)
}
