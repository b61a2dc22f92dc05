// The rates of moments, of leaves from bodies that move and of cells from their children; see rates.cu.

@compute @workgroup_size(32)
fn rates_of_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                   @builtin(local_invocation_index) t: u32) {
    let leaf = number(group, groups);
    if (leaf >= tree.leaves) {
        return;
    }
    let slot = leaf * LEAF + t;
    let g = tree.first_leaf + leaf;
    let k = keys[tree.order + min(slot, tree.n - 1u)];
    let v = select(vec3(0.0f), bodies[2u * tree.n + k].xyz, slot < tree.n);
    slots[tree.moving + 3u * slot] = vec4(v, 0.0f);
    let per_unit = 1.0f / unit_at(g);
    let b = slots[slot];
    let d = b.xyz * per_unit;
    let w = v * per_unit;
    var M: array<f32, MOMENTS>;
    if (OWN == 1u) {
        // products with differences from the mean
        let m = b.w * ((half_of_slot(slot) - softness_of(g).x) * tree.per_difference);
        of_body(d.x, d.y, d.z, m, w.x, w.y, w.z, &M);
        gather_moments(t, &M);
        take_moments(0u, &M);
        store_moments(t, 32u, record(g) + tree.second_moments, &M);
        workgroupBarrier();
        set_moments(&M);
    }
    of_body(d.x, d.y, d.z, b.w, w.x, w.y, w.z, &M);
    gather_moments(t, &M);
    take_moments(0u, &M);
    store_moments(t, 32u, record(g), &M);
    write_spherical(t, 32u, g, &M);
}

// The cells of a call: the first one, their number, and where their children end.
@compute @workgroup_size(32)
fn rates_of_cells(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                  @builtin(local_invocation_index) t: u32) {
    let of_group = number(group, groups);
    if (4u * of_group >= tree.call.y) {
        return;
    }
    let at = 4u * of_group + t / 8u;
    let is_cell = at < tree.call.y;
    let g = tree.call.x + select(tree.call.y - 1u, at, is_cell);
    let eldest = CHILDREN * g + 1u;
    let here = eldest + t % 8u < tree.call.z;
    let child = select(eldest, eldest + t % 8u, here);
    let per_unit = 1.0f / unit_at(g);
    let softer = softness_of(child).x - softness_of(g).x;
    var M: array<f32, MOMENTS>;
    hand_up(t, g, child, here, is_cell, step(child, g) * per_unit, unit_at(child) * per_unit, softer, &M);
}
