//! States as BSON, in which they are kept with their document.

use super::map::Field;
use super::set::Dots;
use super::{Counter, DataType, DataTypeState, FieldKind, FieldName, FieldValue, GrowSet, Hll, Map, Set};
use crate::clock::{Clock, Dot};
use std::collections::BTreeMap;
use value::{Binary, Document, Value};

impl DataTypeState {
    /// The state as a value.
    pub fn to_value(&self) -> Value {
        let state = match self {
            DataTypeState::Counter(counter) => counter
                .0
                .iter()
                .map(|(actor, &(added, taken))| list([bytes(actor), number(added), number(taken)]))
                .collect(),
            DataTypeState::Set(set) => write_set(set),
            DataTypeState::GrowSet(set) => set.0.iter().map(|element| bytes(element)).collect(),
            DataTypeState::Map(map) => write_map(map),
            DataTypeState::Hll(hll) => bytes(&hll.0),
        };
        Value::from(
            Document::new()
                .with("type", self.kind().name())
                .with("state", state),
        )
    }

    /// Reads what [`DataTypeState::to_value`] made; `None` if it is something else.
    pub fn of_value(value: &Value) -> Option<DataTypeState> {
        let Value::Document(document) = value else {
            return None;
        };
        let Some(Value::String(kind)) = document.get("type") else {
            return None;
        };
        let state = document.get("state")?;
        Some(match DataType::parse(kind)? {
            DataType::Counter => {
                let entry = |entry: &Value| match items(entry)? {
                    [actor, added, taken] => {
                        Some((read_bytes(actor)?, (read_number(added)?, read_number(taken)?)))
                    }
                    _ => None,
                };
                DataTypeState::Counter(Counter(items(state)?.iter().map(entry).collect::<Option<_>>()?))
            }
            DataType::Set => DataTypeState::Set(read_set(state)?),
            DataType::GrowSet => DataTypeState::GrowSet(GrowSet(
                items(state)?.iter().map(read_bytes).collect::<Option<_>>()?,
            )),
            DataType::Map => DataTypeState::Map(read_map(state)?),
            DataType::Hll => DataTypeState::Hll(Hll::of_registers(read_bytes(state)?)?),
        })
    }
}

fn list(values: impl IntoIterator<Item = Value>) -> Value {
    values.into_iter().collect()
}

fn bytes(bytes: &[u8]) -> Value {
    Value::Binary(Binary {
        subtype: 0,
        bytes: bytes.to_vec(),
    })
}

fn number(number: u64) -> Value {
    Value::Int64(number as i64)
}

fn items(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Array(items) => Some(items),
        _ => None,
    }
}

fn read_bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Binary(binary) => Some(binary.bytes.clone()),
        _ => None,
    }
}

fn read_number(value: &Value) -> Option<u64> {
    match value {
        Value::Int64(number) => Some(*number as u64),
        _ => None,
    }
}

fn write_dot(dot: &Dot) -> Value {
    list([bytes(&dot.actor), number(dot.counter)])
}

fn read_dot(value: &Value) -> Option<Dot> {
    match items(value)? {
        [actor, counter] => Some(Dot {
            actor: read_bytes(actor)?,
            counter: read_number(counter)?,
        }),
        _ => None,
    }
}

fn write_dots(dots: &Dots) -> Value {
    dots.iter().map(write_dot).collect()
}

fn read_dots(value: &Value) -> Option<Dots> {
    items(value)?.iter().map(read_dot).collect()
}

fn write_set(set: &Set) -> Value {
    let element = |(element, dots): (&Vec<u8>, &Dots)| list([bytes(element), write_dots(dots)]);
    list([
        bytes(&set.clock.encode()),
        set.elements.iter().map(element).collect(),
    ])
}

fn read_set(value: &Value) -> Option<Set> {
    let [clock, elements] = items(value)? else {
        return None;
    };
    let element = |element: &Value| match items(element)? {
        [element, dots] => Some((read_bytes(element)?, read_dots(dots)?)),
        _ => None,
    };
    Some(Set {
        clock: Clock::decode(&read_bytes(clock)?)?,
        elements: items(elements)?.iter().map(element).collect::<Option<_>>()?,
    })
}

fn write_map(map: &Map) -> Value {
    let field = |((name, kind), field): (&FieldName, &Field)| {
        let entry = field.entry.as_ref().map_or(Value::Null, write_entry);
        list([bytes(name), number(*kind as u64), write_dots(&field.dots), entry])
    };
    list([bytes(&map.clock.encode()), map.fields.iter().map(field).collect()])
}

fn read_map(value: &Value) -> Option<Map> {
    let [clock, fields] = items(value)? else {
        return None;
    };
    let field = |field: &Value| match items(field)? {
        [name, kind, dots, entry] => {
            let kind = FieldKind::of_number(read_number(kind)?)?;
            let field = Field {
                dots: read_dots(dots)?,
                entry: match entry {
                    Value::Null => None,
                    entry => Some(read_entry(kind, entry)?),
                },
            };
            Some(((read_bytes(name)?, kind), field))
        }
        _ => None,
    };
    Some(Map {
        clock: Clock::decode(&read_bytes(clock)?)?,
        fields: items(fields)?.iter().map(field).collect::<Option<_>>()?,
    })
}

fn write_entry(entry: &FieldValue) -> Value {
    match entry {
        FieldValue::Counter(added) => added
            .iter()
            .map(|(dot, &by)| list([write_dot(dot), Value::Int64(by)]))
            .collect(),
        FieldValue::Set(set) => write_set(set),
        FieldValue::Register(values) => values
            .iter()
            .map(|(dot, (time_us, value))| list([write_dot(dot), number(*time_us), bytes(value)]))
            .collect(),
        FieldValue::Flag(dots) => write_dots(dots),
        FieldValue::Map(map) => write_map(map),
    }
}

fn read_entry(kind: FieldKind, value: &Value) -> Option<FieldValue> {
    Some(match kind {
        FieldKind::Counter => {
            let added = |added: &Value| match items(added)? {
                [dot, Value::Int64(by)] => Some((read_dot(dot)?, *by)),
                _ => None,
            };
            FieldValue::Counter(
                items(value)?
                    .iter()
                    .map(added)
                    .collect::<Option<BTreeMap<_, _>>>()?,
            )
        }
        FieldKind::Set => FieldValue::Set(read_set(value)?),
        FieldKind::Register => {
            let assigned = |assigned: &Value| match items(assigned)? {
                [dot, time_us, value] => Some((read_dot(dot)?, (read_number(time_us)?, read_bytes(value)?))),
                _ => None,
            };
            FieldValue::Register(items(value)?.iter().map(assigned).collect::<Option<_>>()?)
        }
        FieldKind::Flag => FieldValue::Flag(read_dots(value)?),
        FieldKind::Map => FieldValue::Map(read_map(value)?),
    })
}
