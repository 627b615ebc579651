//! Lifecycles of indices: policies that are carried out while the server runs.
//!
//! An index is rolled over once it is large or old enough, and dropped when its time has come. That time is counted from when it was
//! rolled over, or made.

use crate::endpoints::rollover::{Conditions, roll};
use auth::Action;
use indices::Index;
use indices::cluster_settings::INTERVAL_SETTING;
use indices::error::{ElasticError, Result};
use indices::{settings, streams};
use rest::call::Call;
use rest::definition::Definition;
use rest::kept::Family;
use rest::names;
use rest::server::Server;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How often policies are looked at, where the setting of the cluster says nothing.
const INTERVAL: Duration = Duration::from_secs(60);
/// How often that setting is looked at, and the least that it may say.
const INTERVAL_MIN: Duration = Duration::from_secs(1);

/// What a policy says that is carried out here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Policy {
    rollover: Option<Conditions>,
    readonly_after_ms: Option<u64>,
    delete_after_ms: Option<u64>,
}

/// Actions that change nothing here: segments and copies are the store's own matter.
const WITHOUT_EFFECT: [&str; 4] = ["set_priority", "forcemerge", "allocate", "migrate"];

impl Policy {
    /// Reads `{"phases": …}`; what is not carried out is refused.
    pub(crate) fn parse(policy: &Value) -> Result<Policy> {
        let phases = policy.get("phases").and_then(Value::as_object);
        let phases = phases.ok_or_else(|| ElasticError::illegal("[policy] needs an object [phases]"))?;
        let mut parsed = Policy::default();
        for (name, phase) in phases {
            if !["hot", "warm", "cold", "delete"].contains(&name.as_str()) {
                return Err(match name.as_str() {
                    "frozen" => ElasticError::unsupported("the phase [frozen]"),
                    other => ElasticError::illegal(format!(
                        "Timeseries lifecycle does not support phase [{other}]"
                    )),
                });
            }
            parsed.read(name, phase)?;
        }
        Ok(parsed)
    }

    fn read(&mut self, name: &str, phase: &Value) -> Result<()> {
        let empty = Map::new();
        let body = phase.as_object().unwrap_or(&empty);
        if let Some(other) = body
            .keys()
            .find(|key| !["min_age", "actions"].contains(&key.as_str()))
        {
            return Err(ElasticError::parsing(format!("[phase] unknown field [{other}]")));
        }
        let age = match body.get("min_age").and_then(Value::as_str) {
            None => Duration::ZERO,
            Some(text) => search::parse_time(text, "min_age")?,
        };
        for (action, options) in body.get("actions").and_then(Value::as_object).unwrap_or(&empty) {
            match (action.as_str(), name) {
                ("rollover", "hot") => self.rollover = Some(Conditions::parse(options)?),
                ("delete", "delete") => self.delete_after_ms = Some(age.as_millis() as u64),
                ("readonly", "hot" | "warm" | "cold") => {
                    let earlier = self.readonly_after_ms.unwrap_or(u64::MAX);
                    self.readonly_after_ms = Some(earlier.min(age.as_millis() as u64));
                }
                ("rollover" | "readonly" | "delete", _) => {
                    return Err(ElasticError::illegal(format!(
                        "invalid action [{action}] defined in phase [{name}]"
                    )));
                }
                (known, _) if WITHOUT_EFFECT.contains(&known) => {}
                (other, _) => {
                    return Err(ElasticError::unsupported(format!(
                        "the action [{other}] of a lifecycle"
                    )));
                }
            }
        }
        Ok(())
    }
}

fn setting<'s>(settings: &'s Map<String, Value>, name: &str) -> Option<&'s str> {
    settings.get("lifecycle")?.get(name)?.as_str()
}

/// The policy of an index by its settings.
pub(crate) fn policy_name(settings: &Map<String, Value>) -> Option<String> {
    setting(settings, "name").map(str::to_owned)
}

/// How an index stands with its policy.
pub(crate) struct Standing {
    pub(crate) policy: String,
    /// Since when its age is counted.
    pub(crate) since_ms: i64,
    pub(crate) was_rolled: bool,
}

/// How an index stands, if it has a policy.
pub(crate) fn standing(index: &Index) -> Option<Standing> {
    let settings = index.given_settings();
    let since = setting(&settings, "origination_date").and_then(|text| text.parse().ok());
    Some(Standing {
        policy: policy_name(&settings)?,
        since_ms: since.filter(|since| *since >= 0).unwrap_or(index.created_ms()),
        was_rolled: setting(&settings, "indexing_complete") == Some("true"),
    })
}

/// Carries policies out until the server stops.
pub(crate) async fn run(server: Arc<Server>, mut stop: watch::Receiver<bool>) {
    let mut waited = Duration::ZERO;
    while !*stop.borrow() {
        tokio::select! {
            _ = tokio::time::sleep(INTERVAL_MIN) => {}
            changed = stop.changed() => if changed.is_err() { return },
        }
        waited += INTERVAL_MIN;
        let call = Call::of_server(server.clone());
        if waited < interval(&call).await || *stop.borrow() {
            continue;
        }
        waited = Duration::ZERO;
        if let Err(error) = all(&call).await {
            tracing::warn!(reason = error.reason, "lifecycles of indices were not looked at");
        }
    }
}

async fn interval(call: &Call) -> Duration {
    for kind in ["transient", "persistent"] {
        if let Ok(Some(found)) = call.kept_one(Family::ClusterSettings, kind).await
            && let Some(text) = settings::flat(&found)
                .get(INTERVAL_SETTING)
                .and_then(Value::as_str)
            && let Ok(interval) = search::parse_time(text, INTERVAL_SETTING)
        {
            return interval;
        }
    }
    INTERVAL
}

/// Under which name it is kept that policies are not carried out.
const STOPPED: &str = "stopped";

/// Whether policies are not carried out, since somebody said so.
pub(crate) async fn is_stopped(call: &Call) -> Result<bool> {
    Ok(call.kept_one(Family::LifecycleMode, STOPPED).await?.is_some())
}

/// Says whether policies are carried out from now on.
pub(crate) async fn set_stopped(call: &Call, stops: bool) -> Result<()> {
    call.require_server()?;
    match (is_stopped(call).await?, stops) {
        (false, true) => {
            call.keep(Family::LifecycleMode, STOPPED, Some(&json!(true)))
                .await
        }
        (true, false) => call.keep(Family::LifecycleMode, STOPPED, None).await,
        _ => Ok(()),
    }
}

/// Looks at all indices once.
async fn all(call: &Call) -> Result<()> {
    let policies = call.kept(Family::Lifecycle).await?;
    if policies.is_empty() || is_stopped(call).await? {
        return Ok(());
    }
    for name in names::all(call) {
        let Ok(index) = call.index(&name, Action::Find) else {
            continue;
        };
        let Some(standing) = standing(&index) else {
            continue;
        };
        let Some((_, kept)) = policies.iter().find(|(policy, _)| *policy == standing.policy) else {
            continue;
        };
        let policy = Policy::parse(kept.get("policy").unwrap_or(&Value::Null))?;
        if let Err(error) = one(call, &index, &standing, &policy).await {
            tracing::warn!(
                index = name,
                policy = standing.policy,
                reason = error.reason,
                "a lifecycle's step has failed"
            );
        }
    }
    Ok(())
}

async fn one(call: &Call, index: &Index, standing: &Standing, policy: &Policy) -> Result<()> {
    let now = i64::try_from(call.server.engine.now_ms()).unwrap_or(i64::MAX);
    if let Some(conditions) = &policy.rollover
        && !standing.was_rolled
    {
        return roll_over(call, index, conditions, now).await;
    }
    let age = u64::try_from(now.saturating_sub(standing.since_ms)).unwrap_or(0);
    if policy.delete_after_ms.is_some_and(|after| age >= after) && !index.is_written_by_stream() {
        let dropped = call.index(&index.name, Action::DropCollection)?;
        call.drop_index(&dropped).await?;
        tracing::info!(
            index = index.name,
            policy = standing.policy,
            "an index was dropped by its lifecycle"
        );
        return Ok(());
    }
    let takes_writes = settings::blocks(&index.given_settings(), true).is_none();
    if policy.readonly_after_ms.is_some_and(|after| age >= after)
        && takes_writes
        && !index.is_written_by_stream()
    {
        let block = json!({"write": "true"});
        index
            .put_settings(Map::from_iter([("blocks".to_owned(), block)]))
            .await?;
        tracing::info!(
            index = index.name,
            policy = standing.policy,
            "an index takes no more writes, as its lifecycle says"
        );
    }
    Ok(())
}

async fn roll_over(call: &Call, index: &Index, conditions: &Conditions, now: i64) -> Result<()> {
    let settings = index.given_settings();
    let aliases = index.aliases();
    let alias = streams::stream_of(&aliases).or_else(|| setting(&settings, "rollover_alias"));
    let Some(alias) = alias else {
        let reason = format!(
            "setting [index.lifecycle.rollover_alias] for index [{}] is empty or not defined",
            index.name
        );
        return Err(ElasticError::illegal(reason));
    };
    if names::aliased(call, alias, true)?.as_deref() != Some(index.name.as_str()) {
        return Ok(());
    }
    let rolled = roll(call, alias, None, conditions, Definition::default(), false).await?;
    if rolled["rolled_over"] == json!(true) {
        let done = json!({"indexing_complete": "true", "origination_date": now.to_string()});
        index
            .put_settings(Map::from_iter([("lifecycle".to_owned(), done)]))
            .await?;
        tracing::info!(index = index.name, new = %rolled["new_index"], "an index was rolled over by its lifecycle");
    }
    Ok(())
}
