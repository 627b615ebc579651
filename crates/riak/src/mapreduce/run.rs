//! A job under way.

use super::ahead::ReadAhead;
use super::failure::Failure;
use super::inputs::Source as Inputs;
use super::item::{PhaseItem, size_of};
use super::job::Job;
use super::object::Objects;
use super::phase::{Phase, Script, Step};
use super::running::{Mapper, Reduce, Reducer, Running, Tools, Work};
use super::script::{Scripts, Source, SourceText};
use crate::access::Access;
use crate::buckets::existing;
use crate::object::Object;
use crate::server::Server;
use auth::Action;
use memory::Holder;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What phases of these numbers keep.
pub(crate) type Kept = Vec<(usize, Vec<Value>)>;

/// A job under way.
#[derive(Debug)]
pub(crate) struct Run {
    inputs: ReadAhead,
    phases: Vec<Running>,
    tools: Tools,
    deadline: Instant,
    is_ended: bool,
}

impl Run {
    /// Begins a job.
    pub(crate) async fn start(server: Arc<Server>, access: Access, job: Job) -> Result<Run, Failure> {
        let time_max = Duration::from_millis(job.timeout_ms.into());
        let time_max = server.read_time_max.map_or(time_max, |limit| limit.min(time_max));
        let deadline = Instant::now() + time_max;
        let budget = server.engine.memory().clone();
        let mut sources = Vec::new();
        let mut phases = Vec::new();
        for (number, phase) in job.phases.into_iter().enumerate() {
            phases.push(begin(&server, &access, number, phase, &mut sources).await?);
        }
        let with_documents = phases.first().is_some_and(Running::reads_objects);
        let inputs = Inputs::open(&server, &access, job.inputs, with_documents).await?;
        let share = budget.share(Holder::Stages);
        Ok(Run {
            inputs: ReadAhead::of(inputs),
            phases,
            tools: Tools {
                server,
                access,
                objects: Objects::default(),
                scripts: Scripts::new(sources, budget),
                share,
            },
            deadline,
            is_ended: false,
        })
    }

    /// What is kept next; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Kept>, Failure> {
        while !self.is_ended {
            let deadline = self.deadline;
            let kept = match engine::run_until(deadline, self.step()).await {
                Err(_) if Instant::now() >= deadline => return Err(Failure::Timeout),
                kept => kept?,
            };
            if !kept.is_empty() {
                return Ok(Some(kept));
            }
        }
        Ok(None)
    }

    /// All that is kept, by phases.
    pub(crate) async fn all(&mut self) -> Result<Kept, Failure> {
        let mut all: Kept = self
            .phases
            .iter()
            .filter(|phase| phase.keeps)
            .map(|phase| (phase.number, Vec::new()))
            .collect();
        while let Some(kept) = self.next().await? {
            for (phase, values) in kept {
                self.tools.hold(values.iter().map(size_of).sum())?;
                match all.iter_mut().find(|(known, _)| *known == phase) {
                    Some((_, known)) => known.extend(values),
                    None => all.push((phase, values)),
                }
            }
        }
        Ok(all)
    }

    async fn step(&mut self) -> Result<Kept, Failure> {
        let mut kept = Vec::new();
        if let Some(inputs) = self.inputs.next().await? {
            let items = inputs.into_iter().map(PhaseItem::Input).collect();
            if self.phases.is_empty() {
                return Ok(vec![(0, values(items))]);
            }
            push(&mut self.phases, &mut self.tools, items, &mut kept).await?;
            return Ok(kept);
        }
        self.is_ended = true;
        for at in 0..self.phases.len() {
            let items = self.phases[at].finish(&mut self.tools).await?;
            keep(&self.phases[at], &items, &mut kept);
            push(&mut self.phases[at + 1..], &mut self.tools, items, &mut kept).await?;
        }
        Ok(kept)
    }
}

/// Brings items into the first of these phases, and what comes out of it into those behind.
async fn push(
    phases: &mut [Running],
    tools: &mut Tools,
    mut items: Vec<PhaseItem>,
    kept: &mut Kept,
) -> Result<(), Failure> {
    for phase in phases {
        if items.is_empty() {
            break;
        }
        items = phase.take(tools, items).await?;
        keep(phase, &items, kept);
    }
    Ok(())
}

fn keep(phase: &Running, items: &[PhaseItem], kept: &mut Kept) {
    if phase.keeps && !items.is_empty() {
        kept.push((phase.number, values(items.to_vec())));
    }
}

fn values(items: Vec<PhaseItem>) -> Vec<Value> {
    items.into_iter().map(PhaseItem::into_json).collect()
}

/// A phase as it begins. Its function, if that is a script, is added to the sources.
async fn begin(
    server: &Server,
    access: &Access,
    number: usize,
    phase: Phase,
    sources: &mut Vec<Source>,
) -> Result<Running, Failure> {
    let work = match phase.step {
        Step::Map(script) => {
            let place = add(server, access, number, script, sources).await?;
            Work::Map(Mapper::Script(place))
        }
        Step::Reduce(script) => {
            let place = add(server, access, number, script, sources).await?;
            Work::Reduce(Reduce::new(Reducer::Script(place)))
        }
        Step::NativeMap(function) => Work::Map(Mapper::Native(function)),
        Step::NativeReduce(function) => Work::Reduce(Reduce::new(Reducer::Native(function))),
        Step::Link { bucket, tag } => Work::Link { bucket, tag },
        Step::ErlangSource => {
            let error = "worker_startup_failed: source in Erlang is not run here ({strfun,not_allowed}); JavaScript is";
            return Err(Failure::phase(number, error, None, None));
        }
    };
    Ok(Running {
        number,
        keeps: phase.keeps,
        argument: phase.argument,
        work,
    })
}

/// Adds a function; its place among the sources.
async fn add(
    server: &Server,
    access: &Access,
    phase: usize,
    script: Script,
    sources: &mut Vec<Source>,
) -> Result<usize, Failure> {
    let text = match script {
        Script::Source(text) => SourceText::Own(text),
        Script::Named(name) => SourceText::Named(name),
        Script::Stored(bucket, key) => {
            let siblings = match existing(server, access, &bucket, Action::Find)? {
                Some(collection) => Object::read(&collection, &key).await?.siblings,
                None => Vec::new(),
            };
            let name = format!("{bucket}/{}", String::from_utf8_lossy(&key));
            let failed = |error: &str| Failure::phase(phase, error, Some(&name), None);
            let first = siblings
                .first()
                .ok_or_else(|| failed("notfound: there is no such function"))?;
            SourceText::Own(first.content.text().map_err(|error| failed(&error))?.to_owned())
        }
    };
    sources.push(Source { phase, text });
    Ok(sources.len() - 1)
}
