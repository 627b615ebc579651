//! Many writes in one request: `_bulk`.

mod parse;

use super::document::{dropped, new_id};
use crate::call::Call;
use crate::error::{ElasticError, Result};
use crate::index::Index;
use crate::limits::BULK_COMMIT_MAX;
use crate::pipelines::Wanted;
use crate::respond::{Answer, ok};
use crate::source::SourceFilter;
use crate::streams::TIME_FIELD;
use crate::write::{Change, Write, Written, write_all, write_some};
use auth::Action;
use http::Method;
use ingest::Context;
use parse::Item;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::time::Instant;

pub(crate) async fn run(call: &mut Call, index: Option<&str>) -> Result<Answer> {
    if ![Method::POST, Method::PUT].contains(&call.method) {
        return Err(call.not_allowed("POST, PUT"));
    }
    if let Some(refresh) = call.parameters.take("refresh")
        && !matches!(refresh.as_str(), "" | "true" | "false" | "wait_for")
    {
        return Err(ElasticError::illegal(format!(
            "Unknown value for refresh: [{refresh}]."
        )));
    }
    call.parameters
        .without_effect(&["timeout", "wait_for_active_shards", "routing", "type"]);
    if call.parameters.flag("require_alias")?.unwrap_or(false) {
        return Err(ElasticError::unsupported("the parameter [require_alias]"));
    }
    let pipeline = call.parameters.take("pipeline");
    let shown = SourceFilter::take(&mut call.parameters);
    call.parameters.end()?;
    let begun = Instant::now();
    let mut items = parse::items(&call.body, index)?;
    let settled = prepare(call, &mut items, pipeline.as_deref()).await?;
    let mut answers = Vec::with_capacity(items.len());
    let mut errors = false;
    let mut rest = &mut items[..];
    while !rest.is_empty() {
        let at = settled.len() - rest.len();
        if let Some(answer) = &settled[at] {
            errors |= has_error(answer);
            answers.push(answer.clone());
            rest = &mut rest[1..];
            continue;
        }
        let open = settled[at..].iter().take_while(|answer| answer.is_none()).count();
        let (batch, later) = rest.split_at_mut(batch_length(&rest[..open]));
        let written = write_batch(call, batch, shown.as_ref()).await?;
        errors |= written.has_errors;
        answers.extend(written.answers);
        rest = later;
    }
    // In this order: some clients look for the text `"errors":false,"items":[`.
    Ok(ok(
        json!({"took": begun.elapsed().as_millis() as u64, "errors": errors, "items": answers}),
    ))
}

/// Puts the documents through their pipelines; the answers of those that are not written.
async fn prepare(call: &Call, items: &mut [Item], asked: Option<&str>) -> Result<Vec<Option<Value>>> {
    let mut settled = vec![None; items.len()];
    let mut known: HashMap<(String, Option<String>), Wanted> = HashMap::new();
    let pipelines = call.pipelines().await?;
    for (item, settled) in items.iter_mut().zip(&mut settled) {
        let Change::Put { document, .. } = &mut item.change else {
            continue;
        };
        let key = (
            item.index.clone(),
            item.pipeline.clone().or_else(|| asked.map(str::to_owned)),
        );
        let wanted = match known.get(&key) {
            Some(wanted) => wanted,
            None => {
                let wanted = call.pipelines_of(&key.0, key.1.as_deref()).await?;
                known.entry(key).or_insert(wanted)
            }
        };
        if wanted.is_none() {
            continue;
        }
        let mut going = Context {
            index: item.index.clone(),
            id: item.id.clone(),
            source: std::mem::take(document),
            ..Context::default()
        };
        let goes_on = call.through(&pipelines, wanted, &mut going).await;
        *document = going.source;
        match goes_on {
            Ok(goes_on) => {
                (item.index, item.id) = (going.index, going.id);
                if !goes_on {
                    let mut answer = dropped(&item.index, item.id.as_deref().unwrap_or_default());
                    answer["status"] = json!(200);
                    *settled = Some(json!({item.verb: answer}));
                }
            }
            Err(error) => *settled = Some(failed(item, item.id.as_deref(), &error)),
        }
        // Long texts and many documents: others get their turn.
        tokio::task::consume_budget().await;
    }
    Ok(settled)
}

/// The items that can be committed together: of one index, each of another document.
fn batch_length(items: &[Item]) -> usize {
    let mut ids = HashSet::new();
    let first = &items[0].index;
    let fits =
        |item: &&Item| item.index == *first && item.id.as_ref().is_none_or(|id| ids.insert(id.clone()));
    items.iter().take(BULK_COMMIT_MAX).take_while(fits).count().max(1)
}

fn has_error(answer: &Value) -> bool {
    let mut members = answer.as_object().into_iter().flat_map(|one| one.values());
    members.any(|one| one.get("error").is_some())
}

/// What became of a batch.
struct Batch {
    /// Nothing where the client does not want to see it.
    answers: Vec<Value>,
    has_errors: bool,
}

async fn write_batch(call: &Call, batch: &mut [Item], shown: Option<&SourceFilter>) -> Result<Batch> {
    let name = &batch[0].index.clone();
    let needed: HashSet<Action> = batch.iter().map(action).collect();
    let all_deletes = needed.iter().all(|action| *action == Action::Remove);
    let opened = match all_deletes {
        true => call.open_index(name, Action::Remove),
        false => call.index_for_writing(name, Action::Insert).await,
    };
    let index = match opened {
        Ok(index) => index,
        Err(error) => {
            let answers = batch.iter().map(|item| failed(item, item.id.as_deref(), &error));
            return Ok(Batch {
                answers: answers.collect(),
                has_errors: true,
            });
        }
    };
    for action in needed {
        call.require(action, &index.namespace)?;
    }
    indexing::begin(&index);
    let writes: Vec<Write> = batch
        .iter_mut()
        .map(|item| Write {
            id: item.id.clone().unwrap_or_else(new_id),
            change: std::mem::replace(&mut item.change, Change::Delete),
            condition: item.condition,
            version: None,
        })
        .collect();
    let results = match index.is_stream(name) {
        false => write_some(&index, &writes, &|at| batch[at].id.is_none()).await?,
        true => write_stream(&index, name, batch, writes.clone()).await?,
    };
    let has_errors = results.iter().any(Result::is_err);
    let mut answers = Vec::new();
    if call.shows("items") {
        answers.reserve(batch.len());
        for ((item, write), result) in batch.iter().zip(&writes).zip(results) {
            answers.push(match result {
                Ok(written) => done(item, write, &index.name, &written, shown),
                Err(error) => failed(item, Some(&write.id), &error),
            });
        }
    }
    Ok(Batch { answers, has_errors })
}

/// Writes what a data stream takes; why it does not take the others.
async fn write_stream(
    index: &Index,
    name: &str,
    batch: &[Item],
    writes: Vec<Write>,
) -> Result<Vec<Result<Written>>> {
    let mut checked = Vec::with_capacity(batch.len());
    let mut allowed = Vec::with_capacity(batch.len());
    for (item, write) in batch.iter().zip(writes) {
        let (creates, has_time) = match &write.change {
            Change::Put { document, .. } => (item.verb == "create", document.contains(TIME_FIELD)),
            _ => (false, true),
        };
        checked.push(index.check_stream_write(name, creates, has_time));
        if let Some(Ok(())) = checked.last() {
            allowed.push(write);
        }
    }
    let mut written = write_all(index, &allowed).await?.into_iter();
    let mut next = || {
        written
            .next()
            .unwrap_or_else(|| Err(ElasticError::failed("nothing was written")))
    };
    Ok(checked
        .into_iter()
        .map(|checked| checked.and_then(|()| next()))
        .collect())
}

fn action(item: &Item) -> Action {
    match item.change {
        Change::Put { create: true, .. } => Action::Insert,
        Change::Delete => Action::Remove,
        Change::Put { .. } | Change::Update(_) => Action::Update,
    }
}

fn done(item: &Item, write: &Write, index: &str, written: &Written, shown: Option<&SourceFilter>) -> Value {
    let mut body = written.to_json(index);
    body.insert("status".to_owned(), json!(written.status().as_u16()));
    let filter = item.shown.as_ref().or(shown).filter(|filter| !filter.hidden);
    if let (Change::Update(_), Some(filter), Some(document)) = (&write.change, filter, &written.document) {
        body.insert("get".to_owned(), json!({"_seq_no": written.sequence, "_primary_term": 1, "found": true, "_source": filter.shown(document)}));
    }
    json!({item.verb: body})
}

fn failed(item: &Item, id: Option<&str>, error: &ElasticError) -> Value {
    json!({item.verb: {
        "_index": item.index, "_type": "_doc", "_id": id, "status": error.status.as_u16(), "error": error.to_json(),
    }})
}
