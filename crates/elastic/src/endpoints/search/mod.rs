//! `_search`, and what all searches share.

mod boosts;
mod bounds;
pub(crate) mod collapse;
pub(crate) mod contexts;
pub(crate) mod count;
pub(crate) mod expensive;
mod inner;
pub(crate) mod knn;
pub(crate) mod multi;
mod parameters;
mod parts;
mod profile;
mod rescore;
pub(crate) mod shown;
mod skipped;
pub(crate) mod slices;
pub(crate) mod templates;
pub(crate) mod terms_enum;

use crate::lookups;
use auth::Action;
use code::Code;
use collapse::Collapse;
use contexts::Scrolling;
use http::Method;
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::nearest;
use indices::scan::{self, IndexSnapshot, Scanned};
use mustache::Template;
pub(crate) use parameters::AskedSearch;
pub(crate) use parameters::query_of as parameters_query;
use parts::Parts;
use rescore::Rescore;
use rest::call::Call;
use rest::failed::all_shards;
use rest::resolve::{Options, alias_filter, resolve};
use rest::respond::{Answer, ok};
use search::{ErrorKind, Held, Knn, Query, Request, Slice};
use serde_json::{Map, Value, json};
use shown::{Shown, number};
use std::pin::pin;
use std::time::Instant;
use suggest::Suggest;

pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let options = Options::OPEN.taken(&mut call.parameters)?;
    let body = call.object()?;
    let asked = AskedSearch::take(&mut call.parameters, body)?;
    call.parameters.end()?;
    Ok(ok(perform(call, expression, options, asked).await?))
}

/// A search, ready to be run.
pub(crate) struct Search {
    pub(crate) request: Request,
    pub(crate) shown: Shown,
    pub(crate) typed_keys: bool,
    pub(crate) places: Vec<IndexSnapshot>,
    collapse: Option<Collapse>,
    rescores: Vec<Rescore>,
    deadline: Option<Instant>,
    /// Whether there was no time to look at all documents for the nearest.
    is_late: bool,
    /// Shards whose results Elasticsearch would put together at once.
    batch: u64,
    /// Shards that need not be asked.
    skipped: u64,
    /// The memory of its suggestions.
    held: Held,
}

/// Runs a search, within the time that there is, and gives its answer.
pub(crate) async fn perform(
    call: &Call,
    expression: &str,
    options: Options,
    asked: AskedSearch,
) -> Result<Value> {
    call.read(pin!(answer(call, expression, options, asked))).await
}

async fn answer(call: &Call, expression: &str, options: Options, mut asked: AskedSearch) -> Result<Value> {
    let begun = Instant::now();
    search::check_form(&asked.body)?;
    let (pit, point) = contexts::point_of(call, expression, &mut asked.body)?.unzip();
    let counts_in_part = counts_in_part(&asked.body);
    let slice = slices::taken(&mut asked, point.is_some())?;
    lookups::fill(call, expression, &mut asked.body).await?;
    let mut parts = Parts::take(&mut asked)?;
    let knn = std::mem::take(&mut parts.knn);
    let (mut request, shown) = requested(call, &mut asked, knn, &parts.rescores).await?;
    let mut places = match point {
        Some(places) => places,
        None => scan::places(&opened(call, expression, options, &mut request)?).await?,
    };
    if let Some(boosts) = &parts.boosts {
        boosts::apply(call, options, boosts, &mut places)?;
    }
    let index = places.first().map(|place| place.index.clone());
    let scrolling = asked.keep_alive.map(|keep_alive| Scrolling {
        keep_alive,
        is_cached: asked.is_cached,
        is_scan: asked.is_scan,
        counts_in_part,
    });
    let besides = (parts.suggest.take(), parts.is_profiled);
    let groups = std::mem::take(&mut parts.groups);
    // From here on Elasticsearch leaves it to the shards what can be done.
    let work = async {
        let search = prepared(call, asked, parts, (request, shown), (places, slice)).await?;
        if let Some(scrolling) = scrolling {
            return contexts::begin(call, search, scrolling, begun).await;
        }
        let mut answer = once(call, &search, besides, begun).await?;
        contexts::name_point(&mut answer, pit);
        for place in &search.places {
            place.index.counters().search(begun.elapsed(), &groups);
        }
        Ok(answer)
    };
    let answer: Result<Value> = work.await;
    answer.map_err(|error| all_shards(error, index.as_ref()))
}

/// A search of these indices, once it is within their limits.
async fn prepared(
    call: &Call,
    asked: AskedSearch,
    parts: Parts,
    (mut request, shown): (Request, Shown),
    (places, slice): (Vec<IndexSnapshot>, Option<Slice>),
) -> Result<Search> {
    bounds::check(&asked.body, &places)?;
    let shows = (&shown, parts.rescores.as_slice());
    check_limits(&mut request, shows, &places, asked.keep_alive.is_some())?;
    expensive::check(call, &request, &places).await?;
    if let Some(collapse) = &parts.collapse {
        collapse.check_field(&places)?;
    }
    count_columns(&request, &places);
    slices::narrow(&mut request, slice, &places)?;
    let is_late = nearest::find(&mut request, &places, parts.deadline, &call.held).await?;
    let skipped = skipped::count(&request, asked.filtered_from, &places, &call.held).await?;
    Ok(Search {
        request,
        shown,
        typed_keys: asked.typed_keys,
        places,
        collapse: parts.collapse,
        rescores: parts.rescores,
        deadline: parts.deadline,
        is_late,
        batch: asked.batch,
        skipped,
        held: call.held.another(),
    })
}

/// Runs a search that does not go on, with what is suggested and told of how it ran.
async fn once(
    call: &Call,
    search: &Search,
    (suggest, is_profiled): (Option<Suggest>, bool),
    begun: Instant,
) -> Result<Value> {
    let (found, _) = search.run().await?;
    let profile = is_profiled.then(|| profile::shown(&found.outcome.profiles, &search.places));
    let mut answer = search.answer(found, begun, &call.held).await?;
    if let Some(suggest) = suggest {
        answer["suggest"] = Value::Object(search.suggested(suggest).await?);
    }
    if let Some(profile) = profile {
        answer["profile"] = profile;
    }
    Ok(answer)
}

/// Counts the columns that a search reads.
fn count_columns(request: &Request, places: &[IndexSnapshot]) {
    for place in places {
        let columns = request.columns(&place.mapping);
        place.index.counters().read_columns(columns);
    }
}

/// Whether not all hits are to be counted.
fn counts_in_part(body: &Map<String, Value>) -> bool {
    body.get("track_total_hits")
        .is_some_and(|count| *count != true && count != "true")
}

/// What is asked of documents, and how hits are shown.
async fn requested(
    call: &Call,
    asked: &mut AskedSearch,
    knn: Vec<Knn>,
    rescores: &[Rescore],
) -> Result<(Request, Shown)> {
    let (mut request, rest) = Request::parse(&asked.body)?;
    let (mut shown, rest) = Shown::take(&rest)?;
    shown::refuse(&rest)?;
    shown.source_given(asked.shown_source.take());
    shown.total_as_number = asked.total_as_number;
    shown.version |= asked.version;
    shown.sequence |= asked.sequence;
    if let Some(query) = asked.query.take() {
        request.query = Some(query);
    }
    request.query = Query::or_nearest(request.query.take(), knn);
    request.track_scores |= shown.wants_scores();
    rescore::check(rescores, &request, asked.keep_alive.is_some())?;
    check_total(&request, &shown, &asked.body)?;
    if shown.total_as_number {
        request.track_total_hits = request.track_total_hits.map(|_| u64::MAX);
    }
    if let Some(most) = call.cluster_setting("search.max_buckets").await? {
        request.buckets_max = most.parse().unwrap_or(request.buckets_max);
    }
    Ok((request, shown))
}

/// Refuses what goes beyond the limits of one of the indices.
fn check_limits(
    request: &mut Request,
    (shown, rescores): (&Shown, &[Rescore]),
    places: &[IndexSnapshot],
    scrolls: bool,
) -> Result<()> {
    let mut inner_most = usize::MAX;
    for (at, place) in places.iter().enumerate() {
        let window = place.index.limit("max_result_window")?;
        request.window_max = if at == 0 {
            window
        } else {
            window.min(request.window_max)
        };
        inner_most = inner_most.min(place.index.limit("max_inner_result_window")?);
        rescore::check_windows(rescores, place.index.limit("max_rescore_window")?)?;
        shown.check(&place.index, &place.mapping)?;
    }
    inner::check(request.query.as_ref(), inner_most)?;
    match scrolls && request.size > request.window_max {
        false => Ok(()),
        true => Err(ElasticError::illegal(format!(
            "Batch size is too large, size must be less than or equal to: [{}] but was [{}]. Scroll batch sizes cost as much memory as \
             result windows so they are controlled by the [index.max_result_window] index level setting.",
            request.window_max, request.size
        ))),
    }
}

fn check_total(request: &Request, shown: &Shown, body: &Map<String, Value>) -> Result<()> {
    let partial = request.track_total_hits.filter(|most| *most != u64::MAX);
    match partial {
        Some(most) if shown.total_as_number && body.contains_key("track_total_hits") => {
            Err(ElasticError::illegal(format!(
                "[rest_total_hits_as_int] cannot be used if the tracking of total hits is not accurate, got {most}"
            )))
        }
        _ => Ok(()),
    }
}

impl Search {
    /// What is found, and whether that is all of it.
    pub(crate) async fn run(&self) -> Result<(Scanned, bool)> {
        let mut found = match &self.collapse {
            Some(collapse) => collapse.run(self).await?,
            None if !self.rescores.is_empty() => rescore::run(self).await?,
            None => self.scan(&self.request).await?,
        };
        found.timed_out |= self.is_late;
        let timed_out = found.timed_out;
        Ok((found, timed_out))
    }

    pub(crate) async fn scan(&self, request: &Request) -> Result<Scanned> {
        let show = |hit: &search::Hit, sort: &[search::SortKey], body: &Map<String, Value>| {
            let (shown, rest) = Shown::take(body).map_err(as_search)?;
            shown::refuse(&rest).map_err(as_search)?;
            self.shown_hit(&shown, hit, hit.score, !sort.is_empty())
                .map_err(as_search)
        };
        scan::run(
            request,
            self.typed_keys,
            &self.places,
            self.deadline,
            &self.held,
            &show,
        )
        .await
    }

    fn shown_hit(
        &self,
        shown: &Shown,
        hit: &search::Hit,
        score: Option<f32>,
        is_sorted: bool,
    ) -> Result<Value> {
        let missing = || ElasticError::illegal("a hit is of no index of the search");
        let place = self.places.get(hit.index).ok_or_else(missing)?;
        let query = self.request.query.as_ref();
        shown.hit(&place.index, &place.mapping, hit, query, score, is_sorted)
    }

    /// What is suggested, each document of it as hits are shown.
    async fn suggested(&self, mut suggest: Suggest) -> Result<Map<String, Value>> {
        scan::suggest(&mut suggest, &self.places, &self.held).await?;
        for query in suggest.collated() {
            let text = Template::parse(&query.source)?.render(&query.params)?;
            let request = Request {
                query: Some(search::parse_query(&serde_json::from_str(&text)?)?),
                size: 0,
                terminate_after: Some(1),
                ..Request::default()
            };
            if self.scan(&request).await?.outcome.total > 0 {
                suggest.matches(&query);
            }
        }
        let show = |found: &suggest::Suggested, option: &mut Map<String, Value>| {
            let Some(place) = self.places.get(found.index) else {
                return Ok(());
            };
            option.insert("_index".to_owned(), json!(place.index.name));
            option.insert("_type".to_owned(), json!("_doc"));
            option.insert("_id".to_owned(), json!(found.id));
            if !self.shown.source.hidden {
                option.insert("_source".to_owned(), self.shown.source.shown(&found.document));
            }
            Ok(())
        };
        Ok(suggest.finish(self.typed_keys, &show, &self.held)?)
    }

    /// How often Elasticsearch would put together results of shards, of which there are as many as settings say.
    fn reduce_phases(&self) -> u64 {
        match skipped::shards(&self.places).saturating_sub(self.batch) {
            0 => 1,
            rest => rest.div_ceil(self.batch - 1) + 1,
        }
    }

    /// A hit of the search itself.
    pub(crate) fn hit(&self, hit: &search::Hit) -> Result<Value> {
        let is_scored = self.request.shows_scores();
        self.shown_hit(
            &self.shown,
            hit,
            hit.score.filter(|_| is_scored),
            !self.request.sort.is_empty(),
        )
    }

    /// What the client sees; `held` is for that alone.
    pub(crate) async fn answer(&self, found: Scanned, begun: Instant, held: &Held) -> Result<Value> {
        let outcome = found.outcome;
        let bytes = outcome.hits.iter().map(|hit| hit.document.bytes().len());
        held.room_to_answer(bytes.sum()).await?;
        let mut hits = Vec::with_capacity(outcome.hits.len());
        for hit in &outcome.hits {
            engine::steps(indexing::steps_of(&hit.document))?;
            let mut one = self.hit(hit)?;
            if let Some(collapse) = &self.collapse {
                collapse.add(self, hit, &mut one).await?;
            }
            inner::add(self, hit, &mut one)?;
            held.add_shown(&one)?;
            hits.push(one);
        }
        let mut inner = Map::new();
        inner.extend(self.total(outcome.total).map(|total| ("total".to_owned(), total)));
        let max_score = outcome.max_score.filter(|_| self.request.size > 0);
        inner.insert("max_score".to_owned(), max_score.map_or(Value::Null, number));
        inner.insert("hits".to_owned(), Value::Array(hits));
        let count = skipped::shards(&self.places);
        let mut answer = json!({
            "took": begun.elapsed().as_millis() as u64,
            "timed_out": found.timed_out,
            "_shards": {"total": count, "successful": count, "skipped": self.skipped, "failed": 0},
        });
        // What is named within `json!` would be copied.
        answer["hits"] = Value::Object(inner);
        if let Some(aggregations) = outcome.aggregations {
            let aggregations = Value::Object(aggregations);
            held.add_shown(&aggregations)?;
            answer["aggregations"] = aggregations;
        }
        let phases = self.reduce_phases();
        if phases > 1 {
            answer["num_reduce_phases"] = json!(phases);
        }
        if self.request.terminate_after.is_some() {
            answer["terminated_early"] = json!(outcome.terminated_early);
        }
        Ok(answer)
    }

    /// The total as it is shown.
    pub(crate) fn total(&self, total: u64) -> Option<Value> {
        match (self.request.track_total_hits, self.shown.total_as_number) {
            (None, true) => Some(json!(-1)),
            (None, false) => None,
            (Some(_), true) => Some(json!(total)),
            (Some(most), false) if total > most => Some(json!({"value": most, "relation": "gte"})),
            (Some(_), false) => Some(json!({"value": total, "relation": "eq"})),
        }
    }
}

/// Why a hit within aggregations cannot be shown.
fn as_search(error: ElasticError) -> search::SearchError {
    let kind = match error.kind {
        "parsing_exception" => ErrorKind::Parsing,
        "script_exception" => ErrorKind::Script,
        "unsupported_operation_exception" => ErrorKind::Unsupported,
        "circuit_breaking_exception" => ErrorKind::Memory,
        "timeout_exception" => ErrorKind::Ended(Code::MAX_TIME_MS_EXPIRED),
        "task_cancelled_exception" => ErrorKind::Ended(Code::INTERRUPTED),
        _ => ErrorKind::IllegalArgument,
    };
    search::SearchError::new(kind, error.reason)
}

/// The indices that are searched; where aliases leave a part of them, the query is for that.
fn opened(
    call: &Call,
    expression: &str,
    options: Options,
    request: &mut Request,
) -> Result<Vec<(Index, f32)>> {
    let names = resolve(call, expression, options)?;
    let mut filters = Vec::new();
    let mut is_filtered = false;
    for name in &names {
        let of_index = json!({"term": {"_index": name}});
        let filter = alias_filter(call, expression, name)?;
        is_filtered |= filter.is_some();
        let both: Vec<Value> = [of_index].into_iter().chain(filter).collect();
        filters.push(json!({"bool": {"filter": both}}));
    }
    if is_filtered {
        let filter = search::parse_query(&json!({"bool": {"should": filters}}))?;
        let queries = request.query.iter_mut().chain(&mut request.post_filter);
        for place in queries.flat_map(Query::unfound) {
            if let Query::Knn(knn) = place {
                knn.filter(filter.clone());
            }
        }
        request.query = Some(Query::filtered(request.query.take(), filter));
    }
    names
        .iter()
        .map(|name| Ok((call.open_index(name, Action::Find)?, 1.0)))
        .collect()
}
