//! The shippers, each configured to read one file from its beginning and to send batches of 500.

use anyhow::{Context, Result};
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the lines go.
pub const INDEX: &str = "lines";

/// What brings lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Agent,
    Rsyslog,
    SyslogNg,
}

/// Where a server listens.
#[derive(Debug)]
pub struct Target {
    pub http: SocketAddr,
    pub elastic: SocketAddr,
}

impl Program {
    pub const ALL: [Program; 3] = [Program::Agent, Program::Rsyslog, Program::SyslogNg];

    pub fn name(self) -> &'static str {
        match self {
            Program::Agent => "larder agent",
            Program::Rsyslog => "rsyslog",
            Program::SyslogNg => "syslog-ng",
        }
    }

    /// The command that reads `file`; its configuration and state go to `folder`.
    pub fn command(self, agent: &Path, folder: &Path, file: &Path, target: &Target) -> Result<Command> {
        let config = folder.join("config");
        let (at, file) = (folder.display(), file.display());
        match self {
            Program::Agent => {
                let text = format!(
                    "[server]\nurl = \"http://{}\"\n[spool]\nfolder = \"{at}/spool\"\n\
                     [[source]]\nname = \"file\"\nto = \"default.{INDEX}\"\n[source.files]\npaths = [\"{file}\"]\n",
                    target.http
                );
                std::fs::write(&config, text)?;
                let mut command = Command::new(agent);
                command.args(["--log", "warn", "--config"]).arg(&config);
                Ok(command)
            }
            Program::Rsyslog => {
                let text = format!(
                    "global(workDirectory=\"{at}\")\nmodule(load=\"imfile\")\nmodule(load=\"omelasticsearch\")\n\
                     template(name=\"record\" type=\"list\" option.jsonf=\"on\") {{\n\
                     property(outname=\"@timestamp\" name=\"timegenerated\" dateFormat=\"rfc3339\" format=\"jsonf\")\n\
                     property(outname=\"message\" name=\"msg\" format=\"jsonf\")\n}}\n\
                     input(type=\"imfile\" file=\"{file}\" tag=\"file\")\n\
                     action(type=\"omelasticsearch\" server=\"{}\" serverport=\"{}\" searchIndex=\"{INDEX}\" searchType=\"\"\n\
                     bulkmode=\"on\" template=\"record\" queue.type=\"LinkedList\" queue.size=\"50000\"\n\
                     queue.dequeuebatchsize=\"500\" action.resumeretrycount=\"-1\")\n",
                    target.elastic.ip(),
                    target.elastic.port()
                );
                std::fs::write(&config, text)?;
                let root = unpacked()?;
                let libraries = root.join("usr/lib/x86_64-linux-gnu");
                let mut command = Command::new(root.join("usr/sbin/rsyslogd"));
                command.env("LD_LIBRARY_PATH", &libraries);
                command.arg("-n").arg("-f").arg(&config);
                command.arg("-i").arg(folder.join("pid"));
                command.arg("-M").arg(libraries.join("rsyslog"));
                Ok(command)
            }
            Program::SyslogNg => {
                let root = unpacked()?;
                let text = format!(
                    "@version: 3.38\n@include \"{}\"\noptions {{ stats-freq(0); }};\n\
                     source s {{ file(\"{file}\" flags(no-parse) follow-freq(0.1) log-fetch-limit(1000) log-iw-size(50000)); }};\n\
                     destination d {{ elasticsearch-http(index(\"{INDEX}\") type(\"\") url(\"http://{}/_bulk\")\n\
                     batch-lines(500) batch-timeout(1000) log-fifo-size(50000)\n\
                     template(\"$(format-json --pair @timestamp=$ISODATE --pair message=$MSG)\")); }};\n\
                     log {{ source(s); destination(d); flags(flow-control); }};\n",
                    root.join("usr/share/syslog-ng/include/scl/elasticsearch/elastic-http.conf")
                        .display(),
                    target.elastic
                );
                std::fs::write(&config, text)?;
                let modules = root.join("usr/lib/syslog-ng");
                let mut libraries = OsString::from(root.join("usr/lib/x86_64-linux-gnu"));
                for folder in [&root.join("lib/x86_64-linux-gnu"), &modules] {
                    libraries.push(":");
                    libraries.push(folder);
                }
                let mut command = Command::new(root.join("usr/sbin/syslog-ng"));
                command.env("LD_LIBRARY_PATH", libraries);
                command
                    .args(["--foreground", "--no-caps", "--cfgfile"])
                    .arg(&config);
                command.arg("--module-path").arg(modules.join("3.38"));
                for (option, name) in [
                    ("--persist-file", "persist"),
                    ("--pidfile", "pid"),
                    ("--control", "control"),
                ] {
                    command.arg(option).arg(folder.join(name));
                }
                Ok(command)
            }
        }
    }
}

/// Where Debian's packages of the others were unpacked.
fn unpacked() -> Result<PathBuf> {
    let root = std::env::var_os("SHIPPERS").context("SHIPPERS is not set: use experiments/shippers/run")?;
    Ok(root.into())
}
