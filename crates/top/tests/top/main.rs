//! Keys in, screens out.

mod any_keys;
mod made;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use made::{Made, Screen, diagnosis};
use pagetide_core::{Conclusion, Diagnosis, Selection, Source};
use pagetide_top::Growth;

fn replay() -> Screen {
    Screen::new(Made::new(60, 0), Growth::Still, (80, 24))
}

#[test]
fn a_moment_fits_80_by_24() {
    let mut screen = replay();
    screen.app.diagnosed(diagnosis());
    screen.settle();
    insta::assert_snapshot!(screen.text());
}

#[test]
fn a_title_without_room_for_all_ends_with_a_tilde() {
    let mut screen = Screen::new(Made::new(60, 0), Growth::Still, (40, 16));
    screen.press("]");
    let first = screen.text().lines().next().unwrap_or_default().trim_end().to_owned();
    assert!(first.contains("12:00:59 UTC") && first.ends_with('~'), "{first}");
}

#[test]
fn arrows_move_in_time_and_slash_goes_to_findings() {
    let mut screen = replay();
    assert!(screen.has("12:00:01 UTC  sample 2 of 60"), "the first sample that has rates");
    screen.press("/");
    assert!(screen.has("the diagnosis is still running"));
    screen.app.diagnosed(diagnosis());
    screen.press("/");
    assert!(screen.has("12:00:11 UTC") && screen.has("stream-floods-cache begins here"), "{}", screen.text());
    assert!(screen.has("* cause: stream-floods-cache"));
    screen.press("/");
    assert!(screen.has("12:00:21 UTC") && screen.has("* swap-in-use"), "{}", screen.text());
    screen.press("/");
    assert!(screen.has("12:00:11 UTC"), "from the last on to the first");
    screen.press("\\");
    assert!(screen.has("12:00:21 UTC"));
    screen.key(KeyCode::Left);
    assert!(screen.has("12:00:20 UTC"));
    screen.press("]");
    assert!(screen.has("12:00:59 UTC"), "no further than the end");
    screen.press("[");
    assert!(screen.has("12:00:00 UTC"));
    screen.press("g");
    screen.press("12:00:30");
    screen.key(KeyCode::Enter);
    assert!(screen.has("12:00:30 UTC"));
    screen.press("gsoon");
    screen.key(KeyCode::Enter);
    assert!(screen.has("`soon` is not a time"), "{}", screen.text());
}

#[test]
fn the_culprit_of_the_moment_is_on_an_80_by_24_screen() {
    let mut screen = Screen::new(Made::new(60, 0).with_workers(40), Growth::Still, (80, 24));
    let mut told = diagnosis();
    told.findings[0].statement =
        format!("backup reads 65.8 MiB/s from vda. {}", "Reclaim evicts pages of others. ".repeat(6));
    screen.app.diagnosed(told);
    screen.settle();
    assert!(!screen.has("backup["), "nothing holds yet: {}", screen.text());
    screen.press("/");
    assert!(screen.has("!backup[99]"), "{}", screen.text());
    // The finding takes the lines that there are, and ends with ~ where it has more.
    let lines = screen.text();
    let finding: Vec<&str> = lines.lines().skip_while(|line| !line.contains("* cause")).take(3).collect();
    assert!(finding[1].contains("evicts") && finding[2].ends_with('~'), "{lines}");
    for _ in 0..30 {
        screen.key(KeyCode::Down);
    }
    assert!(screen.has("!backup[99]") && screen.has("worker[1030]"), "{}", screen.text());
    screen.press("3");
    assert!(screen.has("!vda"), "{}", screen.text());
}

#[test]
fn the_command_line_of_the_selected_process_is_asked_of_this_host_only() {
    let mut screen = replay();
    screen.key(KeyCode::Down);
    assert_eq!(screen.app.wanted_command_line(), None, "a recording has none");
    let mut screen = Screen::new(Made::new(30, 0), Growth::Window, (80, 24));
    screen.know_members();
    screen.settle();
    assert_eq!(screen.app.wanted_command_line(), None, "no row was selected");
    screen.key(KeyCode::Down);
    assert_eq!(screen.app.wanted_command_line(), Some("101@7"));
    screen.app.command_line("101@7".into(), Some("img --onerror \x1b[2Jx".into()));
    screen.settle();
    assert!(screen.has(r"img --onerror \x1b[2Jx") && !screen.has("? help"), "{}", screen.text());
    assert_eq!(screen.app.wanted_command_line(), None);
    screen.key(KeyCode::Up);
    assert!(screen.has("? help") && screen.app.wanted_command_line() == Some("100@7"), "{}", screen.text());
    screen.app.command_line("100@7".into(), None);
    assert_eq!(screen.app.wanted_command_line(), None, "one that does not tell is not asked again");
}

#[test]
fn a_column_of_users_that_nobody_has_leaves_its_room_to_numbers() {
    let mut screen = Screen::new(Made::new(60, 0).with_workers(4), Growth::Still, (80, 24));
    assert!(screen.has("user     S") && screen.has("worker["), "{}", screen.text());
    screen.press("fworker");
    screen.key(KeyCode::Enter);
    assert!(screen.has("worker[") && !screen.has("user     S"), "{}", screen.text());
}

#[test]
fn of_a_host_that_is_watched_nothing_is_said_to_have_happened_before_there_is_a_baseline() {
    let unknown = "The recording has 4 samples; a baseline needs at least 10.";
    let told = Diagnosis {
        verdict: Conclusion::CannotTell,
        summary: format!("The recording does not show what happened. {unknown}"),
        unknown: vec![unknown.to_owned()],
        ..Diagnosis::default()
    };
    for (growth, begins) in
        [(Growth::Window, "No finding yet. The recording has 4"), (Growth::Still, "does not show what happened")]
    {
        let mut screen = Screen::new(Made::new(4, 0), growth, (80, 24));
        screen.app.diagnosed(told.clone());
        screen.settle();
        assert!(screen.has(begins), "{}", screen.text());
    }
}

#[test]
fn idle_and_loop_disks_are_folded_and_letters_sort() {
    let mut screen = replay();
    assert!(screen.has("disk (+1 idle, 1 loop)") && !screen.has("sdc") && !screen.has("loop0"), "{}", screen.text());
    assert!(screen.has("each [*4.]") && screen.has("hit ratio 75 % of 4 MiB/s"), "{}", screen.text());
    assert!(screen.has("postgres D") && screen.has("4711     D"), "users and states: {}", screen.text());
    for (letter, column) in [("C", "*cpu"), ("L", "*lost"), ("R", "*read/s"), ("F", "*majflt/s"), ("M", "*rss")] {
        screen.press(letter);
        assert!(screen.has(column), "{letter}: {}", screen.text());
    }
    screen.press("U");
    assert!(screen.has("processes have no column for U"), "{}", screen.text());
    screen.press("3U");
    assert!(screen.has("*util") && screen.has("sdc") && screen.has("loop0"), "{}", screen.text());
}

#[test]
fn rows_are_sorted_filtered_and_searched() {
    let mut screen = replay();
    let order = |screen: &Screen| {
        let text = screen.text();
        let mut places: Vec<(usize, &str)> =
            ["postgres[", "<img", "esc", "txt"].map(|name| (text.find(name).unwrap_or(usize::MAX), name)).to_vec();
        places.sort_unstable();
        places.into_iter().filter(|place| place.0 < usize::MAX).map(|place| place.1).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(order(&screen), "postgres[ <img esc txt");
    screen.press("r");
    assert_eq!(order(&screen), "txt esc <img postgres[");
    assert!(screen.has("by rss, reversed"), "{}", screen.text());
    screen.press("<<");
    assert!(screen.has("*name"), "{}", screen.text());
    screen.press("r>>>>");
    assert!(screen.has("*majflt/s"), "{}", screen.text());
    screen.press("fpost");
    screen.key(KeyCode::Enter);
    assert_eq!(order(&screen), "postgres[");
    assert!(screen.has("with \"post\""));
    screen.key(KeyCode::Esc);
    assert_eq!(order(&screen), "postgres[ <img esc txt");
    screen.press("sesc");
    screen.key(KeyCode::Enter);
    assert!(!screen.app.quits());
    screen.press("snobody");
    screen.key(KeyCode::Enter);
    assert!(screen.has("no name contains nobody"));
}

#[test]
fn groups_fold_and_zoom() {
    let mut screen = replay();
    screen.press("2");
    assert!(screen.has("  /db.service") && screen.has("/user.slice"), "{}", screen.text());
    screen.key(KeyCode::Enter);
    assert!(screen.has("/system.slice (+2)") && !screen.has("/db.service"));
    screen.key(KeyCode::Enter);
    screen.press("z");
    assert!(screen.has("/db.service") && !screen.has("/user.slice"), "{}", screen.text());
    screen.key(KeyCode::Esc);
    assert!(screen.has("/user.slice"));
}

#[test]
fn a_group_zooms_to_its_processes() {
    let mut screen = replay();
    screen.press("2z");
    assert!(screen.has("recordings do not store which processes are in a group"), "{}", screen.text());
    let mut screen = Screen::new(Made::new(30, 0), Growth::Grows, (80, 24));
    screen.know_members();
    screen.press("2z");
    assert!(screen.has("1 PROCESSES") && screen.has("of /system.slice, 0"), "{}", screen.text());
    assert_eq!(screen.app.wanted_members(), Some("/system.slice"));
    screen.app.members("/user.slice", Some(vec![101]));
    assert_eq!(screen.app.wanted_members(), Some("/system.slice"), "an answer for a group of before");
    screen.app.members("/system.slice", Some(vec![4, 100, 102]));
    screen.settle();
    assert!(screen.has("postgres[100]") && screen.has("[102]") && !screen.has("<img"), "{}", screen.text());
    assert_eq!(screen.app.wanted_members(), None);
    screen.source = Made::new(32, 0);
    let later = screen.app.later().unwrap();
    screen.app.grown(screen.source.times(&later).unwrap());
    screen.settle();
    assert_eq!(screen.app.wanted_members(), Some("/system.slice"), "processes come and go");
    screen.app.members("/system.slice", None);
    screen.settle();
    assert!(screen.has("the group /system.slice is gone") && screen.has("<img"), "{}", screen.text());
    screen.press("2");
    assert!(!screen.has("/user.slice"), "the pane of groups still shows one");
    screen.key(KeyCode::Esc);
    assert!(screen.has("/user.slice"));
}

#[test]
fn another_pane_opens_before_its_samples_are_loaded() {
    let mut screen = Screen::new(Made::new(30, 0), Growth::Grows, (120, 40));
    let later = screen.app.later().unwrap();
    screen.app.grown(Made::new(40, 0).times(&later).unwrap());
    for pane in "23451".chars() {
        screen.app.press(KeyEvent::new(KeyCode::Char(pane), KeyModifiers::NONE));
        screen.draw();
    }
    assert!(screen.has("loading"), "{}", screen.text());
}

#[test]
fn every_pane_and_the_help_are_drawn() {
    let mut screen = replay();
    screen.app.diagnosed(diagnosis());
    screen.press("5");
    insta::assert_snapshot!("findings", screen.text());
    screen.press("?");
    insta::assert_snapshot!("help", screen.text());
    screen.press("x");
    for (pane, name) in [("1", "PROCESSES"), ("2", "GROUPS"), ("3", "DISKS"), ("4", "ZONES")] {
        screen.press(pane);
        assert!(screen.has(name));
    }
    screen.press("q");
    assert!(screen.app.quits());
}

#[test]
fn what_grows_is_followed_until_the_user_looks_back() {
    let mut screen = Screen::new(Made::new(30, 0), Growth::Grows, (120, 40));
    assert!(screen.has("12:00:29 UTC  live"), "{}", screen.text());
    let more = |screen: &mut Screen, samples: i64| {
        screen.source = Made::new(samples, 0);
        let later = screen.app.later().unwrap();
        screen.app.grown(screen.source.times(&later).unwrap());
        screen.settle();
    };
    more(&mut screen, 32);
    assert!(screen.has("12:00:31 UTC  live"), "{}", screen.text());
    screen.key(KeyCode::Left);
    more(&mut screen, 35);
    assert!(screen.has("12:00:30 UTC  paused, 4 samples back"), "{}", screen.text());
    screen.press(" ");
    assert!(screen.has("12:00:34 UTC  live"));
}

#[test]
fn what_stands_still_is_not_live() {
    let second = std::time::Duration::from_secs(1);
    let mut screen = Screen::new(Made::new(30, 0), Growth::Grows, (120, 40));
    let newest = screen.source.samples[29].stamp.wall_ns;
    let at = |screen: &mut Screen, seconds: i64| {
        let changed = screen.app.at_time(newest + seconds * 1_000_000_000, second);
        screen.draw();
        changed
    };
    assert!(!at(&mut screen, 3) && screen.has("12:00:29 UTC  live"), "{}", screen.text());
    assert!(at(&mut screen, 8) && screen.has("12:00:29 UTC  no sample for 8 s"), "{}", screen.text());
    assert!(!at(&mut screen, 8) && at(&mut screen, 9), "each second is drawn once");
    assert!(at(&mut screen, 1) && screen.has("live"), "it goes on");
    let mut ended = Screen::new(Made::new(30, 0), Growth::Still, (120, 40));
    assert!(!at(&mut ended, 3600), "nothing should come");
}

#[test]
fn the_oldest_samples_of_a_window_go() {
    let mut screen = Screen::new(Made::new(30, 0), Growth::Window, (80, 24));
    screen.key(KeyCode::Home);
    assert!(screen.has("12:00:00 UTC  paused"));
    screen.source.samples.drain(..10);
    screen.app.grown(screen.source.times(&Selection::default()).unwrap());
    screen.settle();
    assert!(screen.has("12:00:10 UTC  paused, 19 samples back"), "{}", screen.text());
    let empty = Made::new(0, 0);
    let mut screen = Screen::new(empty, Growth::Window, (80, 24));
    screen.press("/\\[]gf ");
    screen.source = Made::new(3, 0);
    screen.app.grown(screen.source.times(&Selection::default()).unwrap());
    screen.settle();
    assert!(screen.has("12:00:02 UTC  live"), "{}", screen.text());
}

#[test]
fn hostile_names_and_many_groups_only_show() {
    let mut screen = Screen::new(Made::new(3, 10_000), Growth::Still, (80, 24));
    let text = screen.text();
    assert!(text.contains(r"\x1b[2Jesc\x07[102]") && text.contains(r"\u{202e}txt.exe"), "{text}");
    assert!(!text.contains('\x1b') && !text.contains('\u{202e}'));
    screen.press("2");
    assert!(screen.has("10004 by current"), "{}", screen.text());
    screen.key(KeyCode::PageDown);
}

#[test]
fn any_size_of_the_screen_is_drawn() {
    for (width, height) in [(1, 1), (39, 24), (40, 16), (80, 15), (200, 60), (500, 20)] {
        let mut screen = Screen::new(Made::new(3, 0), Growth::Still, (width, height));
        screen.app.diagnosed(diagnosis());
        for pane in ["1", "2", "3", "4", "5", "?", "x", "f"] {
            screen.press(pane);
        }
    }
    let screen = Screen::new(Made::new(3, 0), Growth::Still, (39, 24));
    assert!(screen.has("39 x 24 is too small"));
}

/// Presses the left button where the screen has a text, or turns the wheel there.
fn point(screen: &mut Screen, kind: MouseEventKind, text: &str) {
    let shown = screen.text();
    let found = shown.lines().enumerate().find_map(|(row, line)| {
        let before = line.split_once(text)?.0;
        Some((before.chars().count(), row))
    });
    let (column, row) = found.unwrap_or_else(|| panic!("no {text} on\n{shown}"));
    let number = |count| u16::try_from(count).unwrap();
    screen.app.point(MouseEvent { kind, column: number(column), row: number(row), modifiers: KeyModifiers::NONE });
    screen.settle();
}

#[test]
fn a_click_opens_a_pane_sorts_and_selects() {
    let mut screen = replay();
    let click = MouseEventKind::Down(MouseButton::Left);
    point(&mut screen, click, "majflt/s");
    assert!(screen.has("*majflt/s") && screen.has("by majflt/s"), "{}", screen.text());
    point(&mut screen, click, "name ");
    assert!(screen.has("*name"), "{}", screen.text());
    let ascending = screen.text();
    point(&mut screen, click, "*name");
    assert_ne!(screen.text(), ascending, "a second click turns the order");
    point(&mut screen, click, "2 groups");
    assert!(screen.has("2 GROUPS"), "{}", screen.text());
    point(&mut screen, click, "/system.slice");
    screen.press("z");
    assert!(!screen.has("/user.slice"), "the clicked row was selected: {}", screen.text());
    screen.key(KeyCode::Esc);
    screen.key(KeyCode::Home);
    point(&mut screen, MouseEventKind::ScrollDown, "/system.slice");
    screen.press("z");
    assert!(screen.has("/user.slice") && !screen.has("/system.slice"), "three rows on: {}", screen.text());
    screen.press("?");
    point(&mut screen, click, "quit");
    assert!(!screen.has("any key closes this"), "a click closes the help");
}
