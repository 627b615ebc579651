//! Functions of one number, and `$log $pow $round $trunc`: null for null, the type of the operand kept.

use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::evaluated::Evaluated;
use crate::expression::node::Node;
use crate::expression::number::Number;
use crate::expression::parse::Parser;
use crate::{Code, Result};
use value::{Decimal128, Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$abs", Syntax::One(absolute)),
    operator(
        "$ceil",
        Syntax::One(|v| whole("$ceil", v, f64::ceil, Decimal128::ceil)),
    ),
    operator(
        "$floor",
        Syntax::One(|v| whole("$floor", v, f64::floor, Decimal128::floor)),
    ),
    operator(
        "$exp",
        Syntax::One(|v| real("$exp", v, |x| Ok(x.exp()), |x| Ok(exact_one(x.exp())))),
    ),
    operator("$ln", Syntax::One(natural_logarithm)),
    operator("$log10", Syntax::One(decimal_logarithm)),
    operator("$log", Syntax::Two(logarithm)),
    operator("$pow", Syntax::Two(power)),
    operator("$sqrt", Syntax::One(square_root)),
    operator("$sigmoid", Syntax::Own(parse_sigmoid)),
];

/// One without decimals, which is what an infinitely small power comes to.
fn exact_one(power: Decimal128) -> Decimal128 {
    let one = Decimal128::from(1);
    let is_one = value::compare(ValueRef::Decimal128(power), ValueRef::Int32(1)).is_eq();
    if is_one { one } else { power }
}

/// The operand as a number; `None` for null.
pub(super) fn number(name: &str, operand: &Evaluated<'_>) -> Result<Option<Number>> {
    let Some(present) = operand.present() else {
        return Ok(None);
    };
    match Number::of(present) {
        Some(number) => Ok(Some(number)),
        None => Err(error(
            Code::location(28_765),
            format!("{name} only supports numeric types, not {}", type_name(operand)),
        )),
    }
}

/// A function that gives a decimal for a decimal and a double for every other number.
pub(super) fn real(
    name: &str,
    operand: Evaluated<'_>,
    double: impl FnOnce(f64) -> Result<f64>,
    decimal: impl FnOnce(Decimal128) -> Result<Decimal128>,
) -> Result<Option<Value>> {
    Ok(Some(match number(name, &operand)? {
        None => Value::Null,
        Some(Number::Decimal(x)) => Number::Decimal(decimal(x)?).into(),
        Some(other) => Value::Double(double(other.to_f64())?),
    }))
}

fn absolute(operand: Evaluated<'_>) -> Result<Option<Value>> {
    Ok(Some(match number("$abs", &operand)? {
        None => Value::Null,
        Some(Number::Int(x)) => Number::int_or_long(i64::from(x).abs()).into(),
        Some(Number::Long(x)) => {
            let absolute = x.checked_abs();
            Value::Int64(
                absolute.ok_or_else(|| error(Code::location(28_680), "can't take $abs of long long min"))?,
            )
        }
        Some(Number::Double(x)) => Value::Double(x.abs()),
        Some(Number::Decimal(x)) => Number::Decimal(x.abs()).into(),
    }))
}

fn whole(
    name: &str,
    operand: Evaluated<'_>,
    double: fn(f64) -> f64,
    decimal: fn(Decimal128) -> Decimal128,
) -> Result<Option<Value>> {
    Ok(Some(match number(name, &operand)? {
        None => Value::Null,
        Some(Number::Double(x)) => Value::Double(double(x)),
        Some(Number::Decimal(x)) => Value::Decimal128(if x.is_infinite() {
            Decimal128::NAN
        } else {
            decimal(x)
        }),
        Some(integer) => integer.into(),
    }))
}

fn natural_logarithm(operand: Evaluated<'_>) -> Result<Option<Value>> {
    logarithm_of("$ln", Code::location(28_766), operand, f64::ln, Decimal128::ln)
}

fn decimal_logarithm(operand: Evaluated<'_>) -> Result<Option<Value>> {
    logarithm_of(
        "$log10",
        Code::location(28_761),
        operand,
        f64::log10,
        Decimal128::log10,
    )
}

fn logarithm_of(
    name: &str,
    not_positive: Code,
    operand: Evaluated<'_>,
    double: fn(f64) -> f64,
    decimal: fn(Decimal128) -> Decimal128,
) -> Result<Option<Value>> {
    Ok(Some(match number(name, &operand)? {
        None => Value::Null,
        Some(positive @ Number::Decimal(x)) if positive.is_positive() => Number::Decimal(decimal(x)).into(),
        // Of decimals only NaN is left, which gives a double.
        Some(other) => {
            let x = other.to_f64();
            positive_or(
                x > 0.0 || x.is_nan(),
                not_positive,
                format!("{name}'s argument must be a positive number, but is {x}"),
            )?;
            Value::Double(double(x))
        }
    }))
}

fn positive_or(positive: bool, code: Code, message: String) -> Result<()> {
    if positive {
        Ok(())
    } else {
        Err(error(code, message))
    }
}

/// Both operands as numbers, each with its name and the code for a value that is not one; `None` if one is null.
fn two_numbers(name: &str, operands: [(&str, &Evaluated<'_>, Code); 2]) -> Result<Option<[Number; 2]>> {
    let [(_, first, _), (_, second, _)] = operands;
    if first.present().is_none() || second.present().is_none() {
        return Ok(None);
    }
    let number = |(what, found, code): (&str, &Evaluated<'_>, Code)| {
        let number = found.present().and_then(Number::of);
        number.ok_or_else(|| {
            let found = type_name(found);
            error(code, format!("{name}'s {what} must be numeric, not {found}"))
        })
    };
    let [first, second] = operands;
    Ok(Some([number(first)?, number(second)?]))
}

fn logarithm(operand: Evaluated<'_>, base: Evaluated<'_>) -> Result<Option<Value>> {
    let operands = [
        ("argument", &operand, Code::location(28_756)),
        ("base", &base, Code::location(28_757)),
    ];
    let Some([x, b]) = two_numbers("$log", operands)? else {
        return Ok(Some(Value::Null));
    };
    let is_decimal = matches!(x, Number::Decimal(_)) || matches!(b, Number::Decimal(_));
    let is_one = value::compare(Value::from(b).as_ref(), ValueRef::Int32(1)).is_eq();
    if is_decimal && x.is_positive() && b.is_positive() && !is_one {
        let quotient = x.to_decimal().ln().divide(b.to_decimal().ln());
        return Ok(Some(Number::Decimal(quotient).into()));
    }
    // Of decimals only NaN is left, which gives a double.
    let (x_double, b_double) = (x.to_f64(), b.to_f64());
    positive_or(
        x_double > 0.0 || x_double.is_nan(),
        Code::location(28_758),
        format!("$log's argument must be a positive number, but is {x_double}"),
    )?;
    positive_or(
        (b_double > 0.0 && b_double != 1.0) || b_double.is_nan(),
        Code::location(28_759),
        format!("$log's base must be a positive number not equal to 1, but is {b_double}"),
    )?;
    Ok(Some(Value::Double(x_double.ln() / b_double.ln())))
}

fn power(base: Evaluated<'_>, exponent: Evaluated<'_>) -> Result<Option<Value>> {
    let operands = [
        ("base", &base, Code::location(28_762)),
        ("exponent", &exponent, Code::location(28_763)),
    ];
    let Some([b, e]) = two_numbers("$pow", operands)? else {
        return Ok(Some(Value::Null));
    };
    let is_decimal = matches!(b, Number::Decimal(_)) || matches!(e, Number::Decimal(_));
    // Of decimals MongoDB asks the sign, which zero has too.
    let is_negative = match is_decimal {
        true => e.to_decimal().is_negative(),
        false => e.is_negative(),
    };
    if b.is_zero() && is_negative {
        return Err(error(
            Code::location(28_764),
            "$pow cannot take a base of 0 and a negative exponent",
        ));
    }
    let result = match (b, e) {
        _ if is_decimal => Number::Decimal(b.to_decimal().pow(e.to_decimal())),
        (Number::Double(_), _) | (_, Number::Double(_)) => Number::Double(b.to_f64().powf(e.to_f64())),
        (Number::Int(b), Number::Int(e)) => integer_power(b.into(), e.into(), Number::int_or_long),
        (b, e) => integer_power(b.to_i64().unwrap_or(0), e.to_i64().unwrap_or(0), Number::Long),
    };
    Ok(Some(result.into()))
}

/// The power of integers, as a double where it does not fit.
fn integer_power(base: i64, exponent: i64, fitting: fn(i64) -> Number) -> Number {
    let exact = match (base, exponent) {
        (_, 0) | (1, _) => Some(1),
        (0, _) => Some(0),
        (-1, _) => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        (_, 1..=63) => base.checked_pow(exponent as u32),
        _ => None,
    };
    exact.map_or_else(|| Number::Double((base as f64).powf(exponent as f64)), fitting)
}

fn square_root(operand: Evaluated<'_>) -> Result<Option<Value>> {
    let negative = || {
        error(
            Code::location(28_714),
            "$sqrt's argument must be greater than or equal to 0",
        )
    };
    real(
        "$sqrt",
        operand,
        |x| if x < 0.0 { Err(negative()) } else { Ok(x.sqrt()) },
        |x| {
            if x.is_negative() && !x.is_zero() {
                Err(negative())
            } else {
                Ok(x.sqrt())
            }
        },
    )
}

/// Parses `$sigmoid`, for which an array is not a list of operands.
fn parse_sigmoid(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    let operand = parser.operand(argument)?;
    Ok(Node::many(
        |operands| operands.into_iter().next().map_or(Ok(None), sigmoid),
        vec![operand],
    ))
}

/// 1 / (1 + e^-x), rounded to 34 digits after each step as in MongoDB, where it is these operators one in another.
fn decimal_sigmoid(x: Decimal128) -> Decimal128 {
    let one = Decimal128::from(1);
    one.divide(one.add(exact_one(x.negate().exp())))
}

fn sigmoid(operand: Evaluated<'_>) -> Result<Option<Value>> {
    let Some(present) = operand.present() else {
        return Ok(Some(Value::Null));
    };
    let number = Number::of(present).ok_or_else(|| {
        crate::Error::type_mismatch(format!(
            "$sigmoid only supports numeric types, not {}",
            type_name(&operand)
        ))
    })?;
    Ok(Some(match number {
        Number::Decimal(x) => Value::Decimal128(decimal_sigmoid(x)),
        other => Value::Double(1.0 / (1.0 + (-other.to_f64()).exp())),
    }))
}
