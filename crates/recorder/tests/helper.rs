//! A trace helper that is missing, silent, lying or gone: the recorder starts, samples and ends without it.

use pagetide_core::{Error, Manifest, Mark, Nanos, Sample, Schema, Sink};
use pagetide_kernel::Root;
use pagetide_recorder::{Options, Recorder, Tracing};
use rustix::io::IoSlice;
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType,
    accept, bind, listen, sendmsg, socket_with,
};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Default, Clone)]
struct Memory(Arc<Mutex<(usize, Option<Manifest>)>>);

impl Sink for Memory {
    fn begin(&mut self, manifest: &Manifest) -> Result<(), Error> {
        self.0.lock().unwrap().1 = Some(manifest.clone());
        Ok(())
    }
    fn sample(&mut self, _: &Schema, _: &Sample) -> Result<(), Error> {
        self.0.lock().unwrap().0 += 1;
        Ok(())
    }
    fn mark(&mut self, _: &Mark) -> Result<(), Error> {
        Ok(())
    }
    fn finish(&mut self, _: &Manifest) -> Result<(), Error> {
        Ok(())
    }
}

fn socket(folder: &Path) -> OwnedFd {
    let socket = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
    bind(&socket, &SocketAddrUnix::new(folder.join("socket")).unwrap()).unwrap();
    listen(&socket, 4).unwrap();
    socket
}

/// Records for some samples with a helper at `folder`; why there is no trace. A helper that says nothing as long as this lasts would hold
/// it up for ever.
fn recorded(folder: &Path) -> String {
    let tracing = Tracing { socket: Some(folder.join("socket")), ..Tracing::of(6) };
    let options = Options { interval: Nanos::new(20_000_000), tracing: Some(tracing), ..Options::default() };
    let memory = Memory::default();
    let recorder = Recorder::start(Root::host(), options, Box::new(memory.clone())).unwrap();
    while memory.0.lock().unwrap().0 < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    recorder.finish().unwrap();
    let memory = memory.0.lock().unwrap();
    memory.1.as_ref().unwrap().unreadable.iter().map(|gap| format!("{}: {}\n", gap.source, gap.reason)).collect()
}

#[test]
fn a_missing_helper_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let why = recorded(folder.path());
    assert!(why.contains("the trace helper at") && why.contains("systemctl enable"), "{why}");
}

#[test]
fn a_silent_helper_holds_up_nobody() {
    let folder = tempfile::tempdir().unwrap();
    // Connections wait in its queue, as for a helper that was stopped.
    let _socket = socket(folder.path());
    recorded(folder.path());
}

#[test]
fn a_helper_that_lies_is_not_believed() {
    for (answer, file) in [("noise", false), ("pagetide-trace 1\n1 8388608 6 hash -\n", true)] {
        let folder = tempfile::tempdir().unwrap();
        let listener = socket(folder.path());
        let helper = std::thread::spawn(move || {
            let connection = accept(&listener).unwrap();
            // It could be cut off while the recorder reads its map.
            let ring = tempfile::tempfile().unwrap();
            let rings = [ring.as_fd()];
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut ancillary = SendAncillaryBuffer::new(&mut space);
            if file {
                assert!(ancillary.push(SendAncillaryMessage::ScmRights(&rings)));
            }
            sendmsg(&connection, &[IoSlice::new(answer.as_bytes())], &mut ancillary, SendFlags::NOSIGNAL).unwrap();
            std::thread::sleep(Duration::from_millis(500));
        });
        let why = recorded(folder.path());
        helper.join().unwrap();
        let said = if file { "something other than rings" } else { "noise" };
        assert!(why.contains(said), "{why}");
    }
}
