//! `_knn_search`: the nearest documents alone, as the first releases of Elasticsearch 8 ask for them.

use super::parameters::AskedSearch;
use super::perform;
use ::search::Knn;
use http::Method;
use indices::error::{ElasticError, Result};
use rest::call::Call;
use rest::resolve::Options;
use rest::respond::{Answer, ok};
use serde_json::{Map, Value, json};

/// What is said of how hits are shown.
const SHOWN: [&str; 4] = ["_source", "fields", "docvalue_fields", "stored_fields"];

/// `/{index}/_knn_search`.
pub(crate) async fn search(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    call.parameters.end_without(&["routing"])?;
    let asked = AskedSearch::of(as_search(call.object()?)?);
    Ok(ok(perform(call, expression, Options::OPEN, asked).await?))
}

/// The search that finds all candidates and shows as many of them as are wanted.
fn as_search(mut body: Map<String, Value>) -> Result<Map<String, Value>> {
    let missing = || ElasticError::illegal("missing required [knn] section in search body");
    let mut knn = body.shift_remove("knn").ok_or_else(missing)?;
    // What they must be is checked with the others: as a section of a search, all of whose candidates are hits.
    Knn::parse_all(&knn)?;
    let required = |name: &str| {
        let reason = format!("Required [{name}]");
        knn.get(name)
            .cloned()
            .ok_or_else(|| ElasticError::parsing(reason))
    };
    let (count, candidates) = (required("k")?, required("num_candidates")?);
    knn["k"] = candidates;
    if let Some(filter) = body.shift_remove("filter") {
        knn["filter"] = filter;
    }
    let mut search = Map::new();
    search.insert("query".to_owned(), json!({"knn": knn}));
    search.insert("size".to_owned(), count);
    search.insert("track_total_hits".to_owned(), json!(true));
    for (name, value) in body {
        if !SHOWN.contains(&name.as_str()) {
            return Err(ElasticError::parsing(format!(
                "[knn-search] unknown field [{name}]"
            )));
        }
        search.insert(name, value);
    }
    Ok(search)
}
