//! `pagetide serve` as a browser and as an attacker meet it: over its socket.

use pagetide_core::{Entity, Manifest, Mark, MarkKind, Nanos, Sample, Schema, Sink, Stamp, Table};
use pagetide_fuzz::bomb::{BOMBS, Kind};
use pagetide_store::Writer;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

const BINARY: &str = env!("CARGO_BIN_EXE_pagetide");
const SECOND: i64 = 1_000_000_000;
const BEGIN: i64 = 1_795_219_200 * SECOND;
/// A process may be called so.
const HOSTILE: &str = "<img src=x onerror=alert(1)>\u{1b}[31m\"'&";
const GROUPS: usize = 10_000;

struct Server {
    child: Child,
    stdout: BufReader<ChildStdout>,
    host: String,
    cookie: String,
}

struct Response {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Response {
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }
}

fn connect(host: &str) -> TcpStream {
    let stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

/// Sends a request as it is and reads the response to its end.
fn send(host: &str, request: &str) -> Response {
    exchange(connect(host), request)
}

fn exchange(mut stream: impl Read + Write, request: &str) -> Response {
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(bytes.len());
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Response { status, head, body: bytes.split_off((end + 4).min(bytes.len())) }
}

impl Server {
    fn start(folders: &[&Path]) -> Self {
        Self::start_by(&mut Command::new(BINARY), folders)
    }

    /// Starts it by a command that runs the binary with what is added.
    fn start_by(command: &mut Command, folders: &[&Path]) -> Self {
        let mut child = command
            .arg("serve")
            .args(folders)
            .args(["--json", "--interval", "100ms"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let started: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(started["schema_version"], 2);
        let url = started["url"].as_str().unwrap();
        let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let host = host.to_owned();
        let first = send(&host, &format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        assert_eq!((first.status, first.header("location")), (303, Some("/")), "{}", first.head);
        let cookie = first.header("set-cookie").unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let again = send(&host, &format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        assert_eq!(again.status, 401, "a token is good once");
        Self { child, stdout, host, cookie }
    }

    fn get(&self, path: &str) -> Response {
        let Self { host, cookie, .. } = self;
        send(host, &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"))
    }

    fn ok(&self, path: &str) -> Value {
        let response = self.get(path);
        assert_eq!(response.status, 200, "{path}: {} {}", response.head, String::from_utf8_lossy(&response.body));
        assert_eq!(response.header("content-type"), Some("application/json"), "{path}");
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{path}");
        let json = response.json();
        assert_eq!(json["schema_version"], 2, "{path}");
        json
    }

    /// Ends it as Ctrl-C does.
    fn end(mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "one line is printed");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Of a test that failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Some samples of a host with a hostile process and many groups.
fn record(folder: &Path) {
    let mut schema = Schema::default();
    let host = schema.push_entity(Table::Host, Entity::new("", ""));
    schema.column(Table::Host, "MemFree");
    let process = schema.push_entity(Table::Process, Entity::new("7@1", HOSTILE));
    schema.column(Table::Process, "utime");
    schema.column(Table::Process, "stime");
    let groups: Vec<_> = (0..GROUPS)
        .map(|at| {
            let name = format!("/g/{at:05}\u{1b}<b>");
            schema.push_entity(Table::Cgroup, Entity::new(name.clone(), name))
        })
        .collect();
    schema.column(Table::Cgroup, "current");
    let manifest = Manifest { host: HOSTILE.into(), interval: Nanos::new(1_000_000_000), ..Manifest::default() };
    let mut writer = Writer::create(folder).unwrap();
    writer.begin(&manifest).unwrap();
    let mut sample = Sample::default();
    for second in 0..4 {
        sample.clear();
        // No clock ticks at whole milliseconds.
        let ns = second * SECOND + 600_900;
        sample.stamp = Stamp { wall_ns: BEGIN + ns, mono_ns: ns, boot_ns: ns };
        sample.row(Table::Host, host, 1)[0] = Some(1 << 30);
        sample.row(Table::Process, process, 2).fill(Some(second * 10));
        for (at, group) in (1..).zip(&groups) {
            sample.row(Table::Cgroup, *group, 1)[0] = Some(at * 4096);
        }
        writer.sample(&schema, &sample).unwrap();
    }
    writer.finish(&manifest).unwrap();
}

#[test]
fn only_the_browser_with_the_cookie_is_answered() {
    let scratch = tempfile::tempdir().unwrap();
    let server = Server::start(&[scratch.path()]);
    let host = &server.host;
    let port = host.rsplit_once(':').unwrap().1;
    let sent = |lines: &str, path: &str| {
        send(host, &format!("GET {path} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n")).status
    };
    let cookie = format!("Cookie: {}\r\n", server.cookie);
    for path in ["/", "/api/about", "/api/recordings", "/api/live/stream", "/assets/a.js", "/run/x/report", "/none"] {
        assert_eq!(sent(&format!("Host: {host}\r\n"), path), 401, "{path} without a cookie");
        assert_eq!(
            sent(&format!("Host: {host}\r\nCookie: {}0\r\n", server.cookie), path),
            401,
            "{path} with another one"
        );
        assert_eq!(sent(&format!("Host: evil.example:{port}\r\n{cookie}"), path), 403, "{path} by another name");
        assert_eq!(
            sent(&format!("Host: {host}\r\nOrigin: http://evil.example\r\n{cookie}"), path),
            403,
            "{path} of another page"
        );
    }
    assert_eq!(sent(&format!("Host: {host}\r\n{cookie}"), "/api/about"), 200);
    assert_eq!(sent(&format!("Host: localhost:{port}\r\n{cookie}"), "/api/about"), 200);
    assert_eq!(sent(&format!("Host: {host}\r\nSec-Fetch-Site: cross-site\r\n{cookie}"), "/api/about"), 403);
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let response =
            send(host, &format!("{method} /api/about HTTP/1.1\r\nHost: {host}\r\n{cookie}Connection: close\r\n\r\n"));
        assert_eq!(response.status, 405, "{method}");
    }
    let page = server.get("/");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    server.end();
}

#[test]
fn connections_without_the_cookie_hold_up_nobody() {
    let scratch = tempfile::tempdir().unwrap();
    let server = Server::start(&[scratch.path()]);
    let page = connect(&server.host);
    // More than are served at once; every second one has sent half of a request.
    let crowd: Vec<TcpStream> = (0..300)
        .map(|at| {
            let mut stream = connect(&server.host);
            stream.write_all(if at % 2 == 0 { b"GET / HT" } else { b"" }).unwrap();
            stream
        })
        .collect();
    assert_eq!(server.get("/api/about").status, 200);
    drop((page, crowd));
    server.end();
}

#[test]
fn no_path_leaves_the_recordings() {
    let scratch = tempfile::tempdir().unwrap();
    let (top, outside) = (scratch.path().join("top"), scratch.path().join("outside"));
    std::fs::create_dir(&top).unwrap();
    record(&outside);
    std::os::unix::fs::symlink(&outside, top.join("link")).unwrap();
    let server = Server::start(&[&top]);
    assert_eq!(server.ok("/api/recordings")["recordings"].as_array().unwrap().len(), 0, "a link is not followed");
    for path in [
        "/api/recording/..%2f..%2foutside/info",
        "/api/recording/../outside/info",
        "/api/recording/link/info",
        "/assets/../../../etc/passwd",
        "/assets/..%2f..%2f..%2fetc%2fpasswd",
        "/assets/%2fetc%2fpasswd",
        "/run/..%2foutside/report",
        "//etc/passwd",
    ] {
        let response = server.get(path);
        assert_eq!(response.status, 404, "{path}");
        assert!(!String::from_utf8_lossy(&response.body).contains("root:"), "{path}");
    }
    server.end();
}

#[test]
fn a_bomb_or_a_hostile_name_is_the_problem_of_one_recording() {
    let scratch = tempfile::tempdir().unwrap();
    record(&scratch.path().join("healthy"));
    // What is listed and answered of the healthy one; its id and the time of the answer are of one server.
    let healthy = |server: &Server| {
        let listed = server.ok("/api/recordings");
        let listed = listed["recordings"].as_array().unwrap();
        let is_healthy =
            |recording: &&Value| recording["folder"].as_str().is_some_and(|path| path.ends_with("healthy"));
        let mut found = listed.iter().find(is_healthy).unwrap().clone();
        let id = found.as_object_mut().unwrap().remove("id").unwrap();
        let path = |rest: &str| format!("/api/recording/{}/{rest}", id.as_str().unwrap());
        let answers = ["series?s=host/MemFree", "diagnosis"].map(|rest| server.get(&path(rest)).body);
        (found, answers, listed.clone())
    };
    let server = Server::start(&[scratch.path()]);
    let (alone, answers, _) = healthy(&server);
    server.end();
    let bombs = BOMBS.iter().filter(|bomb| bomb.kind == Kind::Recording);
    bombs.clone().for_each(|bomb| (bomb.write)(&scratch.path().join(bomb.name)));
    for (number, name) in ["2026112\u{20ac}-1.log", "\u{661}\u{662}-1.log", "\u{1b}]0;x\u{7}.log"].iter().enumerate() {
        let folder = scratch.path().join(format!("stranger-{number}"));
        std::fs::create_dir_all(folder.join("open")).unwrap();
        std::fs::write(folder.join("open").join(name), b"x").unwrap();
        std::fs::write(folder.join("manifest.json"), r#"{"schema_version": 1}"#).unwrap();
    }
    let mut limited = Command::new("prlimit");
    let server = Server::start_by(limited.args(["--as=1610612736", "--core=0", BINARY]), &[scratch.path()]);
    let (beside, answers_beside, listed) = healthy(&server);
    assert_eq!((beside, answers_beside), (alone.clone(), answers.clone()));
    let mut refused = 0;
    for recording in &listed {
        let (id, path) = (recording["id"].as_str().unwrap(), recording["folder"].as_str().unwrap());
        let response = server.get(&format!("/api/recording/{id}/diagnosis"));
        if bombs.clone().any(|bomb| path.ends_with(bomb.name)) {
            let said = response.json();
            refused += usize::from(response.status == 400 && said["error"].to_string().contains(" exceeds "));
        }
    }
    // The others read only the metrics that they need.
    assert!(refused >= 2, "{refused} bombs were refused: {listed:?}");
    assert_eq!(healthy(&server).1, answers, "and it goes on");
    server.end();
}

#[test]
fn hostile_names_and_ten_thousand_groups_are_text_in_json() {
    let scratch = tempfile::tempdir().unwrap();
    record(&scratch.path().join("rec"));
    let server = Server::start(&[scratch.path()]);
    let listed = server.ok("/api/recordings");
    let recording = &listed["recordings"][0];
    assert_eq!(recording["host"], HOSTILE);
    let id = recording["id"].as_str().unwrap().to_owned();
    let path = |rest: &str| format!("/api/recording/{id}/{rest}");
    let info = server.ok(&path("info"));
    assert_eq!(info["entities"]["cgroup_count"], GROUPS);
    let raw = server.get(&path("top?table=process"));
    assert!(!raw.body.contains(&0x1b), "no control character leaves as it is");
    assert_eq!(raw.json()["rows"][0]["label"], format!("{HOSTILE}[7]"));
    let groups = server.ok(&path("top?table=cgroup&limit=3"));
    assert_eq!((groups["total"].as_u64(), groups["rows"].as_array().unwrap().len()), (Some(GROUPS as u64), 3));
    assert_eq!(groups["rows"][0]["cells"][0], 4096.0 * GROUPS as f64, "the largest first");
    let entity = groups["rows"][0]["entity"].as_str().unwrap();
    let encoded: String = entity.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let series = server.ok(&path(&format!("series?s=cgroup/current/{encoded}&s=host/MemFree&s=host/nothing")));
    assert_eq!(series["series"][0]["mean"][1], 4096.0 * GROUPS as f64);
    assert_eq!(series["series"][1]["mean"].as_array().unwrap().len(), 4);
    assert!(series["series"][2]["mean"].is_null() && series["series"][2]["missing"].is_string());
    for wrong in
        ["series", "series?s=x", "series?s=host/MemFree&points=9999999", "top?table=x", "top?sort=x", "info?x=1"]
    {
        let response = server.get(&path(wrong));
        assert_eq!(response.status, 400, "{wrong}");
        assert!(response.json()["error"]["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{wrong}");
    }
    assert!(server.ok(&path("diagnosis"))["verdict"].is_string());
    server.end();
}

/// Samples of two occasions a week apart, and a note in the second.
#[test]
fn occasions_that_lie_apart_have_a_gap_between_them() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("two");
    let mut schema = Schema::default();
    let host = schema.push_entity(Table::Host, Entity::new("", ""));
    schema.column(Table::Host, "MemFree");
    let manifest = Manifest { interval: Nanos::new(1_000_000_000), ..Manifest::default() };
    let mut writer = Writer::create(&folder).unwrap();
    writer.begin(&manifest).unwrap();
    let week = 7 * 86_400;
    let mut sample = Sample::default();
    for second in [0, 1, 2, week, week + 1] {
        sample.clear();
        let ns = second * SECOND;
        sample.stamp = Stamp { wall_ns: BEGIN + ns, mono_ns: ns, boot_ns: ns };
        sample.row(Table::Host, host, 1)[0] = Some(1 << 30);
        writer.sample(&schema, &sample).unwrap();
    }
    writer.mark(&Mark { stamp: sample.stamp, kind: MarkKind::Note { text: "deployed".into() } }).unwrap();
    writer.finish(&manifest).unwrap();
    let server = Server::start(&[&folder]);
    let recordings = server.ok("/api/recordings");
    let id = recordings["recordings"][0]["id"].as_str().unwrap();
    let ms = |second: i64| BEGIN / 1_000_000 + second * 1000;
    let info = server.ok(&format!("/api/recording/{id}/info"));
    assert_eq!(info["gaps"], serde_json::json!([{ "from_ms": ms(2), "to_ms": ms(week) }]));
    let series = format!("/api/recording/{id}/series?s=host/MemFree&from={}&to={}", ms(week - 1), info["to_ms"]);
    let at = serde_json::json!([ms(week), ms(week + 1)]);
    assert_eq!(server.ok(&series)["at_ms"], at, "a recording's last sample is in its range");
    let marks = server.ok(&format!("/api/recording/{id}/marks"));
    assert_eq!(marks["marks"], serde_json::json!([{ "at_ms": ms(week + 1), "kind": "note", "text": "deployed" }]));
    let diagnosis = server.ok(&format!("/api/recording/{id}/diagnosis"));
    assert_eq!(diagnosis["to_ms"], info["to_ms"], "a week without samples is no more than a day to diagnose");
    for answer in [&marks, &diagnosis] {
        assert_eq!(answer["damaged"], serde_json::json!([]));
    }
    server.end();
}

#[test]
fn what_is_damaged_is_beside_the_verdict() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("rec");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/corpus/stream-floods-cache-1/recording");
    assert!(Command::new("cp").arg("-r").args([&fixture, &folder]).status().unwrap().success());
    let mut file = folder.join("disk");
    while file.is_dir() {
        file = std::fs::read_dir(&file).unwrap().next().unwrap().unwrap().path();
    }
    std::fs::write(&file, "no Parquet").unwrap();
    let server = Server::start(&[&folder]);
    let recordings = server.ok("/api/recordings");
    let id = recordings["recordings"][0]["id"].as_str().unwrap();
    let diagnosis = server.ok(&format!("/api/recording/{id}/diagnosis"));
    let said = diagnosis["damaged"][0].as_str().unwrap_or_default();
    assert!(said.contains("the disk rows of segment"), "{said}");
    server.end();
}

/// Reads a stream of events to the first one called `name`.
fn event(stream: &mut BufReader<TcpStream>, name: &str) -> Value {
    let mut line = String::new();
    loop {
        line.clear();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream ended before {name}");
        if line.trim_end() == format!("event: {name}") {
            line.clear();
            stream.read_line(&mut line).unwrap();
            return serde_json::from_str(line.trim_start_matches("data: ")).unwrap();
        }
    }
}

#[test]
fn two_pages_get_the_same_samples_while_slow_clients_wait() {
    let scratch = tempfile::tempdir().unwrap();
    let server = Server::start(&[scratch.path()]);
    assert_eq!(server.get("/api/recording/live/info").status, 404, "nothing is sampled for nobody");
    let open = || {
        let mut stream = TcpStream::connect(&server.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let Server { host, cookie, .. } = &server;
        write!(stream, "GET /api/live/stream HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n").unwrap();
        BufReader::new(stream)
    };
    // Half a head, and streams that nobody reads.
    let slow: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.host).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\nHost:").unwrap();
            stream
        })
        .collect();
    let unread: Vec<_> = (0..4).map(|_| open()).collect();
    let (mut one, mut other) = (open(), open());
    let hello = event(&mut one, "hello");
    assert_eq!((hello["id"].as_str(), hello["source"].as_str()), (Some("live"), Some("samples")));
    event(&mut other, "hello");
    let first = event(&mut one, "sample");
    assert!(first["memory"].as_array().unwrap().iter().any(|part| part["name"] == "clean"), "{first}");
    assert!(first["host"]["MemFree"].is_number());
    // One sampler: what both get has the same times.
    let times = |stream: &mut BufReader<TcpStream>| -> Vec<i64> {
        (0..8).map(|_| event(stream, "sample")["at_ms"].as_i64().unwrap()).collect()
    };
    let (of_one, of_other) = (times(&mut one), times(&mut other));
    assert!(of_one.iter().any(|at| of_other.contains(at)), "{of_one:?} {of_other:?}");
    let series = server.ok("/api/recording/live/series?s=host/MemFree");
    assert!(!series["at_ms"].as_array().unwrap().is_empty());
    drop((slow, unread, one));
    event(&mut other, "sample");
    server.end();
}

#[test]
fn an_address_of_the_network_is_refused_and_a_token_that_others_read() {
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_pagetide")).arg("serve").args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = run(&["--listen", "0.0.0.0:0"]);
    assert!(
        code == Some(2) && said.contains("--insecure") && said.contains("ssh -L") && said.contains("--tls-cert"),
        "{said}"
    );
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("token");
    std::fs::write(&file, "0123456789abcdef0123456789abcdef").unwrap();
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let (code, said) = run(&["--token-file", &file.to_string_lossy()]);
    assert!(code == Some(2) && said.contains("other users may read"), "{said}");
    let (code, said) = run(&["/nothing/here"]);
    assert!(code == Some(2) && said.contains("hint:"), "{said}");
    let (code, said) = run(&["--listen", "nonsense"]);
    assert!(code == Some(2) && said.contains("127.0.0.1:8080"), "{said}");
}

/// Makes a certificate and its key as docs/SERVE.md describes.
fn certificate(folder: &Path) -> (String, String) {
    let [certificate, key] = ["cert.pem", "key.pem"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "90"])
        .args(["-subj", "/CN=db1.example", "-addext", "subjectAltName=DNS:db1.example,IP:127.0.0.1"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout", &key, "-out", &certificate])
        .output()
        .expect("no openssl on this machine: apt-get install -y openssl");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    (certificate, key)
}

/// Sends a request over TLS, as a client that trusts the certificate.
fn send_encrypted(host: &str, certificate: &str, request: &str) -> Response {
    use tokio_rustls::rustls::pki_types::{CertificateDer, pem::PemObject};
    use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, crypto::ring};
    let mut trusted = RootCertStore::empty();
    trusted.add(CertificateDer::from_pem_file(certificate).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(trusted)
        .with_no_client_auth();
    let client = ClientConnection::new(config.into(), "127.0.0.1".try_into().unwrap()).unwrap();
    exchange(StreamOwned::new(client, connect(host)), request)
}

#[test]
fn with_a_certificate_connections_are_encrypted() {
    let scratch = tempfile::tempdir().unwrap();
    let (certificate, key) = certificate(scratch.path());
    let mut child = Command::new(env!("CARGO_BIN_EXE_pagetide"))
        .args(["serve", "--json", "--listen", "0.0.0.0:0", "--tls-cert", &certificate, "--tls-key", &key])
        .arg(scratch.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let started: Value = serde_json::from_str(&line).unwrap();
    let url = started["url"].as_str().unwrap();
    let (address, path) = url.strip_prefix("https://0.0.0.0:").unwrap().split_once('/').unwrap();
    let host = format!("127.0.0.1:{address}");
    let get =
        |path: &str, lines: &str| format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{lines}Connection: close\r\n\r\n");
    let first = send_encrypted(&host, &certificate, &get(&format!("/{path}"), ""));
    assert_eq!(first.status, 303, "{}", first.head);
    let cookie = first.header("set-cookie").unwrap().to_owned();
    assert!(cookie.contains("; Secure") && cookie.contains("HttpOnly"), "{cookie}");
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().unwrap());
    let about = send_encrypted(&host, &certificate, &get("/api/about", &cookie));
    assert_eq!((about.status, about.json()["schema_version"].as_i64()), (200, Some(2)));
    let other = send_encrypted(&host, &certificate, &get("/api/about", &format!("{cookie}Origin: http://{host}\r\n")));
    assert_eq!(other.status, 403, "a page that came without encryption is another page");
    // Who does not encrypt gets no answer, and who says nothing keeps nobody waiting.
    let silent = connect(&host);
    let mut plain = connect(&host);
    plain.write_all(get("/api/about", &cookie).as_bytes()).unwrap();
    let mut answer = Vec::new();
    // The server may reset the connection.
    let _ = plain.read_to_end(&mut answer);
    assert!(!String::from_utf8_lossy(&answer).contains("HTTP"), "{answer:?}");
    assert_eq!(send_encrypted(&host, &certificate, &get("/api/about", &cookie)).status, 200);
    drop(silent);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_certificate_that_cannot_be_used_is_refused_in_a_line() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = tempfile::tempdir().unwrap();
    let (certificate, key) = certificate(scratch.path());
    let file = |name: &str, content: &str, mode: u32| {
        let path = scratch.path().join(name);
        std::fs::write(&path, content).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let key_text = std::fs::read_to_string(&key).unwrap();
    let other = scratch.path().join("other");
    std::fs::create_dir(&other).unwrap();
    let (_, other_key) = self::certificate(&other);
    let (no_key, open_key) = (file("no-key.pem", "nothing", 0o600), file("open.pem", &key_text, 0o640));
    let nothing = file("nothing.pem", "nothing", 0o644);
    let torn = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    let torn = file("torn.pem", torn, 0o644);
    for (certificate, key, said) in [
        ("/nothing/cert.pem", key.as_str(), "/nothing/cert.pem: No such file"),
        (&certificate, "/nothing/key.pem", "/nothing/key.pem: No such file"),
        (&nothing, &key, "no certificate in the file of --tls-cert"),
        (&torn, &key, "cannot use the certificate and its key"),
        (&certificate, &no_key, "no key in the file of --tls-key"),
        (&certificate, &open_key, "other users may read or write it (mode 640)"),
        (&certificate, &other_key, "name the key that belongs to the certificate"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pagetide"));
        let output = command.args(["serve", "--tls-cert", certificate, "--tls-key", key]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(said), "{said}: {text}");
        assert!(text.lines().count() == 2 && text.contains("hint: "), "an error and a hint: {text}");
    }
}
