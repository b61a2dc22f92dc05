//! `run --explain`, and what a run says that its energy error has stopped.

mod common;

use common::{Place, event};

const WORDS: &str = "run --ic kepler --eccentricity 0.9 --phase 180 --eps 0 --dt 1/32 --t-end 12";

/// The bodies are at pericentre at pi and at 3 pi: the largest change is about one of these times.
#[test]
fn the_pericentre_is_found_and_a_remedy_that_works() {
    let place = Place::new();
    let outcome = place.good(&format!("{WORDS} --out a.hdf5 --explain --json"));
    let lines = outcome.json();
    let found = event(&lines, "explain");
    let between = [found["between"][0].as_f64().unwrap(), found["between"][1].as_f64().unwrap()];
    let passages = [std::f64::consts::PI, 3.0 * std::f64::consts::PI];
    // an energy error moves the second one
    assert!(passages.iter().any(|time| between[0] - 0.5 < *time && *time < between[1] + 0.5), "{found}");
    assert!(found["change"].as_f64().unwrap().abs() > 0.01, "{found}");
    assert_eq!((&found["pair"]["ids"][0], &found["pair"]["ids"][1]), (&0.into(), &1.into()));
    for part in
        ["largest change of the energy", "bodies 0 (id 0) and 1 (id 1)", "pericentre", "what to change", "--eps"]
    {
        assert!(outcome.text.contains(part), "should say '{part}':\n{}", outcome.text);
    }
    // no bit depends on it
    place.good(&format!("{WORDS} --out b.hdf5"));
    assert!(place.bytes("a.hdf5") == place.bytes("b.hdf5"));
    let remedies: Vec<&str> =
        found["pair"]["remedies"].as_array().unwrap().iter().map(|r| r.as_str().unwrap()).collect();
    let dt = remedies.iter().find_map(|remedy| remedy.strip_prefix("--dt ")).unwrap();
    let dt = dt.split(':').next().unwrap();
    let words = WORDS.replace("--dt 1/32", &format!("--dt {dt}"));
    let lines = place.good(&format!("{words} --out c.hdf5 --json")).json();
    assert!(event(&lines, "end")["energy_error"].as_f64().unwrap().abs() < 1e-3, "dt = {dt}");
}

/// With block time steps the body with the smallest step is named, whose encounter lies within a dt.
#[test]
fn the_body_with_the_smallest_step_is_named() {
    let place = Place::new();
    place.write(
        "three.csv",
        "id,mass,x,y,z,vx,vy,vz\n5,0.5,1,0,0,-0.5,0.02,0\n6,0.5,-1,0,0,0.5,-0.02,0\n7,0.001,0,30,0,0,0,0\n",
    );
    let words = "run three.csv --integrator hermite4 --eps 0 --dt 1/4 --t-end 3 --snapshot-every 1/4 --out a.hdf5";
    let outcome = place.good(&format!("{words} --explain --json"));
    let found = outcome.json();
    let found = event(&found, "explain");
    assert_eq!((&found["pair"]["ids"][0], &found["pair"]["ids"][1]), (&5.into(), &6.into()), "{found}");
    assert_eq!(found["pair"]["perturber"], 7);
    let text = &outcome.text;
    assert!(text.contains("--eta 0.05") && text.contains("--integrator ar-chain"), "{text}");
    assert!(found["pair"]["step"].as_f64().unwrap() < 1e-2, "{found}");
}

/// The message that stops a run has the pair and what to change.
#[test]
fn a_run_that_stops_says_what_to_change() {
    let place = Place::new();
    let words = format!("{WORDS} --out a.hdf5 --max-energy-error 1e-3");
    let parts = ["beyond the limit", "bodies 0 (id 0) and 1 (id 1)", "one of these", "--dt 1/1024", "--integrator"];
    place.bad(&words, 1, &parts);
}

/// Other laws have no pairs that gravity could explain.
#[test]
fn other_forces_are_explained_by_times_alone() {
    let place = Place::new();
    place.write("two.csv", "id,mass,x,y,z,vx,vy,vz\n1,1,1,0,0,0,0.3,0\n2,1,-1,0,0,0,-0.3,0\n");
    place.write("spring.txt", "body x[3]; sum acc[3] = j.x - i.x; sum u = 0.5 * dot(j.x - i.x, j.x - i.x)");
    let words = "run two.csv --law spring.txt --dt 1/4 --t-end 4 --snapshot-every 1 --out a.hdf5 --explain";
    let outcome = place.good(words);
    assert!(outcome.text.contains("the forces are not gravity"), "{}", outcome.text);
}
