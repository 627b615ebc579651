//! Functions in JavaScript over BSON values: `$where`, `$function`, `$accumulator`, `mapReduce`.
//!
//! A [`Program`] is the functions of one operator in one operation. They share global variables, which nobody else sees. Nothing
//! is started before the first call; what is there around a function is in `shell.js`.
//!
//! What must hold: a script runs under the operation's [`crate::Interruption`], on the thread of the operation, and within the
//! limit of memory; values keep their types both ways, but that a number of a script's own is a double.

mod from_script;
mod to_script;

use crate::interruption::{STEPS_BETWEEN_LOOKS, steps};
use crate::{Code, Error, Result};
use from_script::FromScript;
use javascript::rquickjs::{self, Array, Ctx, Exception, Function, Object};
use javascript::{Failure, Limits, Sandbox};
use md5::{Digest, Md5};
use parking_lot::Mutex;
use std::time::Duration;
use to_script::ToScript;
use value::{Document, ObjectId, Value, ValueRef, hex, unhex};

/// What scripts of one program hold at most.
const MEMORY_BYTES_MAX: usize = 64 << 20;
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
    sandbox: Mutex<Option<Sandbox>>,
}

impl Program {
    /// Functions by their sources, and global variables for them; nothing is compiled before the first call.
    pub fn new(sources: Vec<String>, scope: Document) -> Program {
        Program {
            sources,
            scope,
            sandbox: Mutex::default(),
        }
    }

    /// The value of the function at this place of the sources.
    pub fn call(
        &self,
        place: usize,
        this: Option<ValueRef<'_>>,
        arguments: &[ValueRef<'_>],
    ) -> Result<Value> {
        self.run(place, this, arguments, |ctx, host, function, this, values| {
            let call: Function<'_> = host.get("call")?;
            let result = call.call((function, this, values))?;
            FromScript::new(ctx, host).value(result)
        })
    }

    /// Whether the function holds for a document, which it finds as `this` and as `obj`.
    pub fn test(&self, place: usize, document: ValueRef<'_>) -> Result<bool> {
        self.run(place, Some(document), &[], |_, host, function, this, values| {
            let define: Function<'_> = host.get("define")?;
            let () = define.call(("obj", this.clone()))?;
            let call: Function<'_> = host.get("call")?;
            let rquickjs::Coerced(holds) = call.call((function, this, values))?;
            Ok(holds)
        })
    }

    /// What the function emits for a document: an array of `{k: key, v: value}`.
    pub fn emits(&self, place: usize, document: ValueRef<'_>) -> Result<Value> {
        self.run(place, Some(document), &[], |ctx, host, function, this, _| {
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
        work: impl for<'js> FnOnce(
            &Ctx<'js>,
            &Object<'js>,
            Function<'js>,
            rquickjs::Value<'js>,
            Array<'js>,
        ) -> rquickjs::Result<T>,
    ) -> Result<T> {
        let mut started = self.sandbox.lock();
        let sandbox = match &mut *started {
            Some(sandbox) => sandbox,
            none => none.insert(self.start()?),
        };
        let result = sandbox.run(|ctx| {
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
        result.map_err(failed)
    }

    fn start(&self) -> Result<Sandbox> {
        let limits = Limits {
            memory_bytes: MEMORY_BYTES_MAX,
            stack_bytes: STACK_BYTES_MAX,
        };
        let sandbox = Sandbox::start(limits, must_end).map_err(failed)?;
        sandbox.run(|ctx| self.load(ctx)).map_err(failed)?;
        Ok(sandbox)
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
