//! Only a few operations that read long documents hold them in memory at the same time.

use crate::support::{insert_all, new_collection};
use language::Interruption;
use language::filter::Filter;
use memory::{Budget, Holder};
use query::execute::{FindSpec, find, find_records};
use std::sync::Arc;
use std::time::Duration;
use value::doc;

const OPERATIONS: usize = 8;
const DOCUMENTS: i32 = 3;
const BYTES: usize = 4 << 20;

fn everything(memory: Budget) -> FindSpec {
    FindSpec {
        interruption: Interruption {
            memory,
            ..Interruption::default()
        },
        ..FindSpec::new(Arc::new(Filter::empty()))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reader_of_long_documents_waits_for_others() {
    let (_store, collection) = new_collection().await;
    for id in 0..DOCUMENTS {
        insert_all(&collection, &[doc! {"_id": id, "text": "x".repeat(BYTES)}]).await;
    }
    let memory = Budget::new(8 * BYTES);
    let operations = (0..OPERATIONS).map(|_| {
        let (collection, memory) = (collection.clone(), memory.clone());
        tokio::spawn(async move {
            let mut cursor = find_records(&collection, everything(memory)).await.unwrap();
            let mut found = 0;
            loop {
                let page = cursor.next_page(100).await.unwrap();
                if page.is_empty() {
                    return found;
                }
                found += page.len();
                // Now operations work on them.
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
    });
    for operation in operations.collect::<Vec<_>>() {
        assert_eq!(operation.await.unwrap(), DOCUMENTS as usize);
    }
    let usage = memory.usage();
    let documents = usage
        .iter()
        .find(|usage| usage.holder == Holder::Documents)
        .unwrap();
    // At most one more than fits, because a document's length is known only once it is read.
    assert!(
        documents.held_bytes_max <= documents.limit_bytes + BYTES,
        "{documents:?}"
    );
    assert!(documents.held_bytes_max >= BYTES, "{documents:?}");
    assert_eq!((documents.held_bytes, documents.refused), (0, 0));
}

#[tokio::test]
async fn an_answer_of_long_documents_waits_until_others_are_sent() {
    let (_store, collection) = new_collection().await;
    insert_all(&collection, &[doc! {"_id": 1, "text": "x".repeat(BYTES)}]).await;
    let memory = Budget::new(8 * BYTES);
    let unsent = memory.charged(Holder::Answers, BYTES);
    let read = |is_answer| {
        let (collection, memory) = (collection.clone(), memory.clone());
        tokio::spawn(async move {
            let spec = FindSpec {
                is_answer,
                ..everything(memory)
            };
            let mut cursor = find(&collection, spec).await.unwrap();
            let mut batch = Vec::new();
            cursor.next_batch(&mut batch, 100, usize::MAX).await.unwrap();
            batch.len()
        })
    };
    let answer = read(true);
    assert_eq!(
        read(false).await.unwrap(),
        1,
        "what is not for a client does not wait"
    );
    let waits = || memory.is_wanted(Holder::Answers);
    tokio::time::timeout(Duration::from_secs(60), async {
        while !waits() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await
    .expect("it waits");
    assert!(!answer.is_finished());
    drop(unsent);
    assert_eq!(answer.await.unwrap(), 1);
}
