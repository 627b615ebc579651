//! User-defined roles in the engine: they are durable, cannot inherit in a circle, and a dropped role is taken from everybody
//! who had it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use auth::{Action, Mechanism, Privilege, Resource, Role, RoleName, Scope, User};
use code::Code;
use engine::Engine;
use kv::{Kv, Simulation};

fn name(name: &str) -> RoleName {
    RoleName::new(name, "shop")
}

fn role(called: &str, roles: &[&str]) -> Role {
    let own = Privilege::new(Scope::collection("shop", called), [Action::Find]);
    Role {
        name: name(called),
        privileges: [own].into_iter().collect(),
        roles: roles.iter().map(|inherited| name(inherited)).collect(),
    }
}

fn user(called: &str, roles: Vec<RoleName>) -> User {
    User {
        database: "shop".to_owned(),
        name: called.to_owned(),
        uuid: [7; 16],
        credentials: User::derive_credentials(called, "p", &[Mechanism::ScramSha1]).unwrap(),
        roles,
        custom_data: None,
    }
}

fn may_find(engine: &Engine, collection: &str) -> bool {
    let user = engine.user("shop", "ada").unwrap();
    let resource = Resource::Collection("shop", collection);
    engine.privileges(&user).allows(Action::Find, resource)
}

#[tokio::test]
async fn roles_outlive_the_process_and_are_inherited() {
    let simulation = Simulation::new(1);
    let engine = Engine::on(Kv::simulated(&simulation)).await.unwrap();
    engine
        .create_user(user("root", vec![RoleName::root()]))
        .await
        .unwrap();
    engine.create_role(role("inner", &[])).await.unwrap();
    engine.create_role(role("outer", &["inner"])).await.unwrap();
    engine
        .create_user(user("ada", vec![name("outer")]))
        .await
        .unwrap();
    let engine = Engine::on(Kv::simulated(&simulation)).await.unwrap();
    assert!(may_find(&engine, "inner") && may_find(&engine, "outer") && !may_find(&engine, "other"));
    engine.drop_role(&name("inner")).await.unwrap();
    assert!(!may_find(&engine, "inner") && may_find(&engine, "outer"));
    let engine = Engine::on(Kv::simulated(&simulation)).await.unwrap();
    assert!(!may_find(&engine, "inner") && may_find(&engine, "outer"));
    assert_eq!(engine.drop_roles("shop").await.unwrap(), 1);
    assert!(engine.user("shop", "ada").unwrap().roles.is_empty());
}

#[tokio::test]
async fn impossible_roles_are_refused() {
    let engine = support::new_engine().await;
    engine.create_role(role("a", &[])).await.unwrap();
    engine.create_role(role("b", &["a"])).await.unwrap();
    let code = |made: engine::Result<()>| made.unwrap_err().code;
    assert_eq!(
        code(engine.create_role(role("a", &[])).await),
        Code::location(51_002)
    );
    assert_eq!(code(engine.create_role(role("read", &[])).await), Code::BAD_VALUE);
    assert_eq!(
        code(engine.create_role(role("c", &["missing"])).await),
        Code::ROLE_NOT_FOUND
    );
    let circle = engine
        .change_role(&name("a"), |role| role.roles.push(name("b")))
        .await;
    assert_eq!(code(circle), Code::INVALID_ROLE_MODIFICATION);
    let a = name("a");
    let elsewhere = engine.change_role(&a, |role| role.roles.push(RoleName::new("read", "bank")));
    assert_eq!(code(elsewhere.await), Code::INVALID_ROLE_MODIFICATION);
    assert_eq!(code(engine.drop_role(&name("read")).await), Code::BAD_VALUE);
    assert_eq!(
        code(engine.drop_role(&name("missing")).await),
        Code::ROLE_NOT_FOUND
    );
    let holder = user("ada", vec![RoleName::root(), name("missing")]);
    assert_eq!(code(engine.create_user(holder).await), Code::ROLE_NOT_FOUND);
}

#[tokio::test]
async fn changes_of_a_user_at_once_do_not_undo_each_other() {
    let simulation = Simulation::new(2);
    let engine = Engine::on(Kv::simulated(&simulation)).await.unwrap();
    engine
        .create_user(user("root", vec![RoleName::root()]))
        .await
        .unwrap();
    engine.create_role(role("a", &[])).await.unwrap();
    engine.create_role(role("b", &[])).await.unwrap();
    engine.create_user(user("ada", Vec::new())).await.unwrap();
    let give = |role: &'static str| {
        engine.change_user("shop", "ada", move |user: &mut User| -> engine::Result<()> {
            user.roles.push(name(role));
            Ok(())
        })
    };
    let (a, b) = tokio::join!(give("a"), give("b"));
    assert!(a.is_ok() && b.is_ok());
    assert!(may_find(&engine, "a") && may_find(&engine, "b"));

    // Whichever comes first: nobody holds a role that is gone, and a user who was dropped stays so.
    let role = name("a");
    let (_, dropped) = tokio::join!(give("a"), engine.drop_role(&role));
    dropped.unwrap();
    assert_eq!(engine.user("shop", "ada").unwrap().roles, [name("b")]);
    let (dropped, _) = tokio::join!(engine.drop_user("shop", "ada"), give("b"));
    dropped.unwrap();
    assert!(engine.user("shop", "ada").is_none());
    assert_eq!(engine.drop_users("shop").await.unwrap(), 1);
    assert!(!engine.has_users());
    assert_eq!(give("b").await.unwrap_err().code, Code::USER_NOT_FOUND);
}

#[tokio::test]
async fn a_user_who_was_dropped_on_a_full_disk_stays_dropped() {
    let simulation = Simulation::new(1);
    let engine = Engine::on(Kv::simulated(&simulation)).await.unwrap();
    for (called, roles) in [("root", vec![RoleName::root()]), ("ada", Vec::new())] {
        engine.create_user(user(called, roles)).await.unwrap();
    }
    simulation.fill_at_next_flush();
    let told = engine.drop_user("shop", "ada").await.unwrap_err();
    assert_eq!(told.code, Code::OUT_OF_DISK_SPACE);
    assert!(engine.user("shop", "ada").is_none());
}

#[tokio::test]
async fn a_change_of_users_runs_to_its_end_although_nobody_waits_for_it() {
    let engine = Engine::on(Kv::simulated(&Simulation::new(1))).await.unwrap();
    for (called, roles) in [("root", vec![RoleName::root()]), ("ada", Vec::new())] {
        engine.create_user(user(called, roles)).await.unwrap();
    }
    tokio::select! {
        biased;
        _ = engine.drop_user("shop", "ada") => panic!("it waits for a task of its own"),
        () = std::future::ready(()) => {}
    }
    while engine.user("shop", "ada").is_some() {
        tokio::task::yield_now().await;
    }
}
