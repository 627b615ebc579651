//! `$setWindowFields` read from BSON.

use super::frame::{self, Frame};
use super::function::Function;
use super::moving::{Filling, Smoothing};
use super::position::{PlaceCount, Shift};
use super::removable::RemovableKind;
use super::running::Running;
use super::scaling::Scaling;
use super::slope::{Derivative, Integral, unit_milliseconds};
use crate::fields::checked_path;
use crate::stage::{Run, Stage, StageScope, named};
use crate::stages::accumulation::{Accumulation, constant};
use crate::step::Work;
use crate::{Code, QueryError, Result};
use calendar::Unit;
use language::Fields;
use language::expression::Expression;
use language::expression::number::Number;
use query::plan::SortPattern;
use std::collections::BTreeSet;
use std::sync::Arc;
use value::key::Direction;
use value::path::FieldPath;
use value::{Decimal128, Document, Value, ValueRef};

/// The accumulators of `$group` from whose state no values can be removed.
const ACCUMULATORS: [&str; 13] = [
    "$count",
    "$concatArrays",
    "$setUnion",
    "$percentile",
    "$median",
    "$firstN",
    "$lastN",
    "$minN",
    "$maxN",
    "$top",
    "$topN",
    "$bottom",
    "$bottomN",
];

/// The names of all window functions, `$` included.
pub fn window_function_names() -> impl Iterator<Item = &'static str> {
    let others = [
        "$shift",
        "$derivative",
        "$integral",
        "$expMovingAvg",
        "$locf",
        "$linearFill",
        "$minMaxScaler",
    ];
    RemovableKind::names()
        .chain(PlaceCount::names())
        .chain(ACCUMULATORS)
        .chain(others)
}

/// A parsed `$setWindowFields`.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    operand: Document,
    /// The expression for the partition of a document; `None` if all are one.
    pub(super) partition_by: Option<Expression>,
    pub(super) sort: Option<SortPattern>,
    /// The one sort field, as an expression, which frames, slopes and lines are based on.
    pub(super) axis: Option<Expression>,
    pub(super) outputs: Arc<Vec<Output>>,
}

/// One field that is set.
#[derive(Clone, Debug)]
pub(super) struct Output {
    pub(super) path: FieldPath,
    pub(super) function: Function,
    pub(super) frame: Frame,
}

fn wrong(message: impl Into<String>) -> QueryError {
    QueryError::failed_to_parse(message)
}

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(options) = operand else {
        return Err(wrong(format!(
            "the $setWindowFields stage specification must be an object, found {}",
            operand.type_of().alias()
        )));
    };
    Ok(vec![Arc::new(Windows::parse(options, scope)?)])
}

impl Windows {
    pub(crate) fn parse(options: &Document, scope: &StageScope<'_>) -> Result<Windows> {
        let fields = Fields::new("$setWindowFields", options);
        fields.take("partitionBy");
        let sort = fields.document("sortBy")?.filter(|pattern| !pattern.is_empty());
        let outputs = fields.document("output")?;
        fields.finish()?;
        let outputs = outputs.ok_or_else(|| fields.missing("output"))?.to_document();
        let partition_by = options.get("partitionBy");
        let partition_by = partition_by.map(|by| Expression::parse(by, &scope.parse_scope()));
        let partition_by = partition_by.transpose()?;
        let sort = sort
            .map(|pattern| SortPattern::parse(&pattern.to_document()))
            .transpose()?;
        let sort = sort.map(|pattern| pattern.with_collation(scope.variables.collation()));
        let axis = match sort.as_ref().map(SortPattern::fields) {
            Some([only]) if only.metadata.is_none() => {
                let path = Value::String(format!("${}", only.name));
                Some(Expression::parse(&path, &scope.parse_scope())?)
            }
            _ => None,
        };
        let ascending: Vec<bool> = sort
            .iter()
            .flat_map(SortPattern::fields)
            .map(|field| field.direction == Direction::Ascending)
            .collect();
        let mut parsed = Vec::with_capacity(outputs.len());
        let mut taken = BTreeSet::new();
        for (name, output) in outputs.iter() {
            if is_conflicting(name, &taken) {
                return Err(QueryError::new(
                    Code::location(6_307_900),
                    format!(
                        "$setWindowFields 'output' specification contains two conflicting paths: '{name}' cannot stand \
                         beside a path that is the same, or leads to or from it"
                    ),
                ));
            }
            taken.insert(name);
            parsed.push(Output::parse(name, output, &ascending, scope)?);
        }
        Ok(Windows {
            operand: options.clone(),
            partition_by,
            outputs: Arc::new(parsed),
            sort,
            axis,
        })
    }
}

fn is_below_one(number: Decimal128) -> bool {
    value::compare(ValueRef::Decimal128(number), ValueRef::Int32(1)).is_lt()
}

/// Whether a taken path is this one, leads to it, or lies below it.
fn is_conflicting(path: &str, taken: &BTreeSet<&str>) -> bool {
    let mut on_the_way = path.match_indices('.').map(|(at, _)| &path[..at]);
    let below = format!("{path}.");
    let next = taken.range(below.as_str()..).next();
    taken.contains(path)
        || on_the_way.any(|upper| taken.contains(upper))
        || next.is_some_and(|next| next.starts_with(&below))
}

/// Refuses what stands beside a function that MongoDB reads in a way of its own.
fn check_beside(function: &str, output: &Document) -> Result<()> {
    if output.len() > 1 && PlaceCount::find(function).is_some() {
        return Err(QueryError::new(
            Code::location(5_371_601),
            "Rank style window functions take no other arguments",
        ));
    }
    if function == "$minMaxScaler" {
        let fields = Fields::new("root", output);
        fields.take("$minMaxScaler");
        fields.document("window")?;
        fields.finish()?;
    }
    Ok(())
}

impl Stage for Windows {
    fn start(&self, run: &Run) -> Work {
        Work::local(Running::new(self.clone(), run))
    }

    fn to_document(&self) -> Document {
        named("$setWindowFields", self.operand.clone())
    }
}

impl Output {
    fn parse(name: &str, output: &Value, ascending: &[bool], scope: &StageScope<'_>) -> Result<Output> {
        let path = checked_path(name)?;
        let Value::Document(output) = output else {
            return Err(wrong(format!(
                "The field '{name}' must be an object that names a window function"
            )));
        };
        // The first function decides how the rest is read.
        if let Some((first, _)) = output.iter().find(|(part, _)| part.starts_with('$')) {
            check_beside(first, output)?;
        }
        let mut function = None;
        for (part, operand) in output.iter() {
            match part {
                "window" => {}
                _ if !part.starts_with('$') => {
                    return Err(wrong(format!(
                        "Window function found an unknown argument: {part}"
                    )));
                }
                _ if function.is_some() => {
                    return Err(wrong(format!(
                        "The field '{name}' must name one window function, not several"
                    )));
                }
                _ => function = Some((part, operand)),
            }
        }
        let (function, operand) =
            function.ok_or_else(|| wrong(format!("The field '{name}' must name a window function")))?;
        let window = frame::field(output);
        let parser = FunctionParser {
            name: function,
            operand,
            ascending,
            window,
            scope,
        };
        let function = parser.parse()?;
        let frame = match window {
            Some(window) => Frame::parse(window, ascending, scope)?,
            None => Frame::WHOLE,
        };
        if matches!(function, Function::Scaling(_)) && !frame.holds_current() {
            return Err(wrong(
                "the bounds of $minMaxScaler must have the current document between them: the lower one cannot be greater \
                 than 0, nor the upper one less",
            ));
        }
        Ok(Output {
            path,
            function,
            frame,
        })
    }
}

/// A function that is being read.
struct FunctionParser<'p> {
    name: &'p str,
    operand: &'p Value,
    ascending: &'p [bool],
    window: Option<&'p Value>,
    scope: &'p StageScope<'p>,
}

impl FunctionParser<'_> {
    fn parse(&self) -> Result<Function> {
        if let Some(kind) = RemovableKind::find(self.name) {
            return Ok(Function::Removable(kind, self.expression(self.operand)?));
        }
        if let Some(rank) = PlaceCount::find(self.name) {
            self.check_rank()?;
            return Ok(Function::PlaceCount(rank));
        }
        match self.name {
            "$shift" => self.shift(),
            "$derivative" => {
                let (input, unit) = self.input_and_unit()?;
                if self.window.is_none() {
                    return Err(wrong("$derivative requires explicit window bounds"));
                }
                Ok(Function::Derivative(Derivative { input, unit }))
            }
            "$integral" => {
                let (input, unit) = self.input_and_unit()?;
                Ok(Function::Integral(Integral { input, unit }))
            }
            "$expMovingAvg" => self.smoothing(),
            "$locf" => {
                self.refuse_window()?;
                Ok(Function::Filling(Filling::LastObserved(
                    self.expression(self.operand)?,
                )))
            }
            "$linearFill" => {
                self.refuse_window()?;
                if self.ascending.len() != 1 {
                    return Err(QueryError::new(
                        Code::location(605_001),
                        "$linearFill must be specified with a top level sortBy expression with exactly one element",
                    ));
                }
                Ok(Function::Filling(Filling::Linear(self.expression(self.operand)?)))
            }
            "$minMaxScaler" => self.scaling(),
            accumulator if ACCUMULATORS.contains(&accumulator) => Ok(Function::Accumulated(
                Accumulation::parse_operand(self.name, self.operand, self.scope)?,
            )),
            unknown => Err(wrong(format!("Unrecognized window function, {unknown}"))),
        }
    }

    fn expression(&self, operand: &Value) -> Result<Expression> {
        Ok(Expression::parse(operand, &self.scope.parse_scope())?)
    }

    fn refuse_window(&self) -> Result<()> {
        match self.window {
            None => Ok(()),
            Some(_) => Err(wrong(format!("'window' field is not allowed in {}", self.name))),
        }
    }

    fn check_rank(&self) -> Result<()> {
        match self.operand {
            Value::Document(none) if none.is_empty() => {}
            _ => {
                return Err(QueryError::new(
                    Code::location(5_371_603),
                    format!("{} must be specified with '{{}}' as the value", self.name),
                ));
            }
        }
        if self.ascending.len() != 1 {
            return Err(QueryError::new(
                Code::location(5_371_602),
                format!(
                    "{} must be specified with a top level sortBy expression with exactly one element",
                    self.name
                ),
            ));
        }
        Ok(())
    }

    /// The operand's fields, of which there are no others.
    fn options(&self, known: &[&str]) -> Result<&Document> {
        let Value::Document(options) = self.operand else {
            return Err(wrong(format!("{} expects an object", self.name)));
        };
        match options.iter().find(|(field, _)| !known.contains(field)) {
            Some((unknown, _)) => Err(wrong(format!("{} got unexpected argument: {unknown}", self.name))),
            None => Ok(options),
        }
    }

    fn required<'o>(&self, options: &'o Document, field: &str) -> Result<&'o Value> {
        options
            .get(field)
            .ok_or_else(|| wrong(format!("{} requires '{field}'", self.name)))
    }

    fn shift(&self) -> Result<Function> {
        if self.ascending.is_empty() {
            return Err(wrong("'$shift' requires a sortBy"));
        }
        self.refuse_window()?;
        let options = self.options(&["output", "by", "default"])?;
        let by = self.required(options, "by")?;
        let by = Number::of(by.as_ref())
            .and_then(Number::to_i32)
            .ok_or_else(|| wrong("'$shift:by' field must be an integer, but found another value"))?;
        let default = match options.get("default") {
            None => Value::Null,
            Some(default) => {
                let expression = self.expression(default)?;
                let Some(value) = expression.as_constant() else {
                    return Err(wrong("'$shift:default' expression must yield a constant value"));
                };
                value.map_or(Value::Null, Value::from)
            }
        };
        Ok(Function::Shift(Shift {
            output: self.expression(self.required(options, "output")?)?,
            by: by.into(),
            default,
        }))
    }

    fn input_and_unit(&self) -> Result<(Expression, Option<Unit>)> {
        let options = self.options(&["input", "unit"])?;
        if self.ascending.len() != 1 {
            return Err(wrong(format!(
                "{} requires a sortBy with exactly one element",
                self.name
            )));
        }
        let unit = match options.get("unit") {
            None => None,
            Some(Value::String(name)) => {
                let unit = Unit::parse(name).map_err(language::Error::from)?;
                if unit_milliseconds(unit).is_none() {
                    return Err(QueryError::new(
                        Code::location(5_490_710),
                        "unit must be 'week' or smaller",
                    ));
                }
                Some(unit)
            }
            Some(_) => {
                return Err(wrong(format!("{} requires 'unit' to be a string", self.name)));
            }
        };
        let input = self.expression(self.required(options, "input")?)?;
        Ok((input, unit))
    }

    fn scaling(&self) -> Result<Function> {
        let spec = named(self.name, self.operand.clone());
        let spec = Fields::new("root", &spec);
        let options = spec
            .nested("$minMaxScaler")?
            .ok_or_else(|| spec.missing("$minMaxScaler"))?;
        let (input, low, high) = (options.any("input"), options.any("min"), options.any("max"));
        options.finish()?;
        let input = input.ok_or_else(|| options.missing("input"))?;
        let (low, high) = match (low, high) {
            (None, None) => (Number::Int(0), Number::Int(1)),
            (Some(low), Some(high)) => (
                self.range_end("min", &low.to_value())?,
                self.range_end("max", &high.to_value())?,
            ),
            _ => {
                return Err(wrong(
                    "Only one of 'min' and 'max' were specified as an argument to $minMaxScaler. Neither or both must be \
                     specified",
                ));
            }
        };
        if value::compare(Value::from(low).as_ref(), Value::from(high).as_ref()).is_ge() {
            return Err(wrong(
                "the 'max' must be strictly greater than 'min', as arguments to $minMaxScaler",
            ));
        }
        let input = self.expression(&input.to_value())?;
        Ok(Function::Scaling(Scaling { input, low, high }))
    }

    /// An end of the range of `$minMaxScaler`: a constant number.
    fn range_end(&self, name: &str, operand: &Value) -> Result<Number> {
        let not_constant = || wrong(format!("'{name}' argument to $minMaxScaler must be a constant"));
        let end = constant(operand, self.scope, not_constant)?;
        let number = end.as_ref().map(Value::as_ref).and_then(Number::of);
        number.ok_or_else(|| {
            wrong(format!(
                "'{name}' argument to $minMaxScaler must be a numeric type"
            ))
        })
    }

    fn smoothing(&self) -> Result<Function> {
        self.refuse_window()?;
        if self.ascending.is_empty() {
            return Err(wrong("$expMovingAvg requires an explicit 'sortBy'"));
        }
        let options = self.options(&["input", "N", "alpha"])?;
        let number = |value: &Value| Number::of(value.as_ref());
        let weight = match (options.get("N"), options.get("alpha")) {
            (Some(count), None) => {
                // What has no fraction counts, however large: infinity too.
                let count = number(count)
                    .filter(|count| count.to_f64().floor() == count.to_f64())
                    .map(Number::to_i64_saturating)
                    .filter(|count| *count > 0)
                    .ok_or_else(|| wrong("'N' field must be a positive integer"))?;
                Decimal128::from(2).divide(Decimal128::from(count).add(Decimal128::from(1)))
            }
            (None, Some(alpha)) => number(alpha)
                .map(Number::to_decimal)
                .filter(|alpha| Number::Decimal(*alpha).is_positive() && is_below_one(*alpha))
                .ok_or_else(|| wrong("'alpha' must be between 0 and 1 (exclusive)"))?,
            _ => {
                return Err(wrong(
                    "$expMovingAvg sub object must have exactly two fields: an 'input' field, and either an 'N' field or \
                     an 'alpha' field",
                ));
            }
        };
        Ok(Function::Smoothing(Smoothing {
            input: self.expression(self.required(options, "input")?)?,
            weight,
        }))
    }
}
