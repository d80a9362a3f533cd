//! `pagetide serve`: the web page.

use super::Outcome;
use crate::interrupt::Interrupt;
use crate::output;
use crate::recordings::{self, HostFrom};
use pagetide_core::{Error, Nanos, printable};
use pagetide_serve::{Server, Tls};
use pagetide_store::Reader;
use serde::Serialize;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Show this host, recordings and runs in a browser: live samples, any range of a recording, findings on the plots, reports.
///
/// It listens on loopback and prints a URL with a one-time token. The browser that opens it gets a cookie, and the URL for the
/// next browser is printed. All requests are read-only. docs/SERVE.md lists the paths of the API and explains access over ssh.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pagetide serve                               this host
  pagetide serve /var/lib/pagetide             the service's recording, and this host through it
  pagetide serve run recordings --listen 8080  runs and recordings in two folders, on 127.0.0.1:8080
  pagetide serve --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem --name db1.example")]
pub(crate) struct Arguments {
    /// Folders with recordings and runs, at most three levels deep, and files of `pagetide cut`.
    folders: Vec<PathBuf>,
    /// Name a host after its recording (boot ids tell apart machines that share a name), or after the recording's folder.
    #[arg(long, value_name = "SOURCE", default_value = "recording")]
    host_from: HostFrom,
    /// Listen on this port of 127.0.0.1, or on this address and port. 0 takes a free port.
    #[arg(long, value_name = "[ADDRESS:]PORT", default_value = "0", value_parser = address)]
    listen: SocketAddr,
    /// Encrypt connections with the certificate in this PEM file, followed by those that signed it.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's key: a PEM file that only you may read.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Listen on a network address without encryption: everyone on the path can read the cookie and the data.
    #[arg(long, conflicts_with = "tls_cert")]
    insecure: bool,
    /// Also answer to this host name, such as one from DNS. Repeatable.
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Read the token from this file, which no other user may read. It stays valid after its first use.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Serve the page from this folder (`node web/build.mjs FOLDER` writes it) instead of the built-in one, to develop it.
    #[arg(long, value_name = "FOLDER")]
    page: Option<PathBuf>,
    /// Time between live samples.
    #[arg(value_parser = Nanos::typed, long, value_name = "TIME", default_value = "1s")]
    interval: Nanos,
    /// Take live samples even if the pagetide service records this host.
    #[arg(long)]
    sample: bool,
}

/// Where the service of the package records.
const SERVICE: &str = "/var/lib/pagetide";
/// Largest file of a token or a key,
const LARGEST_SECRET: u64 = 64 << 10;
/// and a file of certificates.
const LARGEST_CERTIFICATES: u64 = 1 << 20;
/// Shortest interval of live samples.
const MIN_LIVE_INTERVAL: Nanos = Nanos::new(100_000_000);

/// What is printed at the start with --json.
#[derive(Serialize)]
struct Started<'a> {
    url: &'a str,
    page: bool,
    folders: Vec<String>,
    live: &'static str,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let on_loopback = text.parse().map(|port: u16| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    on_loopback
        .or_else(|_| text.parse())
        .map_err(|_| "write a port, or an address and a port: 127.0.0.1:8080".to_owned())
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Error> {
    let tls = tls(arguments)?;
    if !arguments.listen.ip().is_loopback() && tls.is_none() && !arguments.insecure {
        return Err(Error::input(
            format!("{} is a network address, and nothing encrypts the connection", arguments.listen.ip()),
            "give --tls-cert and --tls-key, or listen on 127.0.0.1 and reach it by `ssh -L 8080:127.0.0.1:PORT HOST`, or accept the risk with \
             --insecure",
        ));
    }
    if arguments.interval < MIN_LIVE_INTERVAL {
        return Err(Error::input(format!("--interval {} is too short", arguments.interval), "100ms is the shortest"));
    }
    let interrupt = Interrupt::catch()?;
    let mut folders = arguments.folders.clone();
    for folder in &folders {
        let readable = if folder.is_file() {
            Reader::open(folder).map(drop)
        } else {
            std::fs::read_dir(folder)
                .map(drop)
                .map_err(|error| Error::unreadable(folder, &error, "name folders with recordings or runs"))
        };
        readable?;
    }
    if folders.is_empty() && is_recording(Path::new(SERVICE)) {
        folders.push(SERVICE.into());
    }
    let follow = folders.iter().find(|folder| !arguments.sample && is_recording(folder)).cloned();
    let live = if follow.is_some() { "recording" } else { "samples" };
    let server = Server::bind(pagetide_serve::Options {
        folders: folders.clone(),
        hosts_from_folders: arguments.host_from == HostFrom::Folder,
        listen: arguments.listen,
        names: arguments.name.clone(),
        token: arguments.token_file.as_deref().map(token).transpose()?,
        tls,
        page: arguments.page.clone(),
        follow,
        cache: Some(pagetide_lab::vm::usual_cache().join("pyramid")),
        interval: arguments.interval,
        say: Box::new(output::say),
    })?;
    let url = server.url();
    if json {
        let folders = folders.iter().map(|folder| folder.display().to_string()).collect();
        let started = Started { url: &url, page: server.has_page(), folders, live };
        output::print_json_line(&started)?;
    } else {
        let names: Vec<String> = folders.iter().map(|folder| printable(&folder.display().to_string()).into()).collect();
        let shown = if names.is_empty() { "this host only".to_owned() } else { names.join(", ") };
        output::print(&format!("{url}\n  shows {shown}; live: {live}; stop with Ctrl-C\n"))?;
    }
    if arguments.listen.ip().is_unspecified() && arguments.name.is_empty() {
        output::say(
            "from another host, replace the address above by this host's address; --name NAME prints it with a name",
        );
    }
    if !server.has_page() {
        output::say("the folder of --page has no index.html: /api answers, / shows nothing");
        output::say("  hint: `node web/build.mjs FOLDER` writes the page into it");
    }
    server.run(&|| interrupt.came())?;
    Ok(Outcome::Done)
}

/// Whether a recorder runs in a folder whose recording this user may read.
fn is_recording(folder: &Path) -> bool {
    matches!(pagetide_service::query(folder), Ok(Some(_))) && recordings::open(folder).is_ok()
}

/// The certificate with its key; absent when none is given.
fn tls(arguments: &Arguments) -> Result<Option<Tls>, Error> {
    let Some((certificates, key)) = arguments.tls_cert.as_deref().zip(arguments.tls_key.as_deref()) else {
        return Ok(None);
    };
    let content = pagetide_dir::read_file(certificates, LARGEST_CERTIFICATES).map_err(|error| {
        Error::input(format!("{}: {error}", certificates.display()), "name the PEM file of the server's certificate")
    })?;
    let key = secret(key, "name the PEM file of the certificate's key; chmod 600 keeps it to you")?;
    Tls::new(&content, &key).map(Some)
}

/// The token of a file.
fn token(file: &Path) -> Result<String, Error> {
    let content = secret(file, "make one: (umask 077; head -c 32 /dev/urandom | sha256sum | cut -c1-64 >FILE)")?;
    Ok(String::from_utf8_lossy(&content).trim().to_owned())
}

/// The content of a file that no other user may read or write.
fn secret(file: &Path, hint: &str) -> Result<Vec<u8>, Error> {
    let failed = |why: String| Error::input(format!("{}: {why}", file.display()), hint);
    let opened = pagetide_dir::open_file(file).map_err(|error| failed(error.to_string()))?;
    let mode = opened.metadata().map_err(|error| failed(error.to_string()))?.mode();
    if mode & 0o077 != 0 {
        return Err(failed(format!("other users may read or write it (mode {:03o})", mode & 0o777)));
    }
    let mut content = Vec::new();
    opened.take(LARGEST_SECRET).read_to_end(&mut content).map_err(|error| failed(error.to_string()))?;
    Ok(content)
}
