//! One sandbox with the functions of one program.

use super::{Command, ScriptError, ScriptLimits, Sources};
use javascript::rquickjs::{Ctx, Error, Exception, Function, Object, Persistent};
use javascript::{Failure, Limits, LogAllowance, Sandbox};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The stack of a thread that runs JavaScript; QuickJS stops at a quarter of it.
pub(super) const THREAD_STACK_BYTES: usize = 4 << 20;

const DRIVER: &str = include_str!("driver.js");
const RENDER: &str = include_str!("render.js");

/// Gives a list function its next row: takes what it has sent and the new head of its answer. An error ends the function.
pub(super) type NextRow = Box<dyn FnMut(String, Option<String>) -> Result<Option<String>, Ended>>;

/// Nobody wants what a function gives any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended;

/// A sandbox that has compiled its functions.
pub(super) struct Runtime {
    // Before the sandbox, so that it is dropped first.
    commands: Persistent<Object<'static>>,
    sandbox: Sandbox,
    clock: Arc<Clock>,
    limits: ScriptLimits,
}

/// What runs now and until when; shared with the driver and with the sandbox's watch.
#[derive(Debug)]
struct Clock {
    place: AtomicUsize,
    deadline: Mutex<Instant>,
    time: Duration,
}

impl Clock {
    fn begin(&self, place: usize) {
        self.place.store(place, Ordering::Relaxed);
        *self.deadline.lock() = Instant::now() + self.time;
    }
}

impl Runtime {
    /// Starts a sandbox and compiles. A list function gets rows from `next_row`.
    pub(super) fn start(
        sources: &Sources,
        limits: ScriptLimits,
        next_row: Option<NextRow>,
    ) -> Result<Runtime, ScriptError> {
        let time = Duration::from_millis(limits.time_ms);
        let clock = Arc::new(Clock {
            place: AtomicUsize::new(0),
            deadline: Mutex::new(Instant::now() + time),
            time,
        });
        let bounds = Limits {
            memory_bytes: limits.memory_bytes,
            stack_bytes: THREAD_STACK_BYTES / 4,
        };
        let watched = clock.clone();
        let must_stop = move || Instant::now() > *watched.deadline.lock();
        let failed = |failure| script_error(failure, &clock, limits);
        let sandbox = Sandbox::start(bounds, must_stop).map_err(failed)?;
        let commands = sandbox.run(|ctx| load(ctx, sources, &clock, next_row));
        let commands = commands.map_err(failed)?;
        Ok(Runtime {
            commands,
            sandbox,
            clock,
            limits,
        })
    }

    /// Runs one command.
    pub(super) fn call(&self, command: Command, input: String) -> Result<String, ScriptError> {
        self.clock.begin(0);
        let answer = self.sandbox.run(|ctx| {
            let commands = self.commands.clone().restore(ctx)?;
            let function: Function<'_> = commands.get(command.name())?;
            let argument = ctx.json_parse(input)?;
            function.call((argument,))
        });
        answer.map_err(|failure| script_error(failure, &self.clock, self.limits))
    }
}

fn load(
    ctx: &Ctx<'_>,
    sources: &Sources,
    clock: &Arc<Clock>,
    next_row: Option<NextRow>,
) -> Result<Persistent<Object<'static>>, Error> {
    let ticking = clock.clone();
    let begin = Function::new(ctx.clone(), move |place: usize| ticking.begin(place))?;
    let name = sources.name.clone();
    let allowance = RefCell::new(LogAllowance::default());
    let log = Function::new(ctx.clone(), move |text: String| {
        if let Some(text) = allowance.borrow_mut().take(&text) {
            tracing::info!(design_document = name, "{text}");
        }
    })?;
    let driver: Function<'_> = ctx.eval(DRIVER)?;
    let commands: Object<'_> = driver.call((begin, log))?;
    if !sources.design.is_empty() {
        let design: Function<'_> = commands.get("design")?;
        let () = design.call((ctx.json_parse(sources.design.as_str())?,))?;
    }
    load_render(ctx, &commands, clock, next_row)?;
    let functions = Object::new(ctx.clone())?;
    functions.set("map", sources.maps.clone())?;
    functions.set("reduce", sources.reduces.clone())?;
    let views: Function<'_> = commands.get("views")?;
    let () = views.call((functions,))?;
    Ok(Persistent::save(ctx, commands))
}

/// Adds the commands that answer requests.
fn load_render<'js>(
    ctx: &Ctx<'js>,
    commands: &Object<'js>,
    clock: &Arc<Clock>,
    next_row: Option<NextRow>,
) -> Result<(), Error> {
    let clock = clock.clone();
    let next_row = RefCell::new(next_row);
    let host = Function::new(
        ctx.clone(),
        move |ctx: Ctx<'_>, text: String, head: Option<String>| {
            let mut next_row = next_row.borrow_mut();
            let row = next_row
                .as_mut()
                .map_or(Ok(None), |next_row| next_row(text, head));
            row.map_err(|Ended| {
                // The watch stops a function that would go on.
                *clock.deadline.lock() = Instant::now();
                Exception::throw_message(&ctx, "nobody reads the list any more")
            })
        },
    )?;
    let kit: Object<'_> = commands.get("kit")?;
    let render: Function<'_> = ctx.eval(RENDER)?;
    let added: Object<'_> = render.call((kit, host))?;
    for command in [Command::Show, Command::Update, Command::List, Command::Rewrite] {
        let function: Function<'_> = added.get(command.name())?;
        commands.set(command.name(), function)?;
    }
    Ok(())
}

/// What a failed run means.
fn script_error(failure: Failure, clock: &Clock, limits: ScriptLimits) -> ScriptError {
    let place = clock.place.load(Ordering::Relaxed);
    let out_of_memory = ScriptError::OutOfMemory {
        place,
        limit_bytes: limits.memory_bytes,
        full: None,
    };
    let unnamed = || "unnamed_error".to_owned();
    match failure {
        Failure::Stopped => ScriptError::TimedOut {
            place,
            limit_ms: limits.time_ms,
        },
        Failure::OutOfMemory => out_of_memory,
        Failure::Exception { name, message } => ScriptError::Thrown {
            kind: name,
            reason: message,
        },
        // CouchDB's functions throw `[name, reason]`.
        Failure::Thrown { json } => match serde_json::from_str::<(String, String)>(&json) {
            // As the driver says it of a function that caught nothing else.
            Ok((_, reason)) if reason == "out of memory" => out_of_memory,
            Ok((kind, reason)) => ScriptError::Thrown { kind, reason },
            Err(_) => ScriptError::Thrown {
                kind: unnamed(),
                reason: json,
            },
        },
        Failure::Unavailable(reason) => ScriptError::Thrown {
            kind: unnamed(),
            reason,
        },
    }
}
