//! A pipeline: processors one after another, and what becomes of failures.

use crate::context::Context;
use crate::error::{Failure, PipelineError, Result, failed};
use crate::limits::STEPS_MAX;
use crate::options::{self, Options};
use crate::processors::{self, Flow, ProcessorKind};
use mapping::java::class_of_json;
use painless::{Globals, Script};
use serde_json::{Map, Value as Json};
use std::sync::Arc;
use value::{Document, Value};

/// How many pipelines may call each other.
pub const PIPELINES_DEPTH_MAX: usize = 10;
/// Processors of a pipeline, those for failures included.
const PROCESSORS_MAX: usize = 1_000;
/// How deep processors may lie in those for failures.
const DEPTH_MAX: usize = 10;

/// Processors one after another.
#[derive(Debug)]
pub struct Pipeline {
    name: String,
    processors: Vec<Processor>,
    on_failure: Option<Vec<Processor>>,
}

/// One processor, with when it runs and what becomes of its failure.
#[derive(Debug)]
pub(crate) struct Processor {
    kind: String,
    tag: Option<String>,
    description: Option<String>,
    condition: Option<Condition>,
    ignores_failure: bool,
    on_failure: Option<Vec<Processor>>,
    work: ProcessorKind,
}

/// When a processor runs.
#[derive(Debug)]
struct Condition {
    source: String,
    script: Script,
}

/// What pipelines ask of their surroundings.
pub trait Host {
    /// The pipeline of this name.
    fn pipeline(&self, name: &str) -> Option<Arc<Pipeline>>;
    /// The script that is kept under this id.
    fn script(&self, _id: &str) -> Option<Arc<Script>> {
        None
    }
    /// The time, in milliseconds since 1970.
    fn now_ms(&self) -> i64;
    /// Whether anybody still waits for what scripts do.
    fn scripts(&self) -> &dyn painless::Host {
        &()
    }
}

/// What one processor did, for `_simulate`.
#[derive(Clone, Debug)]
pub struct Step {
    /// The type of the processor.
    pub processor: String,
    /// Its tag.
    pub tag: Option<String>,
    /// What is said of it.
    pub description: Option<String>,
    /// Its condition, and whether it held.
    pub condition: Option<(String, bool)>,
    /// How it went.
    pub status: StepStatus,
}

/// How a processor went.
#[derive(Clone, Debug)]
pub enum StepStatus {
    /// It made this of the document.
    Success(Context),
    /// It ran another pipeline, whose processors follow.
    Called,
    /// Its condition did not hold.
    Skipped,
    /// It dropped the document.
    Dropped,
    /// It failed.
    Failed(Failure),
    /// It failed, which was ignored.
    Ignored(Failure, Context),
}

/// What a run has besides the document.
pub(crate) struct Run<'r> {
    pub(crate) host: &'r dyn Host,
    trace: Option<&'r mut Vec<Step>>,
    /// The pipelines that run, each within the one before.
    names: Vec<String>,
    steps: usize,
}

impl Pipeline {
    /// Reads a definition that has no name.
    pub fn parse(definition: &Json) -> Result<Pipeline, PipelineError> {
        Pipeline::parse_as("_simulate_pipeline", definition)
    }

    /// Reads the definition of the pipeline of this name.
    pub fn parse_as(name: &str, definition: &Json) -> Result<Pipeline, PipelineError> {
        let Json::Object(body) = definition else {
            return Err(PipelineError::new("a pipeline must be an object"));
        };
        let mut options = Options::of_pipeline(name, body.clone());
        options.optional_text("description")?;
        options.optional_int("version")?;
        for newer in ["_meta", "deprecated"] {
            options.take(newer);
        }
        let mut count = 0;
        let list = options.list("processors")?;
        let list = list.ok_or_else(|| PipelineError::of("processors", "required property is missing"))?;
        let processors = parse_all(list, 0, &mut count)?;
        let on_failure = options.list("on_failure")?;
        let on_failure = on_failure
            .map(|list| parse_all(list, 1, &mut count))
            .transpose()?;
        options.end()?;
        if on_failure.as_ref().is_some_and(Vec::is_empty) {
            return Err(PipelineError::new(format!(
                "pipeline [{name}] cannot have an empty on_failure option defined"
            )));
        }
        Ok(Pipeline {
            name: name.to_owned(),
            processors,
            on_failure,
        })
    }

    /// Puts a document through; `false` where it was dropped.
    pub fn run(&self, context: &mut Context, host: &dyn Host) -> Result<bool> {
        self.begin(context, host, None)
    }

    /// The same, with what each processor did.
    pub fn trace(&self, context: &mut Context, host: &dyn Host, steps: &mut Vec<Step>) -> Result<bool> {
        self.begin(context, host, Some(steps))
    }

    fn begin(&self, context: &mut Context, host: &dyn Host, trace: Option<&mut Vec<Step>>) -> Result<bool> {
        let now = Value::from(mapping::dates::date_text(host.now_ms()));
        if !context.ingest.contains("timestamp") {
            context.ingest.set("timestamp", now);
        }
        let mut run = Run {
            host,
            trace,
            names: Vec::new(),
            steps: 0,
        };
        Ok(matches!(run.enter(&self.name, self, context)?, Flow::Next))
    }

    fn process(&self, context: &mut Context, run: &mut Run<'_>) -> Result<Flow> {
        match (process_all(&self.processors, context, run), &self.on_failure) {
            (Err(failure), Some(others)) => handled(others, &failure, context, run),
            (result, _) => result,
        }
    }
}

impl Run<'_> {
    /// Runs another pipeline within this one.
    pub(crate) fn pipeline(
        &mut self,
        name: &str,
        ignores_missing: bool,
        context: &mut Context,
    ) -> Result<Flow> {
        let Some(pipeline) = self.host.pipeline(name) else {
            return match ignores_missing {
                true => Ok(Flow::Next),
                false => Err(Failure::of(
                    "illegal_state_exception",
                    format!("Pipeline processor configured for non-existent pipeline [{name}]"),
                )),
            };
        };
        let wrong = if self.names.iter().any(|running| running == name) {
            format!("Cycle detected for pipeline: {name}")
        } else if self.names.len() > PIPELINES_DEPTH_MAX {
            format!("more than {PIPELINES_DEPTH_MAX} pipelines call each other, the last of them [{name}]")
        } else {
            return self.enter(name, &pipeline, context);
        };
        Err(Failure::of("graph_structure_exception", wrong))
    }

    /// Runs a pipeline, whose name documents have as `_ingest.pipeline` meanwhile.
    fn enter(&mut self, name: &str, pipeline: &Pipeline, context: &mut Context) -> Result<Flow> {
        let outer = context.ingest.remove("pipeline");
        context.ingest.set("pipeline", name);
        self.names.push(name.to_owned());
        let flow = pipeline.process(context, self);
        self.names.pop();
        match outer {
            Some(outer) => context.ingest.set("pipeline", outer),
            None => drop(context.ingest.remove("pipeline")),
        }
        flow
    }

    /// Counts a processor. That a document has gone through too many, or that nobody waits for it any more, is a failure which
    /// each processor around it meets, too.
    fn step(&mut self) -> Result<()> {
        self.steps += 1;
        if self.steps > STEPS_MAX {
            return failed(format!(
                "the document has gone through more than {STEPS_MAX} processors, which is the limit"
            ));
        }
        self.host
            .scripts()
            .look()
            .map_err(|ended| Failure::new(ended.reason))
    }

    fn note(&mut self, processor: &Processor, status: StepStatus) {
        let last = self.noted();
        self.note_at(last, processor, status);
    }

    /// Notes what a processor did before the steps that come with it.
    fn note_at(&mut self, place: usize, processor: &Processor, status: StepStatus) {
        if let Some(steps) = &mut self.trace {
            let condition = processor.condition.as_ref();
            let has_held = !matches!(status, StepStatus::Skipped);
            let step = Step {
                processor: processor.kind.clone(),
                tag: processor.tag.clone(),
                description: processor.description.clone(),
                condition: condition.map(|condition| (condition.source.clone(), has_held)),
                status,
            };
            steps.insert(place, step);
        }
    }

    /// How many steps were noted.
    fn noted(&self) -> usize {
        self.trace.as_ref().map_or(0, |steps| steps.len())
    }

    fn is_traced(&self) -> bool {
        self.trace.is_some()
    }
}

fn parse_all(list: Vec<Json>, depth: usize, count: &mut usize) -> options::Result<Vec<Processor>> {
    let mut processors = Vec::with_capacity(list.len());
    for one in list {
        match one {
            // An object may have several, which run in its order.
            Json::Object(several) => {
                for (kind, given) in several {
                    let one = Json::Object(Map::from_iter([(kind, given)]));
                    processors.push(Processor::parse(one, depth, count)?);
                }
            }
            other => processors.push(Processor::parse(other, depth, count)?),
        }
    }
    Ok(processors)
}

fn failure_list(
    options: &mut Options,
    depth: usize,
    count: &mut usize,
) -> options::Result<Option<Vec<Processor>>> {
    match options.list("on_failure")? {
        None => Ok(None),
        Some(list) if list.is_empty() => {
            Err(PipelineError::of("on_failure", "processors list cannot be empty"))
        }
        Some(list) => Ok(Some(parse_all(list, depth + 1, count)?)),
    }
}

impl Processor {
    pub(crate) fn parse(definition: Json, depth: usize, count: &mut usize) -> options::Result<Processor> {
        *count += 1;
        if *count > PROCESSORS_MAX || depth > DEPTH_MAX {
            return Err(PipelineError::new(format!(
                "a pipeline has at most {PROCESSORS_MAX} processors, {DEPTH_MAX} deep"
            )));
        }
        let Json::Object(definition) = definition else {
            return Err(PipelineError::new(
                "[processors] property isn't a list of objects",
            ));
        };
        let mut members = definition.into_iter();
        let (Some((kind, given)), None) = (members.next(), members.next()) else {
            return Err(PipelineError::new("[processors] a processor has one type"));
        };
        let given = match given {
            Json::Object(given) => given,
            // `{"pipeline": "name"}` has no options; scripts may be texts.
            Json::String(text) if kind == "script" => {
                Map::from_iter([("source".to_owned(), Json::String(text))])
            }
            other => {
                let class = class_of_json(&other);
                return Err(PipelineError {
                    processor: Some(kind),
                    ..PipelineError::new(format!("property isn't a map, but of type [{class}]"))
                });
            }
        };
        let mut options = Options::of_processor(&kind, given);
        let tag = options.optional_text("tag")?;
        let parsed = Processor::parse_of(&kind, tag.clone(), options, depth, count);
        parsed.map_err(|error| PipelineError {
            processor: error.processor.or(Some(kind)),
            tag: error.tag.or(tag),
            ..error
        })
    }

    fn parse_of(
        kind: &str,
        tag: Option<String>,
        mut options: Options,
        depth: usize,
        count: &mut usize,
    ) -> options::Result<Processor> {
        let ignores_failure = options.flag("ignore_failure", false)?;
        let description = options.optional_text("description")?;
        let on_failure = failure_list(&mut options, depth, count)?;
        let condition = match options.take("if") {
            None => None,
            Some(Json::String(source)) => Some(Condition::parse(&source)?),
            Some(Json::Object(script)) => {
                let source = script.get("source").and_then(Json::as_str);
                let source = source.ok_or_else(|| PipelineError::unsupported("an [if] without [source]"))?;
                Some(Condition::parse(source)?)
            }
            Some(_) => return Err(PipelineError::of("if", "property isn't a script")),
        };
        let work = ProcessorKind::parse(kind, &mut options, depth, count)?;
        options.end()?;
        Ok(Processor {
            kind: kind.to_owned(),
            tag,
            description,
            condition,
            ignores_failure,
            on_failure,
            work,
        })
    }

    fn is_wanted(&self, context: &Context, host: &dyn Host) -> Result<bool> {
        let Some(condition) = &self.condition else {
            return Ok(true);
        };
        let mut globals = Globals::new()
            .with("ctx", context.for_script())
            .with("params", Document::new());
        match condition.script.run(&mut globals, host.scripts()) {
            Ok(Value::Bool(wanted)) => Ok(wanted),
            Ok(_) => failed("the condition [if] is neither true nor false"),
            Err(error) => Err(Failure::of("script_exception", format!("runtime error: {error}"))),
        }
    }

    pub(crate) fn process(&self, context: &mut Context, run: &mut Run<'_>) -> Result<Flow> {
        run.step()?;
        let place = run.noted();
        let outcome = match self.is_wanted(context, run.host) {
            Ok(false) => {
                run.note(self, StepStatus::Skipped);
                return Ok(Flow::Next);
            }
            Ok(true) => self.work.run(context, run),
            Err(failure) => Err(failure),
        };
        let is_pipeline = matches!(self.work, ProcessorKind::Pipeline(_));
        let mut failure = match outcome {
            Ok(flow) => {
                if is_pipeline {
                    run.note_at(place, self, StepStatus::Called);
                } else if run.is_traced() {
                    let status = match flow {
                        Flow::Next => StepStatus::Success(context.clone()),
                        Flow::Drop => StepStatus::Dropped,
                    };
                    run.note(self, status);
                }
                return Ok(flow);
            }
            Err(failure) => failure,
        };
        // The processor of another pipeline that has failed has said so.
        let is_called = is_pipeline && !failure.processor.is_empty();
        if failure.processor.is_empty() {
            failure.processor.clone_from(&self.kind);
            failure.tag.clone_from(&self.tag);
        }
        if is_called {
            run.note_at(place, self, StepStatus::Called);
        }
        if self.ignores_failure {
            if run.is_traced() && !is_called {
                run.note(self, StepStatus::Ignored(failure, context.clone()));
            }
            return Ok(Flow::Next);
        }
        if !is_called {
            run.note(self, StepStatus::Failed(failure.clone()));
        }
        match &self.on_failure {
            Some(others) => handled(others, &failure, context, run),
            None => Err(failure),
        }
    }
}

impl Condition {
    fn parse(source: &str) -> options::Result<Condition> {
        Ok(Condition {
            source: source.to_owned(),
            script: processors::compile(source)?,
        })
    }
}

fn process_all(processors: &[Processor], context: &mut Context, run: &mut Run<'_>) -> Result<Flow> {
    for processor in processors {
        if let Flow::Drop = processor.process(context, run)? {
            return Ok(Flow::Drop);
        }
    }
    Ok(Flow::Next)
}

/// Runs the processors for a failure, which see what failed.
fn handled(
    others: &[Processor],
    failure: &Failure,
    context: &mut Context,
    run: &mut Run<'_>,
) -> Result<Flow> {
    const NAMES: [&str; 3] = [
        "on_failure_message",
        "on_failure_processor_type",
        "on_failure_processor_tag",
    ];
    context.ingest.set(NAMES[0], failure.reason.as_str());
    context.ingest.set(NAMES[1], failure.processor.as_str());
    match &failure.tag {
        Some(tag) => context.ingest.set(NAMES[2], tag.as_str()),
        None => drop(context.ingest.remove(NAMES[2])),
    }
    let result = process_all(others, context, run);
    for name in NAMES {
        context.ingest.remove(name);
    }
    result
}
