//! Values as fields have them, and their order.

use crate::geo::Point;
use std::cmp::Ordering;
use std::net::Ipv6Addr;

/// A value as a field has it, ready to be compared.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A whole number.
    Integer(i64),
    /// A whole number of a field whose numbers have no sign.
    Unsigned(u64),
    /// A number.
    Float(f64),
    /// True or false.
    Boolean(bool),
    /// Milliseconds since 1970.
    Date(i64),
    /// A text, or a keyword.
    Text(String),
    /// An address; those of four bytes are mapped.
    Ip(Ipv6Addr),
    /// A place on the earth.
    Point(Point),
    /// From one value to another.
    Interval(Box<Interval>),
}

impl Term {
    /// The number, if it is one.
    pub fn as_f64(&self) -> Option<f64> {
        Some(match self {
            Term::Integer(number) | Term::Date(number) => *number as f64,
            Term::Unsigned(number) => *number as f64,
            Term::Float(number) => *number,
            Term::Boolean(flag) => f64::from(u8::from(*flag)),
            Term::Text(_) | Term::Ip(_) | Term::Point(_) | Term::Interval(_) => return None,
        })
    }

    /// The order of values. Those of fields of one name in several indices may be of several types, and still have one order: by the
    /// type first, numbers exactly.
    pub fn compare(&self, other: &Term) -> Ordering {
        match (self, other) {
            (Term::Text(a), Term::Text(b)) => a.cmp(b),
            (Term::Ip(a), Term::Ip(b)) => a.cmp(b),
            (Term::Point(a), Term::Point(b)) => a.lat.total_cmp(&b.lat).then(a.lon.total_cmp(&b.lon)),
            (Term::Interval(a), Term::Interval(b)) => {
                a.low.compare(&b.low).then_with(|| a.high.compare(&b.high))
            }
            (a, b) => match (a.number(), b.number()) {
                (Some(a), Some(b)) => a.compare(b),
                _ => a.type_rank().cmp(&b.type_rank()),
            },
        }
    }

    fn number(&self) -> Option<Number> {
        match self {
            Term::Integer(number) | Term::Date(number) => Some(Number::Integer(i128::from(*number))),
            Term::Unsigned(number) => Some(Number::Integer(i128::from(*number))),
            Term::Boolean(flag) => Some(Number::Integer(i128::from(*flag))),
            Term::Float(number) => Some(Number::Float(*number)),
            Term::Text(_) | Term::Ip(_) | Term::Point(_) | Term::Interval(_) => None,
        }
    }

    /// The place of a type among others; all that are numbers are of one.
    fn type_rank(&self) -> u8 {
        match self {
            Term::Text(_) => 0,
            Term::Ip(_) => 1,
            Term::Point(_) => 2,
            Term::Interval(_) => 3,
            Term::Integer(_) | Term::Unsigned(_) | Term::Date(_) | Term::Boolean(_) | Term::Float(_) => 4,
        }
    }

    /// Milliseconds since 1970.
    pub fn as_time(&self) -> Option<i64> {
        match self {
            Term::Date(ms) => Some(*ms),
            _ => None,
        }
    }

    /// The address as it is usually written.
    pub fn ip_text(ip: &Ipv6Addr) -> String {
        match ip.to_ipv4_mapped() {
            Some(four) => four.to_string(),
            None => ip.to_string(),
        }
    }
}

/// A range with both its ends within it.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// The least value.
    pub low: Term,
    /// The greatest value.
    pub high: Term,
}

/// A number of a term.
#[derive(Clone, Copy)]
enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    /// Compares by exact value; NaN is equal to itself and after all others.
    fn compare(self, other: Number) -> Ordering {
        match (self, other) {
            (Number::Integer(a), Number::Integer(b)) => a.cmp(&b),
            (Number::Float(a), Number::Float(b)) => {
                let by_nan = || a.is_nan().cmp(&b.is_nan());
                a.partial_cmp(&b).unwrap_or_else(by_nan)
            }
            (Number::Integer(a), Number::Float(b)) => compare_mixed(a, b),
            (Number::Float(a), Number::Integer(b)) => compare_mixed(b, a).reverse(),
        }
    }
}

/// The order of a whole number and a float: many numbers above 2^53 become the same float, and would all be equal to it.
fn compare_mixed(integer: i128, float: f64) -> Ordering {
    /// 2^64, the first that is above all integers.
    const END: f64 = 18_446_744_073_709_551_616.0;
    if float.is_nan() || float >= END {
        Ordering::Less
    } else if float < -END {
        Ordering::Greater
    } else {
        let fraction = || 0.0.partial_cmp(&float.fract()).unwrap_or(Ordering::Equal);
        integer.cmp(&(float.trunc() as i128)).then_with(fraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> Vec<Term> {
        let interval = |low: i64, high: i64| {
            Term::Interval(Box::new(Interval {
                low: Term::Integer(low),
                high: Term::Integer(high),
            }))
        };
        // In their order; those in one list are equal.
        let ordered = [
            vec![Term::Text(String::new())],
            vec![Term::Text("a".to_owned())],
            vec![Term::Ip(Ipv6Addr::LOCALHOST)],
            vec![Term::Point(Point { lat: 1.0, lon: 5.0 })],
            vec![Term::Point(Point { lat: 2.0, lon: 3.0 })],
            vec![Term::Point(Point { lat: 2.0, lon: 4.0 })],
            vec![interval(1, 2)],
            vec![interval(1, 3)],
            vec![Term::Float(f64::NEG_INFINITY)],
            vec![Term::Integer(i64::MIN), Term::Float(-9_223_372_036_854_775_808.0)],
            vec![Term::Float(-1.5)],
            vec![Term::Integer(-1)],
            vec![Term::Float(-0.5)],
            vec![
                Term::Boolean(false),
                Term::Integer(0),
                Term::Unsigned(0),
                Term::Float(0.0),
                Term::Float(-0.0),
            ],
            vec![Term::Float(0.5)],
            vec![Term::Boolean(true), Term::Date(1)],
            vec![
                Term::Integer(9_007_199_254_740_992),
                Term::Float(9_007_199_254_740_992.0),
            ],
            vec![Term::Integer(9_007_199_254_740_993)],
            vec![Term::Float(9_007_199_254_740_994.0)],
            vec![Term::Integer(i64::MAX)],
            vec![Term::Float(9_223_372_036_854_775_808.0), Term::Unsigned(1 << 63)],
            vec![Term::Unsigned((1 << 63) + 1)],
            vec![Term::Unsigned(u64::MAX)],
            vec![Term::Float(18_446_744_073_709_551_616.0)],
            vec![Term::Float(f64::INFINITY)],
            vec![Term::Float(f64::NAN), Term::Float(-f64::NAN)],
        ];
        for (at, equal) in ordered.iter().enumerate() {
            for (other_at, others) in ordered.iter().enumerate() {
                for (a, b) in equal.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
                    assert_eq!(a.compare(b), at.cmp(&other_at), "{a:?} {b:?}");
                }
            }
        }
        ordered.into_iter().flatten().collect()
    }

    #[test]
    fn values_of_all_types_have_one_order() {
        // A sort of enough values panics where there is none.
        let mut many: Vec<Term> = std::iter::repeat_n(terms(), 20).flatten().collect();
        let step = 37;
        let shuffled = (0..many.len()).map(|at| many[at * step % many.len()].clone());
        many = shuffled.collect();
        many.sort_by(Term::compare);
        assert!(many.is_sorted_by(|a, b| a.compare(b).is_le()));
    }
}
