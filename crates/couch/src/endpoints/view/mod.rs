//! Views of design documents (`src/chttpd/src/chttpd_view.erl`).

mod answer;
mod info;
mod parameters;

pub(crate) use info::{clean_up, compact, design_info, tasks};
pub(crate) use parameters::ViewParameters;

use crate::call::Call;
use crate::design::Design;
use crate::stream::{self, Output};
use crate::{reduce_limit, respond, row_limit};
use access::database::Database;
use access::error::{CouchError, Result};
use answer::Asked;
use engine::Order;
use http::{Method, Response, StatusCode, if_none_match};
use std::sync::Arc;
use view::{Group, Update};

/// `/{db}/_design/{name}/_view/{view}`.
pub(crate) async fn run(call: &mut Call, name: &str, view: &str) -> Result<Response> {
    let database = call.database()?;
    let parameters = match call.method {
        Method::GET | Method::HEAD => ViewParameters::of_query(&call.query)?,
        Method::POST => {
            call.check_is_json()?;
            let body = call.json_map().await?;
            if body.contains_key("queries") {
                return Err(CouchError::bad_request(
                    "The `queries` parameter is no longer supported at this endpoint",
                ));
            }
            ViewParameters::of_body(&body)?.with_query(&call.query)?
        }
        _ => return Err(CouchError::method_not_allowed("GET,POST,HEAD")),
    };
    let design = call.server.designs.named(&database, name).await?;
    let asked = asked(call, &database, &design, view, parameters).await?;
    let tag = asked.entity_tag();
    if call.method != Method::POST && if_none_match(&call.headers, &tag) {
        return Ok(respond::not_modified(&tag));
    }
    let mut response = stream::respond_with(&call.operation, |mut output| async move {
        let written = asked.write(&mut output).await;
        (output, written)
    })
    .await?;
    respond::tag(&mut response, &tag);
    Ok(response)
}

/// `/{db}/_design/{name}/_view/{view}/queries`: several in one.
pub(crate) async fn queries(call: &mut Call, name: &str, view: &str) -> Result<Response> {
    if call.method != Method::POST {
        return Err(CouchError::method_not_allowed("POST"));
    }
    let database = call.database()?;
    call.check_is_json()?;
    let body = call.json_map().await?;
    let design = call.server.designs.named(&database, name).await?;
    let common = ViewParameters::of_query(&call.query)?;
    let queries = common.of_queries(&body)?;
    let mut all = Vec::with_capacity(queries.len());
    for parameters in queries {
        all.push(asked(call, &database, &design, view, parameters).await?);
    }
    stream::respond_with(&call.operation, |mut output| async move {
        let written = write_all(all, &mut output).await;
        (output, written)
    })
    .await
}

async fn write_all(all: Vec<Asked>, output: &mut Output) -> Result<()> {
    let count = all.len();
    for (before, asked) in all.into_iter().enumerate() {
        output.begin_result(before);
        asked.write(output).await?;
    }
    output.end_results(count);
    Ok(())
}

/// Brings the rows up to date as the query wants, and finds those that it asks for.
async fn asked(
    call: &Call,
    database: &Database,
    design: &Design,
    view: &str,
    parameters: ViewParameters,
) -> Result<Asked> {
    let designs = &call.server.designs;
    designs
        .views()
        .limit_reductions(reduce_limit::of(&call.server.config));
    let group: Arc<Group> = designs.group(database, design).await?;
    let mut query = parameters.query.clone();
    // Groups are told in the order of the keys whichever way their rows are read (`src/fabric/src/fabric_view.erl`, `reduce_take`).
    let has_reducer = matches!(group.definition().view(view), Some((_, Some(_))));
    let is_reduced = has_reducer && query.reduce != Some(false);
    if let (Order::Backward, false, Some(keys)) = (query.order, is_reduced, &mut query.keys) {
        keys.reverse();
    }
    let is_partitioned = group.definition().partitioned;
    query.limit = row_limit::apply(&call.server.config, is_partitioned, query.limit)?;
    let head = database.collection.head();
    group.check(view, &query)?;
    let (signature, answer) = match query.update {
        Update::Before => {
            group.update(head.clone()).await?;
            (
                group.definition().signature.clone(),
                group.query(view, query).await?,
            )
        }
        Update::No | Update::After => {
            let serving = designs.views().standing_in(group.clone(), view).await?;
            let is_after = query.update == Update::After;
            let answer = serving.query(view, query).await?;
            // Only now, so that the answer is of the moment before.
            if is_after {
                group.update_in_background();
            }
            (serving.definition().signature.clone(), answer)
        }
    };
    Ok(Asked {
        database: database.clone(),
        signature,
        head,
        parameters,
        answer,
    })
}

/// `/{db}/_temp_view`.
pub(crate) fn temporary() -> Result<Response> {
    Err(CouchError::new(
        StatusCode::GONE,
        "gone",
        "Temporary views are not supported in CouchDB",
    ))
}
