//! The sizes on disk that collections and databases report.

use crate::support::{insert, namespace, new_engine};
use value::{Document, Value, doc};

#[tokio::test]
async fn sizes_on_disk_are_those_of_whole_files_and_a_database_has_the_sum_of_them() {
    let engine = new_engine().await;
    let (mut storage_bytes, mut index_bytes) = (0, 0);
    for (collection, count) in [("few", 1), ("many", 500)] {
        let documents: Vec<Document> = (0..count).map(|n| doc! {"_id": n, "a": "text"}).collect();
        insert(&engine, collection, &documents).await;
        let index = [doc! {"key": {"a": 1}, "name": "a"}];
        let created = engine.create_indexes(&namespace(collection), &index).await;
        created.unwrap();
        let report = engine.collection_report(&namespace(collection)).await.unwrap();
        let told = report.to_document(1);
        let bytes = |name: &str| told.get(name).and_then(Value::as_f64).unwrap() as u64;
        for name in ["storageSize", "totalIndexSize", "totalSize"] {
            assert!(
                bytes(name) > 0 && bytes(name).is_multiple_of(4_096),
                "{name}: {told:?}"
            );
        }
        assert_eq!(bytes("totalSize"), bytes("storageSize") + bytes("totalIndexSize"));
        storage_bytes += bytes("storageSize");
        index_bytes += bytes("totalIndexSize");
    }
    let report = engine.database_report("db").await.unwrap();
    assert_eq!(
        (report.storage_bytes, report.index_bytes),
        (storage_bytes, index_bytes)
    );
}
