//! What a replication has become, as the document that asked for it says: `completed` or `failed`, and `triggered` or `error` where
//! `[replicator] update_docs` wants that.

use super::job::{Asker, Job};
use super::report;
use crate::json;
use access::error::Result;
use access::names;
use engine::{Edit, EditOrigin, EditOutcome, Engine, Namespace};
use jiff::Timestamp;
use serde_json::{Map, Value};
use value::{DocumentBuf, ValueRef};

/// How often the writing of a state is tried where others write the document too.
const TRIES: usize = 10;

/// The fields that say how a replication goes, which only the server writes.
const STATE: &str = "_replication_state";
const STATE_TIME: &str = "_replication_state_time";
const STATE_REASON: &str = "_replication_state_reason";
const ID: &str = "_replication_id";
const STATISTICS: &str = "_replication_stats";

/// The state of a document whose replication cannot be.
pub(super) const FAILED: &str = "failed";

/// The state that a document says.
pub(super) fn of(document: &Map<String, Value>) -> Option<&str> {
    document.get(STATE).and_then(Value::as_str)
}

/// Says that a replication was started.
pub(super) async fn triggered(engine: &Engine, asker: &Asker, job: &Job) {
    let set = [
        (ID, Some(Value::from(job.id.as_str()))),
        (STATISTICS, None),
        (STATE_REASON, None),
    ];
    write(engine, asker, "triggered", set).await;
}

/// Says that a replication failed and is tried again.
pub(super) async fn failing(engine: &Engine, asker: &Asker, job: &Job, reason: &str) {
    let set = [
        (ID, Some(Value::from(job.id.as_str()))),
        (STATISTICS, None),
        (STATE_REASON, Some(Value::from(reason))),
    ];
    write(engine, asker, "error", set).await;
}

/// Says that a replication cannot be started yet and is tried again.
pub(super) async fn not_started(engine: &Engine, asker: &Asker, reason: &str) {
    let set = [
        (ID, None),
        (STATISTICS, None),
        (STATE_REASON, Some(Value::from(reason))),
    ];
    write(engine, asker, "error", set).await;
}

/// Says that a replication has ended well.
pub(super) async fn completed(engine: &Engine, asker: &Asker, job: &Job) {
    let mut statistics = report::statistics(job);
    statistics.insert("start_time".to_owned(), Value::from(report::time(job.started)));
    let set = [
        (ID, Some(Value::from(job.id.as_str()))),
        (STATISTICS, Some(Value::Object(statistics))),
        (STATE_REASON, None),
    ];
    write(engine, asker, "completed", set).await;
}

/// Says that a replication cannot be.
pub(super) async fn failed(engine: &Engine, asker: &Asker, reason: &str) {
    let set = [
        (ID, None),
        (STATISTICS, None),
        (STATE_REASON, Some(Value::from(reason))),
    ];
    write(engine, asker, FAILED, set).await;
}

/// Writes a state into its document; nothing where the document is gone.
async fn write(engine: &Engine, asker: &Asker, state: &str, set: [(&str, Option<Value>); 3]) {
    for _ in 0..TRIES {
        match try_write(
            engine,
            &names::namespace(&asker.database),
            &asker.document,
            state,
            &set,
        )
        .await
        {
            Ok(true) => return,
            // Somebody else has written the document meanwhile.
            Ok(false) => {}
            Err(error) => {
                tracing::error!(%error, document = asker.document, "the state of a replication cannot be written");
                return;
            }
        }
    }
}

/// False where somebody else has written the document meanwhile.
async fn try_write(
    engine: &Engine,
    namespace: &Namespace,
    id: &str,
    state: &str,
    set: &[(&str, Option<Value>)],
) -> Result<bool> {
    let Some(collection) = engine.revisioned(namespace)? else {
        return Ok(true);
    };
    let id = ValueRef::String(id);
    let Some(record) = collection.snapshot().await?.document(id).await? else {
        return Ok(true);
    };
    let mut body = json::object(&record.document);
    if of(&body) == Some(state) && state != "error" {
        return Ok(true);
    }
    body.insert(STATE.to_owned(), Value::from(state));
    body.insert(STATE_TIME.to_owned(), Value::from(report::time(Timestamp::now())));
    for (name, value) in set {
        match value {
            Some(value) => drop(body.insert((*name).to_owned(), value.clone())),
            None => drop(body.remove(*name)),
        }
    }
    let text = Value::Object(body).to_string();
    let value::Value::Document(document) = json::Reader::whole(text.as_bytes())? else {
        return Ok(true);
    };
    let edit = Edit {
        document: DocumentBuf::from(&document),
        deleted: false,
        origin: EditOrigin::After(Some(record.revision())),
    };
    let outcome = collection.edit(vec![edit], true).await?.pop();
    match outcome {
        Some(EditOutcome::Refused(error)) => Err(error.into()),
        Some(EditOutcome::Conflict) => Ok(false),
        _ => Ok(true),
    }
}
