//! `rescore`: the best hits are put in order anew, by what another query says of them.

use super::Search;
use indices::error::{ElasticError, Result};
use indices::scan::{self, Scanned};
use search::{Hit, Query, Request};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The hits that are looked at again by default.
const WINDOW: u64 = 10;

/// How two scores become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Avg,
    Max,
    Min,
    Multiply,
    Total,
}

/// A second look at the best hits.
#[derive(Clone, Debug)]
pub(super) struct Rescore {
    window: usize,
    query: Query,
    /// What the score that a hit has is multiplied by.
    weight: f32,
    /// What that of the query here is multiplied by.
    own_weight: f32,
    mode: Mode,
}

/// Reads one of them, or several that follow each other.
pub(super) fn parse(value: &Value) -> Result<Vec<Rescore>> {
    match value {
        Value::Array(list) => list.iter().map(Rescore::parse).collect(),
        one => Ok(vec![Rescore::parse(one)?]),
    }
}

/// Refuses what cannot be together with a second look.
pub(super) fn check(rescores: &[Rescore], request: &Request, scrolls: bool) -> Result<()> {
    match rescores.is_empty() {
        true => Ok(()),
        false if scrolls => Err(ElasticError::validation(&[
            "using [rescore] is not allowed in a scroll context".to_owned(),
        ])),
        false if !request.is_by_score() => Err(ElasticError::illegal(
            "Cannot use [sort] option in conjunction with [rescore].",
        )),
        false => Ok(()),
    }
}

/// Refuses to look at more hits anew than an index lets a search do.
pub(super) fn check_windows(rescores: &[Rescore], most: usize) -> Result<()> {
    match rescores.iter().map(|rescore| rescore.window).max() {
        Some(window) if window > most => Err(ElasticError::illegal(format!(
            "Rescore window [{window}] is too large. It must be less than [{most}]. This prevents allocating massive heaps for storing \
             the results to be rescored. This limit can be set by changing the [index.max_rescore_window] index level setting."
        ))),
        _ => Ok(()),
    }
}

fn object<'v>(value: Option<&'v Value>, name: &str) -> Result<&'v Map<String, Value>> {
    value
        .and_then(Value::as_object)
        .ok_or_else(|| ElasticError::parsing(format!("[rescore] needs an object [{name}]")))
}

impl Rescore {
    fn parse(value: &Value) -> Result<Rescore> {
        let whole = object(Some(value), "rescore")?;
        let unknown = |name: &str| ElasticError::parsing(format!("rescore doesn't support [{name}]"));
        if let Some(other) = whole
            .keys()
            .find(|name| !["query", "window_size"].contains(&name.as_str()))
        {
            return Err(unknown(other));
        }
        let window = match whole.get("window_size") {
            None => WINDOW,
            Some(size) => size.as_u64().ok_or_else(|| {
                ElasticError::parsing("[window_size] must be a number that is not negative")
            })?,
        };
        let query = object(whole.get("query"), "query")?;
        let number = |name: &str| match query.get(name) {
            None => Ok(1.0),
            Some(number) => number
                .as_f64()
                .map(|number| number as f32)
                .ok_or_else(|| ElasticError::parsing(format!("[{name}] must be a number"))),
        };
        let mode = match query.get("score_mode").map(Value::as_str) {
            None | Some(Some("total")) => Mode::Total,
            Some(Some("avg")) => Mode::Avg,
            Some(Some("max")) => Mode::Max,
            Some(Some("min")) => Mode::Min,
            Some(Some("multiply")) => Mode::Multiply,
            Some(other) => {
                return Err(ElasticError::illegal(format!(
                    "illegal score_mode [{}]",
                    other.unwrap_or_default()
                )));
            }
        };
        let known = [
            "rescore_query",
            "query_weight",
            "rescore_query_weight",
            "score_mode",
        ];
        if let Some(other) = query.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(unknown(other));
        }
        let own = query
            .get("rescore_query")
            .ok_or_else(|| ElasticError::parsing("Required [rescore_query]"))?;
        Ok(Rescore {
            window: window as usize,
            query: search::parse_query(own)?,
            weight: number("query_weight")?,
            own_weight: number("rescore_query_weight")?,
            mode,
        })
    }

    /// The score of a hit that this query gives that one, if it matches.
    fn combined(&self, score: f32, own: Option<f32>) -> f32 {
        let score = score * self.weight;
        let Some(own) = own.map(|own| own * self.own_weight) else {
            return score;
        };
        match self.mode {
            Mode::Avg => f32::midpoint(score, own),
            Mode::Max => score.max(own),
            Mode::Min => score.min(own),
            Mode::Multiply => score * own,
            Mode::Total => score + own,
        }
    }

    /// What the query gives hits, by the places of their indices and by their ids.
    async fn scores(&self, search: &Search, hits: &[Hit]) -> Result<HashMap<(usize, String), f32>> {
        let ids: Vec<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
        let only = search::parse_query(&json!({"ids": {"values": ids}}))?;
        // In several indices there may be as many of an id.
        let most = hits.len() * search.places.len().max(1);
        let request = Request {
            query: Some(Query::filtered(Some(self.query.clone()), only)),
            size: most,
            window_max: most,
            track_total_hits: None,
            ..Request::default()
        };
        let show = |_: &Hit, _: &[search::SortKey], _: &Map<String, Value>| Ok(Value::Null);
        let found = scan::run(
            &request,
            false,
            &search.places,
            search.deadline,
            &search.held,
            &show,
        )
        .await?;
        let scored = found.outcome.hits.into_iter();
        Ok(scored
            .filter_map(|hit| Some(((hit.index, hit.id), hit.score?)))
            .collect())
    }
}

/// Runs a search whose best hits are looked at again.
pub(super) async fn run(search: &Search) -> Result<Scanned> {
    let request = &search.request;
    request.check()?;
    let widest = search.rescores.iter().map(|rescore| rescore.window).max();
    let wanted = request.from + request.size;
    let looked = Request {
        from: 0,
        size: wanted.max(widest.unwrap_or(0)),
        ..request.clone()
    };
    let mut found = search.scan(&looked).await?;
    let hits = &mut found.outcome.hits;
    for rescore in &search.rescores {
        let window = rescore.window.min(hits.len());
        let (within, beyond) = hits.split_at_mut(window);
        let scores = match within.is_empty() {
            true => HashMap::new(),
            false => rescore.scores(search, within).await?,
        };
        for hit in within {
            let own = scores.get(&(hit.index, hit.id.clone())).copied();
            hit.score = hit.score.map(|score| rescore.combined(score, own));
        }
        for hit in beyond {
            hit.score = hit.score.map(|score| rescore.combined(score, None));
        }
        // Those that score alike stay in their order.
        hits.sort_by(|a, b| {
            let score = |hit: &Hit| hit.score.unwrap_or(0.0);
            score(b).total_cmp(&score(a))
        });
    }
    found.outcome.max_score = hits.first().and_then(|hit| hit.score);
    hits.drain(..request.from.min(hits.len()));
    hits.truncate(request.size);
    Ok(found)
}
