//! A query for places returns what matching every document returns, and `$near` in the order of distance, whatever geospatial
//! indexes exist.

mod support;

use geometry::Near;
use language::filter::{Filter, FilterScope};
use query::execute::{FindSpec, StreamState, find};
use query::plan::{Hint, Ordering};
use std::sync::Arc;
use store::{Collection, IndexSpec, Order};
use support::{insert_all, new_collection};
use testing::{Random, seeds};
use value::path::{self, FieldPath};
use value::{Document, DocumentRef, Value, array, doc};

const COLLECTIONS: u64 = 12;
const DOCUMENTS: u64 = 150;
const QUERIES: usize = 30;

#[tokio::test]
async fn queries_for_places_give_the_same_by_every_index() {
    for seed in seeds(COLLECTIONS) {
        let mut random = Random::new(seed);
        let flat = random.below(2) == 0;
        let (_store, collection) = new_collection().await;
        let documents: Vec<Document> = (0..random.below(DOCUMENTS))
            .map(|id| document(&mut random, id, flat))
            .collect();
        let spec = index(&mut random, flat);
        let early = random.below(2) == 0;
        if early {
            collection
                .create_indexes(vec![spec.clone()])
                .await
                .expect("an index");
        }
        let stored = insert_all(&collection, &documents).await;
        assert_eq!(stored.len(), documents.len());
        if !early {
            collection
                .create_indexes(vec![spec.clone()])
                .await
                .expect("an index");
        }
        let served = spec.key.iter().next().is_some_and(|(first, _)| first == "at");
        for number in 0..QUERIES {
            let near = served && random.below(3) == 0;
            let mut query = if near {
                near_query(&mut random, flat)
            } else {
                area_query(&mut random, flat)
            };
            if random.below(3) == 0 {
                query.push("n", doc! {"$lt": (random.below(10) as i32)});
            }
            let context = format!("LARDER_SEED={seed} query {number}: {query:?} by {:?}", spec.key);
            check(&collection, &stored, &query, &context).await;
        }
    }
}

#[tokio::test]
async fn near_cannot_be_combined_with_natural_order() {
    let (_store, collection) = new_collection().await;
    let key = doc! {"at": "2dsphere"};
    collection
        .create_indexes(vec![IndexSpec::new("at", key)])
        .await
        .expect("an index");
    for matching in [doc! {}, doc! {"n": 1}] {
        let query = matching.with("at", doc! {"$nearSphere": [1.0, 2.0]});
        let filter = Arc::new(Filter::parse(&query, &FilterScope::default()).expect("a filter"));
        let natural = |order| {
            let sorted = FindSpec {
                ordering: Ordering::Natural(order),
                ..FindSpec::new(filter.clone())
            };
            let hinted = FindSpec {
                hint: Some(Hint::Natural(order)),
                ..FindSpec::new(filter.clone())
            };
            [sorted, hinted]
        };
        for spec in [Order::Forward, Order::Backward].into_iter().flat_map(natural) {
            let Err(error) = find(&collection, spec).await else {
                panic!("{query:?} is answered");
            };
            assert_eq!(error.code().number(), 2, "{query:?}: {error}");
        }
    }
}

async fn check(collection: &Arc<Collection>, stored: &[Document], query: &Document, context: &str) {
    let filter = Arc::new(Filter::parse(query, &FilterScope::default()).expect(context));
    let mut wanted: Vec<&Document> = stored
        .iter()
        .filter(|document| filter.matches((*document).into()).expect(context))
        .collect();
    let near = match query.get("at") {
        Some(Value::Document(operators)) if filter.asks_near() => {
            Some(Near::parse(operators).expect(context))
        }
        _ => None,
    };
    let mut found = all(collection, filter.clone(), context).await;
    if let Some(near) = near {
        let distances: Vec<f64> = found.iter().map(|one| distance(&near, one)).collect();
        assert!(distances.is_sorted(), "{distances:?} of {context}");
    }
    let id = |document: &Document| {
        document
            .get("_id")
            .and_then(|id| id.as_ref().as_f64())
            .expect("an id")
    };
    wanted.sort_by(|a, b| id(a).total_cmp(&id(b)));
    found.sort_by(|a, b| id(a).total_cmp(&id(b)));
    let (found, wanted): (Vec<f64>, Vec<f64>) = (
        found.iter().map(id).collect(),
        wanted.into_iter().map(id).collect(),
    );
    assert_eq!(found, wanted, "{context}");
}

/// All results, in batches of a few, so that cursors go on where they were.
async fn all(collection: &Arc<Collection>, filter: Arc<Filter>, context: &str) -> Vec<Document> {
    let mut cursor = find(collection, FindSpec::new(filter)).await.expect(context);
    let mut found = Vec::new();
    loop {
        let mut batch = Vec::new();
        let state = cursor.next_batch(&mut batch, 7, 1 << 20).await.expect(context);
        found.extend(batch.iter().map(value::DocumentBuf::to_document));
        if state == StreamState::Exhausted {
            return found;
        }
    }
}

fn distance(near: &Near, document: &Document) -> f64 {
    let mut nearest = f64::INFINITY;
    path::visit(
        DocumentRef::Tree(document),
        &FieldPath::parse("at"),
        &mut |reached| {
            let distance = reached.value.and_then(|value| near.nearest(value));
            nearest = nearest.min(distance.unwrap_or(f64::INFINITY));
            false
        },
    );
    nearest
}

/// Between the two numbers, in hundredths.
fn between(random: &mut Random, low: i32, high: i32) -> f64 {
    f64::from(low) + random.below((high - low) as u64 * 100) as f64 / 100.0
}

/// Places gather in one corner of the world, so that many meet.
fn point(random: &mut Random) -> [f64; 2] {
    match random.below(4) {
        0 => [between(random, -180, 180), between(random, -90, 90)],
        _ => [between(random, 168, 180), between(random, 60, 90)],
    }
}

fn pair(random: &mut Random) -> Value {
    let [x, y] = point(random);
    array![x, y].into()
}

fn ring(random: &mut Random) -> Value {
    let [x, y] = point(random);
    let (width, height) = (between(random, 0, 6) + 0.01, between(random, 0, 6) + 0.01);
    let (left, right) = ((x - width).max(-180.0), x);
    let (low, high) = ((y - height).max(-90.0), y.min(89.9));
    array![
        [left, low],
        [right, low],
        [right, high],
        [left, high],
        [left, low]
    ]
    .into()
}

fn geometry(random: &mut Random) -> Value {
    match random.below(6) {
        0 | 1 => doc! {"type": "Point", "coordinates": (pair(random))}.into(),
        2 => doc! {"type": "LineString", "coordinates": [(pair(random)), (pair(random)), [1, 2]]}.into(),
        3 => doc! {"type": "Polygon", "coordinates": [(ring(random))]}.into(),
        4 => doc! {"type": "MultiPoint", "coordinates": [(pair(random)), (pair(random))]}.into(),
        _ => pair(random),
    }
}

fn document(random: &mut Random, id: u64, flat: bool) -> Document {
    let mut document = doc! {"_id": (id as i32), "n": (random.below(10) as i32)};
    match random.below(8) {
        0 => {}
        1 => document.push("at", Value::Null),
        2 if flat => document.push("at", array![(pair(random)), (pair(random))]),
        _ if flat => document.push("at", pair(random)),
        _ => document.push("at", geometry(random)),
    }
    document
}

fn index(random: &mut Random, flat: bool) -> IndexSpec {
    let kind = if flat { "2d" } else { "2dsphere" };
    let key = match random.below(3) {
        0 => doc! {"at": kind, "n": 1},
        1 if !flat => doc! {"n": 1, "at": kind},
        _ => doc! {"at": kind},
    };
    let mut spec = IndexSpec::new("places", key);
    if flat && random.below(2) == 0 {
        spec.kept.push("bits", 1 + random.below(32) as i32);
    }
    spec
}

fn area_query(random: &mut Random, flat: bool) -> Document {
    let radius = between(random, 0, 20);
    let argument = match random.below(if flat { 4 } else { 3 }) {
        0 => doc! {"$centerSphere": [(pair(random)), (radius.to_radians())]},
        1 if flat => doc! {"$box": [(pair(random)), (pair(random))]},
        2 if flat => doc! {"$center": [(pair(random)), radius]},
        _ if flat => doc! {"$polygon": [(pair(random)), (pair(random)), (pair(random))]},
        _ => doc! {"$geometry": {"type": "Polygon", "coordinates": [(ring(random))]}},
    };
    let operator = match argument.contains("$geometry") && random.below(2) == 0 {
        true => "$geoIntersects",
        false => "$geoWithin",
    };
    doc! {"at": (Document::new().with(operator, argument))}
}

fn near_query(random: &mut Random, flat: bool) -> Document {
    let mut operators = match random.below(2) {
        0 if flat => doc! {"$near": (pair(random))},
        _ => doc! {"$nearSphere": (pair(random))},
    };
    let unit = if operators.contains("$near") { 1.0 } else { 0.0175 };
    if random.below(2) == 0 {
        operators.push("$maxDistance", between(random, 0, 60) * unit);
    }
    if random.below(3) == 0 {
        operators.push("$minDistance", between(random, 0, 30) * unit);
    }
    doc! {"at": operators}
}
