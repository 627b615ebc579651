//! Functions that loop or use too much memory are stopped and named; functions that cannot be compiled are refused.
use crate::support::*;
use kv::Simulation;
use memory::{Budget, Holder};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use view::limits::LISTS_MAX;
use view::{Error, ListStep, Query, Refusal, ScriptError, ScriptLimits, Views};

/// Little time, for loops that never end.
const HASTY: ScriptLimits = ScriptLimits {
    time_ms: 1_000,
    memory_bytes: 64 << 20,
};

/// Little memory, and time enough to use it up on a busy machine.
const SMALL: ScriptLimits = ScriptLimits {
    time_ms: 60_000,
    memory_bytes: 8 << 20,
};

async fn run(map: &str, limits: ScriptLimits) -> view::Result<Value> {
    let database = Database::open(&Simulation::new(1), limits).await;
    database
        .put(&[json!({"_id": "good"}), json!({"_id": "bad", "bad": true})])
        .await;
    let group = database.group(json!({"all": {"map": map}})).await;
    database.try_rows(&group, "all", Query::default()).await
}

#[tokio::test]
async fn a_loop_is_stopped_and_the_document_named() {
    match run(
        "function (doc) { while (doc.bad) { try { doc.bad; } catch (e) {} } }",
        HASTY,
    )
    .await
    {
        Err(Error::Script {
            script: ScriptError::TimedOut { .. },
            document,
            function,
        }) => {
            assert_eq!(
                (document.as_deref(), function.as_str()),
                (Some("bad"), "_design/d")
            );
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn memory_is_limited() {
    match run(
        "function (doc) { var all = []; while (doc.bad) all.push('x'.repeat(1000) + all.length); }",
        SMALL,
    )
    .await
    {
        Err(Error::Script {
            script: ScriptError::OutOfMemory { .. },
            document,
            ..
        }) => {
            assert_eq!(document.as_deref(), Some("bad"));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn endless_recursion_skips_the_document() {
    let rows = run(
        "function (doc) { function f() { return f() + 1; } if (doc.bad) f(); emit(1, 1); }",
        SMALL,
    )
    .await;
    assert_eq!(rows.unwrap(), json!([["good", 1, 1]]));
}

#[tokio::test]
async fn a_view_goes_on_after_its_function_was_stopped() {
    let database = Database::open(&Simulation::new(1), HASTY).await;
    database.put(&[json!({"_id": "bad", "bad": true})]).await;
    let group = database
        .group(json!({"all": {"map": "function (doc) { while (doc.bad); emit(1, 1); }"}}))
        .await;
    assert!(database.try_rows(&group, "all", Query::default()).await.is_err());
    database.put(&[json!({"_id": "bad"})]).await;
    assert_eq!(
        database.rows(&group, "all", Query::default()).await,
        json!([["bad", 1, 1]])
    );
}

async fn check(body: Value) -> Result<(), String> {
    let checked = view::check_design(
        "_design/d",
        &fields(body),
        ScriptLimits::default(),
        &Budget::default(),
    )
    .await;
    checked.map_err(|error| error.to_string())
}

#[tokio::test]
async fn design_documents_are_checked() {
    let refused = |body| async { check(body).await.unwrap_err() };
    assert_eq!(
        refused(json!({"views": []})).await,
        "`views` field must have object type"
    );
    assert_eq!(
        refused(json!({"views": {"a": {"map": 1}}})).await,
        "`views.a.map` field must have object or string type"
    );
    assert_eq!(
        refused(json!({"views": {"a": {}}})).await,
        "View `a` must contain map function"
    );
    assert_eq!(
        refused(json!({"views": {"a": {"map": "function () {}", "reduce": "_nope"}}})).await,
        "`_nope` is not a supported reduce function."
    );
    assert!(
        refused(json!({"views": {"a": {"map": "function ("}}}))
            .await
            .contains("function (")
    );
    assert!(
        refused(json!({"views": {"a": {"map": "1"}}}))
            .await
            .starts_with("Expression does not eval to a function.")
    );
    assert_eq!(
        check(json!({"views": {"a": {"map": "function (doc) { emit(1); };\n", "reduce": "_sum"}}})).await,
        Ok(())
    );
    assert_eq!(
        check(json!({"language": "query", "views": {"a": {"map": {}}}})).await,
        Ok(())
    );
}

#[tokio::test]
async fn validations_and_filters_run_with_the_design_document_as_this() {
    let design = json!({
        "_id": "_design/d", "least": 3, "lib": {"m": "exports.f = function (n) { return n > 1; };"},
        "validate_doc_update": "function (doc, old, user, security) {
            if (doc.n < this.least) throw {forbidden: 'too small'};
            if (!user.name) throw {unauthorized: 'who?'};
            if (old) throw 'there already';
        }",
        "filters": {"f": "function (doc, req) { return require('lib/m').f(doc.n) && req.query.yes; }"},
        "views": {"v": {"map": "function (doc) { if (doc.n) emit(doc.n); }"}},
    });
    let functions = view::Functions::new(
        "_design/d",
        design.to_string(),
        ScriptLimits::default(),
        Budget::default(),
    );
    let validate =
        async |new: &str, old: &str, user: &str| functions.validate(new, old, user, "{}").await.unwrap();
    assert_eq!(
        validate(r#"{"n":1}"#, "null", "{}").await,
        Some(Refusal::Forbidden("too small".into()))
    );
    assert_eq!(
        validate(r#"{"n":4}"#, "null", "{}").await,
        Some(Refusal::Unauthorized("who?".into()))
    );
    assert_eq!(
        validate(r#"{"n":4}"#, "{}", r#"{"name":"a"}"#).await,
        Some(Refusal::Unknown("there already".into()))
    );
    assert_eq!(validate(r#"{"n":4}"#, "null", r#"{"name":"a"}"#).await, None);
    let documents = [r#"{"n":0}"#.to_owned(), r#"{"n":2}"#.to_owned()];
    assert_eq!(
        functions
            .filter("f", &documents, r#"{"query":{"yes":1}}"#)
            .await
            .unwrap(),
        [false, true]
    );
    assert_eq!(
        functions.filter_by_view("v", &documents).await.unwrap(),
        [false, true]
    );
    let missing = functions.filter("g", &documents, "{}").await.unwrap_err();
    assert_eq!(
        missing.to_string(),
        "not_found: missing filters function g on design doc _design/d"
    );
}

#[tokio::test]
async fn a_validation_refuses_by_whatever_it_throws() {
    let design = json!({
        "_id": "_design/d",
        "validate_doc_update": "function (doc) {
            switch (doc.what) {
                case 'undefined': throw doc.why;
                case 'function': throw function () {};
                case 'symbol': throw Symbol('s');
                case 'nan': throw NaN;
                case 'json': throw {toJSON: function () { return null; }};
                case 'empty': throw {};
                case 'false': throw false;
                case 'list': throw [];
            }
        }",
    });
    let functions = view::Functions::new(
        "_design/d",
        design.to_string(),
        ScriptLimits::default(),
        Budget::default(),
    );
    for what in [
        "undefined",
        "function",
        "symbol",
        "nan",
        "json",
        "empty",
        "false",
        "list",
    ] {
        let document = json!({"what": what}).to_string();
        let refused = functions.validate(&document, "null", "{}", "{}").await;
        assert!(
            !matches!(
                refused,
                Ok(None | Some(Refusal::Forbidden(_) | Refusal::Unauthorized(_)))
            ),
            "{what}: {refused:?}"
        );
    }
    assert_eq!(functions.validate("{}", "null", "{}", "{}").await, Ok(None));
}

#[tokio::test]
async fn documents_of_many_rows_are_handed_over_few_at_a_time() {
    let limits = ScriptLimits {
        time_ms: 60_000,
        memory_bytes: 16 << 20,
    };
    let database = Database::open(&Simulation::new(1), limits).await;
    let documents: Vec<Value> = (0..60).map(|n| json!({"_id": format!("{n:03}")})).collect();
    database.put(&documents).await;
    // Together far more than a program may hold.
    let map = "function (doc) { for (var i = 0; i < 1000; i++) emit([doc._id, i], 'x'.repeat(400)); }";
    let group = database
        .group(json!({"all": {"map": map, "reduce": "_count"}}))
        .await;
    let rows = database.try_rows(&group, "all", Query::default()).await.unwrap();
    assert_eq!(rows, json!([[null, 60_000]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn small_documents_with_many_rows_are_built_within_the_memory_of_views() {
    let budget = Budget::new(64 << 20);
    let mut database = Database::new().await;
    database.views = Views::new(Arc::new(Plain), ScriptLimits::default()).within(budget.clone());
    let documents: Vec<Value> = (0..400).map(|at| json!({"_id": format!("{at:04}")})).collect();
    database.put(&documents).await;
    let map = "function (doc) { for (var i = 0; i < 500; i++) emit([doc._id, i], 'xxxxxxxxxxxxxxxxxxxx'); }";
    let group = database
        .group(json!({"all": {"map": map, "reduce": "_count"}}))
        .await;
    let counted = database.rows(&group, "all", Query::default()).await;
    assert_eq!(counted[0][1], 200_000);
    let usage = budget.usage();
    let views = usage.iter().find(|usage| usage.holder == Holder::Views).unwrap();
    // The rows of one batch of documents alone are about 60 MB; those of one answer of the map functions are the excess.
    assert!(views.held_bytes_max < 3 * views.limit_bytes, "{views:?}");
    assert_eq!(views.held_bytes, 0);
}

/// What programs hold of the memory for them.
fn held(budget: &Budget) -> memory::Usage {
    let usage = budget.usage();
    usage
        .into_iter()
        .find(|usage| usage.holder == Holder::DesignFunctions)
        .unwrap()
}

const HUNGRY: &str = "function (doc) { var a = []; for (var i = 0; i < doc.n; i++) a.push('x'.repeat(1000) + i); emit(a.length); }";

#[tokio::test(flavor = "multi_thread")]
async fn threads_of_programs_take_what_they_need_of_their_memory_and_no_more() {
    // Design documents have a quarter: eight megabytes, of which a thread begins with four.
    let budget = Budget::new(32 << 20);
    let mut database = Database::new().await;
    database.views = Views::new(Arc::new(Plain), ScriptLimits::default()).within(budget.clone());
    database.put(&[json!({"_id": "a", "n": 4_500})]).await;
    let group = database.group(json!({"all": {"map": HUNGRY}})).await;
    let rows = database.try_rows(&group, "all", Query::default()).await.unwrap();
    // It did not fit at first, and was run again with more memory.
    assert_eq!(rows[0][1], 4_500);
    assert_eq!(held(&budget).held_bytes_max, 8 << 20);
    assert_eq!(held(&budget).refused, 0);

    database.put(&[json!({"_id": "b", "n": 20_000})]).await;
    let refused = database
        .try_rows(&group, "all", Query::default())
        .await
        .unwrap_err();
    let text = refused.to_string();
    assert!(
        text.contains("more than 8388608 bytes") && text.contains("--memory"),
        "{text}"
    );
    assert_eq!(held(&budget).refused, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_programs_make_room_for_others() {
    // Room for one thread.
    let budget = Budget::new(16 << 20);
    let design = json!({"validate_doc_update": "function () {}"}).to_string();
    let mut all = Vec::new();
    for at in 0..4 {
        let functions = view::Functions::new(
            &format!("_design/{at}"),
            design.clone(),
            ScriptLimits::default(),
            budget.clone(),
        );
        let valid = functions.validate("{}", "null", "{}", "{}").await.unwrap();
        assert_eq!(valid, None);
        all.push(functions);
    }
    let held = held(&budget);
    assert!(
        held.held_bytes <= held.limit_bytes && held.refused == 0,
        "{held:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_needs_more_waits_until_idle_ones_have_gone() {
    // Design documents have a quarter: eight megabytes, of which an idle program holds four.
    let budget = Budget::new(32 << 20);
    let design = json!({"validate_doc_update": "function () {}"}).to_string();
    let idle = view::Functions::new("_design/idle", design, ScriptLimits::default(), budget.clone());
    idle.validate("{}", "null", "{}", "{}").await.unwrap();
    assert!(held(&budget).held_bytes > 0);

    let mut database = Database::new().await;
    database.views = Views::new(Arc::new(Plain), ScriptLimits::default()).within(budget.clone());
    database.put(&[json!({"_id": "a", "n": 4_500})]).await;
    let group = database.group(json!({"all": {"map": HUNGRY}})).await;
    let rows = database.try_rows(&group, "all", Query::default()).await.unwrap();
    assert_eq!(rows[0][1], 4_500);
    assert_eq!(held(&budget).refused, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_that_wait_for_their_readers_leave_room_for_others() {
    let budget = Budget::new(64 << 20);
    let list = "function () { send('head'); while (getRow()) send('row'); }";
    let design =
        json!({"lists": {"all": list}, "shows": {"one": "function () { return 'shown'; }"}}).to_string();
    let functions = view::Functions::new("_design/app", design, ScriptLimits::default(), budget.clone());
    let mut waiting = Vec::new();
    for _ in 0..LISTS_MAX {
        let mut list = functions.list("all", "{}", "{}").await.unwrap();
        assert!(matches!(list.step().await, ListStep::Rows(_)));
        waiting.push(list);
    }
    let shown = tokio::time::timeout(Duration::from_secs(60), functions.show("one", "null", "{}"));
    let shown = shown.await.expect("there is room").unwrap();
    assert!(shown.contains("shown"), "{shown}");
    let held = held(&budget);
    assert!(
        held.held_bytes < held.limit_bytes && held.refused == 0,
        "{held:?}"
    );
    drop(waiting);
}
