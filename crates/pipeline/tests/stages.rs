//! Pipelines over documents in memory: what combinations of stages return, and what is refused.

use language::Code;
use language::expression::Variables;
use pipeline::{Pipeline, Source, Surroundings};
use query::QueryError;
use query::execute::{Interruption, StreamState};
use store::Namespace;
use value::{Document, DocumentBuf, Value, array, doc};

fn run(stages: Vec<Value>, input: &[Document]) -> Result<Vec<Document>, QueryError> {
    let pipeline = Pipeline::parse(&stages, &Variables::new(0), &Namespace::new("db", "coll"))?;
    let source = Source::Documents(input.iter().map(DocumentBuf::from).collect());
    let mut stream = pipeline.run(source, &Surroundings::default(), Interruption::default());
    let mut batch = Vec::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime without drivers starts");
    while runtime.block_on(stream.fill(&mut batch, usize::MAX, usize::MAX))? == StreamState::More {}
    Ok(batch.iter().map(DocumentBuf::to_document).collect())
}

fn numbered(count: i32) -> Vec<Document> {
    (0..count)
        .map(|n| doc! {"_id": n, "parity": n % 2, "tags": [n, n + 1]})
        .collect()
}

fn code(stages: Vec<Value>) -> i32 {
    run(stages, &[])
        .expect_err("the stages are wrong")
        .code()
        .number()
}

#[test]
fn groups_accumulate_over_all_pages() {
    let stages = array![
        {"$match": {"_id": {"$lt": 9_000}}},
        {"$group": {"_id": "$parity", "count": {"$sum": 1}, "last": {"$max": "$_id"}}},
        {"$sort": {"_id": 1}},
    ];
    let groups = run(stages, &numbered(10_000)).unwrap();
    assert_eq!(
        groups,
        [
            doc! {"_id": 0, "count": 4_500, "last": 8_998},
            doc! {"_id": 1, "count": 4_500, "last": 8_999},
        ]
    );
}

#[test]
fn a_plain_field_accumulates_as_the_same_value_computed() {
    let input = [
        doc! {"_id": 1, "k": "a", "in": {"v": 3}, "v": 1},
        doc! {"_id": 2, "k": "b", "in": {"v": null}, "v": [1, 2]},
        doc! {"_id": 3, "k": "a", "in": [{"v": 4}, {"v": 5}], "v": 2.5},
        doc! {"_id": 4, "in": 7, "v": "x"},
        doc! {"_id": 5, "k": null, "in": {"v": 9_i64}},
    ];
    let group = |id: Value, field: Value| {
        let accumulators = [
            "$sum",
            "$avg",
            "$min",
            "$max",
            "$first",
            "$last",
            "$push",
            "$addToSet",
        ];
        let mut spec = doc! {"_id": id, "count": {"$sum": 1}, "deviation": {"$stdDevPop": (field.clone())}};
        for name in accumulators {
            spec.push(
                name.trim_start_matches('$'),
                Document::new().with(name, field.clone()),
            );
        }
        run(array![(doc! {"$group": spec})], &input).unwrap()
    };
    let computed = |path: &str| Value::from(doc! {"$let": {"vars": {"same": path}, "in": "$$same"}});
    for path in ["$v", "$in.v", "$none", "$in"] {
        for id in ["$k", "$in.v", "$_id"] {
            assert_eq!(
                group(id.into(), path.into()),
                group(computed(id), computed(path)),
                "{path} by {id}"
            );
        }
        let pair = |id: Value| Value::from(doc! {"k": id, "v": "$in.v"});
        assert_eq!(
            group(pair("$k".into()), path.into()),
            group(pair(computed("$k")), computed(path)),
            "{path} by two"
        );
    }
}

#[test]
fn the_id_of_a_group_is_what_its_first_document_gives() {
    let input = [
        doc! {"k": 1.0, "in": {"v": [7]}},
        doc! {"k": 1, "in": {"v": [7_i64]}},
    ];
    let cases: [(Value, Value); 12] = [
        ("$k".into(), 1.0.into()),
        ("$none".into(), Value::Null),
        ("$in".into(), doc! {"v": [7]}.into()),
        ("$in.v".into(), array![7].into()),
        (doc! {}.into(), doc! {}.into()),
        (doc! {"k": "$k", "none": "$none"}.into(), doc! {"k": 1.0}.into()),
        (doc! {"none": "$none"}.into(), doc! {}.into()),
        (
            doc! {"a": {"b": "$k"}, "v": "$in.v"}.into(),
            doc! {"a": {"b": 1.0}, "v": [7]}.into(),
        ),
        (doc! {"sum": {"$add": ["$k", 1]}}.into(), doc! {"sum": 2.0}.into()),
        (array!["$k", "$none"].into(), array![1.0, (Value::Null)].into()),
        (doc! {"$add": ["$k", 1]}.into(), 2.0.into()),
        (Value::Null, Value::Null),
    ];
    for (id, expected) in cases {
        let stages = array![(doc! {"$group": {"_id": (id.clone()), "n": {"$count": {}}}})];
        let groups = run(stages, &input).unwrap();
        assert_eq!(groups, [doc! {"_id": expected, "n": 2}], "{id:?}");
    }
}

#[test]
fn missing_and_null_keys_are_one_group() {
    let input = [
        doc! {"_id": 1},
        doc! {"_id": 2, "k": null},
        doc! {"_id": 3, "k": 1.0},
        doc! {"_id": 4, "k": 1},
    ];
    let groups = run(array![{"$group": {"_id": "$k", "n": {"$count": {}}}}], &input).unwrap();
    assert_eq!(groups, [doc! {"_id": null, "n": 2}, doc! {"_id": 1.0, "n": 2}]);
}

#[test]
fn unwinding_keeps_the_position_and_what_is_empty_if_asked() {
    let input = [
        doc! {"_id": 1, "a": ["x", "y"]},
        doc! {"_id": 2, "a": []},
        doc! {"_id": 3},
    ];
    let stage =
        doc! {"$unwind": {"path": "$a", "includeArrayIndex": "i", "preserveNullAndEmptyArrays": true}};
    let unwound = run(array![stage], &input).unwrap();
    assert_eq!(
        unwound,
        [
            doc! {"_id": 1, "a": "x", "i": 0_i64},
            doc! {"_id": 1, "a": "y", "i": 1_i64},
            doc! {"_id": 2, "i": null},
            doc! {"_id": 3, "i": null},
        ]
    );
}

#[test]
fn a_limit_ends_what_comes_before_it() {
    let found = run(
        array![{"$unwind": "$tags"}, {"$skip": 1}, {"$limit": 2}],
        &numbered(5_000),
    )
    .unwrap();
    assert_eq!(
        found,
        [
            doc! {"_id": 0, "parity": 0, "tags": 1},
            doc! {"_id": 1, "parity": 1, "tags": 1}
        ]
    );
}

#[test]
fn long_rows_are_made_a_page_at_a_time() {
    let long = doc! {
        "r": {"$range": [0, 200_000]},
        "bad": {"$divide": [1, {"$subtract": [100, "$_id"]}]},
    };
    for stage in ["$set", "$replaceWith"] {
        let limited =
            array![(doc! {}.with(stage, long.clone())), {"$set": {"r": {"$size": "$r"}}}, {"$limit": 5}];
        // What would fail is not made any more.
        let made = run(limited, &numbered(200)).unwrap();
        assert_eq!(made.len(), 5, "{stage}");
    }
    let all = run(
        array![{"$set": {"r": {"$range": [0, 20_000]}}}, {"$unwind": "$tags"}, {"$set": {"r": {"$size": "$r"}}}],
        &numbered(300),
    )
    .unwrap();
    let expected = (0..300)
        .flat_map(|n| [n, n + 1].map(|tag| doc! {"_id": n, "parity": n % 2, "tags": tag, "r": 20_000}));
    assert_eq!(all, expected.collect::<Vec<_>>());
}

#[test]
fn facets_see_the_same_documents() {
    let stages = array![{"$facet": {"all": [{"$count": "n"}], "first": [{"$sort": {"_id": -1}}, {"$limit": 1}, {"$project": {"_id": 1}}]}}];
    let found = run(stages, &numbered(2_500)).unwrap();
    assert_eq!(found, [doc! {"all": [{"n": 2_500}], "first": [{"_id": 2_499}]}]);
}

#[test]
fn facets_are_looked_at_as_a_whole_before_any_is_parsed() {
    let facets = |spec: Document| array![(doc! {"$facet": spec})];
    for (spec, expected) in [
        (doc! {}, 40_169),
        (doc! {"a": [{"$limit": 0}], "b": 5}, 40_170),
        (doc! {"a": [{"$facet": {}}], "b": [5]}, 40_171),
        (doc! {"a": [{"$limit": 0}], "b": [{"$facet": {}}]}, 15_958),
        (doc! {"a": [{"$facet": {}}], "b": [{"$limit": 0}]}, 40_600),
    ] {
        assert_eq!(code(facets(spec.clone())), expected, "{spec:?}");
    }
}

#[test]
fn buckets_hold_what_lies_between_their_boundaries() {
    let stages = array![{"$bucket": {"groupBy": "$_id", "boundaries": [0, 3, 5], "default": "other"}}];
    let found = run(stages, &numbered(7)).unwrap();
    assert_eq!(
        found,
        [
            doc! {"_id": 0, "count": 3},
            doc! {"_id": 3, "count": 2},
            doc! {"_id": "other", "count": 2}
        ]
    );
}

#[test]
fn wrong_buckets_are_refused_in_the_order_of_their_options() {
    let bucket = |options: Document| array![(doc! {"$bucket": options})];
    for (options, expected) in [
        (doc! {"boundaries": ["$a"]}, 40_191),
        (doc! {"boundaries": [1]}, 40_192),
        (doc! {"boundaries": [1, "a"]}, 40_193),
        (doc! {"boundaries": [1, 1.0]}, 40_194),
        (doc! {"default": "$a", "other": 1}, 40_195),
        (doc! {"other": 1, "default": "$a"}, 40_197),
        (doc! {"default": 1}, 40_198),
        (doc! {"groupBy": "$a", "boundaries": [0, 2], "default": 1}, 40_199),
    ] {
        assert_eq!(code(bucket(options.clone())), expected, "{options:?}");
    }
    // A value in no bucket, which $group finds: MongoDB runs that by another engine than the rest.
    let found = run(
        bucket(doc! {"groupBy": "$_id", "boundaries": [0, 2]}),
        &numbered(3),
    );
    let error = found.expect_err("no default");
    assert_eq!(error.code().number(), 7_158_303);
}

#[test]
fn graph_lookups_go_to_a_depth_that_is_a_long() {
    let lookup = |depth: Value| {
        let fields =
            doc! {"from": "c", "startWith": "$a", "connectFromField": "a", "connectToField": "b", "as": "c"};
        array![(doc! {"$graphLookup": (fields.with("maxDepth", depth))})]
    };
    for (depth, expected) in [
        (Value::from("1"), 40_100),
        ((-1).into(), 40_101),
        ((-1.5).into(), 40_101),
        (f64::NEG_INFINITY.into(), 40_101),
        ((-0.5).into(), 40_102),
        (1.5.into(), 40_102),
        (f64::NAN.into(), 40_102),
        (f64::INFINITY.into(), 40_102),
    ] {
        assert_eq!(code(lookup(depth.clone())), expected, "{depth:?}");
    }
}

#[test]
fn graph_lookups_lack_what_is_empty_and_want_their_collection_first() {
    let fields =
        doc! {"from": "c", "startWith": "$a", "connectFromField": "a", "connectToField": "b", "as": "c"};
    let lookup = |name: &str, value: Value| {
        let mut fields = fields.clone();
        fields.set(name, value);
        array![(doc! {"$graphLookup": fields})]
    };
    for (name, value, expected) in [
        ("from", 1.into(), 9),
        ("as", "".into(), 40_105),
        ("connectFromField", "".into(), 40_105),
        ("connectToField", "".into(), 40_105),
        ("depthField", "".into(), 40_352),
        ("as", "$a".into(), 16_410),
        ("as", 1.into(), 40_103),
    ] {
        assert_eq!(code(lookup(name, value)), expected, "{name}");
    }
    assert_eq!(code(array![{"$graphLookup": {"as": 1}}]), 9);
}

#[test]
fn buckets_may_not_make_too_large_an_expression() {
    let boundaries = |count: i32| (0..count).map(Value::Int32).collect::<Value>();
    let bucket = |group_by: Value, boundaries: Value| {
        let stages = array![{"$bucket": {"groupBy": group_by, "boundaries": boundaries}}];
        run(stages, &[]).err().map(|error| error.code())
    };
    assert_eq!(bucket("$_id".into(), boundaries(2_000)), None);
    let too_large = Some(Code::EXCEEDED_MEMORY_LIMIT);
    assert_eq!(bucket("$_id".into(), boundaries(200_000)), too_large);
    let long = doc! {"$strLenBytes": "x".repeat(1_000_000)};
    assert_eq!(bucket(long.into(), boundaries(2_000)), too_large);
}

#[test]
fn very_many_buckets_touch_each_other() {
    let stages = array![{"$bucketAuto": {"groupBy": "$_id", "buckets": 5_000}}];
    let bucket = |at: i32| doc! {"_id": {"min": (at * 2), "max": (9_999.min(at * 2 + 2))}, "count": 2};
    let expected: Vec<Document> = (0..5_000).map(bucket).collect();
    assert_eq!(run(stages, &numbered(10_000)).unwrap(), expected);
}

#[test]
fn the_front_goes_to_the_query() {
    let stages = array![
        {"$match": {"a": 1}}, {"$match": {"b": 2}}, {"$sort": {"c": -1}}, {"$skip": 5}, {"$limit": 10},
        {"$project": {"c": 1}}, {"$group": {"_id": "$c"}},
    ];
    let pipeline = Pipeline::parse(&stages, &Variables::new(0), &Namespace::new("db", "coll")).unwrap();
    let (leading, rest) = pipeline.split_leading();
    let both = doc! {"$and": [{"a": {"$eq": 1}}, {"b": {"$eq": 2}}]};
    assert_eq!(leading.filter.unwrap().to_document(), both);
    assert_eq!(leading.sort.unwrap().to_document(), doc! {"c": -1});
    assert_eq!((leading.skip, leading.limit), (5, Some(10)));
    assert!(leading.projection.is_some());
    assert_eq!(rest.first_stage_name().as_deref(), Some("$group"));
}

#[test]
fn wrong_pipelines_have_mongodbs_codes() {
    assert_eq!(code(array![1]), 14);
    assert_eq!(code(array![{"$match": {}, "$limit": 1}]), 40_323);
    assert_eq!(code(array![{"$nonsense": {}}]), 40_324);
    // Names come before what is in the stages.
    assert_eq!(code(array![{"$limit": 0}, {"$nonsense": {}}]), 40_324);
    assert_eq!(code(array![{"$geoNear": {}}]), 5_860_400);
    assert_eq!(code(array![{"$geoNear": {"foo": 1}}]), 5_860_400);
    assert_eq!(code(array![{"$geoNear": []}]), 5_860_400);
    assert_eq!(code(array![{"$geoNear": 1}]), 10_065);
    assert_eq!(code(array![{"$geoNear": {"foo": 1, "limit": 1}}]), 50_858);
    assert_eq!(code(array![{"$geoNear": {"collation": {}}}]), 40_227);
    assert_eq!(
        code(array![{"$match": {"a": 1}}, {"$geoNear": {"near": [0, 0]}}]),
        40_603
    );
    // The verdicts of $redact are variables of that stage alone.
    assert_eq!(code(array![{"$project": {"a": "$$KEEP"}}]), 17_276);
    // What a $lookup reads from comes before its other options.
    assert_eq!(code(array![{"$lookup": {}}]), 9);
    assert_eq!(code(array![{"$lookup": {"from": null}}]), 9);
    assert_eq!(code(array![{"$lookup": {"from": "c", "pipeline": null}}]), 14);
    assert_eq!(code(array![{"$lookup": {"from": "c"}}]), 40_414);
    assert_eq!(code(array![{"$unionWith": {"coll": "c", "pipeline": null}}]), 14);
    assert_eq!(code(array![{"$limit": 0}]), 15_958);
    assert_eq!(code(array![{"$limit": -1}]), 5_107_201);
    assert_eq!(code(array![{"$group": {"n": {"$sum": 1}}}]), 15_955);
    assert_eq!(code(array![{"$match": {}}, {"$documents": []}]), 40_602);
}

/// MongoDB's engine for groups runs what comes before them only where a query does.
#[test]
fn errors_in_groups_have_codes_of_their_own_at_the_front() {
    let group = doc! {"$group": {"_id": null, "a": {"$sum": {"$divide": ["$n", "$zero"]}}}};
    let facet = doc! {"$facet": {"a": [(group.clone())]}};
    for (stages, expected) in [
        (vec![doc! {"$match": {"n": 1}}, group.clone()], 4_848_401),
        (vec![doc! {"$sort": {"n": 1}}, group.clone()], 4_848_401),
        (vec![doc! {"$addFields": {"x": 0}}, group.clone()], 2),
        (vec![doc! {"$unwind": "$n"}, group], 2),
        (vec![facet], 2),
    ] {
        let stages: Vec<Value> = stages.into_iter().map(Value::from).collect();
        let refused = run(stages.clone(), &[doc! {"n": 1, "zero": 0}]).err();
        let code = refused.map(|error| error.code().number());
        assert_eq!(code, Some(expected), "{stages:?}");
    }
}

#[test]
fn nulls_are_no_options_of_merges() {
    for (name, value, expected) in [
        ("into", Value::Null, 51_178),
        ("into", "".into(), 5_786_800),
        ("into", doc! {"coll": ""}.into(), 5_786_801),
        ("into", doc! {"db": "d"}.into(), 5_786_801),
        ("on", Value::Null, 51_186),
        ("on", Value::Array(Vec::new()), 51_187),
        ("on", array![1].into(), 51_134),
        ("whenMatched", Value::Null, 51_191),
        ("whenMatched", "pipeline".into(), 2),
        ("whenMatched", array![{"$nonsense": 1}].into(), 40_324),
        ("whenNotMatched", "merge".into(), 2),
    ] {
        let mut fields = doc! {"into": "c"};
        fields.set(name, value.clone());
        assert_eq!(
            code(array![(doc! {"$merge": fields})]),
            expected,
            "{name} {value:?}"
        );
    }
}

#[test]
fn a_computed_field_goes_into_every_element_of_an_array() {
    let input = [doc! {"_id": 1, "a": [{"b": 1}, 5, null, {"c": 2}, [1, {"b": 3}]], "d": 4, "z": 1}];
    let nine = || doc! {"$literal": 9};
    let elements = array![{"b": 9}, {"b": 9}, {"b": 9}, {"b": 9}, [{"b": 9}, {"b": 9}]];
    let cases = [
        (
            doc! {"$project": {"a.b": nine()}},
            doc! {"_id": 1, "a": elements.clone()},
        ),
        // What gives way to a document keeps its place before the fields behind it.
        (
            doc! {"$project": {"z": 1, "d.b": nine()}},
            doc! {"_id": 1, "d": {"b": 9}, "z": 1},
        ),
        (
            doc! {"$project": {"a": {"b": nine(), "c": 1}}},
            doc! {"_id": 1, "a": [{"b": 9}, {"b": 9}, {"b": 9}, {"c": 2, "b": 9}, [{"b": 9}, {"b": 9}]]},
        ),
        (
            doc! {"$project": {"a.x.b": nine()}},
            doc! {"_id": 1, "a": [{"x": {"b": 9}}, {"x": {"b": 9}}, {"x": {"b": 9}}, {"x": {"b": 9}}, [{"x": {"b": 9}}, {"x": {"b": 9}}]]},
        ),
        (
            doc! {"$project": {"a.b": 1}},
            doc! {"_id": 1, "a": [{"b": 1}, {}, [{"b": 3}]]},
        ),
        (
            doc! {"$project": {"a.b": 0, "d": 0, "z": 0}},
            doc! {"_id": 1, "a": [{}, 5, null, {"c": 2}, [1, {}]]},
        ),
        (
            doc! {"$addFields": {"a.b": nine()}},
            doc! {"_id": 1, "a": [{"b": 9}, {"b": 9}, {"b": 9}, {"c": 2, "b": 9}, [{"b": 9}, {"b": 9}]], "d": 4, "z": 1},
        ),
    ];
    for (stage, expected) in cases {
        let found = run(vec![Value::Document(stage.clone())], &input).unwrap();
        assert_eq!(found, [expected], "{stage:?}");
    }
}

/// As MongoDB: a path is what its expression gives, so that elements without the rest of it count for nothing.
#[test]
fn the_top_of_a_group_goes_by_what_paths_give_as_expressions() {
    let top = |sort: Document| {
        let accumulator = doc! {"$top": {"sortBy": sort, "output": "$_id"}};
        array![{"$group": {"_id": null, "top": accumulator}}]
    };
    let input = [
        doc! {"_id": 1, "a": [{"b": 5}, {"c": 1}]},
        doc! {"_id": 2, "a": {"b": 4}},
    ];
    let found = run(top(doc! {"a.b": 1}), &input).expect("it is sorted");
    assert_eq!(found, [doc! {"_id": null, "top": 2}]);
    let parallel = run(top(doc! {"a.b": 1, "a.c": 1}), &input[..1]);
    assert_eq!(parallel.expect_err("two arrays").code(), Code::BAD_VALUE);
}

#[test]
fn a_moving_average_is_a_double_unless_a_decimal_came() {
    let decimal = |text: &str| Value::Decimal128(text.parse().unwrap());
    let values = [
        Value::Null,
        Value::Int32(4),
        Value::from("x"),
        Value::Int64(8),
        decimal("2"),
        Value::Int32(3),
    ];
    let input: Vec<Document> = (0..).zip(values).map(|(n, v)| doc! {"_id": n, "v": v}).collect();
    let average = doc! {"$expMovingAvg": {"input": "$v", "N": 3}};
    let stages = array![
        {"$setWindowFields": {"sortBy": {"_id": 1}, "output": {"r": average}}},
        {"$project": {"_id": 0, "r": 1}},
    ];
    let averages: Vec<Option<Value>> = run(stages, &input)
        .unwrap()
        .iter()
        .map(|document| document.get("r").cloned())
        .collect();
    let expected = [
        Value::Null,
        Value::Double(4.0),
        Value::Double(4.0),
        Value::Double(6.0),
        decimal("4.00"),
        decimal("3.500"),
    ];
    assert_eq!(averages, expected.map(Some));
}

#[test]
fn paths_that_are_too_long_or_dotted_below_another_are_refused() {
    let long = vec!["a"; 201].join(".");
    assert_eq!(code(array![{"$unset": long.as_str()}]), 15);
    assert_eq!(code(array![{"$project": {(long.as_str()): 1}}]), 15);
    assert_eq!(code(array![{"$set": {"a": {"b.c": 1}}}]), 40_183);
    assert_eq!(code(array![{"$unset": ["$a", "a\0b"]}]), 9_527_900);
}

#[test]
fn a_bucket_of_zeros_ends_where_the_next_begins() {
    let stage = doc! {"$bucketAuto": {"groupBy": "$x", "buckets": 2, "granularity": "R5"}};
    let input = [0, 0, 5, 7].map(|x| doc! {"x": x});
    let expected = vec![
        doc! {"_id": {"min": 0, "max": 4.0}, "count": 2},
        doc! {"_id": {"min": 4.0, "max": 10.0}, "count": 2},
    ];
    assert_eq!(run(array![stage], &input).unwrap(), expected);
    assert_eq!(
        code(array![{"$bucketAuto": {"groupBy": "$", "buckets": 1}}]),
        40_239
    );
}

#[test]
fn granularity_rounds_numbers_at_the_ends_of_their_range() {
    let numbers = [0.0, 5e-324, 2e-308, 1.7e308, f64::MAX, f64::INFINITY];
    for granularity in ["R5", "R80", "1-2-5", "E192", "POWERSOF2"] {
        for number in numbers {
            let stage = doc! {"$bucketAuto": {"groupBy": "$x", "buckets": 1, "granularity": granularity}};
            let buckets = run(array![stage], &[doc! {"x": number}]).expect("a number is rounded");
            let Some(Value::Document(bounds)) = buckets[0].get("_id") else {
                panic!("{buckets:?}");
            };
            let bound = |name: &str| match bounds.get(name) {
                Some(Value::Double(bound)) => *bound,
                other => panic!("{other:?}"),
            };
            assert!(
                bound("min") <= number && number <= bound("max"),
                "{granularity} {bounds:?}"
            );
        }
    }
}

#[test]
fn explain_shows_a_sort_whose_key_is_asked_for_once() {
    let key = doc! {"$project": {"key": {"$meta": "sortKey"}}};
    let stages = array![{"$sort": {"a": 1}}, key];
    let pipeline = Pipeline::parse(&stages, &Variables::new(0), &Namespace::new("db", "coll")).unwrap();
    let shown = pipeline.to_documents();
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert!(
        shown[0].contains("$sort") && shown[1].contains("$project"),
        "{shown:?}"
    );
}
