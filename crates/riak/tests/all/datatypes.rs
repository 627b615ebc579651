//! Data types converge in whatever order changes arrive, and look the same through both protocols.

use crate::server::Server;
use proptest::prelude::*;
use riak::datatype::{Change, DataType, DataTypeState, EntryChange, FieldKind, MapChange, SetChange};
use riak::pb::frame::code;
use riak::pb::messages::{CounterOp, DtFetchReq, DtFetchResp, DtOp, DtUpdateReq, DtUpdateResp, SetOp};
use riak::pb::wire::Zigzag;
use riak::{Clock, Dot};
use value::{Document, DocumentBuf};

fn elements() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(0u8..4, 1), 0..3)
}

fn set_change() -> impl Strategy<Value = SetChange> {
    (elements(), elements()).prop_map(|(adds, removes)| SetChange::new(adds, removes))
}

fn map_change() -> impl Strategy<Value = Change> {
    let entry = prop_oneof![
        (-5i64..5).prop_map(|by| (FieldKind::Counter, EntryChange::Counter(by))),
        set_change().prop_map(|change| (FieldKind::Set, EntryChange::Set(change))),
        prop::collection::vec(0u8..3, 1)
            .prop_map(|value| (FieldKind::Register, EntryChange::Register(value))),
        any::<bool>().prop_map(|on| (FieldKind::Flag, EntryChange::Flag(on))),
        set_change().prop_map(|change| {
            let inner = MapChange {
                updates: vec![((b"in".to_vec(), FieldKind::Set), EntryChange::Set(change))],
                ..MapChange::default()
            };
            (FieldKind::Map, EntryChange::Map(inner))
        }),
    ];
    let removed = prop::option::of(1u64..6);
    (prop::collection::vec(entry, 0..3), removed, 0u64..9).prop_map(|(updates, removed, time_us)| {
        let field = |kind: FieldKind| (b"f".to_vec(), kind);
        let updates = updates
            .into_iter()
            .map(|(kind, change)| (field(kind), change))
            .collect();
        let removes = removed
            .and_then(FieldKind::of_number)
            .map(field)
            .into_iter()
            .collect();
        Change::Map(MapChange {
            removes,
            updates,
            time_us,
        })
    })
}

fn changes(kind: DataType) -> BoxedStrategy<Change> {
    match kind {
        DataType::Counter => (-9i64..9).prop_map(Change::Counter).boxed(),
        DataType::Set => set_change().prop_map(Change::Set).boxed(),
        DataType::GrowSet => elements().prop_map(Change::GrowSet).boxed(),
        DataType::Map => map_change().boxed(),
        DataType::Hll => elements().prop_map(Change::Hll).boxed(),
    }
}

const KINDS: [DataType; 5] = [
    DataType::Counter,
    DataType::Set,
    DataType::GrowSet,
    DataType::Map,
    DataType::Hll,
];

/// Three replicas with the changes that each made, and who told whom between two changes.
fn histories() -> impl Strategy<Value = (DataType, Vec<(usize, usize, Change)>)> {
    prop::sample::select(KINDS.to_vec()).prop_flat_map(|kind| {
        let step = (0usize..3, 0usize..3, changes(kind));
        (Just(kind), prop::collection::vec(step, 0..8))
    })
}

fn merged(first: &DataTypeState, second: &DataTypeState) -> DataTypeState {
    let mut merged = first.clone();
    merged.merge(second);
    merged
}

proptest! {
    #[test]
    fn states_converge_in_whatever_order_they_meet((kind, history) in histories()) {
        let mut replicas = [DataTypeState::new(kind), DataTypeState::new(kind), DataTypeState::new(kind)];
        for (counter, (own, other, change)) in history.iter().enumerate() {
            let told = replicas[*other].clone();
            replicas[*own].merge(&told);
            let dot = Dot { actor: vec![*own as u8], counter: counter as u64 + 1 };
            let seen = replicas[*own].context().cloned().unwrap_or_default();
            replicas[*own].change(change, &dot, Some(&seen)).unwrap();
        }
        let [a, b, c] = &replicas;
        prop_assert_eq!(merged(a, a), a.clone());
        prop_assert_eq!(merged(a, b), merged(b, a));
        prop_assert_eq!(merged(&merged(a, b), c), merged(a, &merged(b, c)));
        prop_assert_eq!(DataTypeState::of_value(&a.to_value()), Some(a.clone()));
    }
}

#[test]
fn a_map_does_not_grow_with_each_change_of_its_fields() {
    let name = |name: &str, kind| (name.as_bytes().to_vec(), kind);
    let inner = MapChange {
        updates: vec![(name("c", FieldKind::Counter), EntryChange::Counter(-1))],
        ..MapChange::default()
    };
    let change = Change::Map(MapChange {
        updates: vec![
            // Both of one field count.
            (name("c", FieldKind::Counter), EntryChange::Counter(3)),
            (name("c", FieldKind::Counter), EntryChange::Counter(-1)),
            (
                name("r", FieldKind::Register),
                EntryChange::Register(b"x".to_vec()),
            ),
            (name("f", FieldKind::Flag), EntryChange::Flag(true)),
            (name("m", FieldKind::Map), EntryChange::Map(inner)),
        ],
        ..MapChange::default()
    });
    let mut state = DataTypeState::new(DataType::Map);
    let mut lengths = Vec::new();
    for counter in 1_000..2_000 {
        let dot = Dot {
            actor: b"actor".to_vec(),
            counter,
        };
        state.change(&change, &dot, None).unwrap();
        let kept = Document::new().with("crdt", state.to_value());
        lengths.push(DocumentBuf::from(&kept).bytes().len());
    }
    assert_eq!(lengths.first(), lengths.last());
    let DataTypeState::Map(map) = &state else {
        panic!("no map");
    };
    let counts: Vec<i64> = map.entries().map(|(_, entry)| entry.count()).collect();
    assert_eq!(counts, [2_000, 0, 0, 0]);
    // What a removal has not seen stays, with what it is a part of.
    let seen = Clock::from_iter([Dot {
        actor: b"actor".to_vec(),
        counter: 1_998,
    }]);
    let removal = Change::Map(MapChange {
        removes: vec![name("c", FieldKind::Counter)],
        ..MapChange::default()
    });
    let dot = Dot {
        actor: b"actor".to_vec(),
        counter: 2_000,
    };
    state.change(&removal, &dot, Some(&seen)).unwrap();
    let DataTypeState::Map(map) = &state else {
        panic!("no map");
    };
    assert_eq!(map.entries().map(|(_, entry)| entry.count()).max(), Some(2_000));
    let seen = Clock::from_iter([dot.clone()]);
    state.change(&removal, &dot, Some(&seen)).unwrap();
    let DataTypeState::Map(map) = &state else {
        panic!("no map");
    };
    assert_eq!(map.entries().count(), 3);
}

#[test]
fn a_set_is_the_same_by_both_protocols_and_a_removal_needs_what_was_seen() {
    let server = Server::start();
    let mut client = server.client();
    let path = "/types/sets/buckets/b/datatypes/k";
    let post = |body: &str| {
        server.ask(
            &format!("POST {path}"),
            &[("Content-Type", "application/json")],
            body.as_bytes(),
        )
    };
    assert_eq!(server.get(path).status, 404);
    assert_eq!(post(r#"{"add_all":["a","b"]}"#).status, 204);
    let many = (0..50_001)
        .map(|number| format!("\"{number}\""))
        .collect::<Vec<_>>();
    let refused = post(&format!(r#"{{"add_all":[{}]}}"#, many.join(",")));
    assert_eq!(refused.status, 413, "{}", refused.text());
    let wanted = DtFetchReq {
        bucket: b"b".to_vec(),
        key: b"k".to_vec(),
        kind: b"sets".to_vec(),
        ..DtFetchReq::default()
    };
    let fetched: DtFetchResp = client.ask(code::DT_FETCH, &wanted);
    assert_eq!(fetched.value.unwrap().set_value, [b"a", b"b"]);
    assert_eq!(post(r#"{"add":"c"}"#).status, 204);
    let op = SetOp {
        adds: Vec::new(),
        removes: vec![b"a".to_vec(), b"c".to_vec()],
    };
    let stale = DtUpdateReq {
        bucket: b"b".to_vec(),
        key: Some(b"k".to_vec()),
        kind: b"sets".to_vec(),
        context: fetched.context,
        op: DtOp {
            set_op: Some(op),
            ..DtOp::default()
        },
        return_body: Some(true),
        ..DtUpdateReq::default()
    };
    let updated: DtUpdateResp = client.ask(code::DT_UPDATE, &stale);
    assert_eq!(updated.set_value, [b"b", b"c"], "what was not seen stays");
    assert_eq!(post(r#"{"remove":"z"}"#).status, 412);
    // Without a context one step follows the other.
    assert_eq!(post(r#"{"add":"z","remove":"z"}"#).status, 204);
    assert_eq!(post(r#"{"remove":"z","add":"z"}"#).status, 412);
    assert_eq!(post(r#"{"remove":"c","add":"c"}"#).status, 204);
    let both = DtUpdateReq {
        context: None,
        op: DtOp {
            set_op: Some(SetOp {
                adds: vec![b"z".to_vec()],
                removes: vec![b"z".to_vec()],
            }),
            ..DtOp::default()
        },
        ..stale
    };
    let updated: DtUpdateResp = client.ask(code::DT_UPDATE, &both);
    assert_eq!(updated.set_value, [b"b", b"c"]);
    assert!(server.get(path).text().contains(r#""value":["b","c"]"#));
    assert_eq!(
        server
            .put("/types/sets/buckets/b/keys/k", "text/plain", b"x")
            .status,
        400
    );
}

#[test]
fn maps_nest_and_counters_count() {
    let server = Server::start();
    let post = |path: &str, body: &str| {
        server.ask(
            &format!("POST {path}?returnbody=true"),
            &[("Content-Type", "application/json")],
            body.as_bytes(),
        )
    };
    let map = "/types/maps/buckets/b/datatypes/k";
    let body = r#"{"update":{"n_counter":2,"r_register":"x","f_flag":"enable","m_map":{"update":{"s_set":{"add":"deep"}}}}}"#;
    let value = |text: String| serde_json::from_str::<serde_json::Value>(&text).unwrap()["value"].clone();
    let shown = value(post(map, body).text());
    let expected =
        serde_json::json!({"n_counter": 2, "r_register": "x", "f_flag": true, "m_map": {"s_set": ["deep"]}});
    assert_eq!(shown, expected);
    let shown = value(
        post(
            map,
            r#"{"remove":["m_map"],"update":{"n_counter":{"decrement":5}}}"#,
        )
        .text(),
    );
    assert_eq!(
        shown,
        serde_json::json!({"n_counter": -3, "r_register": "x", "f_flag": true})
    );
    assert_eq!(post(map, r#"{"update":{"n_other":2}}"#).status, 400);
    let counter = "/types/counters/buckets/b/datatypes/k";
    post(counter, "5");
    assert_eq!(value(post(counter, r#"{"increment":-2}"#).text()), 3);
    let hll = "/types/hlls/buckets/b/datatypes/k";
    assert_eq!(value(post(hll, r#"{"add_all":["a","b","a"]}"#).text()), 2);
    assert_eq!(
        post("/types/gsets/buckets/b/datatypes/k", r#"{"remove":"a"}"#).status,
        400
    );
    assert_eq!(post("/buckets/b/counters/k", "1").status, 409);
}

#[test]
fn an_operation_of_another_data_type_is_refused_before_a_bucket_is_made() {
    let server = Server::start();
    let add = DtUpdateReq {
        bucket: b"b".to_vec(),
        key: Some(b"k".to_vec()),
        kind: b"maps".to_vec(),
        op: DtOp {
            set_op: Some(SetOp::default()),
            ..DtOp::default()
        },
        ..DtUpdateReq::default()
    };
    let told = "Operation type is `set` but  bucket type is `map`.";
    assert_eq!(server.client().refused(code::DT_UPDATE, &add), told);
    assert!(server.engine.collections("maps").is_empty());
}

#[test]
fn buckets_without_a_type_have_old_counters_and_others_have_none() {
    let server = Server::start();
    let mut client = server.client();
    let update = |op: DtOp| DtUpdateReq {
        bucket: b"c".to_vec(),
        key: Some(b"k".to_vec()),
        kind: b"default".to_vec(),
        op,
        return_body: Some(true),
        ..DtUpdateReq::default()
    };
    let increment = update(DtOp {
        counter_op: Some(CounterOp {
            increment: Some(Zigzag(5)),
        }),
        ..DtOp::default()
    });
    let told = "Counters require bucket property 'allow_mult=true'";
    assert_eq!(client.refused(code::DT_UPDATE, &increment), told);
    let props = br#"{"props":{"allow_mult":true}}"#;
    assert_eq!(
        server.put("/buckets/c/props", "application/json", props).status,
        204
    );
    let updated: DtUpdateResp = client.ask(code::DT_UPDATE, &increment);
    assert_eq!(updated.counter_value, Some(Zigzag(5)));
    let add = update(DtOp {
        set_op: Some(SetOp::default()),
        ..DtOp::default()
    });
    let told = "non-counter operation on default bucket";
    assert_eq!(client.refused(code::DT_UPDATE, &add), told);
    let wanted = DtFetchReq {
        bucket: b"c".to_vec(),
        key: b"k".to_vec(),
        kind: b"default".to_vec(),
        ..DtFetchReq::default()
    };
    let fetched: DtFetchResp = client.ask(code::DT_FETCH, &wanted);
    assert_eq!(fetched.value.unwrap().counter_value, Some(Zigzag(5)));
    assert_eq!(server.get("/buckets/c/counters/k").text(), "5");
    let path = "/types/maps/buckets/c/counters/k";
    assert_eq!(server.ask(&format!("POST {path}"), &[], b"1").status, 404);
    assert_eq!(server.get(path).status, 404);
    assert_eq!(server.get("/types/maps/buckets/c/datatypes/k").status, 404);
}

#[test]
fn old_counters_are_where_siblings_are_allowed_and_what_is_none_counts_nothing() {
    let server = Server::start();
    let props = br#"{"props":{"allow_mult":true,"last_write_wins":true}}"#;
    assert_eq!(
        server.put("/buckets/c/props", "application/json", props).status,
        204
    );
    let counter = "/buckets/c/counters/k";
    assert_eq!(server.get(counter).status, 404);
    assert_eq!(server.ask(&format!("POST {counter}"), &[], b"3").status, 204);
    assert_eq!(server.get(counter).text(), "3");
    let plain = server.put("/buckets/c/keys/plain", "text/plain", b"words");
    assert_eq!(plain.status, 204);
    let read = server.get("/buckets/c/counters/plain");
    assert_eq!((read.status, read.text().as_str()), (200, "0"));
}
