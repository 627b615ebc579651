//! Scores that functions make of those of a query.

use super::{Node, Statistics};
use crate::query::{BoostMode, Curve, ManyMode, Modifier, ScoreMode};
use crate::script::DocumentScript;
use mapping::Field;
use mapping::error::{Result, SearchError};
use mapping::fields::{Term, View};
use mapping::geo::Point;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A query with functions.
#[derive(Debug)]
pub struct Functions {
    pub(super) query: Node,
    pub(super) functions: Vec<Function>,
    pub(super) score_mode: ScoreMode,
    pub(super) boost_mode: BoostMode,
    pub(super) max_boost: f64,
    pub(super) min_score: Option<f32>,
    pub(super) boost: f32,
}

/// A query whose score a script makes.
#[derive(Debug)]
pub struct ScriptScore {
    pub(super) query: Node,
    pub(super) script: DocumentScript,
    pub(super) min_score: Option<f32>,
    pub(super) boost: f32,
}

#[derive(Debug)]
pub(super) struct Function {
    pub(super) filter: Option<Node>,
    pub(super) weight: Option<f64>,
    pub(super) value: FunctionValue,
}

#[derive(Debug)]
pub(super) enum FunctionValue {
    Weight,
    Script(DocumentScript),
    Random(u64, Option<Arc<Field>>),
    Field {
        field: Option<Arc<Field>>,
        name: String,
        factor: f64,
        modifier: Modifier,
        missing: Option<f64>,
    },
    Decay {
        field: Arc<Field>,
        origin: Origin,
        scale: f64,
        offset: f64,
        decay: f64,
        curve: Curve,
        mode: ManyMode,
    },
}

#[derive(Debug)]
pub(super) enum Origin {
    Number(f64),
    Place(Point),
}

impl Functions {
    /// The query that says which documents match, and whether scores leave some of them out.
    pub fn matched(&self) -> (&Node, bool) {
        (&self.query, self.min_score.is_some())
    }

    /// The queries that say to which documents each function is applied.
    pub(super) fn filters(&self) -> impl Iterator<Item = &Node> {
        let functions = self.functions.iter();
        functions.filter_map(|function| function.filter.as_ref())
    }

    /// The fields whose values say whether a document matches, as [`Node::columns`] has it.
    pub(super) fn columns(&self, out: &mut Vec<Arc<Field>>) -> Option<()> {
        match self.matched() {
            (query, false) => query.columns(out),
            _ => None,
        }
    }

    pub(super) fn score(&self, view: &View<'_>, statistics: &Statistics) -> Option<f32> {
        let own = f64::from(self.query.score(view, statistics)? * self.boost);
        let score = match self.value(own as f32, view, statistics) {
            Ok(None) => own,
            Ok(Some(value)) => {
                let value = value.min(self.max_boost);
                match self.boost_mode {
                    BoostMode::Multiply => own * value,
                    BoostMode::Replace => value,
                    BoostMode::Sum => own + value,
                    BoostMode::Avg => (own + value) / 2.0,
                    BoostMode::Max => own.max(value),
                    BoostMode::Min => own.min(value),
                }
            }
            Err(error) => {
                statistics.fail(error);
                return None;
            }
        };
        if score < 0.0 || score.is_nan() {
            statistics.fail(SearchError::illegal(format!(
                "function score query returned an invalid score: {score} for doc: {}. It must be a non-negative score!",
                view.id
            )));
            return None;
        }
        at_least(score as f32, self.min_score)
    }

    /// What the functions give together; `None` where there are none.
    fn value(&self, score: f32, view: &View<'_>, statistics: &Statistics) -> Result<Option<f64>> {
        let one = |function: &Function| -> Result<f64> {
            Ok(function.value.of(view, score)? * function.weight.unwrap_or(1.0))
        };
        match &self.functions[..] {
            [] => return Ok(None),
            [only] if only.filter.is_none() => return one(only).map(Some),
            _ => {}
        }
        let matching = self.functions.iter().filter(|function| {
            let filter = function.filter.as_ref();
            filter.is_none_or(|filter| filter.score(view, statistics).is_some())
        });
        let (mut values, mut weights) = (Vec::new(), 0.0);
        for function in matching {
            values.push(one(function)?);
            weights += function.weight.unwrap_or(1.0);
            if self.score_mode == ScoreMode::First {
                break;
            }
        }
        if values.is_empty() {
            return Ok(Some(1.0));
        }
        let best = |pick: fn(f64, f64) -> f64| values.iter().copied().reduce(pick).unwrap_or(1.0);
        let sum: f64 = values.iter().sum();
        Ok(Some(match self.score_mode {
            ScoreMode::First => values[0],
            ScoreMode::Max => best(f64::max),
            ScoreMode::Min => best(f64::min),
            ScoreMode::Multiply => values.iter().product(),
            // Functions of no weight are as none.
            ScoreMode::Sum | ScoreMode::Avg if weights == 0.0 => 1.0,
            ScoreMode::Sum => sum,
            ScoreMode::Avg => sum / weights,
        }))
    }
}

impl ScriptScore {
    /// The query that says which documents match, and whether scores leave some of them out.
    pub fn matched(&self) -> (&Node, bool) {
        (&self.query, self.min_score.is_some())
    }

    pub(super) fn score(&self, view: &View<'_>, statistics: &Statistics) -> Option<f32> {
        let own = self.query.score(view, statistics)?;
        let made = self.script.number(view, Some(own)).and_then(|score| {
            let is_fine = score >= 0.0 && score.is_finite();
            is_fine.then_some(score).ok_or_else(|| {
                SearchError::illegal(format!(
                    "script_score script returned an invalid score [{score}] for doc [{}]. Must be a non-negative score!",
                    view.id
                ))
            })
        });
        match made {
            Ok(score) => at_least(score as f32 * self.boost, self.min_score),
            Err(error) => {
                statistics.fail(error);
                None
            }
        }
    }
}

fn at_least(score: f32, least: Option<f32>) -> Option<f32> {
    least.is_none_or(|least| score >= least).then_some(score)
}

impl FunctionValue {
    fn of(&self, view: &View<'_>, score: f32) -> Result<f64> {
        match self {
            FunctionValue::Weight => Ok(1.0),
            FunctionValue::Script(script) => script.number(view, Some(score)),
            FunctionValue::Random(seed, field) => Ok(by_chance(*seed, field.as_deref(), view)),
            FunctionValue::Field {
                field,
                name,
                factor,
                modifier,
                missing,
            } => {
                let values = field.as_ref().map_or_else(Vec::new, |field| view.terms(field));
                let least = values.iter().filter_map(Term::as_f64).reduce(f64::min);
                let value = least
                    .or(*missing)
                    .ok_or_else(|| SearchError::illegal(format!("Missing value for field [{name}]")))?;
                let made = modified(value * factor, *modifier);
                if made < 0.0 || !made.is_finite() {
                    return Err(SearchError::illegal(format!(
                        "field value function must not produce negative scores, but got: [{made}] for field value: [{value}]"
                    )));
                }
                Ok(made)
            }
            FunctionValue::Decay {
                field,
                origin,
                scale,
                offset,
                decay,
                curve,
                mode,
            } => {
                let far = distance(field, origin, *offset, *mode, view);
                Ok(match curve {
                    Curve::Gauss => (0.5 * far * far / (0.5 * scale * scale / decay.ln())).exp(),
                    Curve::Exp => (decay.ln() / scale * far).exp(),
                    Curve::Linear => {
                        let reach = scale / (1.0 - decay);
                        ((reach - far) / reach).max(0.0)
                    }
                })
            }
        }
    }
}

fn modified(value: f64, modifier: Modifier) -> f64 {
    match modifier {
        Modifier::None => value,
        Modifier::Log => value.log10(),
        Modifier::Log1p => (value + 1.0).log10(),
        Modifier::Log2p => (value + 2.0).log10(),
        Modifier::Ln => value.ln(),
        Modifier::Ln1p => value.ln_1p(),
        Modifier::Ln2p => (value + 2.0).ln(),
        Modifier::Square => value * value,
        Modifier::Sqrt => value.sqrt(),
        Modifier::Reciprocal => 1.0 / value,
    }
}

/// A number from 0 to 1, the same for the same seed and the same value.
fn by_chance(seed: u64, field: Option<&Field>, view: &View<'_>) -> f64 {
    let mut hasher = DefaultHasher::new();
    seed.hash(&mut hasher);
    match field {
        None => view.sequence.hash(&mut hasher),
        Some(field) => format!("{:?}", view.terms(field)).hash(&mut hasher),
    }
    (hasher.finish() >> 40) as f64 / (1_u64 << 24) as f64
}

/// How far the values of a field are from an origin; a document without any is at it.
fn distance(field: &Field, origin: &Origin, offset: f64, mode: ManyMode, view: &View<'_>) -> f64 {
    let terms = view.terms(field);
    let far = terms.iter().filter_map(|term| match (origin, term) {
        (Origin::Place(origin), Term::Point(point)) => Some(point.distance(*origin)),
        (Origin::Number(origin), term) => term.as_f64().map(|value| (value - origin).abs()),
        _ => None,
    });
    let far: Vec<f64> = far.map(|far| (far - offset).max(0.0)).collect();
    let sum: f64 = far.iter().sum();
    let best = |pick: fn(f64, f64) -> f64| far.iter().copied().reduce(pick).unwrap_or(0.0);
    match mode {
        ManyMode::Min => best(f64::min),
        ManyMode::Max => best(f64::max),
        ManyMode::Sum => sum,
        ManyMode::Avg => sum / far.len().max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::{Clauses, compile};
    use crate::parse_query;
    use mapping::Mapping;
    use serde_json::json;
    use value::Document;

    #[test]
    fn functions_of_no_weight_are_as_none() {
        let mapping = Mapping::default();
        let document = Document::new();
        let view = View::of_document(&mapping, (&document).into());
        let all = json!({"match_all": {}});
        for (mode, wanted) in [("sum", 1.0), ("avg", 1.0), ("multiply", 0.0), ("first", 0.0)] {
            let query = json!({"function_score": {
                "functions": [{"filter": all, "weight": 0}, {"filter": all, "weight": 0}],
                "score_mode": mode, "boost_mode": "replace",
            }});
            let query = parse_query(&query).expect("a query");
            let node = compile(&query, &mapping, 0, &Clauses::default()).expect("compiled");
            assert_eq!(node.score(&view, &Statistics::default()), Some(wanted), "{mode}");
        }
    }
}
