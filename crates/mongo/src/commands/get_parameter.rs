//! `getParameter` and `setParameter`: the few of MongoDB's parameters that clients ask for.

use crate::arguments::{Number, is_generic};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use std::sync::atomic::Ordering;
use std::time::Duration;
use value::{Document, Value, ValueRef, doc};

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
        "ttlMonitorSleepSecs": call.server.engine.sweep_interval().as_secs() as i32,
    };
    if call.server.options.test_commands {
        known.push("enableTestCommands", true);
    }
    known
}

/// `setParameter`: `notablescan` and `ttlMonitorSleepSecs` may change.
pub(super) async fn set(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let known = known(call);
    let mut was = None;
    for (name, value) in call.body().iter().skip(1).filter(|(name, _)| !is_generic(name)) {
        let Some(present) = known.get(name) else {
            let message =
                format!("attempted to set unrecognized parameter [{name}], use help:true to see options ");
            return Err(CommandError::invalid_options(message));
        };
        change(call, name, value)?;
        was = Some(present.clone());
    }
    match was {
        Some(was) => Ok(doc! {"was": was}.into()),
        None => Err(CommandError::invalid_options(
            "no option found to set, use help:true to see options ",
        )),
    }
}

fn change(call: &Call<'_>, name: &str, value: ValueRef<'_>) -> Result<()> {
    let number = Number::of(value);
    match (name, value, number) {
        ("notablescan", ValueRef::Bool(flag), _) => {
            call.server.refuse_full_scans.store(flag, Ordering::Relaxed);
        }
        ("notablescan", _, Some(number)) => {
            let flag = !number.is_zero();
            call.server.refuse_full_scans.store(flag, Ordering::Relaxed);
        }
        ("ttlMonitorSleepSecs", _, Some(seconds)) => {
            let seconds = seconds.to_i64_saturating();
            if !(1..=i64::from(i32::MAX)).contains(&seconds) {
                let message = format!("Invalid value for parameter {name}: {seconds} is not greater than 0");
                return Err(CommandError::bad_value(message));
            }
            let interval = Duration::from_secs(seconds as u64);
            call.server.engine.set_sweep_interval(interval);
        }
        _ => {
            let message = format!("not allowed to change [{name}] at runtime");
            return Err(CommandError::new(Code::ILLEGAL_OPERATION, message));
        }
    }
    Ok(())
}
