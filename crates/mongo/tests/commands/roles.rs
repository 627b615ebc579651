//! User-defined roles, and what they inherit.

use crate::case::{Case, bad, good, run};
use value::{Document, Value, array, doc};

#[test]
fn commands_for_roles_get_mongodbs_answers() {
    run(&cases());
}

pub fn cases() -> Vec<Case> {
    let on = |actions: &[&str]| -> Document {
        let actions: Value = actions.iter().map(|action| Value::from(*action)).collect();
        doc! {"resource": {"db": "test", "collection": "c"}, "actions": actions}
    };
    let defined = |privileges: Value, roles: Value| {
        good(
            doc! {"rolesInfo": "reader", "showPrivileges": true},
            doc! {"roles": [{"role": "reader", "isBuiltin": false, "privileges": privileges, "roles": roles}]},
        )
    };
    let none = || Value::Array(array![]);
    let read = || Value::Array(array![{"role": "read", "db": "test"}]);
    vec![
        good(
            doc! {"createRole": "reader", "privileges": [on(&["find"])], "roles": []},
            doc! {},
        ),
        defined(Value::Array(array![on(&["find"])]), none()),
        bad(
            doc! {"createRole": "reader", "privileges": [], "roles": []},
            51_002,
            "already exists",
        ),
        bad(
            doc! {"createRole": "other", "privileges": []},
            40_414,
            "'createRole.roles' is missing",
        ),
        good(
            doc! {"grantPrivilegesToRole": "reader", "privileges": [on(&["insert"])]},
            doc! {},
        ),
        defined(Value::Array(array![on(&["find", "insert"])]), none()),
        bad(
            doc! {"grantPrivilegesToRole": "none", "privileges": [on(&["insert"])]},
            31,
            "none",
        ),
        good(
            doc! {"revokePrivilegesFromRole": "reader", "privileges": [on(&["find"])]},
            doc! {},
        ),
        defined(Value::Array(array![on(&["insert"])]), none()),
        bad(
            doc! {"revokePrivilegesFromRole": "reader", "privileges": []},
            2,
            "at least one privilege",
        ),
        good(doc! {"grantRolesToRole": "reader", "roles": ["read"]}, doc! {}),
        defined(Value::Array(array![on(&["insert"])]), read()),
        bad(
            doc! {"grantRolesToRole": "reader", "roles": ["nothing"]},
            31,
            "nothing",
        ),
        good(
            doc! {"updateRole": "reader", "privileges": [on(&["remove"])]},
            doc! {},
        ),
        defined(Value::Array(array![on(&["remove"])]), read()),
        bad(doc! {"updateRole": "reader"}, 2, "at least one field"),
        good(doc! {"revokeRolesFromRole": "reader", "roles": ["read"]}, doc! {}),
        defined(Value::Array(array![on(&["remove"])]), none()),
        bad(
            doc! {"revokeRolesFromRole": "read", "roles": ["read"]},
            2,
            "is a built-in role",
        ),
        bad(doc! {"dropRole": "read"}, 2, "is a built-in role"),
        bad(
            doc! {"createRole": "self", "privileges": [], "roles": ["self"]},
            49,
            "cycle",
        ),
        bad(doc! {"updateRole": "read", "roles": []}, 31, "not found"),
        good(
            doc! {"revokeRolesFromRole": "reader", "roles": ["nothing"]},
            doc! {},
        ),
        bad(
            doc! {"grantPrivilegesToRole": "reader", "privileges": [on(&["fly"])]},
            2,
            "Unknown action type in privilege set: 'fly'",
        ),
        good(doc! {"dropRole": "reader"}, doc! {}),
        bad(doc! {"dropRole": "reader"}, 31, "reader"),
        good(
            doc! {"createRole": "writer", "privileges": [], "roles": ["readWrite"]},
            doc! {},
        ),
        good(doc! {"dropAllRolesFromDatabase": 1}, doc! {"n": 1}),
        bad(
            doc! {"dropAllRolesFromDatabase": 1, "no": 1},
            40_415,
            "is an unknown field",
        ),
    ]
}
