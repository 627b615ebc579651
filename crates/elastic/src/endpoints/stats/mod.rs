//! Figures of indices: `_stats`, and what nodes show of them.

pub(crate) mod metrics;
mod sections;

pub(super) use sections::sections;

use auth::Action;
use engine::Sequence;
use http::Method;
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::shape::{Shape, shards_of};
use metrics::Metrics;
use rest::call::Call;
use rest::resolve::{Options, resolve};
use rest::respond::{Answer, ok};
use rest::server::NODE_ID;
use serde_json::{Map, Value, json};

/// What of the figures is wanted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) metrics: Metrics,
    /// Groups of searches that are shown, as patterns.
    groups: Vec<String>,
    /// Fields whose columns, and whose completions, are shown one by one.
    columns: Vec<String>,
    completions: Vec<String>,
    /// Whether closed indices are shown with what they hold.
    unloaded: bool,
}

impl Wanted {
    /// Takes what the parameters say of them.
    pub(crate) fn take(call: &mut Call, metrics: Metrics) -> Result<Wanted> {
        let parameters = &mut call.parameters;
        let fields = parameters.list("fields").unwrap_or_default();
        let with = |mut own: Vec<String>| {
            own.extend(fields.iter().cloned());
            own
        };
        let columns = with(parameters.list("fielddata_fields").unwrap_or_default());
        let completions = with(parameters.list("completion_fields").unwrap_or_default());
        parameters.without_effect(&["types"]);
        parameters.flag("include_segment_file_sizes")?;
        Ok(Wanted {
            metrics,
            groups: parameters.list("groups").unwrap_or_default(),
            columns,
            completions,
            unloaded: parameters.flag("include_unloaded_segments")?.unwrap_or(false),
        })
    }
}

/// `/{index}/_stats/{metric}`.
pub(crate) async fn run(call: &mut Call, expression: &str, metric: Option<&str>) -> Result<Answer> {
    call.only(&[Method::GET])?;
    let metrics = Metrics::parse(metric, metrics::OF_INDICES, &call.path.join("/"))?;
    let wanted = Wanted::take(call, metrics)?;
    let forbids = call.parameters.flag("forbid_closed_indices")?.unwrap_or(true);
    let defaults = Options {
        forbid_closed: forbids,
        ..Options::OPEN
    };
    let options = defaults.taken(&mut call.parameters)?;
    let level = call
        .parameters
        .take("level")
        .unwrap_or_else(|| "indices".to_owned());
    if !["cluster", "indices", "shards"].contains(&level.as_str()) {
        let reason =
            format!("level parameter must be one of [cluster] or [indices] or [shards] but was [{level}]");
        return Err(ElasticError::illegal(reason));
    }
    call.parameters.end()?;
    let mut indices = Vec::new();
    for name in resolve(call, expression, options)? {
        let index = call.index(&name, Action::Find)?;
        if !index.is_closed() || !forbids {
            indices.push(index);
        }
    }
    let mut all = Map::new();
    let mut shown = Map::new();
    for index in &indices {
        let figures = sections(index, &wanted).await?;
        add(&mut all, &figures);
        let mut one = json!({"uuid": index.uuid(), "primaries": figures, "total": figures});
        if level == "shards" {
            one["shards"] = shards(index, &figures);
        }
        call.held.add_shown(&one)?;
        shown.insert(index.name.clone(), one);
    }
    let mut answer = json!({"_shards": shards_of(&indices), "_all": {"primaries": all, "total": all}});
    if level != "cluster" {
        answer["indices"] = Value::Object(shown);
    }
    Ok(ok(answer))
}

/// Every shard by its number; the first has all that there is.
fn shards(index: &Index, figures: &Map<String, Value>) -> Value {
    let routing = json!({"state": "STARTED", "primary": true, "node": NODE_ID, "relocating_node": null});
    let shard = |at: u64| {
        let mut one = Map::from_iter([("routing".to_owned(), routing.clone())]);
        one.extend(if at == 0 {
            figures.clone()
        } else {
            emptied(figures)
        });
        one.insert("seq_no".to_owned(), sequence_numbers(index, at));
        // Nobody follows the changes of a shard to make a copy of it.
        let leases = json!({"primary_term": 1, "version": 0, "leases": []});
        one.insert("retention_leases".to_owned(), leases);
        (at.to_string(), json!([one]))
    };
    Value::Object((0..Shape::of(index).primaries).map(shard).collect())
}

/// The number of the last change of a shard, which is -1 where there was none: all documents are in the first one.
pub(crate) fn sequence_numbers(index: &Index, shard: u64) -> Value {
    let changes = match shard {
        0 => index.collection.head().changes_since(&Sequence::START),
        _ => 0,
    };
    let last = i64::try_from(changes).unwrap_or(i64::MAX) - 1;
    json!({"max_seq_no": last, "local_checkpoint": last, "global_checkpoint": last})
}

fn emptied(figures: &Map<String, Value>) -> Map<String, Value> {
    let empty = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::Number(_) => json!(0),
            Value::Object(inner) => Value::Object(emptied(inner)),
            other => other.clone(),
        };
        (name.clone(), value)
    };
    figures.iter().map(empty).collect()
}

/// The figures of these indices together.
pub(crate) async fn together(call: &Call, names: &[String], wanted: &Wanted) -> Result<Map<String, Value>> {
    let mut all = Map::new();
    for name in names {
        let index = call.index(name, Action::Find)?;
        add(&mut all, &sections(&index, wanted).await?);
    }
    if names.is_empty() {
        all = sections::none(wanted);
    }
    Ok(all)
}

/// Adds figures to others of the same form.
fn add(sum: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (name, value) in more {
        match (sum.get_mut(name), value) {
            (Some(Value::Object(present)), Value::Object(inner)) => add(present, inner),
            (Some(Value::Number(present)), Value::Number(number)) => {
                let both = present.as_i64().unwrap_or(0) + number.as_i64().unwrap_or(0);
                *present = both.into();
            }
            (Some(_), _) => {}
            (None, value) => drop(sum.insert(name.clone(), value.clone())),
        }
    }
}
