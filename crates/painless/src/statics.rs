//! Functions that belong to no value: `Math.max`, `Integer.parseInt`, `new ArrayList()`, and those for scores.

use crate::dates::{UNITS, between};
use crate::decay::decayed;
use crate::error::{Result, failed};
use crate::methods::{self, items};
use crate::moving;
use crate::object::Object;
use crate::run::Run;
use crate::writer::Writer;

/// The classes of which functions are called.
pub(crate) const CLASSES: &[&str] = &[
    "Math",
    "Integer",
    "Long",
    "Double",
    "Float",
    "Boolean",
    "String",
    "Objects",
    "Arrays",
    "Collections",
    "ChronoUnit",
    "Collectors",
    "MovingFunctions",
];

pub(crate) fn constant(class: &str, name: &str) -> Result<Object> {
    match (class, name) {
        ("Math", "PI") => Ok(Object::Double(std::f64::consts::PI)),
        ("Math", "E") => Ok(Object::Double(std::f64::consts::E)),
        ("Integer", "MAX_VALUE") => Ok(Object::Int(i64::from(i32::MAX))),
        ("Integer", "MIN_VALUE") => Ok(Object::Int(i64::from(i32::MIN))),
        ("Long", "MAX_VALUE") => Ok(Object::Int(i64::MAX)),
        ("Long", "MIN_VALUE") => Ok(Object::Int(i64::MIN)),
        ("Double", "MAX_VALUE") => Ok(Object::Double(f64::MAX)),
        (class, name) => match UNITS
            .iter()
            .find(|(unit, _, _)| class == "ChronoUnit" && *unit == name)
        {
            Some((_, unit, _)) => Ok(Object::Class(unit)),
            None => failed(format!("static field [{class}, {name}] not found")),
        },
    }
}

/// `Class.name(arguments)`.
pub(crate) fn call(run: &mut Run<'_>, class: &str, name: &str, arguments: &[Object]) -> Result<Object> {
    let made = match class {
        "Math" => of_math(name, arguments)?,
        "Integer" | "Long" | "Double" | "Float" | "Boolean" => of_primitive(run, class, name, arguments)?,
        "Collections" => of_collections(run, name, arguments)?,
        _ => of_others(run, class, name, arguments)?,
    };
    made.map_or_else(
        || {
            failed(format!(
                "static method [{class}, {name}/{}] not found",
                arguments.len()
            ))
        },
        Ok,
    )
}

/// `Math.name(arguments)`; `None` if there is none of this name, as below.
fn of_math(name: &str, arguments: &[Object]) -> Result<Option<Object>> {
    Ok(Some(match (name, arguments) {
        ("abs", [Object::Int(int)]) => Object::Int(int.wrapping_abs()),
        ("max", [Object::Int(a), Object::Int(b)]) => Object::Int(*a.max(b)),
        ("min", [Object::Int(a), Object::Int(b)]) => Object::Int(*a.min(b)),
        ("floorMod", [Object::Int(a), Object::Int(b)]) if *b != 0 => {
            let rest = a.wrapping_rem(*b);
            let is_other = rest != 0 && (rest < 0) != (*b < 0);
            Object::Int(if is_other { rest + b } else { rest })
        }
        ("round", [x]) => Object::Int((x.as_f64()? + 0.5).floor() as i64),
        (_, [x]) => {
            let x = x.as_f64()?;
            Object::Double(match name {
                "abs" => x.abs(),
                "ceil" => x.ceil(),
                "floor" => x.floor(),
                "rint" => x.round_ties_even(),
                "sqrt" => x.sqrt(),
                "cbrt" => x.cbrt(),
                "exp" => x.exp(),
                "log" => x.ln(),
                "log10" => x.log10(),
                "log1p" => x.ln_1p(),
                "signum" if x == 0.0 => 0.0,
                "signum" => x.signum(),
                "sin" => x.sin(),
                "cos" => x.cos(),
                "tan" => x.tan(),
                "asin" => x.asin(),
                "acos" => x.acos(),
                "atan" => x.atan(),
                "tanh" => x.tanh(),
                "toRadians" => x.to_radians(),
                "toDegrees" => x.to_degrees(),
                _ => return Ok(None),
            })
        }
        (_, [x, y]) => {
            let (x, y) = (x.as_f64()?, y.as_f64()?);
            Object::Double(match name {
                "max" => x.max(y),
                "min" => x.min(y),
                "pow" => x.powf(y),
                "atan2" => x.atan2(y),
                "hypot" => x.hypot(y),
                _ => return Ok(None),
            })
        }
        _ => return Ok(None),
    }))
}

/// The functions of the classes of numbers and truth values.
fn of_primitive(run: &mut Run<'_>, class: &str, name: &str, arguments: &[Object]) -> Result<Option<Object>> {
    Ok(Some(match (class, name, arguments) {
        ("Integer" | "Long", "parseInt" | "parseLong" | "valueOf", [text]) => cast_text(run, "long", text)?,
        ("Double" | "Float", "parseDouble" | "parseFloat" | "valueOf", [text]) => {
            cast_text(run, "double", text)?
        }
        ("Integer" | "Long", "compare", [a, b]) => {
            let order = a.as_int()?.cmp(&b.as_int()?);
            Object::Int(order as i64)
        }
        ("Double" | "Float", "compare", [a, b]) => {
            let order = a.as_f64()?.total_cmp(&b.as_f64()?);
            Object::Int(order as i64)
        }
        ("Boolean", "parseBoolean", [text]) => Object::Bool(text.as_text()?.eq_ignore_ascii_case("true")),
        (_, "toString", [one]) => Object::Text(one.shown(run)?),
        _ => return Ok(None),
    }))
}

/// `Collections.name(arguments)`.
fn of_collections(run: &mut Run<'_>, name: &str, arguments: &[Object]) -> Result<Option<Object>> {
    Ok(Some(match (name, arguments) {
        ("emptyList", []) => run.list(Vec::new())?,
        ("emptyMap", []) => run.map(Vec::new())?,
        ("sort", [list]) => methods::call(run, list, "sort", &[Object::Null])?,
        ("sort", [list, by]) => methods::call(run, list, "sort", std::slice::from_ref(by))?,
        ("reverse", [Object::List(list)]) => {
            run.step(list.borrow().len() / 8)?;
            list.borrow_mut().reverse();
            Object::Null
        }
        _ => return Ok(None),
    }))
}

/// The functions of classes that have few of them.
fn of_others(run: &mut Run<'_>, class: &str, name: &str, arguments: &[Object]) -> Result<Option<Object>> {
    Ok(Some(match (class, name, arguments) {
        ("String", "valueOf", [one]) => Object::Text(one.shown(run)?),
        ("String", "join", [mark, list]) => {
            let (mark, list) = (mark.as_text()?, items(list)?);
            let mut joined = Writer::new(run)?;
            for (at, part) in list.iter().enumerate() {
                joined.push(if at > 0 { &mark } else { "" })?;
                joined.show(part)?;
            }
            Object::Text(joined.finish())
        }
        ("Objects", "equals", [a, b]) => Object::Bool(run.equals(a, b)?),
        ("Objects", "isNull", [a]) => Object::Bool(a.is_null()),
        ("Objects", "nonNull", [a]) => Object::Bool(!a.is_null()),
        ("Arrays", "asList", list) => run.list(list.to_vec())?,
        ("Collectors", "toList", []) => Object::Class("Collectors.toList"),
        ("Collectors", "toSet", []) => Object::Class("Collectors.toSet"),
        ("MovingFunctions", name, [values, rest @ ..]) => {
            return Ok(of_window(run, name, values, rest)?.map(Object::Double));
        }
        (unit, "between", [from, to]) => return between(unit, from, to),
        _ => return Ok(None),
    }))
}

/// A function of a series of numbers; `None` if there is none of this name.
fn of_window(run: &mut Run<'_>, name: &str, values: &Object, rest: &[Object]) -> Result<Option<f64>> {
    let values = numbers(&items(values)?)?;
    run.step(values.len() / 8)?;
    Ok(Some(match (name, rest) {
        ("max", []) => values.iter().copied().reduce(java_max).unwrap_or(f64::NAN),
        ("min", []) => -values
            .iter()
            .map(|value| -value)
            .reduce(java_max)
            .unwrap_or(f64::NAN),
        ("sum", []) => moving::sum(&values),
        ("unweightedAvg", []) => moving::unweighted_avg(&values),
        ("linearWeightedAvg", []) => moving::linear_weighted_avg(&values),
        ("stdDev", [avg]) => moving::std_dev(&values, avg.as_f64()?),
        ("ewma", [alpha]) => moving::ewma(&values, alpha.as_f64()?),
        ("holt", [alpha, beta]) => {
            let next = moving::holt(&values, alpha.as_f64()?, beta.as_f64()?, 1);
            next.first().copied().unwrap_or(f64::NAN)
        }
        ("holtWinters", [alpha, beta, gamma, period, are_factors]) => {
            if values.is_empty() {
                return Ok(Some(f64::NAN));
            }
            let are_factors = are_factors.as_bool()?;
            let by = moving::Seasons {
                alpha: alpha.as_f64()?,
                beta: beta.as_f64()?,
                gamma: gamma.as_f64()?,
                period: usize::try_from(period.as_int()?).unwrap_or(0),
                are_factors,
                padding: if are_factors { moving::PADDING } else { 0.0 },
            };
            let next = moving::holt_winters(&values, by, 1).or_else(failed)?;
            next.first().copied().unwrap_or(f64::NAN)
        }
        _ => return Ok(None),
    }))
}

/// The greater of two numbers; NaN if one of them is.
fn java_max(a: f64, b: f64) -> f64 {
    if a.is_nan() || a >= b { a } else { b }
}

/// `name(arguments)`: the functions that scores are made of.
pub(crate) fn function(run: &mut Run<'_>, name: &str, arguments: &[Object]) -> Result<Object> {
    match (name, arguments) {
        ("saturation", [value, pivot]) => {
            let (value, pivot) = (value.as_f64()?, pivot.as_f64()?);
            Ok(Object::Double(value / (pivot + value)))
        }
        ("sigmoid", [value, pivot, exponent]) => {
            let (value, pivot, exponent) = (value.as_f64()?, pivot.as_f64()?, exponent.as_f64()?);
            let raised = value.powf(exponent);
            Ok(Object::Double(raised / (pivot.powf(exponent) + raised)))
        }
        ("cosineSimilarity" | "dotProduct" | "l1norm" | "l2norm", [query, field]) => {
            let of_field = match field {
                Object::Text(name) => match run.field(name)? {
                    Some(values) => values.to_vec(),
                    None => return failed(format!("No field found for [{name}] in mapping")),
                },
                other => items(other)?,
            };
            let (a, b) = (numbers(&items(query)?)?, vector(&of_field)?);
            run.step(a.len())?;
            if a.len() != b.len() {
                return failed(format!(
                    "The query vector has a different number of dimensions [{}] than the document vectors [{}].",
                    a.len(),
                    b.len()
                ));
            }
            Ok(Object::Double(similarity(name, &a, &b)))
        }
        _ => match decayed(name, arguments)? {
            Some(score) => Ok(score),
            None => failed(format!(
                "Unknown call [{name}] with [{}] arguments.",
                arguments.len()
            )),
        },
    }
}

fn numbers(list: &[Object]) -> Result<Vec<f64>> {
    list.iter().map(Object::as_f64).collect()
}

/// The numbers that a field has: those of its vector, or its values.
pub(crate) fn vector(values: &[Object]) -> Result<Vec<f64>> {
    match values {
        [] => failed("A document doesn't have a value for a vector field!"),
        [Object::List(vector)] => numbers(&vector.borrow()),
        values => numbers(values),
    }
}

/// The metres of the great circle between two points, on the sphere that Lucene has for the earth.
pub(crate) fn arc_distance(from: (f64, f64), to: (f64, f64)) -> f64 {
    const RADIUS: f64 = 6_371_008.771_4;
    let [from_lat, from_lon, to_lat, to_lon] = [from.0, from.1, to.0, to.1].map(f64::to_radians);
    let half = |angle: f64| (angle / 2.0).sin().powi(2);
    let chord = half(to_lat - from_lat) + from_lat.cos() * to_lat.cos() * half(to_lon - from_lon);
    2.0 * RADIUS * chord.sqrt().min(1.0).asin()
}

fn similarity(name: &str, a: &[f64], b: &[f64]) -> f64 {
    let pairs = || a.iter().zip(b);
    let dot: f64 = pairs().map(|(a, b)| a * b).sum();
    match name {
        "dotProduct" => dot,
        "l1norm" => pairs().map(|(a, b)| (a - b).abs()).sum(),
        "l2norm" => pairs().map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt(),
        _ => {
            let length = |list: &[f64]| list.iter().map(|x| x * x).sum::<f64>().sqrt();
            dot / (length(a) * length(b))
        }
    }
}

/// `new Kind(arguments)`.
pub(crate) fn made(run: &mut Run<'_>, kind: &str, arguments: &[Object]) -> Result<Object> {
    match (kind, arguments) {
        ("ArrayList" | "LinkedList", []) => run.list(Vec::new()),
        ("ArrayList" | "LinkedList", [other]) => run.list(items(other)?),
        ("HashSet" | "LinkedHashSet", []) => run.set(Vec::new()),
        ("HashSet" | "LinkedHashSet", [other]) => {
            let others = items(other)?;
            run.set(others)
        }
        ("HashMap" | "LinkedHashMap" | "TreeMap", []) => run.map(Vec::new()),
        ("HashMap" | "LinkedHashMap" | "TreeMap", [Object::Map(other)]) => {
            let copied = other.borrow().clone();
            run.map(copied)
        }
        (
            "Exception" | "IllegalArgumentException" | "RuntimeException" | "IllegalStateException",
            [reason],
        ) => Ok(Object::Text(reason.shown(run)?)),
        _ => failed(format!("cannot make a [{kind}] of {} arguments", arguments.len())),
    }
}

/// `object instanceof Kind`.
pub(crate) fn is_a(object: &Object, kind: &str) -> Result<bool> {
    Ok(match kind {
        "String" => matches!(object, Object::Text(_)),
        "List" | "ArrayList" => matches!(object, Object::List(_)),
        "Set" | "HashSet" => matches!(object, Object::Set(_)),
        "Collection" => matches!(object, Object::List(_) | Object::Set(_)),
        "Map" | "HashMap" => matches!(object, Object::Map(_)),
        "Boolean" => matches!(object, Object::Bool(_)),
        "Integer" | "Long" => matches!(object, Object::Int(_)),
        "Double" | "Float" => matches!(object, Object::Double(_)),
        "Number" => matches!(object, Object::Int(_) | Object::Double(_)),
        "Pattern" => matches!(object, Object::Pattern(_)),
        "Matcher" => matches!(object, Object::Matcher(_)),
        "Object" => !object.is_null(),
        other => return failed(format!("[instanceof {other}] is not supported")),
    })
}

/// `(kind) object`.
pub(crate) fn cast(kind: &str, object: Object) -> Result<Object> {
    Ok(match (kind, &object) {
        ("int" | "Integer", Object::Int(_) | Object::Double(_)) => {
            // As casts of the language do: doubles stop at the ends, integers lose their upper half.
            match object {
                Object::Double(double) => Object::Int(i64::from(double as i32)),
                other => Object::Int(i64::from(other.as_int()? as i32)),
            }
        }
        ("long" | "Long", Object::Int(_) | Object::Double(_)) => Object::Int(object.as_int()?),
        ("double" | "float" | "Double" | "Float", Object::Int(_) | Object::Double(_)) => {
            Object::Double(object.as_f64()?)
        }
        ("def" | "Object", _) | (_, Object::Null) => object,
        ("String", Object::Text(_)) | ("boolean" | "Boolean", Object::Bool(_)) => object,
        ("List" | "ArrayList" | "Collection", Object::List(_))
        | ("Set" | "HashSet" | "Collection", Object::Set(_))
        | ("Map" | "HashMap", Object::Map(_))
        | ("Pattern", Object::Pattern(_))
        | ("Matcher", Object::Matcher(_)) => object,
        (kind, other) => return failed(format!("Cannot cast [{}] to [{kind}].", other.kind())),
    })
}

fn cast_text(run: &mut Run<'_>, kind: &str, object: &Object) -> Result<Object> {
    let text = object.shown(run)?;
    let wrong = || failed(format!("For input string: \"{text}\""));
    match kind {
        "long" => text.parse().map_or_else(|_| wrong(), |int| Ok(Object::Int(int))),
        _ => text
            .trim()
            .parse()
            .map_or_else(|_| wrong(), |double| Ok(Object::Double(double))),
    }
}
