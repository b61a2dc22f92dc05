// What expansions of a law have of their own; see law.cu. The sums of a leaf are beside its box.

const PARTS: u32 = 32u;
// of a body the gradients and values of all expansions
const NUMBERS: u32 = 4u * EXPANSIONS;

// The call: how many bodies are sampled. `result` has their sums by parts, and behind these the numbers of the bodies, which are
// given.
@compute @workgroup_size(32)
fn sample_sums(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
               @builtin(local_invocation_index) t: u32) {
    let at = number(group, groups);
    let samples = tree.call.x;
    if (at >= samples * PARTS) {
        return;
    }
    // (with a bit that makes them normal numbers of f32, which no device changes)
    let k = bitcast<u32>(result[NUMBERS * samples * PARTS + at / PARTS]) & 0x3fffffffu;
    let high = bodies[2u * k].xyz;
    let low = bodies[2u * k + 1u].xyz;
    var a = no_sums();
    for (var leaf = at % PARTS; leaf < tree.leaves; leaf += PARTS) {
        let slot = leaf * LEAF + t;
        let g = tree.first_leaf + leaf;
        let b = slots[slot];
        let own = (high - lines[g * QUADS].xyz) + (low - lines[g * QUADS + 1u].xyz);
        let is_own = slot < tree.n && keys[tree.order + min(slot, tree.n - 1u)] == k;
        a = act(b.xyz - own, select(b.w, 0.0f, is_own && SELF == 0u), charges_of_slot(slot), tree.soft2, a);
    }
    var sum = as_array(a);
    gather_sum(t, &sum);
    if (t < NUMBERS) {
        result[NUMBERS * at + t] = total[t];
    }
}

// The least that is allowed in leaves.
@compute @workgroup_size(64)
fn allowed_in_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                     @builtin(local_invocation_index) t: u32) {
    let leaf = number(group, groups) * 64u + t;
    if (leaf >= tree.leaves) {
        return;
    }
    var least = MOST;
    for (var slot = leaf * LEAF; slot < min((leaf + 1u) * LEAF, tree.n); slot++) {
        least = min(least, bodies[2u * keys[tree.order + slot] + 1u].w);
    }
    lines[(tree.first_leaf + leaf) * QUADS + 2u].y = least;
}

// The call: the first cell of a level, and how many leaves its cells have.
@compute @workgroup_size(32)
fn powers_of_leaves(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                    @builtin(local_invocation_index) t: u32) {
    let leaf = number(group, groups);
    if (leaf >= tree.leaves) {
        return;
    }
    let g = tree.call.x + leaf / tree.call.y;
    let b = slots[leaf * LEAF + t];
    let d = (b.xyz - step(g, tree.first_leaf + leaf)) / unit_at(g);
    let r = sqrt(dot(d, d));
    var power = abs(b.w);
    for (var k = 0u; k <= ORDER; k++) {
        power *= r;
    }
    var sum: array<f32, NUMBERS>;
    sum[0] = power;
    gather_sum(t, &sum);
    if (t == 0u) {
        lines[(tree.first_leaf + leaf) * QUADS + 4u].w = total[0];
    }
}

// The call: the first cell of a level, how many it has, and how many leaves these have.
@compute @workgroup_size(32)
fn effective_radii(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                   @builtin(local_invocation_index) t: u32) {
    let at = number(group, groups);
    if (at >= tree.call.y) {
        return;
    }
    let leaves = tree.call.z;
    var sum = 0.0f;
    for (var leaf = at * leaves + t; leaf < min((at + 1u) * leaves, tree.leaves); leaf += 32u) {
        sum += lines[(tree.first_leaf + leaf) * QUADS + 4u].w;
    }
    var all: array<f32, NUMBERS>;
    all[0] = sum;
    gather_sum(t, &all);
    if (t == 0u) {
        let g = tree.call.x + at;
        let line = line_of(g);
        let mean = select(0.0f, total[0] / line.low.w, line.low.w > 0.0f);
        let radius = select(0.0f, line.more.z * pow(mean, 1.0f / f32(ORDER + 1u)), mean > 0.0f);
        lines[g * QUADS + 2u].x = min(radius, line.high.w);
    }
}

// Clears the expansions about cells. The call: how many numbers of cells there are.
@compute @workgroup_size(64)
fn clear_locals(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                @builtin(local_invocation_index) t: u32) {
    let g = number(group, groups) * 64u + t;
    if (g >= tree.call.x) {
        return;
    }
    for (var quad = 0u; quad < EXPANSIONS * tree.second_locals; quad++) {
        numbers[record(g) + tree.locals + quad] = vec4(0.0f);
    }
}
