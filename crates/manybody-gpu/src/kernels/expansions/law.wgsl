// What expansions of a law have of their own; see law.cu.

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

// What cells weigh as sources, as law.cu has it. The call: the first cell of a level, how many it has, and how many bodies these have.
@compute @workgroup_size(64)
fn weigh_cells(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
               @builtin(local_invocation_index) t: u32) {
    let at = number(group, groups) * 64u + t;
    if (at >= tree.call.y) {
        return;
    }
    let g = tree.call.x + at;
    let line = line_of(g);
    let size = line.low.w;
    if (!(size > 0.0f)) {
        return;
    }
    let per_unit = 1.0f / line.more.z;
    var squares: array<f32, ORDER + 1u>;
    for (var charge = 0u; charge < CHARGES; charge++) {
        add_squares(1.0f / size, record(g) + charge * tree.second_moments, &squares);
    }
    let bodies = min(tree.call.z, tree.n - at * tree.call.z);
    var to: array<f32, 2>;
    weigh(line.high.w * per_unit, lines[g * QUADS + 3u].w * per_unit, inverseSqrt(f32(bodies)), &squares, &to);
    lines[g * QUADS + 1u].w = size * to[0];
    lines[g * QUADS + 2u].x = min(to[1] * line.more.z, line.high.w);
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
