//! Asking which revisions are missing, and writing them.

use crate::ask::Ask;
use crate::{CouchPeer, Result};
use bytes::{Bytes, BytesMut};
use http::{Method, StatusCode};
use replicate::{Missing, PeerError, PeerErrorKind, Refusal, Revisions};
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(serde::Deserialize)]
struct Lacking {
    #[serde(default)]
    missing: Vec<String>,
    #[serde(default)]
    possible_ancestors: Vec<String>,
}

/// One answer of `_bulk_docs`.
#[derive(serde::Deserialize)]
struct Written {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    rev: Value,
    #[serde(default)]
    error: Value,
    #[serde(default)]
    reason: Value,
}

impl CouchPeer {
    pub(super) async fn find_missing(&self, revisions: &[Revisions]) -> Result<Vec<Missing>> {
        let asked: BTreeMap<&str, &[String]> = revisions
            .iter()
            .map(|one| (one.id.as_str(), one.revisions.as_slice()))
            .collect();
        let body = serde_json::to_vec(&asked)
            .map_err(|error| PeerError::new(PeerErrorKind::Answer, error.to_string()))?;
        let ask = Ask::json(Method::POST, "/_revs_diff", body);
        let lacking: BTreeMap<String, Lacking> = self.ask(&ask).await?;
        let missing = lacking.into_iter().map(|(id, lacking)| Missing {
            id,
            revisions: lacking.missing,
            possible_ancestors: lacking.possible_ancestors,
        });
        Ok(missing.filter(|one| !one.revisions.is_empty()).collect())
    }

    pub(super) async fn write_documents(&self, documents: &[Bytes]) -> Result<Vec<Refusal>> {
        let length = documents.iter().map(|json| json.len() + 1).sum::<usize>();
        let mut body = BytesMut::with_capacity(length + 32);
        body.extend_from_slice(br#"{"new_edits":false,"docs":["#);
        for (position, json) in documents.iter().enumerate() {
            body.extend_from_slice(if position > 0 { b"," } else { b"" });
            body.extend_from_slice(json);
        }
        body.extend_from_slice(b"]}");
        // Flushed before it is answered: a peer that is restarted under the run must not lose what it has taken.
        let ask = Ask::json(Method::POST, "/_bulk_docs", body.freeze());
        let (status, answer) = self.transport.whole(&ask).await?;
        match status {
            // A peer that checks documents one by one may answer 417 with the same list.
            StatusCode::CREATED | StatusCode::OK | StatusCode::ACCEPTED | StatusCode::EXPECTATION_FAILED => {
                let written: Vec<Written> = self.parse(&ask, &answer)?;
                Ok(written.into_iter().filter_map(refusal).collect())
            }
            status => {
                let mut error = self.transport.answered(&ask, status, &answer);
                if status == StatusCode::BAD_REQUEST {
                    error.kind = PeerErrorKind::Invalid;
                }
                Err(error)
            }
        }
    }
}

/// What was not written; answers to what was are skipped, and so is a revision that was there already.
fn refusal(written: Written) -> Option<Refusal> {
    let text = |value: Value| match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    };
    if written.error.is_null() || written.error == false {
        return None;
    }
    Some(Refusal {
        id: text(written.id),
        revision: text(written.rev),
        error: text(written.error),
        reason: text(written.reason),
    })
}
