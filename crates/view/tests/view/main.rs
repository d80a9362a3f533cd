//! Whole pages of a made-up run.

mod report;

use pagetide_view::{html, page, text};

#[test]
fn every_report_draws() {
    for report in [report::report(), report::live(), report::day()] {
        let page = page(&report);
        let mut html = Vec::new();
        html::draw(&page, &mut html).unwrap();
        assert!(html.len() < 1_000_000, "{} bytes", html.len());
        text::draw(&page, text::Style { colour: true, width: 80 }, &mut Vec::new()).unwrap();
    }
}
