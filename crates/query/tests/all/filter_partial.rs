//! Filters of partial indexes, and which queries such an index can serve.

use language::expression::Variables;
use language::filter::{Filter, FilterScope};
use query::plan::implies::implies;
use query::plan::leaves::Conjunction;
use value::collation::Collation;
use value::{Document, Value, doc};

fn filter(query: &Document) -> Filter {
    Filter::parse(query, &FilterScope::default()).unwrap()
}

#[test]
fn only_simple_conditions_are_taken() {
    for condition in [
        doc! {"a": {"$gt": 5}},
        doc! {"a": {"$exists": true}, "b": {"$type": "string"}},
        doc! {"$or": [{"a": 1}, {"b": {"$in": [1, 2]}}]},
    ] {
        Filter::parse_partial(&condition, None).unwrap();
    }
    for (condition, code) in [
        (doc! {"a": {"$ne": 5}}, 67),
        (doc! {"a": {"$exists": false}}, 67),
        (doc! {"a": {"$regex": "x"}}, 67),
        (doc! {"$nor": [{"a": 1}]}, 67),
        (doc! {"$expr": true}, 224),
        (doc! {"$jsonSchema": {}}, 224),
        (doc! {"$text": {"$search": "x"}}, 2),
        (doc! {"$where": "true"}, 2),
    ] {
        let refused = Filter::parse_partial(&condition, None).unwrap_err();
        assert_eq!(refused.code.number(), code, "{condition:?}: {refused}");
    }
}

#[test]
fn a_query_implies_wider_conditions_only() {
    let cases = [
        (doc! {"a": 7}, doc! {"a": {"$gt": 5}}, true),
        (doc! {"a": 5}, doc! {"a": {"$gt": 5}}, false),
        (doc! {"a": {"$gt": 6}, "b": 1}, doc! {"a": {"$gt": 5}}, true),
        (doc! {"a": {"$gte": 5}}, doc! {"a": {"$gt": 5}}, false),
        (doc! {"a": {"$gt": "x"}}, doc! {"a": {"$gt": 5}}, false),
        (doc! {"a": {"$lt": 3}}, doc! {"a": {"$lte": 3}}, true),
        (doc! {"a": {"$in": [6, 7]}}, doc! {"a": {"$gt": 5}}, true),
        (doc! {"a": {"$in": [5, 7]}}, doc! {"a": {"$gt": 5}}, false),
        (doc! {"a": 1}, doc! {"a": {"$exists": true}}, true),
        (doc! {"a": null}, doc! {"a": {"$exists": true}}, false),
        (
            doc! {"a": {"$lt": (Value::MaxKey)}},
            doc! {"a": {"$exists": true}},
            false,
        ),
        (doc! {"a": {"$ne": null}}, doc! {"a": {"$exists": true}}, true),
        (doc! {"a": {"$ne": 1}}, doc! {"a": {"$exists": true}}, false),
        (doc! {"a": {"$regex": "^x"}}, doc! {"a": {"$exists": true}}, true),
        (doc! {"b": 1}, doc! {"a": {"$exists": true}}, false),
        (
            doc! {"a": 1, "b": 2},
            doc! {"a": {"$gt": 0}, "b": {"$lt": 3}},
            true,
        ),
        (doc! {"$or": [{"a": 6}, {"a": 9}]}, doc! {"a": {"$gt": 5}}, true),
        (doc! {"$or": [{"a": 6}, {"b": 9}]}, doc! {"a": {"$gt": 5}}, false),
        (doc! {"a": 6}, doc! {"$or": [{"a": {"$gt": 5}}, {"b": 1}]}, true),
        (
            doc! {"a": {"$type": "string"}},
            doc! {"a": {"$type": ["string", "int"]}},
            true,
        ),
        (doc! {}, doc! {"a": 1}, false),
        (doc! {"a": f64::NAN}, doc! {"a": {"$lt": 5}}, false),
    ];
    for (query, condition, expected) in cases {
        assert_eq!(
            implies(&Conjunction::of(&filter(&query)), filter(&condition).root()),
            expected,
            "{query:?} within {condition:?}"
        );
    }
}

#[test]
fn many_disjunctions_are_tried_one_by_one() {
    let either = |number: i32| doc! {"$or": [{(format!("a{number}")): 1}, {"b": number}]};
    let mut clauses: Vec<Value> = (0..40).map(|number| either(number).into()).collect();
    let condition = filter(&doc! {"c": {"$gt": 5}});
    let asked = filter(&doc! {"$and": clauses.clone()});
    assert!(!implies(&Conjunction::of(&asked), condition.root()));
    clauses.push(doc! {"$or": [{"c": 7}, {"$and": [{"c": {"$gt": 6}}, {"b": 1}]}]}.into());
    let asked = filter(&doc! {"$and": clauses});
    assert!(implies(&Conjunction::of(&asked), condition.root()));
}

#[test]
fn a_condition_follows_its_indexs_collation() {
    let any_case = Collation::parse(&doc! {"locale": "en", "strength": 2}).unwrap();
    let accents = Collation::parse(&doc! {"locale": "en", "strength": 1}).unwrap();
    let condition = Filter::parse_partial(&doc! {"a": "x"}, any_case.as_ref()).unwrap();
    for (value, matches) in [("x", true), ("X", true), ("y", false)] {
        let document = doc! {"a": value};
        assert_eq!(condition.matches((&document).into()).unwrap(), matches, "{value}");
    }
    let number = Filter::parse_partial(&doc! {"a": 1}, any_case.as_ref()).unwrap();
    let query = |query: Document, collation: &Option<Collation>| {
        let variables = Variables::default().with_collation(collation.clone());
        let scope = FilterScope {
            variables: Some(&variables),
            ..FilterScope::default()
        };
        Filter::parse(&query, &scope).unwrap()
    };
    let cases = [
        (doc! {"a": "X"}, &any_case, &condition, true),
        (doc! {"a": "x"}, &None, &condition, false),
        (doc! {"a": "x"}, &accents, &condition, false),
        (doc! {"a": "y"}, &any_case, &condition, false),
        (doc! {"a": 1}, &None, &number, true),
        (doc! {"a": 1}, &any_case, &number, true),
    ];
    for (asked, collation, condition, expected) in cases {
        let asked = query(asked, collation);
        assert_eq!(
            implies(&Conjunction::of(&asked), condition.root()),
            expected,
            "{asked:?}"
        );
    }
}
