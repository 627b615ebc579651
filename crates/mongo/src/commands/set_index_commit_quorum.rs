//! `setIndexCommitQuorum`: how many members of a replica set must have built an index. There is one, so no build waits for others.

use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use value::ValueRef;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let names = arguments.strings("indexNames")?;
    let quorum = arguments.any("commitQuorum");
    let names = names.ok_or_else(|| arguments.missing("indexNames"))?;
    match quorum {
        None => return Err(arguments.missing("commitQuorum").into()),
        Some(ValueRef::String(_)) => {}
        Some(number) if number.is_number() => {}
        Some(_) => {
            return Err(CommandError::failed_to_parse(
                "commitQuorum has to be a number or a string",
            ));
        }
    }
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
