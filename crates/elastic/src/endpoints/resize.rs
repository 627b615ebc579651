//! `/{index}/_clone/{target}`, `_shrink` and `_split`: a copy of an index that nobody writes to, with as many shards, fewer or more.

use auth::Action;
use engine::{Edit, EditOrigin, EditOutcome, Order, PageLimit, RevisionPath};
use http::{Method, StatusCode};
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::settings;
use indices::shape::Shape;
use rest::call::Call;
use rest::definition::Definition;
use rest::respond::{Answer, ok};
use serde_json::{Map, Value, json};
use std::ops::Bound;

/// The setting that says of how many parts shards are made.
const PARTS: &str = "number_of_routing_shards";

/// What becomes of the shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resize {
    Clone,
    Shrink,
    Split,
}

impl Resize {
    /// How many shards the copy has.
    fn shards(self, source: &Index, given: &Map<String, Value>) -> Result<u64> {
        let own = Shape::of(source).primaries;
        let asked = given.get("number_of_shards").and_then(Value::as_str);
        let asked = asked.and_then(|asked| asked.parse::<u64>().ok());
        let parts = u64::from(source.routing().shards.parts());
        let refused = |reason: String| Err(ElasticError::illegal(reason));
        let target = match self {
            Resize::Clone => asked.unwrap_or(own),
            Resize::Shrink => asked.unwrap_or(1),
            Resize::Split => asked.ok_or_else(|| {
                ElasticError::validation(&[
                    "index.number_of_shards is required for split operations".to_owned()
                ])
            })?,
        };
        match self {
            Resize::Clone if target != own => refused(format!(
                "the number of target shards ({target}) must be the same as the number of source shards ({own})"
            )),
            Resize::Shrink if target > own => refused(format!(
                "the number of target shards [{target}] must be less that the number of source shards [{own}]"
            )),
            Resize::Shrink if !own.is_multiple_of(target) => refused(format!(
                "the number of source shards [{own}] must be a multiple of [{target}]"
            )),
            Resize::Split if target < own => refused(format!(
                "the number of source shards [{own}] must be less that the number of target shards [{target}]"
            )),
            Resize::Split if own > 1 && !parts.is_multiple_of(target) => Err(wrong_state(format!(
                "the number of routing shards [{parts}] must be a multiple of the target shards [{target}]"
            ))),
            Resize::Split if !target.is_multiple_of(own) => refused(format!(
                "the number of source shards [{own}] must be a factor of [{target}]"
            )),
            _ => Ok(target),
        }
    }
}

fn wrong_state(reason: String) -> ElasticError {
    ElasticError::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "illegal_state_exception",
        reason,
    )
}

pub(crate) async fn run(call: &mut Call, name: &str, resize: Resize, target: &str) -> Result<Answer> {
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
    let made = copy(call, &source, resize, target, given).await?;
    Ok(ok(
        json!({"acknowledged": true, "shards_acknowledged": true, "index": made}),
    ))
}

async fn copy(
    call: &Call,
    source: &Index,
    resize: Resize,
    target: &str,
    given: Definition,
) -> Result<String> {
    let mut whole = source.given_settings();
    let shards = resize.shards(source, &given.settings)?;
    let is_single = Shape::of(source).primaries == 1;
    if given.settings.contains_key(PARTS) && !(is_single && resize == Resize::Split) {
        return Err(ElasticError::illegal(
            "cannot provide index.number_of_routing_shards on resize",
        ));
    }
    if given.settings.contains_key("sort") {
        return Err(ElasticError::illegal(
            "can't override index sort when resizing an index",
        ));
    }
    if settings::blocks(&whole, true).is_none() {
        return Err(wrong_state(format!(
            "index {} must be read-only to resize index. use \"index.blocks.write=true\"",
            source.name
        )));
    }
    // Of one shard, any number can be made; other shards stay of the parts that they were of.
    let parts = source.routing().shards.parts();
    if is_single {
        whole.shift_remove(PARTS);
    } else if u32::try_from(shards).is_ok_and(|shards| search::usual_parts(shards) != parts) {
        whole.insert(PARTS.to_owned(), json!(parts.to_string()));
    }
    settings::merge(&mut whole, given.settings);
    whole.insert("number_of_shards".to_owned(), json!(shards.to_string()));
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
