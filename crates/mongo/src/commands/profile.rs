//! `profile`: what the profiler records of a database, and what it recorded before.

use crate::arguments::{Arguments, Number};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, Resource};
use engine::{ProfileChange, ProfileLevel};
use value::{Document, ValueRef, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let level = arguments
        .number("profile")?
        .ok_or_else(|| arguments.missing("profile"))?;
    let change = ProfileChange {
        level: level_of(level),
        filter: filter(&arguments)?,
        slow_ms: arguments
            .integer_within("slowms", i64::from(i32::MIN)..=i64::from(i32::MAX))?
            .map(|millis| millis as i32),
        sample_rate: sample_rate(&arguments)?,
    };
    arguments.finish()?;
    let only_asks = change.level.is_none() && change.slow_ms.is_none() && change.sample_rate.is_none();
    match only_asks && change.filter.is_none() {
        true => call.require(
            Action::Find,
            Resource::Collection(&call.database, "system.profile"),
        )?,
        false => call.require(Action::EnableProfiler, Resource::Database(&call.database))?,
    }
    let engine = &call.server.engine;
    let before = engine.profile_settings(&call.database);
    let has_filter = before.filter.is_some() || change.filter.is_some();
    engine.set_profiling(&call.database, change).await?;
    let mut reply = doc! {
        "was": before.level as i32,
        "slowms": before.slow_ms,
        "sampleRate": before.sample_rate,
    };
    if let Some(filter) = before.filter {
        reply.push("filter", filter);
    }
    if has_filter {
        reply.push(
            "note",
            "When a filter expression is set, slowms and sampleRate are not used for profiling and slow-query log lines.",
        );
    }
    Ok(reply.into())
}

/// The level of a number; others than those of levels change nothing.
fn level_of(number: Number) -> Option<ProfileLevel> {
    match number.to_i64_saturating() {
        0 => Some(ProfileLevel::Off),
        1 => Some(ProfileLevel::Slow),
        2 => Some(ProfileLevel::All),
        _ => None,
    }
}

fn sample_rate(arguments: &Arguments<'_>) -> Result<Option<f64>> {
    let rate = arguments.number("sampleRate")?.map(Number::to_f64);
    match rate {
        Some(rate) if !(0.0..=1.0).contains(&rate) => Err(CommandError::bad_value(
            "'sampleRate' must be between 0.0 and 1.0 inclusive",
        )),
        rate => Ok(rate),
    }
}

/// A filter, or the word that takes it away.
fn filter(arguments: &Arguments<'_>) -> Result<Option<Option<Document>>> {
    match arguments.any("filter") {
        None => Ok(None),
        Some(ValueRef::Document(filter)) => Ok(Some(Some(filter.to_document()))),
        Some(ValueRef::String("unset")) => Ok(Some(None)),
        Some(_) => Err(CommandError::bad_value(
            "Expected an object, or the string 'unset'.",
        )),
    }
}
