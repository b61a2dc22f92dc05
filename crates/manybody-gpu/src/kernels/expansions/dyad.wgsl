// The moments of the charges along the separation, of so many cells as the call says. They are where gravity has spherical moments.
@compute @workgroup_size(64)
fn moments_of_dyad(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                   @builtin(local_invocation_index) t: u32) {
    let g = 64u * number(group, groups) + t;
    if (g < tree.call.x) {
        var M: array<f32, GIVEN>;
        moments_along(record(g), &M);
        store_along(0u, 1u, record(g) + tree.spherical, &M);
    }
}
