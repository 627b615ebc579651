//! Vectors of numbers: what a field of the type `dense_vector` takes, and how near two vectors are.

use crate::error::{Result, SearchError};
use crate::json::{Members, as_f64, as_i64, scalar};
use serde_json::Value;
use value::{ValueRef, unhex};

/// The type's name.
pub(crate) const NAME: &str = "dense_vector";
/// The numbers of a vector at most.
pub const DIMS_MAX: usize = 4096;
/// How far the square of a length may be from 1 where lengths are to be 1.
const UNIT_TOLERANCE: f32 = 1e-3;
/// The numbers of a vector that an error shows.
const PREVIEW: usize = 5;
/// Sums that are made side by side, which a processor does at once.
const LANES: usize = 8;

/// The vectors of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vectors {
    /// How many numbers each has; `None` until the first document says it.
    pub dims: Option<usize>,
    /// What the numbers are.
    pub element: Element,
    /// How they are compared; `None` where nothing near is looked for.
    pub similarity: Option<Similarity>,
}

/// What the numbers of vectors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Of four bytes.
    Float,
    /// Whole numbers of one byte.
    Byte,
}

/// How two vectors are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Similarity {
    /// By the angle between them.
    Cosine,
    /// By their product, where the lengths of all are 1.
    DotProduct,
    /// By the distance of their ends.
    L2Norm,
    /// By their product.
    MaxInnerProduct,
}

impl Vectors {
    /// Vectors of a field before its parameters are read.
    pub(crate) const UNREAD: Vectors = Vectors {
        dims: None,
        element: Element::Float,
        similarity: None,
    };

    /// Reads the parameters of a field.
    pub(crate) fn parse(name: &str, is_indexed: bool, members: &mut Members<'_>) -> Result<Vectors> {
        let dims = members
            .take("dims")
            .filter(|dims| !dims.is_null())
            .map(|dims| dims_of(name, dims))
            .transpose()?;
        let element = match members.text("element_type")?.as_deref() {
            None | Some("float") => Element::Float,
            Some("byte") => Element::Byte,
            Some(known @ ("bit" | "bfloat16")) => {
                return Err(SearchError::unsupported(format!(
                    "[element_type] [{known}] of the field [{name}]"
                )));
            }
            Some(other) => {
                return Err(SearchError::mapper(format!(
                    "invalid element_type [{other}]; available types are [byte, float]"
                )));
            }
        };
        let similarity = match (members.take("similarity"), is_indexed) {
            (None, true) => Some(Similarity::Cosine),
            (None | Some(Value::Null), false) => None,
            (Some(Value::Null), true) => {
                return Err(SearchError::mapper(
                    "Field [index] requires field [similarity] to be configured and not null",
                ));
            }
            (Some(_), false) => return Err(only_indexed("similarity")),
            (Some(given), true) => Some(Similarity::parse(name, given)?),
        };
        match members.take("index_options") {
            None | Some(Value::Null) => {}
            Some(_) if !is_indexed => return Err(only_indexed("index_options")),
            Some(options) => check_options(name, element, options)?,
        }
        Ok(Vectors {
            dims,
            element,
            similarity,
        })
    }

    /// The vector that a value of a document is; else why it is none that the field takes.
    pub(crate) fn checked(&self, value: ValueRef<'_>) -> std::result::Result<Vec<f32>, String> {
        let numbers = self.numbers(value)?;
        match self.dims {
            Some(dims) if numbers.len() > dims => {
                return Err(format!(
                    "has more dimensions than defined in the mapping [{dims}]"
                ));
            }
            Some(dims) if numbers.len() < dims => {
                return Err(format!(
                    "has a different number of dimensions [{}] than defined in the mapping [{dims}]",
                    numbers.len()
                ));
            }
            None if !(1..=DIMS_MAX).contains(&numbers.len()) => {
                return Err(format!(
                    "should have a number of dimensions in the range [1, {DIMS_MAX}] but has [{}]",
                    numbers.len()
                ));
            }
            _ => {}
        }
        match self.fault(&numbers) {
            None => Ok(numbers),
            Some(fault) => Err(format!("is wrong: {fault}")),
        }
    }

    fn numbers(&self, value: ValueRef<'_>) -> std::result::Result<Vec<f32>, String> {
        match value {
            ValueRef::Array(array) => {
                let number = |value: ValueRef<'_>| match value {
                    number if number.is_number() => number.as_f64().map(|number| number as f32),
                    _ => None,
                };
                let mut numbers = Vec::with_capacity(self.dims.unwrap_or(0));
                for value in array.iter() {
                    numbers.push(number(value).ok_or("is to have numbers alone")?);
                }
                Ok(numbers)
            }
            ValueRef::String(digits) if self.element == Element::Byte => {
                of_hex(digits).ok_or_else(|| "is a text that has no hexadecimal digits of bytes".to_owned())
            }
            _ => Err("is to be an array of numbers".to_owned()),
        }
    }

    /// Why these cannot be the numbers of a vector, in a document or in a query.
    pub fn fault(&self, numbers: &[f32]) -> Option<String> {
        let fault = self
            .element
            .fault(numbers)
            .or_else(|| self.length_fault(sum_by(numbers, numbers, |a, b| a * b)))?;
        Some(format!("{fault} Preview of invalid vector: {}", preview(numbers)))
    }

    fn length_fault(&self, square: f32) -> Option<String> {
        let similarity = self.similarity?;
        match (similarity, self.element) {
            (Similarity::Cosine, _) if square == 0.0 => {
                Some("The [cosine] similarity does not support vectors with zero magnitude.".to_owned())
            }
            (Similarity::DotProduct, Element::Float) if (square - 1.0).abs() > UNIT_TOLERANCE => {
                Some("The [dot_product] similarity can only be used with unit-length vectors.".to_owned())
            }
            _ => None,
        }
    }
}

/// What a parameter of such a field is by default.
pub(crate) fn default_of(type_name: &str, parameter: &str) -> Option<Value> {
    match (type_name, parameter) {
        (NAME, "element_type") => Some(Value::from("float")),
        (NAME, "similarity") => Some(Value::from("cosine")),
        (NAME, "index") => Some(Value::from(true)),
        _ => None,
    }
}

fn only_indexed(parameter: &str) -> SearchError {
    SearchError::mapper(format!(
        "Field [{parameter}] can only be specified for a field of type [{NAME}] when it is indexed"
    ))
}

fn dims_of(name: &str, given: &Value) -> Result<usize> {
    let dims = as_i64(given).ok_or_else(|| {
        SearchError::mapper(format!(
            "Property [dims] on field [{name}] must be an integer but got [{given}]"
        ))
    })?;
    match usize::try_from(dims) {
        Ok(dims @ 1..=DIMS_MAX) => Ok(dims),
        _ => Err(SearchError::mapper(format!(
            "The number of dimensions for field [{name}] should be in the range [1, {DIMS_MAX}] but was [{dims}]"
        ))),
    }
}

/// Checks how an index of near vectors would be made. None is: answers are exact, which is at least as good.
fn check_options(name: &str, element: Element, options: &Value) -> Result<()> {
    let Value::Object(options) = options else {
        return Err(SearchError::mapper(format!(
            "[index_options] of the field [{name}] must be an object"
        )));
    };
    let mut members = Members::of_object("index_options", options);
    let kind = members
        .text("type")?
        .ok_or_else(|| SearchError::mapper("[index_options] requires field [type] to be configured"))?;
    let (precision, shape) = kind.split_once('_').unwrap_or(("", &kind));
    if !matches!(precision, "" | "int8" | "int4" | "bbq") || !matches!(shape, "hnsw" | "flat") {
        return Err(SearchError::mapper(format!(
            "Unknown vector index options type [{kind}] for field [{name}]"
        )));
    }
    if !precision.is_empty() && element == Element::Byte {
        return Err(SearchError::mapper(format!(
            "[element_type] cannot be [byte] when using index type [{kind}]"
        )));
    }
    if shape == "hnsw" {
        for parameter in ["m", "ef_construction"] {
            if members.integer(parameter)?.is_some_and(|number| number < 1) {
                return Err(SearchError::mapper(format!(
                    "[{parameter}] of [index_options] of the field [{name}] must be positive"
                )));
            }
        }
    }
    if matches!(precision, "int8" | "int4") {
        let interval = members.take("confidence_interval").map(as_f64);
        if interval
            .is_some_and(|number| number.is_none_or(|number| number != 0.0 && !(0.9..=1.0).contains(&number)))
        {
            return Err(SearchError::mapper(
                "[confidence_interval] must be 0 or between 0.9 and 1.0",
            ));
        }
    }
    members.end_of_field(name)
}

/// The first numbers of a vector.
fn preview(numbers: &[f32]) -> String {
    let shown: Vec<String> = numbers
        .iter()
        .take(PREVIEW)
        .map(|number| format!("{number:?}"))
        .collect();
    let more = if numbers.len() >= PREVIEW { ", ..." } else { "" };
    format!("[{}{more}]", shown.join(", "))
}

/// The bytes of hexadecimal digits, as numbers from -128 to 127.
pub fn of_hex(digits: &str) -> Option<Vec<f32>> {
    let bytes = unhex(digits)?;
    let numbers = bytes.into_iter().map(|byte| f32::from(byte.cast_signed()));
    Some(numbers.collect())
}

impl Element {
    fn fault(self, numbers: &[f32]) -> Option<String> {
        let name = match self {
            Element::Float => "float",
            Element::Byte => "byte",
        };
        numbers.iter().enumerate().find_map(|(at, number)| {
            let what = match self {
                _ if number.is_nan() => "do not support NaN values but found [NaN]".to_owned(),
                _ if number.is_infinite() => {
                    let sign = if *number < 0.0 { "-" } else { "" };
                    format!("do not support infinite values but found [{sign}Infinity]")
                }
                Element::Byte if number.fract() != 0.0 => {
                    format!("only support non-decimal values but found decimal value [{number:?}]")
                }
                Element::Byte if !(-128.0..=127.0).contains(number) => {
                    format!("only support integers between [-128, 127] but found [{number}]")
                }
                _ => return None,
            };
            Some(format!("element_type [{name}] vectors {what} at dim [{at}];"))
        })
    }
}

impl Similarity {
    fn parse(name: &str, given: &Value) -> Result<Similarity> {
        match given.as_str() {
            Some("cosine") => Ok(Similarity::Cosine),
            Some("dot_product") => Ok(Similarity::DotProduct),
            Some("l2_norm") => Ok(Similarity::L2Norm),
            Some("max_inner_product") => Ok(Similarity::MaxInnerProduct),
            _ => Err(SearchError::mapper(format!(
                "Unknown value [{}] for field [similarity] of [{name}] - accepted values are [cosine, dot_product, l2_norm, max_inner_product]",
                scalar(given).unwrap_or_else(|| given.to_string())
            ))),
        }
    }

    /// How near two vectors of one length are, as a score.
    pub fn score(self, element: Element, a: &[f32], b: &[f32]) -> f32 {
        let dot = |a: &[f32], b: &[f32]| sum_by(a, b, |a, b| a * b);
        match self {
            Similarity::L2Norm => 1.0 / (1.0 + sum_by(a, b, |a, b| (a - b) * (a - b))),
            Similarity::Cosine => {
                let lengths = f64::from(dot(a, a)).sqrt() * f64::from(dot(b, b)).sqrt();
                self.score_of(element, a.len(), (f64::from(dot(a, b)) / lengths) as f32)
            }
            Similarity::DotProduct | Similarity::MaxInnerProduct => {
                self.score_of(element, a.len(), dot(a, b))
            }
        }
    }

    /// The score that a nearness gives: the cosine, dot product or distance of two vectors of `dims` numbers.
    pub fn score_of(self, element: Element, dims: usize, nearness: f32) -> f32 {
        match (self, element) {
            (Similarity::L2Norm, _) => 1.0 / (1.0 + nearness * nearness),
            // The product of two bytes is at most 2^14.
            (Similarity::DotProduct, Element::Byte) => 0.5 + nearness / (dims as f32 * 32_768.0),
            (Similarity::Cosine | Similarity::DotProduct, _) => ((1.0 + nearness) / 2.0).max(0.0),
            (Similarity::MaxInnerProduct, _) if nearness < 0.0 => 1.0 / (1.0 - nearness),
            (Similarity::MaxInnerProduct, _) => nearness + 1.0,
        }
    }
}

/// The sum of what is made of each pair.
fn sum_by(a: &[f32], b: &[f32], of: impl Fn(f32, f32) -> f32) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = a.remainder().iter().zip(b.remainder());
    let rest: f32 = rest.map(|(a, b)| of(*a, *b)).sum();
    for (a, b) in a.zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += of(*a, *b);
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_vectors_have_high_scores() {
        let score = |similarity: Similarity, a: &[f32], b: &[f32]| similarity.score(Element::Float, a, b);
        assert!((score(Similarity::Cosine, &[2.0, 0.0], &[3.0, 0.0]) - 1.0).abs() < 1e-6);
        assert!((score(Similarity::Cosine, &[1.0, 0.0], &[0.0, 5.0]) - 0.5).abs() < 1e-6);
        assert!((score(Similarity::DotProduct, &[0.6, 0.8], &[1.0, 0.0]) - 0.8).abs() < 1e-6);
        assert!((score(Similarity::L2Norm, &[1.0; 11], &[2.0; 11]) - 1.0 / 12.0).abs() < 1e-6);
        assert!((score(Similarity::MaxInnerProduct, &[2.0], &[3.0]) - 7.0).abs() < 1e-6);
        assert!((score(Similarity::MaxInnerProduct, &[-2.0], &[3.0]) - 1.0 / 7.0).abs() < 1e-6);
        let bytes = Similarity::DotProduct.score(Element::Byte, &[4.0, 4.0], &[4.0, 4.0]);
        assert!((bytes - (0.5 + 32.0 / 65_536.0)).abs() < 1e-6);
    }
}
