//! Sorting by what scripts make of documents.

use super::{Mode, Order};
use mapping::error::{Result, SearchError};
use mapping::fields::{Term, View};
use mapping::json::Members;
use querying::DocumentScript;
use value::Value;

/// A sort by a script.
#[derive(Clone, Debug)]
pub struct ScriptSort {
    script: DocumentScript,
    pub(crate) is_text: bool,
    pub(crate) order: Order,
}

impl ScriptSort {
    pub(super) fn parse(order: Order, members: &mut Members<'_>) -> Result<ScriptSort> {
        let failed =
            |member: &str, why: String| SearchError::of_member("_script", member, SearchError::illegal(why));
        let script = members.take("script");
        let script = script.ok_or_else(|| SearchError::illegal("Required [script]"))?;
        let kind = members.text("type")?;
        let is_text = match kind
            .ok_or_else(|| SearchError::illegal("Required [type]"))?
            .as_str()
        {
            "number" => false,
            "string" => true,
            other => return Err(failed("type", format!("Unknown ScriptSortType [{other}]"))),
        };
        // A script gives one value, whichever of several would count.
        if let Some(mode) = members.text("mode")? {
            let mode = Mode::parse(&mode).map_err(|error| failed("mode", error.reason))?;
            if is_text && !matches!(mode, Mode::Min | Mode::Max) {
                return Err(failed(
                    "mode",
                    format!(
                        "script sort of type [string] doesn't support mode [{}]",
                        mode.name()
                    ),
                ));
            }
        }
        if members.take("nested").is_some() {
            return Err(SearchError::unsupported("[nested] of a sort by a script"));
        }
        Ok(ScriptSort {
            script: DocumentScript::parse(script)?,
            is_text,
            order,
        })
    }

    /// What the script makes of a document.
    pub(crate) fn value(&self, view: &View<'_>, score: Option<f32>) -> Result<Term> {
        if !self.is_text {
            return self.script.number(view, score).map(Term::Float);
        }
        match self.script.value(view, score)? {
            Value::String(text) => Ok(Term::Text(text)),
            _ => Err(self.script.failed("the script gives no text")),
        }
    }
}
