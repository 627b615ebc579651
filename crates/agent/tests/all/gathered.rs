//! Runs a source as the agent would, repeatedly, in a folder of its own.

use agent::AgentCounters;
use agent::config::{Config, Source};
use agent::source::{SourceContext, run};
use agent::spool::Batch;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use value::{Document, RawDocument, Value};

pub struct Gathered {
    pub folder: tempfile::TempDir,
    source: Source,
    pub positions: BTreeMap<String, String>,
    pub documents: Vec<Document>,
    /// Of all documents.
    pub messages: Vec<String>,
}

impl Gathered {
    /// A source with these options, which may name a folder.
    pub fn new(options: impl Fn(&Path) -> String) -> Gathered {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "device = \"d\"\n[server]\nurl = \"http://h\"\n[spool]\nfolder = \"/s\"\n[[source]]\nname = \"n\"\nto = \"a.b\"\n{}",
            options(folder.path())
        );
        Gathered {
            source: Config::parse(&text).unwrap().sources.remove(0),
            folder,
            positions: BTreeMap::new(),
            documents: Vec::new(),
            messages: Vec::new(),
        }
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

    fn take(&mut self, batch: Batch) {
        for record in &batch.records {
            let document = RawDocument::new(record).unwrap().to_document();
            if let Some(Value::String(message)) = document.get("message") {
                self.messages.push(message.clone());
            }
            self.documents.push(document);
        }
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

pub async fn pause() {
    tokio::time::sleep(Duration::from_millis(150)).await;
}

pub fn add(path: &Path, text: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}
