//! A program on a pseudo-terminal, and the screen that it draws there.

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program on a terminal of its own.
pub(crate) struct Session {
    pub(crate) child: Child,
    terminal: File,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
}

impl Session {
    /// Starts it. It learns of a new size when its session has the terminal: `setsid --ctty` gives it one.
    pub(crate) fn start(command: &mut Command, (columns, rows): (u16, u16)) -> Self {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap();
        let path = Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()));
        let end = File::options().read(true).write(true).open(path).unwrap();
        tcsetwinsize(&controller, size(columns, rows)).unwrap();
        let stdio = || Stdio::from(end.try_clone().unwrap());
        let command = command.env("TERM", "xterm-256color").stdin(stdio()).stdout(stdio()).stderr(stdio());
        let child = command.spawn().unwrap();
        // A command keeps its ends, and the terminal would stay open.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let terminal = File::from(controller);
        let mut reader = terminal.try_clone().unwrap();
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // The kernel gives an error once the last program has closed its end.
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                let _ = send.send(buffer[..count].to_vec());
            }
        });
        Self { child, terminal, output, screen: vt100::Parser::new(rows, columns, 0) }
    }

    fn take(&mut self, wait: Duration) {
        if let Ok(bytes) = self.output.recv_timeout(wait) {
            self.screen.process(&bytes);
        }
    }

    pub(crate) fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Waits until the screen has a text. Gives how long that took.
    pub(crate) fn shows(&mut self, text: &str) -> Duration {
        let begun = Instant::now();
        while !self.text().contains(text) {
            assert!(begun.elapsed() < PATIENCE, "no `{text}` on\n{}", self.text());
            self.take(Duration::from_millis(100));
        }
        begun.elapsed()
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.screen.screen_mut().set_size(rows, columns);
        tcsetwinsize(&self.terminal, size(columns, rows)).unwrap();
    }

    /// Waits until it has ended, and checks that the terminal is as it was.
    pub(crate) fn end(mut self) -> ExitStatus {
        let begun = Instant::now();
        let status = loop {
            self.take(Duration::from_millis(50));
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end:\n{}", self.text());
        };
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(200)) {
            self.screen.process(&bytes);
        }
        assert!(!self.screen.screen().alternate_screen(), "the screen of before is back");
        assert!(!self.screen.screen().hide_cursor(), "the cursor shows");
        let mouse = self.screen.screen().mouse_protocol_mode();
        assert_eq!(mouse, vt100::MouseProtocolMode::None, "clicks are the terminal's again");
        status
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const fn size(columns: u16, rows: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}
