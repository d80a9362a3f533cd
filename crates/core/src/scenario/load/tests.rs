use crate::{Action, Bytes, Error, Load, Place, Scale, Scenario, SwapSpec, Swaps};

const HEAD: &str = "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n\
                    [[machine.disk]]\nname = \"data\"\nsize = \"1GiB\"\n\
                    [[machine.disk]]\nname = \"raw\"\nsize = \"1GiB\"\nfilesystem = \"none\"\n";

fn parse(step: &str) -> Result<Scenario, Error> {
    Scenario::parse(&format!("{HEAD}[[step]]\nid = \"A\"\n{step}\n"), "t.toml")
}

const ALL: &[&str] = &[
    "stream = { from = \"file:a@data\", size = \"64MiB\", rate = \"50MB/s\", cache = \"dont_need\", time = \"3s\" }",
    "dd = { from = \"zero\", to = \"disk:raw\", size = \"64MiB\", sync = true }",
    "copy = { from = \"file:a\", to = \"file:b\", size = \"64MiB\", every = \"1s\" }",
    "map_and_walk = { code = \"64MiB\", data = \"128MiB\", sharing = \"shared\", fill = \"random\", chunk = \"16MiB\", hot = \"64MiB\", iterations = 3 }",
    "grow = { size = \"64MiB\", rate = \"10MB/s\", hold_for = \"1s\" }\n\
     cgroup = { name = \"g\", memory_max = \"32MiB\", cpu_max = 0.5, io_max = [{ disk = \"data\", read = \"1MB/s\" }] }",
    "parallel = [{ name = \"a\", delay = \"1s\", grow = { size = \"64MiB\" } },\n\
     { name = \"b\", background = true, dd = { from = \"zero\", to = \"null\", size = \"64MiB\" }, cgroup = { name = \"g\" } }]",
    "swap = [{ zram = \"64MiB\" }, { size = \"64MiB\", disk = \"data\" }]",
    "swap = \"none\"",
    "stream = { from = \"file:a\", size = \"64MiB\", bs = \"4KiB\", random = true, skew = 0.8, time = \"3s\" }",
    "dd = { from = \"zero\", to = \"file:a\", size = \"64MiB\", rate = \"1MB/s\" }",
    "spin = { time = \"1s\" }",
    "stat_missing = { folder_of = \"file:a@data\", count = 1000, rate = 100 }",
];

#[test]
fn every_load_survives_as_json_and_scales() {
    for step in ALL {
        let scenario = parse(step).unwrap_or_else(|error| panic!("{step}: {error}"));
        let json = serde_json::to_string(&scenario).unwrap();
        assert_eq!(serde_json::from_str::<Scenario>(&json).unwrap(), scenario, "{step}");
        let scaled = scenario.scaled(Scale::new(1, 4).unwrap());
        for load in scaled.loads() {
            let amounts = [load.spec().reads(), load.spec().writes()].into_iter().flatten().map(|(_, size)| size);
            assert!(amounts.into_iter().all(|size| size == Bytes::new(16 << 20)), "{step}");
        }
        match &scaled.steps[0].action {
            Action::Load(Load::MapAndWalk(walk)) => {
                assert_eq!((walk.data, walk.chunk), (Bytes::new(32 << 20), Some(Bytes::new(4 << 20))));
                assert_eq!(walk.hot, Some(Bytes::new(16 << 20)));
            }
            Action::Load(Load::Grow(_)) => {
                let group = scaled.steps[0].cgroup.as_ref().unwrap();
                assert_eq!(group.memory_max, Some(Bytes::new(8 << 20)));
            }
            Action::Swap(Swaps(areas)) if !areas.is_empty() => {
                assert_eq!(areas[0], SwapSpec::Zram { size: Bytes::new(16 << 20), algorithm: None });
            }
            _ => {}
        }
    }
}

#[test]
fn a_step_has_as_many_parts_as_can_be_run() {
    let of = |count: usize| {
        let parts: Vec<String> =
            (0..count).map(|at| format!("{{ name = \"p{at}\", spin = {{ time = \"1s\" }} }}")).collect();
        let text = format!(
            "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n[[machine.disk]]\nname = \"d\"\n\
             size = \"8GiB\"\nlatency = \"1ms\"\n[[step]]\nid = \"a\"\ntitle = \"t\"\nparallel = [{}]\n",
            parts.join(", ")
        );
        Scenario::parse(&text, "t.toml").map_err(|error| error.to_string())
    };
    assert!(of(1024).is_ok(), "{:?}", of(1024).err());
    assert!(of(1025).unwrap_err().contains("1025 parts run at once, and a step has 1024 at most"));
}

#[test]
fn parts_have_results_of_their_own() {
    let scenario = parse(ALL[5]).unwrap();
    assert_eq!(scenario.result_ids().collect::<Vec<_>>(), ["A", "A_a", "A_b"]);
    let clash = format!("{}\n[[step]]\nid = \"A_a\"\nsnapshot = true", ALL[5]);
    assert!(parse(&clash).unwrap_err().what.contains("two results are called `A_a`"));
}

#[test]
fn places_are_read_back_as_they_print() {
    for text in ["zero", "null", "file:a", "file:a@data", "disk:raw"] {
        assert_eq!(text.parse::<Place>().unwrap().to_string(), text);
    }
    for wrong in ["", "/dev/sda", "file:", "file:../x", "file:.x", "file:a@", "file:a@b@c", "disk:", "tape:a"] {
        assert!(wrong.parse::<Place>().is_err(), "{wrong}");
    }
}

#[test]
fn errors_are_one_line_with_the_fix() {
    let check = |step: &str, words: &[&str]| {
        let message = parse(step).unwrap_err().to_string();
        assert!(words.iter().all(|word| message.contains(word)) && !message.contains('\n'), "{step}: {message}");
    };
    check("stream = { from = \"file:a\", size = \"1MiB\", raet = \"1MB/s\" }", &["raet", "did you mean `rate`?"]);
    check("stream = { from = \"file:a\", size = 1048576 }", &["not a size: `1048576`", "MiB"]);
    check("stream = { from = \"zero\", size = \"1MiB\" }", &["not a file or a disk"]);
    check("stream = { from = \"/dev/sda\", size = \"1MiB\" }", &["disk:NAME"]);
    check("dd = { from = \"file:a\", to = \"file:a\", size = \"1MiB\" }", &["the same"]);
    check("dd = { from = \"zero\", to = \"null\", size = \"1MiB\", bs = \"2MiB\" }", &["smaller than bs"]);
    check("dd = { from = \"zero\", to = \"disk:data\", size = \"1MiB\" }", &["destroy", "filesystem = \"none\""]);
    check("dd = { from = \"zero\", to = \"disk:raww\", size = \"1MiB\" }", &["did you mean `raw`?"]);
    check("dd = { from = \"zero\", to = \"file:a@raw\", size = \"1MiB\" }", &["no file system"]);
    check("copy = { from = \"zero\", to = \"file:a\", size = \"1MiB\" }", &["not two files"]);
    check("map_and_walk = { iterations = 1 }", &["neither code nor data"]);
    check("map_and_walk = { data = \"1MiB\", iterations = 0 }", &["iterations is 0"]);
    check("map_and_walk = { data = \"1MiB\", iterations = 1, fill = \"zeros\" }", &["did you mean `zero`?"]);
    check("map_and_walk = { data = \"1MiB\", iterations = 1, hot = \"2MiB\" }", &["hot 2 MiB is not"]);
    check("grow = { size = \"1MiB\" }\ncgroup = { name = \"a/b\" }", &["`a/b`"]);
    check("stat_missing = { folder_of = \"disk:raw\", count = 1 }", &["not a file"]);
    check("stat_missing = { folder_of = \"file:a\", count = 0 }", &["count is 0"]);
    check("device = { disk = \"data\", latency = \"1s\" }", &["no latency"]);
    check(
        "stream = { from = \"file:a\", size = \"2MiB\", stride = { read = \"4KiB\", skip = \"4KiB\" } }",
        &["a block"],
    );
    check("stream = { from = \"file:a\", size = \"2MiB\", skew = 0.8 }", &["of random reads", "random = true"]);
    for skew in ["0.5", "1", "-3", "nan", "inf"] {
        let stream = format!("stream = {{ from = \"file:a\", size = \"2MiB\", random = true, skew = {skew} }}");
        check(&stream, &["skew", "0.8"]);
    }
    check("snapshot = true\ncgroup = { name = \"a\" }", &["no process"]);
    check("parallel = [{ name = \"a\" }]", &["part `a`: no action"]);
    check("parallel = [{ name = \"a\", background = true, grow = { size = \"1MiB\" } }]", &["none ends the step"]);
    check("parallel = [{ name = \"a\", grwo = { size = \"1MiB\" } }]", &["did you mean `grow`?"]);
    check("swap = { size = \"1MiB\", disk = \"dta\" }", &["did you mean `data`?"]);
    check("swap = \"off\"", &["none"]);
    let first = parse("snapshot = true").map(|_| ()).and_then(|()| {
        let text = HEAD.replacen("size = \"1GiB\"\n", "size = \"1GiB\"\nfilesystem = \"none\"\n", 1);
        Scenario::parse(&format!("{text}[[step]]\nid = \"A\"\nsnapshot = true\n"), "t.toml").map(|_| ())
    });
    assert!(first.unwrap_err().what.contains("first disk"));
}

#[test]
fn what_a_stride_leaves_out_must_be_there() {
    let scenario = parse(
        "stream = { from = \"file:a\", size = \"8MiB\", bs = \"1MiB\", stride = { read = \"2MiB\", skip = \"6MiB\" } }",
    );
    let scenario = scenario.unwrap();
    assert_eq!(
        scenario.loads().next().and_then(|load| load.spec().reads()).map(|(_, size)| size),
        Some(Bytes::new(32 << 20))
    );
}

#[test]
fn a_changed_disk_keeps_what_is_not_named() {
    let text = HEAD.replacen("size = \"1GiB\"\n", "size = \"1GiB\"\nlatency = \"1ms\"\niops = 50\n", 1);
    let step = "[[step]]\nid = \"A\"\ndevice = { disk = \"data\", latency = \"40ms\" }\n";
    let scenario = Scenario::parse(&format!("{text}{step}"), "t.toml").unwrap();
    let Action::Device(change) = &scenario.steps[0].action else { panic!("no change") };
    let disk = change.of(&scenario.machine.disks[0]);
    assert_eq!((disk.latency, disk.iops), (Some("40ms".parse().unwrap()), Some(50)));
}
