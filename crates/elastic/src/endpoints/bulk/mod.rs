//! Many writes in one request: `_bulk`.

mod parse;
mod room;

use super::document::{dropped, new_id, no_alias};
use crate::limits::BULK_COMMIT_MAX;
use auth::Action;
use http::Method;
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::streams::TIME_FIELD;
use indices::write::{Change, Update, Write, Written, write_all};
use ingest::Context;
use parse::BulkItem;
use rest::call::Call;
use rest::names;
use rest::pipelines::{Pipelines, Wanted};
use rest::respond::{Answer, ok};
use rest::routed::of_request;
use rest::source::SourceFilter;
use room::Room;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};
use value::DocumentBuf;

/// Bytes of a document that are read in the time of one step.
const BYTES_OF_STEP: usize = 64;

pub(crate) async fn run(call: &mut Call, index: Option<&str>) -> Result<Answer> {
    call.only(&[Method::POST, Method::PUT])?;
    let refreshed = refreshed(call)?;
    call.parameters
        .without_effect(&["timeout", "wait_for_active_shards", "type"]);
    let routing = call.parameters.take("routing");
    let requires_alias = call.parameters.flag("require_alias")?.unwrap_or(false);
    let pipeline = call.parameters.take("pipeline");
    let shown = rest::source::taken(&mut call.parameters);
    call.parameters.end()?;
    let begun = Instant::now();
    let body = call.body.clone();
    let mut items = parse::items(&body, index, routing.as_deref())?;
    let mut room = Room::take(call, &items).await?;
    let pipelines = call.pipelines().await?;
    let mut bulk = Bulk {
        call,
        pipelines: &pipelines,
        asked: pipeline.as_deref(),
        known: HashMap::new(),
        routes: HashMap::new(),
        shown: shown.as_ref(),
        refreshed,
        requires_alias,
        aliases: HashMap::new(),
        answers: Vec::new(),
        has_errors: false,
        ingested: None,
    };
    let mut rest = &mut items[..];
    while !rest.is_empty() {
        let (group, later) = rest.split_at_mut(room::group_length(rest));
        room.begin();
        bulk.write(group, &mut room).await?;
        rest = later;
    }
    let Bulk {
        answers,
        has_errors,
        ingested,
        ..
    } = bulk;
    // In this order: some clients look for the text `"errors":false,"items":[`.
    let mut answer = json!({"took": begun.elapsed().as_millis() as u64});
    if let Some(time) = ingested {
        answer["ingest_took"] = json!(time.as_millis() as u64);
    }
    answer["errors"] = json!(has_errors);
    // What is named within `json!` would be copied.
    answer["items"] = Value::Array(answers);
    Ok(ok(answer))
}

/// Whether the client asks for a refresh at once; every search sees every write, so nothing has to be done for it.
fn refreshed(call: &mut Call) -> Result<bool> {
    match call.parameters.take("refresh").as_deref() {
        Some("" | "true") => Ok(true),
        None | Some("false" | "wait_for") => Ok(false),
        Some(other) => Err(ElasticError::illegal(format!(
            "Unknown value for refresh: [{other}]."
        ))),
    }
}

/// Says in the answer of an item that it was written with a refresh.
fn say_refreshed(answer: &mut Value) {
    let members = answer.as_object_mut().into_iter().flat_map(Map::values_mut);
    for one in members.filter_map(Value::as_object_mut) {
        if !one.contains_key("error") {
            one.insert("forced_refresh".to_owned(), json!(true));
        }
    }
}

/// A bulk request under way.
struct Bulk<'c> {
    call: &'c Call,
    pipelines: &'c Pipelines<'c>,
    /// The pipeline that the request names.
    asked: Option<&'c str>,
    /// Which pipelines documents of an index go through that name this one.
    known: HashMap<(String, Option<String>), Wanted>,
    /// Whether a name that items have is an alias with a routing of its own.
    routes: HashMap<String, bool>,
    shown: Option<&'c SourceFilter>,
    /// Whether answers say that what was written can be found.
    refreshed: bool,
    /// Whether indices must be named by aliases.
    requires_alias: bool,
    /// Whether names that items have, and that must be aliases, are.
    aliases: HashMap<String, bool>,
    /// Nothing where the client does not want to see it.
    answers: Vec<Value>,
    has_errors: bool,
    /// How long pipelines have taken, where any ran.
    ingested: Option<Duration>,
}

/// What an item has come to: a change that is to be made, or its answer.
type Made = std::result::Result<Change, Value>;

impl Bulk<'_> {
    /// Reads the documents of some items, puts them through their pipelines, and writes them.
    async fn write(&mut self, items: &mut [BulkItem<'_>], room: &mut Room) -> Result<()> {
        let mut made = Vec::with_capacity(items.len());
        for item in items.iter_mut() {
            made.push(self.make(item, room).await);
            // Long texts and many documents: others get their turn.
            tokio::task::consume_budget().await;
            engine::steps(1 + item.source.len() / BYTES_OF_STEP)?;
        }
        let mut made = made.into_iter().peekable();
        let mut rest = items;
        while let Some(next) = made.next() {
            let change = match next {
                Err(answer) => {
                    self.answer(answer);
                    rest = &mut rest[1..];
                    continue;
                }
                Ok(change) => change,
            };
            let mut changes = vec![change];
            let length = batch_length(rest);
            while changes.len() < length
                && let Some(Ok(change)) = made.next_if(Result::is_ok)
            {
                changes.push(change);
            }
            let (batch, later) = rest.split_at_mut(changes.len());
            self.commit(batch, changes).await?;
            rest = later;
        }
        Ok(())
    }

    fn answer(&mut self, answer: Value) {
        self.has_errors |= has_error(&answer);
        if self.call.shows("items") {
            self.answers.push(answer);
        }
    }

    async fn make(&mut self, item: &mut BulkItem<'_>, room: &mut Room) -> Made {
        if !self.may_be_named(item) {
            return Err(failed(item, item.id.as_deref(), &no_alias(&item.index)));
        }
        let asked = item.routing.take();
        match self.routing_of(&item.index, asked) {
            Ok(routing) => item.routing = routing,
            Err(error) => return Err(failed(item, item.id.as_deref(), &error)),
        }
        let made = match item.change() {
            Ok(Change::Put { document, create }) => self.through(item, document, create, room).await,
            Ok(Change::Update(mut update)) => match self.call.fill_script(update.script.as_mut()).await {
                Ok(()) => self.update_through(item, update, room).await,
                Err(error) => Err(error),
            },
            made => made.map(Ok),
        };
        made.unwrap_or_else(|error| Err(failed(item, item.id.as_deref(), &error)))
    }

    /// Whether an item names its index by an alias where it must.
    fn may_be_named(&mut self, item: &BulkItem<'_>) -> bool {
        if !item.requires_alias.unwrap_or(self.requires_alias) {
            return true;
        }
        if let Some(is_alias) = self.aliases.get(&item.index) {
            return *is_alias;
        }
        let is_alias = names::is_alias(self.call, &item.index);
        self.aliases.insert(item.index.clone(), is_alias);
        is_alias
    }

    /// The routing of an item.
    fn routing_of(&mut self, index: &str, asked: Option<String>) -> Result<Option<String>> {
        let routes = match self.routes.get(index) {
            Some(routes) => *routes,
            None => {
                let routes = of_request(self.call, index, None)?.is_some();
                self.routes.insert(index.to_owned(), routes);
                routes
            }
        };
        match routes {
            true => of_request(self.call, index, asked),
            false => Ok(asked),
        }
    }

    /// Puts a document through its pipelines.
    async fn through(
        &mut self,
        item: &mut BulkItem<'_>,
        document: DocumentBuf,
        create: bool,
        room: &mut Room,
    ) -> Result<Made> {
        let named = item.pipeline.as_deref().or(self.asked);
        let wanted = self.wanted(&item.index, named).await?;
        if wanted.is_none() {
            return Ok(Ok(Change::Put { document, create }));
        }
        let mut going = Context {
            index: item.index.clone(),
            id: item.id.clone(),
            routing: item.routing.clone(),
            source: document.to_document(),
            ..Context::default()
        };
        let begun = Instant::now();
        let goes_on = self.call.through(self.pipelines, &wanted, &mut going).await;
        self.ingested_since(begun);
        let goes_on = goes_on?;
        room.grow(going.bytes())?;
        (item.index, item.id, item.routing) = (going.index, going.id, going.routing);
        if goes_on {
            let document = DocumentBuf::from(&going.source);
            return Ok(Ok(Change::Put { document, create }));
        }
        Ok(Err(dropped_item(item)))
    }

    /// Puts the document that an update makes where there is none through its pipelines.
    async fn update_through(
        &mut self,
        item: &BulkItem<'_>,
        mut update: Update,
        room: &mut Room,
    ) -> Result<Made> {
        // The pipeline that the request names is for whole documents.
        let named = self.asked.filter(|_| !update.doc_as_upsert);
        if let Some(made) = update.made() {
            let wanted = self.wanted(&item.index, named).await?;
            if !wanted.is_none() {
                let context = Context {
                    index: item.index.clone(),
                    id: item.id.clone(),
                    routing: item.routing.clone(),
                    ..Context::default()
                };
                let begun = Instant::now();
                let made = self.call.made_through(self.pipelines, &wanted, context, made);
                let bytes = made.await;
                self.ingested_since(begun);
                let Some(bytes) = bytes? else {
                    return Ok(Err(dropped_item(item)));
                };
                room.grow(bytes)?;
            }
        }
        Ok(Ok(Change::Update(update)))
    }

    /// Counts the time that pipelines have taken.
    fn ingested_since(&mut self, begun: Instant) {
        *self.ingested.get_or_insert_default() += begun.elapsed();
    }

    /// Which pipelines documents of an index go through that name this one.
    async fn wanted(&mut self, index: &str, named: Option<&str>) -> Result<Wanted> {
        let key = (index.to_owned(), named.map(str::to_owned));
        if let Some(wanted) = self.known.get(&key) {
            return Ok(wanted.clone());
        }
        let wanted = self.call.pipelines_of(&key.0, key.1.as_deref()).await?;
        self.known.insert(key, wanted.clone());
        Ok(wanted)
    }

    /// Writes documents of one index, each another one.
    async fn commit(&mut self, batch: &[BulkItem<'_>], changes: Vec<Change>) -> Result<()> {
        let mut written = write_batch(self.call, batch, changes, self.shown).await?;
        if self.refreshed {
            written.answers.iter_mut().for_each(say_refreshed);
        }
        self.has_errors |= written.has_errors;
        self.answers.extend(written.answers);
        Ok(())
    }
}

/// The items that can be committed together: of one index, each of another document.
fn batch_length(items: &[BulkItem<'_>]) -> usize {
    let mut ids = HashSet::new();
    let first = &items[0].index;
    let fits = |item: &&BulkItem<'_>| {
        item.index == *first && item.id.as_ref().is_none_or(|id| ids.insert(id.clone()))
    };
    items.iter().take(BULK_COMMIT_MAX).take_while(fits).count().max(1)
}

/// The answer of an item whose document a pipeline has dropped.
fn dropped_item(item: &BulkItem<'_>) -> Value {
    let mut answer = dropped(&item.index, item.id.as_deref().unwrap_or_default());
    answer["status"] = json!(200);
    json!({item.verb: answer})
}

fn has_error(answer: &Value) -> bool {
    let mut members = answer.as_object().into_iter().flat_map(|one| one.values());
    members.any(|one| one.get("error").is_some())
}

/// How many items a body has; `None` where it is no body of a bulk request.
pub(crate) fn items_of(body: &[u8]) -> Option<usize> {
    let mut items = parse::items(body, None, None).ok()?;
    for item in &mut items {
        // One whose document cannot be read is refused alone.
        drop(item.change());
    }
    Some(items.len())
}

/// What became of a batch.
struct Batch {
    /// Nothing where the client does not want to see it.
    answers: Vec<Value>,
    has_errors: bool,
}

async fn write_batch(
    call: &Call,
    batch: &[BulkItem<'_>],
    changes: Vec<Change>,
    shown: Option<&SourceFilter>,
) -> Result<Batch> {
    let name = &batch[0].index.clone();
    let needed: HashSet<Action> = changes.iter().map(action).collect();
    let all_deletes = needed.iter().all(|action| *action == Action::Remove);
    let opened = match all_deletes {
        true => call.open_index(name, Action::Remove),
        false => call.index_for_writing(name, Action::Insert).await,
    };
    let index = match opened {
        Ok(index) => index,
        Err(error) => {
            let shown = batch.iter().filter(|_| call.shows("items"));
            let answers = shown.map(|item| failed(item, item.id.as_deref(), &error));
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
    let writes = batch.iter().zip(changes).map(|(item, change)| Write {
        id: item.id.clone().unwrap_or_else(new_id),
        is_new: item.id.is_none(),
        routing: item.routing.clone(),
        change,
        condition: item.condition,
        version: item.version,
    });
    let writes: Vec<Write> = writes.collect();
    let results = match index.is_stream(name) {
        false => write_all(&index, &writes).await?,
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
    batch: &[BulkItem<'_>],
    writes: Vec<Write>,
) -> Result<Vec<Result<Written>>> {
    let mut checked = Vec::with_capacity(batch.len());
    let mut allowed = Vec::with_capacity(batch.len());
    for (item, write) in batch.iter().zip(writes) {
        let (creates, has_time) = match &write.change {
            Change::Put { document, .. } => {
                (item.verb == "create", document.as_raw().get(TIME_FIELD).is_some())
            }
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

fn action(change: &Change) -> Action {
    match change {
        Change::Put { create: true, .. } => Action::Insert,
        Change::Delete => Action::Remove,
        Change::Put { .. } | Change::Update(_) => Action::Update,
    }
}

fn done(
    item: &BulkItem<'_>,
    write: &Write,
    index: &str,
    written: &Written,
    shown: Option<&SourceFilter>,
) -> Value {
    let mut body = written.to_json(index);
    body.insert("status".to_owned(), json!(written.status().as_u16()));
    let filter = item.shown.as_ref().or(shown).filter(|filter| !filter.hidden);
    if let (Change::Update(_), Some(filter), Some(document)) = (&write.change, filter, &written.document) {
        body.insert("get".to_owned(), json!({"_seq_no": written.sequence, "_primary_term": 1, "found": true, "_source": filter.shown(document)}));
    }
    Value::Object(Map::from_iter([(item.verb.to_owned(), Value::Object(body))]))
}

fn failed(item: &BulkItem<'_>, id: Option<&str>, error: &ElasticError) -> Value {
    json!({item.verb: {
        "_index": item.index, "_type": "_doc", "_id": id, "status": error.status.as_u16(), "error": error.to_json(),
    }})
}
