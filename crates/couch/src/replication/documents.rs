//! The databases named `_replicator`: each document there asks for a replication, and is told how it goes
//! (`src/couch_replicator/src/couch_replicator_docs.erl`, `couch_replicator_doc_processor.erl`).
//!
//! A follower reads their changes: a document that asks for something new starts a job, one that is deleted or changed ends
//! its job.

use super::job::Asker;
use super::{context, filter, settings, start, states};
use crate::json;
use crate::server::Server;
use access::error::{CouchError, Result};
use access::user::User;
use access::{ids, names};
use engine::{ChangeKind, Order, RevisionedCollection, Sequence};
use peer::request::Request;
use replicate::Backoff;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use value::ValueRef;

/// How often new databases of that name are looked for.
const LOOK_INTERVAL: Duration = Duration::from_secs(2);
/// The changes that are read at once.
const PAGE_CHANGES: usize = 200;

/// Follows all such databases until the server stops.
pub(crate) async fn follow_all(server: Arc<Server>) {
    let mut followed = JoinSet::new();
    let mut known: HashMap<[u8; 16], tokio::task::AbortHandle> = HashMap::new();
    let mut stop = server.stop.clone();
    loop {
        known.retain(|_, task| !task.is_finished());
        for name in names::all(&server.engine)
            .into_iter()
            .filter(|name| names::is_replicator(name))
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
    let mut position = Sequence::START;
    loop {
        match page(&server, &name, &collection, &position, &mut asked).await {
            Ok(Some(next)) => position = next,
            Ok(None) => {
                if !collection.changed_after(&position).await {
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

/// Looks at the next changes; `None` if there are none.
async fn page(
    server: &Arc<Server>,
    name: &str,
    collection: &RevisionedCollection,
    position: &Sequence,
    asked: &mut HashMap<String, Map<String, Value>>,
) -> Result<Option<Sequence>> {
    let snapshot = collection.snapshot().await?;
    let changes = snapshot.changes(position, Order::Forward, PAGE_CHANGES).await?;
    let Some(last) = changes.last() else {
        return Ok(Some(snapshot.head()).filter(|head| head > position));
    };
    let last = last.sequence.clone();
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
                look_at(server, asker, json::object(&record.document), asked).await;
            }
            Some(_) => {}
        }
    }
    Ok(Some(last))
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
    let state = states::of(&body).unwrap_or_default();
    let before = asked.insert(asker.document.clone(), wish.clone());
    if before.is_some() && before.as_ref() == Some(&wish) && !state.is_empty() {
        return;
    }
    server.jobs.cancel_asked(&asker);
    if matches!(state, "completed" | "failed") {
        return;
    }
    let asked = Request::parse(&settings::filled(&server.config, wish.clone()));
    let asked = asked.map_err(CouchError::from);
    let asked = asked.and_then(|request| Ok((request, context::user(&server.engine, &wish)?)));
    match asked {
        Ok((request, user)) => {
            // A task of its own: a source that is slow to tell its filter does not hold up other documents.
            let starting = start_patiently(server.clone(), request, user, asker.clone());
            server.jobs.begin_asked(asker, tokio::spawn(starting));
        }
        Err(error) => states::failed(&server.engine, &asker, &error.reason).await,
    }
}

/// Starts a replication; again and again where its filter is not there yet.
async fn start_patiently(server: Arc<Server>, request: Request, user: User, asker: Asker) {
    let mut backoff = Backoff::of_jobs();
    let error = loop {
        match begin(&server, &request, &user, &asker).await {
            Ok(()) => return server.jobs.forget_failed_start(&asker),
            Err(error) if filter::is_not_fetched(&error) => {
                server.jobs.note_failed_start(&asker, &error.reason);
                if settings::tells_documents(&server.config) {
                    states::not_started(&server.engine, &asker, &error.reason).await;
                }
                tokio::time::sleep(backoff.fail()).await;
            }
            Err(error) => break error,
        }
    };
    server.jobs.forget_failed_start(&asker);
    states::failed(&server.engine, &asker, &error.reason).await;
}

async fn begin(server: &Arc<Server>, request: &Request, user: &User, asker: &Asker) -> Result<()> {
    server.keep_uuid().await?;
    settings::check(&server.config, request)?;
    let id = start::id(server, request, user).await?;
    let (request, user) = (request.clone(), user.clone());
    let job = start::start(server, id, request, user, Some(asker.clone()))?;
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
