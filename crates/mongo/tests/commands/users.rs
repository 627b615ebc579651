//! Users and roles, and what the first user changes: from then on one has to log in.

use crate::blanks::LOGIN;
use crate::case::{Case, bad, good, run};
use value::{Value, array, doc};

#[test]
fn users() {
    run(&cases());
}

pub fn cases() -> Vec<Case> {
    let mut cases = without_users();
    cases.extend(first_user());
    cases.extend(with_users());
    cases
}

fn without_users() -> Vec<Case> {
    vec![
        good(
            doc! {"rolesInfo": "readWrite"},
            doc! {"roles": [{"role": "readWrite", "db": "test", "isBuiltin": true}]},
        ),
        bad(doc! {"rolesInfo": {"role": "read"}}, 40_414, "db' is missing"),
        good(doc! {"usersInfo": 1}, doc! {"users": Value::Array(array![])}),
        bad(doc! {"usersInfo": {"user": "u"}}, 40_414, "db' is missing"),
        bad(
            doc! {"createUser": "u", "pwd": "p"},
            40_414,
            "'createUser.roles' is missing",
        ),
        bad(doc! {"createUser": "u", "pwd": "p", "roles": ["no"]}, 31, "no"),
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
