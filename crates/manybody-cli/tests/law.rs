//! `manybody force --law`: laws by name, as text and from a file, and what is said of bad ones.

mod common;

use common::{Outcome, Place, event};

const IONS: &str = "id,mass,x,y,z,vx,vy,vz,q\n7,1,0,0,0,0,0,0,2\n5,1,2,0,0,0,0,0,3\n9,1,0,4,0,0,0,0,-1\n";

fn place() -> Place {
    let place = Place::new();
    place.write("ions.csv", IONS);
    place
}

/// Runs `force ions.csv -o f.csv WORDS --law LAW`.
fn force(place: &Place, words: &str, law: &str) -> Outcome {
    let mut command = place.command(&format!("force ions.csv -o f.csv {words}"));
    Outcome::of(command.args(["--law", law]).output().unwrap())
}

fn written(place: &Place) -> String {
    String::from_utf8(place.bytes("f.csv")).unwrap()
}

/// All numbers are exact in binary but sqrt(20).
#[test]
fn laws_by_name_as_text_and_from_a_file() {
    let place = place();
    let outcome = force(&place, "--json --par k=8", "coulomb");
    assert_eq!(outcome.status, Some(0), "{}", outcome.text);
    let lines = outcome.json();
    let said = event(&lines, "force");
    assert_eq!((&said["law"], &said["n"]), (&"coulomb".into(), &3.into()));
    assert!(outcome.text.contains("k = 8") && outcome.text.contains("operations"), "{}", outcome.text);
    let text = written(&place);
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    assert_eq!(text.lines().next(), Some("id,fx,fy,fz,pot"));
    // on 2: 8 * 2 * 3 / 4 to the left, 8 * 2 / 16 up; 8 * (3 / 2 - 1 / 4)
    for (got, exact) in rows[0].iter().zip([7.0, -12.0, 1.0, 0.0, 10.0]) {
        assert!((got - exact).abs() < 1e-14, "{rows:?}"); // the reciprocal root: units in the last place of 12
    }

    let same = "body x[3], q; param k = 1; d = i.x - j.x; s = dot(d, d)\nsum f = k * i.q * j.q * d / s^1.5; sum pot = k * j.q / sqrt(s); self exclude";
    place.write("own.txt", same);
    for law in [same, "own.txt"] {
        let outcome = force(&place, "--par k=8", law);
        assert_eq!(outcome.status, Some(0), "{}", outcome.text);
        let again: Vec<f64> = written(&place).lines().nth(1).unwrap().split(',').map(|x| x.parse().unwrap()).collect();
        assert!(again.iter().zip(&rows[0]).all(|(a, b)| (a - b).abs() < 1e-14), "{again:?}");
    }
}

#[test]
fn ids_and_counts_are_whole_numbers() {
    let place = place();
    let law = "body x[3]; id me = id; d = j.x - i.x; argmin r2 = dot(d, d), j.me; count n = j.x[0] < i.x[0] + 1; self exclude";
    let outcome = force(&place, "--precision f32", law);
    assert_eq!(outcome.status, Some(0), "{}", outcome.text);
    assert_eq!(written(&place), "id,r2,r2_id,n\n7,4.0,5,1\n5,4.0,7,2\n9,16.0,7,1\n");
}

#[test]
fn bad_laws_are_explained() {
    let place = place();
    let bad = |words: &str, law: &str, parts: &[&str]| {
        force(&place, words, law).expect_failure(&format!("{words} {law}"), 2, parts);
        assert!(!place.names().contains(&"f.csv".to_string()), "{law}");
    };
    bad("", "colomb", &["unknown law 'colomb'", "coulomb"]);
    bad("", "body x[3]\nsum a = j.y", &["line 2, column 11", "no member y"]);
    bad("", "body x[3]; sum a = 1 / norm(j.x - i.x)", &["column 20", "i = j", "self exclude"]);
    bad("", "body spin; sum a = j.spin", &["ions.csv", "field spin", "the law law reads it", "vz, q"]);
    bad("--par k=1", "helmholtz-single", &["field re"]);
    bad("", "body x; param l; sum a = j.x * l", &["parameter = l", "no value"]);
    bad("--par h=1", "coulomb", &["parameter = h", "parameters k"]);
    bad("--par k", "coulomb", &["par = k", "name=value"]);
    bad("--par k=much", "coulomb", &["par = k=much"]);
    bad("--eps 0.1", "coulomb", &["eps = 0.1", "--par"]);
    bad("--solver direct", "coulomb", &["solver = direct"]);
    bad("--par eps2=1", "gravity", &["--eps"]);
    bad("", "body x[3], q; param e = 0; d = j.x - i.x; sum p = j.q / sqrt(dot(d, d) + e)", &["for body 0", "i = j"]);
    place.write("own.txt", "body x[3]\n\n  sum a = j.y\n");
    bad("", "own.txt", &["own.txt", "line 3"]);
}

/// A file of other columns is not replaced.
#[test]
fn only_the_same_results_are_replaced() {
    let place = place();
    assert_eq!(force(&place, "", "coulomb").status, Some(0));
    assert_eq!(force(&place, "", "coulomb").status, Some(0));
    force(&place, "", "distances --").expect_failure("distances --", 2, &["distances"]);
    let other = "body q; sum total = j.q";
    force(&place, "", other).expect_failure(other, 2, &["f.csv", "something else"]);
}
