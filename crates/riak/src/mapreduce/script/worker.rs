//! One sandbox with all functions of a job.

use super::{Source, SourceText, Watch};
use crate::error::RiakError;
use crate::mapreduce::failure::Failure;
use crate::mapreduce::object::{FoundObject, metadata};
use crate::names::Bucket;
use code::Code;
use http::StatusCode;
use javascript::rquickjs::{self, Array, Ctx, Exception, Function, Object};
use javascript::{Failure as ScriptFailure, Limits, LogAllowance, Sandbox};
use memory::Share;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;
use std::cell::RefCell;
use std::sync::Arc;

/// What a sandbox may hold at first; with more it is started anew with four times as much.
pub(super) const MEMORY_BYTES_FIRST: usize = 4 << 20;
const MEMORY_BYTES_MAX: usize = 64 << 20;
/// Threads that may wait have a stack of 2 MB.
const STACK_BYTES_MAX: usize = 512 << 10;
/// Where the sandbox keeps what is called from here.
const SHELL: &str = "__shell";

/// Sandbox and functions; started with the first call.
#[derive(Debug)]
pub(super) struct Worker {
    sources: Arc<Vec<Source>>,
    watch: Arc<Watch>,
    sandbox: Option<Sandbox>,
    /// The memory that it may take.
    share: Share,
    page: Arc<Mutex<Page>>,
}

/// The objects of which functions may ask more than their values, and the number of the call that they belong to.
#[derive(Debug, Default)]
struct Page {
    number: u32,
    found: Vec<FoundObject>,
}

/// What a function threw.
#[derive(Deserialize)]
struct Thrown {
    error: String,
    stack: Option<String>,
    input: Option<Value>,
}

/// What is done within a sandbox.
type Work<'a> = &'a dyn for<'js> Fn(&Ctx<'js>, &Object<'js>) -> rquickjs::Result<String>;

impl Worker {
    pub(super) fn new(sources: Arc<Vec<Source>>, watch: Arc<Watch>, share: Share) -> Worker {
        Worker {
            sources,
            watch,
            sandbox: None,
            share,
            page: Arc::default(),
        }
    }

    pub(super) fn map(
        &mut self,
        place: usize,
        found: Vec<FoundObject>,
        argument: Option<&str>,
    ) -> Result<Vec<Value>, Failure> {
        let page = self.page.clone();
        let number = {
            let mut page = page.lock();
            page.number = page.number.wrapping_add(1);
            page.found = found;
            page.number
        };
        let unreadable = RefCell::new(None);
        let results = self.call(place, &|ctx, shell| {
            let rows = match rows(ctx, &page.lock().found)? {
                Ok(rows) => rows,
                Err(failed) => {
                    *unreadable.borrow_mut() = Some(failed);
                    return Ok("[]".to_owned());
                }
            };
            let map: Function<'_> = shell.get("map")?;
            map.call((place, number, rows, argument))
        });
        match unreadable.into_inner() {
            Some((key, error)) => {
                let phase = self.sources[place].phase;
                Err(Failure::phase(phase, &error, Some(&key), None))
            }
            None => results,
        }
    }

    pub(super) fn reduce(
        &mut self,
        place: usize,
        values: &str,
        argument: Option<&str>,
    ) -> Result<Vec<Value>, Failure> {
        self.call(place, &|_, shell| {
            let reduce: Function<'_> = shell.get("reduce")?;
            reduce.call((place, values, argument))
        })
    }

    fn call(&mut self, place: usize, work: Work<'_>) -> Result<Vec<Value>, Failure> {
        let phase = self.sources[place].phase;
        loop {
            let result = self.started().and_then(|sandbox| {
                let called = sandbox.run(|ctx| work(ctx, &ctx.globals().get(SHELL)?));
                called.map_err(|failure| (phase, failure))
            });
            match result {
                Ok(text) => return results(&text, phase),
                Err((_, ScriptFailure::OutOfMemory)) if self.share.bytes() < MEMORY_BYTES_MAX => {
                    self.sandbox = None;
                    let room = self.share.set(4 * self.share.bytes());
                    room.map_err(|full| RiakError::new(StatusCode::SERVICE_UNAVAILABLE, full.to_string()))?;
                }
                Err((phase, failure)) => {
                    self.sandbox = None;
                    return Err(failed(phase, failure));
                }
            }
        }
    }

    /// The sandbox with its functions; an error with the phase that it belongs to.
    fn started(&mut self) -> Result<&Sandbox, (usize, ScriptFailure)> {
        if self.sandbox.is_none() {
            let limits = Limits {
                memory_bytes: self.share.bytes(),
                stack_bytes: STACK_BYTES_MAX,
            };
            let watch = self.watch.clone();
            let sandbox =
                Sandbox::start(limits, move || watch.must_stop()).map_err(|failure| (0, failure))?;
            let page = self.page.clone();
            sandbox
                .run(|ctx| load(ctx, page))
                .map_err(|failure| (0, failure))?;
            for (place, source) in self.sources.iter().enumerate() {
                let compiled = sandbox.run(|ctx| {
                    let shell: Object<'_> = ctx.globals().get(SHELL)?;
                    let (command, text) = match &source.text {
                        SourceText::Own(text) => ("compile", text),
                        SourceText::Named(name) => ("find", name),
                    };
                    let function: Function<'_> = shell.get(command)?;
                    function.call::<_, ()>((place, text.as_str()))
                });
                compiled.map_err(|failure| (source.phase, failure))?;
            }
            self.sandbox = Some(sandbox);
        }
        let missing = || (0, ScriptFailure::Unavailable("no sandbox".to_owned()));
        self.sandbox.as_ref().ok_or_else(missing)
    }
}

fn load(ctx: &Ctx<'_>, page: Arc<Mutex<Page>>) -> rquickjs::Result<()> {
    let () = ctx.eval(include_str!("builtins.js"))?;
    let host = Object::new(ctx.clone())?;
    let allowance = RefCell::new(LogAllowance::default());
    let log = move |text: String| {
        if let Some(text) = allowance.borrow_mut().take(&text) {
            tracing::info!("a map/reduce function: {text}");
        }
    };
    host.set("log", Function::new(ctx.clone(), log)?)?;
    let of_page = page.clone();
    let metadata = move |ctx: Ctx<'_>, number: u32, row: usize, value: usize| {
        let page = of_page.lock();
        let object = page.found.get(row).and_then(FoundObject::object);
        match object.and_then(|object| object.siblings.get(value)) {
            Some(sibling) if page.number == number => Ok(metadata(sibling).to_string()),
            _ => Err(Exception::throw_message(&ctx, GONE)),
        }
    };
    host.set("metadata", Function::new(ctx.clone(), metadata)?)?;
    let clock = move |ctx: Ctx<'_>, number: u32, row: usize| {
        let page = page.lock();
        match page.found.get(row).and_then(FoundObject::object) {
            Some(object) if page.number == number => Ok(object.clock().to_text()),
            _ => Err(Exception::throw_message(&ctx, GONE)),
        }
    };
    host.set("clock", Function::new(ctx.clone(), clock)?)?;
    let shell: Function<'_> = ctx.eval(include_str!("shell.js"))?;
    let shell: Object<'_> = shell.call((host,))?;
    // Neither writable nor enumerable.
    ctx.globals().prop(SHELL, shell)
}

/// What a function is told that kept an object beyond its call and asks of its metadata or clock.
const GONE: &str = "the object is not that of this call any more";

/// The objects as `shell.js` takes them; else the key of one whose value is no text, and why.
fn rows<'js>(
    ctx: &Ctx<'js>,
    found: &[FoundObject],
) -> rquickjs::Result<Result<Array<'js>, (String, String)>> {
    let rows = Array::new(ctx.clone())?;
    let text =
        |bytes: &[u8]| rquickjs::String::from_str(ctx.clone(), String::from_utf8_lossy(bytes).as_ref());
    // Mostly all are of one bucket, whose names are made once then.
    let mut last: Option<(&Bucket, [rquickjs::String<'js>; 2])> = None;
    for (at, found) in found.iter().enumerate() {
        let row = Array::new(ctx.clone())?;
        let input = &found.input;
        let [kind, name] = match last.take_if(|(bucket, _)| **bucket == input.bucket) {
            Some((_, names)) => names,
            None => [text(&input.bucket.kind)?, text(&input.bucket.name)?],
        };
        row.set(0, kind.clone())?;
        row.set(1, name.clone())?;
        row.set(2, text(&input.key)?)?;
        last = Some((&input.bucket, [kind, name]));
        row.set(3, input.data.as_ref().map(Value::to_string))?;
        row.set(4, found.is_there())?;
        match found.each_text(|nth, text| row.set(5 + nth, text)) {
            Ok(shown) => shown?,
            Err(error) => {
                let key = String::from_utf8_lossy(&input.key).into_owned();
                return Ok(Err((key, error)));
            }
        }
        rows.set(at, row)?;
    }
    Ok(Ok(rows))
}

fn results(text: &str, phase: usize) -> Result<Vec<Value>, Failure> {
    let invalid = |error: serde_json::Error| Failure::phase(phase, &error.to_string(), None, None);
    match text.strip_prefix('!') {
        None => serde_json::from_str(text).map_err(invalid),
        Some(thrown) => {
            let thrown: Thrown = serde_json::from_str(thrown).map_err(invalid)?;
            let input = thrown.input.map(|input| input.to_string());
            Err(Failure::phase(
                phase,
                &thrown.error,
                input.as_deref(),
                thrown.stack.as_deref(),
            ))
        }
    }
}

/// Why a script was told to end.
fn stopped() -> Failure {
    match engine::steps(usize::MAX) {
        Err(error) if error.code != Code::MAX_TIME_MS_EXPIRED => error.into(),
        _ => Failure::Timeout,
    }
}

fn failed(phase: usize, failure: ScriptFailure) -> Failure {
    match failure {
        ScriptFailure::Stopped => stopped(),
        ScriptFailure::OutOfMemory => Failure::phase(
            phase,
            &format!("out of memory: functions of one job have {MEMORY_BYTES_MAX} bytes"),
            None,
            None,
        ),
        other => Failure::phase(phase, &other.to_string(), None, None),
    }
}
