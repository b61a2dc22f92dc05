//! `manybody plot` and `manybody profile`: files without a display, and bad input refused.

mod common;

use common::Place;

fn run() -> Place {
    let place = Place::new();
    place.good("ic king --w0 5 -n 200 --scale 1e4Msun:1pc --units msun-pc-kms -o in.hdf5");
    place.good("run in.hdf5 --dt 1/256 --t-end 1/8 --eps 1/32 --log 1/64 --snapshot-every 1/16 --out b.hdf5");
    place
}

#[test]
fn a_table_is_plotted_by_any_file_of_its_run() {
    let place = run();
    place.good("plot b.csv -o a.svg");
    let text = String::from_utf8(place.bytes("a.svg")).unwrap();
    for part in ["<svg ", "Lagrangian radii [pc]", "t [Myr]", "virial ratio", "|E - E0| / |E0|", "core radius", "90 %"]
    {
        assert!(text.contains(part), "{part}");
    }
    for name in ["b.hdf5", "b.toml", "b.0001.hdf5", "b"] {
        place.good(&format!("plot {name} -o b.svg --force"));
        // but for the name, which is the title
        assert!(place.bytes("b.svg") == place.bytes("a.svg"), "{name}");
    }
    place.good("plot b -o a.png");
    assert!(place.bytes("a.png").starts_with(b"\x89PNG"));
    place.good("plot b -o c.svg --show escapers,hardest_a");
    let text = String::from_utf8(place.bytes("c.svg")).unwrap();
    assert!(text.contains("hardest a [pc]") && text.contains("escapers") && !text.contains("virial"));
}

/// A run of two bodies has no core radius, and one that has just begun has one line.
#[test]
fn tables_with_gaps_and_of_one_line_are_plotted() {
    let place = Place::new();
    place.good("run --ic kepler --dt 1/64 --t-end 0 --log 1/8 --out k.hdf5");
    place.good("plot k -o k.png");
    place.good("plot k -o c.svg --show core_radius,hardest_e");
    assert!(String::from_utf8(place.bytes("c.svg")).unwrap().contains("core radius: no values"));
}

#[test]
fn a_profile_is_a_plot_or_a_table() {
    let place = run();
    place.good("profile b.hdf5 -o p.csv --shells 4");
    let text = String::from_utf8(place.bytes("p.csv")).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(
        lines[0].starts_with("inner [pc],outer [pc],radius [pc],bodies,mass [Msun],density [Msun/pc^3],"),
        "{text}"
    );
    assert_eq!(lines.len(), 5);
    assert!(lines[1..].iter().all(|line| line.split(',').nth(3) == Some("50")), "{text}");
    for name in ["p.svg", "p.png"] {
        place.good(&format!("profile b.hdf5 -o {name}"));
    }
    let text = String::from_utf8(place.bytes("p.svg")).unwrap();
    assert!(text.contains("density [Msun/pc^3]") && text.contains("anisotropy") && text.contains("200 bodies"));
}

#[test]
fn what_cannot_be_plotted_is_refused() {
    let place = run();
    place.write("few.csv", &format!("mass,x,y,z,vx,vy,vz\n{}", "1,1,0,0,0,0,0\n".repeat(6)));
    place.write("heap.csv", &format!("mass,x,y,z,vx,vy,vz\n{}", "1,1,0,0,0,0,0\n".repeat(20)));
    place.write("other.csv", "a,b\n1,2\n");
    place.write("old.csv", "# manybody log 1\n# units = \"henon\"\nstep,time\n");
    place.write("part.csv", "# manybody log 1\n# units = \"henon\"\nstep,time,escapers\n0,0,1\n");
    place.write("there.svg", "");
    let before = place.names();
    for (words, parts) in [
        ("plot none -o a.svg", &["none", "run --log"][..]),
        ("plot other.csv -o a.svg", &["other.csv", "run --log"]),
        ("plot in.hdf5 -o a.svg", &["in.hdf5"]),
        ("plot old.csv -o a.svg", &["no line"]),
        ("plot part.csv -o a.svg", &["energy_error,lagrangian,virial_ratio", "it has step, time, escapers"]),
        ("plot part.csv -o a.svg --show core_radius", &["core_radius", "known: step, time, escapers"]),
        ("plot part.csv -o a.svg --show lagrangian", &["core_radius", "known: step, time, escapers"]),
        ("plot b -o a.pdf", &["pdf", "svg, png"]),
        ("plot b -o a", &["svg, png"]),
        ("plot b -o a.svg --show mood", &["mood", "virial_ratio"]),
        ("plot b -o there.svg", &["--force"]),
        ("profile none.hdf5 -o a.svg", &["none.hdf5"]),
        ("profile few.csv -o a.svg", &["few.csv", "fewer than 7"]),
        ("profile b.hdf5 -o a.pdf", &["pdf", "csv"]),
        ("profile b.hdf5 -o a.csv --shells 0", &["--shells"]),
        ("profile b.hdf5 -o there.svg", &["--force"]),
        ("profile b.hdf5 -o none/a.svg", &["none"]),
    ] {
        place.bad(words, 2, parts);
        assert_eq!(place.names(), before, "{words}");
    }
    // all at one place: an infinite density
    place.good("profile heap.csv -o heap.csv2.csv");
    place.good("profile heap.csv -o heap.svg");
}

#[test]
fn a_table_with_some_columns_is_plotted() {
    let place = Place::new();
    place.write("part.csv", "# manybody log 1\n# units = \"henon\"\nstep,time,virial_ratio\n0,0,1\n1,1,1.5\n");
    place.good("plot part.csv -o a.svg");
    let drawn = String::from_utf8(place.bytes("a.svg")).unwrap();
    assert!(drawn.contains("virial ratio") && !drawn.contains("core radius"), "{drawn}");
}
