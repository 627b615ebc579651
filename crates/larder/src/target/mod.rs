//! Where imports go and exports come from: a running server, or a data folder that no server has open.

mod connection;
mod uri;

use crate::folder::check_existing;
use anyhow::{Context, Result};
use clap::Args;
use connection::Connection;
use engine::{
    Context as Operation, Engine, EngineOptions, FindRequest, Namespace, WriteFailure, WriteOptions,
};
use std::path::PathBuf;
use tokio::sync::Mutex;
use uri::ServerUri;
use value::{Document, DocumentBuf, DocumentRef, ValueRef};

/// Which collection, of which server or folder.
#[derive(Clone, Debug, Args)]
pub struct PlaceOptions {
    /// The collection's full name, `database.collection`.
    #[arg(long, value_name = "DB.NAME", value_parser = parse_namespace)]
    pub collection: Namespace,
    /// Which server or folder.
    #[command(flatten)]
    pub holder: HolderOptions,
}

/// Which server, or which folder.
#[derive(Clone, Debug, Args)]
pub struct HolderOptions {
    /// A running server.
    #[arg(
        long,
        value_name = "URI",
        default_value = "mongodb://127.0.0.1:27017",
        env = "LARDER_SERVER",
        hide_env_values = true
    )]
    pub server: ServerUri,
    /// A data folder that no server has open, in place of a server.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
}

pub(crate) fn parse_namespace(text: &str) -> Result<Namespace, String> {
    match text.split_once('.') {
        Some((database, collection)) if !database.is_empty() && !collection.is_empty() => {
            Ok(Namespace::new(database, collection))
        }
        _ => Err(format!("'{text}' is not of the form database.collection")),
    }
}

/// The other end of an import or export.
pub enum Target {
    /// An opened data folder.
    Folder(Engine),
    /// A connection to a server.
    Server(Box<Mutex<Connection>>),
}

/// A document that was not inserted.
#[derive(Debug)]
pub struct Refused {
    /// Its place among those that were given.
    pub index: usize,
    /// Why.
    pub reason: String,
    /// Whether that is because the collection has its `_id` already.
    pub is_existing: bool,
}

impl Refused {
    /// `pattern` is the key of the index that a duplicate was found by.
    fn new(index: usize, reason: String, pattern: Option<DocumentRef<'_>>) -> Refused {
        let is_id = |pattern: DocumentRef<'_>| pattern.iter().map(|(name, _)| name).eq(["_id"]);
        Refused {
            index,
            reason,
            is_existing: pattern.is_some_and(is_id),
        }
    }
}

/// Memory for the engine when a folder is opened directly.
const FOLDER_MEMORY_BYTES: usize = 256 << 20;

impl Target {
    /// As [`Target::open`], for a folder that must exist already.
    pub async fn open_existing(place: &HolderOptions) -> Result<Target> {
        if let Some(folder) = &place.data {
            check_existing(folder)?;
        }
        Target::open(place).await
    }

    /// Opens the folder or connects to the server.
    pub async fn open(place: &HolderOptions) -> Result<Target> {
        let Some(folder) = &place.data else {
            return Ok(Target::Server(Box::new(Mutex::new(
                Connection::open(&place.server).await?,
            ))));
        };
        let options = EngineOptions {
            folder: folder.clone(),
            memory_bytes: FOLDER_MEMORY_BYTES,
        };
        let opened = Engine::open(&options).await;
        let engine = opened.with_context(|| format!("cannot open the data folder {}", folder.display()))?;
        Ok(Target::Folder(engine))
    }

    /// Inserts documents. Returns those that were refused.
    pub async fn insert(&self, into: &Namespace, documents: Vec<DocumentBuf>) -> Result<Vec<Refused>> {
        match self {
            Target::Folder(engine) => {
                // The whole import is flushed once at its end.
                let options = WriteOptions {
                    ordered: false,
                    journaled: false,
                    ..WriteOptions::default()
                };
                let reply = engine
                    .insert(&Operation::default(), into, documents, &options)
                    .await?;
                let refused = |failure: &WriteFailure| {
                    let pattern = DocumentBuf::from(&failure.error.details);
                    let pattern = pattern.as_raw().get("keyPattern").and_then(ValueRef::as_document);
                    Refused::new(failure.index, failure.error.to_string(), pattern)
                };
                Ok(reply.failures.iter().map(refused).collect())
            }
            Target::Server(connection) => connection.lock().await.insert(into, &documents).await,
        }
    }

    /// The first documents of a collection and what is needed to go on.
    pub async fn find(&self, from: &Namespace, filter: &Document) -> Result<(Vec<DocumentBuf>, i64)> {
        match self {
            Target::Folder(engine) => {
                let request = FindRequest {
                    filter: filter.clone(),
                    ..FindRequest::default()
                };
                let reply = engine.find(&Operation::default(), from, &request).await?;
                Ok((reply.batch, reply.id))
            }
            Target::Server(connection) => connection.lock().await.find(from, filter).await,
        }
    }

    /// The next documents; the cursor is 0 when there are no more.
    pub async fn get_more(&self, from: &Namespace, cursor: i64) -> Result<(Vec<DocumentBuf>, i64)> {
        match self {
            Target::Folder(engine) => {
                let reply = engine
                    .get_more(&Operation::default(), cursor, from, None, None)
                    .await?;
                Ok((reply.batch, reply.id))
            }
            Target::Server(connection) => connection.lock().await.get_more(from, cursor).await,
        }
    }

    /// Flushes and closes.
    pub async fn close(&self) -> Result<()> {
        match self {
            Target::Folder(engine) => Ok(engine.close().await?),
            Target::Server(_) => Ok(()),
        }
    }
}
