//! Two servers on one store in memory.

use elastic::{Options, Protocol};
use engine::{Edit, EditOutcome, Engine, Namespace};
use kv::{Kv, Simulation};
use memory::{Budget, Holder, Share};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use testing::Host;
use testing::http::exchange;

/// How long a test waits for an index.
const INDEX_TIME_MAX: Duration = Duration::from_secs(120);

pub struct Servers {
    disk: Simulation,
    memory: Budget,
    folder: TempDir,
    running: Option<Running>,
}

struct Running {
    indexed: SocketAddr,
    plain: SocketAddr,
    protocol: Protocol,
    engine: Engine,
    host: Host,
}

impl Servers {
    pub fn start() -> Servers {
        Servers::within(Budget::default())
    }

    /// The same, with this much memory for requests.
    pub fn within(memory: Budget) -> Servers {
        let mut servers = Servers {
            memory,
            disk: Simulation::new(1),
            folder: tempfile::tempdir().unwrap(),
            running: None,
        };
        servers.restart();
        servers
    }

    /// Stops the servers at whatever they are doing, and starts others.
    pub fn restart(&mut self) {
        self.end();
        let host = Host::new();
        let engine = Engine::on_within(Kv::simulated(&self.disk), self.memory.clone());
        let engine = host.run(engine).unwrap();
        let serve = |fulltext| {
            let options = Options {
                fulltext,
                fulltext_from: Some(1),
                ..Options::default()
            };
            let protocol = host.run(async { Protocol::new(engine.clone(), &options) });
            let served = protocol.clone();
            let address =
                host.serve(|listener, stopped| async move { served.serve(listener, options, stopped).await });
            (address, protocol)
        };
        let (indexed, protocol) = serve(Some(self.folder.path().to_owned()));
        let (plain, _) = serve(None);
        self.running = Some(Running {
            indexed,
            plain,
            protocol,
            engine,
            host,
        });
    }

    fn end(&mut self) {
        self.running = None;
    }

    /// The folders of indexes.
    pub fn folders(&self) -> Vec<String> {
        let folders = std::fs::read_dir(self.folder.path()).unwrap();
        folders
            .map(|folder| folder.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    /// Leaves a folder such as a removed index leaves.
    pub fn leave_folder(&self, name: &str) {
        std::fs::create_dir(self.folder.path().join(name)).unwrap();
    }

    /// Puts a file in the place of the only index, and starts the servers again. Returns where it is.
    pub fn restart_without_index(&mut self) -> PathBuf {
        let folder = self.folder.path().join(&self.folders()[0]);
        self.end();
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::write(&folder, "no index").unwrap();
        self.restart();
        folder
    }

    /// Waits until the number of changes that the index has not reached satisfies this.
    pub fn wait_until_behind(&self, holds: impl Fn(u64) -> bool) {
        let begun = Instant::now();
        while !holds(self.running().protocol.index_changes_behind()) {
            assert!(begun.elapsed() < INDEX_TIME_MAX);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn running(&self) -> &Running {
        self.running.as_ref().unwrap()
    }

    pub fn bulk(&self, body: &str) {
        let request = "POST /_bulk?filter_path=errors\nContent-Type: application/x-ndjson";
        // Servers with little memory accept no larger request.
        for operations in operations(body).chunks(50) {
            let answer = exchange(self.running().indexed, request, &operations.concat());
            assert_eq!(answer.status, 200, "{answer}");
        }
    }

    /// Writes as a replication does.
    pub fn replicate(&self, edits: Vec<Edit>) {
        let Running { engine, host, .. } = self.running();
        let lines = engine.revisioned(&Namespace::new("default", "lines")).unwrap();
        let outcomes = host.run(lines.unwrap().edit(edits, false)).unwrap();
        assert!(
            outcomes
                .iter()
                .all(|outcome| matches!(outcome, EditOutcome::Written(_))),
            "{outcomes:?}"
        );
    }

    /// Makes the collection, with a field of time.
    pub fn make(&self) {
        let vector = json!({"type": "dense_vector", "dims": 3});
        let labels = json!({"type": "flattened"});
        // Fields without a column.
        let tags = json!({"type": "keyword", "doc_values": false});
        let properties = json!({
            "@timestamp": {"type": "date"}, "vector": vector, "labels": labels, "tags": tags, "large": {"type": "unsigned_long"},
        });
        let mapping = json!({"mappings": {"properties": properties}});
        let answer = exchange(self.running().indexed, "PUT /lines", &mapping.to_string());
        assert_eq!(answer.status, 200, "{answer}");
    }

    /// Sends the request to both servers, because each caches the mapping.
    pub fn put(&self, path: &str, body: &Value) {
        for address in [self.running().indexed, self.running().plain] {
            let answer = exchange(address, &format!("PUT {path}"), &body.to_string());
            assert_eq!(answer.status, 200, "{answer}");
        }
    }

    /// The answer of the first server.
    pub fn get(&self, path: &str) -> Value {
        let answer = exchange(self.running().indexed, &format!("GET {path}"), "");
        serde_json::from_str(&answer.body).unwrap()
    }

    /// The answers of both servers, without the time that they took.
    pub fn answers(&self, path: &str, body: &Value) -> (Value, Value) {
        let answer = |address| {
            let answer = exchange(address, &format!("POST {path}"), &body.to_string());
            let mut answer: Value = serde_json::from_str(&answer.body).unwrap();
            if answer.get("took").is_some() {
                answer["took"] = json!(0);
            }
            answer
        };
        let by_index = answer(self.running().indexed);
        (by_index, answer(self.running().plain))
    }

    /// Waits until the index has reached the last change.
    pub fn wait_until_indexed(&self) {
        let begun = Instant::now();
        let mut last = None;
        loop {
            let reached = self.reached();
            let is_behind = self.running().protocol.index_changes_behind() > 0;
            if reached.is_some() && reached == last && !is_behind {
                return;
            }
            last = reached;
            assert!(
                begun.elapsed() < INDEX_TIME_MAX,
                "the index is not brought up to date"
            );
            // Longer than the interval between commits.
            std::thread::sleep(Duration::from_millis(1300));
        }
    }

    /// Takes the memory in which indexes are written: as long as it is held, they take nothing in. Who has it lets go of it with the
    /// next change, which is made by this bulk.
    pub fn take_memory_of_indexing(&self, change: &str) -> Share {
        let Running { host, .. } = self.running();
        let mut share = self.memory.share(Holder::Indexing);
        let wait = async move {
            share.wait(1, INDEX_TIME_MAX).await.unwrap();
            share
        };
        let waiting = host.spawn(wait);
        while !waiting.is_finished() && !self.memory.is_wanted(Holder::Indexing) {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.bulk(change);
        host.run(waiting).unwrap()
    }

    /// The work on the index: entries added and removed, commits.
    pub fn operations(&self) -> u64 {
        self.meta().unwrap()["opstamp"].as_u64().unwrap()
    }

    fn meta(&self) -> Option<Value> {
        let folder = std::fs::read_dir(self.folder.path()).ok()?.next()?.ok()?.path();
        serde_json::from_slice(&std::fs::read(folder.join("meta.json")).ok()?).ok()?
    }

    /// How far the commits of the index reach.
    fn reached(&self) -> Option<String> {
        let meta = self.meta()?;
        let note: Value = serde_json::from_str(meta["payload"].as_str()?).ok()?;
        Some(note["reached"].as_str()?.to_owned())
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.end();
    }
}

/// The operations of a bulk: a deletion is one line, any other two.
fn operations(body: &str) -> Vec<String> {
    let mut lines = body.split_inclusive('\n');
    let mut operations = Vec::new();
    while let Some(head) = lines.next() {
        let document = match head.starts_with("{\"delete\"") {
            true => "",
            false => lines.next().unwrap_or_default(),
        };
        operations.push([head, document].concat());
    }
    operations
}
