//! rates FOLDER: rates after the onset.
use pagetide_core::*;
use pagetide_corpus::score;
use std::path::Path;
fn main() {
    for folder in std::env::args().skip(1) {
        for (name, truth, r) in score::read(Path::new(&folder), None).unwrap() {
            let stamps = r.stamps();
            let end = stamps.last().unwrap().boot_ns;
            let onset = truth.onset_ns.unwrap_or(stamps[stamps.len() / 2].boot_ns);
            let rate = |table: Table, e: &str, m: &str, from: i64, to: i64| -> f64 {
                let Some(s) = r.series(table, e, m) else { return f64::NAN };
                let pts: Vec<(i64, i64)> = s.within(from, to).collect();
                if pts.len() < 2 { return f64::NAN; }
                let (a, b) = (pts[0], pts[pts.len() - 1]);
                (b.1 - a.1) as f64 / ((b.0 - a.0) as f64 / 1e9)
            };
            let f = |m: &str| rate(Table::Disk, "vdb", m, onset + 3_000_000_000, end);
            let h = |m: &str| rate(Table::Host, "", m, onset + 3_000_000_000, end);
            let wb = f("write_sectors") * 512.0;
            println!("{name:22} {:?} w/s {:.0} r/s {:.0} size {:.0}K flush/s {:.1} written/bytes {:.2} dirtied/bytes {:.2} q {:.1}", truth.cause.first(), f("writes"), f("reads"), wb / f("writes") / 1024.0, f("flushes"), h("nr_written") * 4096.0 / wb, h("nr_dirtied") * 4096.0 / wb, f("weighted_io_ms") / 1000.0);
        }
    }
}
