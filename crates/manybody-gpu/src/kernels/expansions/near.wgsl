// What is near: bodies with bodies; see near.cu.

var<workgroup> tile: array<vec4<f32>, 128>;
var<workgroup> rest: array<vec4<f32>, 128>;
var<workgroup> any_wide: u32;
var<workgroup> near_of_group: vec4<u32>;

// The body of a slot as it was given: place and mass, and what the place lacks. The slots beyond the last one have no mass.
fn given(slot: u32) -> array<vec4<f32>, 2> {
    if (slot >= tree.n) {
        return array<vec4<f32>, 2>(vec4(0.0f), vec4(0.0f));
    }
    let k = keys[tree.order + slot];
    return array<vec4<f32>, 2>(bodies[2u * k], bodies[2u * k + 1u]);
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
    var a = vec4(0.0f);
    if (any_wide == 0u) {
        var page = lists.x;
        for (var k = 0u; k < lists.y; k += 4u) {
            var b = vec4(1.0f, 1.0f, 1.0f, 0.0f);
            if (k + w < lists.y) {
                let source = pages[page * PAGE + (k + w) % PAGE];
                b = slots[(source - tree.first_leaf) * LEAF + ln];
                b = vec4(b.xyz - step(g, source), b.w);
            }
            workgroupBarrier();
            tile[t] = b;
            workgroupBarrier();
            if (k + w < lists.y) {
                for (var j = 0u; j < LEAF; j++) {
                    let other = tile[w * 32u + j];
                    a = act(other.xyz - own.xyz, other.w, tree.soft2, a);
                }
            }
            if ((k + 4u) % PAGE == 0u) {
                page = pages[tree.links + page];
            }
        }
        page = lists.z;
        for (var k = 0u; k < lists.w; k += 128u) {
            var b = vec4(1.0f, 1.0f, 1.0f, 0.0f);
            if (k + t < lists.w) {
                let slot = pages[page * PAGE + t];
                b = slots[slot];
                b = vec4(b.xyz - step(g, tree.first_leaf + slot / LEAF), b.w);
            }
            workgroupBarrier();
            tile[t] = b;
            workgroupBarrier();
            if (k + 32u * w < lists.w) {
                for (var j = 0u; j < LEAF; j++) {
                    let other = tile[w * 32u + j];
                    a = act(other.xyz - own.xyz, other.w, tree.soft2, a);
                }
            }
            page = pages[tree.links + page];
        }
        // the leaf's own bodies, each without itself
        workgroupBarrier();
        tile[t] = own;
        workgroupBarrier();
        for (var k = 0u; k < LEAF / 4u; k++) {
            let j = 4u * k + w;
            let other = tile[j];
            a = act(other.xyz - own.xyz, select(other.w, 0.0f, j == ln), tree.soft2, a);
        }
    } else {
        // some leaves are so wide that distances in them are right only of places as they were given
        let here = given(leaf * LEAF + ln);
        var page = lists.x;
        for (var k = 0u; k < lists.y + 1u; k += 4u) {
            // the leaf itself comes last
            var b = array<vec4<f32>, 2>(vec4(0.0f), vec4(0.0f));
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
                    let d = (high.xyz - here[0].xyz) + (rest[w * 32u + j].xyz - here[1].xyz);
                    a = act(d, select(high.w, 0.0f, k + w == lists.y && j == ln), tree.soft2, a);
                }
            }
            if ((k + 4u) % PAGE == 0u && k + 4u < lists.y) {
                page = pages[tree.links + page];
            }
        }
        page = lists.z;
        for (var k = 0u; k < lists.w; k += 128u) {
            var b = array<vec4<f32>, 2>(vec4(0.0f), vec4(0.0f));
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
                    let d = (high.xyz - here[0].xyz) + (rest[w * 32u + j].xyz - here[1].xyz);
                    a = act(d, high.w, tree.soft2, a);
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
