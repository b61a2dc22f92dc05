// What an expansion of a cell, which is there in its record, says at a body at b from its centre: acceleration and potential.
fn expanded(g: u32, there: u32, b: vec3<f32>) -> vec4<f32> {
    let per_unit = 1.0f / unit_at(g);
    var to = array<f32, 4>(0.0f, 0.0f, 0.0f, 0.0f);
    at_body(b.x * per_unit, b.y * per_unit, b.z * per_unit, record(g) + there, &to);
    let slope = slope_of(per_unit);
    return vec4(to[0] * slope, to[1] * slope, to[2] * slope, to[3] * value_of(per_unit));
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
    let b = slots[slot].xyz;
    let k = keys[tree.order + slot];
    for (var e = 0u; e < EXPANSIONS; e++) {
        var far = expanded(leaf, tree.locals + e * tree.second_locals, b);
        if (SECOND_EXPANSIONS == 1u) {
            far += difference_of(half_of_slot(slot)) * expanded(leaf, tree.second_locals, b);
        }
        let all = slots[near_in_slots(slot) + e] + slots[single_in_slots(slot) + e] + far;
        let to = 4u * e * tree.n + k;
        result[to] = all.x;
        result[tree.n + to] = all.y;
        result[2u * tree.n + to] = all.z;
        if (POTENTIAL == 1u || LAW == 1u) {
            result[3u * tree.n + to] = all.w;
        }
    }
}
