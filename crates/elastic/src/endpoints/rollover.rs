//! `_rollover`: a new index takes the place of an old one behind their alias, once that is large or old enough.

use auth::Action;
use http::{Method, StatusCode};
use indices::Index;
use indices::error::{ElasticError, Result};
use rest::call::Call;
use rest::definition::Definition;
use rest::names;
use rest::respond::{Answer, ok};
use serde_json::{Map, Value, json};

/// What must be so that an index is rolled over; any one of them is enough.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions(Vec<Condition>);

/// One condition, with the name and the value by which it is shown.
#[derive(Clone, Debug)]
struct Condition {
    shown: String,
    limit: Limit,
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    Documents(u64),
    AgeMs(u64),
    Bytes(u64),
}

impl Conditions {
    pub(crate) fn parse(value: &Value) -> Result<Conditions> {
        let object = value
            .as_object()
            .ok_or_else(|| ElasticError::parsing("[conditions] must be an object"))?;
        let condition = |(name, value): (&String, &Value)| -> Result<Condition> {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let invalid = || ElasticError::illegal(format!("failed to parse [{name}] with value [{text}]"));
            let limit = match name.as_str() {
                // All documents are in the first shard.
                "max_docs" | "max_primary_shard_docs" => {
                    Limit::Documents(text.parse().map_err(|_| invalid())?)
                }
                "max_age" => Limit::AgeMs(search::parse_time(&text, "max_age")?.as_millis() as u64),
                "max_size" | "max_primary_shard_size" => {
                    Limit::Bytes(search::bytes_of(&text).ok_or_else(invalid)?)
                }
                other => return Err(ElasticError::parsing(format!("unknown condition [{other}]"))),
            };
            let shown = format!("[{name}: {text}]");
            Ok(Condition { shown, limit })
        };
        let conditions: Result<Vec<Condition>> = object.iter().map(condition).collect();
        conditions.map(Conditions)
    }

    /// Each condition as it is shown, and whether it is met.
    async fn met(&self, call: &Call, index: &Index) -> Result<Vec<(String, bool)>> {
        let report = index.collection.report().await?;
        let age = (call.server.engine.now_ms()).saturating_sub(index.created_ms().max(0) as u64);
        let is_met = |limit: Limit| match limit {
            Limit::Documents(most) => report.documents >= most,
            Limit::AgeMs(most) => age >= most,
            Limit::Bytes(most) => report.storage_bytes >= most,
        };
        let conditions = self.0.iter();
        Ok(conditions
            .map(|condition| (condition.shown.clone(), is_met(condition.limit)))
            .collect())
    }
}

/// `logs-7` becomes `logs-000008`; `None` for a name that does not end so.
fn next_name(name: &str) -> Option<String> {
    let (before, number) = name.rsplit_once('-')?;
    let next = number.parse::<u64>().ok()?.checked_add(1)?;
    Some(format!("{before}-{next:06}"))
}

/// `/{alias}/_rollover/{new_index}`.
pub(crate) async fn run(call: &mut Call, alias: &str, new: Option<&str>) -> Result<Answer> {
    call.only(&[Method::POST])?;
    let dry_run = call.parameters.flag("dry_run")?.unwrap_or(false);
    let typed = call.parameters.flag("include_type_name")?.unwrap_or(false);
    call.parameters
        .end_without(&["timeout", "master_timeout", "wait_for_active_shards"])?;
    let mut body = call.object()?;
    let conditions = match body.shift_remove("conditions") {
        Some(conditions) => {
            Conditions::parse(&conditions).map_err(|cause| unreadable("conditions", cause))?
        }
        None => Conditions::default(),
    };
    let mut given = Definition::take(&mut body)?;
    given
        .untype(typed)
        .map_err(|cause| unreadable("mappings", cause))?;
    if let Some(other) = body.keys().next() {
        return Err(malformed(format!("[rollover] unknown field [{other}]")));
    }
    check_target(call, alias, new, &given)?;
    let rolled = roll(call, alias, new, &conditions, given, dry_run).await?;
    Ok(ok(rolled))
}

/// The request is not of its form.
fn malformed(reason: String) -> ElasticError {
    ElasticError::new(StatusCode::BAD_REQUEST, "x_content_parse_exception", reason)
}

/// A member of the request cannot be read, for this reason.
fn unreadable(member: &str, cause: ElasticError) -> ElasticError {
    malformed(format!("[rollover] failed to parse field [{member}]")).because(cause)
}

/// Refuses what cannot be rolled over, and what may not be said of the new index of a data stream.
fn check_target(call: &Call, target: &str, new: Option<&str>, given: &Definition) -> Result<()> {
    let refused = |reason: String| Err(ElasticError::illegal(reason));
    let place = names::namespace(&call.server.engine, target);
    if call.server.engine.collection_entry(&place).is_some() {
        return refused(
            "rollover target is a [concrete index] but one of [alias,data_stream] was expected".to_owned(),
        );
    }
    let indices = names::with_alias(call, target);
    let is_stream = |(_, options): &(String, Value)| indices::streams::is_stream(options);
    if !indices.is_empty() && names::aliased(call, target, true).is_err() {
        return refused(format!(
            "rollover target [{target}] does not point to a write index"
        ));
    }
    if !indices.iter().any(is_stream) {
        return Ok(());
    }
    if new.is_some() {
        return refused("new index name may not be specified when rolling over a data stream".to_owned());
    }
    match given.settings.is_empty() && given.mappings.is_empty() && given.aliases.is_empty() {
        true => Ok(()),
        false => refused(
            "aliases, mappings, and index settings may not be specified when rolling over a data stream"
                .to_owned(),
        ),
    }
}

/// Rolls an alias over, if it is time.
pub(crate) async fn roll(
    call: &Call,
    alias: &str,
    new: Option<&str>,
    conditions: &Conditions,
    mut given: Definition,
    dry_run: bool,
) -> Result<Value> {
    let old = names::aliased(call, alias, true)?
        .ok_or_else(|| ElasticError::illegal(format!("rollover target [{alias}] does not exist")))?;
    let index = call.index(&old, Action::CollMod)?;
    let new = match new {
        Some(new) => new.to_owned(),
        None => next_name(&old).ok_or_else(|| {
            ElasticError::illegal(format!("index name [{old}] does not match pattern '^.*-\\d+$'"))
        })?,
    };
    names::check(&new)?;
    let place = names::namespace(&call.server.engine, &new);
    if call.server.engine.collection_entry(&place).is_some() {
        return Err(ElasticError::exists(&new));
    }
    let met = conditions.met(call, &index).await?;
    let is_time = met.is_empty() || met.iter().any(|(_, is_met)| *is_met);
    let rolls = is_time && !dry_run;
    if rolls {
        let options = index.aliases().get(alias).cloned().unwrap_or_else(|| json!({}));
        let is_writer = options.get("is_write_index").and_then(Value::as_bool) == Some(true);
        if indices::streams::is_stream(&options) {
            call.create_backing(alias, &new, options, given).await?;
        } else {
            given.aliases.insert(alias.to_owned(), options);
            call.create_rolled(&new, given, Some(alias)).await?;
        }
        // An alias that names its writer keeps both, any other one moves.
        index
            .change_aliases(|aliases| match is_writer {
                true => {
                    if let Some(Value::Object(options)) = aliases.get_mut(alias) {
                        options.insert("is_write_index".to_owned(), json!(false));
                    }
                }
                false => drop(aliases.shift_remove(alias)),
            })
            .await?;
    }
    let conditions: Map<String, Value> = met
        .into_iter()
        .map(|(name, is_met)| (name, json!(is_met)))
        .collect();
    Ok(json!({
        "acknowledged": rolls, "shards_acknowledged": rolls, "old_index": old, "new_index": new, "rolled_over": rolls,
        "dry_run": dry_run, "conditions": conditions,
    }))
}
