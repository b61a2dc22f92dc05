// What is near: bodies with bodies; see near.cu.

var<workgroup> tile: array<vec4<f32>, 128>;
var<workgroup> rest: array<vec4<f32>, 128>;
var<workgroup> of_own: array<f32, 128u * (CHARGES + 3u * JERKS)>;
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

// What a body has of its own: half the square of its softening, or its charges; its velocity.
fn set_own(t: u32, half: f32, charges: array<f32, ACTING>) {
    if (JERKS == 1u) {
        for (var k = 0u; k < ACTING; k++) {
            of_own[128u + t * ACTING + k] = charges[k];
        }
    }
    if (OWN == 1u) {
        of_own[t] = half;
    }
    if (LAW == 1u) {
        for (var k = 0u; k < CHARGES; k++) {
            of_own[t * CHARGES + k] = charges[k];
        }
    }
}
fn half_at(k: u32) -> f32 {
    if (OWN == 1u) {
        return of_own[k];
    }
    return 0.0f;
}
fn charges_at(at: u32) -> array<f32, ACTING> {
    var to: array<f32, ACTING>;
    if (JERKS == 1u) {
        for (var k = 0u; k < ACTING; k++) {
            to[k] = of_own[128u + at * ACTING + k];
        }
    }
    if (LAW == 1u) {
        for (var k = 0u; k < CHARGES; k++) {
            to[k] = of_own[at * CHARGES + k];
        }
    }
    return to;
}
fn charges_given(slot: u32) -> array<f32, ACTING> {
    var to: array<f32, ACTING>;
    if (slot < tree.n) {
        to = charges_of_slot(slot);
    }
    return to;
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
    moves(leaf * LEAF + ln);
    var a = no_sums();
    // of 32 bodies after the other: a sum of thousands one by one loses digits
    var all = no_sums();
    if (any_wide == 0u) {
        var page = lists.x;
        for (var k = 0u; k < lists.y; k += 4u) {
            var b = vec4(1.0f, 1.0f, 1.0f, 0.0f);
            var half = tree.base;
            var charges: array<f32, ACTING>;
            if (k + w < lists.y) {
                let source = pages[page * PAGE + (k + w) % PAGE];
                let slot = (source - tree.first_leaf) * LEAF + ln;
                b = slots[slot];
                b = vec4(b.xyz - step(g, source), b.w);
                half = half_of_slot(slot);
                charges = charges_of_slot(slot);
            }
            workgroupBarrier();
            tile[t] = b;
            set_own(t, half, charges);
            workgroupBarrier();
            if (k + w < lists.y) {
                for (var j = 0u; j < LEAF; j++) {
                    let at = w * 32u + j;
                    let other = tile[at];
                    a = act(other.xyz - own.xyz, other.w, charges_at(at), soft2_of(own_half, half_at(at)), a);
                }
                if (LAW == 0u) {
                    all = plus(all, a);
                    a = no_sums();
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
            var charges: array<f32, ACTING>;
            if (k + t < lists.w) {
                let slot = pages[page * PAGE + t];
                b = slots[slot];
                b = vec4(b.xyz - step(g, tree.first_leaf + slot / LEAF), b.w);
                half = half_of_slot(slot);
                charges = charges_of_slot(slot);
            }
            workgroupBarrier();
            tile[t] = b;
            set_own(t, half, charges);
            workgroupBarrier();
            if (k + 32u * w < lists.w) {
                for (var j = 0u; j < LEAF; j++) {
                    let at = w * 32u + j;
                    let other = tile[at];
                    a = act(other.xyz - own.xyz, other.w, charges_at(at), soft2_of(own_half, half_at(at)), a);
                }
                if (LAW == 0u) {
                    all = plus(all, a);
                    a = no_sums();
                }
            }
            page = pages[tree.links + page];
        }
        // the leaf's own bodies, each without itself
        workgroupBarrier();
        tile[t] = own;
        set_own(t, own_half, charges_of_slot(leaf * LEAF + ln));
        workgroupBarrier();
        for (var k = 0u; k < LEAF / 4u; k++) {
            let j = 4u * k + w;
            let other = tile[j];
            let m = select(other.w, 0.0f, j == ln && SELF == 0u);
            a = act(other.xyz - own.xyz, m, charges_at(j), soft2_of(own_half, half_at(j)), a);
        }
    } else {
        // some leaves are so wide that distances in them are right only of places as they were given
        let here = given(leaf * LEAF + ln);
        var page = lists.x;
        for (var k = 0u; k < lists.y + 1u; k += 4u) {
            // the leaf itself comes last
            var slot = tree.n;
            if (k + w < lists.y) {
                slot = (pages[page * PAGE + (k + w) % PAGE] - tree.first_leaf) * LEAF + ln;
            } else if (k + w == lists.y) {
                slot = leaf * LEAF + ln;
            }
            let b = given(slot);
            let charges = charges_given(slot);
            workgroupBarrier();
            tile[t] = b[0];
            rest[t] = b[1];
            set_own(t, b[1].w, charges);
            workgroupBarrier();
            if (k + w <= lists.y) {
                for (var j = 0u; j < LEAF; j++) {
                    let at = w * 32u + j;
                    let high = tile[at];
                    let low = rest[at];
                    let d = (high.xyz - here[0].xyz) + (low.xyz - here[1].xyz);
                    let soft2 = soft2_of(here[1].w, low.w);
                    let m = select(high.w, 0.0f, k + w == lists.y && j == ln && SELF == 0u);
                    a = act(d, m, charges_at(at), soft2, a);
                }
            }
            if ((k + 4u) % PAGE == 0u && k + 4u < lists.y) {
                page = pages[tree.links + page];
            }
        }
        page = lists.z;
        for (var k = 0u; k < lists.w; k += 128u) {
            var slot = tree.n;
            if (k + t < lists.w) {
                slot = pages[page * PAGE + t];
            }
            let b = given(slot);
            let charges = charges_given(slot);
            workgroupBarrier();
            tile[t] = b[0];
            rest[t] = b[1];
            set_own(t, b[1].w, charges);
            workgroupBarrier();
            if (k + 32u * w < lists.w) {
                for (var j = 0u; j < LEAF; j++) {
                    let at = w * 32u + j;
                    let high = tile[at];
                    let low = rest[at];
                    let d = (high.xyz - here[0].xyz) + (low.xyz - here[1].xyz);
                    let soft2 = soft2_of(here[1].w, low.w);
                    a = act(d, high.w, charges_at(at), soft2, a);
                }
            }
            page = pages[tree.links + page];
        }
    }
    if (LAW == 0u) {
        a = plus(all, a);
    }
    for (var e = 0u; e < RESULT_QUADS; e++) {
        workgroupBarrier();
        tile[t] = part_of(a, e);
        workgroupBarrier();
        if (w == 0u) {
            let slot = leaf * LEAF + ln;
            slots[near_part(slot, e)] = tile[ln] + tile[32u + ln] + tile[64u + ln] + tile[96u + ln];
            slots[single_part(slot, e)] = vec4(0.0f);
        }
    }
}
