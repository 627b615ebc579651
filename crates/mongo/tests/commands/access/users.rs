//! Users who administer others, what they may see, and logging in again.

use super::{Guarded, OK, REFUSED, ROOT, Right, TRIED, check, code_of, done};
use value::{Document, Value, array, doc};

#[test]
fn the_names_of_what_one_may_use_are_told() {
    let mut guarded = Guarded::start();
    let own_names = doc! {"listCollections": 1, "nameOnly": true, "authorizedCollections": true};
    let names = |reply: &Document| -> Vec<String> {
        let cursor = reply.get("cursor").and_then(Value::as_document);
        let (batch, databases) = (
            cursor.and_then(|cursor| cursor.get("firstBatch")),
            reply.get("databases"),
        );
        let Some(Value::Array(listed)) = batch.or(databases) else {
            panic!("{reply:?}");
        };
        let name = |entry: &Value| entry.as_document()?.get("name")?.as_str().map(str::to_owned);
        listed.iter().filter_map(name).collect()
    };
    guarded.allow(&[]);
    assert_eq!(guarded.tried(&own_names).0, REFUSED);
    assert_eq!(names(&guarded.tried(&doc! {"listDatabases": 1}).1), [""; 0]);
    guarded.allow(&[("test", "a", &["insert"])]);
    assert_eq!(names(&guarded.tried(&own_names).1), ["a"]);
    assert_eq!(names(&guarded.tried(&doc! {"listDatabases": 1}).1), ["test"]);
    assert_eq!(
        guarded.tried(&doc! {"listCollections": 1, "nameOnly": true}).0,
        REFUSED
    );
    assert_eq!(
        guarded
            .tried(&doc! {"listCollections": 1, "authorizedCollections": true})
            .0,
        REFUSED
    );
    guarded.allow(&[("test", "", &["listCollections"])]);
    assert_eq!(
        names(&guarded.tried(&doc! {"listCollections": 1}).1),
        ["a", "secret"]
    );
}

#[test]
fn whoever_manages_users_of_one_database_gives_no_rights_in_others() {
    let manager: &[Right<'_>] = &[(
        "test",
        "",
        &[
            "createUser",
            "grantRole",
            "revokeRole",
            "createRole",
            "changePassword",
        ],
    )];
    let everywhere: &[Right<'_>] = &[("test", "", &["grantRole"]), ("", "", &["revokeRole"])];
    let root = || Value::Array(array![{"role": "root", "db": "admin"}]);
    check(&[
        (
            manager,
            doc! {"createUser": "u", "pwd": "p", "roles": ["read"]},
            OK,
        ),
        (
            manager,
            doc! {"createUser": "v", "pwd": "p", "roles": root()},
            REFUSED,
        ),
        (
            manager,
            doc! {"createUser": "v", "pwd": "p", "roles": [], "authenticationRestrictions": []},
            REFUSED,
        ),
        (manager, doc! {"updateUser": "u", "roles": root()}, REFUSED),
        (manager, doc! {"updateUser": "u", "roles": ["readWrite"]}, REFUSED),
        (
            manager,
            doc! {"updateUser": "u", "mechanisms": ["SCRAM-SHA-256"]},
            OK,
        ),
        (
            &[("test", "", &["grantRole", "revokeRole"])],
            doc! {"updateUser": "u", "mechanisms": ["SCRAM-SHA-256"]},
            REFUSED,
        ),
        (everywhere, doc! {"updateUser": "u", "roles": root()}, REFUSED),
        (everywhere, doc! {"updateUser": "u", "roles": ["readWrite"]}, OK),
        (
            manager,
            doc! {"createRole": "r", "privileges": [], "roles": []},
            OK,
        ),
        (manager, doc! {"updateRole": "r", "roles": []}, REFUSED),
        (everywhere, doc! {"updateRole": "r", "roles": ["read"]}, OK),
        (&[("test", "", &["viewUser"])], doc! {"usersInfo": 1}, OK),
        (
            &[("test", "", &["viewUser"])],
            doc! {"usersInfo": {"forAllDBs": true}},
            REFUSED,
        ),
        (
            &[("", "", &["viewUser"])],
            doc! {"usersInfo": {"forAllDBs": true}},
            OK,
        ),
        (
            &[("test", "a", &["planCacheWrite"])],
            doc! {"planCacheSetFilter": "a", "query": {"x": 1}, "indexes": ["_id_"]},
            REFUSED,
        ),
        (
            &[("test", "a", &["planCacheIndexFilter"])],
            doc! {"planCacheSetFilter": "a", "query": {"x": 1}, "indexes": ["_id_"]},
            OK,
        ),
        (&[], doc! {"killOp": 1, "op": 123_456_789}, REFUSED),
        (
            &[("", "$server", &["killop"])],
            doc! {"killOp": 1, "op": 123_456_789},
            OK,
        ),
    ]);
}

#[test]
fn one_user_logs_in_on_a_connection_as_often_as_it_likes() {
    let mut guarded = Guarded::start();
    let again = guarded.tried.log_in("admin", TRIED.0, TRIED.1);
    assert_eq!(again.get("done"), Some(&Value::Bool(true)), "{again:?}");
    let other = guarded.tried.log_in("admin", ROOT.0, ROOT.1);
    assert_eq!(code_of(&other), 18, "{other:?}");
    let status = guarded.tried.run("admin", &doc! {"connectionStatus": 1});
    let users = status
        .get("authInfo")
        .and_then(Value::as_document)
        .and_then(|info| info.get("authenticatedUsers"));
    assert_eq!(
        users,
        Some(&Value::Array(array![{"user": TRIED.0, "db": "admin"}]))
    );
}

#[test]
fn a_view_shows_readers_what_their_roles_are_named_by() {
    let mut guarded = Guarded::start();
    let ids = |reply: &Document| -> Vec<Value> {
        let cursor = reply.get("cursor").and_then(Value::as_document);
        match cursor.and_then(|cursor| cursor.get("firstBatch")) {
            Some(Value::Array(documents)) => {
                let id = |document: &Value| document.as_document()?.get("_id").cloned();
                documents.iter().filter_map(id).collect()
            }
            _ => panic!("{reply:?}"),
        }
    };
    let own = doc! {"$match": {"$expr": {"$in": ["$for", "$$USER_ROLES.role"]}}};
    for (database, request) in [
        (
            "test",
            doc! {"insert": "a", "documents": [{"_id": 2, "for": "few"}, {"_id": 3, "for": "root"}]},
        ),
        ("test", doc! {"create": "own", "viewOn": "a", "pipeline": [own]}),
        (
            "test",
            doc! {"update": "a", "updates": [{"q": {"_id": 1}, "u": [{"$set": {"by": "$$USER_ROLES._id"}}]}]},
        ),
    ] {
        done(&mut guarded.root, database, request);
    }
    guarded.allow(&[("test", "own", &["find"])]);
    assert_eq!(ids(&guarded.tried(&doc! {"find": "own"}).1), array![2]);
    assert_eq!(ids(&guarded.root.run("test", &doc! {"find": "own"})), array![3]);
    let changed = doc! {"find": "a", "filter": {"by": "admin.root"}};
    assert_eq!(ids(&guarded.root.run("test", &changed)), array![1]);
    let refused = doc! {"create": "checked", "validator": {"$expr": {"$in": ["few", "$$USER_ROLES.role"]}}};
    assert_eq!(code_of(&guarded.root.run("test", &refused)), 224);
}
