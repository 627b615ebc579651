//! Operations of data types in JSON (`riak_kv_crdt_json` in Riak's sources). All that a body says is done, or the body is refused.

use crate::clock::Clock;
use crate::datatype::{Change, DataType, EntryChange, FieldKind, FieldName, MapChange, SetChange, SetStep};
use crate::error::{Result, RiakError};
use crate::loose_json;
use serde_json::{Map, Value};

/// Reads the body of a request: what is to be done with an object of this kind, and what its writer has seen of it (`context`).
pub(super) fn read(kind: DataType, body: &[u8], time_us: u64) -> Result<(Change, Option<Clock>)> {
    let undecodable = |error: serde_json::Error| RiakError::bad(format!("Couldn't decode JSON: {error}"));
    let mut op = loose_json::read(body).map_err(undecodable)?;
    let context = op
        .as_object_mut()
        .and_then(|members| members.shift_remove("context"));
    let seen = context.as_ref().map(clock_of).transpose()?;
    let change = match kind {
        DataType::Counter => Change::Counter(increment(&op)?),
        DataType::Set => Change::Set(set_change(kind, &op)?),
        DataType::GrowSet => Change::GrowSet(set_change(kind, &op)?.into_adds()),
        DataType::Hll => Change::Hll(set_change(kind, &op)?.into_adds()),
        DataType::Map => Change::Map(map_change(&op, time_us)?),
    };
    Ok((change, seen))
}

fn clock_of(context: &Value) -> Result<Clock> {
    let clock = context.as_str().and_then(Clock::from_text);
    clock.ok_or_else(|| RiakError::bad("the context is none that was given here"))
}

fn invalid(kind: &str, op: &Value) -> RiakError {
    RiakError::bad(format!("Invalid operation on datatype '{kind}': {op}"))
}

/// The one member of an object; `None` if it has several or none.
fn only(members: &Map<String, Value>) -> Option<(&str, &Value)> {
    let mut members = members.iter();
    let (name, value) = members.next()?;
    members.next().is_none().then_some((name, value))
}

fn increment(op: &Value) -> Result<i64> {
    let by = match op {
        Value::Number(_) => op.as_i64(),
        Value::String(word) if word == "increment" => Some(1),
        Value::String(word) if word == "decrement" => Some(-1),
        Value::Object(members) => match only(members) {
            Some(("increment", by)) => by.as_i64(),
            Some(("decrement", by)) => by.as_i64().and_then(i64::checked_neg),
            _ => None,
        },
        _ => None,
    };
    by.ok_or_else(|| invalid("counter", op))
}

fn set_change(kind: DataType, op: &Value) -> Result<SetChange> {
    let mut change = SetChange::default();
    let gathered = gather(kind, op, &mut change);
    gathered.ok_or_else(|| invalid(kind.name(), op))?;
    Ok(change)
}

/// Adds to a change what an operation on a set, or on what only grows, says; `None` if it is no such operation.
fn gather(kind: DataType, op: &Value, change: &mut SetChange) -> Option<()> {
    for (verb, what) in op.as_object()? {
        match (verb.as_str(), kind) {
            ("add", _) => change.0.push(SetStep::Add(element(what)?)),
            ("add_all", _) => change.0.extend(elements(what)?.into_iter().map(SetStep::Add)),
            ("remove", DataType::Set) => change.0.push(SetStep::Remove(element(what)?)),
            ("remove_all", DataType::Set) => {
                change.0.extend(elements(what)?.into_iter().map(SetStep::Remove));
            }
            ("update", _) => match what {
                Value::Array(ops) => ops.iter().try_for_each(|op| gather(kind, op, change))?,
                op => gather(kind, op, change)?,
            },
            _ => return None,
        }
    }
    Some(())
}

fn element(value: &Value) -> Option<Vec<u8>> {
    Some(value.as_str()?.as_bytes().to_vec())
}

fn elements(value: &Value) -> Option<Vec<Vec<u8>>> {
    value.as_array()?.iter().map(element).collect()
}

fn field_of(name: &str) -> Result<FieldName> {
    let parts = name.rsplit_once('_');
    let field = parts.and_then(|(name, kind)| Some((name.as_bytes().to_vec(), FieldKind::parse(kind)?)));
    field.ok_or_else(|| RiakError::bad(format!("Invalid map field name '{name}'")))
}

fn map_change(op: &Value, time_us: u64) -> Result<MapChange> {
    let mut change = MapChange {
        time_us,
        ..MapChange::default()
    };
    for (verb, what) in op.as_object().ok_or_else(|| invalid("map", op))? {
        match verb.as_str() {
            "remove" => {
                let names = what.as_array().map_or(std::slice::from_ref(what), Vec::as_slice);
                for name in names {
                    let name = name.as_str().ok_or_else(|| invalid("map", op))?;
                    change.removes.push(field_of(name)?);
                }
            }
            "update" => {
                for (name, op) in what.as_object().ok_or_else(|| invalid("map", op))? {
                    let field = field_of(name)?;
                    let entry = entry_change(field.1, op, time_us)?;
                    change.updates.push((field, entry));
                }
            }
            _ => return Err(invalid("map", &Value::from(verb.as_str()))),
        }
    }
    Ok(change)
}

fn entry_change(kind: FieldKind, op: &Value, time_us: u64) -> Result<EntryChange> {
    Ok(match kind {
        FieldKind::Counter => EntryChange::Counter(increment(op)?),
        FieldKind::Set => EntryChange::Set(set_change(DataType::Set, op)?),
        FieldKind::Register => EntryChange::Register(assigned(op)?),
        FieldKind::Flag => match op.as_str() {
            Some("enable") => EntryChange::Flag(true),
            Some("disable") => EntryChange::Flag(false),
            _ => return Err(invalid("flag", op)),
        },
        FieldKind::Map => EntryChange::Map(map_change(op, time_us)?),
    })
}

fn assigned(op: &Value) -> Result<Vec<u8>> {
    let value = match op.as_object().map(only) {
        Some(Some(("assign", value))) => element(value),
        Some(_) => None,
        None => element(op),
    };
    value.ok_or_else(|| invalid("register", op))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The change that a body asks for, or the end of the error message.
    fn change(kind: DataType, body: &str) -> Result<Change, String> {
        let read = read(kind, body.as_bytes(), 0);
        read.map(|(change, _)| change).map_err(|error| error.message)
    }

    fn bytes(elements: &[&str]) -> Vec<Vec<u8>> {
        elements
            .iter()
            .map(|element| element.as_bytes().to_vec())
            .collect()
    }

    #[test]
    fn counters_take_one_number_in_any_of_riaks_forms() {
        for (body, by) in [
            ("10", 10),
            ("-7", -7),
            (r#""increment""#, 1),
            (r#""decrement""#, -1),
            (r#"{"increment":-2}"#, -2),
            (r#"{"decrement":7}"#, -7),
        ] {
            assert_eq!(change(DataType::Counter, body), Ok(Change::Counter(by)), "{body}");
        }
        for body in [
            r#"{"increment":5,"decrement":10}"#,
            r#"{"increment":true}"#,
            r#"{"increment":1,"foo":1}"#,
            r#"{"decrement":-9223372036854775808}"#,
            "{}",
            "[]",
            "1.5",
            r#""more""#,
        ] {
            let op: Value = serde_json::from_str(body).unwrap();
            let told = format!("Invalid operation on datatype 'counter': {op}");
            assert_eq!(change(DataType::Counter, body), Err(told));
        }
    }

    #[test]
    fn sets_do_all_that_a_body_says() {
        let set =
            |adds: &[&str], removes: &[&str]| Ok(Change::Set(SetChange::new(bytes(adds), bytes(removes))));
        let step = |step: fn(Vec<u8>) -> SetStep, element: &str| step(element.as_bytes().to_vec());
        for (body, expected) in [
            (r#"{"add":"a","add_all":["b","c"]}"#, set(&["a", "b", "c"], &[])),
            (
                r#"{"add":"a","remove_all":["b"],"remove":"c"}"#,
                set(&["a"], &["b", "c"]),
            ),
            (r#"{"update":{"add":"q"},"remove":"p"}"#, set(&["q"], &["p"])),
            (
                r#"{"update":[{"add":"q"},{"update":{"remove":"p"}}]}"#,
                set(&["q"], &["p"]),
            ),
            ("{}", set(&[], &[])),
            (
                r#"{"remove":"p","add":"p"}"#,
                Ok(Change::Set(SetChange(vec![
                    step(SetStep::Remove, "p"),
                    step(SetStep::Add, "p"),
                ]))),
            ),
        ] {
            assert_eq!(change(DataType::Set, body), expected, "{body}");
        }
        assert_eq!(
            change(DataType::GrowSet, r#"{"update":{"add":"q"}}"#),
            Ok(Change::GrowSet(bytes(&["q"])))
        );
        assert_eq!(
            change(DataType::Hll, r#"{"update":[{"add_all":["q"]}]}"#),
            Ok(Change::Hll(bytes(&["q"])))
        );
        for (kind, body) in [
            (DataType::Set, r#"{"foo":1}"#),
            (DataType::Set, r#"{"add":"a","increment":5}"#),
            (DataType::Set, r#"{"add":"a","remove_all":["b",true]}"#),
            (DataType::Set, r#"{"add":["a"]}"#),
            (DataType::Set, r#"{"update":"a"}"#),
            (DataType::Set, r#"{"update":{"add":"a","foo":1}}"#),
            (DataType::Set, r#"["a"]"#),
            (DataType::GrowSet, r#"{"add":"a","remove":"b"}"#),
            (DataType::Hll, r#"{"update":{"remove_all":["b"]}}"#),
        ] {
            let told = format!("Invalid operation on datatype '{}': {body}", kind.name());
            assert_eq!(change(kind, body), Err(told));
        }
    }

    #[test]
    fn maps_refuse_what_they_do_not_know() {
        let register = |value: &str| {
            let entry = EntryChange::Register(value.as_bytes().to_vec());
            Ok(Change::Map(MapChange {
                updates: vec![((b"r".to_vec(), FieldKind::Register), entry)],
                ..MapChange::default()
            }))
        };
        for body in [
            r#"{"update":{"r_register":"x"}}"#,
            r#"{"update":{"r_register":{"assign":"x"}}}"#,
        ] {
            assert_eq!(change(DataType::Map, body), register("x"), "{body}");
        }
        for (body, told) in [
            (r#"{"add":"zz_set"}"#, r#"'map': "add""#),
            (r#"{"update":{},"foo":1}"#, r#"'map': "foo""#),
            (r#"{"update":1}"#, r#"'map': {"update":1}"#),
            (r#"{"remove":1}"#, r#"'map': {"remove":1}"#),
            ("[]", "'map': []"),
            (r#"{"update":{"m_map":{"context":"x"}}}"#, r#"'map': "context""#),
            (
                r#"{"update":{"r_register":{"assign":"x","foo":1}}}"#,
                r#"'register': {"assign":"x","foo":1}"#,
            ),
            (r#"{"update":{"f_flag":true}}"#, "'flag': true"),
            (
                r#"{"update":{"c_counter":{"increment":1,"decrement":1}}}"#,
                r#"'counter': {"increment":1,"decrement":1}"#,
            ),
            (r#"{"update":{"s_set":{"foo":1}}}"#, r#"'set': {"foo":1}"#),
        ] {
            let told = format!("Invalid operation on datatype {told}");
            assert_eq!(change(DataType::Map, body), Err(told), "{body}");
        }
        let told = "Invalid map field name 'n_other'".to_owned();
        assert_eq!(change(DataType::Map, r#"{"update":{"n_other":2}}"#), Err(told));
    }

    #[test]
    fn a_context_stands_beside_any_operation_and_is_a_clock() {
        let clock = Clock::default();
        let body = format!(r#"{{"increment":1,"context":"{}"}}"#, clock.to_text());
        let seen = read(DataType::Counter, body.as_bytes(), 0).unwrap().1;
        assert_eq!(seen, Some(clock));
        for context in ["5", "null", "\"no clock\"", "{}"] {
            let body = format!(r#"{{"add":"a","context":{context}}}"#);
            let told = "the context is none that was given here".to_owned();
            assert_eq!(change(DataType::Set, &body), Err(told), "{context}");
        }
    }
}
