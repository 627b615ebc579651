//! Which specifications of an index are accepted.

use crate::support::{aggregate, insert, namespace, new_engine};
use engine::IndexChange;
use value::{Document, Value, array, doc};

#[tokio::test]
async fn the_index_on_id_takes_no_options_of_other_indexes() {
    let engine = new_engine().await;
    let create = async |spec: Document| engine.create_indexes(&namespace("coll"), &[spec]).await;
    for (option, value) in [
        ("unique", true.into()),
        ("sparse", true.into()),
        ("hidden", true.into()),
        ("background", true.into()),
        ("expireAfterSeconds", 5.into()),
        ("partialFilterExpression", doc! {"a": 1}.into()),
    ] {
        let value: Value = value;
        let error = create(doc! {"key": {"_id": 1}, "name": "_id_1", option: value})
            .await
            .unwrap_err();
        assert_eq!(error.code.number(), 197, "{option}: {error}");
        let wanted = format!("The field '{option}' is not valid for an _id index specification.");
        assert!(error.message.starts_with(&wanted), "{error}");
    }
    let error = create(doc! {"key": {"_id": -1}, "name": "_id_-1"})
        .await
        .unwrap_err();
    assert_eq!(error.code.number(), 2, "{error}");
    let created = create(doc! {"key": {"_id": 1}, "name": "_id_1"}).await.unwrap();
    assert_eq!(created.before, created.after);
    let hashed = create(doc! {"key": {"_id": "hashed"}, "name": "hashed"})
        .await
        .unwrap();
    assert_eq!(hashed.after, hashed.before + 1);
}

#[tokio::test]
async fn indexes_that_are_there_are_none_too_many() {
    let engine = new_engine().await;
    let spec = |number: i32| doc! {"key": {(format!("f{number}")): 1}, "name": format!("f{number}_1")};
    let many: Vec<Document> = (0..40).map(spec).collect();
    for _ in 0..2 {
        let created = engine.create_indexes(&namespace("coll"), &many).await.unwrap();
        assert_eq!(created.after, 41);
    }
    let more: Vec<Document> = (40..64).map(spec).collect();
    let error = engine
        .create_indexes(&namespace("coll"), &more)
        .await
        .unwrap_err();
    assert_eq!(error.code.number(), 67, "{error}");
}

#[tokio::test]
async fn a_compound_wildcard_index_keeps_its_other_fields_apart_from_the_wildcard() {
    let engine = new_engine().await;
    let cases = [
        (doc! {"a.$**": 1, "b.$**": 1}, None, 7_246_201),
        (doc! {"a": 1, "$**": 1}, None, 67),
        (doc! {"a": 1, "a.$**": 1}, None, 7_246_204),
        (doc! {"a.b.c": 1, "a.b.$**": 1}, None, 7_246_204),
        (doc! {"a": 1, "$**": 1}, Some(doc! {"a": 1}), 7_246_208),
        (doc! {"a": 1, "$**": 1}, Some(doc! {"b": 0}), 7_246_209),
        (
            doc! {"$**": 1, "c": 1},
            Some(doc! {"a.b": 1, "a.b.c": 1}),
            7_246_200,
        ),
        (doc! {"$**": 1}, Some(doc! {"a.b": 1, "a.b.c": 1}), 31_249),
        (doc! {"$**": 1}, Some(doc! {"a": 1, "b": 0}), 31_254),
    ];
    for (key, projection, code) in cases {
        let mut spec = doc! {"key": (key), "name": "w"};
        if let Some(projection) = projection {
            spec.push("wildcardProjection", projection);
        }
        let error = engine
            .create_indexes(&namespace("coll"), &[spec.clone()])
            .await
            .unwrap_err();
        assert_eq!(error.code.number(), code, "{spec:?}: {error}");
    }
}

#[tokio::test]
async fn the_uses_of_an_index_are_counted_anew_once_it_is_modified() {
    let engine = new_engine().await;
    insert(&engine, "coll", &[doc! {"_id": 1, "a": 1}]).await;
    let index = [doc! {"key": {"a": 1}, "name": "a_1"}];
    engine.create_indexes(&namespace("coll"), &index).await.unwrap();
    let stages = || vec![doc! {"$match": {"a": 1}}.into()];
    aggregate(&engine, "coll", stages()).await.unwrap();
    let uses = async || {
        let stages = vec![
            doc! {"$indexStats": {}}.into(),
            doc! {"$match": {"name": "a_1"}}.into(),
        ];
        let found = aggregate(&engine, "coll", stages).await.unwrap().remove(0);
        match found.get("accesses") {
            Some(Value::Document(accesses)) => accesses.get("ops").cloned(),
            other => panic!("accesses are {other:?}"),
        }
    };
    assert_eq!(uses().await, Some(Value::Int64(1)));
    for hidden in [true, false] {
        let change = IndexChange {
            hidden: Some(hidden),
            ..IndexChange::default()
        };
        engine
            .modify_index(&namespace("coll"), &"a_1".into(), change)
            .await
            .unwrap();
        assert_eq!(uses().await, Some(Value::Int64(0)));
        aggregate(&engine, "coll", stages()).await.unwrap();
    }
    assert_eq!(uses().await, Some(Value::Int64(1)));
}

/// By jstests/core/ddl: index_prepareUnique, coll_mod_convert_index_uniqueness.
#[tokio::test]
async fn an_index_is_made_unique_in_two_steps() {
    let engine = new_engine().await;
    let create = async |spec: Document| {
        let created = engine.create_indexes(&namespace("coll"), &[spec]).await;
        created.map(drop).map_err(|error| error.code.number())
    };
    let modify = async |name: &str, change: IndexChange| {
        let modified = engine
            .modify_index(&namespace("coll"), &name.into(), change)
            .await;
        modified
            .map(|(_, after)| after)
            .map_err(|error| error.code.number())
    };
    let prepare = || IndexChange {
        prepare_unique: Some(true),
        ..IndexChange::default()
    };
    let make = |unique: bool| IndexChange {
        unique: Some(unique),
        ..IndexChange::default()
    };
    let hide = |change: IndexChange| IndexChange {
        hidden: Some(true),
        ..change
    };
    create(doc! {"key": {"a": 1}, "name": "a"}).await.unwrap();
    create(doc! {"key": {"u": 1}, "name": "u", "unique": true, "prepareUnique": false})
        .await
        .unwrap();
    let both = doc! {"key": {"b": 1}, "name": "b", "unique": true, "prepareUnique": true};
    assert_eq!(create(both).await, Err(67));
    let prepared = doc! {"key": {"a": 1}, "name": "a", "prepareUnique": true};
    assert_eq!(create(prepared).await, Err(85), "there it is another");

    for unique in ["u", "_id_"] {
        assert!(!modify(unique, prepare()).await.unwrap().prepare_unique);
        modify(unique, make(true)).await.unwrap();
        assert_eq!(modify(unique, make(false)).await, Err(2));
    }
    assert_eq!(modify("_id_", hide(IndexChange::default())).await, Err(2));

    assert_eq!(modify("a", make(true)).await, Err(72), "it is not prepared");
    assert_eq!(modify("a", hide(prepare())).await, Err(72));
    let beside_others = IndexChange {
        beside_others: true,
        ..prepare()
    };
    assert_eq!(modify("a", beside_others).await, Err(72));
    assert!(modify("a", prepare()).await.unwrap().prepare_unique);
    let tried = |change: IndexChange| IndexChange {
        dry_run: true,
        ..change
    };
    assert_eq!(modify("a", tried(hide(make(true)))).await, Err(72));
    assert!(!modify("a", tried(make(true))).await.unwrap().unique);
    let made = modify("a", hide(make(true))).await.unwrap();
    assert!(made.unique && made.hidden && !made.prepare_unique);
}

#[tokio::test]
async fn a_partial_index_takes_areas_and_clauses_in_any_order() {
    let engine = new_engine().await;
    let create = |condition: Document| {
        let engine = &engine;
        async move {
            let spec = doc! {"key": {"a": 1}, "name": "a", "partialFilterExpression": condition};
            engine.create_indexes(&namespace("things"), &[spec]).await
        }
    };
    let area = doc! {"$geoWithin": {"$center": [[0, 0], 5]}};
    let made = create(doc! {"$and": [{"b": 1}, {"at": area.clone()}]})
        .await
        .unwrap();
    let again = create(doc! {"$and": [{"at": area.clone()}, {"b": 1}]})
        .await
        .unwrap();
    assert_eq!((made.after, again.before, again.after), (2, 2, 2));
    for other in [
        doc! {"$and": [{"at": area.clone()}, {"b": 2}]},
        doc! {"$or": [{"at": area}, {"b": 1}]},
    ] {
        let error = create(other.clone()).await.unwrap_err();
        assert_eq!(error.code.number(), 86, "{other:?}");
    }
}

#[tokio::test]
async fn a_partial_filter_that_is_no_filter_is_refused_as_one() {
    let engine = new_engine().await;
    for (condition, code) in [
        (doc! {"$expr": {"$lte": ["$a", "$$NOW"]}}, 224),
        (doc! {"$jsonSchema": {}}, 224),
        (doc! {"$add": [1, 1]}, 2),
        (doc! {"a": {"$in": 1}}, 2),
        (doc! {"a": {"$ne": 5}}, 67),
    ] {
        let spec = doc! {"key": {"a": 1}, "name": "a", "partialFilterExpression": (condition.clone())};
        let error = engine
            .create_indexes(&namespace("things"), &[spec])
            .await
            .unwrap_err();
        assert_eq!(error.code.number(), code, "{condition:?}: {error}");
    }
}

#[tokio::test]
async fn the_bounds_of_a_plane_are_listed_as_doubles_and_described_as_they_were_given() {
    let engine = new_engine().await;
    let spec = doc! {"key": {"at": "2d"}, "name": "at_2d", "min": -100, "max": 100.5};
    engine
        .create_indexes(&namespace("things"), &[spec])
        .await
        .unwrap();
    let bounds = |spec: &Document| (spec.get("min").cloned(), spec.get("max").cloned());
    let indexes = engine.indexes(&namespace("things")).unwrap();
    assert_eq!(
        bounds(&indexes[1]),
        (Some(Value::Double(-100.0)), Some(Value::Double(100.5)))
    );
    let pipeline = array![
        doc! {"$indexStats": {}},
        doc! {"$match": {"name": "at_2d"}},
        doc! {"$replaceWith": "$spec"}
    ];
    let described = aggregate(&engine, "things", pipeline).await.unwrap();
    assert_eq!(
        bounds(&described[0]),
        (Some(Value::Int32(-100)), Some(Value::Double(100.5)))
    );
}

/// Creates an index on a collection, and returns the code of the error, if there is one.
async fn code_of(engine: &engine::Engine, collection: &str, spec: Document) -> Option<i32> {
    let created = engine.create_indexes(&namespace(collection), &[spec]).await;
    created.err().map(|error| error.code.number())
}

#[tokio::test]
async fn a_key_pattern_names_what_documents_can_have() {
    let engine = new_engine().await;
    let long = "x".repeat(2100);
    for (key, code) in [
        (doc! {"$id": 1}, Some(67)),
        (doc! {"at.$id": 1}, None),
        (doc! {"_fts": 1}, Some(67)),
        (doc! {"a.$**": "text"}, Some(67)),
        (doc! {"$**": "hashed"}, Some(67)),
        (doc! {"$**": "text"}, None),
        (doc! {"a": 1, "a": -1}, Some(2)),
        (doc! {(long): 1}, Some(67)),
    ] {
        let spec = doc! {"key": (key.clone()), "name": "i"};
        assert_eq!(code_of(&engine, "coll", spec).await, code, "{key:?}");
        engine.drop_collection(&namespace("coll")).await.unwrap();
    }
}

#[tokio::test]
async fn the_first_version_is_kept_and_knows_no_collations() {
    let engine = new_engine().await;
    let create = async |version: Value| {
        let spec = doc! {"key": {"a": 1}, "name": "a_1", "v": version};
        code_of(&engine, "coll", spec).await
    };
    assert_eq!(create(Value::Double(1.5)).await, Some(2));
    assert_eq!(create(Value::Double(f64::NAN)).await, Some(2));
    assert_eq!(create(3.into()).await, Some(67));
    assert_eq!(create("2".into()).await, Some(14));
    assert_eq!(create(Value::Double(1.0)).await, None);
    let indexes = engine.indexes(&namespace("coll")).unwrap();
    assert_eq!(indexes[1].get("v"), Some(&Value::Int32(1)));

    let collated = doc! {"key": {"b": 1}, "name": "b", "v": 1, "collation": {"locale": "en"}};
    assert_eq!(code_of(&engine, "coll", collated).await, Some(67));
    let wildcard = doc! {"key": {"$**": 1}, "name": "w", "v": 1};
    assert_eq!(code_of(&engine, "coll", wildcard).await, Some(67));
}

#[tokio::test]
async fn an_index_keeps_the_options_of_its_kind() {
    let engine = new_engine().await;
    let with = |options: Document| {
        let mut spec = doc! {"key": {"a": 1}, "name": "a_1"};
        options
            .into_iter()
            .for_each(|(name, value)| spec.push(name, value));
        spec
    };
    assert_eq!(
        code_of(&engine, "coll", with(doc! {"weights": {"a": 2}})).await,
        Some(67)
    );
    assert_eq!(code_of(&engine, "coll", with(doc! {"bits": "x"})).await, Some(14));
    assert_eq!(
        code_of(&engine, "coll", with(doc! {"comment": "x"})).await,
        Some(197)
    );
    let others = doc! {"bits": 99, "textIndexVersion": 7, "default_language": "french", "bucketSize": 4};
    assert_eq!(code_of(&engine, "coll", with(others)).await, None);
    let listed = engine.indexes(&namespace("coll")).unwrap().remove(1);
    let wanted =
        doc! {"v": 2, "key": {"a": 1}, "name": "a_1", "bucketSize": 4.0, "default_language": "french"};
    assert!(
        listed.len() == wanted.len() && wanted.iter().all(|(name, value)| listed.get(name) == Some(value)),
        "{listed:?}"
    );
}

#[tokio::test]
async fn a_text_index_has_whole_weights_of_fields_and_one_collection_has_one() {
    let engine = new_engine().await;
    let with = |key: Document, options: Document| {
        let mut spec = doc! {"key": key, "name": "t"};
        options
            .into_iter()
            .for_each(|(name, value)| spec.push(name, value));
        spec
    };
    let text = || doc! {"a": "text"};
    for wrong in [
        with(text(), doc! {"weights": {"a": 0.5}}),
        with(text(), doc! {"weights": {"b.$c": 2}}),
        with(text(), doc! {"weights": "a"}),
        with(text(), doc! {"language_override": "a.b"}),
        with(doc! {"b": 2, "a": "text"}, doc! {}),
        with(doc! {"a": "text", "_ftsx": 1}, doc! {}),
        with(doc! {"_fts": "text", "_ftsx": 1}, doc! {}),
        with(doc! {"_fts": "text", "b": 1}, doc! {"weights": {"a": 1}}),
        with(doc! {"a": "text", "b": 1, "c": "text"}, doc! {}),
    ] {
        assert_eq!(
            code_of(&engine, "coll", wrong.clone()).await,
            Some(67),
            "{wrong:?}"
        );
    }
    let weighed = with(text(), doc! {"weights": {"b": 2.9}});
    assert_eq!(code_of(&engine, "coll", weighed).await, None);
    let listed = engine.indexes(&namespace("coll")).unwrap().remove(1);
    let weights = doc! {"a": 1, "b": 2};
    assert_eq!(listed.get("weights"), Some(&weights.into()));
    assert_eq!(code_of(&engine, "coll", listed).await, None, "it is the same");

    for (name, key, code) in [
        ("t", text(), 85),
        ("other", doc! {"b": "text"}, 85),
        ("t", doc! {"b": 1, "a": "text"}, 86),
        ("other", doc! {"b": 1, "a": "text"}, 67),
    ] {
        let spec = doc! {"key": (key.clone()), "name": name};
        assert_eq!(
            code_of(&engine, "coll", spec).await,
            Some(code),
            "{name} on {key:?}"
        );
    }
    let everything = doc! {"key": {"a": "text"}, "name": "t", "weights": "$**"};
    assert_eq!(code_of(&engine, "whole", everything).await, None);
}

#[tokio::test]
async fn an_index_with_other_options_of_its_kind_is_another() {
    let engine = new_engine().await;
    let plane = |bits: i32| doc! {"key": {"at": "2d"}, "name": "at", "bits": bits};
    assert_eq!(code_of(&engine, "coll", plane(20)).await, None);
    assert_eq!(code_of(&engine, "coll", plane(20)).await, None);
    assert_eq!(code_of(&engine, "coll", plane(21)).await, Some(85));
    let sphere =
        |version: i32| doc! {"key": {"at": "2dsphere"}, "name": "s", "2dsphereIndexVersion": version};
    assert_eq!(code_of(&engine, "coll", sphere(2)).await, None);
    assert_eq!(code_of(&engine, "coll", sphere(3)).await, None);
}

#[tokio::test]
async fn an_index_is_described_once_in_a_command() {
    let engine = new_engine().await;
    let spec = |name: &str| doc! {"key": {(name): 1}, "name": name};
    let twice = async |name: &str| {
        let specs = [spec(name), spec(name)];
        let created = engine.create_indexes(&namespace("coll"), &specs).await;
        created.err().map(|error| error.code.number())
    };
    assert_eq!(twice("a").await, Some(68), "there is no collection");
    assert_eq!(code_of(&engine, "coll", spec("a")).await, None);
    assert_eq!(twice("b").await, Some(96));
    assert_eq!(twice("a").await, None, "it is there");
}

#[tokio::test]
async fn the_index_on_id_has_the_collation_of_the_collection() {
    let engine = new_engine().await;
    let collated = doc! {"locale": "fr"};
    let request = engine::CreateRequest {
        options: doc! {"collation": (collated.clone())},
        ..engine::CreateRequest::default()
    };
    engine
        .create_collection(&namespace("french"), request)
        .await
        .unwrap();
    let on_id = |collation: Document| doc! {"key": {"_id": 1}, "name": "_id_1", "collation": collation};
    let simple = || on_id(doc! {"locale": "simple"});
    assert_eq!(code_of(&engine, "french", on_id(collated.clone())).await, None);
    assert_eq!(code_of(&engine, "french", simple()).await, Some(2));
    assert_eq!(code_of(&engine, "coll", simple()).await, None);
    assert_eq!(code_of(&engine, "coll", on_id(collated)).await, Some(2));
    assert_eq!(engine.indexes(&namespace("french")).unwrap().len(), 1);
}

#[tokio::test]
async fn the_index_that_a_collection_is_clustered_by_is_not_made() {
    let engine = new_engine().await;
    let clustered = doc! {"v": 2, "key": {"_id": 1}, "name": "by id", "unique": true};
    let request = engine::CreateRequest {
        options: doc! {"clusteredIndex": clustered},
        ..engine::CreateRequest::default()
    };
    engine
        .create_collection(&namespace("sorted"), request)
        .await
        .unwrap();
    engine
        .create_collection(&namespace("plain"), engine::CreateRequest::default())
        .await
        .unwrap();
    let spec = |options: Document| {
        let mut spec = doc! {"key": {"_id": 1}, "name": "n"};
        options
            .into_iter()
            .for_each(|(name, value)| spec.push(name, value));
        spec
    };
    for (collection, spec, code) in [
        ("sorted", spec(doc! {"unique": true, "clustered": true}), None),
        (
            "plain",
            spec(doc! {"unique": true, "clustered": true}),
            Some(6_243_700),
        ),
        (
            "none",
            spec(doc! {"unique": true, "clustered": true}),
            Some(6_100_900),
        ),
        (
            "sorted",
            spec(doc! {"unique": true, "clustered": false}),
            Some(6_492_800),
        ),
        ("sorted", spec(doc! {"clustered": true}), Some(67)),
        (
            "sorted",
            spec(doc! {"clustered": true, "unique": true, "sparse": true}),
            Some(197),
        ),
        ("sorted", spec(doc! {"v": 1}), Some(6_100_908)),
        ("sorted", spec(doc! {}), None),
        ("sorted", doc! {"key": {"a": 1}, "name": "by id"}, Some(6_100_906)),
    ] {
        let shown = format!("{spec:?}");
        assert_eq!(code_of(&engine, collection, spec).await, code, "{shown}");
    }
}

#[tokio::test]
async fn no_number_of_seconds_is_none_at_all() {
    let engine = new_engine().await;
    for (seconds, code) in [
        (Value::Double(f64::NAN), Some(67)),
        (Value::Int32(-1), Some(67)),
        (Value::Int64(1 << 31), Some(67)),
        (Value::Double(1.5), None),
    ] {
        let spec = doc! {"key": {"at": 1}, "name": "at", "expireAfterSeconds": (seconds.clone())};
        assert_eq!(code_of(&engine, "coll", spec).await, code, "{seconds:?}");
    }
}

#[tokio::test]
async fn an_index_of_one_text_may_have_a_number_of_seconds_by_which_nothing_expires() {
    let engine = new_engine().await;
    for (key, code) in [
        (doc! {"a": "text", "b": "text"}, Some(67)),
        (doc! {"a": "text", "b": 1}, Some(67)),
        (doc! {"a": "text"}, None),
    ] {
        let spec = doc! {"key": (key.clone()), "name": "t", "expireAfterSeconds": 1};
        assert_eq!(code_of(&engine, "coll", spec).await, code, "{key:?}");
    }
}

#[test]
fn options_of_other_kinds_are_as_unknown_as_others() {
    let spec = doc! {"key": {"a": 1}, "name": "a", "weights": {"a": 2}, "bits": 3, "made": 1, "sparse": true};
    let known = engine::without_unknown_options(spec);
    assert_eq!(known, doc! {"key": {"a": 1}, "name": "a", "sparse": true});
    let plane = doc! {"key": {"a": "2d"}, "name": "a", "bits": 3};
    assert_eq!(engine::without_unknown_options(plane.clone()), plane);
}
