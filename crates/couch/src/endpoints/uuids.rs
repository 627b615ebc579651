//! `/_uuids`: ids for documents to come (`src/couch/src/couch_uuids.erl`). Besides CouchDB's `count`, `algorithm` and `prefix` may be
//! asked for.

use crate::call::Call;
use crate::error::{CouchError, Result};
use crate::json::write_string;
use crate::limits::UUIDS_MAX;
use crate::respond;
use engine::ids::{Generator, Kind};
use http::{HeaderValue, Response, header};
use sha2::{Digest, Sha256};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use value::hex;

/// A date that has passed, so that nobody takes the ids for fresh ones again.
const EXPIRES: HeaderValue = HeaderValue::from_static("Mon, 01 Jan 1990 00:00:00 GMT");

/// One generator of each kind.
#[derive(Debug)]
pub(crate) struct Generators {
    sequential: Generator,
    monotonic: Generator,
    random: Generator,
    /// The microsecond of the last id that begins with one.
    last_us: AtomicU64,
}

impl Generators {
    /// New ones, which nobody shares.
    pub(crate) fn new() -> Generators {
        Generators {
            sequential: Generator::new(Kind::Sequential, ""),
            monotonic: Generator::new(Kind::Monotonic, ""),
            random: Generator::new(Kind::Random, ""),
            last_us: AtomicU64::new(0),
        }
    }

    /// The next id by the algorithm of this name; none where there is no such. `suffix` is what stands behind the time in ids of
    /// `utc_id`.
    fn next(&self, algorithm: &str, suffix: &str) -> Option<String> {
        Some(match algorithm {
            "sequential" => self.sequential.next_id(),
            "monotonic" => self.monotonic.next_id(),
            "random" => self.random.next_id(),
            "utc_id" => format!("{}{suffix}", self.microsecond()),
            "utc_random" => {
                let random = self.random.next_id();
                format!("{}{}", self.microsecond(), random.get(..18).unwrap_or_default())
            }
            _ => return None,
        })
    }

    /// The time in 14 hexadecimal digits of microseconds, later than that of any id before.
    fn microsecond(&self) -> String {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let now_us = since.map_or(0, |since| u64::try_from(since.as_micros()).unwrap_or(u64::MAX));
        let later = |last_us: u64| Some(now_us.max(last_us.saturating_add(1)));
        let last_us = self
            .last_us
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, later);
        // The update never declines, so this is the time that it put there.
        let time_us = now_us.max(last_us.unwrap_or_default().saturating_add(1));
        format!("{time_us:014x}")
    }
}

/// `GET /_uuids`.
pub(crate) fn run(call: &Call) -> Result<Response> {
    super::root::only_read(call, "GET")?;
    let config = &call.server.config;
    let count = count(call)?;
    let configured = config.get("uuids", "algorithm");
    let suffix = config.get("uuids", "utc_id_suffix").unwrap_or_default();
    let algorithm = call.query.get("algorithm").or(configured.as_deref());
    let algorithm = algorithm.unwrap_or("sequential");
    let prefix = call.query.get("prefix").unwrap_or_default();
    let mut text = String::from(r#"{"uuids":["#);
    for position in 0..count {
        let id = call.server.ids.next(algorithm, &suffix).ok_or_else(|| {
            CouchError::bad_request(
                "the algorithm must be sequential, monotonic, random, utc_random or utc_id",
            )
        })?;
        text.push_str(if position > 0 { "," } else { "" });
        write_string(&format!("{prefix}{id}"), &mut text);
    }
    text.push_str("]}");
    let tag = hex(&Sha256::digest(&text)[..16]);
    let mut response = respond::ok(text);
    respond::tag(&mut response, &format!("\"{tag}\""));
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::EXPIRES, EXPIRES);
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    Ok(response)
}

/// How many are wanted, up to the setting `max_count`.
fn count(call: &Call) -> Result<usize> {
    let max = call
        .server
        .config
        .number("uuids", "max_count")
        .unwrap_or(UUIDS_MAX);
    let text = call.query.get("count").unwrap_or("1");
    let invalid = |_| CouchError::bad_request("count must be a positive integer");
    let count: usize = text.parse().map_err(invalid)?;
    match count > max.min(UUIDS_MAX) {
        true => Err(CouchError::bad_request("count parameter too large")),
        false => Ok(count),
    }
}

/// The id of a document that comes without one.
pub(crate) fn next(call: &Call) -> String {
    let config = &call.server.config;
    let algorithm = config.get("uuids", "algorithm").unwrap_or_default();
    let suffix = config.get("uuids", "utc_id_suffix").unwrap_or_default();
    let ids = &call.server.ids;
    let configured = ids.next(&algorithm, &suffix);
    configured.unwrap_or_else(|| ids.sequential.next_id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_time_rise_within_one_microsecond_too() {
        let ids = Generators::new();
        let made: Vec<String> = (0..1_000).filter_map(|_| ids.next("utc_id", "frog")).collect();
        assert_eq!(made.len(), 1_000);
        assert!(made.is_sorted_by(|a, b| a < b));
        assert!(made.iter().all(|id| id.len() == 18 && id.ends_with("frog")));
        assert_eq!(ids.next("utc_random", "").map(|id| id.len()), Some(32));
        assert_eq!(ids.next("nothing", ""), None);
    }
}
