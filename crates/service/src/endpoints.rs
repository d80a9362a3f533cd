//! The paths that the recorder answers, on its control socket and on TCP.

use crate::http::{Method, Request, Response};
use crate::prometheus::{self, ActiveIncidents, Scraper};
use crate::status::StatusSource;
use pagetide_core::RuleId;
use pagetide_kernel::Root;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::Instant;

/// The path of the recorder's state, as JSON.
pub(crate) const STATUS: &str = "/status";
const METRICS: &str = "/metrics";
/// The path where `pagetide diagnose --watch` posts the rules of the active incidents, separated by commas.
pub(crate) const INCIDENTS: &str = "/incidents/";

/// What a client may do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Client {
    /// Read the names of control groups.
    pub(crate) names: bool,
    /// Post the active incidents: allowed for everyone who may connect to the control socket.
    pub(crate) control: bool,
    /// Reach this host by any name: with `--expose` other hosts connect, and they may use names that it does not know.
    pub(crate) any_name: bool,
}

/// Whether a `Host` names this host: an address, `localhost`, or its own name with its domain or without. A page in a browser reaches a
/// local address by a name of the page's (DNS rebinding).
fn is_this_host(host: &str, own: &str) -> bool {
    let port = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let name = port.map_or(host, |(name, _)| name);
    let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    let short = own.split('.').next().unwrap_or_default();
    let names = ["localhost", own, short];
    address.parse::<IpAddr>().is_ok() || (!name.is_empty() && names.iter().any(|own| name.eq_ignore_ascii_case(own)))
}

/// Answers requests by their path.
#[derive(Debug)]
pub(crate) struct Endpoints {
    status: StatusSource,
    scraper: Scraper,
    incidents: Option<ActiveIncidents>,
    /// The name of this host.
    own: String,
}

impl Endpoints {
    /// The state of a recorder, and the metrics of the host whose kernel files are below `root`.
    pub(crate) fn new(status: StatusSource, root: Root) -> Self {
        let own = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Self { status, scraper: Scraper::new(root), incidents: None, own }
    }

    /// The response to a request.
    pub(crate) fn respond(&mut self, request: Request<'_>, client: Client) -> Response {
        let named = request.host.is_none_or(|host| client.any_name || is_this_host(host, &self.own));
        if !named {
            return Response::text("403 Forbidden", "the request used a name that is not this host's\n");
        }
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
        let Some(rules) = known else { return Response::text("400 Bad Request", "unknown rule\n") };
        self.incidents = Some(ActiveIncidents { rules, told: Instant::now() });
        Response::text("200 OK", "taken\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_host_reach_it() {
        for host in ["127.0.0.1:9815", "[::1]:9815", "localhost", "LOCALHOST:1", "db1", "DB1:9815", "db1.example:1"] {
            assert!(is_this_host(host, "db1.example"), "{host}");
        }
        for host in ["evil.example", "evil.example:9815", "", "localhost.evil.example", "db2", "db1.evil.example"] {
            assert!(!is_this_host(host, "db1.example") && !is_this_host(host, ""), "{host}");
        }
    }
}
