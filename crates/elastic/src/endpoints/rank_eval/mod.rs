//! `_rank_eval`: how good the hits of searches are, by what somebody thinks of each document.

mod metric;

use super::search::multi::check_search_type;
use super::search::{AskedSearch, perform};
use super::stored_scripts::source_text;
use http::Method;
use indices::error::{ElasticError, Result};
use metric::Metric;
use mustache::Template;
use rest::call::Call;
use rest::resolve::Options;
use rest::respond::{Answer, ok};
use search::Members;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The searches of one evaluation at most.
const REQUESTS_MAX: usize = 1000;

/// `/{index}/_rank_eval`.
pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let options = Options::OPEN.taken(&mut call.parameters)?;
    if let Some(name) = call.parameters.take("search_type") {
        check_search_type(&name)?;
    }
    call.parameters.end()?;
    let body = call.required_object()?;
    let (metric, requests) = parse(&body)?;
    let (mut details, mut failures, mut sum) = (Map::new(), Map::new(), 0.0);
    for request in requests {
        match request.evaluated(call, expression, options, metric).await {
            Ok((score, told)) => {
                call.held.add_shown(&told)?;
                sum += score;
                details.insert(request.id, told);
            }
            // What cannot be read is refused whole.
            Err(error) if error.kind == "parsing_exception" => return Err(error),
            Err(error) => {
                failures.insert(request.id, json!({"error": error.to_answer()["error"]}));
            }
        }
    }
    let mean = match details.len() {
        0 => json!("NaN"),
        count => json!(sum / count as f64),
    };
    Ok(ok(
        json!({"metric_score": mean, "details": details, "failures": failures}),
    ))
}

/// A search, and what somebody thinks of documents that it may find.
struct Rated {
    id: String,
    body: Map<String, Value>,
    /// The ratings of documents, by their indices and ids.
    ratings: HashMap<(String, String), i64>,
    summary: Vec<Value>,
}

/// The metric of a request, and the searches.
fn parse(body: &Map<String, Value>) -> Result<(Metric, Vec<Rated>)> {
    let mut members = Members::of_content("rank_eval", body);
    let missing = |name: &str| ElasticError::illegal(format!("Required [{name}]"));
    let metric = Metric::parse(members.take("metric").ok_or_else(|| missing("metric"))?)?;
    let requests = members.take("requests").ok_or_else(|| missing("requests"))?;
    let templates = templates(members.take("templates"))?;
    if members
        .integer("max_concurrent_searches")?
        .is_some_and(|most| most < 1)
    {
        return Err(ElasticError::illegal("Must be positive"));
    }
    members.end()?;
    let requests = requests.as_array().map(Vec::as_slice).unwrap_or_default();
    if requests.is_empty() {
        return Err(ElasticError::illegal(
            "Cannot evaluate ranking if no search requests with rated results are provided. Seen: []",
        ));
    }
    if requests.len() > REQUESTS_MAX {
        return Err(ElasticError::illegal(format!(
            "[_rank_eval] takes at most {REQUESTS_MAX} requests"
        )));
    }
    let requests = requests.iter().map(|request| Rated::parse(request, &templates));
    Ok((metric, requests.collect::<Result<_>>()?))
}

/// The sources of templates by their ids.
fn templates(given: Option<&Value>) -> Result<HashMap<String, String>> {
    let mut found = HashMap::new();
    for one in given.and_then(Value::as_array).into_iter().flatten() {
        let source = one.get("template").and_then(|template| template.get("source"));
        match (one.get("id").and_then(Value::as_str), source) {
            (Some(id), Some(source)) => {
                found.insert(id.to_owned(), source_text(source));
            }
            _ => {
                return Err(ElasticError::parsing(
                    "[templates] must have an [id] and a [template] with its [source]",
                ));
            }
        }
    }
    Ok(found)
}

impl Rated {
    fn parse(given: &Value, templates: &HashMap<String, String>) -> Result<Rated> {
        let object = given.as_object();
        let wrong = || ElasticError::parsing("[requests] must be objects");
        let mut members = Members::of_content("request", object.ok_or_else(wrong)?);
        let missing = |name: &str| ElasticError::illegal(format!("Required [{name}]"));
        let id = members.text("id")?.ok_or_else(|| missing("id"))?;
        let ratings = ratings(&id, members.take("ratings").ok_or_else(|| missing("ratings"))?)?;
        let summary = members.take("summary_fields").and_then(Value::as_array).cloned();
        let template = members.text("template_id")?;
        let body = body_of(
            members.take("request"),
            template,
            members.take("params"),
            templates,
        )?;
        members.end()?;
        check_body(&body)?;
        Ok(Rated {
            id,
            body,
            ratings,
            summary: summary.unwrap_or_default(),
        })
    }

    /// How good what the search finds is, and what it finds.
    async fn evaluated(
        &self,
        call: &Call,
        expression: &str,
        options: Options,
        metric: Metric,
    ) -> Result<(f64, Value)> {
        let mut body = self.body.clone();
        body.insert("size".to_owned(), json!(metric.hits));
        let source = match self.summary.is_empty() {
            true => json!(false),
            false => json!(self.summary),
        };
        body.insert("_source".to_owned(), source);
        let answer = Box::pin(perform(call, expression, options, AskedSearch::of(body))).await?;
        let hits = answer["hits"]["hits"].as_array().cloned().unwrap_or_default();
        let key = |hit: &Value| {
            let text = |name: &str| hit[name].as_str().unwrap_or_default().to_owned();
            (text("_index"), text("_id"))
        };
        let ratings: Vec<Option<i64>> = hits
            .iter()
            .map(|hit| self.ratings.get(&key(hit)).copied())
            .collect();
        let all: Vec<i64> = self.ratings.values().copied().collect();
        let measured = metric.measure(&ratings, &all);
        let unrated = hits.iter().zip(&ratings).filter(|(_, rating)| rating.is_none());
        let unrated: Vec<Value> = unrated
            .map(|(hit, _)| json!({"_index": hit["_index"], "_id": hit["_id"]}))
            .collect();
        let shown = hits.iter().zip(&ratings);
        let shown: Vec<Value> = shown
            .map(|(hit, rating)| json!({"hit": hit, "rating": rating}))
            .collect();
        let told = json!({
            "metric_score": measured.score, "unrated_docs": unrated, "hits": shown, "metric_details": measured.details,
        });
        Ok((measured.score, told))
    }
}

/// The search itself, or what a template makes of it.
fn body_of(
    request: Option<&Value>,
    template: Option<String>,
    params: Option<&Value>,
    templates: &HashMap<String, String>,
) -> Result<Map<String, Value>> {
    let has_params = params
        .and_then(Value::as_object)
        .is_some_and(|params| !params.is_empty());
    let text = match (request, template) {
        (Some(_), Some(_)) => {
            return Err(ElasticError::illegal(
                "Ambiguous rated request: Set both, verbatim test request and test request template parameters.",
            ));
        }
        (Some(Value::Object(request)), None) if !has_params => return Ok(request.clone()),
        (None, _) if !has_params => {
            return Err(ElasticError::illegal(
                "Need to set at least test request or test request template parameters.",
            ));
        }
        (None, None) => {
            return Err(ElasticError::illegal(
                "If template parameters are supplied need to set id of template to apply them to too.",
            ));
        }
        (Some(_), None) => {
            return Err(ElasticError::illegal(
                "Ambiguous rated request: Set both, verbatim test request and test request template parameters.",
            ));
        }
        (None, Some(id)) => {
            let missing = || ElasticError::illegal(format!("there is no template [{id}]"));
            let source = templates.get(&id).ok_or_else(missing)?;
            Template::parse(source)?.render(params.unwrap_or(&Value::Null))?
        }
    };
    match serde_json::from_str(&text)? {
        Value::Object(body) => Ok(body),
        _ => Err(ElasticError::parsing("the template becomes no JSON object")),
    }
}

/// Refuses what says nothing of how good hits are.
fn check_body(body: &Map<String, Value>) -> Result<()> {
    const REFUSED: [(&str, &str); 6] = [
        ("suggest", "contain a suggest section"),
        ("aggs", "contain aggregations"),
        ("aggregations", "contain aggregations"),
        ("highlight", "contain a highlighter section"),
        ("explain", "use explain"),
        ("profile", "use profile"),
    ];
    match REFUSED.iter().find(|(name, _)| body.contains_key(*name)) {
        None => Ok(()),
        Some((_, what)) => Err(ElasticError::illegal(format!(
            "Query in rated requests should not {what}."
        ))),
    }
}

fn ratings(request: &str, given: &Value) -> Result<HashMap<(String, String), i64>> {
    let mut found = HashMap::new();
    for one in given.as_array().into_iter().flatten() {
        let wrong = || ElasticError::parsing("[rated_document] must be an object");
        let mut members = Members::of_content("rated_document", one.as_object().ok_or_else(wrong)?);
        let missing = |name: &str| ElasticError::illegal(format!("Required [{name}]"));
        let index = members.text("_index")?.ok_or_else(|| missing("_index"))?;
        let id = members.text("_id")?.ok_or_else(|| missing("_id"))?;
        let rating = members.integer("rating")?.ok_or_else(|| missing("rating"))?;
        members.end()?;
        if found.insert((index.clone(), id.clone()), rating).is_some() {
            return Err(ElasticError::illegal(format!(
                "Found duplicate rated document key [{{\"_index\":\"{index}\",\"_id\":\"{id}\"}}] in evaluation request [{request}]"
            )));
        }
    }
    Ok(found)
}
