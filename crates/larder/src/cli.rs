//! The command line.

use crate::backup::BackupOptions;
use crate::cert::CertOptions;
use crate::check::CheckOptions;
use crate::config::{ConfigOptions, ServeOptions};
use crate::export::ExportOptions;
use crate::help::{CompletionsOptions, ManualOptions};
use crate::import::ImportOptions;
use crate::repair::RepairOptions;
use crate::restore::RestoreOptions;
use crate::status::StatusOptions;
use crate::user::UserOptions;
use crate::verify::VerifyOptions;
use clap::{Parser, Subcommand};

/// One document store behind the protocols that you already have clients for.
#[derive(Debug, Parser)]
#[command(name = "larder", version, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve a data folder until SIGTERM or SIGINT; SIGHUP reads the configuration again.
    Serve(Box<ServeOptions>),
    /// Look at the settings with which a server would start.
    Config(ConfigOptions),
    /// Import NDJSON, JSON arrays, CSV or lines of text, plain or compressed.
    Import(Box<ImportOptions>),
    /// Export a collection as NDJSON, a JSON array or CSV.
    Export(Box<ExportOptions>),
    /// Add, list and remove users, or change their passwords: of a running server, or of a data folder that no server has open.
    User(UserOptions),
    /// Say what a running server does, in figures.
    Status(StatusOptions),
    /// Say whether a running server is well, as plugins of Nagios do: exit codes 0 to 3, one line with figures.
    Check(CheckOptions),
    /// Make a certificate that is signed by itself, and its key, for a first try of TLS.
    Cert(CertOptions),
    /// Gather what a device writes and send it to a server, each record once; SIGHUP reads the configuration again.
    Agent(agent::cli::Options),
    /// Back up a running server, or a data folder that no server has open; what did not change is not copied again.
    Backup(BackupOptions),
    /// Restore a backup into a new data folder; or list backups, or check them.
    Restore(RestoreOptions),
    /// Read all of a data folder that no server has open, and say what is damaged.
    Verify(VerifyOptions),
    /// Make a data folder usable again that is damaged.
    Repair(RepairOptions),
    /// Write what a shell needs to complete commands and options.
    Completions(CompletionsOptions),
    /// Write the manual pages, made of the same text as `--help`.
    Manual(ManualOptions),
}
