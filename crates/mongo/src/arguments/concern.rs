//! `readConcern`, and `writeConcern` judged as a standalone server does.

use super::{Fields, Number, is_null};
use crate::error::{CommandError, Result};
use value::{DocumentRef, Timestamp, ValueRef};

/// The most members that `w` may name.
const W_MAX: i64 = 50;
const PROVENANCES: [&str; 5] = [
    "clientSupplied",
    "implicitDefault",
    "customDefault",
    "getLastErrorDefaults",
    "internalWriteDefault",
];
const LEVELS: [&str; 5] = ["local", "available", "majority", "linearizable", "snapshot"];

/// How safe a write must be before it is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteConcern {
    /// `w: 0`: the client does not look at the answer.
    pub unacknowledged: bool,
    /// `j`, where it was given; `fsync`, its older name, means the same.
    pub journaled: Option<bool>,
}

/// What a read may see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadConcern {
    /// The level as it was given.
    pub name: Option<String>,
    /// What it asks for.
    pub level: ReadLevel,
    /// The time that the read must be after. Every read sees all that was answered before it, so it is in the past.
    pub after: Option<Timestamp>,
}

/// What the levels of read concern ask of a server whose writes are all on one disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadLevel {
    /// What is there; `available` and `majority` are no other.
    #[default]
    Local,
    /// What no crash takes back.
    Linearizable,
    /// What was there at one moment: now, or at a time that an earlier read was told (seconds and increment).
    Snapshot(Option<Timestamp>),
}

impl WriteConcern {
    /// Reads the document.
    pub fn parse(document: DocumentRef<'_>) -> Result<WriteConcern> {
        let arguments = Fields::new("writeConcern", document);
        let journaled = match arguments.present("j") {
            None => None,
            Some(ValueRef::Bool(journaled)) => Some(journaled),
            Some(number) if number.is_number() => Number::of(number).map(|number| !number.is_zero()),
            Some(other) => {
                return Err(arguments
                    .wrong_type("j", other, "'[bool, long, int, decimal, double]'")
                    .into());
            }
        };
        let fsync = arguments.flag("fsync")?.unwrap_or(false);
        if fsync && journaled == Some(true) {
            return Err(CommandError::failed_to_parse(
                "fsync and j options cannot be used together",
            ));
        }
        let journaled = if fsync { Some(true) } else { journaled };
        check_timeout(&arguments)?;
        if let Some(provenance) = arguments.string("provenance")?
            && !PROVENANCES.contains(&provenance)
        {
            return Err(arguments.bad_enumeration("provenance", provenance).into());
        }
        arguments.ignore(&["wElectionId", "wOpTime", "getLastError"]);
        let w = arguments.any("w");
        arguments.finish()?;
        let unacknowledged = w.map(parse_w).transpose()?.unwrap_or(false);
        Ok(WriteConcern {
            unacknowledged: unacknowledged && journaled != Some(true),
            journaled,
        })
    }
}

/// Whether `w` asks for no acknowledgement.
fn parse_w(w: ValueRef<'_>) -> Result<bool> {
    match w {
        ValueRef::String("majority") => Ok(false),
        ValueRef::String(_) | ValueRef::Null => Err(CommandError::bad_value(
            "cannot use non-majority 'w' mode when a host is not a member of a replica set",
        )),
        ValueRef::Document(tags) => {
            if tags.is_empty() {
                return Err(CommandError::failed_to_parse(
                    "tagged write concern requires tags",
                ));
            }
            match tags.iter().all(|(_, count)| count.is_number()) {
                // There is one copy, which has every tag that is asked for.
                true => Ok(false),
                false => Err(CommandError::failed_to_parse(
                    "tags must be a single level document with only number values",
                )),
            }
        }
        number => {
            let count = Number::of(number)
                .map(Number::to_f64)
                .filter(|count| count.is_finite() && *count > -1.0)
                .and_then(|_| Number::of(number).map(Number::to_i64_saturating))
                .filter(|count| (0..=W_MAX).contains(count));
            match count {
                Some(0) => Ok(true),
                Some(1) => Ok(false),
                Some(_) => Err(CommandError::bad_value(
                    "cannot use 'w' > 1 when a host is not replicated",
                )),
                None if number.is_number() => Err(CommandError::failed_to_parse(format!(
                    "w has to be a non-negative number and not greater than {W_MAX}"
                ))),
                None => Err(CommandError::failed_to_parse(
                    "w has to be a number, string, or object",
                )),
            }
        }
    }
}

fn check_timeout(arguments: &Fields<'_>) -> Result<()> {
    let Some(value) = arguments.any("wtimeout").filter(|value| !is_null(*value)) else {
        return Ok(());
    };
    match Number::of(value).map(Number::to_f64) {
        Some(timeout) if timeout > f64::from(i32::MAX) => {
            Err(CommandError::failed_to_parse("wtimeout must be a 32-bit integer"))
        }
        // Whatever is no number is taken as 0, as MongoDB does.
        _ => Ok(()),
    }
}

impl ReadConcern {
    /// Reads the document.
    pub fn parse(document: DocumentRef<'_>) -> Result<ReadConcern> {
        let arguments = Fields::new("readConcern", document);
        let level = arguments.string("level")?;
        let after = timestamp(&arguments, "afterClusterTime")?;
        let at = timestamp(&arguments, "atClusterTime")?;
        if let Some(provenance) = arguments.string("provenance")?
            && !PROVENANCES.contains(&provenance)
        {
            return Err(arguments.bad_enumeration("provenance", provenance).into());
        }
        arguments.ignore(&[
            "afterOpTime",
            "$_waitLastStableRecoveryTimestamp",
            "allowTransactionTableSnapshot",
        ]);
        arguments.finish()?;
        if let Some(level) = level
            && !LEVELS.contains(&level)
        {
            return Err(arguments.bad_enumeration("level", level).into());
        }
        if after.is_some() && at.is_some() {
            return Err(CommandError::invalid_options(
                "Specifying a timestamp for both 'afterClusterTime' and 'atClusterTime' is not allowed",
            ));
        }
        if after.is_some() && matches!(level, Some("available" | "linearizable")) {
            return Err(CommandError::invalid_options(
                "afterClusterTime field can be set only if level is equal to majority, local, or snapshot",
            ));
        }
        if at.is_some() && level != Some("snapshot") {
            return Err(CommandError::invalid_options(
                "readConcern field 'atClusterTime' can be set only if 'level' is equal to 'snapshot'",
            ));
        }
        Ok(ReadConcern {
            after,
            name: level.map(str::to_owned),
            level: match level {
                Some("snapshot") => ReadLevel::Snapshot(at),
                Some("linearizable") => ReadLevel::Linearizable,
                _ => ReadLevel::Local,
            },
        })
    }
}

fn timestamp(arguments: &Fields<'_>, name: &'static str) -> Result<Option<Timestamp>> {
    match arguments.any(name) {
        None => Ok(None),
        Some(ValueRef::Timestamp(Timestamp {
            seconds: 0,
            increment: 0,
        })) => Err(CommandError::invalid_options(format!(
            "readConcern {name} cannot be a null timestamp"
        ))),
        Some(ValueRef::Timestamp(time)) => Ok(Some(time)),
        Some(other) => Err(arguments.wrong_type(name, other, "'timestamp'").into()),
    }
}
