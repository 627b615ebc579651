//! A database as a whole: making, dropping, describing it; posting documents (`src/chttpd/src/chttpd_db.erl`).

use super::document;
use crate::call::Call;
use crate::limits::REVISIONS_KEPT_DEFAULT;
use crate::query::Query;
use crate::server::Server;
use crate::{attachments, respond};
use access::config::Config;
use access::database::Database;
use access::error::{CouchError, Result};
use access::{names, security, users};
use engine::{Engine, RevisionedCollection};
use http::{Method, Response, StatusCode};
use json::write_string;
use value::{Document, Value};

/// What CouchDB calls its own engine, the only one that every CouchDB has.
const ENGINE: &str = "couch";

/// `/{db}`.
pub(crate) async fn run(call: &mut Call) -> Result<Response> {
    match call.method {
        Method::PUT => create(call).await,
        Method::DELETE => drop_database(call).await,
        Method::GET | Method::HEAD => info(call).await,
        Method::POST => document::post(call).await,
        _ => Err(CouchError::method_not_allowed("DELETE,GET,HEAD,POST")),
    }
}

async fn create(call: &mut Call) -> Result<Response> {
    let name = call.path[0].clone();
    security::require_server_admin(&call.user)?;
    check_placement(&call.query)?;
    names::check(&name)?;
    let partitioned = match call.query.get("partitioned") {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(CouchError::bad_request("Invalid `partitioned` parameter")),
    };
    if partitioned && names::is_of_system(&name) {
        return Err(CouchError::bad_request("Cannot partition a system database"));
    }
    make(&call.server, &name, partitioned).await?;
    let mut response = respond::ok_true(StatusCode::CREATED);
    respond::location(&mut response, &call.url(&[&name]));
    Ok(response)
}

/// Refuses what can be no number of shards or copies, no place for them and no engine. What can be means nothing here, where a
/// database is one shard in one place.
fn check_placement(query: &Query) -> Result<()> {
    let is_positive = |text: &str| text.parse::<i64>().is_ok_and(|number| number > 0);
    for name in ["n", "q"] {
        if query.get(name).is_some_and(|text| !is_positive(text)) {
            return Err(CouchError::bad_request(format!(
                "The `{name}` value should be a positive integer."
            )));
        }
    }
    let is_rule = |rule: &str| match rule.split(':').collect::<Vec<_>>()[..] {
        [zone, copies] => !zone.is_empty() && is_positive(copies),
        _ => false,
    };
    if query
        .get("placement")
        .is_some_and(|rules| !rules.split(',').all(is_rule))
    {
        return Err(CouchError::bad_request(
            "The `placement` value should be in a format `zone:n`.",
        ));
    }
    match query.get("engine") {
        None | Some(ENGINE) => Ok(()),
        Some(_) => Err(CouchError::bad_request("invalid_engine_extension")),
    }
}

/// Makes a database with what it has from the beginning.
pub(crate) async fn make(server: &Server, name: &str, partitioned: bool) -> Result<()> {
    let (engine, namespace) = (&server.engine, names::namespace(name));
    engine
        .create_revisioned(&namespace, REVISIONS_KEPT_DEFAULT, partitioned)
        .await?;
    match engine.revisioned(&namespace)? {
        Some(collection) => set_up(&server.config, name, &collection).await,
        None => Ok(()),
    }
}

/// Gives a new database what it has from the beginning.
async fn set_up(config: &Config, name: &str, collection: &RevisionedCollection) -> Result<()> {
    let default = config.get("couchdb", "default_security");
    if default.is_some_and(|default| default == "everyone") {
        collection.set_security(Document::new()).await?;
    }
    if name == config.users_database() {
        users::put_design_soon(collection.clone());
    }
    Ok(())
}

async fn drop_database(call: &mut Call) -> Result<Response> {
    if call.query.get("rev").is_some() {
        return Err(CouchError::bad_request(
            "You tried to DELETE a database with a ?=rev parameter. Did you mean to DELETE a document instead?",
        ));
    }
    let name = call.path[0].clone();
    security::require_server_admin(&call.user)?;
    // Refuses what is not there or not seen here.
    let database = call.database()?;
    let engine = &call.server.engine;
    users::end_all(engine, &database).await?;
    let is_dropped = remove(engine, &name).await?;
    if database.is_users {
        users::end_marked(engine, &name).await?;
    }
    match is_dropped {
        true => Ok(respond::ok_true(StatusCode::OK)),
        false => Err(CouchError::no_database()),
    }
}

/// Drops a database with its attachments; false if there is none.
pub(crate) async fn remove(engine: &Engine, name: &str) -> Result<bool> {
    let namespace = names::namespace(name);
    for part in names::attachment_collections(&namespace) {
        engine.drop_collection(&part).await?;
    }
    Ok(engine.drop_collection(&namespace).await?)
}

async fn info(call: &mut Call) -> Result<Response> {
    let database = call.database()?;
    let mut text = String::new();
    write_info(&call.server, &database, &mut text).await?;
    Ok(respond::ok(text))
}

/// Appends what a database is and holds.
pub(crate) async fn write_info(server: &Server, database: &Database, out: &mut String) -> Result<()> {
    let report = database.collection.report().await?;
    out.push_str(r#"{"instance_start_time":"0","db_name":"#);
    write_string(&database.name, out);
    out.push_str(&format!(
        r#","purge_seq":"{}","update_seq":"{}","sizes":{{"file":{},"external":{},"active":{}}},"props":{},"doc_del_count":{},"doc_count":{},"disk_format_version":8,"compact_running":{},"cluster":{{"q":1,"n":1,"w":1,"r":1}}}}"#,
        database.sequences.text(&report.purge_sequence),
        database.sequences.text(&report.head),
        report.storage_bytes,
        report.data_bytes,
        // Documents are stored as they are counted.
        report.data_bytes,
        if database.collection.is_partitioned() {
            r#"{"partitioned":true}"#
        } else {
            "{}"
        },
        report.deleted,
        report.documents,
        server.compactions.is_running(database.collection.uuid()),
    ));
    Ok(())
}

/// `POST /{db}/_ensure_full_commit`.
pub(crate) async fn ensure_full_commit(call: &mut Call) -> Result<Response> {
    if call.method != Method::POST {
        return Err(CouchError::method_not_allowed("POST"));
    }
    call.check_is_json()?;
    call.database()?;
    call.server.engine.flush().await?;
    let text = r#"{"ok":true,"instance_start_time":"0"}"#.to_owned();
    Ok(respond::json(StatusCode::CREATED, text))
}

/// `/{db}/_security`.
pub(crate) async fn security(call: &mut Call) -> Result<Response> {
    let database = call.database()?;
    match call.method {
        Method::GET | Method::HEAD => {
            let Some(object) = database.collection.security() else {
                return Ok(respond::ok(security::DEFAULT.to_owned()));
            };
            let mut text = String::new();
            json::write(Value::from(object).as_ref(), &mut text);
            Ok(respond::ok(text))
        }
        Method::PUT => {
            database.require_admin()?;
            if database.is_users && !call.server.config.is_on("couchdb", "users_db_security_editable") {
                return Err(CouchError::forbidden(
                    "You can't edit the security object of the user database.",
                ));
            }
            let object = call.json_object().await?;
            security::check(&object)?;
            database.collection.set_security(object).await?;
            Ok(respond::ok_true(StatusCode::OK))
        }
        _ => Err(CouchError::method_not_allowed("PUT,GET")),
    }
}

/// `POST /{db}/_compact`, which goes on after the answer.
pub(crate) async fn compact(call: &mut Call) -> Result<Response> {
    let database = maintained(call)?;
    if let Some(mut running) = call.server.compactions.begin(database.collection.uuid()) {
        tokio::spawn(async move {
            compact_once(&database).await;
            while running.goes_on() {
                compact_once(&database).await;
            }
        });
    }
    Ok(respond::ok_true(StatusCode::ACCEPTED))
}

async fn compact_once(database: &Database) {
    let swept = attachments::sweep(database).await;
    let compacted = database.collection.compact().await.map_err(CouchError::from);
    if let Err(error) = swept.map(drop).and(compacted) {
        tracing::warn!(%error, database = database.name, "the compaction failed");
    }
}

/// The database that the path names; only its administrators get here ([`crate::rights`]).
pub(super) fn maintained(call: &Call) -> Result<Database> {
    let database = posted_to(call)?;
    call.check_is_json()?;
    Ok(database)
}

/// The same for requests of which CouchDB wants no type of their bodies.
pub(super) fn posted_to(call: &Call) -> Result<Database> {
    match call.method {
        Method::POST => call.database(),
        _ => Err(CouchError::method_not_allowed("POST")),
    }
}
