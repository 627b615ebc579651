//! Users and roles, and what the first user changes: from then on everybody has to log in.

use crate::blanks::{LOGIN, bytes};
use crate::case::{Case, bad, good, run};
use value::{Value, array, doc};

#[test]
fn commands_for_users_get_mongodbs_answers() {
    run(&cases());
}

pub fn cases() -> Vec<Case> {
    let mut cases = without_users();
    cases.extend(first_user());
    cases.extend(credentials());
    cases.extend(shown());
    cases.extend(with_users());
    cases
}

fn without_users() -> Vec<Case> {
    vec![
        good(
            doc! {"rolesInfo": "readWrite"},
            doc! {"roles": [{"role": "readWrite", "db": "test", "isBuiltin": true}]},
        ),
        good(
            doc! {"rolesInfo": "read", "showAuthenticationRestrictions": 1},
            doc! {"roles": [{"role": "read", "authenticationRestrictions": Value::Array(array![]),
            "inheritedAuthenticationRestrictions": Value::Array(array![])}]},
        ),
        good(
            doc! {"rolesInfo": ["read", "dbAdmin"], "showPrivileges": "asUserFragment"},
            doc! {"userFragment": {"roles": [{"role": "read", "db": "test"}, {"role": "dbAdmin", "db": "test"}]}},
        )
        .without("roles"),
        bad(
            doc! {"rolesInfo": 1, "showPrivileges": "asUserFragment"},
            20,
            "for all roles in a database",
        ),
        bad(
            doc! {"rolesInfo": "read", "showPrivileges": "all"},
            2,
            "'asUserFragment'",
        ),
        bad(doc! {"rolesInfo": {"role": "read"}}, 2, "field named: db"),
        good(
            doc! {"rolesInfo": {"role": "read", "db": "test", "more": 1}},
            doc! {"roles": [{"role": "read"}]},
        ),
        bad(
            doc! {"rolesInfo": {"role": 1, "db": "test"}},
            2,
            "a string field named: role",
        ),
        good(doc! {"usersInfo": 1}, doc! {"users": Value::Array(array![])}),
        bad(doc! {"usersInfo": {"user": "u"}}, 2, "field named: db"),
        bad(
            doc! {"usersInfo": {"user": "u", "db": "test", "more": 1}},
            2,
            "unknown field named: 'more'",
        ),
        good(
            doc! {"usersInfo": "u", "authenticatedMechanism": "SCRAM-SHA-1"},
            doc! {"users": Value::Array(array![])},
        ),
        bad(
            doc! {"usersInfo": "u", "authenticatedMechanism": "by hand"},
            2,
            "by hand",
        ),
        good(doc! {"invalidateUserCache": 1}, doc! {}),
        bad(
            doc! {"invalidateUserCache": 1, "no": 1},
            40_415,
            "is an unknown field",
        ),
        bad(
            doc! {"createUser": "u", "pwd": "p"},
            40_414,
            "'createUser.roles' is missing",
        ),
        bad(doc! {"createUser": "u", "pwd": "p", "roles": ["no"]}, 31, "no"),
        bad(doc! {"createUser": "u", "roles": ["no"]}, 2, "'pwd'"),
        bad(
            doc! {"createUser": "u", "pwd": "p", "roles": [1]},
            2,
            "either a string or an object",
        ),
        good(doc! {"insert": "c", "documents": [{}]}, doc! {"n": 1}),
    ]
}

fn first_user() -> Vec<Case> {
    vec![
        good(
            doc! {"createUser": LOGIN.0, "pwd": LOGIN.1, "roles": ["root"]},
            doc! {},
        )
        .of("admin"),
        bad(doc! {"find": "c"}, 13, "requires authentication"),
        good(doc! {"ping": 1}, doc! {}),
        good(
            doc! {
                "saslStart": 1,
                "mechanism": "SCRAM-SHA-256",
                "payload": "<first>",
                "options": {"skipEmptyExchange": true},
            },
            doc! {"conversationId": 1, "done": false},
        )
        .of("admin"),
        good(
            doc! {"saslContinue": 1, "conversationId": 1, "payload": "<proof>"},
            doc! {"done": true},
        )
        .of("admin"),
        good(doc! {"find": "c"}, doc! {}),
        good(
            doc! {"connectionStatus": 1},
            doc! {"authInfo": {"authenticatedUsers": [{"user": "keeper", "db": "admin"}]}},
        ),
    ]
}

fn credentials() -> Vec<Case> {
    let mechanisms = |names: &[&str]| {
        let names: Value = names.iter().map(|name| Value::from(*name)).collect();
        good(
            doc! {"usersInfo": "d"},
            doc! {"users": [{"user": "d", "mechanisms": names}]},
        )
    };
    // A driver that knows only the name begins with a mechanism that the user may not have.
    let guess = |mechanism: &str| {
        let start =
            doc! {"saslStart": 1, "mechanism": mechanism, "payload": bytes(b"n,,n=d,r=abc"), "db": "test"};
        good(doc! {"hello": 1, "speculativeAuthenticate": start}, doc! {})
    };
    let (sha1, sha256) = ("SCRAM-SHA-1", "SCRAM-SHA-256");
    vec![
        bad(
            doc! {"createUser": "d", "pwd": "p", "roles": [], "digestPassword": false},
            2,
            "SCRAM-SHA-256 requires undigested passwords",
        ),
        good(
            doc! {"createUser": "d", "pwd": "0123456789abcdef", "roles": ["read", "read"], "digestPassword": false,
            "mechanisms": [sha1, sha1]},
            doc! {},
        ),
        mechanisms(&[sha1]),
        good(
            doc! {"usersInfo": "d"},
            doc! {"users": [{"user": "d", "roles": [{"role": "read", "db": "test"}]}]},
        ),
        bad(
            doc! {"updateUser": "d", "mechanisms": [sha256]},
            2,
            "must be a subset",
        ),
        good(doc! {"updateUser": "d", "pwd": "q"}, doc! {}),
        mechanisms(&[sha1, sha256]),
        bad(
            doc! {"updateUser": "d", "pwd": "q", "digestPassword": false},
            2,
            "SCRAM-SHA-256 requires undigested passwords",
        ),
        good(
            doc! {"updateUser": "d", "pwd": "q", "digestPassword": false, "mechanisms": [sha1]},
            doc! {},
        ),
        mechanisms(&[sha1]),
        guess(sha1).with("speculativeAuthenticate"),
        guess(sha256).without("speculativeAuthenticate"),
        bad(
            doc! {"updateUser": "d", "pwd": "q", "digestPassword": "1"},
            14,
            "wrong type",
        ),
        good(doc! {"updateUser": "d", "pwd": "q", "digestPassword": 1}, doc! {}),
        good(
            doc! {"updateUser": "d", "authenticationRestrictions": Value::Array(array![])},
            doc! {},
        ),
        bad(
            doc! {"updateUser": "d", "authenticationRestrictions": [{"clientSource": ["127.0.0.1"]}]},
            238,
            "not supported yet",
        ),
        bad(
            doc! {"createUser": "d", "pwd": "p", "roles": []},
            2,
            "local database",
        )
        .of("local"),
        bad(doc! {"createUser": "d\0e", "pwd": "p", "roles": []}, 2, "NULL"),
        good(doc! {"createUser": "CN=d", "roles": []}, doc! {}).of("$external"),
        good(
            doc! {"usersInfo": "CN=d"},
            doc! {"users": [{"user": "CN=d", "mechanisms": ["external"]}]},
        )
        .of("$external"),
        good(doc! {"dropUser": "CN=d"}, doc! {}).of("$external"),
        bad(
            doc! {"grantRolesToUser": "d", "roles": []},
            2,
            "grantRolesToUser command requires a non-empty \"roles\" array",
        ),
        bad(doc! {"revokeRolesFromUser": "d", "roles": []}, 2, "non-empty"),
    ]
}

fn shown() -> Vec<Case> {
    let none = || Value::Array(array![]);
    let named = |wanted: Value, names: &[&str]| {
        let users: Value = names
            .iter()
            .map(|name| Value::from(doc! {"user": *name}))
            .collect();
        good(doc! {"usersInfo": wanted}, doc! {"users": users})
    };
    vec![
        good(
            doc! {"createUser": "b", "pwd": "p", "roles": ["read"], "customData": {"n": 1}},
            doc! {},
        ),
        named(Value::from(1), &["b", "d"]),
        named(Value::from(1.5), &["b", "d"]),
        named(Value::Array(array!["d", "b", "d", "none"]), &["b", "d"]),
        named(Value::from(doc! {"forAllDBs": true}), &["b", "d", LOGIN.0]),
        good(
            doc! {"usersInfo": 1, "filter": {"customData.n": 1}},
            doc! {"users": [{"user": "b"}]},
        ),
        good(
            doc! {"usersInfo": 1, "showCustomData": false, "filter": {"customData.n": 1}},
            doc! {"users": none()},
        ),
        good(
            doc! {"usersInfo": ["d", "d"], "showAuthenticationRestrictions": true},
            doc! {"users": [{"user": "d", "inheritedRoles": [{"role": "read", "db": "test"}],
            "inheritedAuthenticationRestrictions": none(), "authenticationRestrictions": none()}, {"user": "d"}]},
        ),
        bad(doc! {"usersInfo": 1, "showPrivileges": true}, 20, "exact-match"),
        bad(
            doc! {"usersInfo": 1, "showAuthenticationRestrictions": true},
            20,
            "exact-match",
        ),
        bad(
            doc! {"usersInfo": {"forAllDBs": 1}, "showPrivileges": true},
            20,
            "exact-match",
        ),
        bad(
            doc! {"usersInfo": "d", "showPrivileges": true, "filter": {}},
            20,
            "exact-match",
        ),
        bad(doc! {"usersInfo": 2}, 2, "a string or an object"),
        bad(doc! {"usersInfo": 0}, 2, "a string or an object"),
        bad(
            doc! {"usersInfo": {"forAllDBs": false}},
            2,
            "unknown field named: 'forAllDBs'",
        ),
        bad(doc! {"rolesInfo": 2}, 2, "a string or an object"),
        good(doc! {"dropUser": "b"}, doc! {}),
        good(doc! {"dropUser": "d"}, doc! {}),
    ]
}

fn with_users() -> Vec<Case> {
    let roles_of_u = |roles: Value| {
        good(
            doc! {"usersInfo": "u"},
            doc! {"users": [{"user": "u", "roles": roles}]},
        )
    };
    let role = |name: &str| doc! {"role": name, "db": "test"};
    let of = |names: &[&str]| {
        names
            .iter()
            .map(|name| Value::Document(role(name)))
            .collect::<Value>()
    };
    vec![
        good(doc! {"createUser": "u", "pwd": "p", "roles": ["read"]}, doc! {}),
        bad(
            doc! {"createUser": "u", "pwd": "p", "roles": []},
            51_003,
            "already exists",
        ),
        good(doc! {"grantRolesToUser": "u", "roles": ["dbAdmin"]}, doc! {}),
        roles_of_u(of(&["read", "dbAdmin"])),
        bad(
            doc! {"grantRolesToUser": "v", "roles": ["read"]},
            11,
            "Could not find user",
        ),
        good(doc! {"revokeRolesFromUser": "u", "roles": ["read"]}, doc! {}),
        roles_of_u(of(&["dbAdmin"])),
        bad(
            doc! {"revokeRolesFromUser": "v", "roles": ["read"]},
            11,
            "Could not find user",
        ),
        good(
            doc! {"updateUser": "u", "roles": ["readWrite"], "customData": {"a": 1}},
            doc! {},
        ),
        roles_of_u(of(&["readWrite"])),
        bad(doc! {"updateUser": "u"}, 2, "at least one field"),
        bad(
            doc! {"updateUser": "v", "pwd": "p"},
            11,
            "Could not find user \"v\" for db \"test\"",
        ),
        good(doc! {"dropUser": "u"}, doc! {}),
        bad(doc! {"dropUser": "u"}, 11, "Could not find user"),
        // Users whose documents are deleted are gone, and no others.
        good(doc! {"createUser": "u", "pwd": "p", "roles": ["read"]}, doc! {}),
        good(doc! {"createUser": "v", "pwd": "p", "roles": ["read"]}, doc! {}),
        good(
            doc! {"delete": "system.users", "deletes": [{"q": {"user": "u"}, "limit": 0}]},
            doc! {"n": 1},
        )
        .of("admin"),
        good(doc! {"usersInfo": 1}, doc! {"users": [{"user": "v"}]}),
        bad(doc! {"dropUser": "u"}, 11, "Could not find user"),
        good(doc! {"createUser": "u", "pwd": "p", "roles": []}, doc! {}),
        good(doc! {"dropAllUsersFromDatabase": 1}, doc! {"n": 2}),
        good(doc! {"createUser": "w", "pwd": "p", "roles": []}, doc! {}),
        good(doc! {"dropAllUsersFromDatabase": 1}, doc! {"n": 1}),
        bad(
            doc! {"dropAllUsersFromDatabase": 1, "no": 1},
            40_415,
            "is an unknown field",
        ),
        good(doc! {"logout": 1}, doc! {}),
        bad(doc! {"find": "c"}, 13, "requires authentication"),
    ]
}
