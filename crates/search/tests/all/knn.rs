//! The options of `knn`, and which are refused.

use search::{Knn, Result};
use serde_json::{Value, json};

fn parsed(more: &Value) -> Result<Knn> {
    let mut body = json!({"field": "v", "query_vector": [1, 2]});
    body.as_object_mut()
        .expect("an object")
        .extend(more.as_object().cloned().unwrap_or_default());
    Ok(Knn::parse_all(&body)?.remove(0))
}

#[test]
fn the_number_of_nearest_documents_comes_from_the_query_or_the_search() {
    let count = |more: Value, hits: usize| parsed(&more).expect("parsed").count(hits);
    assert_eq!(count(json!({"k": 3, "num_candidates": 5}), 10), Ok(3));
    assert_eq!(count(json!({}), 7), Ok(7));
    assert_eq!(count(json!({}), 0), Ok(10));
    assert_eq!(count(json!({"num_candidates": 5}), 7), Ok(5));
    assert_eq!(count(json!({"num_candidates": 5}), 3), Ok(3));
}

#[test]
fn contradictory_and_unknown_options_are_refused() {
    for (more, why) in [
        (json!({"k": 0}), "[k] must be greater than 0"),
        (
            json!({"k": 5, "num_candidates": 4}),
            "[num_candidates] cannot be less than [k]",
        ),
        (
            json!({"num_candidates": 10_001}),
            "[num_candidates] cannot exceed [10000]",
        ),
        (json!({"query_vector": null}), "must be provided"),
        (json!({"query_vector": ["a"]}), "array of numbers"),
        (json!({"inner_hits": {}}), "[inner_hits]"),
        (json!({"query_vector_builder": {}}), "[query_vector_builder]"),
        (json!({"_name": "a"}), "[_name]"),
        (json!({"colour": 1}), "[colour]"),
    ] {
        let reason = parsed(&more).expect_err("refused").reason;
        assert!(reason.contains(why), "{reason}");
    }
}
