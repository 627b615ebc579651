//! One request, its path and query read.

use crate::error::{Result, WebError};
use crate::limits::NAME_BYTES_MAX;
use crate::server::Server;
use engine::files::{Bucket, Files};
use http::{Request, percent_decode, query_pairs};
use std::sync::Arc;
use value::{ObjectId, Value};

/// A request, and the server that it is asked of.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) server: Arc<Server>,
    pub(crate) request: Request,
}

impl Call {
    /// Whether it is answered below `/api`; slashes more in front change nothing.
    pub(crate) fn is_api(&self) -> bool {
        self.request.path().trim_start_matches('/').starts_with("api/")
    }

    /// The value of a parameter of the query; `None` if it is not given.
    pub(crate) fn parameter(&self, wanted: &str) -> Result<Option<String>> {
        for pair in query_pairs(self.request.query()) {
            let Some((name, value)) = pair else {
                return Err(WebError::bad_request(
                    "the query has an escape that is not %HH in UTF-8",
                ));
            };
            if name == wanted {
                return Ok(Some(value.into_owned()));
            }
        }
        Ok(None)
    }

    /// A parameter that is a whole number.
    pub(crate) fn number(&self, wanted: &str) -> Result<Option<i64>> {
        let Some(text) = self.parameter(wanted)? else {
            return Ok(None);
        };
        let number = text.parse().map(Some);
        number.map_err(|_| WebError::bad_request(format!("{wanted}={text}: give a whole number")))
    }

    /// A parameter that is true or false.
    pub(crate) fn flag(&self, wanted: &str, default: bool) -> Result<bool> {
        match self.parameter(wanted)?.as_deref() {
            None => Ok(default),
            Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(WebError::bad_request(format!("{wanted}: true or false"))),
        }
    }

    /// The files of a bucket as a path names it.
    pub(crate) fn files(&self, bucket: &str) -> Result<Files> {
        let bucket = decoded(bucket)?;
        Ok(self.server.engine.files(Bucket::parse(&bucket)?))
    }
}

/// A part of a path without its escapes.
pub(crate) fn decoded(part: &str) -> Result<String> {
    let decoded = percent_decode(part).map(std::borrow::Cow::into_owned);
    decoded.ok_or_else(|| WebError::bad_request(format!("'{part}' has an escape that is not %HH in UTF-8")))
}

/// The name of a file in a path.
pub(crate) fn file_name(part: &str) -> Result<String> {
    let name = decoded(part)?;
    if name.is_empty() || name.len() > NAME_BYTES_MAX {
        let reason = format!(
            "a file's name has from 1 to {NAME_BYTES_MAX} bytes, not {}",
            name.len()
        );
        return Err(WebError::bad_request(reason));
    }
    Ok(name)
}

/// The ids that a text may mean: the text itself first, else an ObjectId of 24 hexadecimal digits.
pub(crate) fn ids(text: &str) -> Vec<Value> {
    let mut ids = vec![Value::from(text)];
    ids.extend(object_id(text).map(Value::ObjectId));
    ids
}

/// An ObjectId of 24 hexadecimal digits.
pub(crate) fn object_id(text: &str) -> Option<ObjectId> {
    text.parse().ok()
}
