//! Configurations of the agent: which are accepted, and what is said of those that are not.

use agent::config::Config;

const GOOD: &str = r#"
device = "pump-3"
[server]
url = "http://127.0.0.1:7070"
[spool]
folder = "/var/lib/larder-agent"
[[source]]
name = "app"
to = "logs.app"
format = "logfmt"
[source.files]
paths = ["/var/log/app/*.log"]
"#;

#[test]
fn errors_name_the_line_of_the_configuration() {
    Config::parse(GOOD).unwrap();
    let cases = [
        ("device = \"pump-3\"", "device = \"a/b\"", "letters, digits"),
        (
            "url = \"http://127.0.0.1:7070\"",
            "url = \"127.0.0.1\"",
            "http[s]://host:port",
        ),
        ("url =", "uri =", "line 4"),
        ("url =", "user = \"a\"\nurl =", "given together"),
        (
            "folder =",
            "max-bytes = \"many\"\nfolder =",
            "'many' is not a size",
        ),
        ("folder =", "sync-interval = \"1 day\"\nfolder =", "line 6"),
        ("folder =", "when-full = \"panic\"\nfolder =", "drop-oldest"),
        ("to = \"logs.app\"", "to = \"logs\"", "database.collection"),
        ("format = \"logfmt\"", "format = \"logformat\"", "known are plain"),
        ("format = \"logfmt\"", "pattern = \"(\"", "line 10"),
        (
            "format = \"logfmt\"",
            "format = \"plain\"\npattern = \"x\"",
            "cannot both be given",
        ),
        ("format = \"logfmt\"", "multiline = {}", "either"),
        (
            "format = \"logfmt\"",
            "transform = [{ renam = {} }]",
            "unknown variant",
        ),
        (
            "format = \"logfmt\"",
            "transform = [{ timestamp = { field = \"a\", form = \"b\" } }]",
            "not a form of times",
        ),
        (
            "paths = [\"/var/log/app/*.log\"]",
            "paths = [\"log/*.log\"]",
            "not an absolute path",
        ),
        (
            "paths = [\"/var/log/app/*.log\"]",
            "paths = [\"/var/[\"]",
            "/var/[",
        ),
        ("[source.files]\npaths = [\"/var/log/app/*.log\"]", "", "one kind"),
        (
            "[source.files]\npaths = [\"/var/log/app/*.log\"]",
            "[source.syslog]\ntcp = \"127.0.0.1:0\"\nconnections-max = 0",
            "connections-max is between 1",
        ),
        (
            "[source.files]\npaths = [\"/var/log/app/*.log\"]",
            "[source.syslog]\ntcp = \"127.0.0.1:0\"\nconnections-max = 9223372036854775807",
            "connections-max is between 1",
        ),
    ];
    for (good, bad, wanted) in cases {
        assert!(GOOD.contains(good), "{good}");
        let error = format!("{:#}", Config::parse(&GOOD.replace(good, bad)).unwrap_err());
        assert!(error.contains(wanted), "{bad}: {error}");
    }
}

#[test]
fn the_program_says_what_it_would_read_and_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("agent.toml");
    let check = |text: &str| {
        std::fs::write(&config, text).unwrap();
        std::process::Command::new(env!("CARGO_BIN_EXE_larder-agent"))
            .arg("check")
            .arg(&config)
            .output()
            .unwrap()
    };
    let output = check(GOOD);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("/var/log/app"));
    let by_syslog = GOOD.replace("format = \"logfmt\"\n", "").replace(
        "[source.files]\npaths = [\"/var/log/app/*.log\"]",
        "[source.syslog]\nudp = \"127.0.0.1:514\"",
    );
    let told = String::from_utf8_lossy(&check(&by_syslog).stdout).into_owned();
    assert!(told.contains("to logs.app, syslog\n"), "{told}");
    let told = check(&GOOD.replace("url =", "ca-file = \"/nowhere/ca.pem\"\nurl ="));
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("the authorities in /nowhere/ca.pem"), "{told}");
    let output = check(&GOOD.replace("paths", "path"));
    assert!(!output.status.success());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        told.starts_with("larder-agent: ") && told.contains("path"),
        "{told}"
    );
}

#[test]
fn the_unit_of_devices_runs_the_program_without_the_server() {
    let unit = include_str!("../../../../packaging/larder-agent.service");
    let is_run = |line: &&str| line.starts_with("ExecStart");
    let runs: Vec<&str> = unit.lines().filter(is_run).collect();
    assert_eq!(
        runs,
        [
            "ExecStartPre=/usr/local/bin/larder-agent check /etc/larder/agent.toml",
            "ExecStart=/usr/local/bin/larder-agent --config /etc/larder/agent.toml",
        ]
    );
}

#[test]
fn a_socket_for_all_programs_has_a_folder_that_the_unit_makes() {
    let unit = include_str!("../../../../packaging/larder-agent.service");
    assert!(unit.lines().any(|line| line == "RuntimeDirectory=larder-agent"));
}

#[test]
fn a_filter_of_the_log_that_names_no_level_is_refused() {
    for (filter, is_right) in [
        ("inof", false),
        ("agent=deubg", false),
        ("warn,agent=debug", true),
    ] {
        let run = std::process::Command::new(env!("CARGO_BIN_EXE_larder-agent"))
            .args(["--log", filter, "--config", "/nowhere/agent.toml"])
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(told.contains("/nowhere/agent.toml"), is_right, "{filter}: {told}");
    }
}
