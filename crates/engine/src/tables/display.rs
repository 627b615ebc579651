//! How tables tell whose something is, and since when.

use std::time::Instant;
use value::date::now_ms;
use value::{Document, Value, doc};

/// Adds the user of an operation, a connection or a cursor.
pub(crate) fn put_user(described: &mut Document, user: Option<&str>) {
    if let Some((name, database)) = user.and_then(|user| user.split_once('@')) {
        described.push("effectiveUsers", vec![doc! {"user": name, "db": database}]);
    }
}

/// When something was, as a date.
pub(crate) fn date_of(at: Instant) -> Value {
    Value::DateTime(now_ms() - at.elapsed().as_millis() as i64)
}
