//! `_index`: indexes listed, made, removed.

use crate::call::Call;
use crate::mango::design::{self, Design};
use crate::respond;
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids::DESIGN;
use engine::{CollatedDefinition, Sequence};
use http::{Method, Response, StatusCode};
use json::write;
use mango::index::{Index, design_id};
use mango::new_index::{NewIndex, bulk_designs};
use value::{Document, Value, doc};

/// `/{db}/_index…`; `path` is what stands after it.
pub(crate) async fn run(call: &mut Call, path: &[&str]) -> Result<Response> {
    match (path, &call.method) {
        ([], &Method::GET | &Method::HEAD) => list(call).await,
        ([], &Method::POST) => create(call).await,
        ([], _) => Err(CouchError::method_not_allowed("GET,POST")),
        (["_bulk_delete"], &Method::POST) => bulk_delete(call).await,
        (["_bulk_delete"], _) => Err(CouchError::method_not_allowed("POST")),
        (["_design", ddoc, kind, name] | [ddoc, kind, name], &Method::DELETE) => {
            delete(call, &design_id(ddoc), kind, name).await
        }
        (["_design", _, _, _] | [_, _, _], _) => Err(CouchError::method_not_allowed("DELETE")),
        _ => Err(CouchError::missing()),
    }
}

async fn list(call: &mut Call) -> Result<Response> {
    let database = call.database()?;
    let indexes = design::indexes(&database, &database.snapshot().await?).await?;
    let parameter = |name: &str, least: i64| {
        let invalid = || {
            CouchError::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "invalid_list_index_params",
                "Index parameter ranges: limit > 1, skip > 0",
            )
        };
        let number = |text: &str| text.parse::<i64>().ok().filter(|number| *number >= least);
        let given = call.query.get(name);
        given
            .map(|text| number(text).ok_or_else(invalid))
            .transpose()
            .map(|number| number.and_then(|number| usize::try_from(number).ok()))
    };
    let limit = parameter("limit", 1)?.unwrap_or(usize::MAX);
    let skip = parameter("skip", 0)?.unwrap_or(0);
    let shown = indexes.iter().skip(skip).take(limit);
    let body = doc! {
        "total_rows": Value::Int64(i64::try_from(indexes.len()).unwrap_or(i64::MAX)),
        "indexes": shown.map(|index| Value::from(index.to_document())).collect::<Value>(),
    };
    Ok(answer(body))
}

async fn create(call: &mut Call) -> Result<Response> {
    let database = call.database()?;
    call.check_is_json()?;
    let body = call.json_object().await?;
    let new = NewIndex::parse(&body)?;
    if new.is_of_all_fields() && call.server.config.is_on("mango", "index_all_disabled") {
        return Err(CouchError::new(
            StatusCode::FORBIDDEN,
            "index_all_disabled",
            "New text indexes are forbidden to index all fields.",
        ));
    }
    database.require_admin()?;
    let unnamed = new.hashed_name();
    let ddoc = design_id(new.ddoc.as_deref().unwrap_or(&unnamed));
    let name = new.name.as_deref().unwrap_or(&unnamed);
    if ddoc == DESIGN {
        return Err(CouchError::illegal_docid("Illegal document id `_design/`"));
    }
    let mut design = Design::load(&database.snapshot().await?, ddoc.clone()).await?;
    let is_new = design.put(name, new.member(), new.partitioned)?;
    if is_new {
        let built_ahead = design.is_built_ahead() && new.is_json();
        design.save(&database).await?;
        if built_ahead {
            build(&database, &ddoc, name);
        }
    }
    Ok(answer(doc! {
        "result": if is_new { "created" } else { "exists" },
        "id": ddoc,
        "name": name,
    }))
}

/// Builds an index in the background, so that the first query need not wait for it.
fn build(database: &Database, ddoc: &str, name: &str) {
    let (database, ddoc, name) = (database.clone(), ddoc.to_owned(), name.to_owned());
    tokio::spawn(async move {
        // The first query tries it again, and is told what is wrong.
        if let Err(error) = build_named(&database, &ddoc, &name).await {
            tracing::warn!(%error, "an index could not be built ahead");
        }
    });
}

async fn build_named(database: &Database, ddoc: &str, name: &str) -> Result<()> {
    let indexes = design::indexes(database, &database.snapshot().await?).await?;
    let made = indexes.iter().find(|index| index.key() == (Some(ddoc), name));
    if let Some(definition) = made
        .map(design::definition)
        .filter(|made| !made.fields.is_empty())
    {
        database.collection.collated_index(&definition).await?;
    }
    Ok(())
}

async fn delete(call: &mut Call, ddoc: &str, kind: &str, name: &str) -> Result<Response> {
    let database = call.database()?;
    database.require_admin()?;
    let is_meant = |index: &Index| kind == index.kind() && index.key() == (Some(ddoc), name);
    match remove(&database, ddoc, is_meant).await? {
        true => Ok(respond::ok_true(StatusCode::OK)),
        false => Err(CouchError::missing()),
    }
}

async fn bulk_delete(call: &mut Call) -> Result<Response> {
    let database = call.database()?;
    call.check_is_json()?;
    let body = call.json_object().await?;
    let designs = bulk_designs(&body)?;
    database.require_admin()?;
    let (mut success, mut fail) = (Vec::new(), Vec::new());
    for ddoc in designs {
        let id = design_id(&ddoc);
        match remove(&database, &id, |index| index.ddoc.as_deref() == Some(&id)).await {
            Ok(true) => success.push(Value::from(doc! {"id": id, "ok": true})),
            Ok(false) => fail.push(Value::from(doc! {"id": id, "error": "not_found"})),
            Err(error) => fail.push(Value::from(doc! {"id": id, "error": error.error.into_owned()})),
        }
    }
    // CouchDB tells the last first.
    success.reverse();
    fail.reverse();
    Ok(answer(
        doc! {"success": Value::Array(success), "fail": Value::Array(fail)},
    ))
}

/// Takes those indexes of a design document out of it; false where there is none.
async fn remove(database: &Database, ddoc: &str, is_meant: impl Fn(&Index) -> bool) -> Result<bool> {
    let snapshot = database.snapshot().await?;
    let (meant, kept): (Vec<Index>, Vec<Index>) = design::indexes(database, &snapshot)
        .await?
        .into_iter()
        .partition(is_meant);
    if meant.is_empty() {
        return Ok(false);
    }
    let mut design = Design::load(&snapshot, ddoc.to_owned()).await?;
    for index in &meant {
        design.remove(index);
    }
    design.save(database).await?;
    let kept = kept.iter().filter(|index| index.text.is_none());
    let kept: Vec<CollatedDefinition> = kept.map(design::definition).collect();
    database.collection.retain_collated(&kept).await?;
    Ok(true)
}

/// `/{db}/_design/{name}/_info` of a design document of indexes, which are never behind their documents.
pub(crate) fn design_info(database: &Database, name: &str) -> Result<Response> {
    let changes = database.collection.head().changes_since(&Sequence::START);
    Ok(answer(doc! {
        "name": name,
        "view_index": {
            "updates_pending": {"minimum": 0, "preferred": 0, "total": 0},
            "waiting_commit": false,
            "waiting_clients": 0,
            "updater_running": false,
            "update_seq": i64::try_from(changes).unwrap_or(i64::MAX),
            "sizes": {"file": 0, "external": 0, "active": 0},
            "signature": name,
            "purge_seq": 0,
            "language": "query",
            "compact_running": false,
        },
    }))
}

fn answer(body: Document) -> Response {
    let mut text = String::new();
    write(Value::from(body).as_ref(), &mut text);
    respond::ok(text)
}
