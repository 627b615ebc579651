//! The command line.

use crate::config::ServeOptions;
use crate::export::ExportOptions;
use crate::import::ImportOptions;
use crate::user::UserOptions;
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
    /// Import NDJSON, JSON arrays, CSV or lines of text, plain or compressed.
    Import(Box<ImportOptions>),
    /// Export a collection as NDJSON, a JSON array or CSV.
    Export(Box<ExportOptions>),
    /// Add, list and remove users of a data folder that no server has open, or change their passwords.
    User(UserOptions),
}
