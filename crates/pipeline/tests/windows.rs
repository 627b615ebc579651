//! `$setWindowFields` and `$fill`: what they return, and what they refuse in specifications and in documents.

mod common;
#[path = "common/window.rs"]
mod window;

use common::run;
use value::{Document, ObjectId, Timestamp, Value, array, doc};
use window::{check_codes, computed, date, slope, window};

#[test]
fn slopes_are_of_numbers_and_of_dates() {
    let derivative = || slope(doc! {"$derivative": {"input": "$v"}});
    let numbers = [doc! {"t": 1, "v": 1}, doc! {"t": 3, "v": 5}];
    assert_eq!(computed(derivative(), &numbers), array![null, 2.0]);
    let dates = [
        doc! {"t": 1, "v": (date(1_000))},
        doc! {"t": 3, "v": (date(5_000))},
    ];
    assert_eq!(computed(derivative(), &dates), array![null, 2_000.0]);
    let hourly = slope(doc! {"$derivative": {"input": "$v", "unit": "hour"}});
    let drive = [
        doc! {"t": (date(0)), "v": 10},
        doc! {"t": (date(30_000)), "v": 10.5},
    ];
    assert_eq!(computed(hourly, &drive), array![null, 60.0]);
}

#[test]
fn areas_are_of_numbers_and_nothing_is_passed_over() {
    let integral = || slope(doc! {"$integral": {"input": "$v"}});
    let line = [
        doc! {"t": 0, "v": 1},
        doc! {"t": 2, "v": 3},
        doc! {"t": 3, "v": (f64::NAN)},
        doc! {"t": 4, "v": 5},
        doc! {"t": 5, "v": 5},
    ];
    let areas = computed(integral(), &line);
    assert_eq!(areas[..2], array![0, 4.0]);
    assert!(matches!(areas[2..4], [Value::Double(a), Value::Double(b)] if a.is_nan() && b.is_nan()));
    assert_eq!(areas[4..], array![5.0]);
    // A document that is in no frame may have what it likes.
    let ahead = doc! {"r": {"$integral": {"input": "$v"}, "window": {"documents": [1, 2]}}};
    let input = [
        doc! {"t": 0, "v": null},
        doc! {"t": 1, "v": 2},
        doc! {"t": 2, "v": 4},
    ];
    assert_eq!(computed(window(ahead), &input), array![3.0, 0, null]);
}

#[test]
fn slopes_and_areas_refuse_what_they_cannot_compute() {
    let derivative = || slope(doc! {"$derivative": {"input": "$v"}});
    let daily = || slope(doc! {"$derivative": {"input": "$v", "unit": "day"}});
    let integral = || slope(doc! {"$integral": {"input": "$v"}});
    let daily_area = || slope(doc! {"$integral": {"input": "$v", "unit": "day"}});
    let one = |t: Value, v: Value| vec![Document::new().with("t", t).with("v", v)];
    let two = |v: Value| vec![doc! {"t": 1, "v": 1}, Document::new().with("t", 2).with("v", v)];
    check_codes(vec![
        (derivative(), one(1.into(), Value::Null), 5_624_903),
        (derivative(), two(Value::Null), 5_624_903),
        (derivative(), vec![doc! {"t": 1}], 5_624_903),
        (derivative(), two("x".into()), 14),
        (derivative(), two(date(1)), 14),
        (derivative(), one("x".into(), 1.into()), 5_624_902),
        (derivative(), vec![doc! {"v": 1}], 5_624_902),
        (derivative(), one(date(0), 1.into()), 5_624_901),
        (daily(), one(1.into(), 1.into()), 5_624_900),
        (integral(), two(Value::Null), 5_423_900),
        (integral(), vec![doc! {"t": 1}], 5_423_900),
        (integral(), two("x".into()), 5_423_900),
        (integral(), one("x".into(), 1.into()), 5_423_900),
        (integral(), one(date(0), 1.into()), 5_423_902),
        (daily_area(), one(1.into(), 1.into()), 5_423_901),
        (
            slope(doc! {"$derivative": {"input": "$v", "unit": "month"}}),
            vec![],
            5_490_710,
        ),
        (
            slope(doc! {"$integral": {"input": "$v", "unit": "year"}}),
            vec![],
            5_490_710,
        ),
    ]);
}

#[test]
fn bounds_are_constant_expressions() {
    let input: Vec<Document> = (1..5).map(|t| doc! {"t": t}).collect();
    let sum = |window_of: Document| window(doc! {"r": {"$sum": "$t", "window": window_of}});
    for bounds in [
        doc! {"documents": [{"$subtract": [0, 1]}, 0]},
        doc! {"range": [{"$literal": (-1)}, {"$add": [0, 0]}]},
        doc! {"documents": [{"$toInt": "-1"}, "current"]},
    ] {
        assert_eq!(computed(sum(bounds), &input), array![1, 3, 5, 7]);
    }
    check_codes(vec![
        (sum(doc! {"documents": ["$t", 0]}), vec![], 9),
        (sum(doc! {"documents": [{"$add": [0, 0.5]}, 1]}), vec![], 9),
        (sum(doc! {"documents": [{"$literal": "current"}, 1]}), vec![], 9),
        (sum(doc! {"range": [null, 1]}), vec![], 9),
        (
            sum(doc! {"documents": [1, {"$subtract": [0, 1]}]}),
            vec![],
            5_339_900,
        ),
    ]);
}

#[test]
fn bounds_with_a_unit_are_32_bit_integers() {
    let sum = |range: Value| {
        let frame = Document::new().with("range", range).with("unit", "day");
        window(doc! {"r": {"$sum": 1, "window": frame}})
    };
    let input = [doc! {"t": (date(0))}];
    assert_eq!(
        computed(sum(array![(-2_147_483_648_i64), 0].into()), &input),
        array![1]
    );
    check_codes(vec![
        (sum(array![(-2_147_483_649_i64), 0].into()), vec![], 9),
        (sum(array![1, 0].into()), vec![], 5_339_900),
    ]);
}

#[test]
fn ranks_take_nothing_else() {
    let unsorted = |output: Document| doc! {"$setWindowFields": {"output": {"r": output}}};
    check_codes(vec![
        (window(doc! {"r": {"$rank": {}, "window": {}}}), vec![], 5_371_601),
        (window(doc! {"r": {"$rank": {}, "$sum": 1}}), vec![], 5_371_601),
        (window(doc! {"r": {"x": 1, "$denseRank": {}}}), vec![], 5_371_601),
        (window(doc! {"r": {"$sum": 1, "$rank": {}}}), vec![], 9),
        (unsorted(doc! {"$rank": 1}), vec![], 5_371_603),
        (unsorted(doc! {"$rank": {}}), vec![], 5_371_602),
    ]);
}

#[test]
fn moving_averages_take_counts_without_fractions_and_weights_below_one() {
    let average = |option: &str, value: Value| {
        let options = doc! {"input": "$v"}.with(option, value);
        window(doc! {"r": {"$expMovingAvg": options}})
    };
    let decimal = |text: &str| Value::Decimal128(text.parse().expect("a decimal"));
    let input = [doc! {"t": 1, "v": 1}];
    for (option, value) in [
        ("N", Value::Double(f64::INFINITY)),
        ("N", decimal("2.0")),
        ("alpha", decimal("0.99999999999999999999999")),
    ] {
        assert_eq!(computed(average(option, value), &input), array![1.0]);
    }
    check_codes(vec![
        (average("N", 2.5.into()), vec![], 9),
        (average("N", f64::NAN.into()), vec![], 9),
        (average("N", 0.into()), vec![], 9),
        (average("alpha", 1.into()), vec![], 9),
        (average("alpha", decimal("0")), vec![], 9),
    ]);
}

#[test]
fn outputs_on_one_way_are_refused() {
    let sum = || doc! {"$sum": 1};
    for output in [
        doc! {"r": (sum()), "r.x": (sum())},
        doc! {"r.x.y": (sum()), "s": (sum()), "r": (sum())},
        doc! {"r": (sum())}.with("r", sum()),
    ] {
        check_codes(vec![(window(output), vec![], 6_307_900)]);
    }
    assert!(run(window(doc! {"r.x": (sum()), "rx": (sum()), "r.y": (sum())}), &[]).is_ok());
    let fill =
        doc! {"$fill": {"sortBy": {"t": 1}, "output": {"v": {"method": "locf"}, "v.w": {"method": "locf"}}}};
    check_codes(vec![(fill, vec![], 6_307_900)]);
}

#[test]
fn fill_wants_one_way_for_each_field() {
    let fill = |output: Document| doc! {"$fill": {"sortBy": {"t": 1}, "output": output}};
    check_codes(vec![
        (fill(doc! {}), vec![], 6_050_203),
        (fill(doc! {"v": 1}), vec![], 6_050_200),
        (
            fill(doc! {"v": {"method": "locf", "value": 1}}),
            vec![],
            6_050_201,
        ),
        (fill(doc! {"v": {"method": "other"}}), vec![], 6_050_202),
        (fill(doc! {"v": {"value": 1, "foo": 2}}), vec![], 40_415),
        (fill(doc! {"v": {"method": 1}}), vec![], 14),
        // What says nothing where values are given must be right all the same.
        (
            doc! {"$fill": {"sortBy": {"$t": 1}, "output": {"v": {"value": 1}}}},
            vec![],
            16_410,
        ),
        (
            doc! {"$fill": {"partitionBy": {"$foo": 1}, "output": {"v": {"value": 1}}}},
            vec![],
            168,
        ),
        (
            doc! {"$fill": {"partitionBy": null, "output": {"v": {"value": 1}}}},
            vec![],
            14,
        ),
        (
            doc! {"$fill": {"partitionBy": "foo", "output": {"v": {"value": 1}}}},
            vec![],
            16_873,
        ),
    ]);
    let filled = run(fill(doc! {"v": {"value": 7}}), &[doc! {"t": 1}]);
    assert_eq!(filled.expect("values"), [doc! {"t": 1, "v": 7}]);
    for neither in [doc! {}, doc! {"method": null}] {
        let nothing = run(fill(doc! {"v": neither.clone()}), &[doc! {"t": 1}]);
        assert_eq!(nothing.expect("no value"), [doc! {"t": 1}]);
        let one = run(fill(doc! {"v": neither, "w": {"value": 7}}), &[doc! {"t": 1}]);
        assert_eq!(one.expect("one value"), [doc! {"t": 1, "w": 7}]);
    }
}

#[test]
fn lines_are_drawn_over_numbers_or_dates() {
    let linear = || window(doc! {"r": {"$linearFill": "$v"}});
    let line = [
        doc! {"t": 0, "v": 0},
        doc! {"t": 3},
        doc! {"t": 7, "v": 10},
        doc! {"t": 9},
    ];
    // As MongoDB computes it: 3 * (10 / 7).
    assert_eq!(
        computed(linear(), &line),
        array![0, 4.285_714_285_714_286, 10, null]
    );
    let one = |t: Value, v: Value| Document::new().with("t", t).with("v", v);
    check_codes(vec![
        (linear(), vec![one(1.into(), "x".into())], 14),
        (linear(), vec![one("x".into(), 1.into())], 14),
        (linear(), vec![doc! {"v": 1}], 14),
        (
            linear(),
            vec![one(1.into(), 1.into()), one(date(5), 1.into())],
            14,
        ),
        (
            linear(),
            vec![one(1.into(), 1.into()), one(1.0.into(), 2.into())],
            6_050_106,
        ),
    ]);
    let down = doc! {"$setWindowFields": {"sortBy": {"t": (-1)}, "output": {"r": {"$linearFill": "$v"}}}};
    check_codes(vec![(
        down,
        vec![one(1.into(), 1.into()), one(date(5), 1.into())],
        14,
    )]);
}

/// MongoDB takes them for dates, but does not reckon with them.
#[test]
fn ids_and_timestamps_are_passed_over_by_lines_where_nothing_is_to_be_filled() {
    let linear = || window(doc! {"r": {"$linearFill": "$v"}});
    let id = |last: u8| Value::ObjectId(ObjectId::from_bytes([last; 12]));
    let timestamp = |seconds: u32| {
        Value::Timestamp(Timestamp {
            seconds,
            increment: 0,
        })
    };
    let one = |t: Value, v: Value| Document::new().with("t", t).with("v", v);
    let ids = [
        one(id(1), Value::Null),
        one(id(2), 5.into()),
        one(id(3), 7.into()),
        one(date(1), 9.into()),
        one(timestamp(1), 11.into()),
        one(timestamp(2), Value::Null),
    ];
    assert_eq!(computed(linear(), &ids), array![null, 5, 7, 9, 11, null]);
    let between = |place: &dyn Fn(u8) -> Value| {
        vec![
            one(place(1), 5.into()),
            one(place(2), Value::Null),
            one(place(3), 7.into()),
        ]
    };
    check_codes(vec![
        (linear(), between(&id), 14),
        (linear(), between(&|at: u8| timestamp(at.into())), 14),
        (
            linear(),
            vec![one(id(1), 5.into()), one(id(1), 7.into())],
            6_050_106,
        ),
        (linear(), vec![one(1.into(), 5.into()), one(id(1), 7.into())], 14),
    ]);
}

#[test]
fn counts_of_values_to_keep_are_whole_and_positive() {
    let documents = || vec![doc! {"t": 1, "a": 1}];
    let in_window = |n: Value| window(doc! {"r": {"$firstN": {"input": "$a", "n": n}}});
    let in_group = |n: Value| doc! {"$group": {"_id": null, "r": {"$firstN": {"input": "$a", "n": n}}}};
    let in_buckets = |n: Value| {
        doc! {"$bucketAuto": {"groupBy": "$a", "buckets": 1, "output": {"r": {"$maxN": {"input": "$a", "n": n}}}}}
    };
    for (n, in_a_window, in_a_bucket) in [
        (Value::from(0), 5_787_908, 5_787_908),
        ("x".into(), 5_787_902, 5_787_902),
        ("$a".into(), 5_787_902, 4_544_714),
        (1.5.into(), 5_787_903, 5_787_903),
    ] {
        check_codes(vec![
            (in_window(n.clone()), documents(), in_a_window),
            (in_buckets(n.clone()), documents(), in_a_bucket),
            (in_group(n), documents(), 7_548_606),
        ]);
    }
    let group = |accumulator: Document| doc! {"$group": {"_id": null, "r": accumulator}};
    check_codes(vec![
        (group(doc! {"$firstN": 1}), vec![], 5_787_801),
        (group(doc! {"$lastN": "x"}), vec![], 5_787_801),
        (group(doc! {"$minN": 1}), vec![], 5_787_900),
        (group(doc! {"$maxN": 1}), vec![], 5_787_900),
        (window(doc! {"r": {"$lastN": 1}}), vec![], 5_787_801),
        (group(doc! {"$top": {"output": 1, "sortBy": 1}}), vec![], 10_065),
        (group(doc! {"$bottomN": {"sortBy": "x", "n": 1}}), vec![], 10_065),
        (group(doc! {"$top": {"n": 1, "sortBy": 1}}), vec![], 5_788_002),
        (
            group(doc! {"$topN": {"sortBy": {"a": 1}, "output": 1}}),
            vec![],
            5_788_003,
        ),
        (group(doc! {"$top": {"sortBy": {"a": 1}}}), vec![], 5_788_004),
        (group(doc! {"$top": {"output": 1}}), vec![], 5_788_005),
    ]);
}

#[test]
fn percentiles_are_refused_for_their_method_first() {
    let group = |name: &str, options: Value| {
        let accumulator = Document::new().with(name, options);
        doc! {"$group": {"_id": null, "r": accumulator}}
    };
    let percentile = |options: Document| group("$percentile", options.into());
    check_codes(vec![
        (group("$percentile", 1.into()), vec![], 7_429_703),
        (group("$median", 1.into()), vec![], 7_436_100),
        (percentile(doc! {"method": "x"}), vec![], 2),
        (percentile(doc! {"method": "approximate"}), vec![], 40_414),
        (
            percentile(doc! {"input": {"$x": 1}, "p": [2], "method": "x"}),
            vec![],
            2,
        ),
        (
            percentile(doc! {"input": 1, "p": [2], "method": "approximate"}),
            vec![],
            7_750_303,
        ),
        (
            percentile(doc! {"input": 1, "p": [], "method": "approximate"}),
            vec![],
            7_750_301,
        ),
    ]);
}

#[test]
fn lookup_names_no_collection_of_another_database() {
    let lookup = |from: Document| {
        doc! {"$lookup": {"from": from, "localField": "a", "foreignField": "b", "as": "c"}}
    };
    check_codes(vec![
        (lookup(doc! {"db": "other", "coll": "c"}), vec![], 9),
        (lookup(doc! {"db": "db", "coll": "c"}), vec![], 9),
        (lookup(doc! {"coll": "c"}), vec![], 9),
        (lookup(doc! {"db": "other", "coll": "c", "x": 1}), vec![], 40_415),
        (lookup(doc! {"db": 1, "coll": "c"}), vec![], 14),
    ]);
    for coll in ["collections", "chunks", "cache.chunks.db.c"] {
        assert!(
            run(lookup(doc! {"db": "config", "coll": coll}), &[]).is_ok(),
            "{coll}"
        );
    }
}

#[test]
fn numbers_are_scaled_between_the_ends_of_their_frames() {
    let input = [
        doc! {"t": 1, "v": 10},
        doc! {"t": 2, "v": 20},
        doc! {"t": 3, "v": 40},
    ];
    let scaled = |options: Document| window(doc! {"r": {"$minMaxScaler": options}});
    let shares = array![0.0, (10.0 / 30.0), 1.0];
    assert_eq!(computed(scaled(doc! {"input": "$v"}), &input), shares);
    let wide = doc! {"input": "$v", "min": 0, "max": {"$add": [50, 50]}};
    assert_eq!(
        computed(scaled(wide), &input),
        array![0.0, (10.0 / 30.0 * 100.0), 100.0]
    );
    // A frame of one number, or of equal ones, is all at the lower end.
    let behind = doc! {"r": {"$minMaxScaler": {"input": "$v"}, "window": {"documents": [(-1), 0]}}};
    assert_eq!(computed(window(behind), &input), array![0, 1.0, 1.0]);
    let near = doc! {"r": {"$minMaxScaler": {"input": "$v"}, "window": {"range": [(-1), 1]}}};
    assert_eq!(computed(window(near), &input), array![0.0, (10.0 / 30.0), 1.0]);
}

#[test]
fn values_that_cannot_be_scaled_are_refused() {
    let scaled = |options: Document| window(doc! {"r": {"$minMaxScaler": options}});
    let within = |bounds: Document| window(doc! {"r": {"$minMaxScaler": {"input": "$v"}, "window": bounds}});
    let none = Vec::new;
    check_codes(vec![
        (window(doc! {"r": {"$minMaxScaler": "$v"}}), none(), 14),
        (
            window(doc! {"r": {"$minMaxScaler": {"input": "$v"}, "x": 1}}),
            none(),
            40_415,
        ),
        (
            window(doc! {"r": {"$minMaxScaler": {"input": "$v"}, "window": 1}}),
            none(),
            14,
        ),
        (scaled(doc! {}), none(), 40_414),
        (scaled(doc! {"input": "$v", "other": 1}), none(), 40_415),
        (scaled(doc! {"input": "$v", "min": 1}), none(), 9),
        (scaled(doc! {"input": "$v", "max": 1}), none(), 9),
        (scaled(doc! {"input": "$v", "min": 1, "max": 1.0}), none(), 9),
        (scaled(doc! {"input": "$v", "min": "a", "max": 1}), none(), 9),
        (scaled(doc! {"input": "$v", "min": "$t", "max": 1}), none(), 9),
        (within(doc! {"documents": [1, 2]}), none(), 9),
        (within(doc! {"documents": [(-2), (-1)]}), none(), 9),
        (within(doc! {"range": [0.5, 2]}), none(), 9),
        (
            scaled(doc! {"input": "$v"}),
            vec![doc! {"t": 1, "v": "x"}],
            10_487_001,
        ),
        (
            within(doc! {"documents": [(-1), 0]}),
            vec![doc! {"t": 1}],
            10_487_000,
        ),
        (
            within(doc! {"range": ["unbounded", 0]}),
            vec![doc! {"t": 1, "v": null}],
            10_487_004,
        ),
    ]);
}
