//! Runs a source as the agent would, repeatedly, in a folder of its own.

use agent::AgentCounters;
use agent::config::{Config, Source};
use agent::source::{SourceContext, run};
use agent::spool::Batch;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use value::{Document, RawDocument, Value};

/// How long a busy machine may take for what an idle one does at once.
const PATIENCE: Duration = Duration::from_secs(60);

/// No longer than sources of files wait before they look again.
const STEP: Duration = Duration::from_millis(10);

pub struct Gathered {
    pub folder: tempfile::TempDir,
    source: Source,
    pub positions: BTreeMap<String, String>,
    pub documents: Vec<Document>,
    /// Of all documents.
    pub messages: Vec<String>,
    pub given: Given,
}

/// How many documents a source has given, over all its starts.
#[derive(Clone, Default)]
pub struct Given(Rc<Cell<usize>>);

impl Given {
    pub fn count(&self) -> usize {
        self.0.get()
    }

    /// Waits until it has given `count` documents.
    pub async fn reach(&self, count: usize) {
        let begun = Instant::now();
        while self.count() < count {
            let given = self.count();
            assert!(begun.elapsed() < PATIENCE, "{given} of {count} documents");
            tokio::time::sleep(STEP).await;
        }
    }
}

/// A source with options that may name a folder.
fn source(folder: &Path, options: impl Fn(&Path) -> String) -> Source {
    let text = format!(
        "device = \"d\"\n[server]\nurl = \"http://h\"\n[spool]\nfolder = \"/s\"\n[[source]]\nname = \"n\"\nto = \"a.b\"\n{}",
        options(folder)
    );
    Config::parse(&text).unwrap().sources.remove(0)
}

impl Gathered {
    /// A source with these options, which may name a folder.
    pub fn new(options: impl Fn(&Path) -> String) -> Gathered {
        let folder = tempfile::tempdir().unwrap();
        Gathered {
            source: source(folder.path(), options),
            folder,
            positions: BTreeMap::new(),
            documents: Vec::new(),
            messages: Vec::new(),
            given: Given::default(),
        }
    }

    /// Gives the source other options.
    pub fn change(&mut self, options: impl Fn(&Path) -> String) {
        self.source = source(self.folder.path(), options);
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Gathers while something happens.
    pub async fn during(&mut self, work: impl AsyncFnOnce(&Path)) {
        let (sender, mut receiver) = mpsc::channel::<Batch>(4);
        let (stop, stopping) = watch::channel(false);
        let context = SourceContext {
            device: "d".to_owned(),
            sender,
            stop: stopping,
            is_once: false,
            counters: Arc::new(AgentCounters::default()),
        };
        let running = tokio::spawn(run(self.source.clone(), context, self.positions.clone()));
        let folder = self.folder.path().to_owned();
        let taking = async {
            while let Some(batch) = receiver.recv().await {
                self.take(batch);
            }
        };
        let working = async {
            pause().await;
            work(&folder).await;
            pause().await;
            stop.send(true).unwrap();
        };
        tokio::join!(taking, working);
        running.await.unwrap().unwrap();
    }

    /// Gathers until there are `more` further documents.
    pub async fn until(&mut self, more: usize) {
        let (given, wanted) = (self.given.clone(), self.given.count() + more);
        self.during(async |_| given.reach(wanted).await).await;
    }

    fn take(&mut self, batch: Batch) {
        for record in &batch.records {
            let document = RawDocument::new(record).unwrap().to_document();
            if let Some(Value::String(message)) = document.get("message") {
                self.messages.push(message.clone());
            }
            self.documents.push(document);
        }
        self.given.0.set(self.documents.len());
        for (key, value) in batch.positions {
            let key = key.split_once('\u{1f}').unwrap().1.to_owned();
            match value {
                Some(value) => self.positions.insert(key, value),
                None => self.positions.remove(&key),
            };
        }
    }

    pub fn has(&self, lines: &[&str]) {
        assert_eq!(self.messages, lines);
    }
}

/// Lets a source have many turns: it runs on the same thread, so on a busy machine each step leaves it one all the same.
pub async fn pause() {
    for _ in 0..15 {
        tokio::time::sleep(STEP).await;
    }
}

pub fn add(path: &Path, text: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}
