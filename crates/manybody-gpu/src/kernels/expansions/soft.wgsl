// Adds what is so close that the softening matters, or of a law what a coupling does: the last number of the call is the charge, and 256
// times the expansion.
@compute @workgroup_size(32)
fn soft_cells(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) t: u32) {
    let of_group = number(group, groups);
    if (of_group >= tree.call.z) {
        return;
    }
    let g = cell_of(of_group);
    if (t == 0u) {
        soft_of_group = vec4(head(g, SOFT), head(g, UNLIKE));
    }
    workgroupBarrier();
    let soft = soft_of_group;
    if (soft.y == 0u && soft.w == 0u) {
        return;
    }
    let unit = unit_at(g);
    let per_unit = 1.0f / unit;
    let own_half = softness_of(g).x;
    var L: array<f32, $ONTO>;
    for (var list = SOFT; list <= SOFT + OWN; list++) {
        let entries = select(soft.xy, soft.zw, list == UNLIKE);
        var page = entries.x;
        for (var at = 0u; at < entries.y; at += PAGE) {
            let most = min(entries.y - at, PAGE);
            for (var k = t; k < most; k += 32u) {
                let source = pages[page * PAGE + k];
                if (source < 0x80000000u) {
                    let d = step(g, source) * per_unit;
                    let soft2 = soft2_in(own_half, softness_of(source).x, unit, per_unit);
                    from_cell(d.x, d.y, d.z, soft2, unit_at(source) * per_unit,
                              record(source) + $GIVEN, &L);
$DIFFERENCES                } else {
                    let b = slots[~source];
                    let d = (step(g, tree.first_leaf + ~source / LEAF) - b.xyz) * per_unit;
                    let soft2 = soft2_in(own_half, half_of_slot(~source), unit, per_unit);
                    $OF_BODY
                    from_body(d.x, d.y, d.z, soft2, $ACTS, &L);
                }
            }
            page = pages[tree.links + page];
        }
    }
$ADD}
var<workgroup> soft_of_group: vec4<u32>;
