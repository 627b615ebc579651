//! Checking the log before the engine opens it.
//!
//! The engine reads the log up to the first place that it cannot read, and silently ignores the rest. After a crash that is
//! right, since a commit that was not flushed may be incomplete. But after a flipped bit, or if a file was truncated or removed,
//! acknowledged commits would be lost. So before each start the logs are followed batch by batch
//! ([`chain`]), from what the engine's tables hold ([`manifest`]) to what was certainly on the disk ([`synced`]). If
//! that is not reached the start fails, until the administrator has the log cut off there ([`cut`]).
//!
//! What must hold: what the engine takes from the log is all that was written up to some moment; a batch is never taken
//! without those before it.

mod chain;
mod cut;
mod fields;
mod manifest;
mod records;
mod synced;

pub(super) use synced::{Reached, Synced};

use crate::{Error, LogDamage};
use chain::{Chain, Log};
use manifest::Manifest;
use std::io;
use std::path::Path;

/// What is known of the log of a folder that nobody has open.
struct Findings {
    logs: Vec<Log>,
    chain: Chain,
    damage: Option<LogDamage>,
}

/// Ensures that the engine will find everything that was acknowledged, and nothing after a gap.
pub(super) fn check(folder: &Path) -> Result<(), Error> {
    let Some(findings) = look(folder).map_err(failed("reading the log"))? else {
        return Ok(());
    };
    if let Some(damage) = findings.damage {
        return Err(Error::LogDamaged(Box::new(damage)));
    }
    if findings.chain.behind > 0 {
        // After a power failure, any part of what was not flushed may be there.
        cut::cut(folder, &findings.chain, &findings.logs).map_err(failed("cutting off the log"))?;
    }
    Ok(())
}

/// Cuts the log off where it is damaged, and keeps what is cut off in a folder of its own. `None` if nothing that was
/// acknowledged is missing.
pub(super) fn repair(folder: &Path) -> Result<Option<LogDamage>, Error> {
    let Some(findings) = look(folder).map_err(failed("reading the log"))? else {
        return Ok(None);
    };
    if findings.damage.is_some() {
        let cutting = failed("cutting off the log");
        cut::cut(folder, &findings.chain, &findings.logs).map_err(&cutting)?;
        Synced::start(folder, Reached::default()).map_err(&cutting)?;
    }
    Ok(findings.damage)
}

/// The number of the folder's present manifest; 0 if there is none.
pub(super) fn manifest_number(folder: &Path) -> u64 {
    manifest::present(folder).map_or(0, |(number, _)| number)
}

/// Reads the logs. `None` if there is no readable manifest; the engine will then report that itself.
fn look(folder: &Path) -> io::Result<Option<Findings>> {
    let Some(manifest) = Manifest::read(folder)? else {
        return Ok(None);
    };
    let reached = Synced::read(folder)?;
    let here = reached.filter(|reached| reached.manifest == manifest.number);
    let in_tables = manifest
        .in_tables
        .max(here.map_or(0, |reached| reached.in_tables));
    // A table may have lost its sequence numbers. Then the first batch of the log shows what is in tables.
    let start = (manifest.is_exact || here.is_some()).then_some(in_tables);
    let logs = chain::logs(folder, manifest.first_log)?;
    let chain = Chain::follow(&logs, start)?;
    let on_disk = reached.map(|reached| reached.on_disk);
    let missing = match (on_disk, chain.reached) {
        (Some(on_disk), Some(reached)) => on_disk.saturating_sub(reached.max(in_tables)),
        _ => 0,
    };
    // If it is not known what was flushed, intact commits after a gap show that something was lost.
    let is_lost = missing > 0 || (on_disk.is_none() && chain.behind > 0);
    let damage = is_lost.then(|| LogDamage {
        folder: folder.display().to_string(),
        file: chain.end.as_ref().map(|end| end.log.name()),
        offset: chain.end.as_ref().map_or(0, |end| end.offset),
        entries_missing: missing,
        commits_behind: chain.behind,
        shards_behind: chain.shards.iter().copied().collect(),
    });
    Ok(Some(Findings { logs, chain, damage }))
}

fn failed(doing: &'static str) -> impl Fn(io::Error) -> Error {
    move |error| Error::Engine {
        doing,
        cause: error.to_string(),
    }
}
