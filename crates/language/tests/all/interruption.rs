//! Evaluations that would run for hours are stopped, and let other tasks run meanwhile.

use language::expression::{Expression, ParseScope, Variables};
use language::filter::{Filter, FilterScope};
use language::interruption::{Client, place_ranks, sort_by, steps, within};
use language::{Code, Error, Interruption};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use value::{Document, DocumentRef, Value, doc};

fn evaluate(expression: Document) -> Result<Option<Value>, Error> {
    // Whatever depends on no field is computed when it is parsed.
    let expression = Expression::parse(&Value::Document(expression), &ParseScope::new())?;
    let document = doc! {"one": 1, "text": "a".repeat(1000)};
    expression.evaluate(DocumentRef::Tree(&document), &Variables::new(0))
}

fn code_of(result: Result<Option<Value>, Error>) -> Option<Code> {
    result.err().map(|error| error.code)
}

fn range(count: i32) -> Document {
    doc! {"$range": vec![Value::from(0), Value::from(count)]}
}

/// Sums of sums of sums: 27,000,000,000 of them.
fn endless() -> Document {
    let sum = |body: Value| doc! {"$sum": doc! {"$map": doc! {"input": range(3000), "in": body}}};
    let inner = sum(Value::from(
        doc! {"$add": vec![Value::from("$$this"), Value::from("$one")]},
    ));
    sum(Value::from(sum(Value::from(inner))))
}

#[derive(Debug)]
struct Gone;

impl Client for Gone {
    fn is_gone(&self) -> bool {
        true
    }
}

#[test]
fn an_evaluation_ends_at_its_deadline() {
    let limited = Interruption {
        deadline: Instant::now().checked_add(Duration::from_millis(20)),
        ..Interruption::default()
    };
    let ended = within(&limited, || evaluate(endless()));
    assert_eq!(code_of(ended), Some(Code::MAX_TIME_MS_EXPIRED));
}

#[test]
fn an_evaluation_ends_when_somebody_kills_it() {
    let interruption = Interruption::default();
    let killed = std::thread::scope(|scope| {
        let running = scope.spawn(|| within(&interruption, || evaluate(endless())));
        interruption.kill.with(Code::INTERRUPTED);
        running.join().unwrap()
    });
    assert_eq!(code_of(killed), Some(Code::INTERRUPTED));
}

#[test]
fn an_evaluation_ends_when_nobody_waits_for_it() {
    let abandoned = Interruption {
        client: Some(Arc::new(Gone)),
        ..Interruption::default()
    };
    let ended = within(&abandoned, || evaluate(endless()));
    assert_eq!(code_of(ended), Some(Code::CLIENT_DISCONNECT));
}

#[test]
fn long_work_makes_room_and_short_work_does_not() {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let interruption = Interruption {
        make_room: Some(|| {
            MADE.fetch_add(1, Ordering::Relaxed);
        }),
        ..Interruption::default()
    };
    within(&interruption, || interruption.check()).unwrap();
    assert_eq!(MADE.load(Ordering::Relaxed), 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let begun = Instant::now();
            while MADE.load(Ordering::Relaxed) == 0 && begun.elapsed() < Duration::from_secs(60) {
                std::thread::sleep(Duration::from_millis(5));
            }
            interruption.kill.with(Code::INTERRUPTED);
        });
        code_of(within(&interruption, || evaluate(endless()))).unwrap();
    });
    assert!(MADE.load(Ordering::Relaxed) > 0);
}

#[test]
fn the_inner_interruption_counts_and_then_the_outer_one_again() {
    let (outer, inner) = (Interruption::default(), Interruption::default());
    outer.kill.with(Code::INTERRUPTED);
    within(&outer, || {
        within(&inner, || steps(usize::MAX)).unwrap();
        assert_eq!(steps(usize::MAX).unwrap_err().code, Code::INTERRUPTED);
    });
    steps(usize::MAX).unwrap();
}

#[test]
fn the_value_that_one_operator_builds_is_limited() {
    let doubled = |value: Value, body: Value| {
        let reduce = doc! {"input": range(64), "initialValue": value, "in": body};
        doc! {"$reduce": reduce}
    };
    let twice = |name: &str| doc! {name: vec![Value::from("$$value"), Value::from("$$value")]};
    let long = || Value::from(vec![Value::from("$text"); 10_000]);
    let each = |body: Value| doc! {"$map": doc! {"input": range(100_000), "in": body}};
    let builders = [
        doubled(long(), Value::from(twice("$concatArrays"))),
        doubled(long(), Value::from(vec!["$$value"; 2])),
        doubled(long(), Value::from(doc! {"a": "$$value", "b": "$$value"})),
        each(Value::from("$$ROOT")),
        doc! {"$zip": doc! {"inputs": vec![Value::from(range(100_000)), long()], "useLongestLength": true,
        "defaults": vec![Value::from("$one"), Value::from(vec!["$text"; 2])]}},
        range(i32::MAX),
        doc! {"$regexFindAll": doc! {"input": "a".repeat(600_000), "regex": ""}},
        doc! {"$split": vec!["a".repeat(4_000_000), "a".to_owned()]},
        doc! {"$objectToArray": doc! {"$literal": with_fields(600_000)}},
    ];
    for (at, builder) in builders.into_iter().enumerate() {
        let failed = code_of(evaluate(builder));
        assert_eq!(failed, Some(Code::EXCEEDED_MEMORY_LIMIT), "builder {at}");
    }
}

/// A document of this many fields.
fn with_fields(count: i32) -> Document {
    (0..count).map(|at| (at.to_string(), Value::Null)).collect()
}

#[test]
fn searches_in_long_values_take_linear_time() {
    let almost = format!("{}b", "a".repeat(500_000));
    let found = evaluate(doc! {"$indexOfCP": vec!["a".repeat(1_000_000), almost]});
    assert_eq!(found, Ok(Some(Value::Int32(-1))));

    let characters: String = ('\u{100}'..'\u{8000}').collect();
    let trimmed = doc! {"input": "\u{7fff}".repeat(500_000), "chars": characters};
    let found = evaluate(doc! {"$trim": trimmed});
    assert_eq!(found, Ok(Some(Value::from(""))));

    let pairs = with_fields(100_000)
        .into_iter()
        .map(|(name, value)| Value::Array(vec![Value::from(name), value]));
    let pairs = doc! {"$literal": pairs.collect::<Value>()};
    let found = evaluate(doc! {"$arrayToObject": pairs});
    assert_eq!(found, Ok(Some(Value::Document(with_fields(100_000)))));

    let object = with_fields(100_000);
    assert_eq!(evaluate(object.clone()), Ok(Some(Value::Document(object))));
}

#[test]
fn many_matches_in_a_long_text_are_found_in_time_that_grows_with_its_length() {
    let begun = Instant::now();
    for (pattern, text, matched) in [
        // ASCII; other characters; classes; and those that cost a look at all that is left of the text.
        ("b*", "ab".repeat(50_000), ["", "b"]),
        ("ä*", "öä".repeat(50_000), ["", "ä"]),
        ("\\w*", "aä".repeat(50_000), ["a", ""]),
        ("[[:alpha:]]*", "aä".repeat(50_000), ["a", ""]),
        ("[^[:^alpha:]]*", "aä".repeat(500), ["a", ""]),
    ] {
        let found = evaluate(doc! {"$regexFindAll": doc! {"input": text.clone(), "regex": pattern}});
        let expected = (0..text.chars().count()).map(|at| {
            let matched = matched[at % 2];
            Value::Document(doc! {"match": matched, "idx": at as i32, "captures": Value::Array(Vec::new())})
        });
        assert_eq!(found, Ok(Some(expected.collect())), "{pattern}");
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn strings_are_not_built_past_their_limit() {
    let replaced = doc! {"$replaceAll": doc! {"input": "$text", "find": "a", "replacement": doc! {
    "$reduce": doc! {"input": range(14), "initialValue": "$text",
        "in": doc! {"$concat": vec!["$$value", "$$value"]}}}}};
    assert_eq!(code_of(evaluate(replaced)), Some(Code::location(16_493)));
}

#[test]
fn long_arrays_are_sorted_as_short_ones_are() {
    let mut values: Vec<(u32, u32)> = (0..5_000).map(|at| (at * 7_919 % 101, at)).collect();
    let mut expected = values.clone();
    expected.sort_by_key(|(key, _)| *key);
    sort_by(&mut values, |left, right| left.0.cmp(&right.0)).unwrap();
    assert_eq!(values, expected);
}

#[test]
fn a_sort_ends_when_somebody_kills_it() {
    let interruption = Interruption::default();
    interruption.kill.with(Code::INTERRUPTED);
    let mut values: Vec<u32> = (0..10_000).rev().collect();
    let ended = within(&interruption, || sort_by(&mut values, u32::cmp));
    assert_eq!(ended.unwrap_err().code, Code::INTERRUPTED);
}

#[test]
fn the_numbers_of_some_ranks_are_those_of_a_sort() {
    const COUNT: i32 = 100_000;
    let inputs: [Vec<f64>; 4] = [
        (0..COUNT).map(|at| f64::from(at * 7_919 % 30_011)).collect(),
        (0..COUNT).map(f64::from).collect(),
        (0..COUNT).rev().map(f64::from).collect(),
        vec![-0.0; COUNT as usize],
    ];
    let ranks = [0, 1, 1, 49_999, 50_000, 99_999];
    for mut numbers in inputs {
        let mut sorted = numbers.clone();
        sorted.sort_by(f64::total_cmp);
        place_ranks(&mut numbers, &ranks).unwrap();
        for rank in ranks {
            assert_eq!(numbers[rank], sorted[rank], "{rank} of {:?} …", &sorted[..4]);
        }
        numbers.sort_by(f64::total_cmp);
        assert_eq!(numbers, sorted);
    }
}

#[test]
fn a_search_for_ranks_ends_when_somebody_kills_it() {
    let interruption = Interruption::default();
    interruption.kill.with(Code::INTERRUPTED);
    let mut numbers: Vec<f64> = (0..1_000_000).map(f64::from).collect();
    let ended = within(&interruption, || place_ranks(&mut numbers, &[500_000]));
    assert_eq!(ended.unwrap_err().code, Code::INTERRUPTED);
}

#[test]
fn percentiles_of_many_numbers_are_those_of_few() {
    let numbers = doc! {"$map": doc! {"input": range(60_001), "in": doc! {"$mod": ["$$this", 1_001]}}};
    for (method, p, expected) in [
        ("approximate", 0.5, 500.0),
        ("approximate", 1.0, 1_000.0),
        ("continuous", 0.0, 0.0),
        ("continuous", 0.5, 500.0),
    ] {
        let percentile = doc! {"input": numbers.clone(), "p": [p], "method": method};
        let found = evaluate(doc! {"$percentile": percentile});
        assert_eq!(found, Ok(Some(Value::from(vec![expected]))), "{method} {p}");
    }
}

#[test]
fn filters_on_long_arrays_end() {
    let long = || Value::Array((0..3_000).map(Value::Int32).collect());
    let killed = Interruption::default();
    killed.kill.with(Code::INTERRUPTED);
    let corner = |at: i32| Value::from(vec![f64::from(at), f64::from(at % 2)]);
    let filters = [
        doc! {"a": doc! {"$gt": 3_000}},
        doc! {"a": doc! {"$elemMatch": doc! {"$gt": 3_000}}},
        doc! {"a": doc! {"$elemMatch": doc! {"b": 1}}},
        doc! {"$nor": (0..9_000).map(|at| Value::from(doc! {"b": doc! {"$gt": at}})).collect::<Value>()},
        doc! {"$jsonSchema": doc! {"properties": doc! {"a": doc! {"uniqueItems": true}}}},
        doc! {"places": doc! {"$geoWithin": doc! {"$polygon": (0..2_000).map(corner).collect::<Value>()}}},
    ];
    let document = doc! {"a": long(), "places": vec![vec![900.0, 900.0]; 100]};
    for filter in filters {
        let filter = Filter::parse(&filter, &FilterScope::default()).unwrap();
        let ended = within(&killed, || filter.matches((&document).into()));
        assert_eq!(
            ended.map_err(|error| error.code),
            Err(Code::INTERRUPTED),
            "{filter:?}"
        );
    }
}

#[test]
fn comparing_two_geometries_of_many_corners_ends() {
    const CORNERS: i32 = 500;
    let ring = |radius: f64| -> Value {
        let corner = |at: i32| {
            let turn = f64::from(at % CORNERS) * std::f64::consts::TAU / f64::from(CORNERS);
            Value::from(vec![radius * turn.cos(), radius * turn.sin()])
        };
        (0..=CORNERS).map(corner).collect()
    };
    let polygon = |radius: f64| doc! {"type": "Polygon", "coordinates": vec![ring(radius)]};
    let document = doc! {"area": polygon(0.5)};
    let killed = Interruption::default();
    killed.kill.with(Code::INTERRUPTED);
    for operator in ["$geoWithin", "$geoIntersects"] {
        let filter = doc! {"area": doc! {operator: doc! {"$geometry": polygon(1.0)}}};
        let filter = Filter::parse(&filter, &FilterScope::default()).unwrap();
        assert!(filter.matches((&document).into()).unwrap(), "{operator}");
        let ended = within(&killed, || filter.matches((&document).into()));
        assert_eq!(ended.unwrap_err().code, Code::INTERRUPTED, "{operator}");
    }
}
