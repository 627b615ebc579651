//! `grok`: a text taken apart by expressions that are made of named ones.

use crate::context::Context;
use crate::error::{PipelineError, Result, failed};
use crate::grok::Expression;
use crate::options::{self, Options};

/// The processor.
#[derive(Debug)]
pub(crate) struct Grok {
    field: String,
    expressions: Vec<Expression>,
    traces: bool,
    ignores_missing: bool,
}

impl Grok {
    pub(super) fn parse(options: &mut Options) -> options::Result<Grok> {
        let patterns = options.texts("patterns")?;
        if patterns.is_empty() {
            return Err(PipelineError::of(
                "patterns",
                "List of patterns must not be empty",
            ));
        }
        match options.optional_text("ecs_compatibility")?.as_deref() {
            None | Some("disabled") => {}
            Some(other) => {
                return Err(PipelineError::unsupported(format!(
                    "[ecs_compatibility] [{other}]"
                )));
            }
        }
        let own = options.object("pattern_definitions")?.unwrap_or_default();
        let own: Vec<(String, String)> = own
            .into_iter()
            .filter_map(|(name, pattern)| Some((name, pattern.as_str()?.to_owned())))
            .collect();
        let compiled = patterns.iter().map(|pattern| Expression::parse(pattern, &own));
        Ok(Grok {
            field: options.text("field")?,
            expressions: compiled.collect::<options::Result<_>>()?,
            traces: options.flag("trace_match", false)?,
            ignores_missing: options.flag("ignore_missing", false)?,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        let Some(text) = context.text(&self.field, self.ignores_missing)? else {
            return Ok(());
        };
        for (at, expression) in self.expressions.iter().enumerate() {
            if let Some(values) = expression.values(&text)? {
                for (path, value) in values {
                    context.set(&path, value)?;
                }
                if self.traces {
                    context.ingest.set("_grok_match_index", at.to_string());
                }
                return Ok(());
            }
        }
        failed(format!(
            "Provided Grok expressions do not match field value: [{text}]"
        ))
    }
}
