//! `larder completions` and `larder manual`: what the command line knows of itself, for shells and for `man`.

use crate::cli::Cli;
use anyhow::{Context, Result};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::path::PathBuf;

/// Which shell.
#[derive(Clone, Debug, Args)]
pub struct CompletionsOptions {
    /// The shell.
    shell: Shell,
}

/// Where to.
#[derive(Clone, Debug, Args)]
pub struct ManualOptions {
    /// The folder into which the pages are written, such as /usr/local/share/man/man1.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes a shell's completions on standard output.
pub fn completions(options: &CompletionsOptions) -> Result<()> {
    let mut written = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "larder", &mut written);
    std::io::Write::write_all(&mut std::io::stdout(), &written).context("cannot write on standard output")
}

/// Writes a page for the program and one for each of its commands.
pub fn manual(options: &ManualOptions) -> Result<()> {
    let folder = &options.folder;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let written = clap_mangen::generate_to(Cli::command(), folder);
    written.with_context(|| format!("cannot write into {}", folder.display()))
}
