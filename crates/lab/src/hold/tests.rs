use super::*;

const SIZE: Bytes = Bytes::new(24 << 20);

fn spec(kind: HoldKind, touch: Option<Bytes>) -> HoldSpec {
    HoldSpec { size: SIZE, touch, kind }
}

/// A folder on a disk: the kernel has no nameless files on every file system.
fn folder() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("pagetide-test").tempdir_in("/var/tmp").unwrap()
}

#[test]
fn every_kind_is_resident_until_it_is_dropped() {
    let folder = folder();
    for kind in [HoldKind::Anon, HoldKind::Shared, HoldKind::File, HoldKind::Mlock] {
        let hold = Hold::occupy(&spec(kind, None), &Options::new(folder.path()), &mut ()).unwrap();
        let resident = hold.resident();
        // Pages of the holder's own code become resident too while it runs.
        assert!(resident >= SIZE && resident.get() < SIZE.get() + (6 << 20), "{kind:?}: {resident}");
        let holder = hold.holder();
        assert!(hold.held() && hold.took() > Nanos::ZERO);
        drop(hold);
        assert!(Identity::of(holder.pid) != Some(holder), "{kind:?}: not even a zombie is left");
    }
}

#[test]
fn only_what_is_touched_is_resident() {
    let touch = Bytes::new(6 << 20);
    let folder = folder();
    let hold = Hold::occupy(&spec(HoldKind::Mlock, Some(touch)), &Options::new(folder.path()), &mut ()).unwrap();
    // A huge page may make it a little more.
    assert!(hold.resident() >= touch && hold.resident().get() <= touch.get() + (4 << 20), "{}", hold.resident());
}

#[test]
fn a_killed_holder_holds_nothing() {
    let folder = folder();
    let hold = Hold::occupy(&spec(HoldKind::Anon, None), &Options::new(folder.path()), &mut ()).unwrap();
    crate::undo::kill(hold.holder());
    assert!(!hold.held());
    assert_eq!(hold.resident(), Bytes::ZERO);
}

#[test]
fn more_than_is_available_is_refused_before_it_is_taken() {
    let folder = folder();
    let spec = HoldSpec { size: Bytes::new(1 << 50), touch: None, kind: HoldKind::Anon };
    let error = Hold::occupy(&spec, &Options::new(folder.path()), &mut ()).unwrap_err();
    assert!(error.what.contains("would leave less than 1 GiB") && error.hint.contains("--allow-oom"), "{error}");
}

#[test]
fn it_waits_before_it_touches_and_can_be_interrupted_meanwhile() {
    struct Impatient(Option<Identity>);
    impl HoldObserver for Impatient {
        fn started(&mut self, holder: Identity) -> Result<(), Error> {
            self.0 = Some(holder);
            Ok(())
        }
        fn touched(&mut self, touched: Bytes) -> bool {
            assert_eq!(touched, Bytes::ZERO, "nothing is touched before its time");
            false
        }
    }
    let folder = folder();
    let a_day = Nanos::new(86_400_000_000_000);
    let options = Options { after: a_day, ..Options::new(folder.path()) };
    let mut observer = Impatient(None);
    assert!(Hold::occupy(&spec(HoldKind::Anon, None), &options, &mut observer).is_err());
    assert!(!observer.0.unwrap().alive());
}
