//! A search by a text index returns what matching every document returns, whatever has happened to the collection.

use crate::support::{insert_all, new_collection};
use crate::write_support::{removal, request};
use language::filter::{Filter, FilterScope};
use query::execute::{FindSpec, find_records};
use query::plan::Ordering;
use query::write::{self, WriteOptions};
use std::sync::Arc;
use store::{Collection, IndexSpec};
use testing::{Random, seeds};
use text::{Condition, Search, TextFields};
use value::{Document, DocumentBuf, Value, doc};

const COLLECTIONS: u64 = 25;
const STEPS: usize = 40;
const WORDS: [&str; 10] = [
    "red", "reds", "fox", "foxes", "Running", "run", "the", "blue", "café", "cafe",
];

#[tokio::test]
async fn a_search_finds_what_asking_every_document_finds() {
    for seed in seeds(COLLECTIONS) {
        let mut random = Random::new(seed);
        let (_store, collection) = new_collection().await;
        let options = options(&mut random);
        let late = random.below(2) == 0;
        if !late {
            index(&collection, &options).await;
        }
        let documents: Vec<Document> = (0..random.below(40))
            .map(|id| document(&mut random, id))
            .collect();
        insert_all(&collection, &documents).await;
        if late {
            index(&collection, &options).await;
        }
        let fields = Arc::new(TextFields::of_options(&options));
        for step in 0..STEPS {
            change(&collection, &mut random, step).await;
            let search = doc! {"$search": (sentence(&mut random, 3)), "$caseSensitive": random.below(4) == 0};
            let shelf = shelf(&mut random);
            let filter = doc! {"shelf": shelf.clone(), "$text": (search.clone())};
            let parsed = Search::parse(&Value::Document(search)).unwrap();
            let condition = Condition::new(&parsed, Arc::clone(&fields));
            let mut expected: Vec<(f64, Document)> = found(&collection, doc! {"shelf": shelf}, Ordering::Any)
                .await
                .into_iter()
                .filter(|document| condition.matches(document.into()))
                .map(|document| (condition.score((&document).into()), document))
                .collect();
            let id = |document: &Document| document.get("_id").cloned();
            expected.sort_by(|(a, one), (b, other)| {
                b.total_cmp(a)
                    .then_with(|| value::compare(id(one).unwrap().as_ref(), id(other).unwrap().as_ref()))
            });
            let by_score = doc! {"score": {"$meta": "textScore"}, "_id": 1};
            let ordering = Ordering::parse_scored(&by_score, true).unwrap();
            let documents: Vec<Document> = expected.into_iter().map(|(_, document)| document).collect();
            assert_eq!(
                found(&collection, filter.clone(), ordering).await,
                documents,
                "seed {seed}, step {step}: {filter:?} of {options:?}"
            );
        }
    }
}

fn options(random: &mut Random) -> Document {
    let weights = match random.below(3) {
        0 => doc! {"$**": 1},
        1 => doc! {"a": 3, "b.c": 2},
        _ => doc! {"b.c": 1},
    };
    let language = ["english", "none"][random.below(2) as usize];
    doc! {"weights": weights, "default_language": language, "language_override": "language"}
}

async fn index(collection: &Arc<Collection>, options: &Document) {
    let spec = IndexSpec {
        kept: options.clone(),
        ..IndexSpec::new("texts", doc! {"shelf": 1, "_fts": "text", "_ftsx": 1})
    };
    collection.create_indexes(vec![spec]).await.expect("an index");
}

fn sentence(random: &mut Random, words_max: u64) -> String {
    let mut words = Vec::new();
    for _ in 0..=random.below(words_max) {
        let word = WORDS[random.below(WORDS.len() as u64) as usize];
        words.push(match random.below(8) {
            0 => format!("-{word}"),
            1 => format!("\"{word} \""),
            _ => word.to_owned(),
        });
    }
    words.join(" ")
}

fn shelf(random: &mut Random) -> Value {
    match random.below(4) {
        3 => Value::Null,
        shelf => Value::Int32(shelf as i32),
    }
}

fn document(random: &mut Random, id: u64) -> Document {
    let inner = match random.below(3) {
        0 => Value::Document(doc! {"c": (sentence(random, 4))}),
        1 => Value::Array(vec![doc! {"c": (sentence(random, 4))}.into(), 7.into()]),
        _ => Value::Null,
    };
    let mut document = doc! {"_id": id as i64, "a": (sentence(random, 6)), "b": inner};
    match random.below(5) {
        0 => {}
        _ => document.push("shelf", shelf(random)),
    }
    document
}

/// One write: an insert, an update, or a delete, some by a search.
async fn change(collection: &Arc<Collection>, random: &mut Random, step: usize) {
    let options = WriteOptions::default();
    let one = doc! {"_id": random.below(40) as i64};
    match random.below(5) {
        0 => {
            insert_all(collection, &[document(random, 100 + step as u64)]).await;
        }
        1 => {
            let set = doc! {"$set": {"a": (sentence(random, 5))}};
            write::update(collection, vec![request(one, set)], &options)
                .await
                .unwrap();
        }
        2 => {
            write::delete(collection, vec![removal(one, true)], &options)
                .await
                .unwrap();
        }
        3 => {
            let search = doc! {"shelf": 1, "$text": {"$search": (sentence(random, 2))}};
            let set = doc! {"$set": {"shelf": random.below(3) as i32}};
            write::update(collection, vec![request(search, set)], &options)
                .await
                .unwrap();
        }
        _ => {}
    }
}

async fn found(collection: &Arc<Collection>, filter: Document, ordering: Ordering) -> Vec<Document> {
    let filter = Filter::parse(&filter, &FilterScope::default()).expect("a filter");
    let spec = FindSpec {
        ordering,
        ..FindSpec::new(Arc::new(filter))
    };
    let mut cursor = find_records(collection, spec).await.expect("a plan");
    let mut documents = Vec::new();
    loop {
        let page = cursor.next_page(100).await.expect("a page");
        if page.is_empty() {
            return documents;
        }
        documents.extend(
            page.into_iter()
                .map(|found| DocumentBuf::to_document(&found.document)),
        );
    }
}
