//! `hello` and its older names: what the server is, and what it can do.

use super::roles::NameForm;
use super::{authenticate, sasl};
use crate::arguments::{Arguments, Fields};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::{Compressor, DOCUMENT_BYTES_MAX, MESSAGE_BYTES_MAX, Reply};
use auth::Mechanism;
use code::Code;
use value::date::now_ms;
use value::{Document, DocumentRef, ObjectId, Value, ValueRef, doc};

/// MongoDB 8.0: the newest protocol of which all is answered.
const WIRE_VERSION_MAX: i32 = 25;
const WIRE_VERSION_MIN: i32 = 0;
const METADATA_BYTES_MAX: usize = 512;
const APPLICATION_NAME_BYTES_MAX: usize = 128;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    check_awaited(call, &arguments)?;
    check_unused(&arguments)?;
    let knows_hello = arguments.flag("helloOk")?.is_some();
    let client = arguments.document("client")?;
    let compression: Option<Vec<_>> = arguments
        .strings("compression")?
        .map(|names| names.into_iter().map(str::to_owned).collect());
    let mechanisms_of = user_named(&arguments)?;
    let speculative = arguments
        .document("speculativeAuthenticate")?
        .map(DocumentRef::to_document);
    let metadata = client
        .map(|client| check_metadata(&call.connection.metadata, client))
        .transpose()?;
    if let Some(metadata) = metadata {
        call.connection.metadata = Some(metadata);
    }
    let compressors = negotiate(call, compression);
    let mut reply = describe(call, &compressors);
    if knows_hello {
        reply.push("helloOk", true);
    }
    if let Some((user, database)) = mechanisms_of {
        reply.push("saslSupportedMechs", supported_mechanisms(call, &database, &user));
    }
    if let Some(start) = speculative
        && let Some(answer) = log_in_speculatively(call, &start)
    {
        reply.push("speculativeAuthenticate", answer);
    }
    Ok(Reply {
        body: reply,
        is_secret: true,
        ..Reply::default()
    })
}

/// Checks the types of what has no meaning here.
fn check_unused(arguments: &Arguments<'_>) -> Result<()> {
    for name in ["forShell", "hangUpOnStepDown"] {
        arguments.flag(name)?;
    }
    arguments.bool("loadBalanced")?;
    arguments.string("hostInfo")?;
    Ok(())
}

/// The user whose mechanisms are asked for, and the database of that user: `database.user`, or `{user, db}`.
fn user_named(arguments: &Arguments<'_>) -> Result<Option<(String, String)>> {
    let name = "saslSupportedMechs";
    match arguments.present(name) {
        None => Ok(None),
        Some(ValueRef::Document(user)) => NameForm::USER.parse(user).map(Some),
        Some(ValueRef::String(user)) => {
            let (database, user) = user.split_once('.').ok_or_else(|| {
                CommandError::bad_value("username must contain a '.' separated database.user pair")
            })?;
            Ok(Some((user.to_owned(), database.to_owned())))
        }
        Some(other) => Err(arguments.wrong_type(name, other, "'[string, object]'").into()),
    }
}

/// The first step of a login that comes with the hello.
fn log_in_speculatively(call: &mut Call<'_>, start: &Document) -> Option<Document> {
    match start.contains("authenticate") {
        true => authenticate::run_speculatively(call, start),
        false => sasl::start_speculatively(call, start),
    }
}

/// What a monitor knows, and how long it wants to wait for something else: both, or neither.
fn check_awaited(call: &Call<'_>, arguments: &Arguments<'_>) -> Result<()> {
    let known = arguments
        .document("topologyVersion")?
        .map(parse_version)
        .transpose()?;
    let wait = arguments.count("maxAwaitTimeMS")?;
    let refuse = |code, message: &str| Err(CommandError::new(Code::location(code), message));
    match (known, wait) {
        (None, None) => Ok(()),
        (Some(_), None) => refuse(
            31_368,
            "A request with a 'topologyVersion' must include 'maxAwaitTimeMS'",
        ),
        (None, Some(_)) => refuse(
            31_368,
            "A request with 'maxAwaitTimeMS' must include a 'topologyVersion'",
        ),
        (Some((_, ..0)), Some(_)) => refuse(31_372, "topologyVersion must have a non-negative counter"),
        (Some((process, counter)), Some(_)) => {
            let present = call.server.topology.version();
            let is_ours = present.get("processId") == Some(&Value::ObjectId(process));
            match is_ours && present.get("counter") != Some(&Value::Int64(counter)) {
                true => refuse(
                    51_764,
                    "Received a topology version with a counter that is not the server's",
                ),
                false => Ok(()),
            }
        }
    }
}

/// The process and the counter of a version of the topology.
fn parse_version(version: DocumentRef<'_>) -> Result<(ObjectId, i64)> {
    let fields = Fields::new("hello.topologyVersion", version);
    let process = match fields.present("processId") {
        None => None,
        Some(ValueRef::ObjectId(process)) => Some(process),
        Some(other) => return Err(fields.wrong_type("processId", other, "'objectId'").into()),
    };
    let counter = match fields.present("counter") {
        None => None,
        Some(ValueRef::Int64(counter)) => Some(counter),
        Some(other) => return Err(fields.wrong_type("counter", other, "'long'").into()),
    };
    fields.finish()?;
    let counter = counter.ok_or_else(|| fields.missing("counter"))?;
    let process = process.ok_or_else(|| fields.missing("processId"))?;
    Ok((process, counter))
}

fn describe(call: &Call<'_>, compressors: &[Compressor]) -> Document {
    let primary = if call.called == "hello" {
        "isWritablePrimary"
    } else {
        "ismaster"
    };
    let mut reply = doc! {
        (primary): true,
        "msg": "isdbgrid",
        "maxBsonObjectSize": DOCUMENT_BYTES_MAX as i32,
        "maxMessageSizeBytes": MESSAGE_BYTES_MAX as i32,
        "maxWriteBatchSize": engine::limits::WRITE_BATCH_MAX as i32,
        "localTime": Value::DateTime(now_ms()),
        "logicalSessionTimeoutMinutes": engine::limits::SESSION_IDLE_MINUTES_MAX as i32,
        "connectionId": call.connection.id,
        "maxWireVersion": WIRE_VERSION_MAX,
        "minWireVersion": WIRE_VERSION_MIN,
        "topologyVersion": call.server.topology.version().clone(),
    };
    if !compressors.is_empty() {
        let names: Value = compressors
            .iter()
            .map(|compressor| Value::from(compressor.name()))
            .collect();
        reply.push("compression", names);
    }
    reply
}

/// Keeps the ways to compress that both sides know.
fn negotiate(call: &mut Call<'_>, offered: Option<Vec<String>>) -> Vec<Compressor> {
    let Some(offered) = offered else { return Vec::new() };
    let common: Vec<_> = Compressor::NEGOTIABLE
        .into_iter()
        .filter(|known| offered.iter().any(|name| name == known.name()))
        .collect();
    call.connection.compressors.clone_from(&common);
    common
}

fn check_metadata(present: &Option<Document>, client: DocumentRef<'_>) -> Result<Document> {
    if present.is_some() {
        return Err(CommandError::new(
            Code::CLIENT_METADATA_CANNOT_BE_MUTATED,
            "The client metadata document may only be sent in the first hello",
        ));
    }
    let client = client.to_document();
    let bytes = value::raw::encode_document(&client).len();
    if bytes > METADATA_BYTES_MAX {
        let message =
            format!("The client metadata document must be less then or equal to {METADATA_BYTES_MAX}bytes");
        return Err(CommandError::new(
            Code::CLIENT_METADATA_DOCUMENT_TOO_LARGE,
            message,
        ));
    }
    let arguments = Fields::new("client", DocumentRef::Tree(&client));
    if let Some(application) = metadata_part(&arguments, "application")?
        && let Some(name) = metadata_text("application", application, "name")?
        && name.len() > APPLICATION_NAME_BYTES_MAX
    {
        let message = format!(
            "The 'client.application.name' field must be less then or equal to {APPLICATION_NAME_BYTES_MAX} bytes"
        );
        return Err(CommandError::new(
            Code::CLIENT_METADATA_APP_NAME_TOO_LARGE,
            message,
        ));
    }
    let required: [(&'static str, &[&str]); 2] = [("driver", &["name", "version"]), ("os", &["type"])];
    for (name, fields) in required {
        let missing = |what: String| {
            let message = format!("Missing required {what} in the client metadata document");
            CommandError::new(Code::CLIENT_METADATA_MISSING_FIELD, message)
        };
        let part =
            metadata_part(&arguments, name)?.ok_or_else(|| missing(format!("sub-document '{name}'")))?;
        for field in fields {
            metadata_text(name, part, field)?.ok_or_else(|| missing(format!("field '{name}.{field}'")))?;
        }
    }
    Ok(client)
}

/// A part of what a client says of itself; any value of another type than a document is refused.
fn metadata_part<'a>(client: &Fields<'a>, name: &'static str) -> Result<Option<DocumentRef<'a>>> {
    match client.any(name) {
        None => Ok(None),
        Some(ValueRef::Document(part)) => Ok(Some(part)),
        Some(_) => Err(CommandError::type_mismatch(format!(
            "The '{name}' field is required to be a BSON document in the client metadata document"
        ))),
    }
}

fn metadata_text<'a>(part: &str, fields: DocumentRef<'a>, name: &str) -> Result<Option<&'a str>> {
    match fields.get(name) {
        None => Ok(None),
        Some(ValueRef::String(text)) => Ok(Some(text)),
        Some(_) => Err(CommandError::type_mismatch(format!(
            "The '{part}.{name}' field must be a string in the client metadata document"
        ))),
    }
}

/// The mechanisms that a user has credentials for. Of one who does not exist both are told, so that nobody learns who does.
fn supported_mechanisms(call: &Call<'_>, database: &str, user: &str) -> Value {
    let user = call.server.engine.user(database, user);
    let has = |mechanism: &Mechanism| {
        user.as_ref()
            .is_none_or(|user| user.credentials_for(*mechanism).is_some())
    };
    Mechanism::ALL
        .into_iter()
        .filter(has)
        .map(|mechanism| Value::from(mechanism.name()))
        .collect()
}
