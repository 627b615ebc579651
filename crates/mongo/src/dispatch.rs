//! From a request to its reply: which command, whether it may run, what it runs under.

use crate::access::Access;
use crate::arguments::{self, Generic};
use crate::call::Call;
use crate::commands::{self, Command};
use crate::connection::Connection;
use crate::decoding;
use crate::error::{CommandError, Result};
use crate::failpoint::Effect;
use crate::profile;
use crate::read_level::{self, Reading};
use crate::server::Server;
use crate::wire::{Message, Reply, ReplyForm, Request};
use code::Code;
use engine::{Context, Namespace, OperationInfo, Origin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use value::{Timestamp, Value, ValueRef};

/// What comes of a message.
pub(crate) enum Outcome {
    /// An answer.
    Reply(Reply),
    /// The connection is closed without one.
    Close,
}

/// Errors after which a driver may send a retryable write again.
const RETRYABLE_CODES: [Code; 13] = [
    Code::HOST_UNREACHABLE,
    Code::HOST_NOT_FOUND,
    Code::NETWORK_TIMEOUT,
    Code::SHUTDOWN_IN_PROGRESS,
    Code::READ_CONCERN_MAJORITY_NOT_AVAILABLE_YET,
    Code::PRIMARY_STEPPED_DOWN,
    Code::EXCEEDED_TIME_LIMIT,
    Code::SOCKET_EXCEPTION,
    Code::NOT_WRITABLE_PRIMARY,
    Code::INTERRUPTED_AT_SHUTDOWN,
    Code::INTERRUPTED_DUE_TO_REPL_STATE_CHANGE,
    Code::NOT_PRIMARY_NO_SECONDARY_OK,
    Code::NOT_PRIMARY_OR_SECONDARY,
];

/// Runs the command of a message.
pub(crate) async fn run(server: &Arc<Server>, connection: &mut Connection, message: &Message) -> Outcome {
    let request = &message.request;
    let name = request.body.as_raw().iter().next().map_or("", |(name, _)| name);
    let effect = if server.options.test_commands {
        let application = connection.application().or_else(|| application_of(request));
        server.fail_points.strike(name, application)
    } else {
        None
    };
    if let Some(block) = effect.as_ref().and_then(|effect| effect.block) {
        tokio::time::sleep(block).await;
    }
    if effect.as_ref().is_some_and(|effect| effect.closes) {
        return Outcome::Close;
    }
    let result = match effect.as_ref().and_then(|effect| effect.error.clone()) {
        Some(error) => Err(error),
        None => run_named(server, connection, message, name).await,
    };
    let mut reply = match result {
        Ok(reply) => reply,
        Err(error) => {
            server.counters.errors.fetch_add(1, Ordering::Relaxed);
            Reply::from(error.to_reply())
        }
    };
    if !reply.body.contains("ok") {
        reply.body.push("ok", 1.0);
    }
    label(&mut reply, request, effect);
    if request.body.as_raw().get("lsid").is_some() {
        server.clock.stamp(&mut reply.body);
    }
    Outcome::Reply(reply)
}

/// The application that a handshake names, which is known of its connection only after it.
fn application_of(request: &Request) -> Option<&str> {
    let client = request.body.as_raw().get("client")?.as_document()?;
    client.get("application")?.as_document()?.get("name")?.as_str()
}

async fn run_named(
    server: &Arc<Server>,
    connection: &mut Connection,
    message: &Message,
    name: &str,
) -> Result<Reply> {
    let request = &message.request;
    let (command, called) = commands::find(name)
        .filter(|(command, _)| !command.is_for_tests || server.options.test_commands)
        .ok_or_else(|| CommandError::new(Code::COMMAND_NOT_FOUND, format!("no such command: '{name}'")))?;
    if message.form == ReplyForm::Reply && !command.is_hello {
        let message = format!(
            "Unsupported OP_QUERY command: {name}. The client driver may require an upgrade. For more details see \
             https://dochub.mongodb.org/core/legacy-opcode-removal"
        );
        return Err(CommandError::new(Code::UNSUPPORTED_OP_QUERY_COMMAND, message));
    }
    let database = database(message)?;
    let collection = collection_name(request);
    access(command, request).check(&server.engine, connection, called, &database, collection)?;
    let generic = Generic::parse(called, request)?;
    if let Some(time) = passed_on(request) {
        server.clock.advance(time);
    }
    check_generic(command, called, &generic)?;
    if generic.is_api_strict() {
        commands::check_stable_api(command, request)?;
    }
    let mut context = context(server, command, connection, &generic);
    context.session = match generic.session {
        Some(named) => Some(connection.login.named_session(&server.engine, named, &[])?),
        None => None,
    };
    context.comment = request
        .body
        .as_ref()
        .get("comment")
        .map(|comment| Arc::new(comment.to_value()));
    context.memory = server.engine.memory().clone();
    context.command_bytes = decoding::expected_bytes(command.name, request);
    let reading = read_level::begin(server, &generic, &mut context).await?;
    let _listed = list(server, connection, command, called, &database, request, &context);
    count(server, command, request);
    if let Some(session) = context.session {
        server.engine.touch_session(session)?;
    }
    let mut call = Call {
        server,
        connection,
        request,
        called,
        database,
        generic,
        context,
    };
    carry_out(command, &mut call, reading).await
}

/// Runs a command that has passed all checks, and records it for the profiler where that is on.
async fn carry_out(command: &Command, call: &mut Call<'_>, reading: Reading) -> Result<Reply> {
    let (server, request) = (call.server, call.request);
    let started = Instant::now();
    let _decoded = decoding::room(command.name, request, &call.context).await?;
    let interruption = call.context.interruption();
    // The time limit of a getMore says how long it waits for data, not when it fails.
    if call.context.is_late && command.name != "getMore" {
        interruption.check()?;
    }
    let result = interruption.run((command.run)(call)).await;
    let elapsed = started
        .elapsed()
        .saturating_sub(call.context.metrics.time_waited());
    if is_profiled(server, command, &call.database, elapsed) {
        let namespace = operated_on(command, &call.database, request);
        profile::record(call, namespace, elapsed, &result).await;
    }
    let mut reply = result?;
    reading.finish(server, &mut reply).await?;
    Ok(reply)
}

/// `$db`; commands in an OP_QUERY are of database `admin` whatever they say, since they are all hellos.
fn database(message: &Message) -> Result<String> {
    if message.form == ReplyForm::Reply {
        return Ok("admin".to_owned());
    }
    let database = match message.request.body.as_raw().get("$db") {
        Some(ValueRef::String(database)) => database,
        Some(other) => return Err(arguments::wrong_type("$db", other.type_of(), "'string'").into()),
        None => {
            return Err(CommandError::new(
                Code::location(40_571),
                "OP_MSG requests require a $db argument",
            ));
        }
    };
    if !Namespace::is_database_name(database) && database != "$external" {
        return Err(CommandError::invalid_namespace(format!(
            "Invalid database name: '{database}'"
        )));
    }
    Ok(database.to_owned())
}

/// The cluster time that a driver passes on.
fn passed_on(request: &Request) -> Option<Timestamp> {
    let passed = request.body.as_raw().get("$clusterTime")?.as_document()?;
    match passed.get("clusterTime") {
        Some(ValueRef::Timestamp(time)) => Some(time),
        _ => None,
    }
}

/// The collection that the command names first, or nothing.
fn collection_name(request: &Request) -> &str {
    match request.body.as_raw().iter().next() {
        Some((_, ValueRef::String(name))) => name,
        _ => "",
    }
}

/// What a command asks of its caller before it is run. Which collection a UUID means is known only then.
fn access(command: &Command, request: &Request) -> Access {
    match request.body.as_raw().iter().next() {
        Some((_, ValueRef::Binary { subtype: 4, .. })) if command.takes_uuid => Access::LoggedIn,
        _ => command.access,
    }
}

fn check_generic(command: &Command, called: &str, generic: &Generic) -> Result<()> {
    if generic.in_transaction {
        // Drivers take IllegalOperation for a server without retryable writes, and advise `retryWrites=false`.
        return Err(CommandError::new(
            Code::OPERATION_NOT_SUPPORTED_IN_TRANSACTION,
            "Multi-document transactions are not supported yet",
        ));
    }
    if generic.transaction_number.is_some() && !command.is_retryable {
        let message = format!(
            "txnNumber is for multi-document transactions and retryable writes, and {called} without 'autocommit: false' is \
             neither"
        );
        return Err(CommandError::new(Code::NOT_A_RETRYABLE_WRITE_COMMAND, message));
    }
    if generic.is_api_strict() && !command.is_stable {
        let message = format!("Provided apiStrict:true, but the command {called} is not in API Version 1");
        return Err(CommandError::new(Code::API_STRICT_ERROR, message));
    }
    if let Some(read_concern) = &generic.read_concern {
        command.check_read_concern(called, read_concern)?;
    }
    if generic.write_concern.is_some() && !command.takes_write_concern {
        let message = format!("Command {called} does not support writeConcern");
        return Err(CommandError::invalid_options(message));
    }
    Ok(())
}

fn context(server: &Server, command: &Command, connection: &Connection, generic: &Generic) -> Context {
    let default_limit = command.reads.then_some(server.options.read_time_max);
    let limit = generic.time_limit.or(default_limit);
    let limit = limit.filter(|limit| !limit.is_zero());
    // What a cursor's limit leaves is known only later.
    let may_be_late = limit.is_some() || command.name == "getMore";
    let is_late = may_be_late && server.options.test_commands && server.fail_points.times_out();
    let login = &connection.login;
    let mut context = Context::default().late(is_late).within(limit);
    context.retry_number = generic.transaction_number;
    context.api = generic.api;
    context.refuses_full_scans = server.refuse_full_scans.load(Ordering::Relaxed);
    context.user = login.full_name().cloned();
    context.user_roles = login.held_roles().cloned();
    context.client = connection.client.clone();
    context.origin = Some(Origin {
        connection: connection.id,
        address: connection.peer.ip(),
    });
    context
}

/// Lists the operation for `currentOp`.
fn list(
    server: &Server,
    connection: &mut Connection,
    command: &Command,
    called: &str,
    database: &str,
    request: &Request,
    context: &Context,
) -> Option<engine::OperationGuard> {
    if command.is_hello {
        return None;
    }
    connection.shown_user.clone_from(&context.user);
    Some(server.engine.register_operation(OperationInfo {
        id: 0,
        command: called.to_owned(),
        namespace: operated_on(command, database, request),
        body: request.body.clone(),
        connection: connection.id,
        client: connection.peer,
        started: Instant::now(),
        context: context.clone(),
    }))
}

/// Whether the profiler may want to know of a command. Those that only set it, or say hello, are none of its operations.
fn is_profiled(server: &Server, command: &Command, database: &str, elapsed: Duration) -> bool {
    !command.is_hello && command.name != "profile" && server.engine.may_profile(database, elapsed)
}

/// The collection that a command is about, where it names one.
fn operated_on(command: &Command, database: &str, request: &Request) -> Option<Namespace> {
    if !command.is_on_collection {
        return None;
    }
    let name = match (command.name, request.body.as_raw().get("collection")) {
        ("getMore", Some(ValueRef::String(name))) => name,
        _ => collection_name(request),
    };
    let (database, collection) = match command.name {
        "dataSize" | "renameCollection" => name.split_once('.')?,
        _ => (database, name),
    };
    (!collection.is_empty()).then(|| Namespace::new(database, collection))
}

/// Counts an operation; each document and statement of a write is one.
fn count(server: &Server, command: &Command, request: &Request) {
    let counters = &server.counters;
    let (counter, number) = match command.name {
        "insert" => (&counters.inserts, listed(request, "documents")),
        "find" => (&counters.queries, 1),
        "update" => (&counters.updates, listed(request, "updates")),
        "findAndModify" => (&counters.updates, 1),
        "delete" => (&counters.deletes, listed(request, "deletes")),
        "getMore" => (&counters.get_mores, 1),
        _ => (&counters.commands, 1),
    };
    counter.fetch_add(number as u64, Ordering::Relaxed);
}

/// The number of documents in an array of a request, or beside it.
fn listed(request: &Request, name: &str) -> usize {
    if let Some(sequence) = request.sequences.iter().find(|sequence| sequence.name == name) {
        return sequence.documents.len();
    }
    match request.body.as_raw().get(name) {
        Some(ValueRef::Array(array)) => array.iter().count(),
        _ => 0,
    }
}

/// Adds what drivers decide by: error labels, and what a fail point says.
fn label(reply: &mut Reply, request: &Request, effect: Option<Effect>) {
    let (labels, write_concern_error) = effect
        .map(|effect| (effect.labels, effect.write_concern_error))
        .unwrap_or_default();
    let mut code = match reply.body.get("code") {
        Some(Value::Int32(number)) => Some(Code::from_number(*number)),
        _ => None,
    };
    if let Some(error) = write_concern_error {
        if let Some(Value::Int32(given)) = error.get("code") {
            code = Some(Code::from_number(*given));
        }
        reply.body.push("writeConcernError", error);
    }
    let is_retryable_write = request.body.as_raw().get("txnNumber").is_some();
    let labels = labels.or_else(|| {
        let retryable = code.is_some_and(|code| RETRYABLE_CODES.contains(&code));
        (is_retryable_write && retryable).then(|| vec![Value::from("RetryableWriteError")])
    });
    if let Some(labels) = labels
        && code.is_some()
        && !labels.is_empty()
    {
        reply.body.push("errorLabels", Value::Array(labels));
    }
}
