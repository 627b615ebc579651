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
    let establishment = call.server.establishment.settings();
    let mut known = doc! {
        "authenticationMechanisms": vec!["SCRAM-SHA-1", "SCRAM-SHA-256"],
        "featureCompatibilityVersion": {"version": "8.0"},
        "ingressConnectionEstablishmentBurstCapacitySecs": establishment.burst_seconds,
        "ingressConnectionEstablishmentMaxQueueDepth": establishment.queue_depth_max as i32,
        "ingressConnectionEstablishmentRateLimiterEnabled": establishment.is_enabled,
        "ingressConnectionEstablishmentRatePerSec": establishment.rate,
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

/// `setParameter`: `notablescan`, `ttlMonitorSleepSecs` and the limits of how fast connections come may change.
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
    let server = call.server;
    match name {
        "notablescan" => {
            let flag = flag(name, value)?;
            server.refuse_full_scans.store(flag, Ordering::Relaxed);
        }
        "ttlMonitorSleepSecs" => {
            let seconds = number(name, value)?.to_i64_saturating();
            if !(1..=i64::from(i32::MAX)).contains(&seconds) {
                return Err(out_of_range(name, seconds, "greater than 0"));
            }
            let interval = Duration::from_secs(seconds as u64);
            server.engine.set_sweep_interval(interval);
        }
        "ingressConnectionEstablishmentRateLimiterEnabled" => {
            let flag = flag(name, value)?;
            server.establishment.set(|settings| settings.is_enabled = flag);
        }
        "ingressConnectionEstablishmentRatePerSec" => {
            let rate = above_zero(name, value)?;
            server.establishment.set(|settings| settings.rate = rate);
        }
        "ingressConnectionEstablishmentBurstCapacitySecs" => {
            let seconds = above_zero(name, value)?;
            server
                .establishment
                .set(|settings| settings.burst_seconds = seconds);
        }
        "ingressConnectionEstablishmentMaxQueueDepth" => {
            let depth = number(name, value)?.to_i64_saturating();
            let depth = u32::try_from(depth.min(i64::from(i32::MAX)))
                .map_err(|_negative| out_of_range(name, depth, "greater than or equal to 0"))?;
            server
                .establishment
                .set(|settings| settings.queue_depth_max = depth);
        }
        _ => {
            let message = format!("not allowed to change [{name}] at runtime");
            return Err(CommandError::new(Code::ILLEGAL_OPERATION, message));
        }
    }
    Ok(())
}

fn flag(name: &str, value: ValueRef<'_>) -> Result<bool> {
    match value {
        ValueRef::Bool(flag) => Ok(flag),
        _ => Ok(!number(name, value)?.is_zero()),
    }
}

fn number(name: &str, value: ValueRef<'_>) -> Result<Number> {
    Number::of(value).ok_or_else(|| {
        let message = format!("Invalid value for parameter {name}: it is not a number");
        CommandError::bad_value(message)
    })
}

fn above_zero(name: &str, value: ValueRef<'_>) -> Result<f64> {
    let number = number(name, value)?.to_f64();
    match number > 0.0 {
        true => Ok(number),
        false => Err(out_of_range(name, number, "greater than 0")),
    }
}

fn out_of_range(name: &str, value: impl std::fmt::Display, wanted: &str) -> CommandError {
    CommandError::bad_value(format!(
        "Invalid value for parameter {name}: {value} is not {wanted}"
    ))
}
