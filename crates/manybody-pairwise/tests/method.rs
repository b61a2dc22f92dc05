//! Names of solvers, devices and GPUs.

use manybody_pairwise::{DeviceChoice, Gpus, SolverName};

#[test]
fn names_read_back() {
    for name in [
        "symmetric",
        "direct",
        "reference",
        "tree",
        "fmm",
        "auto",
        "direct:p=64:u=8:K=4:q=0:bag=16",
        "small:p=256:u=4:K=4",
    ] {
        assert_eq!(name.parse::<SolverName>().unwrap().to_string(), name);
    }
    for name in ["auto", "cpu", "cuda", "wgpu"] {
        assert_eq!(name.parse::<DeviceChoice>().unwrap().to_string(), name);
    }
    for (text, ordinals) in [("1", &[][..]), ("2", &[0, 1]), ("id:1", &[1]), ("id:2,0", &[2, 0])] {
        let gpus: Gpus = text.parse().unwrap();
        assert_eq!((gpus.ordinals(), gpus.to_string().as_str()), (ordinals, text));
    }
    for wrong in ["0", "9", "id:1,1", "id:", "two", "-1"] {
        assert!(wrong.parse::<Gpus>().unwrap_err().to_string().contains("gpus"), "{wrong}");
    }
    for wrong in ["magic", "direct:p=63", "symmetric:K=99"] {
        assert!(wrong.parse::<SolverName>().unwrap_err().to_string().contains(wrong), "{wrong}");
    }
}
