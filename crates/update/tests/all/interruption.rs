//! Updates that would run for long end.

use language::expression::Variables;
use language::interruption::within;
use language::{Code, Interruption};
use update::{Update, UpdateInput, UpdateScope};
use value::{Value, doc};

#[test]
fn updates_of_long_arrays_end() {
    let long = || Value::Array((0..3_000).map(Value::Int32).collect());
    let killed = Interruption::default();
    killed.kill.with(Code::INTERRUPTED);
    let document = doc! {"a": long()};
    let updates = [
        doc! {"$addToSet": doc! {"a": doc! {"$each": long()}}},
        doc! {"$pullAll": doc! {"a": long()}},
        doc! {"$pull": doc! {"a": doc! {"$gt": 30_000}}},
        doc! {"$push": doc! {"a": doc! {"$each": long(), "$sort": -1}}},
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
