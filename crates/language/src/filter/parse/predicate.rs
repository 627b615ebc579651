//! The operators on a field: `{a: {$gt: 5, $lt: 9}}`.

use super::{Parser, bits, equality, is_operators, kinds, shown};
use crate::expression::number::Number;
use crate::filter::{BitTest, Comparison, GeoCondition, GeoOperator, NearCondition, Predicate, number};
use crate::regex::Regex;
use crate::{Code, Error, Result};
use geometry::Near;
use std::sync::Arc;
use value::collation::Collation;
use value::{Document, Value};

impl Parser<'_> {
    /// All predicates that a document of operators stands for; every one must hold for the path.
    pub(super) fn operators(self, name: &str, operators: &Document) -> Result<Vec<Predicate>> {
        if let Some((first, Value::Document(_) | Value::Array(_))) = operators.iter().next()
            && Near::is_operator(first)
        {
            let near = NearCondition::parse(operators, self.scope.place)?;
            return Ok(vec![Predicate::Near(Arc::new(near))]);
        }
        let has_regex = operators.contains("$regex");
        let mut is_regex_read = false;
        let mut predicates = Vec::with_capacity(operators.len());
        for (operator, value) in operators.iter() {
            match operator {
                "$all" => predicates.extend(self.all(value)?),
                "$geoWithin" | "$within" | "$geoIntersects" => {
                    check_alone(operators)?;
                    predicates.push(self.operator(name, operator, value)?);
                }
                "$options" if has_regex => {}
                // All of that name are one condition.
                "$regex" if is_regex_read => {}
                "$regex" => {
                    predicates.push(regex(operators)?);
                    is_regex_read = true;
                }
                _ => predicates.push(self.operator(name, operator, value)?),
            }
        }
        Ok(predicates)
    }

    fn operator(self, name: &str, operator: &str, value: &Value) -> Result<Predicate> {
        match operator {
            "$eq" => equality(value),
            "$lt" => ordering(name, Comparison::Lt, value),
            "$lte" => ordering(name, Comparison::Lte, value),
            "$gt" => ordering(name, Comparison::Gt, value),
            "$gte" => ordering(name, Comparison::Gte, value),
            "$ne" if matches!(value, Value::Regex(_)) => {
                Err(Error::bad_value("Can't have regex as arg to $ne."))
            }
            "$ne" => Ok(Predicate::Not(vec![equality(value)?])),
            "$in" => membership(operator, value, self.collation()),
            "$nin" => Ok(Predicate::Not(vec![membership(
                operator,
                value,
                self.collation(),
            )?])),
            "$not" => self.not(name, value),
            "$exists" => Ok(exists(value)),
            "$type" => kinds::type_set(operator, value).map(Predicate::Type),
            "$mod" => modulo(value),
            "$options" => Err(Error::bad_value("$options needs a $regex")),
            "$size" => size(value),
            "$elemMatch" => self.elem_match(value),
            "$bitsAllSet" => bits::bits_test(BitTest::AllSet, value),
            "$bitsAllClear" => bits::bits_test(BitTest::AllClear, value),
            "$bitsAnySet" => bits::bits_test(BitTest::AnySet, value),
            "$bitsAnyClear" => bits::bits_test(BitTest::AnyClear, value),
            "$where" => Err(Error::bad_value("$where cannot be applied to a field")),
            "$geoWithin" | "$within" => geo(GeoOperator::Within, value),
            "$geoIntersects" => geo(GeoOperator::Intersects, value),
            near if Near::is_operator(near) => Err(Error::bad_value(format!(
                "{near} must be first among the operators on a field"
            ))),
            _ => Err(Error::bad_value(format!("unknown operator: {operator}"))),
        }
    }

    fn not(self, name: &str, value: &Value) -> Result<Predicate> {
        match value {
            Value::Regex(regex) => Ok(Predicate::Not(vec![Predicate::Regex(Regex::new(
                &regex.pattern,
                &regex.options,
            )?)])),
            Value::Document(operators) if operators.is_empty() => {
                Err(Error::bad_value("$not cannot be empty"))
            }
            Value::Document(operators) => Ok(Predicate::Not(self.nested()?.operators(name, operators)?)),
            _ => Err(Error::bad_value("$not needs a regex or a document")),
        }
    }

    /// `$elemMatch` on values (`{$elemMatch: {$gt: 5}}`) or on documents (`{$elemMatch: {a: 1}}`).
    pub(super) fn elem_match(self, value: &Value) -> Result<Predicate> {
        let Value::Document(condition) = value else {
            return Err(Error::bad_value("$elemMatch needs an Object"));
        };
        let inner = self.element()?;
        let is_on_values = is_operators(condition, true)
            && condition
                .iter()
                .next()
                .is_some_and(|(first, _)| !stands_alone(first));
        if is_on_values {
            inner.operators("", condition).map(Predicate::ElemMatchValue)
        } else {
            let node = inner.document(condition)?;
            Ok(Predicate::ElemMatchObject(Box::new(node)))
        }
    }
}

/// Whether the operator is a condition by itself, without a field.
fn stands_alone(operator: &str) -> bool {
    super::STANDING_ALONE.contains(&operator)
}

/// Nothing may stand beside a question for places.
fn check_alone(operators: &Document) -> Result<()> {
    match operators.iter().nth(1) {
        Some((extra, value)) => Err(Error::bad_value(format!(
            "can't parse extra field: {}",
            shown(extra, value)
        ))),
        None => Ok(()),
    }
}

fn geo(operator: GeoOperator, argument: &Value) -> Result<Predicate> {
    GeoCondition::parse(operator, argument).map(|condition| Predicate::Geo(Arc::new(condition)))
}

fn ordering(name: &str, op: Comparison, value: &Value) -> Result<Predicate> {
    match value {
        Value::Regex(_) => Err(Error::bad_value(format!(
            "Can't have RegEx as arg to predicate over field '{name}'."
        ))),
        Value::Undefined => Err(Error::bad_value("cannot compare to undefined")),
        value => Ok(Predicate::Compare {
            op,
            value: value.clone(),
        }),
    }
}

fn membership(operator: &str, value: &Value, collation: Option<&Collation>) -> Result<Predicate> {
    let Value::Array(entries) = value else {
        return Err(Error::bad_value(format!("{operator} needs an array")));
    };
    let (mut values, mut regexes) = (Vec::with_capacity(entries.len()), Vec::new());
    for entry in entries {
        match entry {
            Value::Regex(regex) => regexes.push(Regex::new(&regex.pattern, &regex.options)?),
            Value::Undefined => {
                return Err(Error::bad_value("InMatchExpression equality cannot be undefined"));
            }
            Value::Document(document) if is_operators(document, false) => {
                return Err(Error::bad_value(format!("cannot nest $ under {operator}")));
            }
            value => values.push(value.clone()),
        }
    }
    let order = |a: &Value, b: &Value| match collation {
        None => value::compare(a.as_ref(), b.as_ref()),
        Some(collation) => collation.compare_values(a.as_ref(), b.as_ref()),
    };
    values.sort_by(order);
    values.dedup_by(|a, b| order(a, b).is_eq());
    Ok(match (values.len(), regexes.len()) {
        (1, 0) => Predicate::Compare {
            op: Comparison::Eq,
            value: values.remove(0),
        },
        (0, 1) => Predicate::Regex(regexes.remove(0)),
        _ => Predicate::In { values, regexes },
    })
}

/// `$exists` takes any value, and asks whether it is true as MongoDB sees it.
fn exists(value: &Value) -> Predicate {
    let wanted = match value {
        Value::Bool(wanted) => *wanted,
        Value::Null | Value::Undefined => false,
        Value::Int32(number) => *number != 0,
        Value::Int64(number) => *number != 0,
        Value::Double(number) => *number != 0.0,
        Value::Decimal128(number) => !number.is_zero(),
        _ => true,
    };
    if wanted {
        Predicate::Exists
    } else {
        Predicate::Not(vec![Predicate::Exists])
    }
}

fn modulo(value: &Value) -> Result<Predicate> {
    let malformed = |what: &str| Error::bad_value(format!("malformed mod, {what}"));
    let Value::Array(operands) = value else {
        return Err(malformed("needs to be an array"));
    };
    let mut operands = operands.iter();
    let mut next = |which: &str| match operands.next() {
        None => Err(malformed("not enough elements")),
        Some(operand) if operand.as_ref().is_number() => Ok(operand),
        Some(_) => Err(malformed(&format!("{which} not a number"))),
    };
    let (divisor, remainder) = (next("divisor")?, next("remainder")?);
    if operands.next().is_some() {
        return Err(malformed("too many elements"));
    }
    let integer = |operand: &Value, which: &str| {
        number::truncated(operand.as_ref()).ok_or_else(|| {
            malformed(&format!(
                "{which} value is invalid :: caused by :: {}",
                why_no_integer(operand)
            ))
        })
    };
    let (divisor, remainder) = (integer(divisor, "divisor")?, integer(remainder, "remainder")?);
    if divisor == 0 {
        return Err(Error::bad_value("divisor cannot be 0"));
    }
    Ok(Predicate::Mod { divisor, remainder })
}

fn why_no_integer(number: &Value) -> &'static str {
    match Number::of(number.as_ref()) {
        Some(number) if number.is_finite() => "Out of bounds coercing to integral value",
        _ => "Unable to coerce NaN/Inf to integral type",
    }
}

/// `$regex`, with `$options` before or after it.
fn regex(context: &Document) -> Result<Predicate> {
    let both = |code| Error::new(code, "options set in both $regex and $options");
    let (mut pattern, mut options) = ("", "");
    for (operator, value) in context.iter() {
        match (operator, value) {
            ("$regex", Value::String(text)) => pattern = text,
            ("$regex", Value::Regex(regex)) => {
                pattern = &regex.pattern;
                if !regex.options.is_empty() {
                    if !options.is_empty() {
                        return Err(both(Code::location(51_074)));
                    }
                    options = &regex.options;
                }
            }
            ("$regex", _) => return Err(Error::bad_value("$regex has to be a string")),
            ("$options", Value::String(letters)) => {
                if !options.is_empty() {
                    return Err(both(Code::location(51_075)));
                }
                options = letters;
            }
            ("$options", _) => return Err(Error::bad_value("$options has to be a string")),
            _ => {}
        }
    }
    Regex::new(pattern, options).map(Predicate::Regex)
}

fn size(value: &Value) -> Result<Predicate> {
    let failed = |what: &str| {
        Error::bad_value(format!(
            "Failed to parse $size. Expected {what} in: {}",
            shown("$size", value)
        ))
    };
    if !value.as_ref().is_number() {
        return Err(failed("a number"));
    }
    let size = number::exact(value.as_ref()).ok_or_else(|| failed("an integer"))?;
    if size < 0 {
        return Err(failed("a non-negative number"));
    }
    i32::try_from(size)
        .map(|size| Predicate::Size(size.unsigned_abs()))
        .map_err(|_| failed("a number that fits 32 bits"))
}
