//! Lists and objects: `json`, `foreach`, `dot_expander`, `sort`.

use crate::context::Context;
use crate::error::{Failure, PipelineError, Result, cannot_cast, failed};
use crate::limits::{fits, value_bytes};
use crate::options::{self, Options};
use crate::pipeline::{Processor, Run};
use crate::processors::Flow;
use crate::template::shown;
use mapping::java::class_of;
use std::collections::HashMap;
use value::{Document, Value};

/// So many members are looked for one by one among those of a document.
const MEMBERS_FEW: usize = 64;

/// `json`: the value that a text is written as.
#[derive(Debug)]
pub(crate) struct Json {
    field: String,
    target: Option<String>,
    is_root: bool,
}

impl Json {
    pub(super) fn parse(options: &mut Options) -> options::Result<Json> {
        let is_root = options.flag("add_to_root", false)?;
        let target = options.optional_text("target_field")?;
        if is_root && target.is_some() {
            return Err(PipelineError::of(
                "target_field",
                "Cannot set a target field while also setting `add_to_root` to true",
            ));
        }
        for (name, default) in [("add_to_root_conflict_strategy", "replace")] {
            if options.optional_text(name)?.is_some_and(|given| given != default) {
                return Err(PipelineError::unsupported(format!(
                    "[{name}] other than [{default}]"
                )));
            }
        }
        if options.flag("allow_duplicate_keys", false)? {
            return Err(PipelineError::unsupported("[allow_duplicate_keys]"));
        }
        Ok(Json {
            field: options.text("field")?,
            target,
            is_root,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        let found = context.required(&self.field)?;
        // What is no text is read as it is written.
        let text = match &found {
            Value::Null => "null".to_owned(),
            value => shown(value),
        };
        let read = match text.trim().is_empty() {
            true => Ok(Value::Null),
            false => json::Reader::exact_whole(text.as_bytes()),
        };
        let value =
            read.map_err(|error| Failure::new(format!("field [{}] is no JSON: {error}", self.field)))?;
        match (self.is_root, value) {
            (true, Value::Document(members)) => {
                merge(&mut context.source, members);
                Ok(())
            }
            (true, _) => failed("cannot add non-map fields to root of document"),
            (false, value) => context.set(self.target.as_deref().unwrap_or(&self.field), value),
        }
    }
}

/// Puts members into a document, each in the place of the one of its name, if there is one. Both may be a million.
fn merge(document: &mut Document, members: Document) {
    if members.len() <= MEMBERS_FEW {
        members
            .into_iter()
            .for_each(|(name, value)| document.set(name, value));
        return;
    }
    let mut merged: Vec<(String, Value)> = std::mem::take(document).into_iter().collect();
    let names = merged.iter().enumerate();
    let mut places: HashMap<String, usize> = names.map(|(at, (name, _))| (name.clone(), at)).collect();
    for (name, value) in members {
        match places.get(&name).and_then(|at| merged.get_mut(*at)) {
            Some((_, present)) => *present = value,
            None => {
                places.insert(name.clone(), merged.len());
                merged.push((name, value));
            }
        }
    }
    *document = merged.into_iter().collect();
}

/// `foreach`: one processor for each element of a list.
#[derive(Debug)]
pub(crate) struct Foreach {
    field: String,
    processor: Box<Processor>,
    ignores_missing: bool,
}

impl Foreach {
    pub(super) fn parse(options: &mut Options, depth: usize, count: &mut usize) -> options::Result<Foreach> {
        let inner = options.required("processor")?;
        Ok(Foreach {
            field: options.text("field")?,
            processor: Box::new(Processor::parse(inner, depth + 1, count)?),
            ignores_missing: options.flag("ignore_missing", false)?,
        })
    }

    pub(super) fn run(&self, context: &mut Context, run: &mut Run<'_>) -> Result<Flow> {
        let found = match context.get(&self.field) {
            None | Some(Value::Null) if self.ignores_missing => return Ok(Flow::Next),
            Some(value) => value,
            None => context.required(&self.field)?,
        };
        let Value::Array(list) = found else {
            return cannot_cast(&self.field, &found, "java.util.List");
        };
        // A failure leaves an outer `foreach` its element, too.
        let before = context.ingest.remove("_value");
        let made = self.each(list, context, run);
        context.ingest.remove("_value");
        if let Some(before) = before {
            context.ingest.set("_value", before);
        }
        match made? {
            None => Ok(Flow::Drop),
            Some(made) => {
                context.set(&self.field, Value::Array(made))?;
                Ok(Flow::Next)
            }
        }
    }

    /// What becomes of the elements; `None` where the document is dropped.
    fn each(&self, list: Vec<Value>, context: &mut Context, run: &mut Run<'_>) -> Result<Option<Vec<Value>>> {
        let (mut made, mut bytes) = (Vec::with_capacity(list.len()), 0);
        for element in list {
            context.ingest.set("_value", element);
            if self.processor.process(context, run)? == Flow::Drop {
                return Ok(None);
            }
            let element = context.ingest.remove("_value");
            bytes += element.as_ref().map_or(0, value_bytes);
            fits(bytes)?;
            made.extend(element);
        }
        Ok(Some(made))
    }
}

/// Names with dots that a document may have for `dot_expander`: it takes a time that grows with their square.
const DOTTED_MAX: usize = 10_000;

/// `dot_expander`: a field with dots in its name as an object.
#[derive(Debug)]
pub(crate) struct DotExpander {
    field: String,
    path: Option<String>,
    overrides: bool,
}

impl DotExpander {
    pub(super) fn parse(options: &mut Options) -> options::Result<DotExpander> {
        let field = options.text("field")?;
        if field != "*" && !field.contains('.') {
            return Err(PipelineError::of("field", "field does not contain a dot"));
        }
        if field.starts_with('.') || field.ends_with('.') {
            return Err(PipelineError::of("field", "Field can't start or end with a dot"));
        }
        Ok(DotExpander {
            field,
            path: options.optional_text("path")?,
            overrides: options.flag("override", false)?,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        let within = match &self.path {
            None => context.source.clone(),
            Some(path) => match context.required(path)? {
                Value::Document(inner) => inner,
                _ => return failed(format!("[{path}] is not an object")),
            },
        };
        let is_wanted = |name: &str| match self.field.as_str() {
            "*" => name.contains('.'),
            wanted => name == wanted,
        };
        let (dotted, others): (Vec<_>, Vec<_>) = within.into_iter().partition(|(name, _)| is_wanted(name));
        if dotted.len() > DOTTED_MAX {
            return failed(format!(
                "the document has more than {DOTTED_MAX} fields with dots in their names, which is the limit"
            ));
        }
        let mut inner = Context {
            source: others.into_iter().collect(),
            ..Context::default()
        };
        for (name, value) in dotted {
            let dots = name.match_indices('.').map(|(at, _)| &name[..at]);
            let is_value = |path: &&str| {
                inner
                    .get(path)
                    .is_some_and(|value| !matches!(value, Value::Document(_)))
            };
            if let Some(path) = dots.clone().find(is_value) {
                return failed(format!(
                    "cannot expend [{name}], because [{path}] is not an object field, but a value field"
                ));
            }
            match inner.get(&name) {
                Some(_) if !self.overrides => {
                    inner.append(&name, vec![value], true)?;
                }
                _ => inner.set(&name, value)?,
            }
        }
        match &self.path {
            None => context.source = inner.source,
            Some(path) => context.set(path, Value::Document(inner.source))?,
        }
        Ok(())
    }
}

/// `sort`: a list in its order.
#[derive(Debug)]
pub(crate) struct Sort {
    field: String,
    target: Option<String>,
    descends: bool,
}

impl Sort {
    pub(super) fn parse(options: &mut Options) -> options::Result<Sort> {
        let order = options.optional_text("order")?;
        let descends = match order.as_deref() {
            None | Some("asc") => false,
            Some("desc") => true,
            Some(other) => {
                return Err(PipelineError::of(
                    "order",
                    format!("Sort direction [{other}] not recognized. Valid values are: [asc, desc]"),
                ));
            }
        };
        Ok(Sort {
            field: options.text("field")?,
            target: options.optional_text("target_field")?,
            descends,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        let mut list = match context.required(&self.field)? {
            Value::Array(list) => list,
            Value::Null => return failed(format!("field [{}] is null, cannot sort.", self.field)),
            other => return cannot_cast(&self.field, &other, "java.util.List"),
        };
        let of_first = list.first().map(class_of);
        let is_other = |value: &&Value| {
            Some(class_of(value)) != of_first || matches!(value, Value::Null | Value::Document(_))
        };
        if let Some(other) = list.iter().find(is_other) {
            let reason = format!(
                "class {} cannot be cast to class {}",
                of_first.unwrap_or_default(),
                class_of(other)
            );
            return Err(Failure::of("class_cast_exception", reason));
        }
        list.sort_by(|a, b| value::compare(a.as_ref(), b.as_ref()));
        if self.descends {
            list.reverse();
        }
        context.set(self.target.as_deref().unwrap_or(&self.field), Value::Array(list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_members_take_the_places_that_few_take() {
        let members: Document = (0..1_000)
            .map(|at| (format!("m{}", at * 3), Value::Int32(at)))
            .collect();
        let present: Document = (0..100).map(|at| (format!("m{}", at * 2), Value::Null)).collect();
        let mut one_by_one = present.clone();
        for (name, value) in members.iter() {
            one_by_one.set(name, value.clone());
        }
        let mut at_once = present;
        merge(&mut at_once, members);
        let names = |document: &Document| -> Vec<String> {
            document.iter().map(|(name, _)| name.to_owned()).collect()
        };
        assert_eq!(names(&at_once), names(&one_by_one));
        assert_eq!(at_once, one_by_one);
    }
}
