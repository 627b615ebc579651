//! `getParameter` and `setParameter`: the few of MongoDB's parameters that clients ask for.

use crate::arguments::{Fields, Number, is_generic};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::server::Server;
use crate::wire::Reply;
use code::Code;
use std::sync::atomic::Ordering;
use std::time::Duration;
use value::{Document, Value, ValueRef, doc};

/// The parameters that `setParameter` changes.
const CHANGEABLE: [&str; 6] = [
    "ingressConnectionEstablishmentBurstCapacitySecs",
    "ingressConnectionEstablishmentMaxQueueDepth",
    "ingressConnectionEstablishmentRateLimiterEnabled",
    "ingressConnectionEstablishmentRatePerSec",
    "notablescan",
    "ttlMonitorSleepSecs",
];

/// The features that there are, by the version of MongoDB that has them.
pub(super) const COMPATIBILITY: &str = "8.0";

/// The parameters that the server's own settings give at its start.
const SETTINGS: [&str; 2] = ["acceptApiVersion2", "enableTestCommands"];

/// What `getParameter: {…}` asks for besides the names.
#[derive(Default)]
struct Options {
    all: bool,
    details: bool,
    set_at: Option<SetAt>,
}

/// When a parameter may be set.
#[derive(Clone, Copy)]
enum SetAt {
    Startup,
    Runtime,
}

impl Options {
    fn parse(value: Option<ValueRef<'_>>) -> Result<Options> {
        let options = match value {
            Some(ValueRef::Document(options)) => Fields::new("getParameter", options),
            Some(ValueRef::String("*")) => {
                return Ok(Options {
                    all: true,
                    ..Options::default()
                });
            }
            _ => return Ok(Options::default()),
        };
        let parsed = Options {
            all: options.flag("allParameters")?.unwrap_or(false),
            details: options.flag("showDetails")?.unwrap_or(false),
            set_at: options.choice(
                "setAt",
                &[("startup", SetAt::Startup), ("runtime", SetAt::Runtime)],
            )?,
        };
        options.finish()?;
        Ok(parsed)
    }

    fn shows(&self, name: &str) -> bool {
        match self.set_at {
            None => true,
            Some(SetAt::Startup) => SETTINGS.contains(&name),
            Some(SetAt::Runtime) => CHANGEABLE.contains(&name),
        }
    }
}

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let options = Options::parse(call.body().get(call.called))?;
    let mut reply = Document::new();
    for (name, value) in known(call) {
        let is_asked = options.all || call.body().get(&name).is_some();
        if !is_asked || !options.shows(&name) {
            continue;
        }
        let shown = match options.details {
            true => Value::from(doc! {
                "value": value,
                "settableAtRuntime": CHANGEABLE.contains(&&*name),
                "settableAtStartup": SETTINGS.contains(&&*name),
            }),
            false => value,
        };
        reply.push(name, shown);
    }
    if reply.is_empty() {
        return Err(CommandError::invalid_options("no option found to get"));
    }
    Ok(reply.into())
}

/// The parameters and their values now.
fn known(call: &Call<'_>) -> Document {
    let establishment = call.server.establishment.settings();
    let mut known = doc! {
        "authenticationMechanisms": vec!["SCRAM-SHA-1", "SCRAM-SHA-256"],
        "featureCompatibilityVersion": {"version": COMPATIBILITY},
        "ingressConnectionEstablishmentBurstCapacitySecs": establishment.burst_seconds,
        "ingressConnectionEstablishmentMaxQueueDepth": establishment.queue_depth_max as i32,
        "ingressConnectionEstablishmentRateLimiterEnabled": establishment.is_enabled,
        "ingressConnectionEstablishmentRatePerSec": establishment.rate,
        "internalQueryFrameworkControl": "trySbeRestricted",
        "localLogicalSessionTimeoutMinutes": engine::limits::SESSION_IDLE_MINUTES_MAX as i32,
        "logLevel": 0,
        // Below the command.
        "maxBSONDepth": value::raw::MESSAGE_DEPTH_MAX as i32 - 1,
        "notablescan": call.server.refuse_full_scans.load(Ordering::Relaxed),
        "quiet": false,
        "requireApiVersion": false,
        "scramIterationCount": auth::Mechanism::ScramSha1.iterations_default() as i32,
        "scramSHA256IterationCount": auth::Mechanism::ScramSha256.iterations_default() as i32,
        "ttlMonitorEnabled": true,
        "ttlMonitorSleepSecs": call.server.engine.sweep_interval().as_secs() as i32,
    };
    if call.server.options.test_commands {
        known.push("acceptApiVersion2", false);
        known.push("enableTestCommands", true);
    }
    known
}

/// `setParameter`: [`CHANGEABLE`] may change. Where one of several is wrong, none does.
pub(super) async fn set(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let known = known(call);
    let mut wanted: Vec<(&str, ValueRef<'_>)> = Vec::new();
    for (name, value) in call.body().iter().skip(1).filter(|(name, _)| !is_generic(name)) {
        if !known.contains(name) {
            let message =
                format!("attempted to set unrecognized parameter [{name}], use help:true to see options ");
            return Err(CommandError::invalid_options(message));
        }
        if !CHANGEABLE.contains(&name) {
            return Err(not_changeable(name));
        }
        if wanted.iter().any(|(other, _)| *other == name) {
            let message =
                format!("attempted to set parameter [{name}] twice in the same setParameter command");
            return Err(CommandError::invalid_options(message));
        }
        wanted.push((name, value));
    }
    // MongoDB sets them in the order of their names, and returns the former value of the first one.
    wanted.sort_unstable_by_key(|(name, _)| *name);
    let changes = wanted.iter().map(|(name, value)| Change::parse(name, *value));
    let changes: Vec<Change> = changes.collect::<Result<_>>()?;
    let Some((name, _)) = wanted.first() else {
        return Err(CommandError::invalid_options(
            "no option found to set, use help:true to see options ",
        ));
    };
    let was = known.get(name).cloned();
    for change in changes {
        change.apply(call.server);
    }
    Ok(doc! {"was": was}.into())
}

fn not_changeable(name: &str) -> CommandError {
    let message = format!("not allowed to change [{name}] at runtime");
    CommandError::new(Code::ILLEGAL_OPERATION, message)
}

/// A parameter's new value.
enum Change {
    NoTableScan(bool),
    SweepInterval(Duration),
    LimiterEnabled(bool),
    LimiterRate(f64),
    LimiterBurstSeconds(f64),
    LimiterQueueDepth(u32),
}

impl Change {
    fn parse(name: &str, value: ValueRef<'_>) -> Result<Change> {
        match name {
            "notablescan" => Ok(Change::NoTableScan(flag(name, value)?)),
            "ttlMonitorSleepSecs" => {
                let seconds = number(name, value)?.to_i64_saturating();
                if !(1..=i64::from(i32::MAX)).contains(&seconds) {
                    return Err(out_of_range(name, seconds, "greater than 0"));
                }
                Ok(Change::SweepInterval(Duration::from_secs(seconds as u64)))
            }
            "ingressConnectionEstablishmentRateLimiterEnabled" => {
                Ok(Change::LimiterEnabled(flag(name, value)?))
            }
            "ingressConnectionEstablishmentRatePerSec" => Ok(Change::LimiterRate(above_zero(name, value)?)),
            "ingressConnectionEstablishmentBurstCapacitySecs" => {
                Ok(Change::LimiterBurstSeconds(above_zero(name, value)?))
            }
            "ingressConnectionEstablishmentMaxQueueDepth" => {
                let depth = number(name, value)?.to_i64_saturating();
                let depth = u32::try_from(depth.min(i64::from(i32::MAX)))
                    .map_err(|_negative| out_of_range(name, depth, "greater than or equal to 0"))?;
                Ok(Change::LimiterQueueDepth(depth))
            }
            _ => Err(not_changeable(name)),
        }
    }

    fn apply(self, server: &Server) {
        let limiter = &server.establishment;
        match self {
            Change::NoTableScan(flag) => server.refuse_full_scans.store(flag, Ordering::Relaxed),
            Change::SweepInterval(interval) => server.engine.set_sweep_interval(interval),
            Change::LimiterEnabled(flag) => limiter.set(|settings| settings.is_enabled = flag),
            Change::LimiterRate(rate) => limiter.set(|settings| settings.rate = rate),
            Change::LimiterBurstSeconds(seconds) => limiter.set(|settings| settings.burst_seconds = seconds),
            Change::LimiterQueueDepth(depth) => limiter.set(|settings| settings.queue_depth_max = depth),
        }
    }
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
