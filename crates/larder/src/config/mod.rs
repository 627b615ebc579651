//! Settings: a flag wins over a variable `LARDER_…`, that over the TOML file, that over the default.

mod print;
mod values;

pub use print::{ConfigOptions, run};
pub use values::{ByteSize, DeleteMode, Listen, LogFilter, LogFormat};

use crate::memory;
use anyhow::{Context, Result, bail};
use clap::Args;
use net::TlsFiles;
use serde::{Deserialize, Serialize};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes a second that are read in search of damage by default: 80 GB a day.
const SCRUB_RATE_DEFAULT: u64 = 1 << 20;
/// The siblings of one of Riak's objects.
const RIAK_SIBLINGS_MAX_DEFAULT: usize = 100;

/// The connections of all protocols.
const CONNECTIONS_MAX_DEFAULT: usize = 20_000;

/// What the archive of changes may take by default.
const ARCHIVE_BYTES_MAX_DEFAULT: u64 = 16 << 30;

/// What temporary files may take together by default.
const TEMPORARY_BYTES_MAX_DEFAULT: u64 = 64 << 30;

/// The settings of `serve` as given by flags, variables or the file; `None` if not given.
#[derive(Clone, Debug, Default, Args, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ServeOptions {
    /// The data folder, which is made if it does not exist [default: data].
    #[arg(long, value_name = "DIR", env = "LARDER_DATA")]
    pub data: Option<PathBuf>,
    /// Memory for caches and write buffers, and as much again for what clients ask: 512m, 2g … [default: a quarter of what the
    /// machine or cgroup has].
    #[arg(long, value_name = "SIZE", env = "LARDER_MEMORY")]
    pub memory: Option<ByteSize>,
    /// Address of the MongoDB protocol; `off` closes it, port 0 picks a free one [default: 127.0.0.1:27017].
    #[arg(
        long,
        visible_alias = "listen",
        value_name = "ADDRESS",
        env = "LARDER_MONGO_LISTEN"
    )]
    pub mongo_listen: Option<Listen>,
    /// Address of the CouchDB protocol; `off` closes it, port 0 picks a free one [default: 127.0.0.1:5984].
    #[arg(long, value_name = "ADDRESS", env = "LARDER_COUCH_LISTEN")]
    pub couch_listen: Option<Listen>,
    /// Address of the Elasticsearch protocol; `off` closes it, port 0 picks a free one [default: 127.0.0.1:9200].
    #[arg(long, value_name = "ADDRESS", env = "LARDER_ELASTIC_LISTEN")]
    pub elastic_listen: Option<Listen>,
    /// Address of Riak's HTTP; `off` closes it, port 0 picks a free one [default: 127.0.0.1:8098].
    #[arg(long, value_name = "ADDRESS", env = "LARDER_RIAK_LISTEN")]
    pub riak_listen: Option<Listen>,
    /// Address of Riak's protocol buffers; `off` closes it, port 0 picks a free one [default: 127.0.0.1:8087].
    #[arg(long, value_name = "ADDRESS", env = "LARDER_RIAK_PB_LISTEN")]
    pub riak_pb_listen: Option<Listen>,
    /// The siblings that one of Riak's objects may have; a put that would make more is refused [default: 100].
    #[arg(long, value_name = "N", env = "LARDER_RIAK_SIBLINGS_MAX")]
    pub riak_siblings_max: Option<NonZeroU32>,
    /// How long Riak's clients are told of an object that it was deleted, as Riak's `delete_mode`: keep, immediate or milliseconds
    /// [default: 3000].
    #[arg(long, value_name = "MODE", env = "LARDER_RIAK_DELETE_MODE")]
    pub riak_delete_mode: Option<DeleteMode>,
    /// Address of Larder's own HTTP (files, health, metrics); `off` closes it, port 0 picks a free one [default: 127.0.0.1:7070].
    #[arg(long, value_name = "ADDRESS", env = "LARDER_HTTP_LISTEN")]
    pub http_listen: Option<Listen>,
    /// Address on which messages of syslog are taken: over UDP, TCP (TLS if there is a certificate) and RELP. Everybody who reaches
    /// it may add to its collection without logging in [default: off].
    #[arg(long, value_name = "ADDRESS", env = "LARDER_SYSLOG_LISTEN")]
    pub syslog_listen: Option<Listen>,
    /// The collection that messages of syslog become documents of [default: logs.syslog].
    #[arg(long, value_name = "DATABASE.COLLECTION", env = "LARDER_SYSLOG_COLLECTION")]
    pub syslog_collection: Option<String>,
    /// The server's certificate in PEM form, with those that lead to its authority after it: every protocol then goes through TLS.
    /// SIGHUP reads the files again.
    #[arg(long, value_name = "FILE", env = "LARDER_TLS_CERTIFICATE")]
    pub tls_certificate: Option<PathBuf>,
    /// The certificate's private key in PEM form.
    #[arg(long, value_name = "FILE", env = "LARDER_TLS_KEY")]
    pub tls_key: Option<PathBuf>,
    /// The authorities in PEM form of whom one must have signed a client's certificate; MongoDB's users of the database $external log
    /// in by it.
    #[arg(long, value_name = "FILE", env = "LARDER_TLS_CLIENT_CA")]
    pub tls_client_ca: Option<PathBuf>,
    /// Let clients in that show no certificate, where --tls-client-ca is given.
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL", env = "LARDER_TLS_CLIENT_OPTIONAL")]
    pub tls_client_optional: Option<bool>,
    /// The most connections of all protocols at once; fewer if the system gives too few descriptors [default: 20000].
    #[arg(long, value_name = "COUNT", env = "LARDER_CONNECTIONS_MAX")]
    pub connections_max: Option<NonZeroUsize>,
    /// How many milliseconds a command of the MongoDB protocol may read for if it gives no maxTimeMS, and a search of
    /// Elasticsearch's protocol, a listing or a job of Riak's may take; 0 is no limit [default: 0].
    #[arg(long, value_name = "MILLISECONDS", env = "LARDER_DEFAULT_MAX_TIME_MS")]
    pub default_max_time_ms: Option<u32>,
    /// Listen beyond loopback although no user exists: everybody who reaches the port can do everything.
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL", env = "LARDER_INSECURE")]
    pub insecure: Option<bool>,
    /// Ask nobody to log in although users exist, as mongod without --auth: everybody who reaches a port can do everything.
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL", env = "LARDER_NO_LOGIN")]
    pub no_login: Option<bool>,
    /// Names besides localhost under which the HTTP ports may be asked while no user exists, with commas between them; `*` is every name.
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        env = "LARDER_ALLOWED_HOSTS"
    )]
    pub allowed_hosts: Option<Vec<String>>,
    /// Read everything again and again in the background in search of damage, at most this much a second; 0 for never [default:
    /// 1m].
    #[arg(long, value_name = "SIZE", env = "LARDER_SCRUB_RATE")]
    pub scrub_rate: Option<ByteSize>,
    /// Keep this much free on the disk for deletes, drops and the log; with less, writes that add to the data are refused [default:
    /// goes with the memory: 45m for 64m, at most 272m].
    #[arg(long, value_name = "SIZE", env = "LARDER_DISK_RESERVE")]
    pub disk_reserve: Option<ByteSize>,
    /// Temporary files, for sorts, groups and idle cursors that memory does not take, may take this much of the disk together
    /// [default: 64g].
    #[arg(long, value_name = "SIZE", env = "LARDER_TEMPORARY_MAX")]
    pub temporary_max: Option<ByteSize>,
    /// The archive of changes (larder backup --archive) may take this much of the disk between two backups; if more is changed, it
    /// ends, and the log says so [default: 16g].
    #[arg(long, value_name = "SIZE", env = "LARDER_ARCHIVE_MAX")]
    pub archive_max: Option<ByteSize>,
    /// Answer the commands that drivers' own test suites need (failpoints, test parameters).
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "BOOL", env = "LARDER_TEST_COMMANDS")]
    pub test_commands: Option<bool>,
    /// What is logged: error, warn, info, debug, trace, or a filter such as `info,mongo=debug` [default: info].
    #[arg(long, value_name = "FILTER", env = "LARDER_LOG")]
    pub log: Option<LogFilter>,
    /// How the log is written [default: text].
    #[arg(long, value_name = "FORMAT", env = "LARDER_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,
    /// A TOML file whose keys are the flags' names.
    #[arg(long, value_name = "FILE", env = "LARDER_CONFIG")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
}

/// The settings of `serve`, complete.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The data folder.
    pub data: PathBuf,
    /// The memory budget in bytes.
    pub memory_bytes: usize,
    /// Where the MongoDB protocol listens.
    pub mongo_listen: Listen,
    /// Where the CouchDB protocol listens.
    pub couch_listen: Listen,
    /// Whether that address was asked for; the default one may be taken by another server.
    pub couch_listen_given: bool,
    /// Where the Elasticsearch protocol listens.
    pub elastic_listen: Listen,
    /// Whether that address was asked for.
    pub elastic_listen_given: bool,
    /// Where Riak's HTTP listens.
    pub riak_listen: Listen,
    /// Whether that address was asked for.
    pub riak_listen_given: bool,
    /// Where Riak's protocol buffers listen.
    pub riak_pb_listen: Listen,
    /// Whether that address was asked for.
    pub riak_pb_listen_given: bool,
    /// The siblings that one of Riak's objects may have.
    pub riak_siblings_max: usize,
    /// How long Riak's clients are told of an object that it was deleted.
    pub riak_delete_mode: DeleteMode,
    /// Where Larder's own HTTP listens.
    pub http_listen: Listen,
    /// Whether that address was asked for.
    pub http_listen_given: bool,
    /// Where messages of syslog are taken.
    pub syslog_listen: Listen,
    /// The database and collection that they go to.
    pub syslog_collection: (String, String),
    /// The files of TLS; `None` if connections are plain.
    pub tls: Option<TlsFiles>,
    /// Connections of all protocols at once.
    pub connections_max: usize,
    /// The time for what only reads, of the protocols of MongoDB, Elasticsearch and Riak; zero is no limit.
    pub default_max_time: Duration,
    /// Whether listening beyond loopback without users is allowed.
    pub insecure: bool,
    /// Whether nobody is asked to log in although users exist.
    pub no_login: bool,
    /// Names under which the HTTP ports may be asked while no user exists.
    pub allowed_hosts: Vec<String>,
    /// Bytes a second that are read in search of damage; 0 for none.
    pub scrub_rate: u64,
    /// Bytes that are kept free on the disk; `None` for what goes with the memory.
    pub disk_reserve: Option<u64>,
    /// Bytes that temporary files take together at most.
    pub temporary_bytes_max: u64,
    /// Bytes that the archive of changes takes at most.
    pub archive_bytes_max: u64,
    /// Whether commands for test suites are answered.
    pub test_commands: bool,
    /// What is logged.
    pub log: LogFilter,
    /// How the log is written.
    pub log_format: LogFormat,
}

impl ServeOptions {
    /// What the file says, if one is given.
    fn file(&self) -> Result<ServeOptions> {
        match &self.config {
            Some(path) => read_file(path),
            None => Ok(ServeOptions::default()),
        }
    }

    /// Completes the options from the file and the defaults.
    pub fn settings(&self) -> Result<Settings> {
        let file = self.file()?;
        let couch_listen = self.couch_listen.or(file.couch_listen);
        let elastic_listen = self.elastic_listen.or(file.elastic_listen);
        let riak_listen = self.riak_listen.or(file.riak_listen);
        let riak_pb_listen = self.riak_pb_listen.or(file.riak_pb_listen);
        let http_listen = self.http_listen.or(file.http_listen);
        let tls = tls_files(TlsFilesGiven {
            certificate: self.tls_certificate.clone().or(file.tls_certificate),
            key: self.tls_key.clone().or(file.tls_key),
            client_authorities: self.tls_client_ca.clone().or(file.tls_client_ca),
            client_optional: self.tls_client_optional.or(file.tls_client_optional),
        })?;
        let settings = Settings {
            tls,
            data: self.data.clone().or(file.data).unwrap_or_else(|| "data".into()),
            memory_bytes: self
                .memory
                .or(file.memory)
                .map_or_else(memory::default_budget, |size| size.0),
            mongo_listen: self
                .mongo_listen
                .or(file.mongo_listen)
                .unwrap_or(Listen::loopback(27017)),
            couch_listen: couch_listen.unwrap_or(Listen::loopback(5984)),
            couch_listen_given: couch_listen.is_some(),
            elastic_listen: elastic_listen.unwrap_or(Listen::loopback(9200)),
            elastic_listen_given: elastic_listen.is_some(),
            riak_listen: riak_listen.unwrap_or(Listen::loopback(8098)),
            riak_listen_given: riak_listen.is_some(),
            riak_pb_listen: riak_pb_listen.unwrap_or(Listen::loopback(8087)),
            riak_pb_listen_given: riak_pb_listen.is_some(),
            riak_siblings_max: self
                .riak_siblings_max
                .or(file.riak_siblings_max)
                .map_or(RIAK_SIBLINGS_MAX_DEFAULT, |max| max.get() as usize),
            riak_delete_mode: self
                .riak_delete_mode
                .or(file.riak_delete_mode)
                .unwrap_or_default(),
            http_listen: http_listen.unwrap_or(Listen::loopback(7070)),
            http_listen_given: http_listen.is_some(),
            syslog_listen: self.syslog_listen.or(file.syslog_listen).unwrap_or(Listen::Off),
            syslog_collection: collection(
                self.syslog_collection
                    .as_deref()
                    .or(file.syslog_collection.as_deref()),
            )?,
            connections_max: self
                .connections_max
                .or(file.connections_max)
                .map_or(CONNECTIONS_MAX_DEFAULT, NonZeroUsize::get),
            default_max_time: Duration::from_millis(
                self.default_max_time_ms
                    .or(file.default_max_time_ms)
                    .unwrap_or(0)
                    .into(),
            ),
            insecure: self.insecure.or(file.insecure).unwrap_or(false),
            no_login: self.no_login.or(file.no_login).unwrap_or(false),
            allowed_hosts: self
                .allowed_hosts
                .clone()
                .or(file.allowed_hosts)
                .unwrap_or_default(),
            scrub_rate: self
                .scrub_rate
                .or(file.scrub_rate)
                .map_or(SCRUB_RATE_DEFAULT, |rate| rate.0 as u64),
            disk_reserve: self
                .disk_reserve
                .or(file.disk_reserve)
                .map(|reserve| reserve.0 as u64),
            temporary_bytes_max: self
                .temporary_max
                .or(file.temporary_max)
                .map_or(TEMPORARY_BYTES_MAX_DEFAULT, |max| max.0 as u64),
            archive_bytes_max: self
                .archive_max
                .or(file.archive_max)
                .map_or(ARCHIVE_BYTES_MAX_DEFAULT, |max| max.0 as u64),
            test_commands: self.test_commands.or(file.test_commands).unwrap_or(false),
            log: self.log.clone().or(file.log).unwrap_or_default(),
            log_format: self.log_format.or(file.log_format).unwrap_or_default(),
        };
        if settings.memory_bytes < memory::BUDGET_BYTES_MIN {
            let least = memory::BUDGET_BYTES_MIN >> 20;
            bail!(
                "the memory budget is {} bytes; it must be at least {least}m",
                settings.memory_bytes
            );
        }
        Ok(settings)
    }
}

/// What is given of the files of TLS.
struct TlsFilesGiven {
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    client_authorities: Option<PathBuf>,
    client_optional: Option<bool>,
}

fn tls_files(given: TlsFilesGiven) -> Result<Option<TlsFiles>> {
    match (given.certificate, given.key) {
        (Some(certificate), Some(key)) => {
            if given.client_optional.is_some() && given.client_authorities.is_none() {
                bail!("--tls-client-optional says nothing without --tls-client-ca");
            }
            Ok(Some(TlsFiles {
                certificate,
                key,
                client_authorities: given.client_authorities,
                client_optional: given.client_optional.unwrap_or(false),
            }))
        }
        (None, None) if given.client_authorities.is_none() && given.client_optional.is_none() => Ok(None),
        _ => {
            bail!("TLS needs both --tls-certificate and --tls-key; `larder cert` makes them for a first try")
        }
    }
}

fn read_file(path: &Path) -> Result<ServeOptions> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("{} is not a valid configuration", path.display()))
}

/// `database.collection`, as syslog's is named.
fn collection(given: Option<&str>) -> Result<(String, String)> {
    let given = given.unwrap_or("logs.syslog");
    match given.split_once('.') {
        Some((database, name)) if !database.is_empty() && !name.is_empty() => {
            Ok((database.to_owned(), name.to_owned()))
        }
        _ => bail!("'{given}' is not a collection such as logs.syslog"),
    }
}
