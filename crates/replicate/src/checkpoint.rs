//! Checkpoints: local documents in both stores that say how far which session has come
//! (`src/couch_replicator/src/couch_replicator_scheduler_job.erl`, `do_checkpoint`, `compare_replication_logs`).

use crate::error::{PeerError, PeerErrorKind};
use crate::peer::Peer;
use serde_json::{Map, Value, json};

/// The version of the rules by which ids of replications are made, which CouchDB 3 writes.
pub const REPLICATION_ID_VERSION: u64 = 4;
/// The sessions that a checkpoint remembers.
const HISTORY_ENTRIES_MAX: usize = 50;

/// A checkpoint as one store has it.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The revision of the local document; `None` if there is no such document yet.
    revision: Option<String>,
    /// What it says, without the names of the document itself.
    pub body: Map<String, Value>,
}

impl Log {
    /// Reads a store's checkpoint.
    pub(crate) async fn load(peer: &impl Peer, id: &str) -> Result<Log, PeerError> {
        let Some(mut body) = peer.local(id).await? else {
            return Ok(Log::default());
        };
        body.remove("_id");
        let revision = match body.remove("_rev") {
            Some(Value::String(revision)) => Some(revision),
            _ => None,
        };
        Ok(Log { revision, body })
    }

    /// Puts a new body in place of the present one.
    pub(crate) async fn store(
        &mut self,
        peer: &impl Peer,
        id: &str,
        body: &Map<String, Value>,
    ) -> Result<(), PeerError> {
        let mut document = body.clone();
        document.insert("_id".to_owned(), Value::from(format!("_local/{id}")));
        if let Some(revision) = &self.revision {
            document.insert("_rev".to_owned(), Value::from(revision.clone()));
        }
        match peer.put_local(id, &document).await {
            Ok(revision) => self.revision = Some(revision),
            Err(error) if error.kind == PeerErrorKind::Conflict => {
                // The reply to an earlier attempt may have been lost. Then the present document is the one that was
                // sent.
                let present = Log::load(peer, id).await?;
                if present.body != *body {
                    return Err(error);
                }
                self.revision = present.revision;
            }
            Err(error) => return Err(error),
        }
        self.body = body.clone();
        Ok(())
    }

    fn history(&self) -> &[Value] {
        match self.body.get("history") {
            Some(Value::Array(entries)) => entries,
            _ => &[],
        }
    }
}

/// The source's sequence up to which both stores agree that everything was copied, and the history up to there;
/// `None` if they agree on nothing. The logs differ if a run ended after it had written only one of them, or if one
/// store was restored from a backup. Only a session that is in both has certainly been copied.
pub fn common_ancestor(source: &Log, target: &Log) -> Option<(Value, Vec<Value>)> {
    let session = |log: &Log| log.body.get("session_id").cloned();
    if let Some(last) = session(source)
        && session(target) == Some(last)
    {
        let sequence = source.body.get("source_last_seq")?.clone();
        return Some((sequence, source.history().to_vec()));
    }
    let (mut source, mut target) = (source.history(), target.history());
    let is_in = |entry: &Value, history: &[Value]| {
        let id = entry.get("session_id");
        id.is_some() && history.iter().any(|other| other.get("session_id") == id)
    };
    // Both histories are newest first, so the first common session found is the newest.
    while let ([source_entry, source_rest @ ..], [target_entry, target_rest @ ..]) = (source, target) {
        if is_in(source_entry, target) {
            return Some((source_entry.get("recorded_seq")?.clone(), source_rest.to_vec()));
        }
        if is_in(target_entry, source_rest) {
            return Some((target_entry.get("recorded_seq")?.clone(), target_rest.to_vec()));
        }
        (source, target) = (source_rest, target_rest);
    }
    None
}

/// The body of a checkpoint with this session in front of the history before it.
pub(crate) fn body(session_id: &str, sequence: &Value, entry: Value, before: &[Value]) -> Map<String, Value> {
    let mut history = vec![entry];
    history.extend(before.iter().take(HISTORY_ENTRIES_MAX - 1).cloned());
    let body = json!({
        "session_id": session_id,
        "source_last_seq": sequence,
        "replication_id_version": REPLICATION_ID_VERSION,
        "history": history,
    });
    match body {
        Value::Object(body) => body,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(session: &str, last: u64, history: &[(&str, u64)]) -> Log {
        let entry =
            |(session, recorded): &(&str, u64)| json!({"session_id": session, "recorded_seq": recorded});
        let history: Vec<Value> = history.iter().map(entry).collect();
        let body = json!({"session_id": session, "source_last_seq": last, "history": history});
        Log {
            revision: None,
            body: body.as_object().cloned().unwrap_or_default(),
        }
    }

    fn agreed(source: &Log, target: &Log) -> Option<Value> {
        common_ancestor(source, target).map(|(sequence, _)| sequence)
    }

    #[test]
    fn logs_of_one_session_agree_on_its_end() {
        let both = log("b", 20, &[("b", 20), ("a", 10)]);
        assert_eq!(agreed(&both, &both), Some(json!(20)));
    }

    #[test]
    fn logs_that_differ_agree_on_the_newest_session_that_both_know() {
        let source = log("c", 30, &[("c", 30), ("b", 20), ("a", 10)]);
        let target = log("b", 20, &[("b", 20), ("a", 10)]);
        assert_eq!(agreed(&source, &target), Some(json!(20)));
        assert_eq!(agreed(&target, &source), Some(json!(20)));
        let other = log("x", 99, &[("x", 99), ("a", 10)]);
        assert_eq!(agreed(&source, &other), Some(json!(10)));
    }

    #[test]
    fn logs_without_a_common_session_agree_on_nothing() {
        let source = log("a", 10, &[("a", 10)]);
        assert_eq!(agreed(&source, &log("x", 99, &[("x", 99)])), None);
        assert_eq!(agreed(&source, &Log::default()), None);
        assert_eq!(agreed(&Log::default(), &Log::default()), None);
    }

    #[test]
    fn a_checkpoint_remembers_no_more_than_its_limit() {
        let before: Vec<Value> = (0..200).map(|session| json!({"session_id": session})).collect();
        let body = body("s", &json!(1), json!({"session_id": "s"}), &before);
        assert_eq!(
            body["history"].as_array().map(Vec::len),
            Some(HISTORY_ENTRIES_MAX)
        );
    }
}
