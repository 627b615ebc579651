//! Updates, deletes and findAndModify by every plan, each on a collection of its own.

use crate::generate::operations::{Operation, Reach, Write};
use crate::model::keys::{ParallelArrays, compare_keys, sort_key};
use crate::model::update::updated;
use crate::model::{id, matching};
use crate::reads::{expect, is_written_by_id};
use crate::shown::{all_shown, shown};
use crate::stand::{Plan, Stand};
use code::Code;
use engine::{DeleteStatement, Error, FindAndModifyRequest, UpdateStatement, WriteFailure, WriteOptions};
use value::{Document, DocumentBuf, Value};

/// What a write said that it did.
struct Told {
    matched: u64,
    /// What findAndModify gives: the document as it was.
    document: Option<Document>,
}

pub async fn write(stand: &Stand, write: &Write, plan: &Plan) -> Result<(), String> {
    // What is refused on one document may have been done to others before; all cannot be replaced.
    if (matches!(write.reach, Reach::All) && write.replaces()) || stand.after(write).is_none() {
        return Ok(());
    }
    let matched: Vec<&Document> = stand
        .documents
        .iter()
        .filter(|document| plan.reaches(document) && matching::matches(&write.filter, document))
        .collect();
    let copy = stand.copy(&Operation::Write(write.clone())).await?;
    let told = match run(&copy, write, plan).await {
        Err(error) if plan.may_refuse(&error) => return Ok(()),
        Err(error) if error.code == Code::BAD_VALUE && has_parallel_arrays(&matched, write) => return Ok(()),
        Err(error) => return Err(error.to_string()),
        Ok(told) => told,
    };
    let contents = copy.contents().await?;
    match &write.reach {
        Reach::All => check_all(stand, &matched, write, &contents)?,
        Reach::One => check_one(stand, &matched, write, &contents, told.document.as_ref())?,
        Reach::First(sort) => {
            let firsts = match firsts(&matched, sort) {
                Ok(firsts) => firsts,
                Err(ParallelArrays) if is_written_by_id(&write.filter, plan) => matched.clone(),
                Err(ParallelArrays) => return Err("parallel arrays were sorted".to_owned()),
            };
            check_one(stand, &firsts, write, &contents, told.document.as_ref())?;
        }
    }
    let all = matches!(write.reach, Reach::All);
    let count = matched.len().min(if all { usize::MAX } else { 1 });
    expect(&told.matched, &(count as u64))?;
    copy.check_indexes().await
}

fn has_parallel_arrays(matched: &[&Document], write: &Write) -> bool {
    match &write.reach {
        Reach::First(sort) => matched.iter().any(|document| sort_key(document, sort).is_err()),
        Reach::All | Reach::One => false,
    }
}

/// Those of which none comes before another.
fn firsts<'d>(matched: &[&'d Document], sort: &Document) -> Result<Vec<&'d Document>, ParallelArrays> {
    let keyed: Vec<_> = matched
        .iter()
        .map(|document| Ok((*document, sort_key(document, sort)?)))
        .collect::<Result<_, _>>()?;
    let least = keyed.iter().min_by(|(_, a), (_, b)| compare_keys(a, b, sort));
    let is_first = |key| least.is_some_and(|(_, least)| compare_keys(key, least, sort).is_eq());
    let firsts = keyed.iter().filter(|(_, key)| is_first(key));
    Ok(firsts.map(|(document, _)| *document).collect())
}

fn after(write: &Write, document: &Document) -> Option<Document> {
    write
        .update
        .as_ref()
        .map(|update| updated(document, update).expect("the update is possible"))
}

fn check_all(
    stand: &Stand,
    matched: &[&Document],
    write: &Write,
    contents: &[Document],
) -> Result<(), String> {
    let change = |document: &Document| {
        let meant = matched.iter().any(|matched| id(matched) == id(document));
        if meant {
            after(write, document)
        } else {
            Some(document.clone())
        }
    };
    let wanted: Vec<Document> = stand.documents.iter().filter_map(change).collect();
    expect(&all_shown(contents), &all_shown(&wanted))
}

/// Whether one of these documents, and no other, is as the write leaves it.
fn check_one(
    stand: &Stand,
    candidates: &[&Document],
    write: &Write,
    contents: &[Document],
    told: Option<&Document>,
) -> Result<(), String> {
    let outcome = |chosen: Option<&Document>| -> Vec<String> {
        let change = |document: &Document| match chosen {
            Some(chosen) if id(chosen) == id(document) => after(write, document),
            _ => Some(document.clone()),
        };
        let all: Vec<Document> = stand.documents.iter().filter_map(change).collect();
        all_shown(&all)
    };
    let found = all_shown(contents);
    let fits = match candidates {
        [] => found == outcome(None),
        several => several.iter().any(|chosen| {
            let is_told = told.is_none_or(|told| shown(told) == shown(chosen));
            is_told && found == outcome(Some(chosen))
        }),
    };
    if fits {
        return Ok(());
    }
    let all: Vec<Document> = candidates.iter().map(|document| (*document).clone()).collect();
    Err(format!(
        "none of {:#?} was changed alone: {found:#?}, told {told:?}",
        all_shown(&all)
    ))
}

async fn run(stand: &Stand, write: &Write, plan: &Plan) -> Result<Told, Error> {
    match (&write.reach, &write.update) {
        (Reach::First(sort), update) => find_and_modify(stand, write, sort, update.as_ref(), plan).await,
        (reach, Some(update)) => update_some(stand, write, reach, update, plan).await,
        (reach, None) => delete(stand, write, reach, plan).await,
    }
}

async fn find_and_modify(
    stand: &Stand,
    write: &Write,
    sort: &Document,
    update: Option<&Document>,
    plan: &Plan,
) -> Result<Told, Error> {
    let request = FindAndModifyRequest {
        filter: write.filter.clone(),
        sort: sort.clone(),
        update: update.cloned().map(Value::Document),
        hint: plan.hint(),
        ..FindAndModifyRequest::default()
    };
    let options = WriteOptions::default();
    let reply = stand
        .engine
        .find_and_modify(&stand.context, &stand.namespace, request, &options);
    let reply = reply.await?;
    Ok(Told {
        matched: u64::from(reply.existed),
        document: reply.document.as_ref().map(DocumentBuf::to_document),
    })
}

async fn update_some(
    stand: &Stand,
    write: &Write,
    reach: &Reach,
    update: &Document,
    plan: &Plan,
) -> Result<Told, Error> {
    let statement = UpdateStatement {
        filter: write.filter.clone(),
        update: Some(Value::Document(update.clone())),
        multi: matches!(reach, Reach::All),
        hint: plan.hint(),
        ..UpdateStatement::default()
    };
    let options = WriteOptions::default();
    let reply = stand
        .engine
        .update(&stand.context, &stand.namespace, vec![statement], &options);
    let reply = reply.await?;
    told(reply.matched, reply.failures)
}

async fn delete(stand: &Stand, write: &Write, reach: &Reach, plan: &Plan) -> Result<Told, Error> {
    let statement = DeleteStatement {
        filter: write.filter.clone(),
        only_first: !matches!(reach, Reach::All),
        hint: plan.hint(),
        ..DeleteStatement::default()
    };
    let options = WriteOptions::default();
    let reply = stand
        .engine
        .delete(&stand.context, &stand.namespace, vec![statement], &options);
    let reply = reply.await?;
    told(reply.deleted, reply.failures)
}

fn told(matched: u64, failures: Vec<WriteFailure>) -> Result<Told, Error> {
    match failures.into_iter().next() {
        Some(failure) => Err(failure.error),
        None => Ok(Told {
            matched,
            document: None,
        }),
    }
}
