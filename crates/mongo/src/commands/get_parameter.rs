//! `getParameter` and `setParameter`: the few of MongoDB's parameters that clients ask for.

use crate::arguments::Number;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use std::sync::atomic::Ordering;
use value::{Document, Value, ValueRef, doc};

/// Arguments that are no parameter's name.
const NOT_NAMES: [&str; 4] = ["comment", "$db", "lsid", "$readPreference"];

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let known = known(call);
    let what = call.body().get(call.called);
    let details = matches!(what, Some(ValueRef::Document(d)) if d.get("showDetails").is_some());
    let all = matches!(what, Some(ValueRef::String("*")))
        || matches!(what, Some(ValueRef::Document(d)) if matches!(d.get("allParameters"), Some(ValueRef::Bool(true))));
    let mut reply = Document::new();
    for (name, value) in known.iter() {
        if all || call.body().get(name).is_some() {
            reply.push(name, shown(value, details));
        }
    }
    if reply.is_empty() {
        return Err(CommandError::invalid_options("no option found to get"));
    }
    Ok(reply.into())
}

fn shown(value: &Value, details: bool) -> Value {
    match details {
        true => doc! {"value": value.clone(), "settableAtRuntime": true, "settableAtStartup": true}.into(),
        false => value.clone(),
    }
}

/// The parameters and their values now.
fn known(call: &Call<'_>) -> Document {
    let mut known = doc! {
        "authenticationMechanisms": vec!["SCRAM-SHA-1", "SCRAM-SHA-256"],
        "featureCompatibilityVersion": {"version": "8.0"},
        "internalQueryFrameworkControl": "trySbeRestricted",
        "localLogicalSessionTimeoutMinutes": engine::limits::SESSION_IDLE_MINUTES_MAX as i32,
        "logLevel": 0,
        "maxBSONDepth": value::raw::NESTING_DEPTH_MAX as i32,
        "notablescan": call.server.refuse_full_scans.load(Ordering::Relaxed),
        "quiet": false,
        "requireApiVersion": false,
        "scramIterationCount": auth::Mechanism::ScramSha1.iterations_default() as i32,
        "scramSHA256IterationCount": auth::Mechanism::ScramSha256.iterations_default() as i32,
        "ttlMonitorEnabled": true,
        "ttlMonitorSleepSecs": (engine::limits::SWEEP_INTERVAL_MS / 1000) as i32,
    };
    if call.server.options.test_commands {
        known.push("enableTestCommands", true);
    }
    known
}

/// `setParameter`: only `notablescan` may change.
pub(super) async fn set(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let known = known(call);
    let mut was = None;
    for (name, value) in call
        .body()
        .iter()
        .skip(1)
        .filter(|(name, _)| !NOT_NAMES.contains(name))
    {
        let Some(present) = known.get(name) else {
            let message =
                format!("attempted to set unrecognized parameter [{name}], use help:true to see options ");
            return Err(CommandError::invalid_options(message));
        };
        let flag = match (name, value) {
            ("notablescan", ValueRef::Bool(flag)) => flag,
            ("notablescan", number) if number.is_number() => {
                Number::of(number).map(Number::to_f64) != Some(0.0)
            }
            _ => {
                let message = format!("not allowed to change [{name}] at runtime");
                return Err(CommandError::new(Code::ILLEGAL_OPERATION, message));
            }
        };
        was = Some(present.clone());
        call.server.refuse_full_scans.store(flag, Ordering::Relaxed);
    }
    match was {
        Some(was) => Ok(doc! {"was": was}.into()),
        None => Err(CommandError::invalid_options(
            "no option found to set, use help:true to see options ",
        )),
    }
}
