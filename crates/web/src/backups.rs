//! Backups by HTTP: an administrator begins one, reads its files, and ends it.
//!
//! The client that takes a backup keeps it (`larder backup` does): it asks only for the parts that it does not have yet.

use crate::call::Call;
use crate::error::{Result, WebError};
use crate::respond;
use crate::server::Server;
use auth::{Action, Resource};
use backup::{FolderSource, Source};
use engine::{Archiving, Checkpoint};
use http::header::CONTENT_TYPE;
use http::{Body, HeaderValue, Response, StatusCode};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The most backups that may be under way at a time: each keeps the space of what is dropped meanwhile.
const BACKUPS_MAX: usize = 4;

/// A backup that nobody reads for this long is ended.
const IDLE_TIME_MAX: Duration = Duration::from_secs(600);

/// While others write, a backup rests this many times as long as it took for what was read last. Measured with 16 clients that insert, on
/// two cores: they lose 15 % of their rate; without this, 40 %.
const REST_FACTOR: u32 = 2;
const REST_TIME_MAX: Duration = Duration::from_secs(2);

/// Bytes of one answer.
const READ_BYTES_MAX: u64 = 4 << 20;

/// The backups that are under way.
#[derive(Debug)]
pub(crate) struct Backups {
    running: Mutex<BTreeMap<String, Arc<Running>>>,
    places: Arc<Semaphore>,
}

impl Default for Backups {
    fn default() -> Backups {
        Backups {
            running: Mutex::default(),
            places: Arc::new(Semaphore::new(BACKUPS_MAX)),
        }
    }
}

/// One of them.
#[derive(Debug)]
struct Running {
    /// Taken before the checkpoint is made, since other clients may begin a backup meanwhile.
    _place: OwnedSemaphorePermit,
    checkpoint: Checkpoint,
    source: FolderSource,
    last: Mutex<Last>,
}

/// The last time that a backup was read.
#[derive(Clone, Copy, Debug)]
struct Last {
    at: Instant,
    /// How many commits the store had seen.
    commits: u64,
}

impl Last {
    fn now(server: &Server) -> Last {
        Last {
            at: Instant::now(),
            commits: server.engine.commits(),
        }
    }
}

/// All of them, and POST begins one.
pub(crate) async fn all(call: &mut Call) -> Result<Response> {
    may_back_up(call).await?;
    match call.request.method.as_str() {
        "GET" | "HEAD" => Ok(list(call)),
        "POST" => begin(call).await,
        _ => Err(WebError::not_allowed("GET, HEAD, POST")),
    }
}

/// One of them: GET reads a part of a file, DELETE ends it.
pub(crate) async fn one(call: &mut Call, id: &str) -> Result<Response> {
    may_back_up(call).await?;
    match call.request.method.as_str() {
        "GET" => read(call, id).await,
        "DELETE" => end(call, id).await,
        _ => Err(WebError::not_allowed("GET, DELETE")),
    }
}

/// A backup has everything, users with what is kept of their passwords.
async fn may_back_up(call: &Call) -> Result<()> {
    for resource in [
        Resource::Collection("admin", "system.users"),
        Resource::Collection("", ""),
    ] {
        call.allowed(Action::Find, resource).await?;
    }
    Ok(())
}

fn list(call: &Call) -> Response {
    let running = call.server.backups.lock();
    let running = running.iter().map(|(id, running)| {
        json!({"id": id, "began_ms": running.checkpoint.began_ms(), "bytes": running.source.bytes()})
    });
    respond::json(StatusCode::OK, &json!({"backups": running.collect::<Vec<_>>()}))
}

/// `kept`: the client has all of it, so that the part of the archive in it need not be kept here too.
async fn end(call: &Call, id: &str) -> Result<Response> {
    let is_kept = call.flag("kept", false)?;
    let running = call.server.backups.lock().remove(id);
    let running = running.ok_or_else(|| unknown(id))?;
    if is_kept {
        call.server.engine.forget_archived(&running.checkpoint).await?;
    }
    Ok(respond::empty(StatusCode::NO_CONTENT))
}

async fn begin(call: &Call) -> Result<Response> {
    let server = &call.server;
    let archiving = match call.parameter("archive")?.as_deref() {
        None => Archiving::AsItIs,
        Some("keep") => Archiving::Keep,
        Some("end") => Archiving::End,
        Some(_) => {
            let reason = "archive: keep (changes are archived from now on) or end (they are not any more)";
            return Err(WebError::bad_request(reason));
        }
    };
    server.backups.end_idle();
    let place = server.backups.places.clone().try_acquire_owned();
    let place = place.map_err(|_| {
        let reason = format!("{BACKUPS_MAX} backups are under way; wait, or end one: DELETE /backups/ID");
        WebError::new(StatusCode::TOO_MANY_REQUESTS, "too_many", reason)
    })?;
    let checkpoint = server.engine.checkpoint(archiving).await?;
    let (source, began_ms) = (checkpoint.source(), checkpoint.began_ms());
    let running = Arc::new(Running {
        _place: place,
        checkpoint,
        source,
        last: Mutex::new(Last::now(server)),
    });
    let (files, archived) = (json!(running.source.files()), json!(running.source.archived()));
    let id = server.backups.add(began_ms, running);
    tracing::info!(%id, peer = %call.request.peer, "a backup begins");
    end_when_idle(server, id.clone());
    let body = json!({"id": id, "began_ms": began_ms, "files": files, "archived": archived});
    Ok(respond::json(StatusCode::CREATED, &body))
}

async fn read(call: &Call, id: &str) -> Result<Response> {
    let running = call.server.backups.lock().get(id).cloned();
    let running = running.ok_or_else(|| unknown(id))?;
    let path = call.parameter("path")?;
    let path = path.ok_or_else(|| WebError::bad_request("give the file's path: ?path=…&offset=…&bytes=…"))?;
    let archived = running
        .source
        .archived()
        .into_iter()
        .flat_map(|archived| &archived.files);
    let mut files = running.source.files().iter().chain(archived);
    let file = files.find(|file| file.path == path);
    let file = file.ok_or_else(|| WebError::not_found(format!("the backup has no file {path}")))?;
    let number = |name| {
        let number = call.number(name)?.and_then(|number| u64::try_from(number).ok());
        number.ok_or_else(|| WebError::bad_request(format!("give {name} as a whole number")))
    };
    let (offset, bytes) = (number("offset")?, number("bytes")?);
    let is_within = offset.checked_add(bytes).is_some_and(|end| end <= file.bytes);
    if bytes > READ_BYTES_MAX || !is_within {
        let reason = format!(
            "bytes: at most {READ_BYTES_MAX}, and with offset no more than the {} of the file",
            file.bytes
        );
        return Err(WebError::bad_request(reason));
    }
    if call.flag("give_way", true)? {
        running.give_way(&call.server).await;
    }
    let read = running.source.read(&path, offset, bytes as usize).await;
    *running.last() = Last::now(&call.server);
    let read = read.map_err(|error| {
        WebError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "not_readable",
            error.to_string(),
        )
    })?;
    let mut response = Response::new(Body::from(read));
    let binary = HeaderValue::from_static("application/octet-stream");
    response.headers_mut().insert(CONTENT_TYPE, binary);
    Ok(response)
}

fn unknown(id: &str) -> WebError {
    WebError::not_found(format!(
        "no backup {id} is under way: it was ended, or nobody read it for ten minutes"
    ))
}

/// Ends a backup some time after it was last read.
fn end_when_idle(server: &Arc<Server>, id: String) {
    let server = Arc::downgrade(server);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(IDLE_TIME_MAX / 10).await;
            let Some(server) = server.upgrade() else { return };
            server.backups.end_idle();
            if !server.backups.lock().contains_key(&id) {
                return;
            }
        }
    });
}

impl Backups {
    /// No code that may panic runs under the lock, so what it guards is whole even if it is poisoned.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Running>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a backup under an id that no other has.
    fn add(&self, began_ms: u64, running: Arc<Running>) -> String {
        let mut all = self.lock();
        let mut id = began_ms;
        while all.contains_key(&id.to_string()) {
            id += 1;
        }
        all.insert(id.to_string(), running);
        id.to_string()
    }

    fn end_idle(&self) {
        let mut running = self.lock();
        let is_idle = |running: &Arc<Running>| running.last().at.elapsed() >= IDLE_TIME_MAX;
        let idle = running.iter().filter(|(_, running)| is_idle(running));
        let idle: Vec<String> = idle.map(|(id, _)| id.clone()).collect();
        let ended: Vec<_> = idle.iter().filter_map(|id| running.remove(id)).collect();
        drop(running);
        for id in idle {
            tracing::warn!(%id, "a backup was ended that nobody read any more");
        }
        // Removes their files, for which nobody should wait.
        drop(ended);
    }
}

impl Running {
    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves the disk and the processors to those who wrote since it was last read.
    async fn give_way(&self, server: &Server) {
        let last = *self.last();
        if server.engine.commits() != last.commits {
            let rest = last.at.elapsed() * REST_FACTOR;
            tokio::time::sleep(rest.min(REST_TIME_MAX)).await;
        }
    }
}
