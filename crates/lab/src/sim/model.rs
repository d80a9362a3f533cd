//! The backend of the model.

use super::options::ModelOptions;
use super::{missing, step};
use pagetide_core::{Backend, BackendRun, Error, Nanos, NullSink, Origin, Progress, RunRequest, Sink, StepResult};

/// The sim backend.
#[derive(Debug, Clone, Default)]
pub struct Model {
    options: ModelOptions,
}

impl Model {
    /// The backend with these options.
    pub const fn new(options: ModelOptions) -> Self {
        Self { options }
    }

    /// Runs a scenario without a recording and gives what its steps measured.
    ///
    /// # Errors
    /// As [`Backend::run`].
    pub fn steps(&mut self, request: &RunRequest) -> Result<Vec<StepResult>, Error> {
        self.steps_unless(request, &|| false)
    }

    /// The same, unless the user interrupts it.
    ///
    /// # Errors
    /// As [`Backend::run`].
    pub fn steps_unless(
        &mut self,
        request: &RunRequest,
        interrupted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<StepResult>, Error> {
        let interval = self.options.interval.take();
        let run = self.run(request, Box::new(NullSink), &mut Silent { interrupted });
        self.options.interval = interval;
        Ok(run?.steps)
    }
}

/// Shows nothing.
struct Silent<'a> {
    interrupted: &'a (dyn Fn() -> bool + Sync),
}

impl Progress for Silent<'_> {
    fn step(&mut self, _: usize, _: usize, _: &str, _: &str) {}
    fn update(&mut self, _: Option<f64>, _: Option<Nanos>, _: &str) {}
    fn step_done(&mut self, _: &str) {}
    fn say(&mut self, _: &str) {}
    fn interrupted(&self) -> bool {
        (self.interrupted)()
    }
}

impl Backend for Model {
    fn name(&self) -> &'static str {
        Origin::Sim.name()
    }

    fn run(
        &mut self,
        request: &RunRequest,
        sink: Box<dyn Sink>,
        progress: &mut dyn Progress,
    ) -> Result<BackendRun, Error> {
        missing::check(&request.scenario)?;
        let dilation = request.scenario.machine.time_dilation.filter(|_| self.options.dilate);
        let scenario = dilation.map_or_else(|| request.scenario.clone(), |factor| request.scenario.dilated(factor));
        let mut run = step::run(&scenario, request.seed, &self.options, sink, progress)?;
        if let Some(factor) = dilation {
            run.differences
                .push(format!("The disks are {factor} times slower than the scenario's, as on an emulated machine."));
        }
        Ok(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::{Scale, Scenario};

    /// Why the model refuses a scenario with these disks and this step.
    fn refused(disks: usize, step: &str) -> String {
        let mut text =
            String::from("id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"64MiB\"\n");
        for disk in 0..disks {
            text += &format!("[[machine.disk]]\nname = \"d{disk}\"\nsize = \"1TiB\"\n");
        }
        text += &format!("[[step]]\nid = \"A\"\n{step}\n");
        let scenario = Scenario::parse(&text, "t.toml").unwrap();
        let options = ModelOptions { memory: Some(pagetide_core::Bytes::new(64 << 20)), ..ModelOptions::default() };
        let refused = Model::new(options).steps(&RunRequest { scenario, scale: Scale::FULL, seed: 1 });
        let refused = refused.unwrap_err();
        format!("{}\n{}", refused.what, refused.hint)
    }

    /// The results of these steps on a machine with a fast disk of slow flushes.
    fn results(steps: &str) -> Vec<StepResult> {
        let text = format!(
            "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 2\nmemory = \"512MiB\"\n[[machine.disk]]\n\
             name = \"d\"\nsize = \"8GiB\"\nlatency = \"100us\"\nbandwidth = \"400MB/s\"\nflush = \"10ms\"\n{steps}"
        );
        let scenario = Scenario::parse(&text, "t.toml").unwrap();
        Model::default().steps(&RunRequest { scenario, scale: Scale::FULL, seed: 1 }).unwrap()
    }

    fn bandwidth(results: &[StepResult], id: &str) -> f64 {
        let result = results.iter().find(|result| result.id == id).unwrap();
        result.get(pagetide_core::Figure::Bandwidth).unwrap() / 1e6
    }

    #[test]
    fn a_walk_fills_at_its_rate_and_computes_after_each_touch() {
        let elapsed = |fields: &str| {
            let walk = format!("map_and_walk = {{ data = \"64MiB\", iterations = 1{fields} }}");
            let results = results(&format!("[[step]]\nid = \"W\"\n{walk}\n"));
            results[0].get(pagetide_core::Figure::Elapsed).unwrap() / 1e9
        };
        assert!(elapsed("") < 0.5, "{}", elapsed(""));
        let filled = elapsed(", fill_rate = \"32MiB/s\"");
        assert!((1.9..2.2).contains(&filled), "64 MiB: {filled}");
        let computed = elapsed(", compute = \"100us\"");
        assert!((1.6..2.1).contains(&computed), "16384 touches: {computed}");
    }

    #[test]
    fn a_run_is_interrupted_before_much_happens_however_little_time_it_takes() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let text = "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 2\nmemory = \"512MiB\"\n[[machine.disk]]\nname = \"d\"\n\
                    size = \"8GiB\"\nlatency = \"10us\"\n[[step]]\nid = \"A\"\n\
                    fio = { rw = \"randread\", bs = \"4k\", size = \"128MiB\", direct = true }\n";
        let scenario = Scenario::parse(text, "t.toml").unwrap();
        let run = |most: u32| {
            let looks = AtomicU32::new(0);
            let request = RunRequest { scenario: scenario.clone(), scale: Scale::FULL, seed: 1 };
            let ran = Model::default().steps_unless(&request, &|| looks.fetch_add(1, Ordering::Relaxed) >= most);
            (ran.map_err(|error| error.kind), looks.into_inner())
        };
        let (whole, looks) = run(u32::MAX);
        // 32 768 reads in less than a second.
        assert!(whole.unwrap()[0].get(pagetide_core::Figure::Elapsed).unwrap() < 1e9 && looks > 8, "{looks} looks");
        assert_eq!(run(6).0.unwrap_err(), pagetide_core::ErrorKind::Interrupted);
    }

    #[test]
    fn a_time_limit_ends_early_only_what_has_another_end() {
        let outcome = |load: &str| results(&format!("[[step]]\nid = \"A\"\n{load}\n"))[0].outcome;
        for open in [
            "spin = { time = \"1s\" }",
            "stream = { from = \"file:a\", size = \"64MiB\", random = true, time = \"1s\" }",
        ] {
            assert_eq!(outcome(open), pagetide_core::Outcome::Done, "{open}");
        }
        let early = "stream = { from = \"file:a\", size = \"2GiB\", time = \"1s\" }";
        assert_eq!(outcome(early), pagetide_core::Outcome::TimedOut);
    }

    #[test]
    fn a_group_is_held_to_its_io_max_beside_one_that_is_not() {
        let limit = "cgroup = { name = \"slow\", io_max = [{ disk = \"d\", read = \"10MB/s\", write = \"5MB/s\" }] }";
        let results = results(&format!(
            "[[step]]\nid = \"R\"\nparallel = [\n\
             {{ name = \"fast\", stream = {{ from = \"file:a\", size = \"200MiB\" }} }},\n\
             {{ name = \"slow\", stream = {{ from = \"file:b\", size = \"20MiB\" }}, {limit} }},\n]\n\
             [[step]]\nid = \"W\"\ndd = {{ from = \"zero\", to = \"file:c\", size = \"20MiB\", sync = true }}\n{limit}\n"
        ));
        assert!(bandwidth(&results, "R_fast") > 300.0, "{results:#?}");
        assert!((9.0..11.0).contains(&bandwidth(&results, "R_slow")), "{results:#?}");
        assert!((4.5..5.5).contains(&bandwidth(&results, "W")), "{results:#?}");
    }

    #[test]
    fn a_group_is_held_to_its_cpu_max_beside_one_that_is_not() {
        let results = results(
            "[[step]]\nid = \"S\"\nparallel = [\n\
             { name = \"free\", spin = { time = \"2s\" } },\n\
             { name = \"held\", spin = { time = \"2s\" }, cgroup = { name = \"g\", cpu_max = 0.25 } },\n]\n",
        );
        let used = |id: &str| {
            let result = results.iter().find(|result| result.id == id).unwrap();
            result.get(pagetide_core::Figure::UserCpu).unwrap() / 1e9
        };
        assert!(used("S_free") > 1.9, "{results:#?}");
        assert!((0.48..0.53).contains(&used("S_held")), "{results:#?}");
    }

    #[test]
    fn a_disk_with_slow_flushes_makes_syncs_slow() {
        let results = results(
            "[[step]]\nid = \"A\"\nfio = { rw = \"randwrite\", bs = \"4k\", size = \"1MiB\", fsync = 1 }\n\
             [[step]]\nid = \"F\"\ndevice = { disk = \"d\", flush = \"1ms\" }\n\
             [[step]]\nid = \"B\"\nfio = { rw = \"randwrite\", bs = \"4k\", size = \"1MiB\", fsync = 1 }\n",
        );
        let elapsed = |at: usize| results[at].get(pagetide_core::Figure::Elapsed).unwrap() / 1e9;
        // 256 syncs of two flushes.
        assert!((5.1..5.5).contains(&elapsed(0)), "{}", elapsed(0));
        assert!((0.5..0.9).contains(&elapsed(2)), "{}", elapsed(2));
    }

    #[test]
    fn a_disk_becomes_slower_and_caches_are_dropped_while_loads_run() {
        let steps = |meanwhile: &str| {
            results(&format!(
                "[[step]]\nid = \"A\"\nparallel = [\n\
                 {{ name = \"cold\", stream = {{ from = \"file:a\", size = \"800MiB\", cache = \"direct\" }} }},\n\
                 {{ name = \"warm\", stream = {{ from = \"file:b\", size = \"16MiB\", repeat = true, rate = \"16MiB/s\", time = \"4s\" }}, \
                 cgroup = {{ name = \"g\" }} }},\n]\n{meanwhile}"
            ))
        };
        let read = |results: &[StepResult], id: &str| {
            results.iter().find(|one| one.id == id).unwrap().get(pagetide_core::Figure::Elapsed).unwrap() / 1e9
        };
        let alone = steps("");
        let slower = steps("meanwhile = [{ after = \"1s\", device = { disk = \"d\", bandwidth = \"50MB/s\" } }]\n");
        assert!(read(&alone, "A_cold") < 4.0 && read(&slower, "A_cold") > 9.0, "{alone:#?} {slower:#?}");
        let cached = |results: &[StepResult]| {
            let of = results.iter().find(|one| one.id == "A").unwrap();
            of.get(pagetide_core::Figure::DiskReadBytes).unwrap() / f64::from(1 << 20)
        };
        let dropped = steps("meanwhile = [{ after = \"2500ms\", drop_caches = true }]\n");
        let again = cached(&dropped) - cached(&alone);
        assert!((14.0..18.0).contains(&again), "{again} MiB are read again");
        let of_a_file = |name: &str| {
            let dropped = steps(&format!("meanwhile = [{{ after = \"2500ms\", drop_files = [\"file:{name}\"] }}]\n"));
            cached(&dropped) - cached(&alone)
        };
        assert!((14.0..18.0).contains(&of_a_file("b")), "its pages are read again");
        assert!(of_a_file("a") < 1.0, "nobody had cached that one");
        let of_group = |size: &str| {
            let taken = format!("{{ after = \"2500ms\", reclaim = {{ cgroup = \"g\", size = \"{size}\" }} }}");
            cached(&steps(&format!("meanwhile = [{taken}]\n"))) - cached(&alone)
        };
        assert!((14.0..18.0).contains(&of_group("64MiB")), "the kernel finds no more than the group has");
        assert!((7.0..10.0).contains(&of_group("8MiB")), "{}", of_group("8MiB"));
    }

    #[test]
    fn a_pool_of_huge_pages_takes_memory_before_the_next_step_and_while_loads_run() {
        let read_again = |pages: u64, meanwhile: bool| {
            let pool = format!("sysctl = {{ \"vm.nr_hugepages\" = {pages} }}");
            let step = if meanwhile { String::new() } else { format!("[[step]]\nid = \"P\"\n{pool}\n") };
            let change =
                if meanwhile { format!("meanwhile = [{{ after = \"100ms\", {pool} }}]\n") } else { String::new() };
            let results = results(&format!(
                "[[step]]\nid = \"A\"\nstream = {{ from = \"file:a\", size = \"64MiB\" }}\n{step}\
                 [[step]]\nid = \"S\"\nparallel = [{{ name = \"s\", spin = {{ time = \"2s\" }} }}]\n{change}\
                 [[step]]\nid = \"B\"\nstream = {{ from = \"file:a\", size = \"64MiB\" }}\n"
            ));
            let of = results.iter().find(|one| one.id == "B").unwrap();
            of.get(pagetide_core::Figure::DiskReadBytes).unwrap() / f64::from(1 << 20)
        };
        for meanwhile in [false, true] {
            // 470 of 512 MiB.
            assert!(read_again(235, meanwhile) > 40.0, "{meanwhile}");
            assert!(read_again(8, meanwhile) < 1.0, "{meanwhile}: there is room");
        }
    }

    #[test]
    fn what_a_program_computes_competes_for_the_cpus() {
        // On two CPUs.
        let spins = |count: usize| {
            let spin: String = (0..count)
                .map(|nth| format!("{{ name = \"spin{nth}\", spin = {{ time = \"3s\" }}, background = true }},\n"))
                .collect();
            let results = results(&format!(
                "[[step]]\nid = \"A\"\nparallel = [\n\
                 {{ name = \"work\", stream = {{ from = \"file:a\", size = \"1MiB\", bs = \"4KiB\", compute = \"4ms\" }} }},\n\
                 {{ name = \"half\", spin = {{ share = 0.5, time = \"1s\" }} }},\n{spin}]\n"
            ));
            let of = |id: &str, figure| results.iter().find(|one| one.id == id).unwrap().get(figure).unwrap() / 1e9;
            (of("A_work", pagetide_core::Figure::Elapsed), of("A_half", pagetide_core::Figure::UserCpu))
        };
        let (alone, half) = spins(0);
        assert!((1.0..1.1).contains(&alone) && (0.45..0.55).contains(&half), "{alone} {half}");
        let (beside, _) = spins(3);
        assert!(beside > 1.4 * alone, "{beside}");
    }

    #[test]
    fn runs_of_two_seeds_are_one_run_where_the_seed_decides_nothing() {
        let steps = |fresh: &str| {
            let text = format!(
                "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 2\nmemory = \"128MiB\"\n[[machine.disk]]\nname = \"d\"\n\
                 size = \"8GiB\"\n[[step]]\nid = \"A\"\nfio = {{ rw = \"randrw\", bs = \"4k\", size = \"128MiB\"{fresh} }}\n"
            );
            let scenario = Scenario::parse(&text, "t.toml").unwrap();
            let run = |seed| {
                let scenario = scenario.clone();
                Model::default().steps(&RunRequest { scenario, scale: Scale::FULL, seed }).unwrap()
            };
            (crate::sim::depends_on_seed(&scenario), run(1) == run(2))
        };
        assert_eq!(steps(""), (false, true));
        assert_eq!(steps(", randrepeat = false"), (true, false));
    }

    #[test]
    fn cached_reads_that_do_not_wait_for_each_other_are_refused() {
        let uring = |rest: &str| {
            format!("fio = {{ rw = \"randread\", bs = \"4k\", size = \"1MiB\", ioengine = \"io_uring\"{rest} }}")
        };
        let why = refused(1, &uring(", iodepth = 32"));
        assert!(why.contains("ioengine = \"io_uring\" and iodepth = 32 that reads without direct = true"), "{why}");
        for rest in ["", ", iodepth = 32, direct = true"] {
            results(&format!("[[step]]\nid = \"A\"\n{}\n", uring(rest)));
        }
    }

    #[test]
    fn what_takes_years_or_terabytes_is_refused() {
        let slow = refused(1, "sleep = \"876000h\"");
        assert!(slow.contains("of the model's time"), "{slow}");
        let large = refused(1, "fio = { rw = \"read\", bs = \"4k\", size = \"900GiB\" }");
        assert!(large.contains("their model takes") && large.contains("more than 64 MiB"), "{large}");
        assert!(!large.contains("--"), "an option that not every command with a model has: {large}");
        let anonymous = refused(1, "hold = { size = \"15TiB\", kind = \"shared\" }");
        assert!(anonymous.contains("their model takes"), "{anonymous}");
        assert!(refused(27, "sleep = \"1s\"").contains("a machine of 27 disks"));
    }
}
