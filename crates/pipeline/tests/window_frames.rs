//! Frames of `$setWindowFields`: which documents are in them, and what sums over moving frames give.

mod common;
#[path = "common/window.rs"]
mod window;

use value::{Document, Value, array, doc};
use window::{check_codes, computed, date, slope, window};

#[test]
fn the_current_document_of_a_range_is_that_one_alone() {
    let input = [
        doc! {"t": 1, "v": 1},
        doc! {"t": 1, "v": 2},
        doc! {"t": 2, "v": 4},
    ];
    let sum = |range: Value| {
        let frame = Document::new().with("range", range);
        window(doc! {"r": {"$sum": "$v", "window": frame}})
    };
    for (range, sums) in [
        (array!["unbounded", "current"], array![1, 3, 7]),
        (array!["current", "unbounded"], array![7, 6, 4]),
        (array!["current", 0], array![3, 2, 4]),
        (array![0, "current"], array![1, 3, 4]),
        (array![0, 0], array![3, 3, 4]),
        (array!["unbounded", "unbounded"], array![7, 7, 7]),
    ] {
        assert_eq!(computed(sum(range.clone().into()), &input), sums, "{range:?}");
    }
    let whole = || sum(array!["unbounded", "unbounded"].into());
    check_codes(vec![
        (whole(), vec![doc! {"t": "x"}], 5_429_414),
        (whole(), vec![doc! {"t": (date(1))}], 5_429_413),
        (sum(array![1, "current"].into()), vec![], 5_339_900),
    ]);
}

/// An array on the way is an array for what goes by the value that is sorted by.
#[test]
fn a_range_is_not_over_what_lies_in_arrays() {
    let frame = doc! {"range": [0, 0]};
    let stage =
        doc! {"$setWindowFields": {"sortBy": {"t.a": 1}, "output": {"r": {"$sum": 1, "window": frame}}}};
    check_codes(vec![(stage, vec![doc! {"t": [{"a": 1}, {"a": 2}]}], 5_429_414)]);
}

#[test]
fn sums_of_frames_that_move_are_ints_where_they_fit() {
    let input = [1_i64, 2, 4_000_000_000].map(|v| doc! {"t": v, "v": v});
    assert_eq!(
        computed(slope(doc! {"$sum": "$v"}), &input),
        array![1, 3, 4_000_000_002_i64]
    );
    let growing = doc! {"$sum": "$v", "window": {"documents": ["unbounded", "current"]}};
    assert_eq!(
        computed(window(doc! {"r": growing}), &input),
        array![1_i64, 3_i64, 4_000_000_003_i64]
    );
}

#[test]
fn areas_are_summed_without_losing_bits() {
    let input = [0.1, 0.1, 0.3, 0.3];
    let input: Vec<Document> = input
        .iter()
        .enumerate()
        .map(|(t, v)| doc! {"t": (t as i32), "v": (*v)})
        .collect();
    let integral = window(doc! {"r": {"$integral": {"input": "$v"}}});
    assert_eq!(computed(integral, &input), array![0.6, 0.6, 0.6, 0.6]);
}

#[test]
fn a_shift_to_a_document_without_the_value_gives_the_default() {
    let shift = doc! {"$shift": {"output": "$v", "by": 1, "default": "none"}};
    let input = [doc! {"t": 1}, doc! {"t": 2}, doc! {"t": 3, "v": null}];
    assert_eq!(
        computed(window(doc! {"r": shift}), &input),
        array!["none", null, "none"]
    );
}

#[test]
fn covariances_of_what_is_endless_are_decimals_where_a_number_is() {
    let decimal = |text: &str| Value::Decimal128(text.parse().expect("a decimal"));
    let over = |pairs: &[(Value, Value)]| {
        let function = doc! {"$covariancePop": ["$x", "$y"], "window": {"documents": [(-9), 0]}};
        let input: Vec<Document> = pairs
            .iter()
            .enumerate()
            .map(|(t, (x, y))| {
                let row = Document::new().with("t", t as i32);
                row.with("x", x.clone()).with("y", y.clone())
            })
            .collect();
        computed(window(doc! {"r": function}), &input).pop()
    };
    let finite = [(Value::from(1), Value::from(2)), (Value::from(2), Value::from(1))];
    let with = |x: Value, y: Value| over(&[finite[0].clone(), finite[1].clone(), (x, y)]);
    assert_eq!(
        with(decimal("1"), f64::INFINITY.into()),
        Some(decimal("Infinity"))
    );
    assert_eq!(
        with(f64::NEG_INFINITY.into(), 1.into()),
        Some(Value::Double(f64::NEG_INFINITY))
    );
    assert!(matches!(with(decimal("NaN"), 1.0.into()), Some(Value::Double(nan)) if nan.is_nan()));
}
