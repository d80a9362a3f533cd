//! The paths that the recorder answers, on its control socket and on TCP.

use crate::http::{Method, Request, Response};
use crate::prometheus::{self, ActiveIncidents, Scraper};
use crate::status::StatusSource;
use pagetide_core::RuleId;
use pagetide_kernel::Root;
use std::collections::BTreeSet;
use std::time::Instant;

/// The path of the recorder's state, as JSON.
pub(crate) const STATUS: &str = "/status";
const METRICS: &str = "/metrics";
/// The path to which `pagetide diagnose --watch` gives the rules of the incidents that last, separated by commas.
pub(crate) const INCIDENTS: &str = "/incidents/";

/// What a client may do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Client {
    /// Read the names of control groups.
    pub(crate) names: bool,
    /// Tell what lasts: whoever may connect to the control socket.
    pub(crate) control: bool,
}

/// Answers requests by their path.
#[derive(Debug)]
pub(crate) struct Endpoints {
    status: StatusSource,
    scraper: Scraper,
    incidents: Option<ActiveIncidents>,
}

impl Endpoints {
    /// The state of a recorder, and the metrics of the host whose kernel files are below `root`.
    pub(crate) fn new(status: StatusSource, root: Root) -> Self {
        Self { status, scraper: Scraper::new(root), incidents: None }
    }

    /// The response to a request.
    pub(crate) fn respond(&mut self, request: Request<'_>, client: Client) -> Response {
        if request.method == Method::Put {
            return match request.path.strip_prefix(INCIDENTS).filter(|_| client.control) {
                Some(rules) => self.take_incidents(rules),
                None => Response::method_not_allowed(),
            };
        }
        match request.path {
            METRICS => {
                let status = self.status.read();
                let incidents = self.incidents.as_ref();
                let body = self.scraper.page(&status, self.status.started_wall_ns(), incidents, client.names);
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

    fn take_incidents(&mut self, rules: &str) -> Response {
        let named = rules.split(',').filter(|rule| !rule.is_empty());
        let known: Option<BTreeSet<RuleId>> = named.map(RuleId::named).collect();
        let Some(rules) = known else { return Response::text("400 Bad Request", "a rule that is not known\n") };
        self.incidents = Some(ActiveIncidents { rules, told: Instant::now() });
        Response::text("200 OK", "taken\n")
    }
}
