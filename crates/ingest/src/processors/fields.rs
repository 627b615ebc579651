//! Fields as such: `set`, `append`, `remove`, `rename`.

use crate::context::Context;
use crate::error::{PipelineError, Result, failed};
use crate::limits::{collected, document_bytes, fits};
use crate::options::{self, Options, value_of};
use crate::template::Template;
use serde_json::Value as Json;
use value::{Document, Value};

/// A value as a definition gives it; texts in it may name fields.
#[derive(Debug)]
enum Given {
    Text(Template),
    List(Vec<Given>),
    Object(Vec<(Template, Given)>),
    Other(Value),
}

impl Given {
    fn parse(json: &Json) -> options::Result<Given> {
        Ok(match json {
            Json::String(text) => Given::Text(Template::parse(text)?),
            Json::Array(list) => Given::List(list.iter().map(Given::parse).collect::<options::Result<_>>()?),
            Json::Object(members) => {
                let members = members.iter();
                let read = members.map(|(name, value)| Ok((Template::parse(name)?, Given::parse(value)?)));
                Given::Object(read.collect::<options::Result<_>>()?)
            }
            other => Given::Other(value_of(other)),
        })
    }

    fn value(&self, context: &Context) -> Result<Value> {
        Ok(match self {
            Given::Text(template) => Value::from(template.render(context)?),
            Given::List(list) => Value::Array(collected(list.iter().map(|one| one.value(context)))?),
            Given::Object(members) => {
                let mut object = Document::new();
                for (name, value) in members {
                    object.set(&name.render(context)?, value.value(context)?);
                }
                fits(document_bytes(&object))?;
                Value::Document(object)
            }
            Given::Other(value) => value.clone(),
        })
    }
}

/// `set`: a value at a field.
#[derive(Debug)]
pub(crate) struct Set {
    field: Template,
    value: Option<Given>,
    copy_from: Option<String>,
    overrides: bool,
    ignores_empty: bool,
}

impl Set {
    pub(super) fn parse(options: &mut Options) -> options::Result<Set> {
        let copy_from = options.optional_text("copy_from")?;
        // `null` is a value here.
        let value = match (options.take("value"), &copy_from) {
            (Some(_), Some(_)) => {
                return Err(PipelineError::of(
                    "copy_from",
                    "cannot set both `copy_from` and `value` in the same processor",
                ));
            }
            (Some(value), None) => Some(Given::parse(&value)?),
            (None, Some(_)) => None,
            (None, None) => return Err(PipelineError::of("value", "required property is missing")),
        };
        let media_type = options.optional_text("media_type")?;
        if let Some(kind) = media_type.filter(|kind| kind != "application/json" && kind != "text/plain") {
            return Err(PipelineError::unsupported(format!("the [media_type] [{kind}]")));
        }
        Ok(Set {
            field: options.template("field")?,
            value,
            copy_from,
            overrides: options.flag("override", true)?,
            ignores_empty: options.flag("ignore_empty_value", false)?,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        let field = self.field.render(context)?;
        if !self.overrides
            && context
                .get(&field)
                .is_some_and(|value| !matches!(value, Value::Null))
        {
            return Ok(());
        }
        let value = match (&self.value, &self.copy_from) {
            (Some(given), _) => given.value(context)?,
            (None, Some(from)) => match context.get(from) {
                Some(value) => value,
                None if self.ignores_empty => return Ok(()),
                None => context.required(from)?,
            },
            (None, None) => Value::Null,
        };
        let is_empty = match &value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            _ => false,
        };
        match self.ignores_empty && is_empty {
            true => Ok(()),
            false => context.set(&field, value),
        }
    }
}

/// `append`: values to a list.
#[derive(Debug)]
pub(crate) struct Append {
    field: Template,
    values: Vec<Given>,
    allows_duplicates: bool,
}

impl Append {
    pub(super) fn parse(options: &mut Options) -> options::Result<Append> {
        let values = match options.required("value")? {
            Json::Array(list) => list,
            one => vec![one],
        };
        Ok(Append {
            field: options.template("field")?,
            values: values.iter().map(Given::parse).collect::<options::Result<_>>()?,
            allows_duplicates: options.flag("allow_duplicates", true)?,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        let field = self.field.render(context)?;
        let values = collected(self.values.iter().map(|given| given.value(context)))?;
        context.append(&field, values, self.allows_duplicates)
    }
}

/// `remove`: fields that go away.
#[derive(Debug)]
pub(crate) struct Remove {
    fields: Vec<Template>,
    keep: Option<Vec<String>>,
    ignores_missing: bool,
}

impl Remove {
    pub(super) fn parse(options: &mut Options) -> options::Result<Remove> {
        let keep = options.one_or_more("keep")?;
        let fields = match &keep {
            Some(_) => options.one_or_more("field")?.unwrap_or_default(),
            None => options
                .one_or_more("field")?
                .ok_or_else(|| PipelineError::of("field", "required property is missing"))?,
        };
        if keep.is_some() && !fields.is_empty() {
            return Err(PipelineError::of(
                "keep",
                "Too many properties, must have only one of [field] and [keep]",
            ));
        }
        Ok(Remove {
            fields: fields
                .iter()
                .map(|field| Template::parse(field))
                .collect::<options::Result<_>>()?,
            keep,
            ignores_missing: options.flag("ignore_missing", false)?,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        for field in &self.fields {
            let field = field.render(context)?;
            if !self.ignores_missing || context.has(&field) {
                context.remove(&field)?;
            }
        }
        if let Some(keep) = &self.keep {
            context.source.retain(|name, _| {
                keep.iter()
                    .any(|kept| kept == name || kept.split_once('.').is_some_and(|(first, _)| first == name))
            });
        }
        Ok(())
    }
}

/// `rename`: a field under another name.
#[derive(Debug)]
pub(crate) struct Rename {
    field: Template,
    target: Template,
    ignores_missing: bool,
    overrides: bool,
}

impl Rename {
    pub(super) fn parse(options: &mut Options) -> options::Result<Rename> {
        Ok(Rename {
            field: options.template("field")?,
            target: options.template("target_field")?,
            ignores_missing: options.flag("ignore_missing", false)?,
            overrides: options.flag("override", false)?,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        let (field, target) = (self.field.render(context)?, self.target.render(context)?);
        let Some(value) = context.get(&field) else {
            return match self.ignores_missing {
                true => Ok(()),
                false => failed(format!("field [{field}] doesn't exist")),
            };
        };
        if context.has(&target) && !self.overrides {
            return failed(format!("field [{target}] already exists"));
        }
        // Nothing is lost where it cannot be put.
        let before = context.clone();
        context.remove(&field)?;
        if let Err(failure) = context.set(&target, value) {
            *context = before;
            return Err(failure);
        }
        Ok(())
    }
}
