// The least accelerations of cells, by which the criterion measures errors, from expansions of a low order; see estimate.cu.
const CAUTION: f32 = 0.8f;
// in the middle of a body the pull of the spline is that of a Plummer sphere so much wider
const WIDER: f32 = 1.0f + 0.62f * f32(SPLINE);

// the least acceleration of a cell of the level, beside its box
fn least_at(k: u32) -> f32 {
    return lines[(tree.first_leaf + k) * QUADS + 4u].w;
}

var<workgroup> near_at: array<vec4<f32>, 32>;
var<workgroup> near_soft: array<f32, 32>;

// Roughly the least acceleration in each cell of a level, of which the tree is cut here. The call: the first leaf of the tree, and
// how many leaves make a cell.
@compute @workgroup_size(32)
fn estimate(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
            @builtin(local_invocation_index) t: u32) {
    let at = number(group, groups);
    if (at >= tree.leaves) {
        return;
    }
    let leaves = tree.call.y;
    let g = tree.first_leaf + at;
    let leaf = at * leaves + t * leaves / 32u;
    let slot = leaf * LEAF + t % (32u / leaves) * leaves;
    let is_body = slot < tree.n;
    var own = vec3(0.0f);
    if (is_body) {
        own = slots[slot].xyz - step(g, tree.call.x + leaf);
    }
    var a = expanded(g, tree.locals, own);
    for (var q = 0u; q < 2u; q++) {
        let list = head(g, select(NEAR, SMALL, q == 1u));
        var page = list.x;
        for (var k = 0u; k < list.y; k += 32u) {
            var b = vec4(0.0f, 0.0f, 0.0f, 0.0f);
            var soft2 = 1.0f;
            if (k + t < list.y) {
                let source = pages[page * PAGE + (k + t) % PAGE];
                b = vec4(-step(g, source), numbers[record(source)].x);
                let radius = lines[source * QUADS].w;
                soft2 = WIDER * soft2_of(softness_of(g).x, softness_of(source).x) + 0.5f * radius * radius;
            }
            workgroupBarrier();
            near_at[t] = b;
            near_soft[t] = soft2;
            workgroupBarrier();
            let most = min(list.y - k, 32u);
            for (var j = 0u; j < most; j++) {
                let other = near_at[j];
                a = act_plummer(other.xyz - own, other.w, near_soft[j], a);
            }
            if ((k + 32u) % PAGE == 0u) {
                page = pages[tree.links + page];
            }
        }
    }
    // squares of accelerations beyond 1e19 would leave the range of f32
    let down = a.xyz * 9.3132257e-10f;
    workgroupBarrier();
    near_soft[t] = select(MOST, dot(down, down), is_body);
    workgroupBarrier();
    if (t == 0u) {
        var least = near_soft[0];
        for (var j = 1u; j < 32u; j++) {
            least = min(least, near_soft[j]);
        }
        lines[g * QUADS + 4u].w = sqrt(least) * 1073741824.0f * CAUTION;
    }
}

var<workgroup> of_threads: array<f32, 256>;

// The root mean square of the least accelerations of leaves, by one workgroup; it is put behind all records. They are taken relative
// to the largest, so that squares stay in range.
@compute @workgroup_size(256)
fn mean_square(@builtin(local_invocation_index) t: u32) {
    var most = 0.0f;
    for (var k = t; k < tree.leaves; k += 256u) {
        most = max(most, least_at(k));
    }
    of_threads[t] = most;
    workgroupBarrier();
    for (var k = 0u; k < 256u; k++) {
        most = max(most, of_threads[k]);
    }
    workgroupBarrier();
    let per_most = select(0.0f, 1.0f / most, most > 0.0f);
    var sum = 0.0f;
    for (var k = t; k < tree.leaves; k += 256u) {
        let part = least_at(k) * per_most;
        sum += part * part;
    }
    of_threads[t] = sum;
    workgroupBarrier();
    if (t == 0u) {
        sum = 0.0f;
        for (var k = 0u; k < 256u; k++) {
            sum += of_threads[k];
        }
        numbers[tree.least].x = most * sqrt(sum / f32(tree.leaves));
    }
}

// The least accelerations of leaves, at least a part of their root mean square: where forces cancel, a relative error has no
// bound.
@compute @workgroup_size(64)
fn least_of_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                   @builtin(local_invocation_index) t: u32) {
    let leaf = number(group, groups) * 64u + t;
    if (leaf < tree.leaves) {
        lines[(tree.first_leaf + leaf) * QUADS + 2u].y = max(least_at(leaf), tree.floor * numbers[tree.least].x);
    }
}

// Those of the cells of a call from their children: the first one, their number, and where the children end.
@compute @workgroup_size(64)
fn least_of_cells(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                  @builtin(local_invocation_index) t: u32) {
    let at = number(group, groups) * 64u + t;
    if (at >= tree.call.y) {
        return;
    }
    var least = MOST;
    for (var q = 1u; q <= CHILDREN; q++) {
        let child = CHILDREN * (tree.call.x + at) + q;
        if (child < tree.call.z) {
            least = min(least, lines[child * QUADS + 2u].y);
        }
    }
    lines[(tree.call.x + at) * QUADS + 2u].y = least;
}

// Those of the cells of a call from their parents: the first one, and their number.
@compute @workgroup_size(64)
fn least_from_above(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                    @builtin(local_invocation_index) t: u32) {
    let at = number(group, groups) * 64u + t;
    if (at < tree.call.y) {
        let g = tree.call.x + at;
        lines[g * QUADS + 2u].y = lines[(g - 1u) / CHILDREN * QUADS + 2u].y;
    }
}
