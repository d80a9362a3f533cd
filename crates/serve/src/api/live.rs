//! The stream of samples and findings.

use crate::live::{Newest, Visit, columns};
use crate::reply::{self, Answer};
use crate::shared::Shared;
use crate::watch::Holding;
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use futures_util::stream::{self, Stream};
use pagetide_core::{Error, HostTimeZone, Unit};
use pagetide_diagnose::LastingKey;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// A comment is sent after so much silence, so that a client that is gone is noticed.
const SILENCE: Duration = Duration::from_secs(15);

#[derive(Serialize)]
struct Hello<'a> {
    id: &'static str,
    host: &'a str,
    kernel: &'a str,
    cpus: u32,
    memory_bytes: u64,
    interval_ms: u64,
    source: &'static str,
    time_zone: &'a Option<HostTimeZone>,
    units: BTreeMap<&'static str, Unit>,
}

#[derive(Serialize)]
struct Event<'a> {
    event: &'static str,
    #[serde(flatten)]
    finding: &'a Holding,
}

#[derive(Serialize)]
struct Problem<'a> {
    what: &'a str,
    hint: &'a str,
}

pub(super) async fn stream(State(shared): State<Arc<Shared>>) -> Answer {
    let inner = Arc::clone(&shared);
    // Starting a sampler reads files.
    let visit = shared.work.run(move || Ok(inner.live.visit()?)).await?;
    let hello = Hello {
        id: super::source::LIVE,
        host: &visit.manifest.host,
        kernel: &visit.manifest.kernel,
        cpus: visit.manifest.cpus,
        memory_bytes: visit.manifest.memory_total.get(),
        interval_ms: shared.live.interval().get() / 1_000_000,
        source: shared.live.source_name(),
        time_zone: &visit.manifest.time_zone,
        units: columns(),
    };
    let hello = format!("retry: 2000\n{}", event("hello", &reply::text(hello)?));
    let mut response = reply::typed(StatusCode::OK, "text/event-stream", Body::from_stream(events(visit, hello)));
    response.headers_mut().insert("x-accel-buffering", axum::http::HeaderValue::from_static("no"));
    Ok(response)
}

/// One event of the stream; `json` is a line.
fn event(name: &str, json: &str) -> String {
    format!("event: {name}\ndata: {}\n\n", json.trim_end())
}

/// What a page has been sent.
struct Page {
    visit: Visit,
    waiting: VecDeque<String>,
    frame_ns: i64,
    findings: BTreeMap<LastingKey, Holding>,
    problem: Option<Arc<Error>>,
}

fn events(visit: Visit, hello: String) -> impl Stream<Item = Result<String, Infallible>> {
    let page =
        Page { visit, waiting: VecDeque::from([hello]), frame_ns: i64::MIN, findings: BTreeMap::new(), problem: None };
    stream::unfold(page, async |mut page| {
        loop {
            if let Some(text) = page.waiting.pop_front() {
                return Some((Ok(text), page));
            }
            let newest = page.visit.newest.borrow_and_update().clone();
            page.take(&newest);
            if !page.waiting.is_empty() {
                continue;
            }
            match tokio::time::timeout(SILENCE, page.visit.newest.changed()).await {
                Ok(Ok(())) => {}
                // The sampler has ended.
                Ok(Err(_)) => return None,
                Err(_) => page.waiting.push_back(": \n\n".to_owned()),
            }
        }
    })
}

impl Page {
    /// Notes what is new. Frames between the last one sent and the newest are left out; a finding is not.
    fn take(&mut self, newest: &Newest) {
        if let Some(frame) = newest.frame.as_ref().filter(|frame| frame.wall_ns > self.frame_ns) {
            self.frame_ns = frame.wall_ns;
            self.waiting.push_back(event("sample", &frame.json));
        }
        let began = newest.findings.iter().filter(|(key, _)| !self.findings.contains_key(*key));
        let ended = self.findings.iter().filter(|(key, _)| !newest.findings.contains_key(*key));
        let events = began.map(|(_, finding)| ("began", finding)).chain(ended.map(|(_, finding)| ("ended", finding)));
        let texts: Vec<String> = events
            .filter_map(|(name, finding)| Some(event("finding", &reply::text(Event { event: name, finding }).ok()?)))
            .collect();
        self.waiting.extend(texts);
        self.findings.clone_from(&newest.findings);
        if newest.problem != self.problem {
            if let Some(problem) = &newest.problem {
                let text = reply::text(Problem { what: &problem.what, hint: &problem.hint });
                self.waiting.extend(text.ok().map(|text| event("problem", &text)));
            }
            self.problem.clone_from(&newest.problem);
        }
    }
}
