//! Searches that go on: scrolls, and points in time.

use super::Search;
use crate::limits::KEEP_ALIVE_MAX;
use auth::Action;
use http::{Method, StatusCode};
use indices::OpenContext;
use indices::error::{ElasticError, Result};
use indices::scan::{self, IndexSnapshot};
use memory::{Holder, Share};
use rest::call::Call;
use rest::contexts::missing;
use rest::failed::all_shards;
use rest::resolve::Options;
use rest::respond::{Answer, json, ok};
use serde_json::{Map, Value, json};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a scroll or a point in time takes whatever was asked.
const KEPT_BYTES: usize = 4 * 1024;
/// What it takes of each index.
const KEPT_INDEX_BYTES: usize = 2 * 1024;
/// The bytes of a request that was read, for each of its text.
const KEPT_TIMES: usize = 8;

/// What is kept between requests.
enum Kept {
    Scroll(Box<tokio::sync::Mutex<Scroll>>),
    Point(Point),
}

struct Scroll {
    search: Search,
    total: u64,
    _open: Vec<OpenContext>,
}

struct Point {
    places: Vec<IndexSnapshot>,
    _open: Vec<OpenContext>,
}

/// Counts a search of these indices that goes on.
fn opened(places: &[IndexSnapshot]) -> Vec<OpenContext> {
    let counted = places.iter().map(|place| place.index.counters().open_context());
    counted.collect()
}

fn kept(call: &Call, id: &str, keep_alive: Option<Duration>) -> Result<Arc<Kept>> {
    let kept = call.server.contexts.get(id, keep_alive)?;
    kept.downcast().map_err(|_| missing(id))
}

async fn check(call: &Call, keep_alive: Duration) -> Result<()> {
    let most = match call.cluster_setting("search.max_keep_alive").await? {
        Some(text) => search::parse_time(&text, "search.max_keep_alive")?,
        None => KEEP_ALIVE_MAX,
    };
    match keep_alive > most {
        false => Ok(()),
        true => Err(ElasticError::illegal(format!(
            "Keep alive for scroll ({}) is too large. It must be less than ({}). This limit can be set by changing the \
             [search.max_keep_alive] cluster level setting.",
            shown(keep_alive),
            shown(most)
        ))),
    }
}

fn shown(time: Duration) -> String {
    let ms = time.as_millis();
    for (unit, size) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)] {
        if ms >= size && ms.is_multiple_of(size) {
            return format!("{}{unit}", ms / size);
        }
    }
    format!("{ms}ms")
}

/// The memory of what is kept of a request to this many indices.
fn share(call: &Call, indices: usize) -> Result<Share> {
    let mut share = call.server.engine.memory().share(Holder::Scrolls);
    // A query that was read is about as many times as large as its text.
    let bytes = KEPT_BYTES + indices * KEPT_INDEX_BYTES + call.body.len() * KEPT_TIMES;
    let room = share.set(bytes).map(|()| share);
    room.map_err(|full| ElasticError::no_memory(&full))
}

/// How a scroll is asked for.
#[derive(Clone, Copy)]
pub(super) struct Scrolling {
    pub(super) keep_alive: Duration,
    /// Whether its answer may be of a cache.
    pub(super) is_cached: bool,
    /// Whether its first page has no hits.
    pub(super) is_scan: bool,
    /// Whether not all hits are to be counted.
    pub(super) counts_in_part: bool,
}

/// Refuses what does not go with a scroll.
fn check_scroll(request: &search::Request, scrolling: Scrolling) -> Result<()> {
    let faults = [
        (
            scrolling.is_cached,
            "[request_cache] cannot be used in a scroll context",
        ),
        (
            scrolling.counts_in_part,
            "disabling [track_total_hits] is not allowed in a scroll context",
        ),
        (request.size == 0, "[size] cannot be [0] in a scroll context"),
        (
            request.from > 0,
            "using [from] is not allowed in a scroll context",
        ),
        (
            request.search_after.is_some(),
            "`search_after` cannot be used in a scroll context.",
        ),
    ];
    let faults: Vec<String> = faults
        .iter()
        .filter(|(is, _)| *is)
        .map(|(_, text)| (*text).to_owned())
        .collect();
    match faults.is_empty() {
        true => Ok(()),
        false => Err(ElasticError::validation(&faults)),
    }
}

/// The first page of a scroll.
pub(super) async fn begin(
    call: &Call,
    mut search: Search,
    scrolling: Scrolling,
    begun: Instant,
) -> Result<Value> {
    check_scroll(&search.request, scrolling)?;
    let Scrolling {
        keep_alive, is_scan, ..
    } = scrolling;
    check(call, keep_alive).await?;
    let share = share(call, search.places.len())?;
    let size = search.request.size;
    if is_scan {
        search.request.size = 0;
    }
    let (found, _) = search.run().await?;
    let total = found.outcome.total;
    let last = found.outcome.hits.last().map(search::Hit::place);
    let mut answer = search.answer(found, begun, &call.held).await?;
    let mut scroll = Scroll {
        _open: opened(&search.places),
        search,
        total,
    };
    match is_scan {
        true => scroll.search.request.size = size,
        false => scroll.go_on(last),
    }
    let id = call.server.contexts.put(
        Arc::new(Kept::Scroll(Box::new(tokio::sync::Mutex::new(scroll)))),
        keep_alive,
        share,
    )?;
    if let Value::Object(answer) = &mut answer {
        answer.shift_insert(0, "_scroll_id".to_owned(), json!(id));
    }
    Ok(answer)
}

impl Scroll {
    /// What is found next: the last hit, and the answer.
    async fn page(&self, begun: Instant, held: &search::Held) -> Result<(Option<search::Hit>, Value)> {
        let (mut found, _) = self.search.run().await?;
        found.outcome.total = self.total;
        let last = found.outcome.hits.last().map(search::Hit::place);
        Ok((last, self.search.answer(found, begun, held).await?))
    }

    fn go_on(&mut self, last: Option<search::Hit>) {
        let request = &mut self.search.request;
        request.aggregations = search::Aggregations::default();
        match last {
            Some(last) => request.after = Some(Box::new(last)),
            // Nothing comes after the end.
            None => request.size = 0,
        }
    }
}

/// `_search/scroll`.
pub(crate) async fn scroll(call: &mut Call, id: Option<&str>) -> Result<Answer> {
    match call.method {
        Method::GET | Method::POST => next(call, id).await,
        Method::DELETE => clear(call, id),
        _ => Err(call.not_allowed("DELETE, GET, POST")),
    }
}

async fn next(call: &mut Call, id: Option<&str>) -> Result<Answer> {
    let begun = Instant::now();
    let body = match plain_id(&call.body) {
        Some(id) => Map::from_iter([("scroll_id".to_owned(), json!(id))]),
        None => call.object()?,
    };
    if let Some(other) = body
        .keys()
        .find(|name| !matches!(name.as_str(), "scroll" | "scroll_id"))
    {
        return Err(ElasticError::illegal(format!(
            "Unknown parameter [{other}] in request body or parameter is of the wrong type"
        )));
    }
    let given = |name: &str, value: Option<String>| {
        body.get(name)
            .and_then(Value::as_str)
            .map(str::to_owned)
            .or(value)
    };
    let in_query = call.parameters.take("scroll_id");
    let id = given("scroll_id", in_query.or(id.map(str::to_owned)));
    let keep_alive = given("scroll", call.parameters.take("scroll"));
    let as_number = call.parameters.flag("rest_total_hits_as_int")?;
    call.parameters.end()?;
    let id = id.ok_or_else(|| ElasticError::validation(&["scrollId is missing".to_owned()]))?;
    let keep_alive = keep_alive
        .map(|text| search::parse_time(&text, "scroll"))
        .transpose()?;
    if let Some(keep_alive) = keep_alive {
        check(call, keep_alive).await?;
    }
    let kept = kept(call, &id, keep_alive).map_err(|error| all_shards(error, None))?;
    let Kept::Scroll(scroll) = &*kept else {
        return Err(all_shards(missing(&id), None));
    };
    let mut scroll = scroll.lock().await;
    may_read(call, &scroll.search.places)?;
    if let Some(as_number) = as_number {
        scroll.search.shown.total_as_number = as_number;
    }
    let (last, mut answer) = call.read(pin!(scroll.page(begun, &call.held))).await?;
    if !scroll.search.request.is_by_score() {
        answer["hits"]["max_score"] = Value::Null;
    }
    scroll.go_on(last);
    if let Value::Object(answer) = &mut answer {
        answer.shift_insert(0, "_scroll_id".to_owned(), json!(id));
    }
    Ok(ok(answer))
}

/// The id that is all of a body, as clients of earlier versions send it.
fn plain_id(body: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(body).ok()?.trim();
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'=' | b'+' | b'/');
    (!text.is_empty() && text.bytes().all(is_plain)).then_some(text)
}

fn ids(call: &mut Call, name: &str, id: Option<&str>) -> Result<Vec<String>> {
    let body = call.object()?;
    let list = |value: &Value| match value {
        Value::String(id) => vec![id.clone()],
        Value::Array(list) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let given = call.parameters.list(name);
    let of_path = id.map(|ids| ids.split(',').map(str::to_owned).collect());
    if let Some(other) = body.keys().find(|key| *key != name) {
        return Err(ElasticError::illegal(format!(
            "Unknown parameter [{other}] in request body or parameter is of the wrong type"
        )));
    }
    Ok(body.get(name).map(list).or(given).or(of_path).unwrap_or_default())
}

fn clear(call: &mut Call, id: Option<&str>) -> Result<Answer> {
    let ids = ids(call, "scroll_id", id)?;
    call.parameters.end()?;
    if ids.is_empty() {
        return Err(ElasticError::validation(&["no scroll ids specified".to_owned()]));
    }
    let contexts = &call.server.contexts;
    let freed = match ids.iter().any(|id| id == "_all") {
        true => {
            // Those of others, too.
            call.require_server()?;
            return Ok(freed(contexts.clear(), true));
        }
        false => ids.iter().filter(|id| contexts.remove(id)).count(),
    };
    Ok(self::freed(freed, false))
}

fn freed(count: usize, all: bool) -> Answer {
    let status = if count > 0 || all {
        StatusCode::OK
    } else {
        StatusCode::NOT_FOUND
    };
    json(status, json!({"succeeded": true, "num_freed": count}))
}

/// `{index}/_pit`, and as OpenSearch names it, `{index}/_search/point_in_time`.
pub(crate) async fn open_point(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::POST])?;
    let options = Options::OPEN.taken(&mut call.parameters)?;
    let keep_alive = call.parameters.take("keep_alive");
    call.parameters
        .end_without(&["preference", "routing", "allow_partial_pit_creation"])?;
    let missing = || ElasticError::validation(&["[keep_alive] is missing".to_owned()]);
    let keep_alive = search::parse_time(&keep_alive.ok_or_else(missing)?, "keep_alive")?;
    check(call, keep_alive).await?;
    let mut request = search::Request::default();
    let indices = super::opened(call, expression, options, &mut request)?;
    if request.query.is_some() {
        return Err(ElasticError::unsupported(
            "a point in time of an alias with a filter",
        ));
    }
    let share = share(call, indices.len())?;
    let places = scan::places(&indices).await?;
    let count = super::skipped::shards(&places);
    let point = Point {
        _open: opened(&places),
        places,
    };
    let id = call
        .server
        .contexts
        .put(Arc::new(Kept::Point(point)), keep_alive, share)?;
    Ok(ok(json!({
        "id": id, "pit_id": id, "_shards": {"total": count, "successful": count, "skipped": 0, "failed": 0},
    })))
}

/// `DELETE /_pit`, `DELETE /_search/point_in_time`.
pub(crate) fn close_point(call: &mut Call, name: &str) -> Result<Answer> {
    call.only(&[Method::DELETE])?;
    let ids = ids(call, name, None)?;
    call.parameters.end()?;
    if ids.is_empty() {
        return Err(ElasticError::validation(&[format!("[{name}] is missing")]));
    }
    let found: Vec<(String, bool)> = ids
        .into_iter()
        .map(|id| (id.clone(), call.server.contexts.remove(&id)))
        .collect();
    if name == "pit_id" {
        let pits: Vec<Value> = found
            .iter()
            .map(|(id, done)| json!({"pit_id": id, "successful": done}))
            .collect();
        return Ok(ok(json!({"pits": pits})));
    }
    Ok(freed(found.iter().filter(|(_, done)| *done).count(), false))
}

/// Names the point in time that was searched: clients ask for the next page by the id of the last answer.
pub(super) fn name_point(answer: &mut Value, id: Option<String>) {
    if let (Value::Object(answer), Some(id)) = (answer, id) {
        answer.shift_insert(0, "pit_id".to_owned(), json!(id));
    }
}

/// The state that a search names by its `pit`, with its id.
pub(super) fn point_of(
    call: &Call,
    expression: &str,
    body: &mut Map<String, Value>,
) -> Result<Option<(String, Vec<IndexSnapshot>)>> {
    let Some(point) = body.shift_remove("pit") else {
        return Ok(None);
    };
    let members = point.as_object().into_iter().flatten();
    if let Some((other, _)) = members
        .into_iter()
        .find(|(name, _)| !["id", "keep_alive"].contains(&name.as_str()))
    {
        return Err(ElasticError::parsing(format!("[pit] unknown field [{other}]")));
    }
    if expression != "_all" {
        return Err(ElasticError::validation(&[
            "[indices] cannot be used with point in time".to_owned(),
        ]));
    }
    let id = point
        .get("id")
        .and_then(Value::as_str)
        .ok_or_else(|| ElasticError::illegal("point int time id is not provided"))?;
    let keep_alive = point.get("keep_alive").and_then(Value::as_str);
    let keep_alive = keep_alive
        .map(|text| search::parse_time(text, "keep_alive"))
        .transpose()?;
    let kept = kept(call, id, keep_alive).map_err(|error| all_shards(error, None))?;
    let Kept::Point(point) = &*kept else {
        return Err(all_shards(missing(id), None));
    };
    may_read(call, &point.places)?;
    Ok(Some((id.to_owned(), point.places.clone())))
}

/// Refuses a user who may not read these indices: another user may have begun the search.
fn may_read(call: &Call, places: &[IndexSnapshot]) -> Result<()> {
    places
        .iter()
        .try_for_each(|place| call.require(Action::Find, &place.index.namespace))
}
