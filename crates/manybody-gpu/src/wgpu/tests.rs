//! Every kernel passes naga's validator, without a GPU.

use super::*;
use manybody::law;
use naga::valid::{Capabilities, ValidationFlags, Validator};

#[test]
fn every_kernel_validates() {
    let text = "body x[3]; id k; argmin near = dot(j.x - i.x, j.x - i.x), j.k; count n = i.k != j.k; \
                logsumexp s = -i.x[0]; max m = sin(j.x[1]); self exclude";
    let laws = [
        Law::of::<law::Gravity>(),
        Law::of::<law::SoftGravityPot>(),
        Law::of::<law::SoftGravityJerk>(),
        Law::of::<law::Gravity>().and_then(|law| law.uniform(&["m"])),
        Law::parse(text),
        Law::parse("body x; sum s = 1 / (i.x + j.x); self include"),
    ];
    for law in laws {
        let law = law.unwrap();
        for (pairs, subgroups) in [
            (Pairs::Ordered, Subgroups::None),
            (Pairs::Once, Subgroups::Width(32)),
            (Pairs::Once, Subgroups::Any),
            (Pairs::Once, Subgroups::None),
        ] {
            let shape = Shape::choose(pairs, &law, subgroups, 16 << 10);
            assert!(shape.shared_bytes(&law) <= 16 << 10);
            for text in source(&law, shape, true) {
                let module = naga::front::wgsl::parse_str(&text)
                    .unwrap_or_else(|error| panic!("{}", error.emit_to_string(&text)));
                let needed = Capabilities::SUBGROUP;
                let checked = Validator::new(ValidationFlags::all(), needed).validate(&module);
                checked.unwrap_or_else(|error| panic!("{}", error.emit_to_string(&text)));
            }
        }
    }
}
