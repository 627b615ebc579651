//! The ingest pipelines of the server, and documents on their way through them.

use crate::call::Call;
use crate::compiled::Compiled;
use crate::kept::Family;
use auth::Action;
use http::StatusCode;
use indices::error::{ElasticError, Result, kinds};
use ingest::{Context, Host, Pipeline};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use value::Document;

/// The pipelines as they are at the beginning of a request.
pub struct Pipelines<'s> {
    definitions: BTreeMap<String, Value>,
    /// The stored scripts.
    scripts: BTreeMap<String, Value>,
    compiled: &'s Compiled,
    now_ms: i64,
}

impl Host for Pipelines<'_> {
    fn pipeline(&self, name: &str) -> Option<Arc<Pipeline>> {
        self.compiled.pipeline(name, self.definitions.get(name)?)
    }

    fn script(&self, id: &str) -> Option<Arc<painless::Script>> {
        let kept = self
            .scripts
            .get(id)
            .filter(|script| script["lang"] == "painless")?;
        self.compiled.script(id, kept["source"].as_str()?)
    }

    fn now_ms(&self) -> i64 {
        self.now_ms
    }

    fn scripts(&self) -> &dyn painless::Host {
        &indices::scripts::Waiting
    }
}

/// Which pipelines documents of an index go through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    first: Option<String>,
    last: Option<String>,
}

impl Wanted {
    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        self.first.is_none() && self.last.is_none()
    }
}

impl Call {
    /// All pipelines.
    pub async fn pipelines(&self) -> Result<Pipelines<'_>> {
        Ok(Pipelines {
            definitions: self.kept(Family::Pipeline).await?.into_iter().collect(),
            scripts: self.kept(Family::Script).await?.into_iter().collect(),
            compiled: &self.server.compiled,
            now_ms: i64::try_from(self.server.engine.now_ms()).unwrap_or(i64::MAX),
        })
    }

    /// Refuses a definition that names scripts which are not stored.
    pub async fn check_scripts_of(&self, definition: &Value) -> Result<()> {
        // Only processors are searched, since a value that they put into documents may look like a script.
        let mut pending: Vec<&Value> = within(definition).collect();
        while let Some(processor) = pending.pop() {
            for (kind, options) in processor.as_object().into_iter().flatten() {
                if let ("script", Some(Value::String(id))) = (kind.as_str(), options.get("id")) {
                    self.kept_script(id, "painless").await?;
                }
                pending.extend(within(options));
            }
        }
        Ok(())
    }

    /// The pipelines of an index, which need not be there yet; the request may name another first one.
    pub async fn pipelines_of(&self, index: &str, asked: Option<&str>) -> Result<Wanted> {
        let settings = match self.open_index(index, Action::Insert) {
            Ok(index) => index.given_settings(),
            Err(error) if error.kind == kinds::NO_INDEX => self.templated(index).await?.settings,
            // The write will say so.
            Err(_) => return Ok(Wanted::default()),
        };
        let named = |name: &str| settings.get(name).and_then(Value::as_str).map(str::to_owned);
        let is_some = |name: &String| name != "_none";
        Ok(Wanted {
            first: asked
                .map(str::to_owned)
                .or_else(|| named("default_pipeline"))
                .filter(is_some),
            last: named("final_pipeline").filter(is_some),
        })
    }

    /// Puts a document through its pipelines; `false` where they drop it.
    pub async fn through(
        &self,
        pipelines: &Pipelines<'_>,
        wanted: &Wanted,
        context: &mut Context,
    ) -> Result<bool> {
        let index = context.index.clone();
        if let Some(first) = &wanted.first
            && !run(pipelines, first, context)?
        {
            return Ok(false);
        }
        let mut last = wanted.last.clone();
        if context.index != index {
            last = self.pipelines_of(&context.index, Some("_none")).await?.last;
        }
        let index = context.index.clone();
        if let Some(last) = &last {
            let goes_on = run(pipelines, last, context)?;
            if context.index != index {
                return Err(ElasticError::new(
                    StatusCode::BAD_REQUEST,
                    "illegal_state_exception",
                    format!("final pipeline [{last}] can't change the target index"),
                ));
            }
            return Ok(goes_on);
        }
        Ok(true)
    }

    /// Puts the document that an update makes where there is none through its pipelines, which cannot give it another place. About
    /// the bytes that it takes then; `None` where they drop it.
    pub async fn made_through(
        &self,
        pipelines: &Pipelines<'_>,
        wanted: &Wanted,
        mut context: Context,
        made: &mut Document,
    ) -> Result<Option<usize>> {
        context.source = std::mem::take(made);
        let goes_on = self.through(pipelines, wanted, &mut context).await?;
        let bytes = context.bytes();
        *made = context.source;
        Ok(goes_on.then_some(bytes))
    }
}

fn run(pipelines: &Pipelines<'_>, name: &str, context: &mut Context) -> Result<bool> {
    let missing = || ElasticError::illegal(format!("pipeline with id [{name}] does not exist"));
    let pipeline = pipelines.pipeline(name).ok_or_else(missing)?;
    Ok(pipeline.run(context, pipelines)?)
}

/// The processors that are within a pipeline or a processor.
fn within(options: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["processors", "on_failure"].map(|name| options.get(name).and_then(Value::as_array));
    let listed = lists.into_iter().flatten().flatten();
    listed.chain(options.get("processor"))
}
