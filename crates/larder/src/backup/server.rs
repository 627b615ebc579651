//! The files of a running server, read by HTTP.

use crate::http_server::HttpServer;
use anyhow::{Context, Result, bail};
use backup::{Archived, Error, Source, SourceFile};
use bytes::Bytes;
use engine::Archiving;
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
    /// Whether it goes slower while others write.
    gives_way: bool,
}

#[derive(Debug, Deserialize)]
struct Begun {
    id: String,
    began_ms: u64,
    files: Vec<SourceFile>,
    #[serde(default)]
    archived: Option<Archived<SourceFile>>,
}

impl ServerBackup {
    /// Lets a server begin a backup.
    pub async fn begin(server: &HttpServer, archiving: Archiving, gives_way: bool) -> Result<ServerBackup> {
        let client = Client::new(Reach::Anywhere);
        let path = match archiving {
            Archiving::AsItIs => "/backups",
            Archiving::Keep => "/backups?archive=keep",
            Archiving::End => "/backups?archive=end",
        };
        server.recognize(&client, ANSWER_TIME_MAX).await?;
        let asked = server.ask(&client, Method::POST, path, ANSWER_TIME_MAX).await;
        let body = asked.with_context(|| format!("{server:?} began no backup"))?;
        let begun: Begun = serde_json::from_slice(&body).context("the server's answer is not understood")?;
        if archiving == Archiving::Keep && begun.archived.is_none() {
            bail!("{server:?} archives no changes: it is of an earlier version");
        }
        Ok(ServerBackup {
            server: server.clone(),
            client,
            begun,
            gives_way,
        })
    }

    /// When it began, in milliseconds since 1970.
    pub fn began_ms(&self) -> u64 {
        self.begun.began_ms
    }

    /// Lets the server forget it, and what it has of the archive, if all of it was taken.
    pub async fn end(self, is_kept: bool) -> Result<()> {
        let path = format!("/backups/{}?kept={is_kept}", self.begun.id);
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

    fn archived(&self) -> Option<&Archived<SourceFile>> {
        self.begun.archived.as_ref()
    }

    async fn read(&self, path: &str, offset: u64, bytes: usize) -> Result<Bytes, Error> {
        let name = http::percent_encode(path);
        // A server of an earlier version always reads at once.
        let pace = if self.gives_way { "" } else { "&give_way=false" };
        let path = format!(
            "/backups/{}?path={name}&offset={offset}&bytes={bytes}{pace}",
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
