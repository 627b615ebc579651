//! `/_uuids`: ids for documents to come. Besides CouchDB's `count`, `algorithm` and `prefix` may be asked for.

use crate::call::Call;
use crate::error::{CouchError, Result};
use crate::json::write_string;
use crate::limits::UUIDS_MAX;
use crate::respond;
use engine::ids::{Generator, Kind};
use http::{HeaderValue, Response, header};

/// One generator of each kind.
#[derive(Debug)]
pub(crate) struct Generators {
    sequential: Generator,
    monotonic: Generator,
    random: Generator,
}

impl Generators {
    /// New ones, which nobody shares.
    pub(crate) fn new() -> Generators {
        Generators {
            sequential: Generator::new(Kind::Sequential, ""),
            monotonic: Generator::new(Kind::Monotonic, ""),
            random: Generator::new(Kind::Random, ""),
        }
    }

    /// The one of a name; CouchDB's names of kinds that count time mean ours.
    fn named(&self, name: &str) -> Option<&Generator> {
        match name {
            "sequential" => Some(&self.sequential),
            "monotonic" | "utc_random" | "utc_id" => Some(&self.monotonic),
            "random" => Some(&self.random),
            _ => None,
        }
    }
}

/// `GET /_uuids`.
pub(crate) fn run(call: &Call) -> Result<Response> {
    super::root::only_get(call)?;
    let invalid = || CouchError::bad_request("Invalid integer value for `count`");
    let count: usize = match call.query.get("count") {
        Some(count) => count.parse().map_err(|_| invalid())?,
        None => 1,
    };
    if count > UUIDS_MAX {
        return Err(CouchError::bad_request(format!(
            "count must be at most {UUIDS_MAX}"
        )));
    }
    let configured = call.server.config.get("uuids", "algorithm");
    let name = call
        .query
        .get("algorithm")
        .or(configured.as_deref())
        .unwrap_or("sequential");
    let generator =
        call.server.ids.named(name).ok_or_else(|| {
            CouchError::bad_request("the algorithm must be sequential, monotonic or random")
        })?;
    let prefix = call.query.get("prefix").unwrap_or_default();
    let mut text = String::from(r#"{"uuids":["#);
    for position in 0..count {
        text.push_str(if position > 0 { "," } else { "" });
        write_string(&format!("{prefix}{}", generator.next_id()), &mut text);
    }
    text.push_str("]}");
    let mut response = respond::ok(text);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    Ok(response)
}

/// The id of a document that comes without one.
pub(crate) fn next(call: &Call) -> String {
    let configured = call.server.config.get("uuids", "algorithm").unwrap_or_default();
    let ids = &call.server.ids;
    ids.named(&configured).unwrap_or(&ids.sequential).next_id()
}
