//! Ranges as values: fields that hold from where to where something goes, and how a query's range lies to them.

use crate::error::{Result, SearchError};
use crate::fields::{ip, term_of};
use crate::mapping::{Field, FieldKind};
use std::net::Ipv6Addr;
use std::ops::Bound;
use value::ValueRef;

pub use crate::term::Interval;
use crate::term::Term;

/// How a range of a document must lie to that of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relation {
    /// They have a value in common.
    #[default]
    Intersects,
    /// It has all values of the query's.
    Contains,
    /// All its values are of the query's.
    Within,
}

impl Relation {
    /// Reads a query's `relation`.
    pub fn parse(text: &str) -> Result<Relation> {
        match text.to_ascii_lowercase().as_str() {
            "intersects" => Ok(Relation::Intersects),
            "contains" => Ok(Relation::Contains),
            "within" => Ok(Relation::Within),
            "disjoint" => Err(SearchError::illegal(format!(
                "[range] query does not support relation [{text}]"
            ))),
            _ => Err(SearchError::illegal(format!("{text} is not a valid relation"))),
        }
    }
}

impl Interval {
    /// The range of a document's value; `None` if it is none.
    pub fn of(field: &Field, inner: &FieldKind, value: ValueRef<'_>) -> Option<Interval> {
        if let (FieldKind::Ip, ValueRef::String(text)) = (inner, value) {
            return network(text);
        }
        let document = value.as_document()?;
        let (mut low, mut high) = (least(inner), greatest(inner));
        for (name, value) in document.iter() {
            if matches!(value, ValueRef::Null) {
                continue;
            }
            let end = rounded(field, term_of(inner, field, value)?);
            match name {
                "gte" | "from" => low = end,
                "gt" => low = next(field, end)?,
                "lte" | "to" => high = end,
                "lt" => high = previous(field, end)?,
                _ => return None,
            }
        }
        low.compare(&high).is_le().then_some(Interval { low, high })
    }

    /// The range of a query, for a field of ranges of this kind.
    pub fn of_bounds(
        field: &Field,
        inner: &FieldKind,
        low: Bound<Term>,
        high: Bound<Term>,
    ) -> Option<Interval> {
        Some(Interval {
            low: match low {
                Bound::Unbounded => least(inner),
                Bound::Included(low) => rounded(field, low),
                Bound::Excluded(low) => next(field, rounded(field, low))?,
            },
            high: match high {
                Bound::Unbounded => greatest(inner),
                Bound::Included(high) => rounded(field, high),
                Bound::Excluded(high) => previous(field, rounded(field, high))?,
            },
        })
    }

    /// Whether this one, of a document, lies so to a query's.
    pub fn lies(&self, relation: Relation, query: &Interval) -> bool {
        match relation {
            Relation::Intersects => {
                self.low.compare(&query.high).is_le() && self.high.compare(&query.low).is_ge()
            }
            Relation::Contains => {
                self.low.compare(&query.low).is_le() && self.high.compare(&query.high).is_ge()
            }
            Relation::Within => {
                self.low.compare(&query.low).is_ge() && self.high.compare(&query.high).is_le()
            }
        }
    }
}

fn least(kind: &FieldKind) -> Term {
    match kind {
        FieldKind::Float(_) => Term::Float(f64::NEG_INFINITY),
        FieldKind::Date => Term::Date(i64::MIN),
        FieldKind::Ip => Term::Ip(Ipv6Addr::from_bits(0)),
        FieldKind::Integer(least, _) => Term::Integer(*least),
        _ => Term::Integer(i64::MIN),
    }
}

fn greatest(kind: &FieldKind) -> Term {
    match kind {
        FieldKind::Float(_) => Term::Float(f64::INFINITY),
        FieldKind::Date => Term::Date(i64::MAX),
        FieldKind::Ip => Term::Ip(Ipv6Addr::from_bits(u128::MAX)),
        FieldKind::Integer(_, greatest) => Term::Integer(*greatest),
        _ => Term::Integer(i64::MAX),
    }
}

/// Whether the ends of a field's ranges have 32 bits.
fn is_short(field: &Field) -> bool {
    field.type_name == "float_range"
}

/// An end as the ranges of a field have it.
fn rounded(field: &Field, term: Term) -> Term {
    match term {
        Term::Float(number) if is_short(field) => Term::Float(f64::from(number as f32)),
        term => term,
    }
}

fn next(field: &Field, term: Term) -> Option<Term> {
    Some(match term {
        Term::Integer(number) => Term::Integer(number.checked_add(1)?),
        Term::Date(ms) => Term::Date(ms.checked_add(1)?),
        Term::Float(number) if is_short(field) => Term::Float(f64::from((number as f32).next_up())),
        Term::Float(number) => Term::Float(number.next_up()),
        Term::Ip(ip) => Term::Ip(Ipv6Addr::from_bits(ip.to_bits().checked_add(1)?)),
        _ => return None,
    })
}

fn previous(field: &Field, term: Term) -> Option<Term> {
    Some(match term {
        Term::Integer(number) => Term::Integer(number.checked_sub(1)?),
        Term::Date(ms) => Term::Date(ms.checked_sub(1)?),
        Term::Float(number) if is_short(field) => Term::Float(f64::from((number as f32).next_down())),
        Term::Float(number) => Term::Float(number.next_down()),
        Term::Ip(ip) => Term::Ip(Ipv6Addr::from_bits(ip.to_bits().checked_sub(1)?)),
        _ => return None,
    })
}

/// `10.0.0.0/8`, or one address.
fn network(text: &str) -> Option<Interval> {
    let (address, bits) = match text.split_once('/') {
        None => (ip(text)?, 128),
        Some((address, bits)) => {
            let address = ip(address)?;
            let before = if address.to_ipv4_mapped().is_some() { 96 } else { 0 };
            (address, bits.parse::<u32>().ok()?.checked_add(before)?)
        }
    };
    let mask = u128::MAX.checked_shl(128_u32.checked_sub(bits)?).unwrap_or(0);
    let low = address.to_bits() & mask;
    Some(Interval {
        low: Term::Ip(Ipv6Addr::from_bits(low)),
        high: Term::Ip(Ipv6Addr::from_bits(low | !mask)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::mapping::Mapping;

    #[test]
    fn ends_of_floats_have_32_bits() {
        let of = |type_name: &str| {
            let source = serde_json::json!({"properties": {"r": {"type": type_name}}});
            let mapping = Mapping::parse(&source, Analysis::default()).expect("a mapping");
            let field = mapping.field("r").expect("a field");
            let interval = Interval::of_bounds(
                &field,
                &FieldKind::Float(None),
                Bound::Included(Term::Float(0.1)),
                Bound::Excluded(Term::Float(1.0)),
            );
            interval.expect("an interval")
        };
        let short = of("float_range");
        assert_eq!(short.low, Term::Float(f64::from(0.1_f32)));
        assert_eq!(short.high, Term::Float(f64::from(1.0_f32.next_down())));
        let long = of("double_range");
        assert_eq!(long.low, Term::Float(0.1));
        assert_eq!(long.high, Term::Float(1.0_f64.next_down()));
    }

    #[test]
    fn networks_have_at_most_as_many_bits_as_addresses() {
        let ends = |text: &str| {
            network(text).map(|network| match (network.low, network.high) {
                (Term::Ip(low), Term::Ip(high)) => (Term::ip_text(&low), Term::ip_text(&high)),
                other => panic!("{other:?}"),
            })
        };
        let range = |low: &str, high: &str| Some((low.to_owned(), high.to_owned()));
        for (text, wanted) in [
            ("10.1.2.3", range("10.1.2.3", "10.1.2.3")),
            ("10.1.2.3/8", range("10.0.0.0", "10.255.255.255")),
            ("10.1.2.3/32", range("10.1.2.3", "10.1.2.3")),
            ("10.1.2.3/33", None),
            ("10.1.2.3/4294967231", None),
            ("::/0", range("::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")),
            ("::1/129", None),
            ("::1/-1", None),
        ] {
            assert_eq!(ends(text), wanted, "{text}");
        }
    }
}
