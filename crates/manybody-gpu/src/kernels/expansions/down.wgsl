// Hands the expansions of the level above to the cells of a call: the first one and their number.
@compute @workgroup_size(64)
fn hand_down(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
             @builtin(local_invocation_index) t: u32) {
    let at = number(group, groups) * 64u + t;
    if (at >= tree.call.y) {
        return;
    }
    let g = tree.call.x + at;
    let parent = (g - 1u) / CHILDREN;
    let per_unit = 1.0f / unit_at(parent);
    let d = step(g, parent) * per_unit;
    for (var k = 0u; k < EXPANSIONS; k++) {
        let there = tree.locals + k * tree.second_locals;
        to_child(d.x, d.y, d.z, unit_at(g) * per_unit, record(parent) + there, record(g) + there);
    }
    if (SECOND_EXPANSIONS == 1u && $WITH_BODIES == 1) {
        to_child(d.x, d.y, d.z, unit_at(g) * per_unit, record(parent) + tree.second_locals, record(g) + tree.second_locals);
    }
}
