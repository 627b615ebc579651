//! What is gathered.

use super::transform::Transform;
use super::units::{Bytes, Pattern, Period};
use anyhow::{Context, Result, bail};
use logline::{Format, Rule};
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The most connections of a source of syslog: each takes a descriptor.
const CONNECTIONS_MAX: usize = 65_536;

/// A source: a name, where its records go, one kind, and what is done with its lines.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Source {
    /// Its name, which every record has as `source`, and by which its position is kept.
    pub name: String,
    /// The collection (`database.collection`) or index.
    pub to: String,
    /// The format of lines.
    pub format: Option<String>,
    /// A regular expression whose named groups become fields, in place of a format.
    pub pattern: Option<Pattern>,
    /// Which lines belong together.
    pub multiline: Option<Multiline>,
    /// The most bytes of a line; the rest is cut off, and the record says so.
    #[serde(default = "line_bytes")]
    pub line_max: Bytes,
    /// What is done with each record, in this order.
    #[serde(default)]
    pub transform: Vec<Transform>,
    /// Files.
    pub files: Option<Files>,
    /// The journal of systemd.
    pub journal: Option<Journal>,
    /// Messages that others send.
    pub syslog: Option<Syslog>,
    /// A program that is run again and again.
    pub program: Option<Program>,
    /// Figures of the machine.
    pub figures: Option<Figures>,
    /// A FIFO or a serial device.
    pub device: Option<Device>,
}

/// Lines of files.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Files {
    /// Paths with `*`, `?`, `[…]` and `**`.
    pub paths: Vec<String>,
    /// Where reading begins in a file that was there before the source's first start.
    #[serde(default)]
    pub start: Start,
    /// How often files are looked at.
    #[serde(default = "poll")]
    pub poll: Period,
    /// How often the paths are looked up.
    #[serde(default = "scan")]
    pub scan: Period,
}

/// The journal of systemd, by its `journalctl`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Journal {
    /// Units whose entries are read; all if none is named.
    #[serde(default)]
    pub units: Vec<String>,
    /// Where reading begins in the journal at the source's first start.
    #[serde(default)]
    pub start: Start,
    /// The program that reads it.
    #[serde(default = "journalctl")]
    pub journalctl: PathBuf,
}

/// Where syslog's messages come in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Syslog {
    /// Datagrams.
    pub udp: Option<SocketAddr>,
    /// Connections; octet-counted messages, or lines.
    pub tcp: Option<SocketAddr>,
    /// A socket of datagrams in the file system, as `/dev/log` is.
    pub unix: Option<PathBuf>,
    /// Connections at once.
    #[serde(default = "connections")]
    pub connections_max: usize,
}

/// A program that is run again and again.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Program {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How often.
    pub every: Period,
    /// How long it may take.
    #[serde(default = "program_time")]
    pub timeout: Period,
    /// Whether all of its output is one message; otherwise each line is one.
    #[serde(default)]
    pub whole: bool,
}

/// Figures of the machine.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Figures {
    /// How often.
    #[serde(default = "figures_period")]
    pub every: Period,
    /// Where the disks are mounted whose room is measured.
    #[serde(default = "disks")]
    pub disks: Vec<PathBuf>,
}

/// A FIFO or a serial device that gives lines.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Device {
    /// Where it is.
    pub path: PathBuf,
    /// Bits a second of a serial device, which is set to them by `stty`.
    pub baud: Option<u32>,
}

/// Where reading begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// With its first line.
    #[default]
    Beginning,
    /// With what is added from now on.
    End,
}

/// Which lines belong together; one of the two expressions is given.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Multiline {
    /// A line that matches begins a record.
    pub starts: Option<Pattern>,
    /// A line that matches goes on with the record before it.
    pub continues: Option<Pattern>,
    /// How long a record waits for more lines.
    #[serde(default = "join_wait")]
    pub wait: Period,
}

fn line_bytes() -> Bytes {
    Bytes(64 << 10)
}

fn poll() -> Period {
    Period(Duration::from_millis(500))
}

fn scan() -> Period {
    Period(Duration::from_secs(5))
}

fn journalctl() -> PathBuf {
    "journalctl".into()
}

fn connections() -> usize {
    64
}

fn program_time() -> Period {
    Period(Duration::from_secs(30))
}

impl Default for Figures {
    fn default() -> Figures {
        Figures {
            every: figures_period(),
            disks: disks(),
        }
    }
}

fn figures_period() -> Period {
    Period(Duration::from_secs(10))
}

fn disks() -> Vec<PathBuf> {
    vec!["/".into()]
}

fn join_wait() -> Period {
    Period(Duration::from_secs(1))
}

/// The kind of a source, with its settings.
#[derive(Clone, Copy, Debug)]
pub enum SourceKind<'a> {
    /// Lines of files.
    Files(&'a Files),
    /// The journal of systemd.
    Journal(&'a Journal),
    /// Messages that others send.
    Syslog(&'a Syslog),
    /// A program that is run again and again.
    Program(&'a Program),
    /// Figures of the machine.
    Figures(&'a Figures),
    /// A FIFO or a serial device.
    Device(&'a Device),
}

impl Source {
    /// Its kind.
    pub fn kind(&self) -> Result<SourceKind<'_>> {
        let given = [
            self.files.as_ref().map(SourceKind::Files),
            self.journal.as_ref().map(SourceKind::Journal),
            self.syslog.as_ref().map(SourceKind::Syslog),
            self.program.as_ref().map(SourceKind::Program),
            self.figures.as_ref().map(SourceKind::Figures),
            self.device.as_ref().map(SourceKind::Device),
        ];
        let mut given = given.into_iter().flatten();
        match (given.next(), given.next()) {
            (Some(kind), None) => Ok(kind),
            _ => bail!(
                "a source has one kind: a table [source.files], or .journal, .syslog, .program, .figures, .device"
            ),
        }
    }

    /// The format of its lines.
    pub fn line_format(&self) -> Result<Format> {
        match (&self.format, &self.pattern) {
            (Some(_), Some(_)) => bail!("format and pattern cannot both be given"),
            (None, Some(pattern)) => Ok(Format::Pattern(pattern.0.clone())),
            (None, None) if self.syslog.is_some() => Ok(Format::Syslog),
            (None, None) => Ok(Format::Plain),
            (Some(name), None) => Format::named(name)
                .with_context(|| format!("'{name}' is not a format; known are {}", Format::NAMES.join(", "))),
        }
    }

    /// The rule by which lines belong together.
    pub fn rule(&self) -> Result<Option<Rule>> {
        let Some(multiline) = &self.multiline else {
            return Ok(None);
        };
        match (&multiline.starts, &multiline.continues) {
            (Some(pattern), None) => Ok(Some(Rule::Starts(pattern.0.clone()))),
            (None, Some(pattern)) => Ok(Some(Rule::Continues(pattern.0.clone()))),
            _ => bail!("multiline says either which line starts a record or which line continues one"),
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.name.is_empty() || self.name.chars().any(char::is_control) {
            bail!("a source has a name of plain letters");
        }
        if !(64..=1 << 20).contains(&self.line_max.0) {
            bail!("line-max is between 64 bytes and 1m");
        }
        self.line_format()?;
        self.rule()?;
        for transform in &self.transform {
            transform.check()?;
        }
        let kind = self.kind()?;
        let has_fields = matches!(kind, SourceKind::Journal(_) | SourceKind::Figures(_));
        if has_fields && (self.format.is_some() || self.pattern.is_some() || self.multiline.is_some()) {
            bail!("what this source gives has fields already: format, pattern and multiline are of no use");
        }
        if matches!(kind, SourceKind::Syslog(_)) && self.multiline.is_some() {
            bail!("syslog's messages come one by one: multiline is of no use");
        }
        kind.check()
    }
}

impl SourceKind<'_> {
    fn check(self) -> Result<()> {
        match self {
            SourceKind::Files(files) if files.paths.is_empty() => bail!("files has no paths"),
            SourceKind::Files(files) => {
                for path in &files.paths {
                    glob::Pattern::new(path).with_context(|| format!("'{path}'"))?;
                    if !path.starts_with('/') {
                        bail!("'{path}' is not an absolute path");
                    }
                }
                Ok(())
            }
            SourceKind::Syslog(syslog)
                if syslog.udp.is_none() && syslog.tcp.is_none() && syslog.unix.is_none() =>
            {
                bail!("syslog has no address: give udp, tcp or unix")
            }
            SourceKind::Syslog(syslog) if !(1..=CONNECTIONS_MAX).contains(&syslog.connections_max) => {
                bail!("connections-max is between 1 and {CONNECTIONS_MAX}")
            }
            SourceKind::Program(program) if program.command.is_empty() => bail!("program has no command"),
            SourceKind::Figures(figures) if figures.disks.is_empty() => bail!("figures has no disks"),
            SourceKind::Journal(_)
            | SourceKind::Syslog(_)
            | SourceKind::Program(_)
            | SourceKind::Figures(_)
            | SourceKind::Device(_) => Ok(()),
        }
    }
}
