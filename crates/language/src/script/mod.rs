//! Functions in JavaScript over BSON values: `$where`, `$function`, `$accumulator`, `mapReduce`.
//!
//! A [`Program`] has the functions of one operator in one operation, which share global variables. Nothing is started before the
//! first call. The functions' environment is in `shell.js`.
//!
//! What must hold: a script runs under the operation's [`crate::Interruption`], on the thread of the operation, and within the
//! limit of memory; values keep their types both ways, except that numbers that the script computes are doubles.

mod from_script;
mod to_script;

use crate::interruption::{self, STEPS_BETWEEN_LOOKS, steps};
use crate::{Code, Error, Result};
use from_script::FromScript;
use javascript::rquickjs::{self, Array, Ctx, Exception, Function, Object};
use javascript::{Failure, Limits, Sandbox};
use md5::{Digest, Md5};
use memory::{Holder, Share};
use parking_lot::Mutex;
use std::time::Duration;
use to_script::ToScript;
use value::{Document, ObjectId, Value, ValueRef, hex, unhex};

/// The most bytes that the scripts of one program may hold.
const MEMORY_BYTES_MAX: usize = 64 << 20;
/// The bytes that they may hold at first. Scripts that need more are restarted with four times as much.
const MEMORY_BYTES_FIRST: usize = 1 << 20;
/// Operations run on threads with a stack of at least 2 MB.
const STACK_BYTES_MAX: usize = 512 << 10;
/// Where the host keeps what it calls, out of the way of scripts.
const HOST: &str = "__host";
const SHELL: &str = include_str!("shell.js");
/// How long `sleep` sleeps between two looks whether the operation must end.
const SLEEP_SLICE: Duration = Duration::from_millis(5);

/// Functions with global variables of their own.
#[derive(Debug)]
pub struct Program {
    sources: Vec<String>,
    /// Global variables that they find.
    scope: Document,
    /// A sandbox that has compiled them, and the memory that it may take.
    started: Mutex<Option<(Sandbox, Share)>>,
}

/// What is done with a function, its `this` and its arguments.
type Work<T> = dyn for<'js> Fn(
    &Ctx<'js>,
    &Object<'js>,
    Function<'js>,
    rquickjs::Value<'js>,
    Array<'js>,
) -> rquickjs::Result<T>;

impl Program {
    /// Functions by their sources, and global variables for them; nothing is compiled before the first call.
    pub fn new(sources: Vec<String>, scope: Document) -> Program {
        Program {
            sources,
            scope,
            started: Mutex::default(),
        }
    }

    /// The value of the function at this place of the sources.
    pub fn call(
        &self,
        place: usize,
        this: Option<ValueRef<'_>>,
        arguments: &[ValueRef<'_>],
    ) -> Result<Value> {
        self.run(place, this, arguments, &|ctx, host, function, this, values| {
            let call: Function<'_> = host.get("call")?;
            let result = call.call((function, this, values))?;
            FromScript::new(ctx, host).value(result)
        })
    }

    /// Whether the function holds for a document, which it finds as `this` and as `obj`.
    pub fn test(&self, place: usize, document: ValueRef<'_>) -> Result<bool> {
        self.run(place, Some(document), &[], &|_, host, function, this, values| {
            let define: Function<'_> = host.get("define")?;
            let () = define.call(("obj", this.clone()))?;
            let call: Function<'_> = host.get("call")?;
            let rquickjs::Coerced(holds) = call.call((function, this, values))?;
            Ok(holds)
        })
    }

    /// What the function emits for a document: an array of `{k: key, v: value}`.
    pub fn emits(&self, place: usize, document: ValueRef<'_>) -> Result<Value> {
        self.run(place, Some(document), &[], &|ctx, host, function, this, _| {
            let emits: Function<'_> = host.get("emits")?;
            let emitted = emits.call((function, this))?;
            FromScript::new(ctx, host).value(emitted)
        })
    }

    fn run<T>(
        &self,
        place: usize,
        this: Option<ValueRef<'_>>,
        arguments: &[ValueRef<'_>],
        work: &Work<T>,
    ) -> Result<T> {
        let mut started = self.started.lock();
        let mut memory_bytes = MEMORY_BYTES_FIRST;
        loop {
            let (sandbox, share) = match &mut *started {
                Some(started) => started,
                none => none.insert(start(memory_bytes)?),
            };
            let held_bytes = share.bytes();
            let result = sandbox.run(|ctx| {
                if !ctx.globals().contains_key(HOST)? {
                    self.load(ctx)?;
                }
                let host: Object<'_> = ctx.globals().get(HOST)?;
                let functions: Array<'_> = host.get("functions")?;
                let to_script = ToScript::new(ctx, &host);
                let this = match this {
                    Some(this) => to_script.value(this)?,
                    None => rquickjs::Value::new_undefined(ctx.clone()),
                };
                let values = Array::new(ctx.clone())?;
                for (at, argument) in arguments.iter().enumerate() {
                    values.set(at, to_script.value(*argument)?)?;
                }
                work(ctx, &host, functions.get(place)?, this, values)
            });
            if matches!(result, Err(Failure::Stopped | Failure::OutOfMemory)) {
                *started = None;
            }
            match result {
                Err(Failure::OutOfMemory) if held_bytes < MEMORY_BYTES_MAX => memory_bytes = 4 * held_bytes,
                result => return result.map_err(failed),
            }
        }
    }

    fn load<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<()> {
        let shell: Function<'_> = ctx.eval(SHELL)?;
        let host: Object<'_> = shell.call((services(ctx)?,))?;
        let define: Function<'_> = host.get("define")?;
        let to_script = ToScript::new(ctx, &host);
        for (name, value) in self.scope.iter() {
            let () = define.call((name, to_script.value(value.as_ref())?))?;
        }
        let compile: Function<'_> = host.get("compile")?;
        let functions = Array::new(ctx.clone())?;
        for (at, source) in self.sources.iter().enumerate() {
            let compiled: Function<'_> = compile.call((source.as_str(),))?;
            functions.set(at, compiled)?;
        }
        host.set("functions", functions)?;
        // Neither writable nor enumerable.
        ctx.globals().prop(HOST, host)
    }
}

/// A sandbox that may hold this many bytes.
fn start(memory_bytes: usize) -> Result<(Sandbox, Share)> {
    let mut share = interruption::memory().share(Holder::Scripts);
    let room = share.set(memory_bytes);
    room.map_err(|full| Error::new(Code::EXCEEDED_MEMORY_LIMIT, full.to_string()))?;
    let limits = Limits {
        memory_bytes,
        stack_bytes: STACK_BYTES_MAX,
    };
    Ok((Sandbox::start(limits, must_end).map_err(failed)?, share))
}

/// What the host does for `shell.js`.
fn services<'js>(ctx: &Ctx<'js>) -> rquickjs::Result<Object<'js>> {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let services = Object::new(ctx.clone())?;
    let service = |name: &str, function: rquickjs::Result<Function<'js>>| services.set(name, function?);
    let bytes_of = |base64: String| STANDARD.decode(base64).unwrap_or_default();
    let digest = |text: String| hex(&Md5::digest(text.as_bytes()));
    service("hexMd5", Function::new(ctx.clone(), digest))?;
    let new_id = || ObjectId::generate().to_string();
    service("newObjectId", Function::new(ctx.clone(), new_id))?;
    let to_hex = move |base64: String| hex(&bytes_of(base64));
    service("base64ToHex", Function::new(ctx.clone(), to_hex))?;
    let to_base64 = |digits: String| STANDARD.encode(unhex(&digits).unwrap_or_default());
    service("hexToBase64", Function::new(ctx.clone(), to_base64))?;
    service("sleep", Function::new(ctx.clone(), sleep))?;
    Ok(services)
}

/// Whether the operation under which a script runs must end.
fn must_end() -> bool {
    steps(STEPS_BETWEEN_LOOKS).is_err()
}

fn sleep(ctx: Ctx<'_>, milliseconds: f64) -> rquickjs::Result<()> {
    let mut left = Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or_default();
    while !left.is_zero() {
        if must_end() {
            return Err(Exception::throw_message(&ctx, "interrupted"));
        }
        let slice = left.min(SLEEP_SLICE);
        std::thread::sleep(slice);
        left -= slice;
    }
    Ok(())
}

/// The error of a run. Where the operation must end, that is the reason.
fn failed(failure: Failure) -> Error {
    if let Err(reason) = steps(STEPS_BETWEEN_LOOKS) {
        return reason;
    }
    let code = match &failure {
        Failure::Stopped => Code::INTERRUPTED,
        Failure::OutOfMemory => Code::EXCEEDED_MEMORY_LIMIT,
        Failure::Exception { .. } | Failure::Thrown { .. } | Failure::Unavailable(_) => {
            Code::JS_INTERPRETER_FAILURE
        }
    };
    Error::new(code, failure.to_string())
}
