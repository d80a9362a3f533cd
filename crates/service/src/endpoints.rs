//! The paths that the recorder answers, on its control socket and on TCP.

use crate::http::Response;
use crate::prometheus::{self, Scraper};
use crate::status::StatusSource;
use pagetide_kernel::Root;

/// The path of the recorder's state, as JSON.
pub(crate) const STATUS: &str = "/status";
const METRICS: &str = "/metrics";

/// Answers requests by their path.
#[derive(Debug)]
pub(crate) struct Endpoints {
    status: StatusSource,
    scraper: Scraper,
}

impl Endpoints {
    /// The state of a recorder, and the metrics of the host whose kernel files are below `root`.
    pub(crate) fn new(status: StatusSource, root: Root) -> Self {
        Self { status, scraper: Scraper::new(root) }
    }

    /// The response to a request for `path`; `names` says whether it may hold the names of control groups.
    pub(crate) fn respond(&mut self, path: &str, names: bool) -> Response {
        match path {
            METRICS => {
                let body = self.scraper.page(&self.status.read(), self.status.started_wall_ns(), names);
                Response { status: "200 OK", content_type: prometheus::CONTENT_TYPE, body }
            }
            STATUS => {
                let body = serde_json::to_string(&self.status.read()).unwrap_or_default() + "\n";
                Response { status: "200 OK", content_type: "application/json", body }
            }
            "/" => Response::text("200 OK", format!("pagetide record: {METRICS} for Prometheus, {STATUS} as JSON\n")),
            _ => Response::text("404 Not Found", format!("not found: this server has {METRICS} and {STATUS}\n")),
        }
    }
}
