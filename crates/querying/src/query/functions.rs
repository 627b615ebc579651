//! Queries whose scores are made by functions: `function_score`, `script_score`; and `script`, whose condition is one.

use super::{Parser, Query};
use crate::script::DocumentScript;
use mapping::error::{Result, SearchError};
use mapping::json::{Members, scalar};
use serde_json::Value;

/// How the scores of a query become others.
#[derive(Clone, Debug)]
pub struct FunctionScore {
    pub(crate) functions: Vec<Function>,
    pub(crate) score_mode: ScoreMode,
    pub(crate) boost_mode: BoostMode,
    pub(crate) max_boost: f64,
    pub(crate) min_score: Option<f32>,
}

/// How the values of several functions become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScoreMode {
    First,
    Avg,
    Max,
    Sum,
    Min,
    Multiply,
}

/// How the score of the query and the value of its functions become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoostMode {
    Multiply,
    Replace,
    Sum,
    Avg,
    Max,
    Min,
}

/// A function, and for which documents it is.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) filter: Option<Query>,
    pub(crate) weight: Option<f64>,
    pub(crate) kind: FunctionKind,
}

#[derive(Clone, Debug)]
pub(crate) enum FunctionKind {
    /// The weight alone.
    Weight,
    Script(DocumentScript),
    /// By chance; the same for the same seed, and the same value of the field.
    Random {
        seed: Option<String>,
        field: Option<String>,
    },
    FieldValue {
        field: String,
        factor: f64,
        modifier: Modifier,
        missing: Option<f64>,
    },
    Decay(Decay),
}

/// What is done with the value of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Modifier {
    None,
    Log,
    Log1p,
    Log2p,
    Ln,
    Ln1p,
    Ln2p,
    Square,
    Sqrt,
    Reciprocal,
}

/// A value that falls with the distance to an origin.
#[derive(Clone, Debug)]
pub(crate) struct Decay {
    pub(crate) curve: Curve,
    pub(crate) field: String,
    pub(crate) origin: Option<Value>,
    pub(crate) scale: Value,
    pub(crate) offset: Option<Value>,
    pub(crate) decay: f64,
    pub(crate) mode: ManyMode,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Curve {
    Gauss,
    Exp,
    Linear,
}

/// Which distance counts where a field has several values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ManyMode {
    Min,
    Max,
    Avg,
    Sum,
}

impl Parser {
    pub(super) fn functions(self, name: &str, body: &Value) -> Result<Query> {
        let mut members = Members::of(name, body)?;
        let boost = members.boost()?;
        members.take("_name");
        let missing = || SearchError::parsing(format!("[{name}] requires a [script]"));
        let query = match name {
            "script" => Query::Script {
                script: DocumentScript::parse(members.take("script").ok_or_else(missing)?)?,
                boost,
            },
            "script_score" => Query::ScriptScore {
                query: self.required(&mut members, name, "query")?,
                script: DocumentScript::parse(members.take("script").ok_or_else(missing)?)?,
                min_score: members.number("min_score")?.map(|least| least as f32),
                boost,
            },
            _ => self.function_score(&mut members, boost)?,
        };
        members.end()?;
        Ok(query)
    }

    fn function_score(self, members: &mut Members<'_>, boost: f32) -> Result<Query> {
        let query = match members.take("query") {
            Some(query) => self.query(query)?,
            None => Query::MatchAll { boost: 1.0 },
        };
        let score_mode = match members.text("score_mode")?.as_deref() {
            None | Some("multiply") => ScoreMode::Multiply,
            Some("first") => ScoreMode::First,
            Some("avg") => ScoreMode::Avg,
            Some("max") => ScoreMode::Max,
            Some("sum") => ScoreMode::Sum,
            Some("min") => ScoreMode::Min,
            Some(other) => return Err(unknown("score_mode", other)),
        };
        let boost_mode = match members.text("boost_mode")?.as_deref() {
            None | Some("multiply") => BoostMode::Multiply,
            Some("replace") => BoostMode::Replace,
            Some("sum") => BoostMode::Sum,
            Some("avg") => BoostMode::Avg,
            Some("max") => BoostMode::Max,
            Some("min") => BoostMode::Min,
            Some(other) => return Err(unknown("boost_mode", other)),
        };
        let max_boost = members.number("max_boost")?.unwrap_or(f64::from(f32::MAX));
        let min_score = members.number("min_score")?.map(|least| least as f32);
        let listed = members.take("functions");
        let own = self.function(members)?;
        let functions = match (listed, own) {
            (Some(_), Some(_)) => {
                return Err(SearchError::parsing(
                    "failed to parse [function_score] query. already found [functions] array, now encountering a function besides",
                ));
            }
            (Some(Value::Array(list)), None) => list
                .iter()
                .map(|one| self.listed(one))
                .collect::<Result<Vec<_>>>()?,
            (Some(_), None) => return Err(SearchError::parsing("[functions] must be an array")),
            (None, own) => own.into_iter().collect(),
        };
        let scoring = FunctionScore {
            functions,
            score_mode,
            boost_mode,
            max_boost,
            min_score,
        };
        Ok(Query::FunctionScore {
            query: Box::new(query),
            scoring: Box::new(scoring),
            boost,
        })
    }

    fn listed(self, body: &Value) -> Result<Function> {
        let mut members = Members::of("function_score", body)?;
        // Elasticsearch reads over the brackets of a list: of several filters the last counts.
        let mut filter = None;
        match members.take("filter") {
            Some(Value::Array(several)) => {
                for one in several {
                    filter = Some(self.query(one)?);
                }
            }
            Some(one) => filter = Some(self.query(one)?),
            None => {}
        }
        let missing = || {
            SearchError::parsing(
                "failed to parse [function_score] query. an entry in functions list is missing a function.",
            )
        };
        let function = self.function(&mut members)?.ok_or_else(missing)?;
        members.end()?;
        Ok(Function { filter, ..function })
    }

    /// The function that is among these members.
    fn function(self, members: &mut Members<'_>) -> Result<Option<Function>> {
        let weight = members.number("weight")?;
        if weight.is_some_and(|weight| weight < 0.0) {
            return Err(SearchError::illegal("[weight] cannot be negative for a function"));
        }
        let mut found = Vec::new();
        if let Some(body) = members.take("script_score") {
            let mut inner = Members::of("script_score", body)?;
            let script = inner.take("script");
            let script =
                script.ok_or_else(|| SearchError::parsing("[script_score] requires 'script' field"))?;
            found.push(FunctionKind::Script(DocumentScript::parse(script)?));
            inner.end()?;
        }
        if let Some(body) = members.take("random_score") {
            let mut inner = Members::of("random_score", body)?;
            found.push(FunctionKind::Random {
                seed: inner.text("seed")?,
                // The number of the change is what counts where no field is named.
                field: inner.text("field")?.filter(|name| name != "_seq_no"),
            });
            inner.end()?;
        }
        if let Some(body) = members.take("field_value_factor") {
            found.push(field_value(body)?);
        }
        for (name, curve) in [
            ("gauss", Curve::Gauss),
            ("exp", Curve::Exp),
            ("linear", Curve::Linear),
        ] {
            if let Some(body) = members.take(name) {
                found.push(FunctionKind::Decay(decay(name, curve, body)?));
            }
        }
        if found.len() > 1 {
            return Err(SearchError::parsing(
                "failed to parse [function_score] query. several functions where there can be one; use the [functions] array",
            ));
        }
        let kind = match found.pop() {
            Some(kind) => kind,
            None if weight.is_some() => FunctionKind::Weight,
            None => return Ok(None),
        };
        Ok(Some(Function {
            filter: None,
            weight,
            kind,
        }))
    }
}

fn unknown(what: &str, name: &str) -> SearchError {
    SearchError::illegal(format!("[function_score] has no [{what}] [{name}]"))
}

fn field_value(body: &Value) -> Result<FunctionKind> {
    let mut members = Members::of("field_value_factor", body)?;
    let field = members.text("field")?;
    let modifier = match members
        .text("modifier")?
        .map(|name| name.to_ascii_lowercase())
        .as_deref()
    {
        None | Some("none") => Modifier::None,
        Some("log") => Modifier::Log,
        Some("log1p") => Modifier::Log1p,
        Some("log2p") => Modifier::Log2p,
        Some("ln") => Modifier::Ln,
        Some("ln1p") => Modifier::Ln1p,
        Some("ln2p") => Modifier::Ln2p,
        Some("square") => Modifier::Square,
        Some("sqrt") => Modifier::Sqrt,
        Some("reciprocal") => Modifier::Reciprocal,
        Some(other) => return Err(unknown("modifier", other)),
    };
    let kind = FunctionKind::FieldValue {
        field: field
            .ok_or_else(|| SearchError::parsing("[field_value_factor] required field 'field' missing"))?,
        factor: members.number("factor")?.unwrap_or(1.0),
        modifier,
        missing: members.number("missing")?,
    };
    members.end()?;
    Ok(kind)
}

fn decay(name: &str, curve: Curve, body: &Value) -> Result<Decay> {
    let mut members = Members::of(name, body)?;
    let mode = match members
        .text("multi_value_mode")?
        .map(|mode| mode.to_ascii_lowercase())
        .as_deref()
    {
        None | Some("min") => ManyMode::Min,
        Some("max") => ManyMode::Max,
        Some("avg") => ManyMode::Avg,
        Some("sum") => ManyMode::Sum,
        Some(other) => return Err(unknown("multi_value_mode", other)),
    };
    let missing = || SearchError::parsing(format!("[{name}] names no field"));
    let (field, parameters) = members.take_first().ok_or_else(missing)?;
    members.end()?;
    let mut inner = Members::of(name, parameters)?;
    let decay = inner.number("decay")?.unwrap_or(0.5);
    if !(decay > 0.0 && decay < 1.0) {
        return Err(SearchError::illegal(format!(
            "{name} : decay must be in the range (0..1), but is [{decay}]"
        )));
    }
    let scale = inner
        .take("scale")
        .cloned()
        .filter(|scale| scalar(scale).is_some());
    let found = Decay {
        curve,
        field: field.to_owned(),
        origin: inner.take("origin").cloned(),
        scale: scale
            .ok_or_else(|| SearchError::parsing(format!("[{name}] both [origin] and [scale] must be set")))?,
        offset: inner.take("offset").cloned(),
        decay,
        mode,
    };
    inner.end()?;
    Ok(found)
}
