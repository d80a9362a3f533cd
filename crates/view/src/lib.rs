//! Views: a report in, text or one HTML file out
