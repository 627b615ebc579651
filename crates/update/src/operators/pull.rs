//! `$pull` and `$pullAll`.

use super::{COMPARED_MAX, Effect};
use language::expression::ValueSet;
use language::filter::{Filter, FilterScope, OF_FIELDS};
use language::interruption::{COMPARISONS_PER_STEP, steps};
use language::{Error, Result};
use value::collation::{self, Collation};
use value::{Document, Value};

/// Which elements are taken away.
#[derive(Clone, Debug)]
pub(crate) enum Pull {
    /// Those equal to one of these.
    Equal(Vec<Value>, Option<Collation>),
    /// Those in a set of many.
    Among(Box<ValueSet>),
    /// Documents that match.
    Documents(Box<Filter>),
    /// Elements that match.
    Values(Box<Filter>),
}

pub(super) fn parse(operand: &Value, scope: &FilterScope<'_>) -> Result<Pull> {
    match operand {
        Value::Document(condition) if starts_with_operator(condition) => {
            Filter::parse_on_value(operand, scope).map(|filter| Pull::Values(Box::new(filter)))
        }
        Value::Document(condition) => Ok(Pull::Documents(Box::new(Filter::parse(condition, scope)?))),
        Value::Regex(_) => {
            Filter::parse_on_value(operand, scope).map(|filter| Pull::Values(Box::new(filter)))
        }
        _ => {
            let collation = scope.variables.and_then(|variables| variables.collation());
            Ok(Pull::Equal(vec![operand.clone()], collation.cloned()))
        }
    }
}

/// Whether the condition is on an element whatever it is. What begins with any other operator is a query of documents: `$and`,
/// `$comment`, the `$ref` of a reference; MongoDB counts `$not` among those, which no query can begin with.
fn starts_with_operator(condition: &Document) -> bool {
    let first = condition.iter().next();
    first.is_some_and(|(name, _)| name != "$not" && OF_FIELDS.contains(&name))
}

pub(super) fn parse_all(operand: &Value, collation: Option<&Collation>) -> Result<Pull> {
    match operand {
        Value::Array(values) if values.len() > COMPARED_MAX => {
            let mut set = ValueSet::new(collation);
            for value in values {
                steps(1)?;
                set.insert(value.clone());
            }
            Ok(Pull::Among(Box::new(set)))
        }
        Value::Array(values) => Ok(Pull::Equal(values.clone(), collation.cloned())),
        other => Err(Error::bad_value(format!(
            "$pullAll requires an array argument but was given a {}",
            other.type_of().alias()
        ))),
    }
}

impl Pull {
    pub(super) fn apply(&self, present: &mut Value) -> Result<Effect> {
        let Value::Array(elements) = present else {
            return Err(Error::bad_value("Cannot apply $pull to a non-array value"));
        };
        let before = elements.len();
        let mut kept = Vec::with_capacity(before);
        for element in elements.drain(..) {
            if !self.takes(&element)? {
                kept.push(element);
            }
        }
        *elements = kept;
        Ok(if elements.len() == before {
            Effect::Unchanged
        } else {
            Effect::Changed
        })
    }

    /// Whether the element is taken away.
    fn takes(&self, element: &Value) -> Result<bool> {
        match self {
            Pull::Equal(values, collation) => {
                steps(1 + values.len() / COMPARISONS_PER_STEP)?;
                Ok(values.iter().any(|value| {
                    collation::compare_in(collation.as_ref(), value.as_ref(), element.as_ref()).is_eq()
                }))
            }
            Pull::Among(values) => {
                steps(1)?;
                Ok(values.contains(element.as_ref()))
            }
            Pull::Documents(filter) => match element {
                Value::Document(document) => filter.matches(document.into()),
                _ => Ok(false),
            },
            Pull::Values(filter) => filter.matches_value("", element.as_ref()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_values_are_pulled_as_few_are() {
        let wanted: Vec<Value> = (0..100).map(|at| Value::Int32(at * 2)).collect();
        let pull = parse_all(&Value::Array(wanted), None).unwrap();
        let mut present = Value::Array((0..10).map(|at| Value::Double(f64::from(at))).collect());
        assert_eq!(pull.apply(&mut present).unwrap(), Effect::Changed);
        let odd = [1.0, 3.0, 5.0, 7.0, 9.0].map(Value::Double);
        assert_eq!(present, Value::Array(odd.to_vec()));
    }
}
