//! What `aggregate` refuses for reasons outside of the stages themselves: the stable API, read concerns.

use crate::call::Call;
use crate::error::{CommandError, Result};
use code::Code;
use value::{Document, Value};

/// Stages that the stable API does not have.
const UNSTABLE: [&str; 13] = [
    "$listClusterCatalog",
    "$currentOp",
    "$indexStats",
    "$listLocalSessions",
    "$listSessions",
    "$planCacheStats",
    "$search",
    "$searchMeta",
    "$vectorSearch",
    "$rankFusion",
    "$querySettings",
    "$queryStats",
    "$listSearchIndexes",
];

/// Stages that tell of this very server, and so know no read concern but `local`.
const LOCAL_ONLY: [&str; 7] = [
    "$listClusterCatalog",
    "$currentOp",
    "$listLocalSessions",
    "$listSessions",
    "$planCacheStats",
    "$querySettings",
    "$queryStats",
];

/// Refuses stages that do not go with how the command is called.
pub(super) fn check(call: &Call<'_>, pipeline: &[Value]) -> Result<()> {
    for stage in pipeline {
        let Value::Document(stage) = stage else { continue };
        for (name, value) in stage.iter() {
            if call.generic.is_api_strict() && is_unstable(name, value) {
                return Err(CommandError::new(Code::API_STRICT_ERROR, not_stable(name)));
            }
            check_read_concern(call, name)?;
            inner_pipelines(name, value).try_for_each(|stages| check(call, stages))?;
        }
    }
    Ok(())
}

/// The first stage that the stable API does not have, within other stages too.
pub(super) fn unstable_stage(pipeline: &[Value]) -> Option<&str> {
    let mut stages = pipeline
        .iter()
        .filter_map(Value::as_document)
        .flat_map(Document::iter);
    stages.find_map(|(name, value)| match is_unstable(name, value) {
        true => Some(name),
        false => inner_pipelines(name, value).find_map(unstable_stage),
    })
}

/// What is said of such a stage.
pub(super) fn not_stable(stage: &str) -> String {
    format!("stage {stage} is not allowed with 'apiStrict: true' in API Version 1")
}

/// The pipelines within a stage.
fn inner_pipelines<'v>(name: &str, value: &'v Value) -> impl Iterator<Item = &'v [Value]> {
    let is_facet = name == "$facet";
    let fields = value.as_document().into_iter().flat_map(Document::iter);
    fields.filter_map(move |(field, value)| match value {
        Value::Array(stages) if is_facet || field == "pipeline" => Some(stages.as_slice()),
        _ => None,
    })
}

fn is_unstable(name: &str, value: &Value) -> bool {
    match (name, value) {
        // Only the count belongs to it.
        ("$collStats", Value::Document(options)) => options.iter().any(|(option, _)| option != "count"),
        _ => UNSTABLE.contains(&name),
    }
}

fn check_read_concern(call: &Call<'_>, stage: &str) -> Result<()> {
    let level = call
        .generic
        .read_concern
        .as_ref()
        .and_then(|read_concern| read_concern.name.as_deref());
    let refused = match (stage, level) {
        (_, None | Some("local")) => false,
        ("$out" | "$merge", Some("linearizable")) => true,
        (stage, Some(_)) => LOCAL_ONLY.contains(&stage),
    };
    match (refused, level) {
        (true, Some(level)) => Err(CommandError::invalid_options(format!(
            "Aggregation stage {stage} cannot run with a readConcern other than 'local', or in a multi-document transaction. \
             Current readConcern: {level}"
        ))),
        _ => Ok(()),
    }
}
