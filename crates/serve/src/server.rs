//! The listening socket, and the connections: few enough, short enough.

use crate::Tls;
use crate::access::{Access, Rejection};
use crate::api;
use crate::embedded::Page;
use crate::library::Library;
use crate::live::Live;
use crate::pyramids::Pyramids;
use crate::reply::{self, Failure};
use crate::shared::Shared;
use crate::work::{AT_ONCE, Work};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use pagetide_core::{Error, Nanos};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::AbortHandle;

/// Connections at the same time. A new one replaces the oldest that has never sent the cookie; if all have, the new one is refused.
const CONNECTIONS: usize = 128;
/// Size limit of the head of a request.
const LARGEST_HEAD: usize = 16 << 10;
/// For the head of a request, and between two requests.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// For data that a client does not take: the kernel closes the connection then.
const STALL_MS: u32 = 30_000;
/// Between two looks at whether to stop.
const NAP: Duration = Duration::from_millis(100);

/// What a server does.
pub struct Options {
    /// Where recordings and runs are looked for.
    pub folders: Vec<PathBuf>,
    /// Whether hosts are named after the folders of their recordings, not by what the recordings say.
    pub hosts_from_folders: bool,
    /// The address; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Other names that browsers may use for it, besides its address.
    pub names: Vec<String>,
    /// The token of a file; without it one is made.
    pub token: Option<String>,
    /// The certificate; without it nothing encrypts the connections.
    pub tls: Option<Tls>,
    /// A folder to take the page from, and not from this program.
    pub page: Option<PathBuf>,
    /// The recording of this host that a recorder writes, to be followed and not sampled anew.
    pub follow: Option<PathBuf>,
    /// A folder for what is made of recordings that cannot be written.
    pub cache: Option<PathBuf>,
    /// Time between samples of this host.
    pub interval: Nanos,
    /// Says a line to the one who started the server.
    pub say: Box<dyn Fn(&str) + Send + Sync>,
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("folders", &self.folders).field("listen", &self.listen).finish_non_exhaustive()
    }
}

/// A server that is bound to its address.
pub struct Server {
    listener: TcpListener,
    tls: Option<Tls>,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("listener", &self.listener).finish_non_exhaustive()
    }
}

impl Server {
    /// Opens the address.
    ///
    /// # Errors
    /// The address is taken or not of this machine, or the token cannot be used.
    pub fn bind(options: Options) -> Result<Self, Error> {
        let listen = options.listen;
        let failed = |error: std::io::Error| {
            let hint = match error.kind() {
                std::io::ErrorKind::AddrInUse => {
                    "another program uses this port: choose one with --listen, or leave --listen out for a free one"
                }
                _ => "--listen takes an address of this machine and a port, such as 127.0.0.1:8080",
            };
            Error::system(format!("cannot listen on {listen}: {error}"), hint)
        };
        let listener = TcpListener::bind(listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let shared = Shared {
            access: Access::new(address, options.tls.is_some(), options.names, options.token)?,
            library: Library::new(options.folders),
            hosts_from_folders: options.hosts_from_folders,
            live: Arc::new(Live::new(options.follow, options.interval)),
            work: Work::default(),
            pyramids: Pyramids::new(options.cache),
            page: options.page.map_or(Page::Embedded, Page::Folder),
            say: options.say,
        };
        Ok(Self { listener, tls: options.tls, shared: Arc::new(shared) })
    }

    /// What to open in a browser.
    pub fn url(&self) -> String {
        self.shared.access.url()
    }

    /// Whether this program has the page, and not only the data.
    pub fn has_page(&self) -> bool {
        self.shared.page.is_there()
    }

    /// Answers until `stop` says so.
    ///
    /// # Errors
    /// The system gives no thread or no socket.
    pub fn run(self, stop: &dyn Fn() -> bool) -> Result<(), Error> {
        pagetide_store::share_memory(AT_ONCE);
        let failed = |error: std::io::Error| Error::system(format!("cannot serve: {error}"), "try again");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(8)
            .thread_name("serve")
            .build()
            .map_err(failed)?;
        let shared = Arc::clone(&self.shared);
        let served = runtime.block_on(self.accept(stop)).map_err(failed);
        runtime.shutdown_timeout(Duration::from_secs(2));
        shared.pyramids.stop();
        shared.live.stop();
        served
    }

    async fn accept(self, stop: &dyn Fn() -> bool) -> std::io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let router = router(self.shared);
        let mut visitors = Visitors::default();
        let mut http = hyper::server::conn::http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(LARGEST_HEAD);
        while !stop() {
            let stream = match tokio::time::timeout(NAP, listener.accept()).await {
                Ok(Ok((stream, _))) => stream,
                Err(_) => continue,
                Ok(Err(_)) => {
                    // No descriptor is left, or the client went away: try again with the next one.
                    tokio::time::sleep(NAP).await;
                    continue;
                }
            };
            if !visitors.make_room() {
                continue;
            }
            // If the kernel refuses this, only a limit is missing; the answer is not affected.
            let _ = rustix::net::sockopt::set_tcp_user_timeout(&stream, STALL_MS);
            let _ = stream.set_nodelay(true);
            let known = Known::default();
            let service = TowerToHyperService::new(router.clone().layer(Extension(known.clone())));
            let (http, tls) = (http.clone(), self.tls.clone());
            let task = tokio::spawn(async move {
                // A connection that a client drops affects no other.
                let _ = match tls {
                    None => http.serve_connection(TokioIo::new(stream), service).await,
                    Some(tls) => match tokio::time::timeout(HEAD_TIME, tls.accept(stream)).await {
                        Ok(Ok(stream)) => http.serve_connection(TokioIo::new(stream), service).await,
                        _ => Ok(()),
                    },
                };
            });
            visitors.0.push(Visitor { known, task: task.abort_handle() });
        }
        Ok(())
    }
}

/// Whether a request of a connection had the cookie.
#[derive(Debug, Clone, Default)]
struct Known(Arc<AtomicBool>);

/// An open connection.
#[derive(Debug)]
struct Visitor {
    known: Known,
    task: AbortHandle,
}

/// The open connections, the oldest first.
#[derive(Debug, Default)]
struct Visitors(Vec<Visitor>);

impl Visitors {
    /// Makes room for one more; false if all open connections have sent the cookie. Every user of the host can connect, so connections
    /// without the cookie must not block others, however many there are.
    fn make_room(&mut self) -> bool {
        self.0.retain(|visitor| !visitor.task.is_finished());
        if self.0.len() < CONNECTIONS {
            return true;
        }
        let stranger = self.0.iter().position(|visitor| !visitor.known.0.load(Ordering::Relaxed));
        stranger.map(|at| self.0.remove(at).task.abort()).is_some()
    }
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/assets/{*path}", get(asset))
        .route("/favicon.svg", get(asset))
        .merge(api::routes())
        .fallback(async || Failure::not_found("nothing is served at this address"))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared)
}

/// Passes on the requests that are allowed.
async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let is_page = request.uri().path() == "/";
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return Failure::new(StatusCode::METHOD_NOT_ALLOWED, "no request changes anything", "use GET").into_response();
    }
    if let Err(rejection) = shared.access.is_addressed(request.headers(), is_page) {
        return refused(rejection);
    }
    if is_page && let Some(token) = token(request.uri().query()) {
        return exchange(&shared, &token);
    }
    if let Err(rejection) = shared.access.has_cookie(request.headers()) {
        return if is_page { unknown() } else { refused(rejection) };
    }
    if let Some(known) = request.extensions().get::<Known>() {
        known.0.store(true, Ordering::Relaxed);
    }
    next.run(request).await
}

fn token(query: Option<&str>) -> Option<String> {
    let mut pairs = form_urlencoded::parse(query?.as_bytes());
    pairs.find_map(|(key, value)| (key == "token").then(|| value.into_owned()))
}

/// Gives the cookie for a token.
fn exchange(shared: &Shared, token: &str) -> Response {
    let Some((cookie, replaced)) = shared.access.exchange(token) else { return unknown() };
    if replaced {
        (shared.say)(&format!("a browser opened the page; for another one: {}", shared.access.url()));
    }
    let Ok(cookie) = HeaderValue::try_from(cookie) else { return unknown() };
    let mut response = reply::typed(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", "");
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/"));
    response
}

/// What a browser without the cookie sees.
fn unknown() -> Response {
    const PAGE: &str = "<!DOCTYPE html><meta charset=utf-8><title>pagetide</title><p><code>pagetide serve</code> does not know this browser. \
        Open the address that it printed last in its terminal; each address works once.";
    reply::typed(StatusCode::UNAUTHORIZED, "text/html; charset=utf-8", PAGE)
}

fn refused(rejection: Rejection) -> Response {
    match rejection {
        Rejection::Host => Failure::new(
            StatusCode::FORBIDDEN,
            "the request used a name that is not this server's",
            "open the printed address, or start the server with --name NAME",
        ),
        Rejection::Origin => {
            Failure::new(StatusCode::FORBIDDEN, "the request came from another page", "open the printed address")
        }
        Rejection::Cookie => Failure::new(
            StatusCode::UNAUTHORIZED,
            "the server does not know this browser",
            "open the address that `pagetide serve` printed last",
        ),
    }
    .into_response()
}

async fn index(State(shared): State<Arc<Shared>>) -> Response {
    shared.page.index()
}

async fn asset(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    let file = shared.page.file(path, request.headers());
    file.unwrap_or_else(|| Failure::not_found("the page has no such file").into_response())
}
