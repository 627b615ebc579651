//! What a user with few rights may do: rights that depend on the arguments of a command.

mod pipelines;
mod users;
mod writes;

use crate::client::{Client, Server};
use value::{Document, Value, doc};

/// No error.
const OK: i32 = 0;
/// MongoDB's `Unauthorized`.
const REFUSED: i32 = 13;

const ROOT: (&str, &str) = ("keeper", "larder");
const TRIED: (&str, &str) = ("tried", "larder");

/// A server with documents in `test.a`, `test.secret` and `other.secret`, a user who may do everything, and one who may do nothing.
struct Guarded {
    _server: Server,
    root: Client,
    tried: Client,
}

/// Actions on a collection of a database; those on the server as a whole have two empty names, and `$server`.
type Right<'a> = (&'a str, &'a str, &'a [&'a str]);

impl Guarded {
    fn start() -> Guarded {
        let server = Server::start();
        let (mut root, tried) = (server.client(), server.client());
        done(
            &mut root,
            "admin",
            doc! {"createUser": ROOT.0, "pwd": ROOT.1, "roles": ["root"]},
        );
        root.log_in("admin", ROOT.0, ROOT.1);
        for (database, name) in [
            ("test", "a"),
            ("test", "secret"),
            ("other", "secret"),
            ("other", "b"),
        ] {
            done(
                &mut root,
                database,
                doc! {"insert": name, "documents": [{"_id": 1}]},
            );
        }
        done(
            &mut root,
            "admin",
            doc! {"createRole": "few", "privileges": [], "roles": []},
        );
        done(
            &mut root,
            "admin",
            doc! {"createUser": TRIED.0, "pwd": TRIED.1, "roles": ["few"]},
        );
        let mut guarded = Guarded {
            _server: server,
            root,
            tried,
        };
        guarded.tried.log_in("admin", TRIED.0, TRIED.1);
        guarded
    }

    /// Gives the tested user exactly these rights.
    fn allow(&mut self, rights: &[Right<'_>]) {
        let privileges: Value = rights.iter().map(|right| Value::from(privilege(right))).collect();
        done(
            &mut self.root,
            "admin",
            doc! {"updateRole": "few", "privileges": privileges},
        );
    }

    /// The code that the tested user gets for a request to the database `test`, and the answer.
    fn tried(&mut self, request: &Document) -> (i32, Document) {
        let name = request.iter().next().map_or("", |(name, _)| name);
        let of_admin = ["renameCollection", "listDatabases", "killOp", "bulkWrite"];
        let database = if of_admin.contains(&name) { "admin" } else { "test" };
        let reply = self.tried.run(database, request);
        (code_of(&reply), reply)
    }
}

fn privilege((database, collection, actions): &Right<'_>) -> Document {
    let actions: Value = actions.iter().map(|action| Value::from(*action)).collect();
    let resource = match *collection {
        "$server" => doc! {"cluster": true},
        collection => doc! {"db": *database, "collection": collection},
    };
    doc! {"resource": resource, "actions": actions}
}

fn done(client: &mut Client, database: &str, request: Document) {
    let reply = client.run(database, &request);
    assert_eq!(code_of(&reply), OK, "{request:?}\n{reply:?}");
}

fn code_of(reply: &Document) -> i32 {
    match reply.get("code") {
        Some(Value::Int32(code)) => *code,
        _ => OK,
    }
}

/// Runs requests on one server, each with exactly its rights, and fails with a list of all wrong answers.
fn check(cases: &[(&[Right<'_>], Document, i32)]) {
    let mut guarded = Guarded::start();
    let mut faults = Vec::new();
    for (rights, request, code) in cases {
        guarded.allow(rights);
        let (found, reply) = guarded.tried(request);
        if found != *code {
            faults.push(format!(
                "{rights:?}\n  {request:?}\n  {code} is not {found}: {reply:?}"
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
