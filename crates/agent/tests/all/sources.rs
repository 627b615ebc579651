//! Sources other than files: sockets, programs, the journal, devices, figures.

use crate::gathered::{Gathered, add, pause};
use std::io::Write;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;
use value::Value;

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

/// A connection to a listener that may not be there yet. It is the last of its source: then the others are there, too.
async fn connected(port: u16) -> TcpStream {
    for _ in 0..100 {
        if let Ok(connection) = TcpStream::connect(("127.0.0.1", port)) {
            return connection;
        }
        pause().await;
    }
    panic!("nobody listens at port {port}");
}

#[tokio::test]
async fn syslog_comes_by_datagrams_connections_and_a_socket() {
    let (udp, tcp) = (free_port(), free_port());
    let mut gathered = Gathered::new(|folder| {
        let unix = folder.join("log");
        format!("[source.syslog]\nudp = \"127.0.0.1:{udp}\"\ntcp = \"127.0.0.1:{tcp}\"\nunix = {unix:?}")
    });
    // A second time, because a socket in the file system stays after the end.
    for _ in 0..2 {
        gathered.messages.clear();
        let (given, before) = (gathered.given.clone(), gathered.given.count());
        gathered
            .during(async |folder| {
                let mut connection = connected(tcp).await;
                let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
                socket
                    .send_to(
                        b"<34>Oct 11 22:14:15 host su[7]: by datagram\n",
                        ("127.0.0.1", udp),
                    )
                    .unwrap();
                given.reach(before + 1).await;
                let socket = UnixDatagram::unbound().unwrap();
                socket
                    .send_to(b"<34>Oct 11 22:14:15 su: by socket\0", folder.join("log"))
                    .unwrap();
                given.reach(before + 2).await;
                connection
                    .write_all(b"<34>1 - - - - - - by line\n31 <34>1 - - - - - - by\nits length")
                    .unwrap();
                drop(connection);
                given.reach(before + 4).await;
            })
            .await;
        gathered.has(&["by datagram", "by socket", "by line", "by\nits length"]);
    }
    assert_eq!(gathered.documents[0].get("level"), Some(&Value::from("crit")));
}

#[tokio::test]
async fn a_datagram_is_cut_as_a_line_is() {
    let mut gathered = Gathered::new(|folder| {
        let unix = folder.join("log");
        format!("line-max = 64\n[source.syslog]\nunix = {unix:?}")
    });
    let whole = format!("<13>{}", "x".repeat(60));
    gathered
        .during(async |folder| {
            let socket = UnixDatagram::unbound().unwrap();
            for text in [whole.clone(), format!("{whole}y")] {
                socket.send_to(text.as_bytes(), folder.join("log")).unwrap();
            }
        })
        .await;
    gathered.has(&[&whole[4..], &whole[4..]]);
    let are_cut: Vec<bool> = gathered.documents.iter().map(|one| one.contains("cut")).collect();
    assert_eq!(are_cut, [false, true]);
}

#[tokio::test]
async fn lines_that_came_before_a_connection_broke_are_kept() {
    let tcp = free_port();
    let mut gathered = Gathered::new(|_| format!("[source.syslog]\ntcp = \"127.0.0.1:{tcp}\""));
    gathered
        .during(async |_| {
            let connection = connected(tcp).await;
            connection.set_nonblocking(true).unwrap();
            let connection = tokio::net::TcpStream::from_std(connection).unwrap();
            connection.writable().await.unwrap();
            connection.try_write(b"<34>one\n<34>two\n").unwrap();
            // By then the agent, which has a turn after each of these, has read it and waits for more.
            for _ in 0..10 {
                tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            }
            connection.set_zero_linger().unwrap();
        })
        .await;
    gathered.has(&["one", "two"]);
}

#[tokio::test]
async fn lines_that_came_before_the_end_are_kept() {
    let udp = free_port();
    let mut gathered = Gathered::new(|_| format!("[source.syslog]\nudp = \"127.0.0.1:{udp}\""));
    gathered
        .during(async |_| {
            pause().await;
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            for number in 0..50 {
                socket
                    .send_to(format!("<34>{number}").as_bytes(), ("127.0.0.1", udp))
                    .unwrap();
            }
        })
        .await;
    assert_eq!(gathered.messages.len(), 50);
}

#[tokio::test]
async fn a_program_is_run_again_and_again() {
    let mut gathered = Gathered::new(|_| {
        "format = \"logfmt\"\n[source.program]\ncommand = [\"sh\", \"-c\", \"echo message=one; echo message=two; exit 3\"]\nevery = \"100ms\"".to_owned()
    });
    gathered.until(4).await;
    assert_eq!(gathered.messages[..4], ["one", "two", "one", "two"]);

    let mut gathered = Gathered::new(|_| {
        "[source.program]\ncommand = [\"sh\", \"-c\", \"echo a; echo b\"]\nevery = \"1h\"\nwhole = true"
            .to_owned()
    });
    gathered.until(1).await;
    gathered.has(&["a\nb"]);

    let mut gathered = Gathered::new(|_| {
        "[source.program]\ncommand = [\"sleep\", \"100\"]\nevery = \"1h\"\ntimeout = \"50ms\"".to_owned()
    });
    gathered.during(async |_| pause().await).await;
    gathered.has(&[]);
}

#[tokio::test]
async fn output_of_a_program_that_takes_too_long_is_kept() {
    for (options, wanted, is_cut) in [("", &["a", "b"][..], false), ("whole = true", &["a\nb"], true)] {
        let mut gathered = Gathered::new(|_| {
            format!(
                "[source.program]\ncommand = [\"sh\", \"-c\", \"echo a; printf b; exec sleep 100\"]\nevery = \"1h\"\ntimeout = \"2s\"\n{options}"
            )
        });
        gathered.until(wanted.len()).await;
        gathered.has(wanted);
        assert!(gathered.documents.iter().all(|one| one.contains("cut") == is_cut));
    }
}

#[tokio::test]
async fn the_journal_goes_on_behind_its_cursor() {
    let mut gathered = Gathered::new(|folder| {
        format!(
            "[source.journal]\nunits = [\"ssh.service\"]\njournalctl = {:?}",
            folder.join("journalctl")
        )
    });
    let script = r#"#!/bin/sh
echo "$@" >> "$(dirname "$0")/called"
case "$*" in
*--after-cursor=c2*) echo '{"__CURSOR":"c3","MESSAGE":[104,105,255]}' ;;
*) echo '{"__CURSOR":"c1","__REALTIME_TIMESTAMP":"1500000","PRIORITY":"3","_HOSTNAME":"pi","SYSLOG_IDENTIFIER":"sshd","_PID":"7","_SYSTEMD_UNIT":"ssh.service","MESSAGE":"one"}'
   echo '{"__CURSOR":"c2","MESSAGE":"two"}' ;;
esac
exec sleep 60
"#;
    std::fs::write(gathered.path("journalctl"), script).unwrap();
    std::fs::set_permissions(
        gathered.path("journalctl"),
        std::fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    gathered.until(2).await;
    gathered.has(&["one", "two"]);
    let first = &gathered.documents[0];
    assert_eq!(first.get("time"), Some(&Value::DateTime(1500)));
    assert_eq!(first.get("level"), Some(&Value::from("error")));
    assert_eq!(first.get("pid"), Some(&Value::Int32(7)));
    gathered.until(1).await;
    gathered.has(&["one", "two", "hi\u{fffd}"]);
    let called = std::fs::read_to_string(gathered.path("called")).unwrap();
    assert!(
        called.contains("--all --unit=ssh.service --lines=all --follow"),
        "{called}"
    );
}

#[tokio::test]
async fn lines_come_from_a_fifo_and_its_writers_may_go() {
    let mut gathered = Gathered::new(|folder| format!("[source.device]\npath = {:?}", folder.join("fifo")));
    let made = std::process::Command::new("mkfifo")
        .arg(gathered.path("fifo"))
        .status()
        .unwrap();
    assert!(made.success());
    gathered
        .during(async |folder| {
            for text in ["one\ntw", "o\nthree\n"] {
                add(&folder.join("fifo"), text);
                pause().await;
            }
        })
        .await;
    gathered.has(&["one", "two", "three"]);
}

#[tokio::test]
async fn the_machine_tells_its_figures() {
    let mut gathered =
        Gathered::new(|_| "[source.figures]\nevery = \"50ms\"\ndisks = [\"/\", \"/tmp\"]".to_owned());
    gathered.until(2).await;
    for field in [
        "time",
        "device",
        "load_1m",
        "memory_used_bytes",
        "disk_free_bytes",
        "disks",
        "network_sent_bytes_per_s",
    ] {
        assert!(gathered.documents[1].contains(field), "{field}");
    }
}
