//! The arguments that every command takes.

use super::concern::{ReadConcern, WriteConcern};
use super::session::NamedSession;
use super::{Arguments, Fields, preference};
use crate::error::{CommandError, Result};
use crate::wire::Request;
use code::Code;
use engine::StableApi;
use std::time::Duration;
use value::{DocumentRef, ValueRef};

/// The names of the arguments that every command takes.
const NAMES: [&str; 24] = [
    "$db",
    "$readPreference",
    "$clusterTime",
    "$audit",
    "$client",
    "$configServerState",
    "$configTime",
    "$topologyTime",
    "$queryOptions",
    "$oplogQueryData",
    "$replData",
    "$traceCtx",
    "apiVersion",
    "apiStrict",
    "apiDeprecationErrors",
    "autocommit",
    "comment",
    "lsid",
    "maxTimeMS",
    "readConcern",
    "startTransaction",
    "txnNumber",
    "writeConcern",
    "rawData",
];

/// Whether every command takes an argument of this name.
pub fn is_generic(name: &str) -> bool {
    NAMES.contains(&name)
}

/// The arguments that every command takes, read.
#[derive(Clone, Debug, Default)]
pub struct Generic {
    /// The session.
    pub session: Option<NamedSession>,
    /// The retryable write's, or the transaction's, number.
    pub transaction_number: Option<i64>,
    /// Whether the command begins or belongs to a multi-document transaction.
    pub in_transaction: bool,
    /// The write concern, where it was given.
    pub write_concern: Option<WriteConcern>,
    /// The read concern, where it was given.
    pub read_concern: Option<ReadConcern>,
    /// The time limit; zero stands for none.
    pub time_limit: Option<Duration>,
    /// The parameters of the stable API.
    pub api: StableApi,
}

impl Generic {
    /// Reads them out of a request.
    pub fn parse(command: &'static str, request: &Request) -> Result<Generic> {
        let arguments = Arguments::new(command, request);
        let autocommit = arguments.bool("autocommit")?;
        let starts = arguments.bool("startTransaction")?;
        let generic = Generic {
            session: arguments
                .strict_document("lsid")?
                .map(parse_session)
                .transpose()?,
            transaction_number: transaction_number(&arguments)?,
            in_transaction: autocommit == Some(false) || starts == Some(true),
            write_concern: arguments
                .document("writeConcern")?
                .map(WriteConcern::parse)
                .transpose()?,
            read_concern: arguments
                .document("readConcern")?
                .map(ReadConcern::parse)
                .transpose()?,
            time_limit: time_limit(&arguments, "maxTimeMS")?,
            api: stable_api(&arguments)?,
        };
        preference::check(&arguments)?;
        generic.check(autocommit, starts)?;
        Ok(generic)
    }

    /// Whether only what the stable API has is allowed.
    pub fn is_api_strict(&self) -> bool {
        self.api.strict == Some(true)
    }

    fn check(&self, autocommit: Option<bool>, starts: Option<bool>) -> Result<()> {
        if self.session.is_some_and(|session| session.is_internal) && !self.in_transaction {
            return Err(CommandError::invalid_options(
                "Internal sessions are not supported outside of transactions",
            ));
        }
        if self.session.is_none() && self.transaction_number.is_some() {
            return Err(CommandError::invalid_options(
                "Transaction number requires a session ID to also be specified",
            ));
        }
        if self.transaction_number.is_none() {
            if autocommit.is_some() {
                return Err(CommandError::invalid_options(
                    "'autocommit' field requires a transaction number to also be specified",
                ));
            }
            if starts.is_some() {
                return Err(CommandError::invalid_options(
                    "'startTransaction' field requires a transaction number to also be specified",
                ));
            }
        }
        if autocommit == Some(true) {
            return Err(CommandError::invalid_options(
                "Specifying autocommit=true is not allowed.",
            ));
        }
        if starts == Some(false) {
            return Err(CommandError::invalid_options(
                "Specifying startTransaction=false is not allowed.",
            ));
        }
        if starts.is_some() && autocommit.is_none() {
            return Err(CommandError::invalid_options(
                "'startTransaction' field requires autocommit=false to also be specified",
            ));
        }
        Ok(())
    }
}

fn parse_session(document: DocumentRef<'_>) -> Result<NamedSession> {
    NamedSession::parse(&Fields::new("OperationSessionInfo.lsid", document))
}

fn transaction_number(arguments: &Arguments<'_>) -> Result<Option<i64>> {
    match arguments.present("txnNumber") {
        None => Ok(None),
        Some(ValueRef::Int64(number)) if number >= 0 => Ok(Some(number)),
        Some(ValueRef::Int64(_)) => Err(CommandError::invalid_options(
            "Transaction number cannot be negative",
        )),
        Some(other) => Err(arguments.wrong_type("txnNumber", other, "'long'").into()),
    }
}

/// A limit in whole milliseconds.
pub(crate) fn time_limit(arguments: &Arguments<'_>, name: &'static str) -> Result<Option<Duration>> {
    let Some(number) = arguments.number(name)? else {
        return Ok(None);
    };
    if number.to_i64().is_none() {
        return Err(CommandError::failed_to_parse(format!(
            "Expected an integer: {name}: {}",
            number.to_f64()
        )));
    }
    let milliseconds = arguments.integer_within(name, 0..=i64::from(i32::MAX))?;
    Ok(milliseconds.map(|milliseconds| Duration::from_millis(milliseconds.unsigned_abs())))
}

fn stable_api(arguments: &Arguments<'_>) -> Result<StableApi> {
    let version = arguments.string("apiVersion")?;
    let strict = arguments.bool("apiStrict")?;
    let deprecation = arguments.bool("apiDeprecationErrors")?;
    match version {
        Some("1") => Ok(StableApi {
            is_named: true,
            strict,
            deprecation_errors: deprecation,
        }),
        Some(_) => Err(CommandError::new(
            Code::API_VERSION_ERROR,
            "API version must be \"1\"",
        )),
        None if strict.is_some() || deprecation.is_some() => Err(CommandError::new(
            Code::location(4_886_600),
            "Provided apiStrict and/or apiDeprecationErrors without passing apiVersion",
        )),
        None => Ok(StableApi::default()),
    }
}
