// What jerks need beside accelerations; see types.cuh.

// That of the body whose sums are computed.
var<private> velocity: vec3<f32>;

fn moves(slot: u32) {
    velocity = slots[tree.moving + 3u * slot].xyz;
}

// What a body of mass m with the relative velocity w does.
fn act_moving(d: vec3<f32>, w: vec3<f32>, m: f32, soft2: f32, a: Sums) -> Sums {
    var pair: Act;
    if (SPLINE == 1u) {
        pair = by_spline(d, m, soft2);
    } else {
        let r1 = inverseSqrt(fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, soft2))));
        let mr = m * r1;
        let f = mr * (r1 * r1);
        pair = Act(f, -mr, -3.0f * f, r1 * r1);
    }
    let along = pair.slope * (pair.y2 * fma(d.x, w.x, fma(d.y, w.y, d.z * w.z)));
    return Sums(vec4(fma(vec3(pair.f), d, a.e0.xyz), a.e0.w + pair.potential),
                vec4(fma(vec3(pair.f), w, fma(vec3(along), d, a.e1.xyz)), 0.0f));
}
