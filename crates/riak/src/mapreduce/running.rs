//! A phase under way.

use super::erlang::{MapFunction, ReduceFunction};
use super::failure::Failure;
use super::item::{Input, PhaseItem, size_of};
use super::object::{FoundObject, Objects};
use super::script::{Scripts, panicked};
use crate::access::Access;
use crate::error::RiakError;
use crate::names::Bucket;
use crate::server::Server;
use http::StatusCode;
use memory::Share;
use serde_json::Value;
use std::iter::Peekable;
use std::sync::Arc;
use std::vec::IntoIter;

/// The values of one call of a reduce function by default. What it gave is among those of its next call.
const REDUCED_AT_ONCE: usize = 1_000;

/// What a function of the server's own takes for an object, about.
const STEPS_OF_OBJECT: usize = 50;

/// What phases work with.
#[derive(Debug)]
pub(super) struct Tools {
    pub(super) server: Arc<Server>,
    pub(super) access: Access,
    pub(super) objects: Objects,
    pub(super) scripts: Scripts,
    /// The memory of values that phases hold back.
    pub(super) share: Share,
}

impl Tools {
    pub(super) fn hold(&mut self, bytes: usize) -> Result<(), Failure> {
        let room = self.share.add(bytes);
        room.map_err(|full| RiakError::new(StatusCode::SERVICE_UNAVAILABLE, full.to_string()).into())
    }

    /// The objects of the first of these inputs.
    async fn read(&mut self, inputs: &mut Peekable<IntoIter<Input>>) -> Result<Vec<FoundObject>, Failure> {
        Ok(self.objects.read(&self.server, &self.access, inputs).await?)
    }

    fn let_go(&mut self, bytes: usize) {
        // Less than before always fits.
        drop(self.share.set(self.share.bytes().saturating_sub(bytes)));
    }
}

/// A phase with what it holds.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) number: usize,
    pub(super) keeps: bool,
    pub(super) argument: Option<Value>,
    pub(super) work: Work,
}

/// What a phase does with what comes.
#[derive(Debug)]
pub(super) enum Work {
    Map(Mapper),
    Link {
        bucket: Option<Vec<u8>>,
        tag: Option<Vec<u8>>,
    },
    Reduce(Reduce),
}

/// The function of a map phase.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mapper {
    /// The one of this place among the scripts.
    Script(usize),
    Native(MapFunction),
}

/// A reduce phase.
#[derive(Debug)]
pub(super) struct Reduce {
    pub(super) function: Reducer,
    values: Vec<Value>,
    /// How many of them came out of the function.
    reduced: usize,
    held_bytes: usize,
    was_called: bool,
}

/// The function of a reduce phase.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reducer {
    /// The one of this place among the scripts.
    Script(usize),
    Native(ReduceFunction),
}

impl Reduce {
    pub(super) fn new(function: Reducer) -> Reduce {
        Reduce {
            function,
            values: Vec::new(),
            reduced: 0,
            held_bytes: 0,
            was_called: false,
        }
    }
}

impl Running {
    /// Takes what came out of the phase before; gives what comes out of this one now.
    pub(super) async fn take(
        &mut self,
        tools: &mut Tools,
        items: Vec<PhaseItem>,
    ) -> Result<Vec<PhaseItem>, Failure> {
        let at_once = self.reduced_at_once();
        match &mut self.work {
            Work::Reduce(reduce) => {
                let mut values = items.into_iter().map(PhaseItem::into_json);
                while values.len() > 0 {
                    // At least as many new values as old ones, so that the old ones are not reduced too often.
                    let wanted = at_once.map_or(usize::MAX, |at_once| at_once.max(reduce.reduced));
                    let waiting = reduce.values.len() - reduce.reduced;
                    let more: Vec<Value> = values.by_ref().take(wanted - waiting).collect();
                    let bytes = more.iter().map(size_of).sum();
                    tools.hold(bytes)?;
                    reduce.held_bytes += bytes;
                    reduce.values.extend(more);
                    if reduce.values.len() - reduce.reduced >= wanted {
                        run(reduce, self.number, self.argument.as_ref(), tools).await?;
                    }
                }
                Ok(Vec::new())
            }
            Work::Map(mapper) => {
                let mapper = *mapper;
                self.map(mapper, tools, items).await
            }
            Work::Link { bucket, tag } => {
                let (bucket, tag) = (bucket.clone(), tag.clone());
                let mut inputs = self.inputs(items)?;
                let mut linked = Vec::new();
                while inputs.peek().is_some() {
                    for found in tools.read(&mut inputs).await? {
                        linked.extend(links(&found, bucket.as_deref(), tag.as_deref())?);
                    }
                }
                Ok(linked)
            }
        }
    }

    /// What the function gives for the objects that items name.
    async fn map(
        &self,
        mapper: Mapper,
        tools: &mut Tools,
        items: Vec<PhaseItem>,
    ) -> Result<Vec<PhaseItem>, Failure> {
        let mut inputs = self.inputs(items)?;
        let (mut results, mut held_bytes) = (Vec::new(), 0);
        while inputs.peek().is_some() {
            let found = tools.read(&mut inputs).await?;
            let given = match mapper {
                Mapper::Script(place) => tools.scripts.map(place, found, self.argument.as_ref()).await?,
                Mapper::Native(function) => {
                    let (number, argument) = (self.number, self.argument.clone());
                    let called =
                        engine::on_another_thread(move || call(function, number, found, argument.as_ref()));
                    called.await.map_err(panicked)??
                }
            };
            // What is given for many long objects may be long too.
            if inputs.peek().is_some() {
                let bytes = given.iter().map(size_of).sum();
                tools.hold(bytes)?;
                held_bytes += bytes;
            }
            results.extend(given.into_iter().map(PhaseItem::Value));
        }
        tools.let_go(held_bytes);
        Ok(results)
    }

    /// The end of what comes; gives what was held back.
    pub(super) async fn finish(&mut self, tools: &mut Tools) -> Result<Vec<PhaseItem>, Failure> {
        let Work::Reduce(reduce) = &mut self.work else {
            return Ok(Vec::new());
        };
        if reduce.values.len() > reduce.reduced || !reduce.was_called {
            run(reduce, self.number, self.argument.as_ref(), tools).await?;
        }
        tools.let_go(reduce.held_bytes);
        let values = std::mem::take(&mut reduce.values);
        Ok(values.into_iter().map(PhaseItem::Value).collect())
    }

    /// Whether it looks at the objects that its inputs name.
    pub(super) fn reads_objects(&self) -> bool {
        !matches!(self.work, Work::Reduce(_))
    }

    /// How many values are gathered for a call; `None` for all.
    fn reduced_at_once(&self) -> Option<usize> {
        let option = |name: &str| self.argument.as_ref()?.as_object()?.get(name);
        if option("reduce_phase_only_1") == Some(&Value::Bool(true)) {
            return None;
        }
        let size = option("reduce_phase_batch_size").and_then(Value::as_u64);
        Some(size.map_or(REDUCED_AT_ONCE, |size| size.max(1) as usize))
    }

    /// The objects that items name.
    fn inputs(&self, items: Vec<PhaseItem>) -> Result<Peekable<IntoIter<Input>>, Failure> {
        let input = |item: PhaseItem| {
            item.into_input().map_err(|value| {
                let error = "bad_input: a map or link phase wants lists of a bucket and a key";
                Failure::phase(self.number, error, Some(&value.to_string()), None)
            })
        };
        let inputs: Result<Vec<Input>, Failure> = items.into_iter().map(input).collect();
        Ok(inputs?.into_iter().peekable())
    }
}

/// What a function of the server's own gives for objects.
fn call(
    function: MapFunction,
    phase: usize,
    read: Vec<FoundObject>,
    argument: Option<&Value>,
) -> Result<Vec<Value>, Failure> {
    let mut results = Vec::new();
    for found in read {
        engine::steps(STEPS_OF_OBJECT)?;
        let called = function.call(&found, argument);
        let key = String::from_utf8_lossy(&found.input.key);
        let failed = |error: String| Failure::phase(phase, &error, Some(&key), None);
        results.extend(called.map_err(failed)?);
    }
    Ok(results)
}

async fn run(
    reduce: &mut Reduce,
    phase: usize,
    argument: Option<&Value>,
    tools: &mut Tools,
) -> Result<(), Failure> {
    let values = std::mem::take(&mut reduce.values);
    let failed = |error: String| Failure::phase(phase, &error, None, None);
    engine::steps(values.len())?;
    reduce.values = match reduce.function {
        Reducer::Script(place) => tools.scripts.reduce(place, values, argument).await?,
        Reducer::Native(function) => function.call(values).map_err(failed)?,
    };
    reduce.reduced = reduce.values.len();
    reduce.was_called = true;
    tools.let_go(reduce.held_bytes);
    reduce.held_bytes = reduce.values.iter().map(size_of).sum();
    tools.hold(reduce.held_bytes)
}

/// The objects to which an object's links point.
fn links(
    found: &FoundObject,
    bucket: Option<&[u8]>,
    tag: Option<&[u8]>,
) -> crate::error::Result<Vec<PhaseItem>> {
    let Some(object) = found.object() else {
        return Ok(Vec::new());
    };
    let is_wanted = |wanted: Option<&[u8]>, given: &[u8]| wanted.is_none_or(|wanted| wanted == given);
    let item = |link: &crate::content::Link| {
        let bucket = Bucket::new(None, &link.bucket)?;
        let tag = Value::from(String::from_utf8_lossy(&link.tag).into_owned());
        Ok(PhaseItem::Input(Input::named(
            bucket,
            link.key.clone(),
            Some(tag),
        )))
    };
    object
        .links()
        .into_iter()
        .filter(|link| is_wanted(bucket, &link.bucket) && is_wanted(tag, &link.tag))
        .map(item)
        .collect()
}
