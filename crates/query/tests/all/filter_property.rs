//! Properties of every filter and document: both forms of a document match alike, and a filter matches what its normal form
//! matches.

use language::filter::{Filter, FilterScope};
use proptest::collection::vec;
use proptest::prelude::*;
use query::plan::implies::implies;
use query::plan::leaves::Conjunction;
use value::{Document, DocumentBuf, Value, array, doc};

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        (-3..4i32).prop_map(Value::from),
        (-3..4i64).prop_map(Value::from),
        prop_oneof![Just(f64::NAN), Just(0.5), Just(2.0)].prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::MinKey),
        Just(Value::MaxKey),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec(("[abc]", inner), 0..3).prop_map(|fields| fields.into_iter().collect::<Document>().into()),
        ]
    })
}

fn document() -> impl Strategy<Value = Document> {
    vec(("[abc]", value()), 0..4).prop_map(|fields| fields.into_iter().collect())
}

fn operators() -> impl Strategy<Value = Document> {
    let comparison = (
        prop_oneof![
            Just("$eq"),
            Just("$ne"),
            Just("$gt"),
            Just("$gte"),
            Just("$lt"),
            Just("$lte")
        ],
        value(),
    )
        .prop_map(|(operator, value)| Document::new().with(operator, value));
    let leaf = prop_oneof![
        4 => comparison,
        1 => (prop_oneof![Just("$in"), Just("$nin"), Just("$all")], vec(scalar(), 0..3))
            .prop_map(|(operator, values)| Document::new().with(operator, values)),
        1 => any::<bool>().prop_map(|wanted| doc! {"$exists": wanted}),
        1 => (0..3i32).prop_map(|size| doc! {"$size": size}),
        1 => (1..4i32, 0..2i32).prop_map(|(divisor, rest)| doc! {"$mod": [divisor, rest]}),
        1 => prop_oneof![Just("number"), Just("string"), Just("array")].prop_map(|kind| doc! {"$type": kind}),
        1 => Just(doc! {"$regex": "^a"}),
        1 => (0..3i32).prop_map(|position| doc! {"$bitsAnySet": [position]}),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|operators| doc! {"$not": operators}),
            inner.prop_map(|operators| doc! {"$elemMatch": operators}),
        ]
    })
}

fn query() -> impl Strategy<Value = Document> {
    let path = prop_oneof![Just("a"), Just("b"), Just("a.b"), Just("a.0"), Just("b.c.a")];
    let field = (path, operators()).prop_map(|(path, operators)| Document::new().with(path, operators));
    field.prop_recursive(2, 8, 3, |inner| {
        (
            prop_oneof![Just("$and"), Just("$or"), Just("$nor")],
            vec(inner, 1..3),
        )
            .prop_map(|(operator, queries)| Document::new().with(operator, queries))
    })
}

fn parse(query: &Document) -> Filter {
    Filter::parse(query, &FilterScope::default()).unwrap()
}

proptest! {
    #[test]
    fn raw_and_decoded_documents_match_alike(query in query(), document in document()) {
        let filter = parse(&query);
        let raw = DocumentBuf::from(&document);
        prop_assert_eq!(
            filter.matches(raw.as_ref()).unwrap(),
            filter.matches((&document).into()).unwrap()
        );
    }

    #[test]
    fn the_normal_form_means_the_same(query in query(), document in document()) {
        let filter = parse(&query);
        let normal = filter.to_document();
        let again = parse(&normal);
        prop_assert_eq!(
            filter.matches((&document).into()).unwrap(),
            again.matches((&document).into()).unwrap(),
            "{:?} became {:?}", query, normal
        );
        prop_assert_eq!(again.to_document(), normal);
    }

    #[test]
    fn every_match_satisfies_the_conditions_that_the_filter_implies(
        query in query(),
        condition in prop_oneof![
            (prop_oneof![Just("$eq"), Just("$gt"), Just("$gte"), Just("$lt"), Just("$lte")], scalar())
                .prop_map(|(operator, value)| doc! {"a": (Document::new().with(operator, value))}),
            Just(doc! {"a": {"$exists": true}}),
            Just(doc! {"a": {"$type": "number"}}),
            Just(doc! {"a": {"$in": (array![1, 2, "a"])}}),
        ],
        document in document(),
    ) {
        let (filter, condition) = (parse(&query), parse(&condition));
        if implies(&Conjunction::of(&filter), condition.root()) && filter.matches((&document).into()).unwrap() {
            prop_assert!(condition.matches((&document).into()).unwrap());
        }
    }
}
