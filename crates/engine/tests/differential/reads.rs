//! Finds, counts, distinct values and pipelines by every plan.

use crate::generate::operations::Find;
use crate::model::keys::{ParallelArrays, compare_keys, sort_key};
use crate::model::order::compare;
use crate::model::path::reach;
use crate::model::{id, matching};
use crate::shown::{all_shown, any_order, by_value, shown};
use crate::stand::{Plan, Stand, WITHOUT_INDEXES};
use code::Code;
use engine::{
    AggregateRequest, AggregateSource, CountRequest, CursorReply, DistinctRequest, Error, FindRequest,
};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use value::{Document, DocumentBuf, Value, doc};

/// The documents that a plan finds for a filter.
fn wanted<'d>(stand: &'d Stand, filter: &Document, plan: &Plan) -> Vec<&'d Document> {
    let documents = stand.documents.iter();
    documents
        .filter(|document| plan.reaches(document) && matching::matches(filter, document))
        .collect()
}

pub async fn find(stand: &Stand, find: &Find, plan: &Plan) -> Result<(), String> {
    let wanted = wanted(stand, &find.filter, plan);
    let keys: Result<Vec<_>, ParallelArrays> = wanted
        .iter()
        .map(|document| sort_key(document, &find.sort))
        .collect();
    let found = match (found(stand, find, plan, &find.projection).await, keys) {
        (Err(error), _) if plan.may_refuse(&error) => return Ok(()),
        (Err(error), Err(ParallelArrays)) if error.code == Code::BAD_VALUE => return Ok(()),
        // What is found by its `_id` is one document, which MongoDB does not sort either (`isIdHackEligibleQuery`).
        (Ok(found), Err(ParallelArrays)) if is_by_id(find, plan) => {
            let projected = projected(stand, &wanted, &find.projection).await?;
            return expect(&any_order(&found), &any_order(&projected));
        }
        (Ok(found), Err(ParallelArrays)) => {
            return Err(format!("parallel arrays were sorted: {:?}", all_shown(&found)));
        }
        (Err(error), _) => return Err(error.to_string()),
        (Ok(found), Ok(_)) => found,
    };
    if find.projection.is_empty() {
        return check_found(&found, &wanted, find);
    }
    let projected = projected(stand, &wanted, &find.projection).await?;
    expect(&any_order(&found), &any_order(&projected))
}

/// Whether the document of one `_id` is asked for, and no index is named for it.
fn is_by_id(find: &Find, plan: &Plan) -> bool {
    find.skip == 0 && is_written_by_id(&find.filter, plan)
}

/// The field of a document that has one only.
fn only(document: &Document) -> Option<(&str, &Value)> {
    let mut fields = document.iter();
    fields.next().filter(|_| fields.next().is_none())
}

/// Whether a filter is one `_id` and nothing else, and the plan is free to look there.
pub fn is_written_by_id(filter: &Document, plan: &Plan) -> bool {
    let is_chosen = matches!(plan, Plan::Chosen | Plan::Remembered);
    let id = match only(filter) {
        Some(("_id", Value::Document(operators))) => match only(operators) {
            Some(("$eq", id)) => id,
            _ => return false,
        },
        Some(("_id", id)) => id,
        _ => return false,
    };
    is_chosen && !matches!(id, Value::Document(_) | Value::Array(_) | Value::Regex(_))
}

/// What the projection makes of these documents, by a plan that reads them whole.
async fn projected(
    stand: &Stand,
    documents: &[&Document],
    projection: &Document,
) -> Result<Vec<Document>, String> {
    let ids: Value = documents
        .iter()
        .map(|document| Value::Int32(id(document)))
        .collect();
    let find = Find {
        filter: doc! {"_id": {"$in": ids}},
        batch_size: 1000,
        ..Find::default()
    };
    let found = found(stand, &find, &Plan::Natural(1), projection).await;
    found.map_err(|error| error.to_string())
}

async fn found(
    stand: &Stand,
    find: &Find,
    plan: &Plan,
    projection: &Document,
) -> Result<Vec<Document>, Error> {
    let request = FindRequest {
        filter: find.filter.clone(),
        sort: find.sort.clone(),
        projection: projection.clone(),
        skip: find.skip,
        limit: find.limit,
        batch_size: Some(find.batch_size),
        hint: plan.hint(),
        ..FindRequest::default()
    };
    let reply = stand
        .engine
        .find(&stand.context, &stand.namespace, &request)
        .await?;
    all_batches(stand, reply, find.batch_size).await
}

async fn all_batches(stand: &Stand, mut reply: CursorReply, batch_size: u64) -> Result<Vec<Document>, Error> {
    let mut found: Vec<Document> = Vec::new();
    loop {
        found.extend(reply.batch.iter().map(DocumentBuf::to_document));
        if reply.id == 0 {
            return Ok(found);
        }
        let more = stand
            .engine
            .get_more(&stand.context, reply.id, &stand.namespace, Some(batch_size), None);
        reply = more.await?;
    }
}

/// Whether whole documents are those wanted, in their order, between skip and limit.
fn check_found(found: &[Document], wanted: &[&Document], find: &Find) -> Result<(), String> {
    let fail = |why: &str| {
        let all: Vec<Document> = wanted.iter().map(|document| (*document).clone()).collect();
        Err(format!(
            "{why}: {:#?} of {:#?}",
            all_shown(found),
            all_shown(&all)
        ))
    };
    let mut met = BTreeSet::new();
    for document in found {
        if !met.insert(id(document)) {
            return fail("a document comes twice");
        }
        let meant = wanted.iter().find(|wanted| id(wanted) == id(document));
        if meant.is_none_or(|meant| shown(meant) != shown(document)) {
            return fail("a document does not match");
        }
    }
    let rest = (wanted.len() as u64).saturating_sub(find.skip);
    if found.len() as u64 != rest.min(find.limit.unwrap_or(u64::MAX)) {
        return fail("documents are missing");
    }
    let key = |document: &Document| sort_key(document, &find.sort).expect("no parallel arrays");
    let mut keys: Vec<Vec<Value>> = wanted.iter().map(|document| key(document)).collect();
    keys.sort_by(|a, b| compare_keys(a, b, &find.sort));
    let mut pairs = keys.iter().skip(find.skip as usize).zip(found);
    if pairs.any(|(wanted, found)| compare_keys(wanted, &key(found), &find.sort).is_ne()) {
        return fail("the order is wrong");
    }
    Ok(())
}

pub async fn count(stand: &Stand, find: &Find, plan: &Plan) -> Result<(), String> {
    let wanted = wanted(stand, &find.filter, plan).len() as u64;
    let wanted = wanted
        .saturating_sub(find.skip)
        .min(find.limit.unwrap_or(u64::MAX));
    let request = CountRequest {
        filter: find.filter.clone(),
        skip: find.skip,
        limit: find.limit,
        hint: plan.hint(),
        ..CountRequest::default()
    };
    let counted = stand.engine.count(&stand.context, &stand.namespace, &request);
    match counted.await {
        Err(error) if plan.may_refuse(&error) => Ok(()),
        Err(error) => Err(error.to_string()),
        Ok(counted) => expect(&counted, &wanted),
    }
}

pub async fn distinct(stand: &Stand, field: &str, filter: &Document, plan: &Plan) -> Result<(), String> {
    let mut wanted_values: Vec<Value> = Vec::new();
    for document in wanted(stand, filter, plan) {
        for value in reach(document, field).iter().filter_map(|reached| reached.value) {
            match value {
                Value::Array(elements) => wanted_values.extend(elements.iter().cloned()),
                value => wanted_values.push(value.clone()),
            }
        }
    }
    wanted_values.sort_by(compare);
    wanted_values.dedup_by(|a, b| compare(a, b).is_eq());
    let request = DistinctRequest {
        field: field.to_owned(),
        filter: filter.clone(),
        hint: plan.hint(),
        ..DistinctRequest::default()
    };
    let values = stand.engine.distinct(&stand.context, &stand.namespace, &request);
    match values.await {
        Err(error) if plan.may_refuse(&error) => Ok(()),
        Err(error) => Err(error.to_string()),
        Ok(mut values) => {
            values.sort_by(compare);
            let same = |(a, b): (&Value, &Value)| compare(a, b) == Ordering::Equal;
            if values.len() == wanted_values.len() && values.iter().zip(&wanted_values).all(same) {
                return Ok(());
            }
            Err(format!("found {values:?}, wanted {wanted_values:?}"))
        }
    }
}

/// The results of a pipeline with a stage between any two that lets everything through, but over which no stage moves,
/// and with joins that find no index.
pub async fn stage_by_stage(
    stand: &Stand,
    filter: &Document,
    stages: &[Value],
) -> Result<Vec<Document>, Error> {
    let apart = whole(filter, stages).into_iter().flat_map(|stage| {
        [
            without_indexes(stage),
            Value::Document(doc! {"$redact": "$$KEEP"}),
        ]
    });
    aggregate(stand, apart.collect(), &Plan::Natural(1)).await
}

/// A pipeline against its results stage by stage.
pub async fn pipeline(
    stand: &Stand,
    filter: &Document,
    stages: &[Value],
    apart: &Result<Vec<Document>, Error>,
    plan: &Plan,
) -> Result<(), String> {
    if wanted(stand, filter, plan).len() != wanted(stand, filter, &Plan::Natural(1)).len() {
        return Ok(());
    }
    match (aggregate(stand, whole(filter, stages), plan).await, apart) {
        (Err(error), _) if plan.may_refuse(&error) => Ok(()),
        (Err(a), Err(b)) => expect(&a.code, &b.code),
        (Ok(run), Ok(apart)) => expect(&by_value(&run), &by_value(apart)),
        (run, apart) => Err(format!("as a whole {run:?}, stage by stage {apart:?}")),
    }
}

fn whole(filter: &Document, stages: &[Value]) -> Vec<Value> {
    let first = Value::Document(doc! {"$match": (filter.clone())});
    std::iter::once(first).chain(stages.iter().cloned()).collect()
}

/// A stage that joins by the collection that has no index.
fn without_indexes(mut stage: Value) -> Value {
    if let Value::Document(stage) = &mut stage
        && let Some(Value::Document(lookup)) = stage.get_mut("$lookup")
    {
        lookup.set("from", WITHOUT_INDEXES);
    }
    stage
}

async fn aggregate(stand: &Stand, pipeline: Vec<Value>, plan: &Plan) -> Result<Vec<Document>, Error> {
    let request = AggregateRequest {
        pipeline,
        hint: plan.hint(),
        batch_size: Some(3),
        ..AggregateRequest::default()
    };
    let source = AggregateSource::Collection(stand.namespace.clone());
    let reply = stand.engine.aggregate(&stand.context, &source, &request).await?;
    all_batches(stand, reply, 3).await
}

pub fn expect<T: PartialEq + std::fmt::Debug>(found: &T, wanted: &T) -> Result<(), String> {
    if found == wanted {
        return Ok(());
    }
    Err(format!("found {found:#?}, wanted {wanted:#?}"))
}
