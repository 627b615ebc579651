//! The way of a document: `fail`, `pipeline`, `script`.

use crate::context::Context;
use crate::error::{Failure, PipelineError, Result};
use crate::options::{self, Options, value_of};
use crate::pipeline::Run;
use crate::processors::Flow;
use crate::template::Template;
use painless::Globals;
use value::{Document, Value};

/// Compiles a script.
pub(crate) fn compile(source: &str) -> options::Result<painless::Script> {
    painless::Script::compile(source).map_err(|error| PipelineError::new(format!("compile error: {error}")))
}

/// `fail`: an error on purpose.
#[derive(Debug)]
pub(crate) struct Fail {
    message: Template,
}

impl Fail {
    pub(super) fn parse(options: &mut Options) -> options::Result<Fail> {
        Ok(Fail {
            message: options.template("message")?,
        })
    }

    pub(super) fn run(&self, context: &Context) -> Result<()> {
        Err(Failure::of(
            "fail_processor_exception",
            self.message.render(context)?,
        ))
    }
}

/// `pipeline`: another pipeline within this one.
#[derive(Debug)]
pub(crate) struct Pipeline {
    name: Template,
    ignores_missing: bool,
}

impl Pipeline {
    pub(super) fn parse(options: &mut Options) -> options::Result<Pipeline> {
        Ok(Pipeline {
            name: options.template("name")?,
            ignores_missing: options.flag("ignore_missing_pipeline", false)?,
        })
    }

    pub(super) fn run(&self, context: &mut Context, run: &mut Run<'_>) -> Result<Flow> {
        let name = self.name.render(context)?;
        run.pipeline(&name, self.ignores_missing, context)
    }
}

/// Where a script is.
#[derive(Debug)]
enum Source {
    Own(painless::Script),
    /// Kept, under this id.
    Kept(String),
}

/// `script`: the document as `ctx`.
#[derive(Debug)]
pub(crate) struct Script {
    script: Source,
    params: Document,
}

impl Script {
    pub(super) fn parse(options: &mut Options) -> options::Result<Script> {
        if let Some(language) = options
            .optional_text("lang")?
            .filter(|language| language != "painless")
        {
            return Err(PipelineError::unsupported(format!("scripts in [{language}]")));
        }
        let script = match (options.optional_text("id")?, options.optional_text("source")?) {
            (Some(id), None) => Source::Kept(id),
            (None, Some(source)) => Source::Own(compile(&source)?),
            (Some(_), Some(_)) => {
                return Err(PipelineError::new(
                    "[source] and [id] of a script exclude each other",
                ));
            }
            (None, None) => {
                return Err(PipelineError::new(
                    "must specify either [source] for an inline script or [id] for a stored script",
                ));
            }
        };
        let params = options.object("params")?.unwrap_or_default();
        Ok(Script {
            script,
            params: match value_of(&params.into()) {
                Value::Document(params) => params,
                _ => Document::new(),
            },
        })
    }

    pub(super) fn run(&self, context: &mut Context, run: &Run<'_>) -> Result<()> {
        let mut globals = Globals::new()
            .with("ctx", context.for_script())
            .with("params", self.params.clone());
        let ran = match &self.script {
            Source::Own(script) => script.run(&mut globals, run.host.scripts()),
            Source::Kept(id) => match run.host.script(id) {
                Some(script) => script.run(&mut globals, run.host.scripts()),
                None => {
                    let reason = format!("unable to find script [{id}] in cluster state");
                    return Err(Failure::of("resource_not_found_exception", reason));
                }
            },
        };
        ran.map_err(|error| Failure::of("script_exception", format!("runtime error: {error}")))?;
        if let Some(Value::Document(document)) = globals.take("ctx") {
            context.take_from_script(document)?;
        }
        Ok(())
    }
}
