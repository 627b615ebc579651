//! Logins by name and password.

use auth::{Mechanism, RoleName, User};
use engine::Engine;
use kv::{Kv, Simulation};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

async fn engine_with(users: &[(&str, &[Mechanism])]) -> Engine {
    let engine = Engine::on(Kv::simulated(&Simulation::new(1))).await.unwrap();
    for (name, mechanisms) in users {
        let user = User {
            database: "admin".to_owned(),
            name: (*name).to_owned(),
            uuid: [0; 16],
            credentials: User::derive_credentials(name, "right", mechanisms).unwrap(),
            roles: vec![RoleName::root()],
            custom_data: None,
        };
        engine.create_user(user).await.unwrap();
    }
    engine
}

async fn try_as(engine: &Engine, name: &str, password: &str) -> (bool, Duration) {
    let from = SocketAddr::from(([127, 0, 0, 1], 1));
    let begun = Instant::now();
    let user = engine.log_in(name, password, from).await.unwrap();
    (user.is_some(), begun.elapsed())
}

#[tokio::test]
async fn the_right_password_of_any_mechanism_is_known() {
    let users: [(&str, &[Mechanism]); 3] = [
        ("both", &Mechanism::ALL),
        ("old", &[Mechanism::ScramSha1]),
        ("new", &[Mechanism::ScramSha256]),
    ];
    let engine = engine_with(&users).await;
    for (name, _) in users {
        assert!(!try_as(&engine, name, "wrong").await.0, "{name}");
        assert!(try_as(&engine, name, "right").await.0, "{name}");
        let named = format!("{name}@admin");
        assert!(try_as(&engine, &named, "right").await.0, "{named}");
    }
    assert!(!try_as(&engine, "nobody", "right").await.0);
}

/// The time of an answer does not reveal which users exist.
#[tokio::test]
async fn a_user_who_does_not_exist_is_refused_with_as_much_work() {
    let users: [(&str, &[Mechanism]); 2] = [("both", &Mechanism::ALL), ("old", &[Mechanism::ScramSha1])];
    let engine = engine_with(&users).await;
    // The first failed logins of a name cause no delay.
    let mut least = [Duration::MAX; 4];
    for _ in 0..4 {
        // In turn, because a machine may be busy for a while.
        for (name, least) in ["both", "old", "nobody", "somebody"].into_iter().zip(&mut least) {
            *least = try_as(&engine, name, "wrong").await.1.min(*least);
        }
    }
    let (shortest, longest) = (least.iter().min().unwrap(), least.iter().max().unwrap());
    assert!(*longest < *shortest * 5, "{least:?}");
}
