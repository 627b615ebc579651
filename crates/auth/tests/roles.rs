//! What roles allow: built-in and user-defined ones, directly and by inheritance.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use auth::{Action, AuthError, BuiltinRole, Privilege, Privileges, Resource, Role, RoleName, Roles};
use code::Code;
use value::{Document, DocumentRef, Value, doc};

fn role(name: &str, database: &str) -> RoleName {
    RoleName::new(name, database)
}

fn privileges(name: &str, database: &str) -> Privileges {
    Roles::default().privileges_of(&[role(name, database)])
}

fn parse(resource: Document, actions: &[&str]) -> Result<Privilege, AuthError> {
    let actions: Value = actions.iter().map(|action| Value::from(*action)).collect();
    let privilege = doc! {"resource": resource, "actions": actions};
    Privilege::parse(DocumentRef::from(&privilege))
}

fn defined(name: RoleName, roles: &[RoleName], own: &[Privilege]) -> Role {
    Role {
        name,
        privileges: own.iter().cloned().collect(),
        roles: roles.to_vec(),
    }
}

#[test]
fn read_reads_its_own_database_only() {
    let read = privileges("read", "shop");
    assert!(read.allows(Action::Find, Resource::Collection("shop", "orders")));
    assert!(!read.allows(Action::Find, Resource::Collection("bank", "orders")));
    assert!(!read.allows(Action::Insert, Resource::Collection("shop", "orders")));
}

#[test]
fn no_reader_sees_the_users() {
    for collection in ["system.users", "system.roles"] {
        let resource = Resource::Collection("admin", collection);
        for (name, database) in [
            ("read", "admin"),
            ("readWriteAnyDatabase", "admin"),
            ("dbOwner", "admin"),
        ] {
            assert!(
                !privileges(name, database).allows(Action::Find, resource),
                "{name}"
            );
        }
        assert!(privileges("root", "admin").allows(Action::Find, resource));
    }
}

#[test]
fn user_admins_manage_users_and_read_nothing() {
    let admin = privileges("userAdmin", "shop");
    assert!(admin.allows(Action::CreateUser, Resource::Database("shop")));
    assert!(admin.allows(Action::CreateRole, Resource::Database("shop")));
    assert!(!admin.allows(Action::CreateUser, Resource::Database("admin")));
    assert!(!admin.allows(Action::Find, Resource::Collection("shop", "orders")));
}

#[test]
fn any_database_roles_exist_in_admin_only() {
    assert!(BuiltinRole::named(&role("readAnyDatabase", "shop")).is_none());
    assert!(
        Roles::default()
            .check(&[role("readAnyDatabase", "shop")])
            .is_err()
    );
    assert!(privileges("readAnyDatabase", "admin").allows(Action::ListDatabases, Resource::Cluster));
    assert!(privileges("readAnyDatabase", "admin").allows(Action::Find, Resource::Collection("shop", "x")));
    assert!(!privileges("read", "admin").allows(Action::ListDatabases, Resource::Cluster));
}

#[test]
fn administrators_of_a_database_read_and_drop_the_profile_and_do_not_write_it() {
    for (name, database) in [
        ("dbAdmin", "shop"),
        ("dbOwner", "shop"),
        ("dbAdminAnyDatabase", "admin"),
    ] {
        let held = privileges(name, database);
        let profile = Resource::Collection("shop", "system.profile");
        assert!(
            held.allows(Action::Find, profile) && held.allows(Action::DropCollection, profile),
            "{name}"
        );
        assert!(
            !held.allows(Action::Insert, profile) && !held.allows(Action::Remove, profile),
            "{name}"
        );
    }
    let reader = privileges("readWrite", "shop");
    assert!(!reader.allows(Action::Find, Resource::Collection("shop", "system.profile")));
}

#[test]
fn roles_on_databases_reach_no_users_and_no_replications_of_couchdb() {
    for collection in ["_users", "_replicator"] {
        for (name, database) in [
            ("readWrite", "default"),
            ("dbOwner", "default"),
            ("readWriteAnyDatabase", "admin"),
            ("dbAdminAnyDatabase", "admin"),
        ] {
            let held = privileges(name, database);
            for action in [
                Action::Find,
                Action::Insert,
                Action::Update,
                Action::RenameCollectionSameDb,
            ] {
                let resource = Resource::Collection("default", collection);
                assert!(!held.allows(action, resource), "{name} {action:?} {collection}");
            }
        }
        for (name, action) in [
            ("root", Action::Insert),
            ("backup", Action::Find),
            ("restore", Action::Insert),
        ] {
            let resource = Resource::Collection("fleet", collection);
            assert!(privileges(name, "admin").allows(action, resource), "{name}");
        }
    }
}

#[test]
fn scopes_hold_where_mongodb_says() {
    let (shop, orders) = (Resource::Database("shop"), Resource::Collection("shop", "orders"));
    let (users, buckets) = (
        Resource::Collection("shop", "system.users"),
        Resource::Collection("shop", "system.buckets.orders"),
    );
    // For each: the server, the database, an ordinary collection, one of the server's own, buckets.
    let table: [(Document, [bool; 5]); 9] = [
        (doc! {"anyResource": true}, [true; 5]),
        (doc! {"cluster": true}, [true, false, false, false, false]),
        (
            doc! {"db": "", "collection": ""},
            [false, true, true, false, false],
        ),
        (
            doc! {"db": "shop", "collection": ""},
            [false, true, true, false, false],
        ),
        (doc! {"db": "bank", "collection": ""}, [false; 5]),
        (
            doc! {"db": "shop", "collection": "orders"},
            [false, false, true, false, false],
        ),
        (
            doc! {"db": "", "collection": "orders"},
            [false, false, true, false, false],
        ),
        (
            doc! {"db": "shop", "collection": "system.users"},
            [false, false, false, true, false],
        ),
        (
            doc! {"db": "shop", "system_buckets": "orders"},
            [false, false, false, false, true],
        ),
    ];
    for (resource, expected) in table {
        let privilege = parse(resource.clone(), &["find"]).unwrap();
        let on = [Resource::Cluster, shop, orders, users, buckets];
        assert_eq!(
            on.map(|on| privilege.allows(Action::Find, on)),
            expected,
            "{resource:?}"
        );
        assert!(!privilege.allows(Action::Insert, orders), "{resource:?}");
    }
}

#[test]
fn privileges_of_another_form_are_refused() {
    let good = || doc! {"db": "shop", "collection": ""};
    for (resource, actions) in [
        (doc! {}, &["find"][..]),
        (doc! {"db": "shop"}, &["find"]),
        (doc! {"cluster": false}, &["find"]),
        (doc! {"cluster": true, "db": "a", "collection": ""}, &["find"]),
        (doc! {"cluster": true, "anyResource": true}, &["find"]),
        (
            doc! {"db": "a", "collection": "b", "system_buckets": "c"},
            &["find"],
        ),
        (doc! {"collection": "b"}, &["find"]),
        (doc! {"db": "a", "collection": "$b"}, &["find"]),
        (good(), &[]),
        (good(), &["find", "fly"]),
    ] {
        assert!(
            matches!(parse(resource.clone(), actions), Err(AuthError::Privilege(_))),
            "{resource:?} {actions:?}"
        );
    }
    assert!(parse(good(), &["find", "anyAction"]).is_ok());
    assert!(parse(good().with("more", 1), &["find"]).is_ok());
    assert!(parse(doc! {"anyResource": 1}, &["find"]).is_ok());
}

#[test]
fn parts_of_privileges_are_there_and_of_their_types() {
    let code = |privilege: Document| {
        let parsed = Privilege::parse(DocumentRef::from(&privilege));
        parsed.unwrap_err().code()
    };
    let everything = || doc! {"anyResource": true};
    assert_eq!(code(doc! {"actions": ["find"]}), Code::MISSING_FIELD);
    assert_eq!(code(doc! {"resource": everything()}), Code::MISSING_FIELD);
    assert_eq!(
        code(doc! {"resource": "a", "actions": ["find"]}),
        Code::TYPE_MISMATCH
    );
    assert_eq!(
        code(doc! {"resource": everything(), "actions": [1]}),
        Code::TYPE_MISMATCH
    );
    let unnamed = doc! {"db": 1, "collection": ""};
    assert_eq!(
        code(doc! {"resource": unnamed, "actions": ["find"]}),
        Code::TYPE_MISMATCH
    );
    let unknown = doc! {"resource": everything(), "actions": ["fly"]};
    assert_eq!(code(unknown), Code::BAD_VALUE);
}

#[test]
fn a_role_survives_its_stored_form() {
    let own = [
        parse(doc! {"db": "shop", "collection": "orders"}, &["find", "update"]).unwrap(),
        parse(doc! {"cluster": true}, &["inprog"]).unwrap(),
        parse(doc! {"db": "", "system_buckets": ""}, &["find"]).unwrap(),
    ];
    let made = defined(role("clerk", "admin"), &[role("read", "shop")], &own);
    assert_eq!(Role::from_document((&made.to_document()).into()).unwrap(), made);
}

#[test]
fn inherited_rights_count_and_circles_are_refused() {
    let find = parse(doc! {"db": "shop", "collection": "orders"}, &["find"]).unwrap();
    let mut roles = Roles::default();
    let (a, b, c) = (role("a", "admin"), role("b", "admin"), role("c", "admin"));
    roles.put(defined(a.clone(), &[role("read", "bank")], &[find]));
    roles.put(defined(b.clone(), std::slice::from_ref(&a), &[]));
    let outer = defined(c.clone(), std::slice::from_ref(&b), &[]);
    roles.check_circle(&outer).unwrap();
    roles.put(outer);
    let held = roles.privileges_of(std::slice::from_ref(&c));
    assert!(held.allows(Action::Find, Resource::Collection("shop", "orders")));
    assert!(held.allows(Action::Find, Resource::Collection("bank", "anything")));
    assert!(!held.allows(Action::Find, Resource::Collection("shop", "others")));
    for inherited in [&a, &c] {
        let circle = defined(a.clone(), std::slice::from_ref(inherited), &[]);
        assert!(matches!(
            roles.check_circle(&circle),
            Err(AuthError::RoleModification(_))
        ));
    }
    // If a circle is stored nevertheless, looking up its rights ends.
    roles.put(defined(a, &[c], &[]));
    assert_eq!(roles.with_inherited(&[b]).len(), 3);
}

#[test]
fn roles_of_a_database_do_not_reach_beyond_it() {
    let there = parse(doc! {"db": "bank", "collection": ""}, &["find"]).unwrap();
    let cluster = parse(doc! {"cluster": true}, &["inprog"]).unwrap();
    let anywhere = parse(doc! {"db": "", "collection": "orders"}, &["find"]).unwrap();
    for own in [there, cluster, anywhere] {
        assert!(
            defined(role("r", "shop"), &[], std::slice::from_ref(&own))
                .check_reach()
                .is_err()
        );
        assert!(defined(role("r", "admin"), &[], &[own]).check_reach().is_ok());
    }
    assert!(
        defined(role("r", "shop"), &[role("read", "bank")], &[])
            .check_reach()
            .is_err()
    );
}

#[test]
fn granting_adds_to_the_same_scope_and_revoking_takes_away() {
    let on = |actions: &[&str]| parse(doc! {"db": "shop", "collection": ""}, actions).unwrap();
    let mut held = Privileges::default();
    held.add(on(&["find"]));
    held.add(on(&["insert"]));
    assert_eq!(held.iter().count(), 1);
    held.remove(&on(&["find", "update"]));
    assert!(held.allows(Action::Insert, Resource::Database("shop")));
    assert!(!held.allows(Action::Find, Resource::Database("shop")));
    held.remove(&on(&["insert"]));
    assert_eq!(held.iter().count(), 0);
}

#[test]
fn actions_are_known_by_their_names() {
    for action in Action::ALL {
        assert_eq!(Action::parse(action.name()), Some(*action));
    }
}

#[test]
fn any_right_within_a_database_tells_that_it_exists() {
    let on = |resource: Document| -> Privileges {
        [parse(resource, &["listIndexes"]).unwrap()].into_iter().collect()
    };
    for (resource, shop, bank) in [
        (doc! {"db": "shop", "collection": "orders"}, true, false),
        (doc! {"db": "shop", "collection": ""}, true, false),
        (doc! {"db": "", "collection": "orders"}, true, true),
        (doc! {"db": "shop", "system_buckets": "orders"}, true, false),
        (doc! {"anyResource": true}, true, true),
        (doc! {"cluster": true}, false, false),
    ] {
        let held = on(resource.clone());
        assert_eq!(held.reaches("shop"), shop, "{resource:?}");
        assert_eq!(held.reaches("bank"), bank, "{resource:?}");
    }
    let held = on(doc! {"db": "shop", "collection": "orders"});
    assert!(held.allows_any(Resource::Collection("shop", "orders")));
    assert!(!held.allows_any(Resource::Collection("shop", "others")));
}

#[test]
fn all_databases_are_more_than_one() {
    let all = Resource::Database("");
    assert!(privileges("userAdminAnyDatabase", "admin").allows(Action::RevokeRole, all));
    assert!(privileges("root", "admin").allows(Action::RevokeRole, all));
    for database in ["shop", "admin"] {
        assert!(!privileges("userAdmin", database).allows(Action::RevokeRole, all));
    }
}
