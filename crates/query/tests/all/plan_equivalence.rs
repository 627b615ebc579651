//! A find returns what matching every document returns, in the order asked for, whatever indexes exist.

use crate::support::{insert_all, new_collection};
use language::expression::Variables;
use language::filter::{Filter, FilterScope};
use language::projection::Projection;
use query::execute::{FindSpec, StreamState, count, distinct, find, find_records, sort_key};
use query::plan::Ordering;
use query::{Code, QueryError};
use std::sync::Arc;
use store::{Collection, IndexSpec, StoreError};
use testing::{Random, seeds};
use value::collation::Collation;
use value::{Document, DocumentBuf, DocumentRef, Value, doc};

const COLLECTIONS: u64 = 60;
const QUERIES: usize = 60;

#[tokio::test]
async fn every_plan_gives_what_matching_every_document_gives() {
    for seed in seeds(COLLECTIONS) {
        let mut random = Random::new(seed);
        let (_store, collection) = new_collection().await;
        let documents: Vec<Document> = (0..random.below(60))
            .map(|id| document(&mut random, id))
            .collect();
        // Some indexes are built before the documents come, some behind them.
        let (before, after): (Vec<_>, Vec<_>) = (0..1 + random.below(4))
            .map(|at| index(&mut random, at))
            .partition(|_| seed % 2 == 0);
        create(&collection, before).await;
        let stored = insert_all(&collection, &documents).await;
        create(&collection, after).await;
        for number in 0..QUERIES {
            let query = filter(&mut random, 2);
            let sort = if random.below(2) == 0 {
                Document::new()
            } else {
                sort(&mut random)
            };
            let context = format!("LARDER_SEED={seed} query {number}: {query:?} sort {sort:?}");
            check(&collection, &stored, &query, &sort, &mut random, &context).await;
        }
    }
}

/// Some indexes cannot hold some documents (parallel arrays), or are like one before: then there is one index less.
async fn create(collection: &Arc<Collection>, specs: Vec<IndexSpec>) {
    for spec in specs {
        if let Err(error) = collection.create_indexes(vec![spec]).await {
            let is_expected = matches!(
                error,
                StoreError::CannotIndex { .. } | StoreError::IndexOptionsConflict(_)
            );
            assert!(is_expected, "{error:?}");
        }
    }
}

async fn check(
    collection: &Arc<Collection>,
    stored: &[Document],
    query: &Document,
    sort: &Document,
    random: &mut Random,
    context: &str,
) {
    let collation = collation(random);
    let variables = Variables::default().with_collation(collation.clone());
    let scope = FilterScope {
        variables: Some(&variables),
        ..FilterScope::default()
    };
    let parsed = Arc::new(Filter::parse(query, &scope).expect(context));
    let ordering = Ordering::parse(sort)
        .expect(context)
        .with_collation(collation.as_ref());
    let wanted: Vec<&Document> = stored
        .iter()
        .filter(|document| parsed.matches((*document).into()).expect(context))
        .collect();
    let mut spec = FindSpec::new(parsed.clone());
    spec.ordering = ordering.clone();
    spec.variables = variables.clone();
    let context = &format!("{context} collation {collation:?}");

    let sortable = |document: &&Document| match ordering.pattern() {
        Some(pattern) => sort_key((*document).into(), pattern, &mut Vec::new()).is_ok(),
        None => true,
    };
    if !wanted.iter().all(sortable) {
        let refused = try_all(collection, spec, random).await;
        assert_eq!(refused.expect_err(context).code(), Code::BAD_VALUE, "{context}");
        return;
    }
    let found = all(collection, spec.clone(), random).await;
    assert_eq!(ids(found.iter()), ids(wanted.iter().copied()), "{context}");
    assert_sorted(&found, &ordering, context);

    // A limit keeps the first of the order.
    let limit = 1 + random.below(5);
    let mut limited = spec.clone();
    limited.limit = Some(limit);
    limited.skip = random.below(3);
    let part = all(collection, limited.clone(), random).await;
    let rest = (wanted.len() as u64).saturating_sub(limited.skip);
    assert_eq!(part.len() as u64, rest.min(limit), "{context} limit {limit}");
    assert_sorted(&part, &ordering, context);
    if let Some(pattern) = ordering.pattern() {
        let keys = |documents: &[Document]| -> Vec<Vec<u8>> {
            documents.iter().map(|document| key(document, pattern)).collect()
        };
        let mut expected: Vec<Vec<u8>> = wanted.iter().map(|document| key(document, pattern)).collect();
        expected.sort();
        let expected: Vec<_> = expected
            .into_iter()
            .skip(limited.skip as usize)
            .take(limit as usize)
            .collect();
        assert_eq!(
            keys(&part),
            expected,
            "{context} limit {limit} skip {}",
            limited.skip
        );
    }

    assert_eq!(
        count(collection, spec.clone()).await.expect(context),
        wanted.len() as u64,
        "{context}"
    );

    let mut records = find_records(collection, spec.clone()).await.expect(context);
    let mut changed = Vec::new();
    loop {
        let page = records.next_page(7).await.expect(context);
        if page.is_empty() {
            break;
        }
        changed.extend(page.into_iter().map(|found| found.document.to_document()));
    }
    assert_eq!(
        ids(changed.iter()),
        ids(wanted.iter().copied()),
        "records of {context}"
    );

    check_projection(collection, &wanted, &spec, random, context).await;
    let mut spec = FindSpec::new(parsed);
    spec.variables = variables.clone();
    let mut values = distinct(collection, spec, "a").await.expect(context);
    let refs = wanted.iter().map(|document| DocumentRef::from(*document));
    let mut expected = query::execute::distinct_values(refs, "a", collation.as_ref());
    values.sort_by(|a, b| value::compare(a.as_ref(), b.as_ref()));
    expected.sort_by(|a, b| value::compare(a.as_ref(), b.as_ref()));
    assert_eq!(
        values.len(),
        expected.len(),
        "distinct {context}: {values:?} {expected:?}"
    );
}

/// Half of the queries tell no case apart.
fn collation(random: &mut Random) -> Option<Collation> {
    match random.below(2) {
        0 => Collation::parse(&doc! {"locale": "en", "strength": 2}).expect("a good collation"),
        _ => None,
    }
}

/// Covered results equal those read from the documents.
async fn check_projection(
    collection: &Arc<Collection>,
    wanted: &[&Document],
    spec: &FindSpec,
    random: &mut Random,
    context: &str,
) {
    let projection = match random.below(3) {
        0 => doc! {"_id": 0, "a": 1},
        1 => doc! {"_id": 0, "a": 1, "b": 1},
        _ => doc! {"_id": 0, "c.x": 1},
    };
    let projection = Arc::new(
        Projection::parse_find(&projection, Some(&spec.filter), &Default::default()).expect(context),
    );
    let mut spec = spec.clone();
    spec.projection = Some(projection.clone());
    let mut shown: Vec<String> = all(collection, spec, random)
        .await
        .iter()
        .map(fields_shown)
        .collect();
    let mut expected: Vec<String> = wanted
        .iter()
        .map(|document| {
            let mut bytes = Vec::new();
            projection
                .apply((*document).into(), None, &Default::default(), &mut bytes)
                .expect(context);
            fields_shown(&DocumentBuf::from_validated(bytes.into()).to_document())
        })
        .collect();
    shown.sort();
    expected.sort();
    assert_eq!(shown, expected, "projected {context}");
}

/// The fields in any order: those out of an index come in the index's.
fn fields_shown(document: &Document) -> String {
    let mut fields: Vec<String> = document
        .iter()
        .map(|(name, value)| format!("{name}: {value:?}"))
        .collect();
    fields.sort();
    fields.join(", ")
}

async fn all(collection: &Arc<Collection>, spec: FindSpec, random: &mut Random) -> Vec<Document> {
    try_all(collection, spec, random).await.expect("find")
}

/// All results, in batches of random sizes.
async fn try_all(
    collection: &Arc<Collection>,
    spec: FindSpec,
    random: &mut Random,
) -> Result<Vec<Document>, QueryError> {
    let mut cursor = find(collection, spec).await?;
    let mut found = Vec::new();
    loop {
        let mut batch = Vec::new();
        let state = cursor
            .next_batch(&mut batch, 1 + random.below(20) as usize, 1 << 20)
            .await?;
        found.extend(batch.iter().map(DocumentBuf::to_document));
        if state == StreamState::Exhausted {
            return Ok(found);
        }
    }
}

fn ids<'d>(documents: impl Iterator<Item = &'d Document>) -> Vec<i32> {
    let mut ids: Vec<i32> = documents
        .map(|document| match document.get("_id") {
            Some(Value::Int32(id)) => *id,
            other => panic!("no id: {other:?}"),
        })
        .collect();
    ids.sort_unstable();
    ids
}

fn key(document: &Document, pattern: &query::plan::SortPattern) -> Vec<u8> {
    let mut key = Vec::new();
    sort_key(document.into(), pattern, &mut key).expect("no parallel arrays");
    key
}

fn assert_sorted(found: &[Document], ordering: &Ordering, context: &str) {
    if let Some(pattern) = ordering.pattern() {
        let keys: Vec<Vec<u8>> = found.iter().map(|document| key(document, pattern)).collect();
        assert!(keys.is_sorted(), "not sorted: {context}\n{found:#?}");
    }
}

const PATHS: [&str; 6] = ["a", "b", "c.x", "c.y", "c", "_id"];

fn document(random: &mut Random, id: u64) -> Document {
    let mut made = doc! {"_id": id as i32};
    for name in ["a", "b"] {
        if random.below(8) > 0 {
            made.push(name, value(random, 2));
        }
    }
    match random.below(4) {
        0 => {}
        1 => made.push("c", value(random, 1)),
        2 => made.push("c", embedded(random)),
        _ => made.push(
            "c",
            (0..random.below(3))
                .map(|_| Value::from(embedded(random)))
                .collect::<Value>(),
        ),
    }
    made
}

fn embedded(random: &mut Random) -> Document {
    let mut made = Document::new();
    for name in ["x", "y"] {
        if random.below(4) > 0 {
            made.push(name, value(random, 1));
        }
    }
    made
}

fn value(random: &mut Random, depth: u32) -> Value {
    match random.below(if depth > 0 { 16 } else { 11 }) {
        0..=4 => Value::Int32(random.below(6) as i32),
        5 => Value::Double(random.below(10) as f64 / 2.0),
        6 => Value::Int64(random.below(6) as i64 - 2),
        7 => Value::from(["", "a", "A", "ab", "aB", "abc", "b", "B"][random.below(8) as usize]),
        8 => Value::Null,
        9 => Value::Bool(random.below(2) == 0),
        10 => Value::Double([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0][random.below(4) as usize]),
        11 => Value::from(doc! {"x": value(random, depth - 1)}),
        _ => (0..random.below(4)).map(|_| value(random, depth - 1)).collect(),
    }
}

fn filter(random: &mut Random, depth: u32) -> Document {
    let mut made = Document::new();
    if depth > 0 && random.below(4) == 0 {
        let name = ["$or", "$and", "$nor"][random.below(3) as usize];
        let branches: Value = (0..1 + random.below(3))
            .map(|_| Value::from(filter(random, depth - 1)))
            .collect();
        made.push(name, branches);
    }
    for _ in 0..random.below(3) {
        let path = PATHS[random.below(6) as usize];
        if !made.contains(path) {
            made.push(path, condition(random, path));
        }
    }
    made
}

fn condition(random: &mut Random, path: &str) -> Value {
    if random.below(4) == 0 {
        return value(random, 2);
    }
    if path == "c" && random.below(2) == 0 {
        let mut inner = Document::new();
        for name in ["x", "y"] {
            if random.below(3) > 0 {
                inner.push(name, operators(random, 1));
            }
        }
        if !inner.is_empty() {
            return Value::from(doc! {"$elemMatch": inner});
        }
    }
    Value::from(operators(random, 2))
}

fn operators(random: &mut Random, depth: u32) -> Document {
    let mut made = Document::new();
    for _ in 0..1 + random.below(2) {
        let (name, operand) = match random.below(13) {
            0 => ("$eq", value(random, depth)),
            1 => ("$gt", value(random, depth)),
            2 => ("$gte", value(random, depth)),
            3 => ("$lt", value(random, depth)),
            4 => ("$lte", value(random, depth)),
            5 => ("$ne", value(random, depth)),
            6 => (
                "$in",
                (0..random.below(4)).map(|_| value(random, depth)).collect(),
            ),
            7 => (
                "$nin",
                (0..random.below(3)).map(|_| value(random, depth)).collect(),
            ),
            8 => ("$exists", Value::Bool(random.below(2) == 0)),
            9 => (
                "$type",
                Value::from(["number", "string", "null", "array", "object"][random.below(5) as usize]),
            ),
            10 => (
                "$regex",
                Value::from(["^a", "^ab", "b", "^a.*c"][random.below(4) as usize]),
            ),
            11 if depth > 0 => ("$elemMatch", Value::from(operators(random, 0))),
            12 if depth > 0 => ("$not", Value::from(operators(random, 0))),
            _ => ("$mod", Value::from(vec![2, 1])),
        };
        if !made.contains(name) {
            made.push(name, operand);
        }
    }
    made
}

fn sort(random: &mut Random) -> Document {
    let mut made = Document::new();
    for _ in 0..1 + random.below(2) {
        let path = PATHS[random.below(6) as usize];
        if !made.contains(path) {
            made.push(path, if random.below(2) == 0 { 1 } else { -1 });
        }
    }
    made
}

fn index(random: &mut Random, number: u64) -> IndexSpec {
    let mut key = Document::new();
    for _ in 0..1 + random.below(3) {
        let path = PATHS[random.below(5) as usize];
        if !key.contains(path) {
            key.push(path, if random.below(3) == 0 { -1 } else { 1 });
        }
    }
    if random.below(10) == 0 {
        key = doc! {"a": "hashed"};
    }
    if random.below(4) == 0 {
        return wildcard(random, number);
    }
    let mut spec = IndexSpec::new(format!("index_{number}"), key);
    spec.sparse = random.below(4) == 0;
    put_collation(random, &mut spec);
    if random.below(5) == 0 {
        spec.partial_filter = Some(match random.below(3) {
            0 => doc! {"a": {"$gt": 2}},
            1 => doc! {"b": {"$exists": true}},
            _ => doc! {"a": 1, "b": {"$lte": 3}},
        });
    }
    spec
}

fn put_collation(random: &mut Random, spec: &mut IndexSpec) {
    if let (0, Some(collation)) = (random.below(2), collation(random)) {
        spec.kept.push("collation", collation.description().clone());
    }
}

/// One on everything, on one field, with a projection, or compound.
fn wildcard(random: &mut Random, number: u64) -> IndexSpec {
    let direction = if random.below(3) == 0 { -1 } else { 1 };
    let (key, projection) = match random.below(5) {
        0 => (doc! {"c.$**": direction}, None),
        1 => (doc! {"$**": direction}, Some(doc! {"a": 1, "c.x": 1})),
        2 => (doc! {"$**": direction}, Some(doc! {"b": 0, "c.y": 0})),
        3 => (doc! {"a": 1, "$**": direction}, Some(doc! {"a": 0})),
        _ => (doc! {"$**": direction}, None),
    };
    let mut spec = IndexSpec::new(format!("index_{number}"), key);
    if let Some(projection) = projection {
        spec.kept.push("wildcardProjection", projection);
    }
    put_collation(random, &mut spec);
    spec
}
