//! The users of a running server, by commands to its own HTTP.

use super::{NamedUser, UserAction};
use crate::http_server::HttpServer;
use anyhow::{Context, Result};
use http::{Client, Reach};
use serde_json::{Value, json};
use std::time::Duration;

/// How long the server may take: a password is hashed thousands of times.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(30);

pub(super) async fn run(server: &HttpServer, action: &UserAction) -> Result<()> {
    let client = Client::new(Reach::Anywhere);
    server.recognize(&client, ANSWER_TIME_MAX).await?;
    let command = |database: String, command: Value| {
        let client = client.clone();
        async move {
            let path = format!("/api/command/{}", http::percent_encode(&database));
            server
                .post(&client, &path, &command, ANSWER_TIME_MAX)
                .await
                .with_context(|| format!("{server:?} did not do it"))
        }
    };
    match action {
        UserAction::Add { user, roles } => {
            let roles: Vec<Value> = roles.iter().map(|given| role(given, user)).collect();
            let create = json!({"createUser": user.name, "pwd": super::password()?, "roles": roles});
            command(user.database.clone(), create).await?;
        }
        UserAction::Password(user) => {
            let update = json!({"updateUser": user.name, "pwd": super::password()?});
            command(user.database.clone(), update).await?;
        }
        UserAction::Remove(user) => {
            command(user.database.clone(), json!({"dropUser": user.name})).await?;
        }
        UserAction::List(_) => {
            let all = json!({"usersInfo": {"forAllDBs": true}});
            list(&command("admin".to_owned(), all).await?)?;
        }
    }
    Ok(())
}

fn role(given: &str, user: &NamedUser) -> Value {
    let (name, database) = super::role(given, user);
    json!({"role": name, "db": database})
}

fn list(reply: &Value) -> Result<()> {
    let text = |of: &Value, name: &str| {
        of.get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let users = reply.get("users").and_then(Value::as_array);
    let mut users: Vec<&Value> = users.into_iter().flatten().collect();
    // Sorted as those of a folder, whatever the server's order is.
    users.sort_by_key(|user| (text(user, "db"), text(user, "user")));
    for user in users {
        let roles = user.get("roles").and_then(Value::as_array).into_iter().flatten();
        let roles: Vec<String> = roles
            .map(|role| format!("{}@{}", text(role, "role"), text(role, "db")))
            .collect();
        super::list(&text(user, "user"), &text(user, "db"), &roles)?;
    }
    Ok(())
}
