//! Any keys, clicks, sizes and answers in any order: the terminal UI draws and never panics.

use crate::made::{Made, Screen, diagnosis};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use pagetide_core::{Diagnosis, Source};
use pagetide_top::Growth;
use proptest::prelude::*;

/// What happens to a terminal UI.
#[derive(Debug, Clone)]
enum Event {
    Key(KeyCode, KeyModifiers),
    Mouse(MouseEventKind, u16, u16),
    Size(u16, u16),
    /// What was requested is loaded.
    Loads,
    /// The source has so many samples now; fewer when the oldest went.
    Grows(i64),
    Diagnosed(bool),
    /// The zoomed group has these processes, or is gone.
    Members(Option<Vec<u32>>),
}

fn key() -> impl Strategy<Value = KeyCode> {
    let letters: Vec<char> = "/\\[]gfsn<>rz?hq 12345:-0m\u{202e}\u{1b}é漢".chars().collect();
    let named = vec![
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Backspace,
        KeyCode::F(1),
        KeyCode::Delete,
    ];
    prop_oneof![
        3 => proptest::sample::select(letters).prop_map(KeyCode::Char),
        2 => proptest::sample::select(named),
        1 => any::<char>().prop_map(KeyCode::Char),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let modifiers = proptest::sample::select(vec![KeyModifiers::NONE, KeyModifiers::SHIFT, KeyModifiers::CONTROL]);
    let kinds = vec![
        MouseEventKind::Down(MouseButton::Left),
        MouseEventKind::Down(MouseButton::Right),
        MouseEventKind::ScrollUp,
        MouseEventKind::ScrollDown,
        MouseEventKind::Moved,
    ];
    prop_oneof![
        12 => (key(), modifiers).prop_map(|(key, modifiers)| Event::Key(key, modifiers)),
        3 => (proptest::sample::select(kinds), 0..210_u16, 0..70_u16).prop_map(|(kind, x, y)| Event::Mouse(kind, x, y)),
        2 => (1..210_u16, 1..70_u16).prop_map(|(width, height)| Event::Size(width, height)),
        6 => Just(Event::Loads),
        2 => (0..90_i64).prop_map(Event::Grows),
        1 => any::<bool>().prop_map(Event::Diagnosed),
        1 => proptest::option::of(proptest::collection::vec(99..104_u32, 0..4)).prop_map(Event::Members),
    ]
}

fn happens(screen: &mut Screen, event: Event, growth: Growth) {
    match event {
        Event::Key(code, modifiers) => screen.app.press(KeyEvent::new(code, modifiers)),
        Event::Mouse(kind, column, row) => {
            screen.app.point(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
        }
        Event::Size(width, height) => screen.terminal.backend_mut().resize(width, height),
        Event::Loads => screen.load(),
        Event::Grows(samples) if growth != Growth::Still => {
            screen.source = Made::new(samples, 3);
            if growth == Growth::Window {
                screen.source.samples.drain(..usize::try_from(samples / 3).unwrap());
            }
            if let Some(later) = screen.app.later() {
                screen.app.grown(screen.source.times(&later).unwrap());
            }
        }
        Event::Grows(_) => {}
        Event::Diagnosed(found) => screen.app.diagnosed(if found { diagnosis() } else { Diagnosis::default() }),
        Event::Members(members) => {
            if let Some(group) = screen.app.wanted_members().map(str::to_owned) {
                screen.app.members(&group, members);
            }
        }
    }
    screen.draw();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn whatever_happens_is_drawn(
        growth in proptest::sample::select(vec![Growth::Still, Growth::Grows, Growth::Window]),
        samples in 0..40_i64,
        members: bool,
        events in proptest::collection::vec(event(), 1..120),
    ) {
        let source = Made::new(if growth == Growth::Still { samples.max(1) } else { samples }, 3);
        let mut screen = Screen::new(source, growth, (80, 24));
        if members {
            screen.know_members();
        }
        for event in events {
            happens(&mut screen, event, growth);
        }
        // What the terminal is given holds no control character, whatever was typed and whatever names say.
        prop_assert!(!screen.text().contains(['\u{1b}', '\u{202e}', '\u{7}']), "{}", screen.text());
    }
}
