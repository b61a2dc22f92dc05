// Lists: a workgroup sorts the sources that the lists of a cell's parent leave near, and the children of the cells that it opens
// meanwhile; see lists.cu.
// a leaf this many times larger than a cell is divided into its bodies
const MUCH: f32 = 2.0f;

// of each list that is written: the page in use, the next one, and how much of the first is used
var<workgroup> page_of: array<vec3<u32>, LISTS>;

// What a thread knows of the list of its number: first page, page in use, how much of it is used, entries.
var<private> first_page: u32 = 0xffffffffu;
var<private> page: u32 = 0xffffffffu;
var<private> used: u32 = PAGE;
var<private> count: u32 = 0u;
// numbers on the stack
var<private> held: u32 = 0u;

// Puts the entry of each thread into a list, those that are opened onto the stack; returns the set of what was said.
fn push(t: u32, segment: u32, what: u32, entry: u32) -> u32 {
    let now = say(t, what);
    if (t < LISTS) {
        let many = countOneBits(bits(now, t));
        var next = page;
        var full = used;
        if (used + many > PAGE) {
            let of_segment = atomicAdd(&counters[segment], 1u);
            next = segment * tree.segment + of_segment;
            if (of_segment >= tree.segment) {
                // the pages of this segment are too few: what is found goes to one that is not read, and the step is repeated
                atomicOr(&counters[OVERFLOW], 1u);
                next = SEGMENTS * tree.segment;
            }
            if (page == 0xffffffffu) {
                first_page = next;
            } else {
                pages[tree.links + page] = next;
            }
        }
        page_of[t] = vec3(page, next, full);
        used += many;
        if (used > PAGE) {
            used -= PAGE;
            page = next;
        }
        count += many;
    }
    workgroupBarrier();
    if (what < LISTS) {
        let list = page_of[what];
        let to = list.z + before(bits(now, what), t);
        pages[select(list.y, list.x, to < PAGE) * PAGE + (to & (PAGE - 1u))] = entry;
    }
    held = onto_stack(t, now, what, entry, held);
    return now;
}

var<private> own: Line;
var<private> own_cell: u32;

// A body that is still to be divided from, or nothing.
fn sort_body(t: u32, here: bool, slot: u32) {
    var what = NOT_LISTED;
    var entry = slot;
    if (here) {
        let how = accepts(body_line(slot), own);
        what = NEAR_BODIES;
        if (how == HARMONIC) {
            what = FAR_BODIES;
        } else if (how != NOT_ACCEPTED) {
            what = select(SOFT, UNLIKE, how == DIFFERENT);
            entry = ~slot;
        }
    }
    push(t, own_cell % SEGMENTS, what, entry);
}

// A cell, or nothing.
fn sort_cell(t: u32, source: u32) {
    var what = NOT_LISTED;
    if (source != NO_CELL) {
        let line = line_of(source);
        if (line.high.w >= 0.0f) {
            let of_leaf = source >= tree.first_leaf;
            let is_leaf = own_cell >= tree.first_leaf;
            let how = accepts(line, own);
            if (how == HARMONIC || ($WITH_BODIES == 0 && how != NOT_ACCEPTED)) {
                what = FAR;
            } else if (how != NOT_ACCEPTED) {
                what = select(SOFT, UNLIKE, how == DIFFERENT);
            } else if (is_leaf) {
                if (of_leaf) {
                    what = select(NOT_LISTED, NEAR, source != own_cell);
                } else {
                    what = select(OPEN, SMALL, line.high.w < own.high.w * (1.0f / MUCH));
                }
            } else if (of_leaf) {
                what = select(NEAR, LARGE, $WITH_BODIES == 1 && line.high.w > own.high.w * MUCH);
            } else if (line.high.w > own.high.w || (line.high.w == own.high.w && source < own_cell)) {
                what = OPEN;
            } else {
                what = select(NOT_LISTED, NEAR, source != own_cell);
            }
        }
    }
    let now = push(t, own_cell % SEGMENTS, what, source);
    // the set is used again from the next but one on
    var left = bits(now, LARGE);
    said_source[t] = source;
    workgroupBarrier();
    while (left != 0u) {
        let leaf = said_source[firstTrailingBit(left)];
        let slot = (leaf - tree.first_leaf) * LEAF + t;
        sort_body(t, slot < tree.n, slot);
        left &= left - 1u;
    }
    workgroupBarrier();
}
var<workgroup> said_source: array<u32, 32>;
// the lists of bodies and cells that the parent leaves near: read once, for another workgroup may say meanwhile that pages are too few
var<workgroup> near_of_parent: vec4<u32>;

// All that was opened, down to `keep`.
fn drain(t: u32, keep: u32) {
    while (held > keep) {
        let source = from_stack(t, held);
        workgroupBarrier();
        held -= min(held, 32u);
        sort_cell(t, source);
    }
}

// The lists of the cells of a call: the first one, their number, whether all of them are candidates, and whether the root is.
@compute @workgroup_size(32)
fn make_lists(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) t: u32) {
    let at = number(group, groups);
    let first = tree.call.x;
    let cells = tree.call.y;
    if (at >= cells) {
        return;
    }
    let g = first + at;
    own_cell = g;
    own = line_of(g);
    clear_said(t);
    if (tree.call.w == 1u) {
        sort_cell(t, select(NO_CELL, 0u, t == 0u));
    } else if (tree.call.z == 1u) {
        for (var k = 0u; k < cells; k += 32u) {
            let other = first + k + t;
            sort_cell(t, select(NO_CELL, other, k + t < cells && other != g));
            drain(t, 31u);
        }
    } else {
        let parent = (g - 1u) / CHILDREN;
        if (t == 0u) {
            near_of_parent = vec4(head(parent, NEAR_BODIES), head(parent, NEAR));
        }
        workgroupBarrier();
        let near_bodies = near_of_parent.xy;
        let near = near_of_parent.zw;
        var at_page = near_bodies.x;
        for (var k = 0u; k < near_bodies.y; k += 32u) {
            let here = k + t < near_bodies.y;
            var slot = 0u;
            if (here) {
                slot = pages[at_page * PAGE + (k + t) % PAGE];
            }
            sort_body(t, here, slot);
            if ((k + 32u) % PAGE == 0u) {
                at_page = pages[tree.links + at_page];
            }
        }
        let sibling = CHILDREN * parent + 1u + t;
        if (t < CHILDREN) {
            stack[t] = select(NO_CELL, sibling, sibling != g);
        }
        held = CHILDREN;
        workgroupBarrier();
        at_page = near.x;
        for (var k = 0u; k < near.y; k += 32u) {
            var source = NO_CELL;
            if (k + t < near.y) {
                source = pages[at_page * PAGE + (k + t) % PAGE];
            }
            sort_cell(t, source);
            drain(t, 31u);
            if ((k + 32u) % PAGE == 0u) {
                at_page = pages[tree.links + at_page];
            }
        }
    }
    drain(t, 0u);
    if (t < LISTS) {
        let to = tree.heads + 2u * (g * LISTS + t);
        pages[to] = select(first_page, 0u, first_page == 0xffffffffu);
        pages[to + 1u] = count;
        if (t == SMALL && count > 0u && g >= tree.first_leaf) {
            pages[tree.sparse + atomicAdd(&counters[SPARSE], 1u)] = at;
        }
    }
}
