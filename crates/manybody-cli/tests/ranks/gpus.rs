//! Ranks with a GPU each, which here is perhaps one that the CPU emulates.

use super::common::{Outcome, Place};
use super::{free_address, good, good_in, rank, run, same_files};

/// On GPUs, here perhaps one that is emulated by the CPU and opened by every rank. From 8,193 bodies on the kernel is one
/// whose rows are shared. The same host code shares rows on CUDA.
#[test]
fn ranks_with_a_gpu_each_have_the_files_of_one_process() {
    for device in ["wgpu", "cuda"] {
        if !Place::new().has_device(device) {
            continue;
        }
        let words = format!(
            "run -n 8300 --eps 1/32 --dt 1/64 --t-end 1/32 --snapshot-every 1/64 --audit 0 --precision f32 --device \
             {device}"
        );
        same_files(&format!("{words} --solver direct"), &[2, 3]);
        let (one, several) = (Place::new(), Place::new());
        one.good(&format!("{words} --solver direct --out b.hdf5"));
        one.good("run --resume b.hdf5 --t-end 3/64 --quiet --out c.hdf5");
        good(&several, &format!("{words} --solver direct --out b.hdf5"), 3);
        good(&several, "run --resume b.hdf5 --t-end 3/64 --out c.hdf5", 2);
        several.assert_same_files(&one, device);
        // each pair once: by NCCL alone, where each rank has a GPU of its own
        for (solver, ranks) in
            [("", 2), ("--solver symmetric", 2), ("--solver symmetric", 3), ("--solver symmetric", 4)]
        {
            let (one, several) = (Place::new(), Place::new());
            let words = format!("{words} {solver} --out b.hdf5");
            let outcomes = run(&several, &words, ranks);
            let text = &outcomes[0].text;
            if outcomes[0].status != Some(0) {
                assert!(outcomes[1].status != Some(0) && text.contains("give --solver direct"), "{device}: {text}");
                eprintln!("{device} {solver}, {ranks} ranks: not shared: {text}");
                continue;
            }
            assert!(device == "cuda" && !text.contains("through the host"), "{text}");
            one.good(&words);
            several.assert_same_files(&one, solver);
        }
        if device == "cuda" {
            // ranks with two GPUs each, which perhaps are not here
            for (solver, ranks) in [("symmetric", 2), ("direct", 2), ("symmetric", 3)] {
                let (one, several) = (Place::new(), Place::new());
                let words = format!("{words} --solver {solver} --out b.hdf5");
                let outcomes = run(&several, &format!("{words} --gpus 2"), ranks);
                if outcomes[0].status != Some(0) {
                    eprintln!("{solver}, {ranks} ranks with two GPUs each: {}", outcomes[0].text);
                    continue;
                }
                one.good(&words);
                // the description says how many GPUs there were
                assert!(several.bytes("b.hdf5") == one.bytes("b.hdf5"), "{solver}, {ranks} ranks with two GPUs each");
            }
            // the way through the host, which the run mentions
            let place = Place::new();
            let at = free_address();
            let words = format!("{words} --solver direct --out b.hdf5");
            let start = |k| rank(&place, &place, &words, [k, 2], &at).env("MANYBODY_NCCL", "off").spawn().unwrap();
            for (k, child) in (0..2).map(start).collect::<Vec<_>>().into_iter().enumerate() {
                let outcome = Outcome::of(child.wait_with_output().unwrap());
                assert_eq!(outcome.status, Some(0), "{}", outcome.text);
                assert!(k > 0 || outcome.text.contains("not by NCCL: rank 0: MANYBODY_NCCL=off"), "{}", outcome.text);
            }
        }
    }
}

/// What GPUs of ranks share besides: laws, single evaluations, block steps, and bodies without mass.
#[test]
fn everything_that_ranks_with_a_gpu_each_share_has_the_files_of_one_process() {
    for device in ["wgpu", "cuda"] {
        let place = Place::new();
        if !place.has_device(device) {
            continue;
        }
        let text = "body x[3], m = mass; d = j.x - i.x; r2 = dot(d, d) + 0.01; sum acc[3] = j.m * d / (r2 * sqrt(r2)); \
                    max nearest = -r2; self exclude";
        place.write("own.law", text);
        // each pair in one direction
        let text = "body x[3]; source q = mass; d = j.x - i.x; sum p = j.q / sqrt(dot(d, d) + 0.01)";
        place.write("potential.law", text);
        // more than a kernel for few bodies takes
        let (n, numbers) = if device == "cuda" { (8300, 2..4) } else { (1100, 2..3) };
        place.good(&format!("ic plummer -n {n} --seed 4 -o start.hdf5"));
        let row = |k: u32| {
            let number = |q: u32| f64::from((k * q) % 10007) / 10007.0;
            let mass = if k.is_multiple_of(30) { 1e-3 } else { 0.0 };
            format!("{k},{mass},{},{},{},{},0,0\n", number(31), number(57), number(101), number(13))
        };
        let rows: String = (0..n + 700).map(row).collect();
        place.write("test-particles.csv", &format!("id,mass,x,y,z,vx,vy,vz\n{rows}"));
        let run = "--dt 1/64 --t-end 1/32 --audit 0";
        for words in [
            "force start.hdf5 --eps 0.01 --solver direct".to_owned(),
            format!("force start.hdf5 --eps 0.01 --solver {}", if device == "cuda" { "symmetric" } else { "direct" }),
            "force start.hdf5 --law own.law".to_owned(),
            "force start.hdf5 --law potential.law".to_owned(),
            format!("run start.hdf5 --law own.law {run}"),
            "run start.hdf5 --eps 1/32 --solver direct --integrator hermite4 --dt-max 1/64 --t-end 1/64 --audit 0"
                .to_owned(),
            format!("run test-particles.csv --eps 1/32 {run} --solver direct"),
            "force test-particles.csv --eps 1/32 --solver direct".to_owned(),
        ] {
            let words = format!("{words} --precision f32 --device {device}");
            let out =
                |name: &str| if words.starts_with("run") { format!("{name}.hdf5") } else { format!("{name}.csv") };
            place.good(&format!("{words} --out {}", out("one")));
            for ranks in numbers.clone() {
                let file = out("several");
                good_in(&place, &place, &format!("{words} --out {file}"), ranks);
                assert!(place.bytes(&out("one")) == place.bytes(&file), "{words} by {ranks} ranks");
                std::fs::remove_file(place.path(&file)).unwrap();
            }
            std::fs::remove_file(place.path(&out("one"))).unwrap();
        }
    }
}

/// Each makes the lists and forces of its part of the leaves, and they exchange these by NCCL, where each has GPUs of its own.
#[test]
fn trees_on_gpus_of_ranks_have_the_files_of_one_process() {
    let words = "--eps 1/32 --dt 1/64 --t-end 1/32 --snapshot-every 1/64 --audit 0";
    if Place::new().has_device("wgpu") {
        let words = format!("run -n 9000 {words} --solver fmm --precision f32 --device wgpu");
        let outcomes = run(&Place::new(), &words, 2);
        assert!(outcomes[0].text.contains("trees on cuda alone"), "{}", outcomes[0].text);
        assert!(outcomes.iter().all(|outcome| outcome.status == Some(2)), "{}", outcomes[1].text);
    }
    if !Place::new().has_device("cuda") {
        return;
    }
    // many at one place, which need keys of all digits, and lists that are longer than there is room for at first
    let row = |k: u32| {
        let x = if k.is_multiple_of(8) { f64::from((k * 31) % 10007) } else { f64::from(k % 8) * 1e-7 };
        format!("{k},1e-5,{x},{},{},0,0,0\n", f64::from(k % 11) * 1e-7, f64::from(k % 13) * 1e-7)
    };
    let crowded: String = (0..20_000).map(row).collect();
    let place_with_bodies = || {
        let place = Place::new();
        place.good("ic king --w0 7 -n 20000 --seed 4 -o king.hdf5");
        place.write("crowded.csv", &format!("id,mass,x,y,z,vx,vy,vz\n{crowded}"));
        place
    };
    for (how, ranks) in [
        ("king.hdf5 --solver fmm --precision f32", 2),
        ("king.hdf5 --solver fmm", 3),
        ("king.hdf5 --solver tree --precision f32", 4),
        ("king.hdf5 --solver fmm --theta 0.6 --order 4", 2),
        ("king.hdf5 --solver tree --integrator yoshida4", 2),
        ("crowded.csv --solver fmm --precision f32", 3),
    ] {
        let words = format!("run {how} --device cuda {words} --out b.hdf5");
        let one = place_with_bodies();
        one.good(&words);
        for gpus in ["", "--gpus 2"] {
            let several = place_with_bodies();
            let outcomes = run(&several, &format!("{words} {gpus}"), ranks);
            let text = &outcomes[0].text;
            if outcomes[0].status != Some(0) {
                let is_known = text.contains("share trees by NCCL alone") || text.contains("gpus");
                assert!(is_known && outcomes[1].status != Some(0), "{words} {gpus}: {text}");
                eprintln!("{words} {gpus}, {ranks} ranks: not shared: {text}");
                continue;
            }
            // the description says how many GPUs there were
            assert!(several.bytes("b.hdf5") == one.bytes("b.hdf5"), "{words} {gpus} by {ranks} ranks");
            assert!(several.bytes("b.0001.hdf5") == one.bytes("b.0001.hdf5"), "{words} {gpus} by {ranks} ranks");
        }
    }
}

/// Where no device is named, ranks compute on the one that one process takes, or on the CPU with a note that says why.
#[test]
fn ranks_take_gpus_where_each_has_one_and_no_device_is_named() {
    if !Place::new().has_device("cuda") {
        return;
    }
    let words = "run -n 9000 --eps 1/32 --dt 1/64 --t-end 1/32 --audit 0 --precision f32 --out b.hdf5";
    let [gpu, cpu] = ["cuda", "cpu"].map(|device| {
        let place = Place::new();
        place.good(&format!("{words} --device {device}"));
        place.bytes("b.hdf5")
    });
    assert!(gpu != cpu);
    for nccl in ["on", "off"] {
        let (place, at) = (Place::new(), free_address());
        let start = |k| rank(&place, &place, words, [k, 2], &at).env("MANYBODY_NCCL", nccl).spawn().unwrap();
        let ended = (0..2).map(start).collect::<Vec<_>>().into_iter();
        let outcomes: Vec<Outcome> = ended.map(|child| Outcome::of(child.wait_with_output().unwrap())).collect();
        assert_eq!(outcomes[0].status, Some(0), "{}", outcomes[0].text);
        let note = "no device is named, and the ranks compute on the CPU; not all have a GPU with NCCL: ";
        let are_without = outcomes[0].text.contains(note);
        assert!(are_without || nccl == "on", "{}", outcomes[0].text);
        assert!(place.bytes("b.hdf5") == if are_without { cpu.clone() } else { gpu.clone() }, "{nccl}");
        eprintln!("NCCL {nccl}: {}", outcomes[0].text);
    }
}
