//! Updates that would run for long are stopped.

use language::expression::Variables;
use language::interruption::within;
use language::{Code, Interruption};
use update::{Update, UpdateInput, UpdateScope};
use value::{Document, Value, doc};

#[test]
fn updates_of_long_arrays_end() {
    let long = || Value::Array((0..3_000).map(Value::Int32).collect());
    let killed = Interruption::default();
    killed.kill.with(Code::INTERRUPTED);
    let numbered = |count: i32| -> Document {
        (0..count)
            .map(|at| (format!("f{at}"), Value::Int32(at)))
            .collect()
    };
    let document = doc! {"a": long(), "b": numbered(3_000)};
    let fields = (0..3_000).map(|at| (format!("b.f{at}"), Value::Int32(-1)));
    let updates = [
        doc! {"$addToSet": doc! {"a": doc! {"$each": long()}}},
        doc! {"$pullAll": doc! {"a": long()}},
        doc! {"$pull": doc! {"a": doc! {"$gt": 30_000}}},
        doc! {"$push": doc! {"a": doc! {"$each": long(), "$sort": -1}}},
        doc! {"$set": doc! {"a.$[]": 1}},
        doc! {"$set": fields.collect::<Document>()},
    ];
    let variables = Variables::new(0);
    let scope = UpdateScope {
        variables: &variables,
    };
    for (at, update) in updates.into_iter().enumerate() {
        let update = Update::parse(&UpdateInput::Document(update), &[], &scope).unwrap();
        let ended = within(&killed, || {
            update.apply(&mut document.clone(), None, false, &variables)
        });
        assert_eq!(
            ended.err().map(|error| error.code),
            Some(Code::INTERRUPTED),
            "update {at}"
        );
    }
}
