//! Functions for scores, by the types of the fields that they look at.

use super::Compiler;
use crate::matching::Node;
use crate::matching::functions::{Function, FunctionValue, Functions, Origin, ScriptScore};
use crate::query::{self, Decay, FunctionKind, FunctionScore, Query, Range};
use crate::script::DocumentScript;
use crate::units::time_of;
use mapping::error::{Result, SearchError};
use mapping::geo::{Point, metres};
use mapping::json::{as_f64, scalar};
use mapping::{Field, FieldKind};
use serde_json::Value;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

impl Compiler<'_> {
    pub(super) fn function_score(self, query: &Query, scoring: &FunctionScore, boost: f32) -> Result<Node> {
        let functions = scoring.functions.iter().map(|function| self.function(function));
        Ok(Node::Functions(Box::new(Functions {
            query: self.node(query)?,
            functions: functions.collect::<Result<_>>()?,
            score_mode: scoring.score_mode,
            boost_mode: scoring.boost_mode,
            max_boost: scoring.max_boost,
            min_score: scoring.min_score,
            boost,
        })))
    }

    pub(super) fn script_score(
        self,
        query: &Query,
        script: &DocumentScript,
        min_score: Option<f32>,
        boost: f32,
    ) -> Result<Node> {
        Ok(Node::ScriptScore(Box::new(ScriptScore {
            query: self.node(query)?,
            script: script.clone(),
            min_score,
            boost,
        })))
    }

    fn function(self, function: &query::Function) -> Result<Function> {
        let value = match &function.kind {
            FunctionKind::Weight => FunctionValue::Weight,
            FunctionKind::Script(script) => FunctionValue::Script(script.clone()),
            FunctionKind::Random { seed, field } => {
                let field = match field {
                    Some(name) => Some(self.mapping.field(name).map(Cow::into_owned).ok_or_else(|| {
                        SearchError::illegal(format!(
                            "field [{name}] is not mapped and cannot be used as a source of random numbers."
                        ))
                    })?),
                    None => None,
                };
                let mut hasher = DefaultHasher::new();
                match seed {
                    Some(seed) => seed.hash(&mut hasher),
                    None => self.now_ms.hash(&mut hasher),
                }
                FunctionValue::Random(hasher.finish(), field)
            }
            FunctionKind::FieldValue {
                field,
                factor,
                modifier,
                missing,
            } => {
                let found = self.mapping.field(field).map(Cow::into_owned);
                if found.is_none() && missing.is_none() {
                    return Err(SearchError::illegal(format!(
                        "Unable to find a field mapper for field [{field}]. No 'missing' value defined."
                    )));
                }
                FunctionValue::Field {
                    field: found,
                    name: field.clone(),
                    factor: *factor,
                    modifier: *modifier,
                    missing: *missing,
                }
            }
            FunctionKind::Decay(decay) => self.decay(decay)?,
        };
        let filter = function.filter.as_ref().map(|filter| self.node(filter));
        Ok(Function {
            // What matches all is none.
            filter: filter.transpose()?.filter(|node| !matches!(node, Node::All(_))),
            weight: function.weight,
            value,
        })
    }

    fn decay(self, decay: &Decay) -> Result<FunctionValue> {
        let unknown = || SearchError::parsing(format!("unknown field [{}]", decay.field));
        let field = self
            .mapping
            .field(&decay.field)
            .map(Cow::into_owned)
            .ok_or_else(unknown)?;
        let (origin, scale, offset) = self.measures(decay, &field)?;
        let scale = scale.ok_or_else(|| unreadable(decay, "scale"))?;
        if scale <= 0.0 {
            return Err(SearchError::illegal("a decay function: scale must be > 0.0."));
        }
        Ok(FunctionValue::Decay {
            field: Arc::clone(&field),
            origin,
            scale,
            offset: offset.ok_or_else(|| unreadable(decay, "offset"))?,
            decay: decay.decay,
            curve: decay.curve,
            mode: decay.mode,
        })
    }

    /// The origin, scale and offset of a decay function in the measure of its field; the lengths where they can be read.
    fn measures(self, decay: &Decay, field: &Field) -> Result<(Origin, Option<f64>, Option<f64>)> {
        let text = |value: &Value| scalar(value).unwrap_or_default();
        let zero = Value::from(0);
        let offset = decay.offset.as_ref().unwrap_or(&zero);
        let origin = || decay.origin.as_ref().ok_or_else(|| unreadable(decay, "origin"));
        Ok(match field.kind {
            FieldKind::Point => {
                let length = |value: &Value| match value {
                    Value::Number(number) => number.as_f64(),
                    other => metres(&text(other)),
                };
                let origin = Point::of_json(origin()?).ok_or_else(|| unreadable(decay, "origin"))?;
                (Origin::Place(origin), length(&decay.scale), length(offset))
            }
            FieldKind::Date => {
                let origin = match &decay.origin {
                    Some(origin) => self.date(field, &Range::default(), origin, false)?,
                    None => self.now_ms,
                };
                let length = |value: &Value| match text(value).as_str() {
                    "0" => Some(0.0),
                    text => time_of(text).map(|time| time.as_nanos() as f64 / 1e6),
                };
                (
                    Origin::Number(origin as f64),
                    length(&decay.scale),
                    length(offset),
                )
            }
            FieldKind::Integer(..) | FieldKind::Unsigned | FieldKind::Float(_) => {
                let origin = as_f64(origin()?).ok_or_else(|| unreadable(decay, "origin"))?;
                (Origin::Number(origin), as_f64(&decay.scale), as_f64(offset))
            }
            _ => {
                return Err(SearchError::parsing(format!(
                    "field [{}] is of type [{}], but only numeric types are supported.",
                    decay.field, field.type_name
                )));
            }
        })
    }
}

fn unreadable(decay: &Decay, what: &str) -> SearchError {
    SearchError::parsing(format!(
        "[{what}] of a decay function cannot be read for [{}]",
        decay.field
    ))
}
