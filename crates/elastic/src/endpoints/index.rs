//! Indices as a whole: making, dropping, describing, flushing them.

use auth::Action;
use http::Method;
use indices::Index;
use indices::cluster_settings::REQUIRES_NAME_SETTING;
use indices::error::{ElasticError, Result, kinds};
use indices::settings;
use indices::shape::{Shape, shards_of};
use indices::streams::plain_aliases;
use rest::call::Call;
use rest::definition::Definition;
use rest::resolve::{Options, resolve};
use rest::respond::{Answer, acknowledged, exists, ok};
use rest::server::NODE_ID;
use serde_json::{Map, Value, json};

/// `/{index}`.
pub(crate) async fn run(call: &mut Call, name: &str) -> Result<Answer> {
    match call.method {
        Method::PUT => create(call, name).await,
        Method::DELETE => delete(call, name).await,
        Method::GET => get(call, name).await,
        Method::HEAD => head(call, name),
        _ => Err(call.not_allowed("DELETE, GET, HEAD, PUT")),
    }
}

async fn create(call: &mut Call, name: &str) -> Result<Answer> {
    let typed = call.parameters.flag("include_type_name")?.unwrap_or(false);
    let awaited = call.parameters.take("wait_for_active_shards");
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    let mut body = call.object()?;
    let mut given = Definition::take(&mut body)?;
    // The one type stands around its mapping.
    given.untype(typed)?;
    if let Some(other) = body.keys().next() {
        return Err(ElasticError::parsing(format!(
            "unknown key [{other}] for create index"
        )));
    }
    let made = call.create_index(name, given).await;
    let made = made.map_err(|error| match error.kind {
        kinds::MAPPING => {
            let reason = format!("Failed to parse mapping [_doc]: {}", error.reason);
            ElasticError {
                reason,
                ..error.clone()
            }
            .because(error)
        }
        _ => error,
    })?;
    Ok(ok(
        json!({"acknowledged": true, "shards_acknowledged": are_active(&made, awaited.as_deref()), "index": name}),
    ))
}

/// Whether as many copies of each shard are there as somebody waits for: there is one server, and so one copy.
fn are_active(index: &Index, awaited: Option<&str>) -> bool {
    match awaited {
        None | Some("0" | "1") => true,
        Some("all") => Shape::of(index).unassigned() == 0,
        Some(_) => false,
    }
}

async fn delete(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = Options {
        aliases: false,
        ..Options::ANY_STATE
    }
    .taken(&mut call.parameters)?;
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    require_names(call, expression).await?;
    for name in resolve(call, expression, options)? {
        let index = call.index(&name, Action::DropCollection)?;
        super::streams::check_drop(&index)?;
        call.drop_index(&index).await?;
    }
    Ok(acknowledged())
}

/// Refuses patterns where the cluster's settings do.
async fn require_names(call: &Call, expression: &str) -> Result<()> {
    let has_pattern = expression
        .split(',')
        .any(|part| part == "_all" || part.contains('*'));
    if has_pattern && call.cluster_setting(REQUIRES_NAME_SETTING).await?.as_deref() == Some("true") {
        return Err(ElasticError::illegal(
            "Wildcard expressions or all indices are not allowed",
        ));
    }
    Ok(())
}

async fn get(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = Options::take(&mut call.parameters)?;
    let flat = call.parameters.flag("flat_settings")?.unwrap_or(false);
    let typed = call.parameters.flag("include_type_name")?.unwrap_or(false);
    let human = call.human;
    let defaults = call.parameters.flag("include_defaults")?.unwrap_or(false);
    call.parameters.end_without(&["local", "master_timeout"])?;
    let mut answer = Map::new();
    for name in resolve(call, expression, options)? {
        let index = call.index(&name, Action::Find)?;
        let mapping = index.mapping().await?;
        let mappings = super::mapping::within_type(mapping.source(), typed);
        let mut one = json!({"aliases": plain_aliases(&index.aliases()), "mappings": mappings, "settings": index.settings(human)});
        if flat {
            one["settings"] = settings::flat(&one["settings"]);
        }
        if defaults {
            one["defaults"] = settings::defaults(&index.given_settings(), flat);
        }
        answer.insert(name, one);
    }
    Ok(ok(Value::Object(answer)))
}

/// `/{index}/_close` and `/{index}/_open`.
pub(crate) async fn set_state(call: &mut Call, expression: &str, closes: bool) -> Result<Answer> {
    call.only(&[Method::POST])?;
    let default = Options {
        open: closes,
        closed: !closes,
        ..Options::ANY_STATE
    };
    let options = default.taken(&mut call.parameters)?;
    call.parameters
        .end_without(&["timeout", "master_timeout", "wait_for_active_shards"])?;
    require_names(call, expression).await?;
    let mut indices = Map::new();
    for name in resolve(call, expression, options)? {
        let index = call.index(&name, Action::CollMod)?;
        index.set_closed(closes).await?;
        if closes {
            call.server.engine.flush().await?;
            index.counters().flushed(index.collection.head());
        }
        indices.insert(name, json!({"closed": true}));
    }
    let mut answer = json!({"acknowledged": true, "shards_acknowledged": true});
    if closes {
        answer["indices"] = Value::Object(indices);
    }
    Ok(ok(answer))
}

fn head(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = Options::take(&mut call.parameters)?;
    call.parameters
        .end_without(&["local", "flat_settings", "include_defaults"])?;
    let options = Options {
        allow_no_indices: false,
        ..options
    };
    match resolve(call, expression, options) {
        Ok(names) => Ok(exists(!names.is_empty())),
        Err(error) if error.kind == kinds::NO_INDEX => Ok(exists(false)),
        Err(error) => Err(error),
    }
}

fn shards(indices: &[Index]) -> Answer {
    ok(json!({"_shards": shards_of(indices)}))
}

/// `/{index}/_refresh`: nothing is to be done, since every search sees every write.
pub(crate) async fn refresh(call: &mut Call, expression: &str) -> Result<Answer> {
    let indices = named(call, expression, &[])?;
    indices.iter().for_each(|index| index.counters().refreshes.add(1));
    Ok(shards(&indices))
}

/// `/{index}/_flush`: what was acknowledged is on the disk before this too, but for writes that did not ask for it.
pub(crate) async fn flush(call: &mut Call, expression: &str) -> Result<Answer> {
    let indices = named(call, expression, &["force", "wait_if_ongoing"])?;
    flush_all(call, &indices).await?;
    Ok(shards(&indices))
}

async fn flush_all(call: &Call, indices: &[Index]) -> Result<()> {
    let heads: Vec<_> = indices.iter().map(|index| index.collection.head()).collect();
    call.server.engine.flush().await?;
    for (index, head) in indices.iter().zip(heads) {
        index.counters().flushes.add(1);
        index.counters().flushed(head);
    }
    Ok(())
}

/// `/{index}/_flush/synced`, which clients of 7 ask for: a flush that tells of each index.
pub(crate) async fn flush_synced(call: &mut Call, expression: &str) -> Result<Answer> {
    let indices = named(call, expression, &[])?;
    flush_all(call, &indices).await?;
    let mut answer = json!({"_shards": shards_of(&indices)});
    for index in &indices {
        answer[&index.name] = shards_of(std::slice::from_ref(index));
    }
    Ok(ok(answer))
}

/// `/{index}/_forcemerge`: files are merged by the store as it needs.
pub(crate) async fn forcemerge(call: &mut Call, expression: &str) -> Result<Answer> {
    let parameters = ["flush", "max_num_segments", "only_expunge_deletes"];
    Ok(shards(&named(call, expression, &parameters)?))
}

/// `/{index}/_cache/clear`: what is kept in memory is kept by the store, which makes room as it needs it.
pub(crate) async fn clear_cache(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::POST])?;
    for name in ["fielddata", "query", "request"] {
        call.parameters.flag(name)?;
    }
    let indices = named(call, expression, &["fields", "index"])?;
    indices.iter().for_each(|index| index.counters().forget_columns());
    Ok(shards(&indices))
}

/// `/{index}/_reload_search_analyzers`: all lists of analyzers are in the settings of their index, so none of them changes.
pub(crate) async fn reload_analyzers(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let indices = named(call, expression, &[])?;
    let details: Vec<Value> = indices
        .iter()
        .map(|index| json!({"index": index.name, "reloaded_analyzers": [], "reloaded_node_ids": [NODE_ID]}))
        .collect();
    Ok(ok(json!({
        "_shards": {"total": details.len(), "successful": details.len(), "failed": 0}, "reload_details": details,
    })))
}

/// `/{index}/_block/{block}`: a setting that forbids writes, or reads.
pub(crate) async fn block(call: &mut Call, expression: &str, block: &str) -> Result<Answer> {
    call.only(&[Method::PUT])?;
    if !["metadata", "read", "read_only", "write"].contains(&block) {
        return Err(ElasticError::illegal(format!("No block found with name {block}")));
    }
    let options = Options::ANY_STATE.taken(&mut call.parameters)?;
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    let given = settings::normalized(&Map::from_iter([(format!("blocks.{block}"), json!(true))]))?;
    let mut indices = Vec::new();
    for name in resolve(call, expression, options)? {
        call.index(&name, Action::CollMod)?
            .put_settings(given.clone())
            .await?;
        indices.push(json!({"name": name, "blocked": true}));
    }
    Ok(ok(
        json!({"acknowledged": true, "shards_acknowledged": true, "indices": indices}),
    ))
}

fn named(call: &mut Call, expression: &str, without_effect: &[&str]) -> Result<Vec<Index>> {
    call.only(&[Method::GET, Method::POST])?;
    let options = Options::OPEN.taken(&mut call.parameters)?;
    call.parameters.without_effect(without_effect);
    call.parameters.end()?;
    let names = resolve(call, expression, options)?;
    names.iter().map(|name| call.index(name, Action::Find)).collect()
}
