// What is far: expansions about cells from cells and bodies; see far.cu.

// The expansions of the cells of some levels. The call: the first level, the last one, and how many cells they have.
@compute @workgroup_size(32)
fn far_cells(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
             @builtin(local_invocation_index) t: u32) {
    let of_group = number(group, groups);
    if (of_group >= tree.call.z) {
        return;
    }
    let g = cell_of(of_group);
    let unit = unit_at(g);
    let per_unit = 1.0f / unit;
    let own_half = softness_of(g).x;
    var L: array<f32, HARMONICS>;
    let cells = head(g, FAR);
    var page = cells.x;
    for (var at = 0u; at < cells.y; at += PAGE) {
        let most = min(cells.y - at, PAGE);
        for (var k = t; k < most; k += 32u) {
            let source = pages[page * PAGE + k];
            let d = step(g, source) * per_unit;
            let soft2 = soft2_in(own_half, softness_of(source).x, unit, per_unit);
            from_cell_far(d.x, d.y, d.z, soft2, unit_at(source) * per_unit, record(source) + tree.spherical, &L);
        }
        page = pages[tree.links + page];
    }
    let single = head(g, FAR_BODIES);
    page = single.x;
    for (var at = 0u; at < single.y; at += PAGE) {
        let most = min(single.y - at, PAGE);
        for (var k = t; k < most; k += 32u) {
            let slot = pages[page * PAGE + k];
            let b = slots[slot];
            let d = (step(g, tree.first_leaf + slot / LEAF) - b.xyz) * per_unit;
            let soft2 = soft2_in(own_half, half_of_slot(slot), unit, per_unit);
            var m = acts(slot, b.w, per_unit);
            from_body_far(d.x, d.y, d.z, soft2, $ACTS, &L);
        }
        page = pages[tree.links + page];
    }
    gather_harmonics(t, &L);
    take_harmonics(0u, &L);
    var all: array<f32, LOCALS>;
    unfold(&L, &all);
    store_locals(t, 32u, record(g) + tree.locals, &all);
}
