//! The files of a running server, read by HTTP.

use crate::http_server::HttpServer;
use anyhow::{Context, Result};
use backup::{Error, Source, SourceFile};
use bytes::Bytes;
use http::{Client, Method, Reach};
use serde::Deserialize;
use std::time::Duration;

/// How long the server may take to answer: it may have to wait for writes before it begins.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(120);

/// A backup that a server has begun.
#[derive(Debug)]
pub struct ServerBackup {
    server: HttpServer,
    client: Client,
    begun: Begun,
}

#[derive(Debug, Deserialize)]
struct Begun {
    id: String,
    began_ms: u64,
    files: Vec<SourceFile>,
}

impl ServerBackup {
    /// Lets a server begin a backup.
    pub async fn begin(server: &HttpServer) -> Result<ServerBackup> {
        let client = Client::new(Reach::Anywhere);
        let asked = server
            .ask(&client, Method::POST, "/backups", ANSWER_TIME_MAX)
            .await;
        let body = asked.with_context(|| format!("{server:?} began no backup"))?;
        Ok(ServerBackup {
            server: server.clone(),
            client,
            begun: serde_json::from_slice(&body).context("the server's answer is not understood")?,
        })
    }

    /// When it began, in milliseconds since 1970.
    pub fn began_ms(&self) -> u64 {
        self.begun.began_ms
    }

    /// Lets the server forget it.
    pub async fn end(self) -> Result<()> {
        let path = format!("/backups/{}", self.begun.id);
        self.server
            .ask(&self.client, Method::DELETE, &path, ANSWER_TIME_MAX)
            .await?;
        Ok(())
    }
}

impl Source for ServerBackup {
    fn files(&self) -> &[SourceFile] {
        &self.begun.files
    }

    async fn read(&self, path: &str, offset: u64, bytes: usize) -> Result<Bytes, Error> {
        let name = http::percent_encode(path);
        let path = format!(
            "/backups/{}?path={name}&offset={offset}&bytes={bytes}",
            self.begun.id
        );
        let read = self
            .server
            .ask(&self.client, Method::GET, &path, ANSWER_TIME_MAX)
            .await;
        let read = read.map_err(|error| Error::Source(format!("{error:#}")))?;
        if read.len() != bytes {
            let what = format!("{} bytes of {name} came instead of {bytes}", read.len());
            return Err(Error::Source(what));
        }
        Ok(read)
    }
}
