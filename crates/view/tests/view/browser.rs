//! The pages in a browser: no error, no request, every plot there, and values under the pointer.
//!
//! Drives the distribution's chromium by its own flags. A script put at the head of the page notes every error, points at
//! the plots once the page has loaded, and leaves what it saw in an attribute of the document, which `--dump-dom` prints.

use crate::{report, several};
use pagetide_core::Report;
use pagetide_view::{html, page};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PROBE: &str = r#"<script>
(() => {
  const seen = [];
  for (const level of ["error", "warn"]) {
    const original = console[level];
    console[level] = (...words) => { seen.push(level + ": " + words.join(" ")); original(...words); };
  }
  addEventListener("error", (event) => seen.push("error: " + (event.message || event.target.outerHTML)), true);
  addEventListener("unhandledrejection", (event) => seen.push("rejection: " + event.reason));
  document.addEventListener("securitypolicyviolation", (event) => seen.push("policy: " + event.blockedURI));
  addEventListener("load", () => {
    const tip = document.getElementById("tip");
    const hovers = [...document.querySelectorAll("svg.plot")].map((svg) => {
      svg.scrollIntoView();
      const box = svg.getBoundingClientRect();
      const at = (part) => svg.dispatchEvent(new PointerEvent("pointermove", {
        bubbles: true, clientX: box.left + box.width * part, clientY: box.top + box.height / 2,
      }));
      // A third of the axis: the margins of the drawing are 72 and 12 of 1000.
      at(0.072 + 0.916 / 3);
      const crosses = [...document.querySelectorAll(".cross")].map((cross) => cross.getAttribute("visibility"));
      const found = {
        plot: svg.dataset.plot, tip: tip.hidden ? "" : tip.innerText,
        legend: svg.closest("figure").querySelector(".legend").innerText,
        crosses: crosses.filter((state) => state === "visible").length,
      };
      at(0.01);
      found.leaves = tip.hidden;
      return found;
    });
    const timeline = document.getElementById("timeline") ?? document.body;
    for (let press = 0; press < 3; press += 1) timeline.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    document.documentElement.dataset.probe = encodeURIComponent(JSON.stringify({
      seen, hovers, keyboard: !tip || tip.hidden ? "" : tip.innerText,
      requests: performance.getEntriesByType("resource").map((entry) => entry.name),
      overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    }));
  });
})();
</script>"#;

/// What the browser saw.
struct Seen {
    probe: serde_json::Value,
    /// What it wrote on its log about the page.
    console: Vec<String>,
}

impl Seen {
    /// Everything that a page must not do.
    fn faults(&self) -> Vec<String> {
        let list =
            |key: &'static str| self.probe[key].as_array().unwrap().iter().map(move |item| format!("{key} {item}"));
        list("seen").chain(list("requests")).chain(self.console.iter().cloned()).collect()
    }
}

fn chromium() -> PathBuf {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = std::env::split_paths(&paths)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file());
    found.expect("no chromium on this machine to look at the page with: apt-get install -y chromium")
}

fn drawn(report: &Report) -> String {
    let mut out = Vec::new();
    html::draw(&page(report), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Loads a page and gives what the probe and the log say.
fn load(page: &str, width: u32) -> Seen {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("page.html"), page.replacen("<head>", &format!("<head>{PROBE}"), 1)).unwrap();
    let mut child = Command::new(chromium())
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-extensions",
        ])
        .args(["--enable-logging=stderr", "--v=0", "--dump-dom"])
        .arg(format!("--window-size={width},1000"))
        .arg(format!("--user-data-dir={}", path("profile").display()))
        .arg(format!("file://{}", path("page.html").display()))
        .env("HOME", folder.path())
        .stdin(Stdio::null())
        .stdout(File::create(path("dom")).unwrap())
        .stderr(File::create(path("log")).unwrap())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("chromium did not end within 120 s:\n{}", read(&path("log")));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let (dom, log) = (read(&path("dom")), read(&path("log")));
    let probe = dom.split_once("data-probe=\"").and_then(|(_, rest)| rest.split_once('"'));
    let Some((probe, _)) = probe else { panic!("the page did not finish loading:\n{log}\n{dom}") };
    let probe = serde_json::from_slice(&unquoted(probe)).unwrap();
    Seen { probe, console: log.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect() }
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

/// Undoes `encodeURIComponent`.
fn unquoted(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
            out.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
        } else {
            out.push(byte);
        }
    }
    out
}

#[test]
fn a_run_loads_without_a_fault_and_shows_values_under_the_pointer() {
    let seen = load(&drawn(&report::report()), 1400);
    assert_eq!(seen.faults(), Vec::<String>::new());
    assert_eq!(seen.probe["overflow"], 0);

    let hovers = seen.probe["hovers"].as_array().unwrap();
    let plots: Vec<&str> = hovers.iter().map(|hover| hover["plot"].as_str().unwrap()).collect();
    assert_eq!(plots, ["memory", "workload", "disk", "bandwidth", "reclaim", "pressure"]);
    for hover in hovers {
        let tip = hover["tip"].as_str().unwrap();
        assert!(tip.starts_with("12.00 s") && tip.contains("A1 random read of 256 MiB, cold"), "{tip}");
        assert_eq!(hover["crosses"], 6, "one crosshair over all plots");
        assert_eq!(hover["leaves"], true);
    }
    // 10 s into A1, which does 32 768 requests in 17.9 s, each of 8 KiB and none from the cache.
    let legend = |index: usize| hovers[index]["legend"].as_str().unwrap().replace('\n', " ");
    assert!(legend(0).contains("anonymous 3.00 MiB") && legend(0).contains("clean cache 143 MiB"), "{}", legend(0));
    assert!(legend(1).contains("IOPS of the step 1 831/s"), "{}", legend(1));
    assert!(hovers[2]["tip"].as_str().unwrap().contains("reads\n1 83"), "{}", hovers[2]["tip"]);
    assert!(legend(3).contains("read 14.3 MiB/s"), "{}", legend(3));
    assert!(seen.probe["keyboard"].as_str().unwrap().starts_with("2.00 s"), "{}", seen.probe["keyboard"]);
}

#[test]
fn a_recording_and_a_day_load_without_a_fault_also_on_a_phone() {
    for (report, plots) in [(report::live(), 6), (report::day(), 6)] {
        let seen = load(&drawn(&report), 500);
        assert_eq!(seen.faults(), Vec::<String>::new());
        assert_eq!(seen.probe["hovers"].as_array().unwrap().len(), plots);
        assert_eq!(seen.probe["overflow"], 0, "the page itself does not scroll sideways");
    }
}

#[test]
fn pages_of_several_runs_load_without_a_fault_also_on_a_phone() {
    for page in [several::batch_html(), several::comparison_html()] {
        for width in [1400, 500] {
            let seen = load(&page, width);
            assert_eq!(seen.faults(), Vec::<String>::new());
            assert_eq!(seen.probe["overflow"], 0, "the page itself does not scroll sideways");
        }
    }
}

#[test]
fn a_page_with_a_fault_is_caught() {
    let page = drawn(&report::live());
    let with = |fault: &str| page.replacen("</main>", &format!("{fault}</main>"), 1);
    let faults = |page: &str| load(page, 1400).faults().join("\n");

    let error = faults(&with("<script>console.error('planted error'); undefined.planted</script>"));
    assert!(error.contains("error: planted error") && error.contains("Cannot read properties"), "{error}");
    assert!(error.contains("CONSOLE"), "the log has it too: {error}");

    let picture = "<img src=\"http://127.0.0.1:9/planted.png\">";
    let refused = faults(&with(picture));
    assert!(refused.contains("policy: http://127.0.0.1:9/planted.png"), "{refused}");
    let asked = faults(&with(picture).replacen("http-equiv=\"Content-Security-Policy\"", "", 1));
    assert!(asked.contains("requests \"http://127.0.0.1:9/planted.png\""), "{asked}");
}
