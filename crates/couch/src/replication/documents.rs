//! The databases named `_replicator`: each document there asks for a replication, and is told how it goes
//! (`src/couch_replicator/src/couch_replicator_docs.erl`, `couch_replicator_doc_processor.erl`).
//!
//! A follower reads their changes: a document that asks for something new starts a job, one that is deleted or changed ends
//! its job. What a replication has become is written into its document: `triggered`, `error`, `completed` or `failed`.

use super::jobs::{Asker, Job};
use super::request::Request;
use super::{context, filter, report};
use crate::error::{CouchError, Result};
use crate::login::User;
use crate::server::Server;
use crate::{ids, names};
use engine::{ChangeKind, Edit, EditOrigin, EditOutcome, Namespace, Order, RevisionedCollection};
use jiff::Timestamp;
use replicate::Backoff;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use value::{DocumentBuf, ValueRef};

/// The last part of the names of such databases.
pub(crate) const NAME: &str = "_replicator";
/// How often new databases of that name are looked for.
const LOOK_INTERVAL: Duration = Duration::from_secs(2);
/// The changes that are read at once.
const PAGE_CHANGES: usize = 200;
/// How often the writing of a state is tried where others write the document too.
const TRIES: usize = 10;

/// The fields that say how a replication goes, which only the server writes.
const STATE: &str = "_replication_state";
const STATE_TIME: &str = "_replication_state_time";
const STATE_REASON: &str = "_replication_state_reason";
const ID: &str = "_replication_id";
const STATISTICS: &str = "_replication_stats";

/// Whether a database is one of these.
pub(crate) fn is_replicator(name: &str) -> bool {
    name == NAME || name.ends_with("/_replicator")
}

/// Follows all such databases until the server stops.
pub(crate) async fn follow_all(server: Arc<Server>) {
    let mut followed = JoinSet::new();
    let mut known: HashMap<[u8; 16], tokio::task::AbortHandle> = HashMap::new();
    let mut stop = server.stop.clone();
    loop {
        known.retain(|_, task| !task.is_finished());
        for name in names::all(&server.engine)
            .into_iter()
            .filter(|name| is_replicator(name))
        {
            let Ok(Some(collection)) = server.engine.revisioned(&names::namespace(&name)) else {
                continue;
            };
            let uuid = collection.uuid();
            known
                .entry(uuid)
                .or_insert_with(|| followed.spawn(follow(server.clone(), name, collection)));
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_INTERVAL) => {}
            Some(_) = followed.join_next() => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}

/// Follows one database until it is dropped.
async fn follow(server: Arc<Server>, name: String, collection: RevisionedCollection) {
    // What each document asked for, so that a state written into it starts nothing.
    let mut asked: HashMap<String, Map<String, Value>> = HashMap::new();
    let mut position = 0;
    loop {
        match page(&server, &name, &collection, position, &mut asked).await {
            Ok(Some(next)) => position = next,
            Ok(None) => {
                if !collection.changed_after(position).await {
                    break;
                }
            }
            Err(error) => {
                tracing::error!(%error, database = name, "the database of replications cannot be read");
                tokio::time::sleep(LOOK_INTERVAL).await;
            }
        }
    }
    for document in asked.into_keys() {
        server.jobs.cancel_asked(&Asker {
            database: name.clone(),
            document,
        });
    }
}

/// Looks at the next changes; none where there are none.
async fn page(
    server: &Arc<Server>,
    name: &str,
    collection: &RevisionedCollection,
    position: u64,
    asked: &mut HashMap<String, Map<String, Value>>,
) -> Result<Option<u64>> {
    let snapshot = collection.snapshot().await?;
    let changes = snapshot.changes(position, Order::Forward, PAGE_CHANGES).await?;
    let Some(last) = changes.last() else {
        return Ok((snapshot.head() > position).then(|| snapshot.head()));
    };
    let last = last.sequence;
    for change in &changes {
        let (id, record) = match &change.kind {
            ChangeKind::Put(record) => (record.document.as_raw().get("_id"), Some(record)),
            ChangeKind::Deleted { id, .. } => (Some(id.as_ref()), None),
        };
        let Some(ValueRef::String(id)) = id else {
            continue;
        };
        let asker = Asker {
            database: name.to_owned(),
            document: id.to_owned(),
        };
        match record {
            None => {
                asked.remove(&asker.document);
                server.jobs.cancel_asked(&asker);
            }
            Some(record) if !asker.document.starts_with(ids::DESIGN) => {
                look_at(server, asker, read(&record.document), asked).await;
            }
            Some(_) => {}
        }
    }
    Ok(Some(last))
}

/// A document as JSON.
pub(crate) fn read(document: &DocumentBuf) -> Map<String, Value> {
    let mut text = String::new();
    crate::json::write(ValueRef::Document(document.as_ref()), &mut text);
    serde_json::from_str(&text).unwrap_or_default()
}

/// Starts what a document asks for, unless that runs already or has ended.
async fn look_at(
    server: &Arc<Server>,
    asker: Asker,
    body: Map<String, Value>,
    asked: &mut HashMap<String, Map<String, Value>>,
) {
    let mut wish = body.clone();
    wish.retain(|name, _| !name.starts_with('_'));
    let state = body.get(STATE).and_then(Value::as_str).unwrap_or_default();
    let before = asked.insert(asker.document.clone(), wish.clone());
    if before.is_some() && before.as_ref() == Some(&wish) && !state.is_empty() {
        return;
    }
    server.jobs.cancel_asked(&asker);
    if matches!(state, "completed" | "failed") {
        return;
    }
    let asked =
        Request::parse(&wish).and_then(|request| Ok((request, context::user(&server.engine, &wish)?)));
    match asked {
        Ok((request, user)) => {
            // A task of its own: a source that is slow to tell its filter does not hold up other documents.
            let starting = start_patiently(server.clone(), request, user, asker.clone());
            server.jobs.begin_asked(asker, tokio::spawn(starting));
        }
        Err(error) => failed(server, &asker, &error.reason).await,
    }
}

/// Starts a replication; again and again where its filter is not there yet.
async fn start_patiently(server: Arc<Server>, request: Request, user: User, asker: Asker) {
    let mut backoff = Backoff::of_jobs();
    loop {
        match start(&server, &request, &user, &asker).await {
            Ok(()) => return,
            Err(error) if filter::is_not_fetched(&error) => {
                not_started(&server, &asker, &error.reason).await;
                tokio::time::sleep(backoff.fail()).await;
            }
            Err(error) => return failed(&server, &asker, &error.reason).await,
        }
    }
}

async fn start(server: &Arc<Server>, request: &Request, user: &User, asker: &Asker) -> Result<()> {
    server.keep_uuid().await?;
    let id = server.jobs.id(server, request, user).await?;
    let (request, user) = (request.clone(), user.clone());
    let job = server
        .jobs
        .start(server, id, request, user, Some(asker.clone()))?;
    match &job.asker {
        Some(present) if present == asker => Ok(()),
        present => {
            let whose = present.as_ref().map_or_else(
                || "by a request to _replicate".to_owned(),
                |present| format!("by the document `{}` of `{}`", present.document, present.database),
            );
            let reason = format!("Replication `{}` was already started {whose}", job.id);
            Err(CouchError::bad_request(reason))
        }
    }
}

/// Says that a replication was started.
pub(super) async fn triggered(server: &Server, asker: &Asker, job: &Job) {
    let set = [
        (ID, Some(Value::from(job.id.as_str()))),
        (STATISTICS, None),
        (STATE_REASON, None),
    ];
    write_state(server, asker, "triggered", set).await;
}

/// Says that a replication failed and is tried again.
pub(super) async fn failing(server: &Server, asker: &Asker, job: &Job, reason: &str) {
    let set = [
        (ID, Some(Value::from(job.id.as_str()))),
        (STATISTICS, None),
        (STATE_REASON, Some(Value::from(reason))),
    ];
    write_state(server, asker, "error", set).await;
}

/// Says that a replication cannot be started yet and is tried again.
async fn not_started(server: &Server, asker: &Asker, reason: &str) {
    let set = [
        (ID, None),
        (STATISTICS, None),
        (STATE_REASON, Some(Value::from(reason))),
    ];
    write_state(server, asker, "error", set).await;
}

/// Says that a replication has ended well.
pub(super) async fn completed(server: &Server, asker: &Asker, job: &Job) {
    let mut statistics = report::statistics(job);
    statistics.insert("start_time".to_owned(), Value::from(report::time(job.started)));
    let set = [
        (ID, Some(Value::from(job.id.as_str()))),
        (STATISTICS, Some(Value::Object(statistics))),
        (STATE_REASON, None),
    ];
    write_state(server, asker, "completed", set).await;
}

/// Says that a replication cannot be.
async fn failed(server: &Server, asker: &Asker, reason: &str) {
    let set = [
        (ID, None),
        (STATISTICS, None),
        (STATE_REASON, Some(Value::from(reason))),
    ];
    write_state(server, asker, "failed", set).await;
}

/// Writes a state into its document; nothing where the document is gone.
async fn write_state(server: &Server, asker: &Asker, state: &str, set: [(&str, Option<Value>); 3]) {
    for _ in 0..TRIES {
        match try_write_state(
            server,
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
async fn try_write_state(
    server: &Server,
    namespace: &Namespace,
    id: &str,
    state: &str,
    set: &[(&str, Option<Value>)],
) -> Result<bool> {
    let Some(collection) = server.engine.revisioned(namespace)? else {
        return Ok(true);
    };
    let id = ValueRef::String(id);
    let Some(record) = collection.snapshot().await?.document(id).await? else {
        return Ok(true);
    };
    let mut body = read(&record.document);
    if body.get(STATE).and_then(Value::as_str) == Some(state) && state != "error" {
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
    let value::Value::Document(document) = crate::json::Reader::whole(text.as_bytes())? else {
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
