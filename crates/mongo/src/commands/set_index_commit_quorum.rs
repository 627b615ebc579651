//! `setIndexCommitQuorum`: how many members of a replica set must have built an index. There is one, so no build waits for others.

use crate::arguments::{Arguments, Number};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use value::ValueRef;

/// The most members that a quorum may have.
const MEMBERS_MAX: i64 = 50;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let names = arguments.strings("indexNames")?;
    let quorum = commit_quorum(&arguments)?;
    arguments.finish()?;
    let names = names.ok_or_else(|| arguments.missing("indexNames"))?;
    quorum.ok_or_else(|| arguments.missing("commitQuorum"))?;
    let not_found = |message: String| Err(CommandError::new(Code::INDEX_NOT_FOUND, message));
    if names.is_empty() {
        return not_found(format!(
            "Cannot set a new commit quorum on an index build in collection '{namespace}' without providing any indexes."
        ));
    }
    if call.server.engine.collection_entry(&namespace).is_none() {
        return Err(CommandError::new(
            Code::NAMESPACE_NOT_FOUND,
            format!("Collection '{namespace}' was not found."),
        ));
    }
    not_found(format!(
        "Cannot find an index build on collection '{namespace}' with the provided index names"
    ))
}

/// `commitQuorum`, checked: how many members, or which.
pub(super) fn commit_quorum<'a>(arguments: &Arguments<'a>) -> Result<Option<ValueRef<'a>>> {
    let refused = |message: String| Err(CommandError::failed_to_parse(message));
    let Some(quorum) = arguments.any("commitQuorum") else {
        return Ok(None);
    };
    match (quorum, Number::of(quorum).map(Number::to_i64_saturating)) {
        (_, Some(0..=MEMBERS_MAX)) => Ok(Some(quorum)),
        (_, Some(_)) => refused(format!(
            "commitQuorum has to be a non-negative number and not greater than {MEMBERS_MAX}"
        )),
        (ValueRef::String(""), _) => refused("commitQuorum can't be an empty string".to_owned()),
        (ValueRef::String(_), _) => Ok(Some(quorum)),
        _ => refused("commitQuorum has to be a number or a string".to_owned()),
    }
}
