//! `authenticate`: logging in by the certificate that the client has shown (MONGODB-X509).

use super::sasl;
use crate::arguments::Fields;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::EXTERNAL;
use code::Code;
use value::{Document, DocumentRef, doc};

const MECHANISM: &str = "MONGODB-X509";

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    arguments.ignore(&["mechanism", "user"]);
    arguments.finish()?;
    let body = call.request.body.to_document();
    let database = call.database.clone();
    Ok(log_in(call, &body, &database)?.into())
}

/// The same within a hello; no answer where it is of no use.
pub(super) fn run_speculatively(call: &mut Call<'_>, start: &Document) -> Option<Document> {
    let database = Fields::new("authenticate", DocumentRef::Tree(start));
    let database = database
        .string("db")
        .ok()
        .flatten()
        .unwrap_or_default()
        .to_owned();
    log_in(call, start, &database).ok()
}

fn log_in(call: &mut Call<'_>, body: &Document, database: &str) -> Result<Document> {
    let arguments = Fields::new("authenticate", DocumentRef::Tree(body));
    let mechanism = arguments.required_string("mechanism")?;
    if mechanism != MECHANISM {
        return Err(CommandError::new(
            Code::AUTHENTICATION_FAILED,
            format!("authenticate is for {MECHANISM} alone, not for {mechanism}; passwords go by saslStart"),
        ));
    }
    let wanted = arguments.string("user")?.filter(|user| !user.is_empty());
    let refused = |message: String| CommandError::new(Code::AUTHENTICATION_FAILED, message);
    let Some(subject) = call.connection.certified.clone() else {
        return Err(refused(
            "The client has shown no certificate that could be verified.".into(),
        ));
    };
    if database != EXTERNAL {
        return Err(CommandError::new(
            Code::PROTOCOL_ERROR,
            "X.509 authentication must always use the $external database.",
        ));
    }
    if wanted.is_some_and(|user| user != subject) {
        return Err(refused(
            "There is no x.509 client certificate matching the user.".into(),
        ));
    }
    let user = call.server.engine.user(EXTERNAL, &subject).ok_or_else(|| {
        CommandError::new(
            Code::USER_NOT_FOUND,
            format!("Could not find user \"{subject}\" for db \"{EXTERNAL}\""),
        )
    })?;
    sasl::log_in(call, user)?;
    Ok(doc! {"dbname": EXTERNAL, "user": subject})
}
