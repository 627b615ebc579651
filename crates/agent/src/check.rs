//! `larder agent check`: whether a configuration is one, and what would be read by it.

use crate::config::{Config, Source, SourceKind};
use crate::source::files_found;
use anyhow::Result;
use std::io::Write;
use std::path::Path;

/// Files that are named; of more, the number is said.
const FILES_MAX: usize = 20;

/// Reads a configuration and says what each source would read.
pub fn check(path: &Path, out: &mut dyn Write) -> Result<()> {
    let config = Config::read(path)?;
    writeln!(out, "device  {}", config.device)?;
    writeln!(
        out,
        "server  {} ({:?})",
        config.server.url, config.server.protocol
    )?;
    writeln!(
        out,
        "spool   {}, at most {} bytes",
        config.spool.folder.display(),
        config.spool.max_bytes.0
    )?;
    for (what, file) in [
        ("password", &config.server.password_file),
        ("authorities", &config.server.ca_file),
    ] {
        if let Some(file) = file
            && let Err(error) = std::fs::metadata(file)
        {
            writeln!(out, "warning: the {what} in {}: {error}", file.display())?;
        }
    }
    for source in &config.sources {
        describe(source, out)?;
    }
    Ok(())
}

fn describe(source: &Source, out: &mut dyn Write) -> Result<()> {
    let kind = source.kind()?;
    let format = format_name(source, kind);
    writeln!(out, "\nsource  {} to {}, {format}", source.name, source.to)?;
    match kind {
        SourceKind::Files(files) => {
            let found = files_found(files);
            for path in found.iter().take(FILES_MAX) {
                let size = path.metadata().map_or(0, |metadata| metadata.len());
                let readable =
                    std::fs::File::open(path).map_or_else(|error| format!(": {error}"), |_| String::new());
                writeln!(out, "  {} ({size} bytes){readable}", path.display())?;
            }
            match found.len() {
                0 => writeln!(out, "  no file is there now: {}", files.paths.join(", "))?,
                count if count > FILES_MAX => writeln!(out, "  and {} more", count - FILES_MAX)?,
                _ => {}
            }
        }
        SourceKind::Journal(journal) => match journal.units.is_empty() {
            true => writeln!(out, "  the journal, by {}", journal.journalctl.display())?,
            false => writeln!(out, "  the journal, of {}", journal.units.join(", "))?,
        },
        SourceKind::Syslog(syslog) => {
            for (kind, address) in [("udp", syslog.udp), ("tcp", syslog.tcp)] {
                if let Some(address) = address {
                    writeln!(out, "  {kind} {address}")?;
                }
            }
            if let Some(path) = &syslog.unix {
                writeln!(out, "  {}", path.display())?;
            }
        }
        SourceKind::Program(program) => {
            writeln!(out, "  {} every {:?}", program.command.join(" "), program.every.0)?;
        }
        SourceKind::Figures(figures) => {
            let disks: Vec<_> = figures.disks.iter().map(|path| path.to_string_lossy()).collect();
            writeln!(
                out,
                "  figures of the machine every {:?}, disks {}",
                figures.every.0,
                disks.join(", ")
            )?;
        }
        SourceKind::Device(device) => {
            let there = match device.path.exists() {
                true => "",
                false => ", which is not there now",
            };
            writeln!(out, "  {}{there}", device.path.display())?;
        }
    }
    Ok(())
}

fn format_name<'a>(source: &'a Source, kind: SourceKind<'_>) -> &'a str {
    match (&source.format, &source.pattern, kind) {
        (Some(format), ..) => format,
        (None, Some(_), _) => "pattern",
        (None, None, SourceKind::Syslog(_)) => "syslog",
        (None, None, SourceKind::Journal(_) | SourceKind::Figures(_)) => "fields of its own",
        (None, None, _) => "plain",
    }
}
