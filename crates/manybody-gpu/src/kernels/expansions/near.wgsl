// What is near: bodies with bodies; see near.cu.

var<workgroup> tile: array<vec4<f32>, 128>;
var<workgroup> rest: array<vec4<f32>, 128>;
var<workgroup> halves: array<f32, 128>;
var<workgroup> any_wide: u32;
var<workgroup> near_of_group: vec4<u32>;

// The body of a slot as it was given: place and mass; what the place lacks, and half the square of its own softening. The slots
// beyond the last one have no mass.
fn given(slot: u32) -> array<vec4<f32>, 2> {
    if (slot >= tree.n) {
        return array<vec4<f32>, 2>(vec4(0.0f), vec4(0.0f, 0.0f, 0.0f, tree.base));
    }
    let k = keys[tree.order + slot];
    return array<vec4<f32>, 2>(bodies[2u * k], bodies[2u * k + 1u]);
}

fn set_half(t: u32, half: f32) {
    if (OWN == 1u) {
        halves[t] = half;
    }
}
fn half_at(k: u32) -> f32 {
    if (OWN == 1u) {
        return halves[k];
    }
    return 0.0f;
}

// A leaf's bodies, 32 threads four times: each takes every fourth of the leaves and groups of bodies that act.
@compute @workgroup_size(128)
fn near_bodies(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
               @builtin(local_invocation_index) t: u32) {
    let leaf = number(group, groups);
    if (leaf >= tree.leaves) {
        return;
    }
    let g = tree.first_leaf + leaf;
    let w = t / 32u;
    let ln = t % 32u;
    if (t == 0u) {
        any_wide = atomicLoad(&counters[WIDE]);
        near_of_group = vec4(head(g, NEAR), head(g, NEAR_BODIES));
    }
    workgroupBarrier();
    let lists = near_of_group;
    let own = slots[leaf * LEAF + ln];
    let own_half = half_of_slot(leaf * LEAF + ln);
    var a = vec4(0.0f);
    if (any_wide == 0u) {
        var page = lists.x;
        for (var k = 0u; k < lists.y; k += 4u) {
            var b = vec4(1.0f, 1.0f, 1.0f, 0.0f);
            var half = tree.base;
            if (k + w < lists.y) {
                let source = pages[page * PAGE + (k + w) % PAGE];
                b = slots[(source - tree.first_leaf) * LEAF + ln];
                b = vec4(b.xyz - step(g, source), b.w);
                half = half_of_slot((source - tree.first_leaf) * LEAF + ln);
            }
            workgroupBarrier();
            tile[t] = b;
            set_half(t, half);
            workgroupBarrier();
            if (k + w < lists.y) {
                for (var j = 0u; j < LEAF; j++) {
                    let other = tile[w * 32u + j];
                    a = act(other.xyz - own.xyz, other.w, soft2_of(own_half, half_at(w * 32u + j)), a);
                }
            }
            if ((k + 4u) % PAGE == 0u) {
                page = pages[tree.links + page];
            }
        }
        page = lists.z;
        for (var k = 0u; k < lists.w; k += 128u) {
            var b = vec4(1.0f, 1.0f, 1.0f, 0.0f);
            var half = tree.base;
            if (k + t < lists.w) {
                let slot = pages[page * PAGE + t];
                b = slots[slot];
                b = vec4(b.xyz - step(g, tree.first_leaf + slot / LEAF), b.w);
                half = half_of_slot(slot);
            }
            workgroupBarrier();
            tile[t] = b;
            set_half(t, half);
            workgroupBarrier();
            if (k + 32u * w < lists.w) {
                for (var j = 0u; j < LEAF; j++) {
                    let other = tile[w * 32u + j];
                    a = act(other.xyz - own.xyz, other.w, soft2_of(own_half, half_at(w * 32u + j)), a);
                }
            }
            page = pages[tree.links + page];
        }
        // the leaf's own bodies, each without itself
        workgroupBarrier();
        tile[t] = own;
        set_half(t, own_half);
        workgroupBarrier();
        for (var k = 0u; k < LEAF / 4u; k++) {
            let j = 4u * k + w;
            let other = tile[j];
            a = act(other.xyz - own.xyz, select(other.w, 0.0f, j == ln && SELF == 0u), soft2_of(own_half, half_at(j)), a);
        }
    } else {
        // some leaves are so wide that distances in them are right only of places as they were given
        let here = given(leaf * LEAF + ln);
        var page = lists.x;
        for (var k = 0u; k < lists.y + 1u; k += 4u) {
            // the leaf itself comes last
            var b = array<vec4<f32>, 2>(vec4(0.0f), vec4(0.0f, 0.0f, 0.0f, tree.base));
            if (k + w < lists.y) {
                b = given((pages[page * PAGE + (k + w) % PAGE] - tree.first_leaf) * LEAF + ln);
            } else if (k + w == lists.y) {
                b = given(leaf * LEAF + ln);
            }
            workgroupBarrier();
            tile[t] = b[0];
            rest[t] = b[1];
            workgroupBarrier();
            if (k + w <= lists.y) {
                for (var j = 0u; j < LEAF; j++) {
                    let high = tile[w * 32u + j];
                    let low = rest[w * 32u + j];
                    let d = (high.xyz - here[0].xyz) + (low.xyz - here[1].xyz);
                    let soft2 = soft2_of(here[1].w, low.w);
                    a = act(d, select(high.w, 0.0f, k + w == lists.y && j == ln && SELF == 0u), soft2, a);
                }
            }
            if ((k + 4u) % PAGE == 0u && k + 4u < lists.y) {
                page = pages[tree.links + page];
            }
        }
        page = lists.z;
        for (var k = 0u; k < lists.w; k += 128u) {
            var b = array<vec4<f32>, 2>(vec4(0.0f), vec4(0.0f, 0.0f, 0.0f, tree.base));
            if (k + t < lists.w) {
                b = given(pages[page * PAGE + t]);
            }
            workgroupBarrier();
            tile[t] = b[0];
            rest[t] = b[1];
            workgroupBarrier();
            if (k + 32u * w < lists.w) {
                for (var j = 0u; j < LEAF; j++) {
                    let high = tile[w * 32u + j];
                    let low = rest[w * 32u + j];
                    let d = (high.xyz - here[0].xyz) + (low.xyz - here[1].xyz);
                    let soft2 = soft2_of(here[1].w, low.w);
                    a = act(d, high.w, soft2, a);
                }
            }
            page = pages[tree.links + page];
        }
    }
    workgroupBarrier();
    tile[t] = a;
    workgroupBarrier();
    if (w == 0u) {
        slots[tree.slots + leaf * LEAF + ln] = a + tile[32u + ln] + tile[64u + ln] + tile[96u + ln];
        slots[2u * tree.slots + leaf * LEAF + ln] = vec4(0.0f);
    }
}
