//! `/{index}/_clone/{target}`: a copy of an index that nobody writes to.

use crate::call::Call;
use crate::definition::Definition;
use crate::respond::{Answer, ok};
use auth::Action;
use engine::{Edit, EditOrigin, EditOutcome, Order, PageLimit, RevisionPath};
use http::{Method, StatusCode};
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::settings;
use indices::shape::Shape;
use serde_json::{Map, Value, json};
use std::ops::Bound;

pub(crate) async fn run(call: &mut Call, name: &str, target: &str) -> Result<Answer> {
    call.only(&[Method::POST, Method::PUT])?;
    call.parameters
        .without_effect(&["timeout", "master_timeout", "wait_for_active_shards"]);
    if call.parameters.flag("copy_settings")? == Some(false) {
        return Err(ElasticError::illegal(
            "[copy_settings] must not be set to [false]",
        ));
    }
    call.parameters.end()?;
    let mut body = call.object()?;
    let given = Definition::take(&mut body)?;
    if let Some(other) = body.keys().next() {
        return Err(ElasticError::parsing(format!(
            "[resize_request] unknown field [{other}]"
        )));
    }
    if !given.mappings.is_empty() {
        return Err(ElasticError::illegal(
            "mappings are not allowed when resizing indices, all mappings are copied from the source index",
        ));
    }
    let source = call.index(name, Action::Find)?;
    let made = copy(call, &source, target, given).await?;
    Ok(ok(
        json!({"acknowledged": true, "shards_acknowledged": true, "index": made}),
    ))
}

async fn copy(call: &Call, source: &Index, target: &str, given: Definition) -> Result<String> {
    let mut whole = source.given_settings();
    let own = Shape::of(source).primaries;
    let asked = given.settings.get("number_of_shards").and_then(Value::as_str);
    if let Some(asked) = asked.filter(|asked| asked.parse() != Ok(own)) {
        return Err(ElasticError::illegal(format!(
            "the number of target shards ({asked}) must be the same as the number of source shards ({own})"
        )));
    }
    if settings::blocks(&whole, true).is_none() {
        return Err(ElasticError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "illegal_state_exception",
            format!(
                "index {} must be read-only to resize index. use \"index.blocks.write=true\"",
                source.name
            ),
        ));
    }
    settings::merge(&mut whole, given.settings);
    // Until all is there, its documents are written to it.
    let blocks = whole.shift_remove("blocks");
    let definition = Definition {
        settings: whole,
        mappings: source.mapping().await?.source().clone(),
        aliases: given.aliases,
    };
    let index = call.create_index_of(target, definition, None).await?;
    let copied = fill(call, source, &index).await;
    if copied.is_err() {
        call.drop_index(&index).await?;
    }
    copied?;
    if let Some(blocks) = blocks {
        index
            .put_settings(Map::from_iter([("blocks".to_owned(), blocks)]))
            .await?;
    }
    Ok(index.name)
}

/// Puts all documents of an index into another, with their revisions.
async fn fill(call: &Call, source: &Index, target: &Index) -> Result<()> {
    call.require(Action::Insert, &target.namespace)?;
    let snapshot = source.collection.snapshot().await?;
    let mut after = None;
    loop {
        let everything = (Bound::Unbounded, Bound::Unbounded);
        let (records, next) = snapshot
            .documents(everything, after.as_ref(), Order::Forward, PageLimit::default())
            .await?;
        engine::steps(records.len())?;
        let edits = records.iter().map(|record| Edit {
            document: record.document.clone(),
            deleted: false,
            origin: EditOrigin::Given(RevisionPath::of(record.revision())),
        });
        for outcome in target.collection.edit(edits.collect(), true).await? {
            match outcome {
                EditOutcome::Written(_) => {}
                EditOutcome::Refused(error) => return Err(error.into()),
                EditOutcome::Conflict => {
                    return Err(ElasticError::failed("somebody else writes to the new index"));
                }
            }
        }
        match next {
            Some(next) => after = Some(next),
            None => return Ok(()),
        }
    }
}
