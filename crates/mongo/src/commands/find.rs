//! `find`.

use super::rename_collection::check_uuid;
use super::{collation, cursor};
use crate::arguments::{Arguments, Number};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::Action;
use code::Code;
use engine::{FindRequest, Tailing};
use value::{Document, DocumentRef, Value, ValueRef};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace_or_uuid(Action::Find)?;
    let request = parse(&call.arguments())?;
    let expected = call.arguments().uuid("collectionUUID")?;
    if expected.is_some() && matches!(call.body().get("find"), Some(ValueRef::Binary { .. })) {
        return Err(CommandError::invalid_options(
            "The collectionUUID parameter is for a find that names its collection",
        ));
    }
    check_uuid(call, &namespace, expected)?;
    let reply = call
        .server
        .engine
        .find(&call.context, &namespace, &request)
        .await?;
    Ok(cursor::first_batch(reply))
}

/// Reads the arguments; `explain` reads them too.
pub(super) fn parse(arguments: &Arguments<'_>) -> Result<FindRequest> {
    let document = |name| -> Result<_> {
        Ok(owned(arguments, name)?
            .map(DocumentRef::to_document)
            .unwrap_or_default())
    };
    let flag = |name| optional_flag(arguments, name);
    arguments.ignore(&["find"]);
    let request = FindRequest {
        filter: document("filter")?,
        sort: document("sort")?,
        projection: document("projection")?,
        skip: not_negative(arguments, "skip")?.unwrap_or(0),
        // 0 stands for no limit.
        limit: not_negative(arguments, "limit")?.filter(|limit| *limit > 0),
        batch_size: not_negative(arguments, "batchSize")?,
        single_batch: flag("singleBatch")?.unwrap_or(false),
        hint: cursor::hint(arguments)?,
        min: document("min")?,
        max: document("max")?,
        return_key: flag("returnKey")?.unwrap_or(false),
        show_record_id: flag("showRecordId")?.unwrap_or(false),
        tailing: tailing(arguments)?,
        no_cursor_timeout: flag("noCursorTimeout")?.unwrap_or(false),
        variables: cursor::variables(arguments)?,
        withholds_clock: false,
        refuse_full_scan: false,
        refuse_disk_use: !flag("allowDiskUse")?.unwrap_or(true),
        collation: match owned(arguments, "collation")? {
            Some(_) => collation::parse(arguments)?,
            None => None,
        },
    };
    arguments.bool("mirrored")?;
    for unused in [
        "allowPartialResults",
        "oplogReplay",
        "readOnce",
        "allowSpeculativeMajorityRead",
    ] {
        flag(unused)?;
    }
    arguments.uuid("collectionUUID")?;
    check_resuming(arguments, &request)?;
    arguments.integer("term")?;
    arguments.document("runtimeConstants")?;
    arguments.bool("includeQueryStatsMetrics")?;
    arguments.finish()?;
    check(&request)?;
    Ok(request)
}

/// A document that may be missing, but not null.
fn owned<'a>(arguments: &Arguments<'a>, name: &'static str) -> Result<Option<DocumentRef<'a>>> {
    match arguments.any(name) {
        None => Ok(None),
        Some(ValueRef::Document(document)) => Ok(Some(document)),
        Some(_) => Err(CommandError::type_mismatch(format!(
            "Expected field {name}to be of type object"
        ))),
    }
}

/// A boolean that may be missing, but not null.
fn optional_flag(arguments: &Arguments<'_>, name: &'static str) -> Result<Option<bool>> {
    match arguments.any(name) {
        None => Ok(None),
        Some(ValueRef::Bool(flag)) => Ok(Some(flag)),
        Some(other) => {
            let found = other.type_of().alias();
            Err(CommandError::type_mismatch(format!(
                "Field '{name}' should be a boolean value, but found: {found}"
            )))
        }
    }
}

fn not_negative(arguments: &Arguments<'_>, name: &'static str) -> Result<Option<u64>> {
    match arguments.integer(name)? {
        None => Ok(None),
        Some(number) => u64::try_from(number).map(Some).map_err(|_| {
            let message = format!("BSON field '{name}' value must be >= 0, actual value '{number}'");
            CommandError::bad_value(message)
        }),
    }
}

fn tailing(arguments: &Arguments<'_>) -> Result<Tailing> {
    let tailable = optional_flag(arguments, "tailable")?.unwrap_or(false);
    let awaits = optional_flag(arguments, "awaitData")?.unwrap_or(false);
    match (tailable, awaits) {
        (true, true) => Ok(Tailing::Awaiting),
        (true, false) => Ok(Tailing::Tailing),
        (false, false) => Ok(Tailing::No),
        (false, true) => Err(CommandError::failed_to_parse(
            "Cannot set 'awaitData' without also setting 'tailable'",
        )),
    }
}

/// Refuses to tell where a read ended, and to go on from there, by which MongoDB's own servers copy collections.
fn check_resuming(arguments: &Arguments<'_>, request: &FindRequest) -> Result<()> {
    let wanted = optional_flag(arguments, "$_requestResumeToken")?.unwrap_or(false);
    for (field, name) in [("$_resumeAfter", "resumeAfter"), ("$_startAt", "startAt")] {
        let is_given = owned(arguments, field)?.is_some_and(|token| !token.is_empty());
        if is_given && !wanted {
            return Err(CommandError::bad_value(format!(
                "'requestResumeToken' must be true if '{name}' is specified"
            )));
        }
    }
    if !wanted {
        return Ok(());
    }
    let is_forward = |key: Option<&Value>| matches!(key, Some(Value::Document(key)) if is_natural(key));
    if !is_forward(request.hint.as_ref()) {
        return Err(CommandError::bad_value(
            "hint must be {$natural:1} if 'requestResumeToken' is enabled",
        ));
    }
    if !request.sort.is_empty() && !is_natural(&request.sort) {
        return Err(CommandError::bad_value(
            "sort must be unset or {$natural:1} if 'requestResumeToken' is enabled",
        ));
    }
    Err(CommandError::new(
        Code::NOT_IMPLEMENTED,
        "$_requestResumeToken is not supported: read in the order of _id, and go on behind the last one",
    ))
}

/// Whether a sort or a hint is `{$natural: 1}`.
fn is_natural(key: &Document) -> bool {
    let is_one = |value: &Value| Number::of(value.as_ref()).map(Number::to_i64_saturating) == Some(1);
    key.len() == 1
        && key
            .iter()
            .all(|(name, value)| name == "$natural" && is_one(value))
}

fn check(request: &FindRequest) -> Result<()> {
    let (min, max) = (&request.min, &request.max);
    let mut pairs = min.iter().zip(max.iter());
    let is_same = min.len() == max.len() && pairs.all(|((one, _), (other, _))| one == other);
    if !min.is_empty() && !max.is_empty() && !is_same {
        return Err(CommandError::new(
            Code::location(51_176),
            "min and max must have the same field names",
        ));
    }
    if request.tailing != Tailing::No && request.single_batch {
        return Err(CommandError::bad_value(
            "Cannot use tailable option with singleBatch or a negative limit",
        ));
    }
    if request.tailing != Tailing::No && !request.sort.is_empty() && !is_natural(&request.sort) {
        return Err(CommandError::bad_value(
            "cannot use tailable option with a sort other than {$natural: 1}",
        ));
    }
    Ok(())
}
