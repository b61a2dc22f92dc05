// Bodies of leaves that are large for their neighbours, one by one: a workgroup each; see near.cu.

var<workgroup> source_of: array<u32, 32>;
var<workgroup> work_and_wide: vec2<u32>;

@compute @workgroup_size(32)
fn one_by_one(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) t: u32) {
    clear_said(t);
    if (t == 0u) {
        work_and_wide = vec2(select(atomicLoad(&counters[SPARSE]) * LEAF, 0u, atomicLoad(&counters[OVERFLOW]) != 0u),
                             atomicLoad(&counters[WIDE]));
    }
    workgroupBarrier();
    let work = work_and_wide.x;
    let any_wide = work_and_wide.y != 0u;
    for (var item = number(group, groups); item < work; item += groups.x * groups.y) {
        let leaf = pages[tree.sparse + item / LEAF];
        let slot = leaf * LEAF + item % LEAF;
        let g = tree.first_leaf + leaf;
        let line = body_line(min(slot, tree.n - 1u));
        let own = slots[slot];
        let k = keys[tree.order + min(slot, tree.n - 1u)];
        let high = bodies[2u * k].xyz;
        let low = bodies[2u * k + 1u].xyz;
        let own_half = half_of_slot(slot);
        moves(slot);
        var a = no_sums();
        // read as they are: whether the lists are whole was asked above
        let small = vec2(pages[tree.heads + 2u * (g * LISTS + SMALL)], pages[tree.heads + 2u * (g * LISTS + SMALL) + 1u]);
        var page = small.x;
        var held = 0u;
        // those beyond the last one have nothing to do
        var read = select(small.y, 0u, slot < tree.n);
        while (held > 0u || read < small.y) {
            var source = NO_CELL;
            if (held >= 32u || read >= small.y) {
                source = from_stack(t, held);
                held -= min(held, 32u);
            } else {
                if (read + t < small.y) {
                    source = pages[page * PAGE + (read + t) % PAGE];
                }
                read += 32u;
                if (read % PAGE == 0u) {
                    page = pages[tree.links + page];
                }
            }
            workgroupBarrier();
            var how = NOT_ACCEPTED;
            var what = NOT_LISTED;
            if (source != NO_CELL) {
                let other = line_of(source);
                if (other.high.w >= 0.0f) {
                    how = accepts(other, line);
                    if (how == NOT_ACCEPTED) {
                        if (source < tree.first_leaf) {
                            what = OPEN;
                        } else if (source != g) {
                            what = LARGE;
                        }
                    }
                }
            }
            source_of[t] = source;
            let now = say(t, what);
            held = onto_stack(t, now, what, source, held);
            if (how != NOT_ACCEPTED) {
                let unit = unit_at(source);
                let per_unit = 1.0f / unit;
                let soft2 = soft2_in(own_half, softness_of(source).x, unit, per_unit);
                let d = (step(g, source) + own.xyz) * per_unit;
                var to: array<f32, 4u * RESULT_QUADS>;
                $AT_PLACE_FAR{
                    $AT_PLACE
$DIFFERENCES                }
                let slope = slope_of(per_unit);
                a = add_scaled(&to, slope, value_of(per_unit), a);
            }
            var left = bits(now, LARGE);
            while (left != 0u) {
                let other = source_of[firstTrailingBit(left)];
                let there = (other - tree.first_leaf) * LEAF + t;
                if (any_wide) {
                    if (there < tree.n) {
                        let j = keys[tree.order + there];
                        let b = bodies[2u * j];
                        let rest = bodies[2u * j + 1u];
                        a = act((b.xyz - high) + (rest.xyz - low), b.w, charges_of_slot(there), soft2_of(own_half, rest.w), a);
                    }
                } else {
                    let b = slots[there];
                    let soft2 = soft2_of(own_half, half_of_slot(there));
                    a = act((b.xyz - step(g, other)) - own.xyz, b.w, charges_of_slot(there), soft2, a);
                }
                left &= left - 1u;
            }
            workgroupBarrier();
        }
        var sum = as_array(a);
        gather_sum(t, &sum);
        if (t == 0u && slot < tree.n) {
            for (var e = 0u; e < RESULT_QUADS; e++) {
                slots[single_part(slot, e)] = vec4(total[4u * e], total[4u * e + 1u], total[4u * e + 2u], total[4u * e + 3u]);
            }
        }
    }
}
