use crate::{Action, Bytes, Error, Figure, Scale, Scenario};

const HEAD: &str = "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n[[machine.disk]]\nname = \"data\"\nsize = \"1GiB\"\n";

fn parse(rest: &str) -> Result<Scenario, Error> {
    Scenario::parse(&format!("{HEAD}{rest}"), "t.toml")
}

#[test]
fn a_step_inherits_and_overrides() {
    let scenario = parse(
        "[[step]]\nid = \"A1\"\nfio = { rw = \"randread\", bs = \"8k\", size = \"2GiB\", invalidate = false }\n\
         published = { iops = 2609, elapsed = \"100.465s\" }\n\
         [[step]]\nid = \"A2\"\nfio = { same_as = \"A1\", norandommap = true }\n",
    )
    .unwrap();
    assert_eq!(scenario.steps[0].published.get(Figure::Elapsed), Some(100.465e9));
    let Action::Fio(job) = &scenario.steps[1].action else { panic!("not fio") };
    assert!(job.norandommap && job.invalidate == Some(false) && job.size == Bytes::new(2 << 30));
    let scaled = scenario.scaled(Scale::new(1, 8).unwrap());
    let Action::Fio(job) = &scaled.steps[1].action else { panic!("not fio") };
    assert_eq!(job.size, Bytes::new(256 << 20));
    assert_eq!(job.bs, Bytes::new(8192), "block sizes are not scaled");
    assert_eq!(scaled.machine.memory, Bytes::new(128 << 20));
}

#[test]
fn wrong_input_names_the_line_and_the_fix() {
    let check = |rest: &str, line: &str, words: &[&str]| {
        let message = parse(rest).unwrap_err().to_string();
        assert!(message.starts_with(line), "{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
        assert!(!message.contains('\n'), "{message}");
    };
    check("[[step]]\nid = \"A\"\nslep = \"1s\"\n", "t.toml:12:", &["slep", "did you mean `sleep`?"]);
    check("[[step]]\nid = \"A\"\nsleep = 5\n", "t.toml:12:", &["no unit", "ms"]);
    check("[[step]]\nid = \"A\"\nparallel = []\n", "t.toml:10:", &["it has no parts"]);
    check(
        "[[step]]\nid = \"A\"\nspin = { time = \"1s\" }\ncgroup = { name = \"g\", memory_max = \"0MiB\" }\n",
        "t.toml:10:",
        &["memory_max of cgroup g is 0", "leave memory_max out"],
    );
    check(
        "[[step]]\nid = \"A\"\nfio = { rw = \"randread\", bs = \"8k\", sise = \"1GiB\" }\n",
        "t.toml:10:",
        &["`size`?"],
    );
    check(
        "[[step]]\nid = \"A\"\nfio = { rw = \"randraed\", bs = \"8k\", size = \"1GiB\" }\n",
        "t.toml:10:",
        &["`randread`?"],
    );
    check(
        "[[step]]\nid = \"A\"\nfio = { rw = \"read\", bs = \"8k\", size = 4096 }\n",
        "t.toml:10:",
        &["not a size: `4096`", "MiB"],
    );
    check(
        "filesystem = \"ext3\"\n[[step]]\nid = \"A\"\nsleep = \"1s\"\n",
        "t.toml:10:",
        &["ext3", "did you mean `ext4`?", "xfs"],
    );
    check(
        "iops = 0\n[[step]]\nid = \"A\"\nsleep = \"1s\"\n",
        "t.toml: ",
        &["iops of disk `data` is 0", "leave iops out"],
    );
    check(
        "latency = \"1ms\"\n[[step]]\nid = \"A\"\ndevice = { disk = \"data\", bandwidth = \"0B/s\" }\n",
        "t.toml:11:",
        &["bandwidth of disk `data` is 0"],
    );
    check("[[step]]\nid = \"A\"\nrelease = \"B\"\n", "t.toml:10:", &["no hold step `B`"]);
    check("[[step]]\nid = \"A\"\n", "t.toml:10:", &["no action: a step needs exactly one", "fio, hold"]);
    check("[[step]]\nid = \"A-1\"\nsleep = \"1s\"\n", "t.toml:10:", &["name of a step"]);
    check("[[step]]\nid = \"A\"\nsleep = \"1s\"\npublished = { iosp = 3 }\n", "t.toml:10:", &["`iops`?"]);
    check("[[step]]\nid = \"A\"\nsleep = \"1s\"\npublished = { elapsed = 3 }\n", "t.toml:10:", &["no unit"]);
    check(
        "[[step]]\nid = \"A\"\nsleep = \"1s\"\n[[step]]\nid = \"A\"\nsleep = \"1s\"\n",
        "t.toml:13:",
        &["exists already"],
    );
    check("[[step]]\nid = \"A\"\nsleep = \"1s\"\nsnapshot = true\n", "t.toml:10:", &["actions sleep and snapshot"]);
    check("[[step]]\nsleep = \"1s\"\n", "t.toml:10:", &["missing field `id`"]);
    check("[[step]]\nid = \"A\"\nnames = { count = 1 }\n", "t.toml:12:", &["`names` is called `stat_missing` now"]);
    check(
        "[[step]]\nid = \"A\"\ngrow = { size = \"1MiB\", linger = \"1s\" }\n",
        "t.toml:12:",
        &["called `hold_for` now"],
    );
    let walk = "map_and_walk = { data = \"2MiB\", iterations = 1, walked = \"1MiB\" }";
    check(&format!("[[step]]\nid = \"A\"\n{walk}\n"), "t.toml:12:", &["called `hot` now"]);
    let missing = "stat_missing = { beside = \"file:a\", count = 1 }";
    check(&format!("[[step]]\nid = \"A\"\n{missing}\n"), "t.toml:12:", &["called `folder_of` now"]);
}

#[test]
fn no_name_leads_out_of_the_run_folder() {
    let step = "[[step]]\nid = \"A\"\n";
    let group = format!("{step}spin = {{ time = \"1s\" }}\ncgroup = {{ name = \"../../x\" }}\n");
    let file = format!("{step}fio = {{ rw = \"read\", bs = \"4k\", size = \"1MiB\", file = \"../x\" }}\n");
    for rest in [group, file, "[[step]]\nid = \"../x\"\nsnapshot = true\n".to_owned()] {
        assert!(parse(&rest).is_err(), "{rest}");
    }
    let good = format!("{HEAD}{step}snapshot = true\n");
    for (name, other) in [("\"t\"", "\"../../x\""), ("\"data\"", "\"../data\""), ("\"data\"", "\"a b\"")] {
        let bad = good.replacen(name, other, 1);
        let error = Scenario::parse(&bad, "t.toml").unwrap_err();
        assert!(error.what.contains("cannot be the name of a"), "{error}");
    }
}

#[test]
fn a_scenario_survives_as_json() {
    for swap in [
        "\"none\"",
        "{ size = \"4GiB\", disk = \"data\" }",
        "{ zram = \"2GiB\", algorithm = \"zstd\" }",
        "{ zram = \"1GiB\" }",
    ] {
        let text = format!(
            "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\nswap = {swap}\n\
             time_dilation = 10\nreclaim_slowdown = 20\nlru = \"mglru\"\nhuge_pages = \"never\"\n[[machine.disk]]\nname = \"data\"\nsize = \"1GiB\"\n\
             filesystem = \"xfs\"\nread_ahead = \"128KiB\"\n\
             [[step]]\nid = \"A1\"\nfio = {{ rw = \"randread\", bs = \"8k\", size = \"2GiB\" }}\n\
             published = {{ iops = 2609 }}\n[[claim]]\nid = \"c\"\ntext = \"c\"\ncheck = \"A1.iops > 1\"\n"
        );
        let scenario = Scenario::parse(&text, "t.toml").unwrap();
        let json = serde_json::to_string(&scenario).unwrap();
        assert_eq!(serde_json::from_str::<Scenario>(&json).unwrap(), scenario);
    }
}

#[test]
fn a_dilated_machine_has_disks_that_take_longer() {
    let disk = "iops = 3000\nbandwidth = \"125MB/s\"\nlatency = \"370us\"\nwrite_latency = \"1ms\"\nflush = \"2ms\"\n";
    let head = HEAD.replace("cpus = 1", "cpus = 1\ntime_dilation = 10");
    let step = "[[step]]\nid = \"A1\"\ndevice = { disk = \"data\", latency = \"2ms\", write_latency = \"3ms\" }\n";
    let scenario = Scenario::parse(&format!("{head}{disk}{step}"), "t.toml").unwrap();
    let slower = scenario.dilated(scenario.machine.time_dilation.unwrap());
    let slow = &slower.machine.disks[0];
    assert_eq!((slow.iops, slow.size), (Some(300), scenario.machine.disks[0].size));
    assert_eq!(slow.bandwidth.unwrap().get(), 12_500_000);
    assert_eq!(slow.latency.unwrap().get(), 3_700_000);
    assert_eq!(slow.write_latency.unwrap().get(), 10_000_000);
    assert_eq!(slow.flush.unwrap().get(), 20_000_000);
    assert_eq!(slow.limits(), ["300 IOPS", "11.9 MiB/s", "3.70 ms a request", "10 ms a write", "20 ms a flush"]);
    let Action::Device(change) = &slower.steps[0].action else { panic!("{slower:?}") };
    assert_eq!(change.latency.unwrap().get(), 20_000_000);
    for (factor, is_right) in [(1, true), (1000, true), (1001, false), (u64::MAX >> 1, false)] {
        let reclaim = head.replace("time_dilation = 10", &format!("reclaim_slowdown = {factor}"));
        let read = Scenario::parse(&format!("{reclaim}{disk}{step}"), "t.toml");
        assert_eq!(read.is_ok(), is_right, "{factor}");
        assert!(read.err().is_none_or(|error| error.to_string().contains(&format!("reclaim_slowdown is {factor}"))));
    }
    for (cpus, is_right) in
        [("0.01", true), ("4096", true), ("0.001", false), ("-1", false), ("nan", false), ("5000", false)]
    {
        let step = format!(
            "{step}[[step]]\nid = \"G\"\nspin = {{ time = \"1s\" }}\ncgroup = {{ name = \"g\", cpu_max = {cpus} }}\n"
        );
        let read = Scenario::parse(&format!("{head}{disk}{step}"), "t.toml");
        assert_eq!(read.is_ok(), is_right, "{cpus}: {read:?}");
        assert!(read.err().is_none_or(|error| error.to_string().contains("is not a number of CPUs")), "{cpus}");
    }
    let never = head.replace("time_dilation = 10", "time_dilation = 0");
    let error = Scenario::parse(&format!("{never}{disk}{step}"), "t.toml").unwrap_err();
    assert!(error.to_string().contains("nonzero"), "{error}");
}

#[test]
fn only_parallel_steps_change_the_machine_meanwhile_and_they_change_something() {
    let check = |step: &str, meanwhile: &str| {
        parse(&format!("latency = \"1ms\"\n[[step]]\nid = \"A\"\n{step}\nmeanwhile = [{meanwhile}]\n"))
    };
    let parallel = "parallel = [{ name = \"a\", spin = { time = \"1s\" }, cgroup = { name = \"g\" } }]";
    let scenario = check(
        parallel,
        "{ after = \"1s\", drop_caches = true, sysctl = { \"vm.dirty_ratio\" = 5 } }, { after = \"1s\", drop_files = [\"file:a\"] }, \
         { after = \"2s\", device = { disk = \"data\", latency = \"2ms\" } }, \
         { after = \"3s\", reclaim = { cgroup = \"g\", size = \"64MiB\" } }",
    )
    .unwrap();
    let step = &scenario.steps[0];
    assert_eq!((step.sysctls().count(), step.device_changes().count()), (1, 1));
    assert_eq!(serde_json::from_str::<Scenario>(&serde_json::to_string(&scenario).unwrap()).unwrap(), scenario);
    let dilated = scenario.dilated(10.try_into().unwrap());
    assert_eq!(dilated.steps[0].device_changes().next().unwrap().latency.unwrap().get(), 20_000_000);
    for (step, meanwhile, words) in [
        ("sleep = \"1s\"", "{ after = \"1s\", drop_caches = true }", "parallel steps"),
        (parallel, "{ after = \"1s\" }", "changes nothing"),
        (parallel, "{ after = \"1s\", drop_files = [\"zero\"] }", "is not a file"),
        (parallel, "{ after = \"1s\", sysctl = { \"vm.../x\" = 5 } }", "vm.../x"),
        (parallel, "{ after = \"1s\", device = { disk = \"none\" } }", "none"),
        (
            parallel,
            "{ after = \"1s\", reclaim = { cgroup = \"h\", size = \"64MiB\" } }",
            "no part runs in the group \"h\"",
        ),
        (parallel, "{ after = \"1s\", reclaim = { cgroup = \"g\", size = \"0MiB\" } }", "size is 0"),
        (parallel, "{ after = \"1s\", reboot = true }", "reboot"),
    ] {
        let message = check(step, meanwhile).unwrap_err().to_string();
        assert!(message.contains(words) && !message.contains('\n'), "{message}");
    }
}
