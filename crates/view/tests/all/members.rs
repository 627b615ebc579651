//! Which members of documents a map function reads.

use memory::Budget;
use view::{Program, ScriptLimits, Sources};

async fn members(maps: &[&str]) -> Option<Vec<String>> {
    let sources = Sources {
        maps: maps.iter().map(|&map| map.to_owned()).collect(),
        ..Sources::default()
    };
    let program = Program::new(sources, ScriptLimits::default(), Budget::default());
    program.members().await.expect("functions that compile")
}

async fn seen(map: &str) -> Option<Vec<String>> {
    members(&[map]).await
}

#[tokio::test]
async fn members_that_are_read_are_found() {
    let names = |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
    assert_eq!(
        seen("function (doc) { if (doc.kind == 'x' && doc . n > 1) emit([doc.kind, doc.at.year], null); }")
            .await,
        names(&["kind", "n", "at"])
    );
    assert_eq!(seen("d => emit(d._id, 1)").await, names(&["_id"]));
    assert_eq!(
        seen("(d) => { if (d.a instanceof Array) emit(d.b\n) };").await,
        names(&["a", "b"])
    );
    assert_eq!(seen("function map(doc) { emit(1); }").await, names(&[]));
    assert_eq!(
        seen("function($doc){for(var i in $doc.tags){emit($doc.tags[i].toLowerCase(),other.doc)}}").await,
        names(&["tags"])
    );
    let both = [
        "function (doc) { emit(doc.a); }",
        "function (d) { emit(d.b, d.a); }",
    ];
    assert_eq!(members(&both).await, names(&["a", "b"]));
}

#[tokio::test]
async fn all_members_are_needed_if_the_document_itself_may_be_passed_on() {
    for source in [
        "function (doc) { emit(doc._id, doc); }",
        "function (doc) { for (var name in doc) emit(name); }",
        "function (doc) { emit(doc['a']); }",
        "function (doc) { var d = doc; emit(d.a); }",
        "function (doc) { emit(doc.hasOwnProperty('a')); }",
        "function (doc) { emit(doc.a\n(1)); }",
        "function (doc) { emit(doc.tag`x`); }",
        "function (doc) { emit(arguments[0].a); }",
        "function (doc) { emit(d\\u006fc); }",
        "function (doc) { emit(doc?.a); }",
        "function (doc) { emit(doc/* */.a); }",
        "function (doc) { emit(doc /* whole */); }",
        "function (doc) { emit(`${doc}`); }",
        "function (doc) { doc = {}; emit(doc.a); }",
        "function (doc) { Object.getPrototypeOf(doc.a); emit(doc.b); }",
        "function (doc, more) { emit(doc.a); }",
        "function ({a}) { emit(a); }",
        "function () { emit(1); }",
        "function (a) { emit(a.b); }, function (b) { emit(b); }",
    ] {
        assert_eq!(seen(source).await, None, "{source}");
    }
}
