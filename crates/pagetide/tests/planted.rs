//! What another user plants in places that they can write to, and what root's commands do about it. Nothing is planted on this machine.

#[path = "support/attack.rs"]
mod support;

use support::attack;

/// `journal PLACE CHANGES` writes a journal of a run that was killed.
const JOURNAL: &str = r#"
journal() {
  echo "{\"owner\":{\"pid\":1,\"started\":1},\"boot_id\":\"$(cat /proc/sys/kernel/random/boot_id)\"}" > $1/undo-1-0.jsonl
  echo "$2" >> $1/undo-1-0.jsonl
}
"#;

/// The end of every script: what the attacker wanted to change.
const PRECIOUS: &str = "\necho \"precious: $(cat /tmp/precious/file), $(ls -A /tmp/precious | tr '\\n' ' ')\"";

fn untouched(printed: &str) {
    assert!(printed.contains("precious: precious, file "), "{printed}");
}

#[test]
fn root_records_into_no_folder_of_another_user() {
    let script = r#"
nobody 'mkdir rec; ln -s /tmp/precious/file rec/.manifest.json.tmp; ln -s /tmp/precious rec/open; ln -s /tmp/precious rec/sample'
$P record -o rec --for 300ms --interval 100ms --host-only; echo "exit $?"
"#;
    let printed = attack(&format!("{script}{PRECIOUS}"));
    untouched(&printed);
    assert!(printed.contains("belongs to another user (uid 65534)") && printed.contains("exit 3"), "{printed}");
}

#[test]
fn links_planted_in_a_folder_that_all_may_write_to_are_not_followed() {
    let script = r#"
mkdir -m 777 rec
nobody 'ln -s /tmp/precious/file rec/.manifest.json.tmp; ln -s /tmp/precious/file rec/manifest.json'
$P record -o rec --for 300ms --interval 100ms --host-only --continue; echo "first $?"
rm rec/manifest.json
$P record -o rec --for 300ms --interval 100ms --host-only --continue; echo "second $?"
mkdir -m 777 rec2
nobody 'ln -s /tmp/precious rec2/open'
$P record -o rec2 --for 300ms --interval 100ms --host-only; echo "third $?"
mkdir -m 777 rec3
nobody 'ln -s /tmp/precious rec3/sample'
$P record -o rec3 --for 300ms --interval 100ms --host-only; echo "fourth $?"
"#;
    let printed = attack(&format!("{script}{PRECIOUS}"));
    untouched(&printed);
    for end in ["first 2", "second 0", "third 3", "fourth 3"] {
        assert!(printed.contains(end), "{end}: {printed}");
    }
}

#[test]
fn a_reader_follows_no_links_and_waits_for_no_fifo() {
    let script = r#"
nobody 'mkdir rec run; mkfifo rec/manifest.json; ln -s /tmp/precious run/recording; mkfifo run/result.json
  mkdir -p log/open; ln -s /tmp/precious/file log/open/20261121T100030Z-00000001.log'
for folder in rec run log; do
  for command in show diagnose; do
    timeout 10 $P $command $folder; echo "$command $folder $?"
  done
done
"#;
    let printed = attack(&format!("{script}{PRECIOUS}"));
    untouched(&printed);
    for folder in ["rec", "run", "log"] {
        for command in ["show", "diagnose"] {
            let ended = [2, 3].map(|code| format!("{command} {folder} {code}"));
            assert!(ended.iter().any(|end| printed.contains(end)), "{ended:?}: {printed}");
        }
    }
    assert!(printed.contains("not a regular file"), "{printed}");
}

#[test]
fn a_planted_journal_does_nothing() {
    let script = r#"
mkdir /tmp/pagetide-victim
sleep 60 > /dev/null 2>&1 &
victim=$!
started=$(sed 's/.*) //' /proc/$victim/stat | cut -d' ' -f20)
file='/tmp/precious/file'
changes='{"change":"folder","path":"/tmp/pagetide-victim"}
{"change":"process","process":{"pid":'$victim',"started":'$started'},"what":"x"}
{"change":"sysctl","name":"'$file'","set":"precious","back":"'$file'","before":"owned"}'
for folder in /var/tmp/pagetide /tmp/pagetide-lab /run/user/65534/pagetide-lab; do
  install -d -o nobody ${folder%/*}
  setpriv --reuid 65534 --regid 65534 --clear-groups sh -c "mkdir -p $folder"
  journal $folder "$changes"
  chown nobody $folder/undo-1-0.jsonl
done
chmod 1777 /tmp /var/tmp
XDG_RUNTIME_DIR=/run/user/65534
export XDG_RUNTIME_DIR
for command in mem 'lab list' doctor undo; do $P $command > /dev/null; echo "$command $?"; done
ls -d /tmp/pagetide-victim
kill $victim && echo alive
"#;
    let printed = attack(&format!("{JOURNAL}{script}{PRECIOUS}"));
    untouched(&printed);
    assert!(printed.contains("\n/tmp/pagetide-victim\n") && printed.contains("\nalive\n"), "{printed}");
    for command in ["mem 0", "lab list 0", "undo 0"] {
        assert!(printed.contains(command), "{command}: {printed}");
    }
}

#[test]
fn a_planted_fifo_or_garbage_stops_no_command() {
    let script = r#"
for plant in 'mkfifo' 'echo garbage >'; do
  for folder in /var/tmp/pagetide /tmp/pagetide-lab; do
    nobody "mkdir -p $folder; rm -f $folder/undo-1-0.jsonl; $plant $folder/undo-1-0.jsonl"
  done
  for command in mem 'lab list' undo; do timeout 20 $P $command > /dev/null; echo "$command $?"; done
done
"#;
    let printed = attack(&format!("{script}{PRECIOUS}"));
    untouched(&printed);
    for command in ["mem 0", "lab list 0", "undo 0"] {
        assert_eq!(printed.matches(command).count(), 2, "{command}: {printed}");
    }
}

#[test]
fn a_folder_of_journals_that_another_user_made_is_refused() {
    let script = r#"
install -d -o nobody /var/lib/pagetide-lab
journal /var/lib/pagetide-lab '{"change":"folder","path":"/tmp/pagetide-victim"}'
mkdir /tmp/pagetide-victim
for command in undo mem; do $P $command > /dev/null; echo "$command $?"; done
ls -d /tmp/pagetide-victim
"#;
    let printed = attack(&format!("{JOURNAL}{script}"));
    assert!(printed.contains("belongs to another user (uid 65534)"), "{printed}");
    assert!(printed.contains("undo 3") && printed.contains("mem 0"), "{printed}");
    assert!(printed.contains("\n/tmp/pagetide-victim\n"), "{printed}");
}

#[test]
fn a_journal_of_a_killed_run_stops_no_other_command() {
    let script = r#"
mkdir /tmp/pagetide-left
for folder in /run/pagetide /var/lib/pagetide-lab; do
  mkdir -m 755 $folder
  journal $folder '{"change":"folder","path":"/tmp/pagetide-left"}'
done
nobody "$P mem > /dev/null; echo \"theirs \$?\""
$P mem > /dev/null; echo "mem $?"
nobody "$P record -o /tmp/rec --for 200ms --interval 100ms --host-only; echo \"record \$?\""
ls -d /tmp/pagetide-left
"#;
    let printed = attack(&format!("{JOURNAL}{script}"));
    for line in ["theirs 0", "mem 0", "record 0", "/tmp/pagetide-left"] {
        assert!(printed.contains(&format!("\n{line}\n")), "{line}: {printed}");
    }
    assert_eq!(printed.matches("`pagetide undo` restores them").count(), 1, "once, to root: {printed}");
}

#[test]
fn nobody_elses_lock_holds_up_an_undo() {
    let script = r#"
mkdir /tmp/pagetide-left
for folder in /run/pagetide /var/lib/pagetide-lab; do
  mkdir -m 755 $folder
  journal $folder '{"change":"folder","path":"/tmp/pagetide-left"}'
done
$P lab list > /dev/null; echo "first $?"
ls -d /tmp/pagetide-left
for folder in /run/pagetide /var/lib/pagetide-lab; do
  mkdir -p /tmp/pagetide-left
  journal $folder '{"change":"folder","path":"/tmp/pagetide-left"}'
  nobody "exec 8< $folder/undo-1-0.jsonl && flock 8 && touch /tmp/locked-\${folder##*/} && exec sleep 60 > /dev/null 2>&1" &
  lockers="${lockers:-} $!"
done
sleep 1
timeout 20 $P undo; echo "undo $?"
ls -d /tmp/pagetide-left
stat -c '%a' /var/lib/pagetide-lab
kill $lockers 2> /dev/null
"#;
    let printed = attack(&format!("{JOURNAL}{script}"));
    assert!(printed.contains("first 0") && printed.contains("removed /tmp/pagetide-left"), "{printed}");
    assert!(printed.contains("undo 0") && printed.contains("\n700\n"), "{printed}");
    assert!(!printed.contains("\n/tmp/pagetide-left\n"), "both were undone: {printed}");
}

#[test]
fn a_page_replaces_a_planted_link_and_follows_none() {
    let script = r#"
$P record -o /var/lib/rec --for 300ms --interval 100ms --host-only 2> /dev/null
mkdir -m 777 open man
nobody 'ln -s /tmp/precious/file open/symbolic.html; mkfifo open/fifo.html; ln -s /tmp/precious/file man/pagetide.1'
# As with fs.protected_hardlinks = 0.
ln /tmp/precious/file open/hard.html
for page in symbolic fifo hard new; do
  timeout 20 $P diagnose /var/lib/rec --html open/$page.html > /dev/null; echo "$page $?"
done
stat -c '%a' open/new.html
$P man --out man; echo "man $?"
stat -c '%F %a' man/pagetide.1
"#;
    let printed = attack(&format!("{script}{PRECIOUS}"));
    untouched(&printed);
    for line in ["symbolic 3", "fifo 3", "hard 0", "new 0", "640", "man 0", "regular file 644"] {
        assert!(printed.contains(&format!("\n{line}\n")), "{line}: {printed}");
    }
}

/// Every option that names an output: the command with `@` in its place.
const OUTPUTS: [&str; 12] = [
    "diagnose $REC --html @",
    "cut $REC -o @",
    "cut $REC --force -o @",
    "import $SAR -o @",
    "fleet $REC --html @",
    "fleet $REC --parquet @",
    "man --out @",
    "plan $T --vary memory=64MiB,128MiB --seeds 1 --html @",
    "plan $T --vary memory=64MiB,128MiB --seeds 1 --csv @",
    "record --for 200ms --interval 100ms --host-only -o @",
    "lab run $T --on sim -o @",
    "lab compare run run --html @",
];

#[test]
fn no_command_writes_through_links_of_another_user() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures");
    let commands: String = OUTPUTS.iter().map(|command| format!("try \"{command}\"\n")).collect();
    let script = format!(
        r#"
REC={fixtures}/corpus/control-warm-1/recording SAR={fixtures}/import/curious-case/sar-d-evening.txt T=t.toml
printf 'id="t"\ntitle="t"\nsource="t"\n[machine]\ncpus=1\nmemory="128MiB"\n[[machine.disk]]\nname="d"\nsize="64MiB"\n' > t.toml
printf '[[step]]\nid="A"\nfio={{rw="read",bs="4k",size="1MiB"}}\n' >> t.toml
$P lab run t.toml --on sim -o run > /dev/null 2> /dev/null
nobody 'ln -s /tmp/precious/file link; ln -s /tmp/precious way; ln -s /tmp/precious/made new'
try() {{
  for place in link new way/x; do
    timeout 60 $P $(echo "$1" | sed "s#@#$place#") > /dev/null 2> said
    echo "exit $?: $1 as $place: $(head -1 said)"
    [ "$(ls -A /tmp/precious)" = file ] || echo "planted by $1 as $place"
  done
}}
{commands}"#
    );
    let printed = attack(&format!("{script}{PRECIOUS}"));
    untouched(&printed);
    assert!(!printed.contains("planted by"), "{printed}");
    let refused = |line: &&str| {
        let why = ["belongs to another user (uid 65534)", "not a regular file", "already exists"];
        line.starts_with("exit ") && why.iter().any(|why| line.contains(why))
    };
    assert_eq!(printed.lines().filter(refused).count(), 3 * OUTPUTS.len(), "{printed}");
}

#[test]
fn a_fifo_or_an_endless_file_in_the_place_of_any_file_holds_up_no_command() {
    let script = r#"
nobody 'mkfifo file.toml; ln -s /dev/zero zero.toml; mkdir files; mkfifo files/f'
for file in file zero; do
  timeout 20 $P lab show $file.toml; echo "show $?"
  timeout 20 $P lab run $file.toml; echo "run $?"
  timeout 20 $P record --config $file.toml -o rec --for 100ms; echo "config $?"
  timeout 20 $P cache $file.toml; echo "cache $?"
done
timeout 20 $P cache files; echo "folder $?"
"#;
    let printed = attack(&format!("{script}{PRECIOUS}"));
    untouched(&printed);
    for line in ["show 2", "run 2", "config 2", "cache 2"] {
        assert_eq!(printed.matches(&format!("\n{line}\n")).count(), 2, "{line}: {printed}");
    }
    assert!(printed.contains("folder 0") && printed.contains("not a regular file"), "{printed}");
}

#[test]
fn root_takes_settings_kernels_and_work_folders_from_nobody() {
    let script = r#"
nobody 'echo "out = \"/tmp/theirs\"" > recorder.toml; mkdir -p home work'
$P record --config recorder.toml --for 100ms --check-config; echo "theirs $?"
echo 'interval = "1s"' > own.toml
chmod 666 own.toml
$P record --config own.toml --for 100ms --check-config; echo "writable $?"
chmod 644 own.toml
$P record --config own.toml --for 100ms --check-config; echo "own $?"
kernel=home/.cache/pagetide/kernel/linux-image-9.9/boot
nobody "mkdir -p $kernel && { head -c 514 /dev/zero; printf 'HdrS'; head -c 8 /dev/zero; printf '\0\2'; head -c 496 /dev/zero; printf '9.9-theirs '; } > $kernel/vmlinuz-9.9"
env -u PAGETIDE_CACHE -u XDG_CACHE_HOME HOME=/tmp/home $P doctor > doctor
grep -q 9.9-theirs doctor && echo their kernel
nobody "env -u PAGETIDE_CACHE -u XDG_CACHE_HOME HOME=/tmp/home $P doctor" | grep -o 9.9-theirs | sed 's/^/own kernel /'
$P lab run second-read --work-dir work -o run; echo "work $?"
"#;
    let printed = attack(script);
    for line in ["theirs 2", "writable 2", "own 0", "own kernel 9.9-theirs", "work 3"] {
        assert!(printed.contains(&format!("\n{line}\n")), "{line}: {printed}");
    }
    assert!(!printed.contains("their kernel") && printed.contains("work folder /tmp/work"), "{printed}");
}

#[test]
fn journals_of_an_earlier_version_are_reported_and_not_read() {
    let script = r#"
mkdir /tmp/pagetide-left /run/pagetide
nobody 'mkdir -p /var/tmp/pagetide'
journal /run/pagetide '{"change":"folder","path":"/tmp/pagetide-left"}'
cp /run/pagetide/undo-1-0.jsonl /var/tmp/pagetide/undo-2-0.jsonl
chown nobody /var/tmp/pagetide/*
$P undo; echo "undo $?"
ls -d /tmp/pagetide-left
"#;
    let printed = attack(&format!("{JOURNAL}{script}"));
    assert!(printed.contains("/run/pagetide holds undo journals of an earlier version"), "{printed}");
    assert!(!printed.contains("/var/tmp/pagetide holds"), "nobody's are nothing of root's: {printed}");
    assert!(printed.contains("\nundo 0\n") && printed.contains("\n/tmp/pagetide-left\n"), "{printed}");
}
