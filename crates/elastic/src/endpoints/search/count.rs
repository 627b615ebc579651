//! `_count`.

use super::parameters::query_of;
use super::{expensive, opened, skipped};
use crate::lookups;
use http::Method;
use indices::error::{ElasticError, Result};
use indices::scan;
use rest::call::Call;
use rest::failed::all_shards;
use rest::resolve::Options;
use rest::respond::{Answer, ok};
use search::Request;
use serde_json::{Map, Value, json};
use std::pin::pin;

pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let options = Options::OPEN.taken(&mut call.parameters)?;
    let mut body = call.object()?;
    if let Some(other) = body.keys().find(|name| *name != "query") {
        return Err(ElasticError::parsing(format!(
            "request does not support [{other}]"
        )));
    }
    lookups::fill(call, expression, &mut body).await?;
    let (mut request, _) = Request::parse(&body)?;
    if let Some(query) = query_of(&mut call.parameters)? {
        request.query = Some(query);
    }
    request.size = 0;
    request.track_total_hits = Some(u64::MAX);
    request.terminate_after = call
        .parameters
        .integer("terminate_after")?
        .map(|most| u64::try_from(most).map_err(|_| ElasticError::illegal("terminateAfter must be > 0")))
        .transpose()?
        .filter(|most| *most > 0);
    request.min_score = call.parameters.number("min_score", "float")?;
    call.parameters
        .end_without(&["preference", "routing", "ignore_throttled"])?;
    let indices = opened(call, expression, options, &mut request)?;
    let show = |_: &search::Hit, _: &[search::SortKey], _: &Map<String, Value>| Ok(Value::Null);
    let places = scan::places(&indices).await?;
    let counted = async {
        expensive::check(call, &request, &places).await?;
        scan::run(&request, false, &places, None, &call.held, &show).await
    };
    let counted = call.read(pin!(counted)).await;
    let index = places.first().map(|place| &place.index);
    let outcome = counted.map_err(|error| all_shards(error, index))?.outcome;
    let count = skipped::shards(&places);
    Ok(ok(json!({
        "count": outcome.total,
        "_shards": {"total": count, "successful": count, "skipped": 0, "failed": 0},
    })))
}
