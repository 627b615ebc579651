//! `saslStart` and `saslContinue`: logging in.

use crate::arguments::Fields;
use crate::call::Call;
use crate::connection::{Awaits, SaslStep};
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{AuthError, FirstMessage, Mechanism, User};
use code::Code;
use engine::TooManyAttempts;
use std::sync::Arc;
use value::{Binary, Document, DocumentRef, Value, ValueRef, doc};

/// MongoDB's code for a second login under the strict API.
const REAUTHENTICATED: Code = Code::location(5_626_703);

/// The one answer to every failed login, so that nobody learns why it failed.
fn failed() -> CommandError {
    CommandError::from(AuthError::Failed)
}

/// Too many have failed to try again at once.
fn too_many_attempts(too_many: &TooManyAttempts) -> CommandError {
    let seconds = too_many.wait.as_secs() + 1;
    let message = format!("Authentication failed: too many logins have failed; try again in {seconds} s.");
    CommandError::new(Code::AUTHENTICATION_FAILED, message)
}

pub(super) async fn start(call: &mut Call<'_>) -> Result<Reply> {
    check_fields(call)?;
    let body = call.request.body.to_document();
    let database = call.database.clone();
    let answer = begin(call, &body, &database, Guess::No)?;
    Ok(Reply {
        body: answer,
        is_secret: true,
        ..Reply::default()
    })
}

/// Refuses fields that no first step has; those that it has are read where it is taken.
fn check_fields(call: &Call<'_>) -> Result<()> {
    let arguments = call.arguments();
    // Whoever has logged in may do what the user may, whatever this says.
    arguments.flag("autoAuthorize")?;
    arguments.ignore(&["mechanism", "payload", "options"]);
    arguments.finish()
}

/// The first step within a hello; no answer where it is of no use: the client then begins anew.
pub(super) fn start_speculatively(call: &mut Call<'_>, start: &Document) -> Option<Document> {
    let database = match start.get("db") {
        Some(Value::String(database)) => database.clone(),
        _ => "admin".to_owned(),
    };
    begin(call, start, &database, Guess::Yes).ok()
}

/// Whether the mechanism of a first step is only guessed: a client takes another one if it gets no answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guess {
    Yes,
    No,
}

fn begin(call: &mut Call<'_>, start: &Document, database: &str, guess: Guess) -> Result<Document> {
    let arguments = Fields::new("saslStart", DocumentRef::Tree(start));
    let mechanism = Mechanism::parse(arguments.required_string("mechanism")?)?;
    let payload = payload(&arguments)?;
    let skips_empty_exchange = match arguments
        .document("options")?
        .and_then(|options| options.get("skipEmptyExchange"))
    {
        Some(ValueRef::Bool(skips)) => skips,
        _ => false,
    };
    let first = FirstMessage::parse(&payload)?;
    let user = call.server.engine.user(database, &first.user);
    let known = user
        .as_ref()
        .and_then(|user| user.credentials_for(mechanism))
        .cloned();
    let is_known = known.is_some();
    // Nobody learns more by this than the hello tells of the user's mechanisms.
    if guess == Guess::Yes && user.is_some() && !is_known {
        return Err(failed());
    }
    let credentials =
        known.unwrap_or_else(|| call.server.decoy.credentials(mechanism, database, &first.user));
    let name = format!("{}@{database}", first.user);
    let (challenge, conversation) = first.challenge(mechanism, credentials)?;
    let id = call.connection.login.next_conversation();
    call.connection.login.conversation = Some(SaslStep {
        id,
        name,
        user: user.filter(|_| is_known),
        awaits: Awaits::Proof(Box::new(conversation)),
        skips_empty_exchange,
    });
    Ok(answer(id, false, &challenge))
}

pub(super) async fn proceed(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let id = match arguments.present("conversationId") {
        Some(ValueRef::Int32(id)) => id,
        Some(other) => return Err(arguments.wrong_type("conversationId", other, "'int'").into()),
        None => return Err(arguments.missing("conversationId").into()),
    };
    let payload = payload(&arguments)?;
    arguments.finish()?;
    let Some(step) = call.connection.login.conversation.take() else {
        return Err(CommandError::new(
            Code::PROTOCOL_ERROR,
            "No SASL session state found",
        ));
    };
    if step.id != id {
        return Err(CommandError::new(
            Code::PROTOCOL_ERROR,
            format!("sasl: Mismatched conversation id; it is {}", step.id),
        ));
    }
    let body = match step.awaits {
        Awaits::Proof(conversation) => {
            let (engine, from) = (&call.server.engine, call.connection.peer);
            let begun = engine.begin_login(&step.name, from).await;
            begun.map_err(|too_many| too_many_attempts(&too_many))?;
            let last = conversation.finish(&payload).ok();
            engine.end_login(&step.name, from, last.is_some() && step.user.is_some());
            let (Some(last), Some(user)) = (last, step.user) else {
                return Err(failed());
            };
            if step.skips_empty_exchange {
                log_in(call, user)?;
            } else {
                let rest = SaslStep {
                    user: Some(user),
                    awaits: Awaits::End,
                    ..step
                };
                call.connection.login.conversation = Some(rest);
            }
            answer(step.id, step.skips_empty_exchange, &last)
        }
        Awaits::End => {
            let Some(user) = step.user.filter(|_| payload.is_empty()) else {
                return Err(failed());
            };
            log_in(call, user)?;
            answer(step.id, true, "")
        }
    };
    Ok(Reply {
        body,
        is_secret: true,
        ..Reply::default()
    })
}

/// Logs in who has shown to be that user. A connection has one user: the same may log in again, unless the client is held to the
/// stable API.
pub(super) fn log_in(call: &mut Call<'_>, user: Arc<User>) -> Result<()> {
    let engine = &call.server.engine;
    let login = &mut call.connection.login;
    login.refresh(engine);
    if let Some(present) = login.user() {
        let is_same = present.name == user.name && present.database == user.database;
        if !is_same {
            return Err(CommandError::new(
                Code::AUTHENTICATION_FAILED,
                "Another user is logged in on this connection already: log out first",
            ));
        }
        if call.generic.is_api_strict() {
            return Err(CommandError::new(
                REAUTHENTICATED,
                "Each client connection may only be authenticated once",
            ));
        }
        tracing::warn!(user = %user.full_name(), "a user has logged in on one connection again");
    }
    login.log_in(user, engine.roles());
    Ok(())
}

fn answer(id: i32, done: bool, payload: &str) -> Document {
    let payload = Binary {
        subtype: 0,
        bytes: payload.as_bytes().to_vec(),
    };
    doc! {"conversationId": id, "done": done, "payload": payload}
}

fn payload(arguments: &Fields<'_>) -> Result<Vec<u8>> {
    match arguments.present("payload") {
        Some(ValueRef::Binary { bytes, .. }) => Ok(bytes.to_vec()),
        Some(ValueRef::String(text)) => Ok(text.as_bytes().to_vec()),
        Some(other) => Err(CommandError::bad_value(format!(
            "Invalid SASLPayload type. Expected Base64 or BinData, got: {}",
            other.type_of().alias()
        ))),
        None => Err(arguments.missing("payload").into()),
    }
}
