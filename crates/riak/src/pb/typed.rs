//! Data types, and counters as they were before them.

use super::connection::Connection;
use super::frame::code;
use super::messages::{
    CounterGetReq, CounterResp, CounterUpdateReq, DtFetchReq, DtFetchResp, DtOp, DtUpdateReq, DtUpdateResp,
    DtValue, MapEntry, MapField, MapOp, MapUpdate,
};
use super::objects::{check_confirms, check_quorums, clock_of};
use super::wire::Zigzag;
use crate::buckets::{BucketProperties, Purpose, existing, writable};
use crate::datatype::{
    Change, DataType, DataTypeState, EntryChange, FieldKind, FieldName, FieldValue, Map, MapChange, SetChange,
};
use crate::deadline::Deadline;
use crate::error::{Result, RiakError};
use crate::keys::new_key;
use crate::names::Bucket;
use crate::typed;
use auth::Action;
use std::pin::pin;

pub(crate) async fn fetch(connection: &mut Connection, request: DtFetchReq) -> Result<()> {
    let bucket = Bucket::new(Some(&request.kind), &request.bucket)?;
    let properties = connection.server.bucket_properties(&bucket).await?;
    check_quorums(&properties, &[request.r, request.pr], request.n_val)?;
    check_confirms(request.node_confirms, Purpose::Read, &properties)?;
    let kind = kind_of(&bucket, &properties)?;
    let state = match existing(&connection.server, connection.granted()?, &bucket, Action::Find)? {
        Some(collection) => {
            let deadline = Deadline::of(request.timeout);
            deadline
                .run(pin!(typed::fetch(&collection, &request.key, kind)))
                .await?
        }
        None => None,
    };
    let mut answer = DtFetchResp {
        kind: Some(number_of(kind)),
        ..DtFetchResp::default()
    };
    if let Some(state) = state {
        answer.value = Some(value_of(&state));
        let wanted = request.include_context.unwrap_or(true);
        answer.context = state.context().filter(|_| wanted).map(crate::Clock::encode);
    }
    connection.put(code::DT_FETCH_RESP, &answer);
    Ok(())
}

pub(crate) async fn update(connection: &mut Connection, request: DtUpdateReq) -> Result<()> {
    let server = connection.server.clone();
    let bucket = Bucket::new(Some(&request.kind), &request.bucket)?;
    let properties = server.bucket_properties(&bucket).await?;
    check_quorums(&properties, &[request.w, request.dw, request.pw], request.n_val)?;
    check_confirms(request.node_confirms, Purpose::Write, &properties)?;
    let kind = kind_of(&bucket, &properties)?;
    let change = change_of(request.op, server.engine.now_ms() * 1000)?;
    if bucket.is_default_type() {
        require_siblings(&properties)?;
        if !matches!(change, Change::Counter(_)) {
            return Err(RiakError::bad("non-counter operation on default bucket"));
        }
    }
    if change.kind() != kind {
        let (asked, kept) = (change.kind().name(), kind.name());
        return Err(RiakError::bad(format!(
            "Operation type is `{asked}` but  bucket type is `{kept}`."
        )));
    }
    let seen = request.context.as_deref().map(clock_of).transpose()?;
    let access = connection.granted()?;
    access.require(Action::Update, &bucket.namespace())?;
    let collection = writable(&server, access, &bucket, Action::Insert).await?;
    let made = match &request.key {
        Some(_) => None,
        None => Some(new_key()?),
    };
    let key = request.key.or(made.clone()).unwrap_or_default();
    let changed = typed::change(&server, &collection, &key, kind, &change, seen.as_ref());
    let state = Deadline::of(request.timeout).run(pin!(changed)).await?;
    let mut answer = DtUpdateResp {
        key: made,
        ..DtUpdateResp::default()
    };
    if request.return_body.unwrap_or(false) {
        let value = value_of(&state);
        let wanted = request.include_context.unwrap_or(true);
        answer.context = state.context().filter(|_| wanted).map(crate::Clock::encode);
        answer.counter_value = value.counter_value;
        answer.set_value = value.set_value;
        answer.map_value = value.map_value;
        answer.hll_value = value.hll_value;
        answer.gset_value = value.gset_value;
    }
    connection.put(code::DT_UPDATE_RESP, &answer);
    Ok(())
}

pub(crate) async fn counter(connection: &mut Connection, request: CounterGetReq) -> Result<()> {
    let bucket = Bucket::new(None, &request.bucket)?;
    let properties = connection.server.bucket_properties(&bucket).await?;
    check_quorums(&properties, &[request.r, request.pr], None)?;
    check_confirms(request.node_confirms, Purpose::Read, &properties)?;
    let state = match existing(&connection.server, connection.granted()?, &bucket, Action::Find)? {
        Some(collection) => typed::fetch_counter(&collection, &request.key).await?,
        None => None,
    };
    let value = state.and_then(|state| value_of(&state).counter_value);
    connection.put(code::COUNTER_GET_RESP, &CounterResp { value });
    Ok(())
}

pub(crate) async fn update_counter(connection: &mut Connection, request: CounterUpdateReq) -> Result<()> {
    let server = connection.server.clone();
    let bucket = Bucket::new(None, &request.bucket)?;
    let properties = server.bucket_properties(&bucket).await?;
    check_quorums(&properties, &[request.w, request.dw, request.pw], None)?;
    check_confirms(request.node_confirms, Purpose::Write, &properties)?;
    require_siblings(&properties)?;
    let access = connection.granted()?;
    access.require(Action::Update, &bucket.namespace())?;
    let collection = writable(&server, access, &bucket, Action::Insert).await?;
    let change = Change::Counter(request.amount.unwrap_or_default().0);
    let state = typed::change(
        &server,
        &collection,
        &request.key,
        DataType::Counter,
        &change,
        None,
    )
    .await?;
    let wanted = request.returnvalue.unwrap_or(false);
    let value = value_of(&state).counter_value.filter(|_| wanted);
    connection.put(code::COUNTER_UPDATE_RESP, &CounterResp { value });
    Ok(())
}

/// The data type of a bucket. One without a type has counters as they were before data types
/// (`riak_kv_pb_crdt:downgrade_request` in Riak's sources).
fn kind_of(bucket: &Bucket, properties: &BucketProperties) -> Result<DataType> {
    match bucket.is_default_type() {
        true => Ok(DataType::Counter),
        false => typed::kind_of(properties),
    }
}

/// Old counters are in buckets that allow siblings alone.
pub(crate) fn require_siblings(properties: &BucketProperties) -> Result<()> {
    match properties.allows_siblings() {
        true => Ok(()),
        false => Err(RiakError::new(
            http::StatusCode::CONFLICT,
            "Counters require bucket property 'allow_mult=true'",
        )),
    }
}

fn number_of(kind: DataType) -> i32 {
    match kind {
        DataType::Counter => 1,
        DataType::Set => 2,
        DataType::Map => 3,
        DataType::Hll => 4,
        DataType::GrowSet => 5,
    }
}

fn value_of(state: &DataTypeState) -> DtValue {
    let mut value = DtValue::default();
    match state {
        DataTypeState::Counter(counter) => value.counter_value = Some(Zigzag(counter.value())),
        DataTypeState::Set(set) => value.set_value = set.elements().map(<[u8]>::to_vec).collect(),
        DataTypeState::GrowSet(set) => value.gset_value = set.0.iter().cloned().collect(),
        DataTypeState::Map(map) => value.map_value = entries_of(map),
        DataTypeState::Hll(hll) => value.hll_value = Some(hll.value()),
    }
    value
}

fn entries_of(map: &Map) -> Vec<MapEntry> {
    let entry = |((name, kind), entry): (&FieldName, &FieldValue)| {
        let mut shown = MapEntry {
            field: MapField {
                name: name.clone(),
                kind: Some(*kind as i32),
            },
            ..MapEntry::default()
        };
        match entry {
            FieldValue::Counter(_) => shown.counter_value = Some(Zigzag(entry.count())),
            FieldValue::Set(set) => shown.set_value = set.elements().map(<[u8]>::to_vec).collect(),
            FieldValue::Register(_) => shown.register_value = Some(entry.assigned().to_vec()),
            FieldValue::Flag(dots) => shown.flag_value = Some(!dots.is_empty()),
            FieldValue::Map(map) => shown.map_value = entries_of(map),
        }
        shown
    };
    map.entries().map(entry).collect()
}

fn change_of(op: DtOp, time_us: u64) -> Result<Change> {
    Ok(match op {
        DtOp {
            counter_op: Some(op), ..
        } => Change::Counter(op.increment.map_or(1, |Zigzag(by)| by)),
        DtOp { set_op: Some(op), .. } => Change::Set(SetChange::new(op.adds, op.removes)),
        DtOp { map_op: Some(op), .. } => Change::Map(map_change(op, time_us)?),
        DtOp { hll_op: Some(op), .. } => Change::Hll(op.adds),
        DtOp {
            gset_op: Some(op), ..
        } => Change::GrowSet(op.adds),
        _ => return Err(RiakError::bad("the update has no operation")),
    })
}

fn field_of(field: MapField) -> Result<FieldName> {
    let kind = field.kind.and_then(|kind| FieldKind::of_number(kind as u64));
    let unknown = || RiakError::bad("a field of a map has an unknown type");
    Ok((field.name, kind.ok_or_else(unknown)?))
}

fn map_change(op: MapOp, time_us: u64) -> Result<MapChange> {
    /// The value of a flag's operation that switches it on.
    const ENABLE: i32 = 1;
    let update = |update: MapUpdate| {
        let field = field_of(update.field)?;
        let change = match update.register_op {
            Some(value) => EntryChange::Register(value),
            None => match (update.counter_op, update.set_op, update.flag_op, update.map_op) {
                (Some(op), ..) => EntryChange::Counter(op.increment.map_or(1, |Zigzag(by)| by)),
                (_, Some(op), ..) => EntryChange::Set(SetChange::new(op.adds, op.removes)),
                (_, _, Some(op), _) => EntryChange::Flag(op == ENABLE),
                (_, _, _, Some(op)) => EntryChange::Map(map_change(op, time_us)?),
                _ => return Err(RiakError::bad("an update of a map's field has no operation")),
            },
        };
        Ok((field, change))
    };
    Ok(MapChange {
        removes: op.removes.into_iter().map(field_of).collect::<Result<_>>()?,
        updates: op.updates.into_iter().map(update).collect::<Result<_>>()?,
        time_us,
    })
}
