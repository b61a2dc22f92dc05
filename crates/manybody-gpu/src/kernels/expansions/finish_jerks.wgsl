// Adds to sums, times a factor, what an expansion of a cell, which is there in its record, and its rates say at the body in a slot.
fn expanded(g: u32, there: u32, slot: u32, factor: f32, a: Sums) -> Sums {
    let per_unit = 1.0f / unit_at(g);
    let b = slots[slot].xyz * per_unit;
    let v = velocity * per_unit;
    var to: array<f32, 8>;
    at_body(b.x, b.y, b.z, v.x, v.y, v.z, record(g) + there, record(g) + there + tree.rates, &to);
    return add_scaled(&to, factor * slope_of(per_unit), factor * value_of(per_unit), a);
}

// Adds everything up, in the order of the bodies.
@compute @workgroup_size(64)
fn finish(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
          @builtin(local_invocation_index) t: u32) {
    let slot = number(group, groups) * 64u + t;
    if (slot >= tree.n) {
        return;
    }
    let leaf = tree.first_leaf + slot / LEAF;
    let k = keys[tree.order + slot];
    moves(slot);
    let near = Sums(slots[near_part(slot, 0u)], slots[near_part(slot, 1u)]);
    var all = plus(near, Sums(slots[single_part(slot, 0u)], slots[single_part(slot, 1u)]));
    all = plus(all, expanded(leaf, tree.locals, slot, 1.0f, no_sums()));
    if (SECOND_EXPANSIONS == 1u) {
        all = expanded(leaf, tree.second_locals, slot, difference_of(half_of_slot(slot)), all);
    }
    for (var q = 0u; q < 4u; q++) {
        result[q * tree.n + k] = all.e0[q];
        result[(4u + q) * tree.n + k] = all.e1[q];
    }
}
