//! Searches and tasks end when they are killed, when their client goes away, and at their time limit; only users with the
//! right see them.

use super::server::Server;
use auth::{Mechanism, RoleName, User};
use engine::Engine;
use kv::Simulation;
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};
use testing::http::{Answer, exchange};

const PATIENCE: Duration = Duration::from_secs(20);

/// Documents on which a script works for minutes.
fn filled(options: elastic::Options) -> Server {
    let server = Server::with(&Simulation::new(1), memory::Budget::default(), options);
    let lines = "{\"index\": {}}\n{\"a\": 1}\n".repeat(2_000);
    let answer = ask(&server, "POST /n/_bulk", &lines);
    assert!(answer.body.contains("\"errors\":false"), "{answer}");
    server
}

fn ask(server: &Server, request: &str, body: &str) -> Answer {
    exchange(server.address, request, body)
}

fn endless() -> String {
    let source = "int n = 0; for (int i = 0; i < 50000; i++) { n += i; } return n > 0;";
    json!({"query": {"script": {"script": {"source": source}}}}).to_string()
}

/// Sends a request on a connection of its own.
fn sent(server: &Server, request: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    let length = body.len();
    let head = format!(
        "{request} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all((head + body).as_bytes()).unwrap();
    stream
}

fn wait_until(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < PATIENCE, "it goes on");
        thread::sleep(Duration::from_millis(5));
    }
}

fn is_idle(engine: &Engine) -> bool {
    engine.running_operations().is_empty()
}

fn kill_all(engine: &Engine) {
    for operation in engine.running_operations() {
        engine.kill_operation(operation.id);
    }
}

fn read(answer: &Answer) -> Value {
    serde_json::from_str(&answer.body).unwrap()
}

#[test]
fn a_search_that_is_killed_says_so() {
    let server = filled(elastic::Options::default());
    let (engine, address) = (server.engine.clone(), server.address);
    for request in [
        "POST /n/_search",
        "POST /n/_count",
        "POST /n/_search?scroll=1m",
        "POST /n/_delete_by_query",
    ] {
        let asking = thread::spawn(move || exchange(address, request, &endless()));
        wait_until(|| !is_idle(&engine));
        kill_all(&engine);
        let answer = asking.join().unwrap();
        assert_eq!(answer.status, 400, "{request}: {answer}");
        assert_eq!(
            read(&answer)["error"]["type"],
            "task_cancelled_exception",
            "{request}"
        );
        wait_until(|| is_idle(&engine));
    }
}

#[test]
fn a_search_ends_with_its_client() {
    let server = filled(elastic::Options::default());
    for request in ["POST /n/_search", "POST /n/_update_by_query"] {
        let stream = sent(&server, request, &endless());
        wait_until(|| !is_idle(&server.engine));
        drop(stream);
        wait_until(|| is_idle(&server.engine));
    }
}

#[test]
fn searches_and_counts_have_the_time_limit_of_reads() {
    let server = filled(elastic::Options {
        read_time_max: Duration::from_millis(200),
        ..elastic::Options::default()
    });
    for request in ["POST /n/_search", "POST /n/_count"] {
        let answer = ask(&server, request, &endless());
        assert_eq!(answer.status, 504, "{request}: {answer}");
        assert_eq!(read(&answer)["error"]["type"], "timeout_exception");
    }
    // The time limit does not cut off requests that write.
    let written = ask(
        &server,
        "POST /n/_update_by_query?scroll_size=500&requests_per_second=5000",
        "",
    );
    assert_eq!(read(&written)["updated"], 2_000, "{written}");
}

#[test]
fn a_scroll_and_a_search_over_several_end_in_time_too() {
    let server = filled(elastic::Options {
        read_time_max: Duration::from_millis(200),
        ..elastic::Options::default()
    });
    let lines = format!("{{}}\n{}\n", endless()).repeat(2);
    let several = read(&ask(&server, "POST /n/_msearch", &lines));
    for response in several["responses"].as_array().unwrap() {
        assert_eq!(response["status"], 504, "{response}");
    }
}

/// A task that runs slowly for a while.
const SLOW: &str = "POST /n/_update_by_query?wait_for_completion=false&scroll_size=10&requests_per_second=1";

#[test]
fn a_task_is_an_operation_and_ends_when_it_is_cancelled_or_killed() {
    let server = filled(elastic::Options::default());
    for kills in [false, true] {
        let begun = read(&ask(&server, SLOW, ""));
        let name = begun["task"].as_str().unwrap();
        assert!(!is_idle(&server.engine));
        let task = || read(&ask(&server, &format!("GET /_tasks/{name}"), ""));
        wait_until(|| task()["task"]["status"]["batches"].as_u64() > Some(0));
        match kills {
            true => kill_all(&server.engine),
            false => drop(ask(&server, &format!("POST /_tasks/{name}/_cancel"), "")),
        }
        wait_until(|| task()["completed"] == true);
        let ended = task();
        match kills {
            true => assert_eq!(ended["error"]["type"], "task_cancelled_exception", "{ended}"),
            false => {
                assert_eq!(ended["response"]["canceled"], "by user request", "{ended}");
                assert!(ended["response"]["updated"].as_u64() > Some(0), "{ended}");
            }
        }
        assert!(is_idle(&server.engine));
    }
}

#[test]
fn a_task_that_is_told_to_be_faster_is_so_at_once() {
    let server = filled(elastic::Options::default());
    let begun = read(&ask(&server, SLOW, ""));
    let name = begun["task"].as_str().unwrap();
    let task = || read(&ask(&server, &format!("GET /_tasks/{name}"), ""));
    wait_until(|| task()["task"]["status"]["batches"].as_u64() > Some(0));
    let path = format!("POST /_update_by_query/{name}/_rethrottle?requests_per_second=-1");
    let told = ask(&server, &path, "");
    assert_eq!(told.status, 200, "{told}");
    wait_until(|| task()["completed"] == true);
    let ended = task();
    assert_eq!(ended["response"]["requests_per_second"], -1.0, "{ended}");
    assert_eq!(
        ended["response"]["updated"], ended["response"]["total"],
        "{ended}"
    );
    // What has ended has no speed.
    assert_eq!(ask(&server, &path, "").status, 404);
}

#[test]
fn the_stop_ends_searches_and_tasks() {
    let server = filled(elastic::Options::default());
    ask(&server, SLOW, "");
    let _search = sent(&server, "POST /n/_search", &endless());
    wait_until(|| server.engine.running_operations().len() == 2);
    server.host.stop();
    wait_until(|| is_idle(&server.engine));
}

fn role(name: &str) -> RoleName {
    RoleName {
        name: name.to_owned(),
        database: "admin".to_owned(),
    }
}

/// A server with users of these names.
fn with_users() -> Server {
    let server = filled(elastic::Options::default());
    for (name, roles) in [
        ("root", vec!["root"]),
        ("ann", vec!["readWriteAnyDatabase"]),
        ("ben", vec!["readWriteAnyDatabase"]),
        ("watcher", vec!["clusterMonitor"]),
    ] {
        let user = User {
            database: "admin".to_owned(),
            name: name.to_owned(),
            uuid: [1; 16],
            credentials: User::derive_credentials(name, "pw", &[Mechanism::ScramSha256]).unwrap(),
            roles: roles.into_iter().map(role).collect(),
            custom_data: None,
        };
        server.host.run(server.engine.create_user(user)).unwrap();
    }
    server
}

fn ask_as(server: &Server, name: &str, request: &str) -> Answer {
    use base64::Engine as _;
    let given = base64::prelude::BASE64_STANDARD.encode(format!("{name}:pw"));
    ask(server, &format!("{request}\nAuthorization: Basic {given}"), "")
}

#[test]
fn a_task_is_shown_to_its_owner_and_to_whom_operations_are_shown() {
    let server = with_users();
    let begun = read(&ask_as(&server, "ann", SLOW));
    let name = begun["task"].as_str().unwrap();
    let shown = |user: &str, path: &str| ask_as(&server, user, path).body.contains("update/byquery");
    for (user, sees) in [("ann", true), ("ben", false), ("watcher", true), ("root", true)] {
        for path in ["GET /_tasks", "GET /_tasks?actions=*byquery", "GET /_cat/tasks"] {
            assert_eq!(shown(user, path), sees, "{user} {path}");
        }
        let one = ask_as(&server, user, &format!("GET /_tasks/{name}"));
        assert_eq!(one.status, if sees { 200 } else { 404 }, "{user}: {one}");
    }
    let cancel = format!("POST /_tasks/{name}/_cancel");
    for (user, status) in [("ben", 404), ("watcher", 403), ("ann", 200)] {
        let answer = ask_as(&server, user, &cancel);
        assert_eq!(answer.status, status, "{user}: {answer}");
    }
    let ended = || read(&ask_as(&server, "ann", &format!("GET /_tasks/{name}")))["completed"] == true;
    wait_until(ended);
    // The list of running tasks shows each owner's name.
    ask_as(&server, "ben", SLOW);
    let owners: Vec<_> = server.engine.running_operations();
    assert!(
        owners
            .iter()
            .any(|one| one.context.user.as_deref() == Some("ben@admin"))
    );
    // Whoever may end all ends those alone.
    ask_as(&server, "ann", "POST /_tasks/_cancel");
    assert!(!is_idle(&server.engine));
    ask_as(&server, "root", "POST /_tasks/_cancel");
    wait_until(|| is_idle(&server.engine));
}

#[test]
fn statistics_of_the_server_need_the_right_to_its_status() {
    let server = with_users();
    for path in [
        "/_nodes/stats",
        "/_nodes/_local/stats/os",
        "/_nodes/usage",
        "/_cluster/stats",
        "/_cat/nodes",
        "/_cat/allocation",
        "/_cat/thread_pool",
    ] {
        for (user, status) in [("ann", 403), ("watcher", 200), ("root", 200)] {
            let answer = ask_as(&server, user, &format!("GET {path}"));
            assert_eq!(answer.status, status, "{user} {path}: {answer}");
        }
    }
}
