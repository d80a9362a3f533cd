//! Points of a plan on small machines.

use super::*;
use pagetide_core::Figures;

struct Silent;

impl RunsProgress for Silent {
    fn done(&self, _: usize, _: usize) {}

    fn interrupted(&self) -> bool {
        false
    }
}

/// The request of a plan of steps on a machine with one disk.
fn request(steps: &str, vary: &str, show: &str, goal: Option<&str>) -> Result<PlanRequest, Error> {
    let text = format!(
        "id = 's'\ntitle = 't'\nsource = 'ours'\nheadline = 'h'\nabout = 'a'\nnotes = ['n']\n[machine]\ncpus = 2\nmemory = '1GiB'\n\
         system = '100MiB'\n[[machine.disk]]\nname = 'd'\nsize = '4GiB'\niops = 3000\nbandwidth = '125MB/s'\nlatency = '370us'\n{steps}"
    );
    Ok(PlanRequest {
        scenario: "s".to_owned(),
        text: Some(text),
        scale: Scale::FULL,
        sets: Vec::new(),
        steps: Vec::new(),
        varied: vec![parse_varied(vary)?],
        show: Some(show.to_owned()),
        goal: goal.map(str::to_owned),
        seeds: 1,
        seed: 1,
        model: ModelOptions::default(),
    })
}

fn plan(steps: &str, vary: &str, show: &str, goal: Option<&str>) -> Plan {
    request(steps, vary, show, goal).unwrap().check().unwrap().run(1, &Silent).unwrap()
}

const WALK: &str = "[[step]]\nid = 'w'\ntitle = 'w'\nmap_and_walk = { data = '400MiB', iterations = 2 }";

#[test]
fn a_machine_on_which_the_work_is_killed_meets_no_goal_and_has_no_figure() {
    let found = plan(WALK, "memory=350MiB,1GiB", "w.elapsed", Some("w.elapsed < 1h"));
    let [killed, whole] = &found.points[..] else { panic!("{found:?}") };
    assert_eq!((killed.values.len(), killed.meets_goal), (0, Some(false)));
    assert_eq!(killed.refused.as_deref(), Some("the OOM killer killed w"));
    assert_eq!((whole.values.len(), whole.meets_goal, &whole.refused), (1, Some(true), &None));
    assert_eq!(found.settings(found.cheapest().unwrap()), "memory=1GiB");
    let nowhere = request(WALK, "memory=300MiB,350MiB", "w.elapsed", None).unwrap().check().unwrap();
    let why = nowhere.run(1, &Silent).unwrap_err();
    assert_eq!(why.what, "at every setting the OOM killer killed w");
    // Who asks how many are killed is told.
    let kills = plan(WALK, "memory=350MiB,1GiB", "w.oom_kills", None);
    assert_eq!(kills.points.iter().map(|point| point.values[0]).collect::<Vec<_>>(), [1.0, 0.0]);
}

#[test]
fn a_goal_is_met_where_every_seed_says_so() {
    let step = |elapsed: Option<f64>| {
        let mut figures = Figures::default();
        figures.set_some(Figure::Elapsed, elapsed);
        let step = StepResult {
            id: "w".to_owned(),
            kind: "map_and_walk".to_owned(),
            title: String::new(),
            started_ns: 0,
            ended_ns: 0,
            outcome: Outcome::Done,
            notes: Vec::new(),
            figures,
        };
        Ok(vec![step])
    };
    let checked = request(WALK, "memory=1GiB", "w.elapsed", Some("w.elapsed < 1s")).unwrap().check().unwrap();
    let met = |seeds: [Option<f64>; 2]| {
        let runs = seeds.map(step);
        checked.point(&[0], &runs.iter().collect::<Vec<_>>()).unwrap().meets_goal
    };
    assert_eq!(met([Some(5e8), Some(6e8)]), Some(true));
    assert_eq!(met([Some(5e8), Some(6e9)]), Some(false));
    assert_eq!(met([Some(5e8), None]), None);
    assert_eq!(met([None, Some(6e9)]), Some(false));
}

#[test]
fn a_setting_is_varied_once() {
    let mut twice = request(WALK, "memory=1GiB,2GiB", "w.elapsed", None).unwrap();
    twice.varied.push(parse_varied("memory=3GiB").unwrap());
    assert_eq!(twice.check().unwrap_err().what, "--vary memory appears twice");
}
