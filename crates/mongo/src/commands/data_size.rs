//! `dataSize`.

use super::rename_collection::full_name;
use crate::arguments::Arguments;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, Resource};
use engine::{DataSizeRequest, Namespace};
use std::time::Instant;
use value::doc;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let started = Instant::now();
    let arguments = call.arguments();
    let namespace = full_name("dataSize", arguments.required_string("dataSize")?)?;
    let estimate = arguments.flag("estimate")?.unwrap_or(false);
    let request = parse(&arguments)?;
    arguments.finish()?;
    let Namespace { database, collection } = &namespace;
    call.require(Action::Find, Resource::Collection(database, collection))?;
    let size = call
        .server
        .engine
        .data_size(&call.context, &namespace, &request)
        .await?;
    let mut reply = doc! {
        "estimate": estimate,
        "size": size.bytes as i64,
        "numObjects": size.documents as i64,
        "millis": started.elapsed().as_millis() as i64,
    };
    if size.is_cut {
        reply.push("maxReached", true);
    }
    Ok(reply.into())
}

fn parse(arguments: &Arguments<'_>) -> Result<DataSizeRequest> {
    let (min, max) = (arguments.document("min")?, arguments.document("max")?);
    let range = match (min, max) {
        (Some(min), Some(max)) => Some((min.to_document(), max.to_document())),
        (None, None) => None,
        _ => return Err(CommandError::bad_value("only one of min or max specified")),
    };
    Ok(DataSizeRequest {
        key_pattern: arguments.decoded("keyPattern")?,
        range,
        bytes_max: limit(arguments, "maxSize")?,
        documents_max: limit(arguments, "maxObjects")?,
    })
}

/// A limit, where 0 stands for none; whatever is counted is more than a negative one.
fn limit(arguments: &Arguments<'_>, name: &'static str) -> Result<Option<u64>> {
    let limit = arguments.integer(name)?.filter(|limit| *limit != 0);
    Ok(limit.map(|limit| limit.max(0).unsigned_abs()))
}
