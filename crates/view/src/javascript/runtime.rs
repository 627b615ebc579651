//! One QuickJS runtime with the functions of one program.

use super::{Command, ScriptError, ScriptLimits, Sources};
use rquickjs::{CaughtError, Context, Ctx, Error, Function, Object, Persistent, Value};
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The stack of a thread that runs JavaScript; QuickJS stops at a quarter of it.
pub(super) const THREAD_STACK_BYTES: usize = 4 << 20;

const DRIVER: &str = include_str!("driver.js");

/// A runtime that has compiled its functions.
pub(super) struct Runtime {
    // Before the context, so that it is dropped first.
    commands: Persistent<Object<'static>>,
    context: Context,
    clock: Rc<Clock>,
    limits: ScriptLimits,
}

/// What runs now and until when; shared with the driver and with the interrupt handler.
#[derive(Debug)]
struct Clock {
    place: Cell<usize>,
    deadline: Cell<Instant>,
    expired: Cell<bool>,
    time: Duration,
}

impl Clock {
    fn begin(&self, place: usize) {
        self.place.set(place);
        self.deadline.set(Instant::now() + self.time);
    }

    fn is_expired(&self) -> bool {
        if Instant::now() > self.deadline.get() {
            self.expired.set(true);
        }
        self.expired.get()
    }
}

impl Runtime {
    /// Starts a runtime and compiles.
    pub(super) fn start(sources: &Sources, limits: ScriptLimits) -> Result<Runtime, ScriptError> {
        let unavailable = |error: Error| ScriptError::Unavailable(error.to_string());
        let runtime = rquickjs::Runtime::new().map_err(unavailable)?;
        runtime.set_memory_limit(limits.memory_bytes);
        runtime.set_max_stack_size(THREAD_STACK_BYTES / 4);
        let context = Context::full(&runtime).map_err(unavailable)?;
        let time = Duration::from_millis(limits.time_ms);
        let clock = Rc::new(Clock {
            place: Cell::new(0),
            deadline: Cell::new(Instant::now() + time),
            expired: Cell::new(false),
            time,
        });
        let watched = clock.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || watched.is_expired())));
        let commands = context.with(|ctx| {
            let load = load(&ctx, sources, &clock);
            load.map_err(|error| failure(&ctx, error, &clock, limits))
        })?;
        Ok(Runtime {
            commands,
            context,
            clock,
            limits,
        })
    }

    /// Runs one command.
    pub(super) fn call(&self, command: Command, input: String) -> Result<String, ScriptError> {
        self.clock.begin(0);
        self.context.with(|ctx| {
            let run = || -> Result<String, Error> {
                let commands = self.commands.clone().restore(&ctx)?;
                let function: Function<'_> = commands.get(command.name())?;
                let argument = ctx.json_parse(input)?;
                function.call((argument,))
            };
            run().map_err(|error| failure(&ctx, error, &self.clock, self.limits))
        })
    }
}

fn load(ctx: &Ctx<'_>, sources: &Sources, clock: &Rc<Clock>) -> Result<Persistent<Object<'static>>, Error> {
    let ticking = clock.clone();
    let begin = Function::new(ctx.clone(), move |place: usize| ticking.begin(place))?;
    let name = sources.name.clone();
    let log = Function::new(ctx.clone(), move |text: String| {
        tracing::info!(design_document = name, "{text}");
    })?;
    let driver: Function<'_> = ctx.eval(DRIVER)?;
    let commands: Object<'_> = driver.call((begin, log))?;
    if !sources.design.is_empty() {
        let design: Function<'_> = commands.get("design")?;
        let () = design.call((ctx.json_parse(sources.design.as_str())?,))?;
    }
    let functions = Object::new(ctx.clone())?;
    functions.set("map", sources.maps.clone())?;
    functions.set("reduce", sources.reduces.clone())?;
    let views: Function<'_> = commands.get("views")?;
    let () = views.call((functions,))?;
    Ok(Persistent::save(ctx, commands))
}

/// What a failed call means.
fn failure(ctx: &Ctx<'_>, error: Error, clock: &Clock, limits: ScriptLimits) -> ScriptError {
    let caught = CaughtError::from_error(ctx, error);
    let place = clock.place.get();
    if clock.expired.get() {
        return ScriptError::TimedOut {
            place,
            limit_ms: limits.time_ms,
        };
    }
    let out_of_memory = ScriptError::OutOfMemory {
        place,
        limit_bytes: limits.memory_bytes,
    };
    let (kind, reason) = match caught {
        CaughtError::Exception(exception) => {
            let kind = exception.as_object().get("name").unwrap_or_default();
            (kind, exception.message().unwrap_or_default())
        }
        // QuickJS throws null where not even an error can be made.
        CaughtError::Value(value) if value.is_null() => return out_of_memory,
        CaughtError::Value(value) => thrown(value),
        CaughtError::Error(error) => ("unnamed_error".to_owned(), error.to_string()),
    };
    if reason == "out of memory" {
        return out_of_memory;
    }
    ScriptError::Thrown { kind, reason }
}

/// Error name and reason of a thrown `[name, reason]`; anything else is given as text.
fn thrown(value: Value<'_>) -> (String, String) {
    let pair = value.as_array().and_then(|array| {
        let kind: String = array.get(0).ok()?;
        let reason: String = array.get(1).ok()?;
        Some((kind, reason))
    });
    pair.unwrap_or_else(|| {
        let text = value.ctx().json_stringify(&value).ok().flatten();
        let text = text.and_then(|text| text.to_string().ok());
        ("unnamed_error".to_owned(), text.unwrap_or_default())
    })
}
