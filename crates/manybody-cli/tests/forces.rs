//! `manybody run --law` and `--field`: orbits, resumes, repeats, devices, and what is refused.

mod common;

use common::{Place, event};

/// Two charges on a circle, as in the library's test: omega^2 = 16 / 3.
const IONS: &str = "\
# time = 0
# units = g1
id,mass,x,y,z,vx,vy,vz,q
0,1,0.75,0,0,0,1.7320508075688772,0,2
1,3,-0.25,0,0,0,-0.5773502691896257,0,-2
";

/// Gravity as a text.
const NEWTON: &str = "\
# G = 1
body x[3], m
param eps2 = 1/1024
d = j.x - i.x
y = j.m / sqrt(dot(d, d) + eps2)
sum acc = y / (dot(d, d) + eps2) * d
sum pot = -y
self exclude
";

/// The coordinates of the bodies in a snapshot.
fn positions(place: &Place, file: &str) -> Vec<[f64; 3]> {
    let bodies = manybody::snapshot::read(place.path(file)).unwrap().bodies;
    (0..bodies.len()).map(|i| bodies.position(i)).collect()
}

fn apart(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    assert_eq!(a.len(), b.len());
    let off = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max);
    a.iter().zip(b).map(off).fold(0.0, f64::max)
}

#[test]
fn charges_go_round_and_conserve_their_energy() {
    let place = Place::new();
    place.write("ions.csv", IONS);
    // a period, 2 pi / omega
    let words = "run ions.csv --law coulomb --par k=1 --integrator yoshida4 --dt 0.002 --t-end 2.7206990463513265 \
                 --audit 1 --json --out b.hdf5";
    let lines = place.good(words).json();
    assert_eq!(event(&lines, "start")["law"], "coulomb");
    assert_eq!(event(&lines, "start")["par"][0], "k=1");
    let end = event(&lines, "end");
    assert!(end["drift"]["energy"].as_f64().unwrap().abs() < 1e-9, "{end}");
    assert!(end["force_error"]["max"].as_f64().unwrap() < 1e-14, "{end}");
    let off = apart(&positions(&place, "b.hdf5"), &[[0.75, 0.0, 0.0], [-0.25, 0.0, 0.0]]);
    // (omega dt)^4 = 5e-10 a radian, over 2 pi
    assert!(off < 1e-8, "{off:e}");
    // the description repeats the run, byte for byte, and the text of a law is in it
    let before = place.bytes("b.hdf5");
    place.good("run b.toml");
    assert!(place.bytes("b.hdf5") == before);
}

/// Gravity from a file with a text makes the orbits of the built-in solver, on every device that is here. Roundings of
/// 6e-8 in f32 and 1e-16 in f64, of accelerations up to 10, over 0.25: 16 steps, some roundings each.
#[test]
fn gravity_in_a_file_is_gravity() {
    let place = Place::new();
    std::fs::create_dir(place.path("laws")).unwrap();
    place.write("laws/newton.txt", NEWTON);
    let exact = [("cpu", "f64", 1e-14), ("cuda", "f64", 1e-14)];
    let single = [("cpu", "f32", 2e-6), ("wgpu", "f32", 2e-6), ("cuda", "f32", 2e-6)];
    for (device, precision, most) in exact.into_iter().chain(single) {
        if device != "cpu" && !place.has_device(device) {
            continue;
        }
        let common = format!("--dt 1/64 --t-end 1/4 --device {device} --precision {precision}");
        let words = format!("run -n 200 --law laws/newton.txt --par eps2=1/1024 {common} --out law.hdf5");
        place.good(&words);
        place.good(&format!("run -n 200 --eps 1/32 {common} --out solver.hdf5"));
        let off = apart(&positions(&place, "law.hdf5"), &positions(&place, "solver.hdf5"));
        assert!(off < most && off > 0.0, "{device} {precision}: {off:e}");
    }
    // the snapshots and the description hold the text itself: the file is not needed again
    std::fs::remove_file(place.path("laws/newton.txt")).unwrap();
    place.good("run --resume law.hdf5 --t-end 1/2 --out longer.hdf5");
    let before = place.bytes("law.hdf5");
    place.good("run law.toml");
    assert!(place.bytes("law.hdf5") == before);
}

/// A run with a law and fields that is stopped and resumed ends with the same bytes, charges and all; so does one whose
/// last snapshots are gone.
#[test]
fn runs_with_laws_and_fields_are_resumed() {
    let common = "--dt 1/64 --t-end 1 --snapshot-every 1/4 --out b.hdf5";
    for words in [
        "run ions.csv --law coulomb --field harmonic:omega=1/2,x=0.1 --field uniform:gz=-1",
        "run -n 50 --field nfw:m=3,a=1/2 --precision f32 --integrator yoshida4",
        "run ions.csv --law gas.txt",
    ] {
        let whole = Place::new();
        whole.write("ions.csv", IONS);
        // a law that reads velocities and gives the rate of q
        whole.write(
            "gas.txt",
            "body x[3], v[3], q\nsum a = 0.1 * (j.v - i.v)\nsum dq = 0.01 * (j.q - i.q)\nself exclude\n",
        );
        whole.good(&format!("{words} {common}"));
        let stopped = Place::new();
        stopped.write("ions.csv", IONS);
        stopped.write("gas.txt", &String::from_utf8(whole.bytes("gas.txt")).unwrap());
        stopped.good(&format!("{words} {common}"));
        for file in ["b.hdf5", "b.0003.hdf5"] {
            std::fs::remove_file(stopped.path(file)).unwrap();
        }
        stopped.good("run --resume b.hdf5");
        whole.assert_same_files(&stopped, words);
    }
}

/// Energies count a field's potential whole, and what a field takes is no drift.
/// A run computes a law with a cut-off without the pairs beyond it: the orbits are those of all pairs, but for rounding, and a
/// resumed run has the bits of one that was not interrupted.
#[test]
fn a_law_with_a_cut_off_runs_without_pairs_beyond_it() {
    let place = Place::new();
    let row = |k: usize| {
        let [x, y, z] = [k % 6, k / 6 % 6, k / 36].map(|at| 1.2 * at as f64 + 0.01 * ((k * 37 % 11) as f64));
        format!("{k},1,{x},{y},{z},0,0,0\n")
    };
    let rows: String = (0..216).map(row).collect();
    place.write("atoms.csv", &format!("# time = 0\n# units = g1\nid,mass,x,y,z,vx,vy,vz\n{rows}"));
    place.write(
        "lj.txt",
        "# G = 1\nbody x[3]\nd = j.x - i.x\nr2 = dot(d, d)\ns = r2^-3\nsum acc = 24 * (s - 2 * s^2) / r2 * d when r2 < 6.25\n\
         sum pot = 4 * (s^2 - s) + 0.0163 when r2 < 6.25\nself exclude\n",
    );
    let words = |solver: &str, to: &str, out: &str| {
        format!("run atoms.csv --law lj.txt {solver} --dt 1/256 --t-end {to} --device cpu --audit 1 --json --out {out}")
    };
    place.good(&words("", "0.5", "all.hdf5"));
    let lines = place.good(&words("--solver tree", "0.5", "b.hdf5")).json();
    let end = event(&lines, "end");
    // second order: the force of a neighbour changes over (r / 60), and dt is a tenth of the time that takes
    assert!(end["drift"]["energy"].as_f64().unwrap().abs() < 1e-4, "{end}");
    assert!(end["force_error"]["max"].as_f64().unwrap() < 1e-14, "{end}");
    // rounding, which collisions make grow
    let off = apart(&positions(&place, "b.hdf5"), &positions(&place, "all.hdf5"));
    assert!(off > 0.0 && off < 1e-10, "{off:e}");
    let whole = place.bytes("b.hdf5");
    place.good(&words("--solver tree", "0.25", "c.hdf5"));
    place.good("run --resume c.hdf5 --t-end 0.5 --out e.hdf5");
    assert_eq!(positions(&place, "e.hdf5"), positions(&place, "b.hdf5"));
    place.good("run b.toml");
    assert!(place.bytes("b.hdf5") == whole);
    place.bad(&words("--solver fmm", "0.5", "d.hdf5"), 2, &["solver = fmm", "by tree"]);
    place.bad(&words("--solver tree --order 3", "0.5", "d.hdf5"), 2, &["order = 3", "gravity by the solvers"]);
    for (device, precision) in [("wgpu", "f32"), ("cuda", "f32"), ("cuda", "f64")] {
        if place.has_device(device) {
            let words = |to: &str, out: &str| {
                let words = words("--solver tree", to, out).replace("cpu", device);
                // a run of rounded forces is as exact as they are
                format!("{words} --precision {precision}")
            };
            place.good(&words("0.5", "g.hdf5"));
            let off = apart(&positions(&place, "g.hdf5"), &positions(&place, "all.hdf5"));
            assert!(off < if precision == "f32" { 1e-3 } else { 1e-10 }, "{device} {precision}: {off:e}");
            let whole = positions(&place, "g.hdf5");
            place.good(&words("0.25", "h.hdf5"));
            place.good("run --resume h.hdf5 --t-end 0.5 --out i.hdf5");
            assert_eq!(positions(&place, "i.hdf5"), whole, "{device} {precision}");
        }
    }
    place.write("ions.csv", IONS);
    place.bad(
        "run ions.csv --law coulomb --solver tree --dt 0.1 --t-end 1 --out d.hdf5",
        2,
        &["every pair contributes"],
    );
}

#[test]
fn fields_are_in_the_energy() {
    let place = Place::new();
    place.write("one.csv", "# time = 0\n# units = g1\nid,mass,x,y,z,vx,vy,vz\n0,2,1,0,0,0,1,0\n");
    let words = "run one.csv --field point-mass:m=1 --dt 1/128 --t-end 1 --eps 0 --json --out b.hdf5";
    let outcome = place.good(words);
    let lines = outcome.json();
    // 2 (1/2 - 1)
    assert_eq!(event(&lines, "start")["diagnostics"]["energy"], -1.0);
    let end = event(&lines, "end");
    assert!(end["drift"]["momentum"].is_null() && end["drift"]["energy"].as_f64().unwrap().abs() < 1e-5, "{end}");
    assert!(outcome.text.contains("in the field point-mass:m=1.0") && outcome.text.contains("not conserved"));
    // a circle of radius 1: (dt)^2 / 24 of the phase
    let off = apart(&positions(&place, "b.hdf5"), &[[1f64.cos(), 1f64.sin(), 0.0]]);
    assert!(off < 1e-5, "{off:e}");
}

/// Beside a field, the forces between bodies are still those of the device: f32 in both, summed in another order.
#[test]
fn fields_act_beside_a_gpu() {
    let place = Place::new();
    let words = "run -n 200 --field harmonic:omega=2,x=1 --eps 1/32 --dt 1/64 --t-end 1/4 --precision f32 --audit 1";
    place.good(&format!("{words} --device cpu --out cpu.hdf5"));
    for device in ["wgpu", "cuda"].into_iter().filter(|device| place.has_device(device)) {
        let words = format!("{words} --device {device} --out {device}.hdf5");
        place.good(&words);
        let off = apart(&positions(&place, "cpu.hdf5"), &positions(&place, &format!("{device}.hdf5")));
        assert!(off < 2e-6 && off > 0.0, "{device}: {off:e}");
        // stopped at a snapshot and resumed, the same bits
        place.good(&format!("{words} --snapshot-every 1/8 --overwrite"));
        let whole = place.bytes(&format!("{device}.hdf5"));
        std::fs::remove_file(place.path(&format!("{device}.hdf5"))).unwrap();
        place.good(&format!("run --resume {device}.hdf5"));
        assert!(place.bytes(&format!("{device}.hdf5")) == whole, "{device}");
    }
}

#[test]
fn what_cannot_be_run_is_refused() {
    let place = Place::new();
    place.write("ions.csv", IONS);
    place.write("bad.txt", "body x[3]\nsum a = i.x -\n");
    let times = "--dt 0.1 --t-end 1 --out b.hdf5";
    for (words, parts) in [
        ("--law coulomb --out b.hdf5", ["no dt is given", "--dt, --t-end"]),
        ("--field uniform:gx=1 --dt 0.1 --out b.hdf5", ["no t-end is given", "a field"]),
        ("--law colomb", ["unknown law 'colomb'", "did you mean coulomb?"]),
        ("--law nearest", ["law = nearest", "r2"]),
        ("--law bad.txt", ["bad.txt", "field law"]),
        ("--law lennard-jones", ["ions.csv: field sigma", "lennard-jones"]),
        ("--law coulomb --par kappa=1", ["parameter = kappa", "the parameters k"]),
        ("--law coulomb --par k", ["par = k", "NAME=VALUE"]),
        ("--par k=1", ["par = k=1", "--law"]),
        ("--law coulomb --eps 0.1", ["eps = 0.1", "--par name=value"]),
        ("--law coulomb --precision mixed", ["precision = mixed", "f32 or f64"]),
        ("--law coulomb --rtol 1e-6", ["rtol = 0.000001", "not of a law"]),
        ("--law coulomb --solver direct --device cpu", ["solver = direct", "belongs to gravity"]),
        ("--field halo:m=1", ["unknown field 'halo'", "miyamoto-nagai"]),
        ("--field nfw:m=1", ["field = nfw:m=1", "a must be given"]),
        ("--field nfw:m=1,b=2", ["no parameter b", "a (scale length)"]),
        ("--field nfw:m=1,a=0", ["a = 0", "above 0"]),
    ] {
        let words = if words.contains("--out") { words.to_owned() } else { format!("{words} {times}") };
        place.bad(&format!("run ions.csv {words}"), 2, &parts);
        assert_eq!(place.names(), ["bad.txt", "ions.csv"], "{words}");
    }
    // what a TOML file says is refused as the options are
    for (text, parts) in [
        ("law = \"coulomb\"\neps = 0.1\n", ["eps = 0.1", "--par"]),
        ("law = \"coulomb\"\nrtol = 1e-6\n", ["rtol = ", "not of a law"]),
        ("law = \"coulomb\"\nsum = \"pairwise\"\nprecision = \"f32\"\n", ["sum = pairwise", "belongs to gravity"]),
        ("law = \"body x[3]; d = j.x - i.x; sum a = d\"\nmax-energy-error = 0.1\n", ["max-energy-error", "potential"]),
    ] {
        place.write("b.toml", &format!("file = \"ions.csv\"\ndt = 0.1\nt-end = 1\n{text}"));
        place.bad("run b.toml", 2, &parts);
    }
    // what is wrong is named before what is missing
    for (text, parts) in [
        ("law = \"gravty\"\n", ["unknown law 'gravty'", "did you mean gravity?"]),
        ("law = \"coulomb\"\npar = [\"kappa=1\"]\n", ["parameter = kappa", "the parameters k"]),
        ("law = \"coulomb\"\npar = [\"k=much\"]\n", ["par = k=much", "name=value"]),
        ("ic = \"plumer\"\n", ["unknown initial condition 'plumer'", "did you mean plummer?"]),
    ] {
        let file = if text.starts_with("ic") { "" } else { "file = \"ions.csv\"\n" };
        place.write("b.toml", &format!("{file}{text}"));
        place.bad("run b.toml", 2, &parts);
    }
    // gravity by its name is gravity
    place.good("run -n 100 --law gravity --eps 0.1 --dt 0.1 --t-end 1 --out d.hdf5");
    place.good("run -n 100 --eps 0.1 --dt 0.1 --t-end 1 --out e.hdf5");
    assert_eq!(positions(&place, "d.hdf5"), positions(&place, "e.hdf5"));
    // another law is another run
    place.good("run ions.csv --law coulomb --dt 0.1 --t-end 1 --out c.hdf5");
    place.bad("run --resume c.hdf5 --field uniform:gx=1 --t-end 2", 2, &["--out"]);
    // which goes on from the same bodies, without what belonged to the first law
    place.good("run --resume c.hdf5 --law coulomb --par k=2 --t-end 2 --out f.hdf5");
    place.good("run --resume f.hdf5 --law yukawa --par kappa=0.1 --t-end 3 --out g.hdf5");
    place.bad("run --resume g.hdf5 --law gravity --t-end 4 --out h.hdf5", 2, &["eps = none", "must be given"]);
    place.good("run --resume g.hdf5 --law gravity --eps 0.1 --t-end 4 --out h.hdf5");
    place.good("run --resume h.hdf5 --law coulomb --t-end 5 --out i.hdf5");
    // charges are part of what a run began with
    place.write("ions.csv", &IONS.replace(",0,2\n", ",0,1\n"));
    place.bad("run c.toml", 2, &["initial-state", "ions.csv"]);
}

/// Names of functions for columns, parameters, intermediates and results: the same numbers as with other names, in
/// `force`, a run and a resumed one, on every device.
#[test]
fn names_of_functions_are_names_in_force_and_runs() {
    let place = Place::new();
    let law = "body x[3], LN; param EXP = 1/64; d = j.x - i.x; SQRT = dot(d, d) + EXP\n\
               sum acc = j.LN * d / (SQRT * sqrt(SQRT)); sum pot = -j.LN / sqrt(SQRT); sum dLN = EXP * (j.LN - i.LN)\n";
    let rows = |name: &str| {
        let body = |k: u32| format!("{k},1,{},{},{},0,0,0,{}\n", k % 3, k % 5, k % 7, 1 + k % 2);
        let head = format!("# time = 0\n# units = g1\nid,mass,x,y,z,vx,vy,vz,{name}\n");
        (0..20).map(body).fold(head, |text, row| text + &row)
    };
    for (names, [column, par, length]) in [("plain", ["q", "e", "s"]), ("functions", ["ln", "exp", "sqrt"])] {
        place.write(&format!("{names}.csv"), &rows(column));
        let law = law.replace("LN", column).replace("EXP", par).replace("SQRT", length);
        place.write(&format!("{names}.law"), &law);
    }
    for (device, precision) in [("cpu", "f64"), ("cpu", "f32"), ("wgpu", "f32"), ("cuda", "f64"), ("cuda", "f32")] {
        if device != "cpu" && !place.has_device(device) {
            continue;
        }
        let common = format!("--device {device} --precision {precision} --overwrite");
        let run = format!("--dt 1/64 --t-end 1/2 --snapshot-every 1/4 {common}");
        for (names, par) in [("plain", "e"), ("functions", "exp")] {
            let law = format!("--law {names}.law --par {par}=1/32");
            let force = common.replace("--overwrite", "--force");
            place.good(&format!("force {names}.csv {law} {force} -o {names}.f.csv"));
            place.good(&format!("run {names}.csv {law} {run} --out {names}.hdf5"));
            let whole = place.bytes(&format!("{names}.hdf5"));
            std::fs::remove_file(place.path(&format!("{names}.hdf5"))).unwrap();
            place.good(&format!("run --resume {names}.hdf5"));
            assert!(place.bytes(&format!("{names}.hdf5")) == whole, "{names} on {device} in {precision}");
        }
        let rows = |names: &str| {
            let text = String::from_utf8(place.bytes(&format!("{names}.f.csv"))).unwrap();
            text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(rows("functions"), rows("plain"), "{device} {precision}");
        assert_eq!(positions(&place, "functions.hdf5"), positions(&place, "plain.hdf5"), "{device} {precision}");
    }
}

/// A result that a run does not use is named, above all the rate of a column that is not there.
#[test]
fn results_that_a_run_does_not_use_are_named() {
    let place = Place::new();
    place.write("ions.csv", IONS);
    let law = "body x[3], q; d = i.x - j.x; sum f = j.q * i.q * d; sum dq = j.q; sum dk = j.q; count n = j.q > 0\n";
    place.write("law.txt", law);
    let text = place.good("run ions.csv --law law.txt --dt 1/8 --t-end 1/4 --out a.hdf5").text;
    assert!(text.contains("does not use the result dk of its law: the bodies have no extra column k"), "{text}");
    assert!(text.contains("does not use the result n of its law") && !text.contains("the result dq"), "{text}");
    let text = place.good("run ions.csv --law coulomb --dt 1/8 --t-end 1/4 --out b.hdf5").text;
    assert!(!text.contains("does not use"), "{text}");
}

/// `info` measures a system under the forces of the run that wrote the file, as the run does.
#[test]
fn info_measures_under_the_forces_of_the_run() {
    let place = Place::new();
    place.write("ions.csv", IONS);
    let info = |words: &str| {
        let outcome = place.good(&format!("info {words} --json"));
        let text = place.good(&format!("info {words}")).text;
        (outcome.json().remove(0), text)
    };
    for (forces, named) in [
        ("--law coulomb --par k=1", "under the law coulomb"),
        ("--eps 1/8 --field harmonic:omega=1/2", "under gravity in the field harmonic:omega=0.5"),
        ("--eps 1/8", ""),
    ] {
        let words = format!("run ions.csv {forces} --dt 1/64 --t-end 1 --json --overwrite --out b.hdf5");
        let end = event(&place.good(&words).json(), "end").clone();
        let (found, text) = info("b.hdf5");
        for name in ["energy", "kinetic", "potential", "half_mass_radius"] {
            let (found, want) = (&found["diagnostics"][name], &end["diagnostics"][name]);
            // the run may sum in another order
            let [found, want] = [found, want].map(|number| number.as_f64().unwrap());
            assert!((found - want).abs() <= 1e-13 * want.abs(), "{forces}: {name} {found} {want}");
        }
        assert!(text.contains(named) && text.contains("under") != named.is_empty(), "{text}");
        // bound pairs are those of gravity
        assert_eq!(found["cluster"]["bound_pairs"].is_null(), forces.contains("--law"), "{found}");
    }
    // forces without a potential
    place.write("drag.txt", "body x[3], v[3]\nsum a = 0.1 * (j.v - i.v)\nself exclude\n");
    place.good("run ions.csv --law drag.txt --dt 1/64 --t-end 1/4 --out c.hdf5");
    let (found, text) = info("c.hdf5");
    assert!(found["diagnostics"]["energy"].is_null() && found["diagnostics"]["kinetic"].is_f64(), "{found}");
    assert!(found["cluster"]["escapers"].is_null() && text.contains("have no potential"), "{text}");
    // numbers of the law are in the units of the run
    place.good("ic plummer -n 100 --scale 1e5Msun:3pc -o scaled.hdf5");
    place.write("newton.txt", NEWTON);
    place.good("run scaled.hdf5 --law newton.txt --dt 1/64 --t-end 1/4 --out d.hdf5");
    place.good("convert d.hdf5 e.hdf5 --units msun-pc-kms");
    let (found, text) = info("e.hdf5");
    assert!(found["diagnostics"]["energy"].is_null() && text.contains("the file is in msun-pc-kms"), "{text}");
}
