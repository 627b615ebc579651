//! The configuration, a TOML file. A key that is not known is an error that names its line.

mod source;
mod transform;
mod units;

pub use source::{Device, Figures, Files, Journal, Multiline, Program, Source, SourceKind, Start, Syslog};
pub use transform::{ConvertTo, Match, Timestamp, Transform};
pub use units::{Bytes, Pattern, Period};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most letters of a device's name, which is a part of every id.
const DEVICE_LETTERS_MAX: usize = 64;

/// The whole configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// The device's name, a part of every id; the host's name by default.
    #[serde(default)]
    pub device: String,
    /// Where records go.
    pub server: Server,
    /// Where they are kept until then.
    pub spool: Spool,
    /// Where they come from.
    #[serde(default, rename = "source")]
    pub sources: Vec<Source>,
}

/// The server that records go to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Server {
    /// `http[s]://host:port`.
    pub url: String,
    /// The protocol that it speaks.
    #[serde(default)]
    pub protocol: Protocol,
    /// The user's name, if the server has users.
    pub user: Option<String>,
    /// A file that holds the user's password.
    pub password_file: Option<PathBuf>,
    /// A file with the certificates (PEM) of the authorities to trust, in place of the system's.
    pub ca_file: Option<PathBuf>,
    /// The most records of one request.
    #[serde(default = "batch_records")]
    pub batch_records: usize,
    /// The most bytes of one request, before compression.
    #[serde(default = "batch_bytes")]
    pub batch_bytes: Bytes,
    /// How long an answer may take.
    #[serde(default = "timeout")]
    pub timeout: Period,
    /// The longest pause between two tries.
    #[serde(default = "retry_max")]
    pub retry_max: Period,
}

/// A protocol that a server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Larder's own HTTP: dates stay dates.
    #[default]
    Larder,
    /// Elasticsearch's `_bulk`.
    Elasticsearch,
}

/// The folder on disk between sources and server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Spool {
    /// The folder, which is made if it does not exist.
    pub folder: PathBuf,
    /// The most bytes that it takes of the disk.
    #[serde(default = "spool_bytes")]
    pub max_bytes: Bytes,
    /// What happens when it has that many, or the disk is full.
    #[serde(default)]
    pub when_full: WhenFull,
    /// How long records may wait to be flushed to the disk together.
    #[serde(default = "sync_interval")]
    pub sync_interval: Period,
}

/// What happens when the spool is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhenFull {
    /// Sources wait. Nothing is lost from sources that can wait.
    #[default]
    Wait,
    /// The oldest records are dropped, and counted.
    DropOldest,
    /// New records are dropped, and counted.
    DropNewest,
}

fn batch_records() -> usize {
    500
}

fn batch_bytes() -> Bytes {
    Bytes(256 << 10)
}

fn timeout() -> Period {
    Period(Duration::from_secs(30))
}

fn retry_max() -> Period {
    Period(Duration::from_secs(60))
}

fn spool_bytes() -> Bytes {
    Bytes(64 << 20)
}

fn sync_interval() -> Period {
    Period(Duration::from_secs(1))
}

impl Config {
    /// Reads and checks a file.
    pub fn read(path: &Path) -> Result<Config> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Config::parse(&text).with_context(|| format!("{} is not a valid configuration", path.display()))
    }

    /// Checks a text.
    pub fn parse(text: &str) -> Result<Config> {
        let mut config: Config = toml::from_str(text)?;
        if config.device.is_empty() {
            let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
            let name = name.context("the machine has no name: give one as `device`")?;
            name.trim().clone_into(&mut config.device);
        }
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<()> {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        if self.device.len() > DEVICE_LETTERS_MAX || !self.device.chars().all(is_plain) {
            bail!(
                "device '{}': a name has at most {DEVICE_LETTERS_MAX} letters, digits, dots, underscores and hyphens",
                self.device
            );
        }
        self.server.check()?;
        if self.spool.max_bytes.0 < 1 << 20 {
            bail!("spool: max-bytes must be at least 1m");
        }
        if self.sources.is_empty() {
            bail!("there is no [[source]]: nothing would be gathered");
        }
        let mut names = HashSet::new();
        for source in &self.sources {
            let wrong = || format!("source '{}'", source.name);
            if !names.insert(&source.name) {
                bail!("two sources are called '{}'", source.name);
            }
            source.check().with_context(wrong)?;
            check_target(&source.to, self.server.protocol).with_context(wrong)?;
        }
        Ok(())
    }
}

impl Server {
    fn check(&self) -> Result<()> {
        let host = self
            .url
            .strip_prefix("http://")
            .or_else(|| self.url.strip_prefix("https://"));
        if !host.is_some_and(|host| !host.is_empty() && !host.contains(['@', '?', '#'])) {
            bail!("server: url is written http[s]://host:port; the user goes to `user` and `password-file`");
        }
        if self.user.is_some() != self.password_file.is_some() {
            bail!("server: user and password-file are given together");
        }
        if self.batch_records == 0 || self.batch_bytes.0 == 0 {
            bail!("server: a batch has at least one record and one byte");
        }
        Ok(())
    }
}

fn check_target(to: &str, protocol: Protocol) -> Result<()> {
    match protocol {
        Protocol::Larder => match to.split_once('.') {
            Some((database, collection)) if !database.is_empty() && !collection.is_empty() => Ok(()),
            _ => bail!("to = '{to}' must name a collection: database.collection"),
        },
        Protocol::Elasticsearch => {
            let is_wrong = |letter: char| letter.is_ascii_uppercase() || "\\/*?\"<>| ,#:".contains(letter);
            match to.is_empty() || to.contains(is_wrong) || to.starts_with(['-', '_', '+', '.']) {
                true => bail!("to = '{to}' is not the name of an index"),
                false => Ok(()),
            }
        }
    }
}
