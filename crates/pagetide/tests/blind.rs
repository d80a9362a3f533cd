//! What a recorder cannot see is in the recording, in its status, in its metrics and in the diagnosis.

#[path = "support/attack.rs"]
mod support;

use support::attack;

/// Records as another user, and prints what each place reports, with the name of the place before each line.
const RECORD: &str = r#"
nobody "$P record --service -o /tmp/rec --interval 200ms --listen 127.0.0.1:0 $options & echo \$! > /tmp/pid; wait" 2> said &
for _ in $(seq 600); do grep -q http: said && break; sleep 0.1; done
for _ in $(seq 600); do
  nobody "$P record --status -o /tmp/rec" > status && grep -q '^samples *[2-9]' status && break
  sleep 0.1
done
sed 's/^/status: /' status
port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\).*|\1|p' said)
bash -c 'exec 3<>/dev/tcp/127.0.0.1/'$port'; printf "GET /metrics HTTP/1.1\n\n" >&3; cat <&3' | sed 's/^/metrics: /'
kill $(cat pid); wait
nobody "$P diagnose /tmp/rec" | tr -s '\n ' ' ' | sed 's/^/diagnose: /'; echo
nobody "$P diagnose /tmp/rec --json" | tr -d '\n' | sed 's/^/json: /'; echo
nobody "$P record -o /tmp/rec2 --for 400ms --interval 200ms $options" 2>&1 | sed 's/^/record: /'
"#;

/// Whether a line that begins with `place` has `what` in it.
fn assert_line(printed: &str, place: &str, what: &str) {
    let found = printed.lines().any(|line| line.starts_with(place) && line.contains(what));
    assert!(found, "{place} does not say `{what}`: {printed}");
}

#[test]
fn a_recorder_without_rights_says_what_it_cannot_see() {
    let printed = attack(&format!("options=\n{RECORD}"));
    let what = "cannot see the IO of other users' processes: permission denied";
    for place in ["status: blind", "record: ", "diagnose: ", "json: "] {
        assert_line(&printed, place, what);
    }
    let count = printed.lines().find_map(|line| line.strip_prefix("metrics: pagetide_recorder_unreadable_sources "));
    assert!(count.unwrap().parse::<u64>().unwrap() >= 2, "its IO and its delays: {printed}");
}

#[test]
fn processes_that_the_kernel_hides_are_reported_as_hidden() {
    for (option, way) in [("invisible", "2"), ("noaccess", "1")] {
        let printed = attack(&format!("mount -t proc -o hidepid={way} proc /proc || exit\noptions=\n{RECORD}"));
        let what = format!("cannot see other users' processes: /proc is mounted with hidepid={option}");
        for place in ["status: blind", "record: ", "diagnose: ", "json: "] {
            assert_line(&printed, place, &what);
        }
        assert!(!printed.contains("cannot see the IO of other"), "said once: {printed}");
    }
}

#[test]
fn control_groups_beyond_the_limit_are_counted_in_every_answer() {
    let tree = r#"
mkdir -p root/proc/self root/sys/fs/cgroup
for file in meminfo vmstat zoneinfo stat loadavg diskstats; do cat /proc/$file > root/proc/$file; done
echo 'cgroup2 /sys/fs/cgroup cgroup2 rw 0 0' > root/proc/self/mounts
echo memory io > root/sys/fs/cgroup/cgroup.controllers
seq 4200 | sed 's|^|root/sys/fs/cgroup/g|' | xargs mkdir
chmod -R a+rX root
options="--root /tmp/root"
"#;
    let printed = attack(&format!("{tree}{RECORD}"));
    let what = "cannot see 105 control groups and those below them";
    for place in ["status: blind", "diagnose: ", "json: "] {
        assert_line(&printed, place, what);
    }
    assert_line(&printed, "metrics: pagetide_host_scan_groups_skipped", " 105");
}
