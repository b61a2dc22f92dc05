// The second expansions about cells, which bodies take times their differences: those are from one number for all cells, so the mean
// of the cell is taken out of the first expansion. Of bodies with softenings of their own; see far.cu.
@compute @workgroup_size(32)
fn soft_differences(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                    @builtin(local_invocation_index) t: u32) {
    let of_group = number(group, groups);
    if (of_group >= tree.call.z) {
        return;
    }
    let g = cell_of(of_group);
    if (t == 0u) {
        unlike_of_group = head(g, UNLIKE);
    }
    workgroupBarrier();
    let unlike = unlike_of_group;
    let per_unit = 1.0f / unit_at(g);
    let own_half = softness_of(g).x;
    let factor = tree.half_difference * per_unit * per_unit;
    var L: array<f32, LOCALS>;
    var page = unlike.x;
    for (var at = 0u; at < unlike.y; at += PAGE) {
        let most = min(unlike.y - at, PAGE);
        for (var k = t; k < most; k += 32u) {
            let source = pages[page * PAGE + k];
            if (source < 0x80000000u) {
                let d = step(g, source) * per_unit;
                let soft2 = soft2_of(own_half, softness_of(source).x) * per_unit * per_unit;
                let ratio = unit_at(source) * per_unit;
                from_cell_1(d.x, d.y, d.z, soft2, factor, ratio, record(source), &L);
                from_cell_2(d.x, d.y, d.z, soft2, factor, ratio, record(source) + tree.second_moments, &L);
            } else {
                let b = slots[~source];
                let d = (step(g, tree.first_leaf + ~source / LEAF) - b.xyz) * per_unit;
                let soft2 = soft2_of(own_half, half_of_slot(~source)) * per_unit * per_unit;
                var m = acts(~source, b.w, per_unit);
                from_body_1(d.x, d.y, d.z, soft2, factor, $ACTS, &L);
            }
        }
        page = pages[tree.links + page];
    }
    gather_locals(t, &L);
    let mean = difference_of(own_half);
    for (var quad = t; 4u * quad < LOCALS; quad += 32u) {
        let k = 4u * quad;
        let sums = vec4(summed(k), summed(k + 1u), summed(k + 2u), summed(k + 3u));
        numbers[record(g) + tree.locals + quad] -= mean * sums;
        numbers[record(g) + tree.second_locals + quad] = sums;
    }
}
var<workgroup> unlike_of_group: vec2<u32>;
