//! Reading ranges: of numbers, dates, addresses, distances.

use super::{Form, field_source, source};
use crate::aggregations::Spec;
use crate::aggregations::ranges::{Of, OneRange, RangeSpec};
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::fields::{self, Term};
use mapping::geo::{self, Point};
use mapping::json::{Members, as_f64, scalar, token};
use serde_json::{Map, Value};
use std::net::{IpAddr, Ipv6Addr};

/// `range`, `date_range` and `ip_range`.
pub(super) fn range(name: &str, kind: &str, members: &mut Members<'_>) -> Result<Spec> {
    let (form, of) = match kind {
        "range" => (Form::Written, Of::Numbers),
        "date_range" => (Form::Zoned, Of::Dates),
        _ => (Form::Plain, Of::Addresses),
    };
    let source = match of {
        Of::Addresses => field_source(members, form)?,
        _ => source(members, form)?,
    };
    let listed = listed(name, members)?;
    let read = |one: &Value| match of {
        Of::Addresses => of_addresses(one),
        _ => of_values(one),
    };
    let ranges = listed.iter().map(read).collect::<Result<_>>()?;
    let keyed = members.flag("keyed")?.unwrap_or(false);
    Ok(Spec::Range(source, RangeSpec { ranges, keyed, of }))
}

fn listed<'a>(name: &str, members: &mut Members<'a>) -> Result<&'a [Value]> {
    let none = || SearchError::illegal(format!("No [ranges] specified for the [{name}] aggregation"));
    match members.take("ranges") {
        None => Err(none()),
        Some(Value::Array(list)) if list.is_empty() => Err(none()),
        Some(Value::Array(list)) => Ok(list),
        Some(one @ Value::Object(_)) => Ok(std::slice::from_ref(one)),
        Some(other) => Err(members.wrong_type("ranges", other)),
    }
}

/// One range of numbers or dates, whose ends are read when the field is known.
fn of_values(value: &Value) -> Result<OneRange> {
    let Value::Object(object) = value else {
        return Err(SearchError::content(
            "[range] Expected START_OBJECT but was: END_ARRAY",
        ));
    };
    let mut members = Members::of_content("range", object);
    let key = members.take("key").and_then(scalar);
    let mut end = |name: &str| match members.take(name) {
        None | Some(Value::Null) => Ok(None),
        Some(end @ (Value::Number(_) | Value::String(_))) => Ok(Some(end.clone())),
        Some(other) => Err(members.wrong_type(name, other)),
    };
    let given = (end("from")?, end("to")?);
    members.end()?;
    Ok(OneRange {
        key,
        given,
        low: None,
        high: None,
    })
}

/// One range of addresses, or all addresses that begin alike.
fn of_addresses(value: &Value) -> Result<OneRange> {
    let Value::Object(object) = value else {
        return Err(SearchError::parsing(format!(
            "[ranges] must contain objects, but hit a {}",
            token(value)
        )));
    };
    if let Some(other) = object
        .keys()
        .find(|name| !["key", "from", "to", "mask"].contains(&name.as_str()))
    {
        return Err(SearchError::parsing(format!(
            "Unexpected ip range parameter: [{other}]"
        )));
    }
    let failed = |cause: SearchError| SearchError::of_member("ip_range", "ranges", cause);
    let text = |name: &str| match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(other) => Err(failed(SearchError::parsing(format!(
            "[{name}] cannot be [{other}]"
        )))),
    };
    let key = text("key")?;
    if let Some(mask) = text("mask")? {
        let (low, high) = masked(mask).map_err(failed)?;
        return Ok(OneRange {
            key: Some(key.unwrap_or(mask).to_owned()),
            given: (None, None),
            low: low.map(Term::Ip),
            high: high.map(Term::Ip),
        });
    }
    let address = |name: &str| {
        let read = |text: &str| {
            let invalid = || {
                failed(SearchError::illegal(format!(
                    "'{text}' is not an IP string literal."
                )))
            };
            fields::ip(text).map(Term::Ip).ok_or_else(invalid)
        };
        text(name)?.map(read).transpose()
    };
    Ok(OneRange {
        key: key.map(str::to_owned),
        given: (None, None),
        low: address("from")?,
        high: address("to")?,
    })
}

/// The first address of a network such as `10.0.0.0/8`, and the one after its last; `None` at an end of the address space.
fn masked(text: &str) -> Result<(Option<Ipv6Addr>, Option<Ipv6Addr>)> {
    let wrong = || {
        let reason = format!("Expected [ip/prefix] but was [{text}]");
        SearchError::illegal(reason)
    };
    let (address, bits) = text.split_once('/').ok_or_else(wrong)?;
    let address: IpAddr = address.parse().map_err(|_| wrong())?;
    let bits: u32 = bits.parse().map_err(|_| wrong())?;
    let (most, of_four) = match address {
        IpAddr::V4(_) => (32, 96),
        IpAddr::V6(_) => (128, 0),
    };
    if bits > most {
        return Err(wrong());
    }
    let bits = bits + of_four;
    let number = u128::from(match address {
        IpAddr::V4(four) => four.to_ipv6_mapped(),
        IpAddr::V6(six) => six,
    });
    let rest = u128::MAX.checked_shr(bits).unwrap_or(0);
    let (first, last) = (number & !rest, number | rest);
    let first = (first > 0).then_some(Ipv6Addr::from(first));
    Ok((first, last.checked_add(1).map(Ipv6Addr::from)))
}

/// Reads `geo_distance`: ranges of distances from a point.
pub(super) fn distances(name: &str, members: &mut Members<'_>) -> Result<Spec> {
    let origin = match members.take("origin") {
        Some(origin @ (Value::Object(_) | Value::Array(_) | Value::String(_))) => origin,
        Some(other) => return Err(members.wrong_type("origin", other)),
        None => return Err(SearchError::illegal("Required [origin]")),
    };
    let failed = || {
        SearchError::new(
            ErrorKind::Date,
            "failed to parse a point: latitude must be a number",
        )
    };
    let origin = Point::of_json(origin).ok_or_else(failed)?;
    let unit = members.text("unit")?.unwrap_or_else(|| "m".to_owned());
    let of_member = |member: &str, reason: String| {
        SearchError::of_member("geo_distance", member, SearchError::illegal(reason))
    };
    let unknown = || of_member("unit", format!("No distance unit match [{unit}]"));
    let metres = geo::metres(&format!("1{unit}")).ok_or_else(unknown)?;
    // On a sphere, whichever way is asked for: the way over a plane is shorter by less than is read.
    if let Some(kind) = members.text("distance_type")?
        && !["arc", "plane"].contains(&kind.to_ascii_lowercase().as_str())
    {
        return Err(of_member(
            "distance_type",
            format!("No geo distance for [{kind}]"),
        ));
    }
    let ranges = listed(name, members)?
        .iter()
        .map(of_distances)
        .collect::<Result<_>>()?;
    let keyed = members.flag("keyed")?.unwrap_or(false);
    let of = Of::Distances(origin, metres);
    Ok(Spec::Range(
        source(members, Form::Plain)?,
        RangeSpec { ranges, keyed, of },
    ))
}

fn of_distances(value: &Value) -> Result<OneRange> {
    let unexpected = |what: &str| SearchError::parsing(format!("Failed to parse object: {what}"));
    let empty = Map::new();
    let object = value.as_object();
    if object.is_none() {
        return Err(unexpected(&format!(
            "expecting [START_OBJECT] but found [{}]",
            token(value)
        )));
    }
    let object = object.unwrap_or(&empty);
    if let Some(other) = object
        .keys()
        .find(|name| !["key", "from", "to"].contains(&name.as_str()))
    {
        return Err(unexpected(&format!("unknown field [{other}] found")));
    }
    let end = |name: &str| match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(given) => match as_f64(given) {
            Some(number) => Ok(Some(Term::Float(number))),
            None => Err(unexpected(&format!("[{name}] is no number"))),
        },
    };
    Ok(OneRange {
        key: object.get("key").and_then(scalar),
        given: (None, None),
        low: end("from")?,
        high: end("to")?,
    })
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn a_mask_has_all_addresses_that_begin_alike() {
        let of = |text: &str| {
            let (low, high) = masked(text).expect("a mask");
            let text = |end: std::net::Ipv6Addr| end.to_canonical().to_string();
            (low.map(text), high.map(text))
        };
        let range = |low: &str, high: &str| (Some(low.to_owned()), Some(high.to_owned()));
        assert_eq!(of("10.0.1.77/24"), range("10.0.1.0", "10.0.2.0"));
        assert_eq!(of("2001:db8::/32"), range("2001:db8::", "2001:db9::"));
        assert_eq!(of("::/0"), (None, None));
        for wrong in ["x", "10.0.1.0/33", "10.0.1.5", "10.0.1.0/"] {
            assert!(masked(wrong).is_err(), "{wrong}");
        }
    }
}
