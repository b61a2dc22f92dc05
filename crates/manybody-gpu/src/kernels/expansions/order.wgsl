// The order of bodies along Hilbert's curve: keys, and a stable radix sort by four digits at a time.
// `keys` has of each body its key, two words, and its index, twice, for the two sides of a pass; then the upper digits of
// all keys, for a second sort; then the counts of digits of the tiles.
const RADIX: u32 = 16u;
const THREADS: u32 = 256u;
const ITEMS: u32 = 8u;
const TILE: u32 = THREADS * ITEMS;

// where the keys and indices of a side begin
fn key_at(side: u32) -> u32 {
    return side * 3u * tree.n;
}
fn index_at(side: u32) -> u32 {
    return side * 3u * tree.n + 2u * tree.n;
}
fn upper_at() -> u32 {
    return 6u * tree.n;
}
fn counts_at() -> u32 {
    return 8u * tree.n;
}

// Puts two zeros between the digits of a number of ten digits.
fn spread(a: u32) -> u32 {
    var x = a & 0x3ffu;
    x = (x | (x << 16u)) & 0x030000ffu;
    x = (x | (x << 8u)) & 0x0300f00fu;
    x = (x | (x << 4u)) & 0x030c30c3u;
    x = (x | (x << 2u)) & 0x09249249u;
    return x;
}
// three numbers of 21 digits, digit by digit, and a zero
fn interleaved(c: vec3<u32>) -> vec2<u32> {
    let a = (spread(c.x) << 2u) | (spread(c.y) << 1u) | spread(c.z);
    let b = (spread(c.x >> 10u) << 2u) | (spread(c.y >> 10u) << 1u) | spread(c.z >> 10u);
    let top = ((c.x >> 20u) << 2u) | ((c.y >> 20u) << 1u) | (c.z >> 20u);
    return vec2((a << 1u) | (b << 31u), (b >> 1u) | (top << 29u));
}

// The key of each body: its place on Hilbert's curve [Skilling 2004, AIP Conf. Proc. 707, 381], with 42 digits an axis in two
// parts. With a call of 0 the upper ones are the keys; with 1 the lower ones, and the upper ones are kept for a second sort.
@compute @workgroup_size(256)
fn curve_keys(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) t: u32) {
    let k = number(group, groups) * 256u + t;
    if (k >= tree.n) {
        return;
    }
    let s = two_sum(vec3(1.0f), bodies[2u * k].xyz);
    let low = s.low + bodies[2u * k + 1u].xyz;
    let scale = 1048576.0f;
    var c: array<u32, 3>;
    var l: array<u32, 3>;
    for (var d = 0u; d < 3u; d++) {
        let up = s.high[d] * scale;
        var whole = floor(up);
        var rest = (up - whole) + low[d] * scale;
        let carry = floor(rest);
        whole += carry;
        rest -= carry;
        c[d] = u32(clamp(whole, 0.0f, 2097151.0f));
        l[d] = u32(clamp(rest * 2097152.0f, 0.0f, 2097151.0f));
    }
    // digits of the upper part, then of the lower one
    for (var bit = 41u; bit > 0u; bit--) {
        let is_upper = bit >= 21u;
        let at = select(bit, bit - 21u, is_upper);
        let mask = (1u << at) - 1u;
        let upper = select(0u, mask, is_upper);
        let lower = select(mask, 2097151u, is_upper);
        for (var d = 0u; d < 3u; d++) {
            if (((select(l[d], c[d], is_upper) >> at) & 1u) == 1u) {
                c[0] ^= upper;
                l[0] ^= lower;
            } else {
                let swap = (c[0] ^ c[d]) & upper;
                c[0] ^= swap;
                c[d] ^= swap;
                let swap_low = (l[0] ^ l[d]) & lower;
                l[0] ^= swap_low;
                l[d] ^= swap_low;
            }
        }
    }
    c[1] ^= c[0];
    c[2] ^= c[1];
    l[1] ^= l[0];
    l[2] ^= l[1];
    var flip = 0u;
    var flip_low = 0u;
    for (var bit = 41u; bit > 0u; bit--) {
        let is_upper = bit >= 21u;
        let at = select(bit, bit - 21u, is_upper);
        let mask = (1u << at) - 1u;
        if (((select(l[2], c[2], is_upper) >> at) & 1u) == 1u) {
            flip ^= select(0u, mask, is_upper);
            flip_low ^= select(mask, 2097151u, is_upper);
        }
    }
    let upper_key = interleaved(vec3(c[0] ^ flip, c[1] ^ flip, c[2] ^ flip));
    let lower_key = interleaved(vec3(l[0] ^ flip_low, l[1] ^ flip_low, l[2] ^ flip_low));
    let is_long = tree.call.x == 1u;
    let first = select(upper_key, lower_key, is_long);
    let at = key_at(0u) + 2u * k;
    keys[at] = first.x;
    keys[at + 1u] = first.y;
    if (is_long) {
        let kept = upper_at() + 2u * k;
        keys[kept] = upper_key.x;
        keys[kept + 1u] = upper_key.y;
    }
    keys[index_at(0u) + k] = k;
}

// What the keys of a second sort are, in the order of the first: on the side of the call.
@compute @workgroup_size(256)
fn take_keys(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
             @builtin(local_invocation_index) t: u32) {
    let k = number(group, groups) * 256u + t;
    if (k >= tree.n) {
        return;
    }
    let kept = upper_at() + 2u * keys[index_at(tree.call.x) + k];
    let to = key_at(tree.call.x) + 2u * k;
    keys[to] = keys[kept];
    keys[to + 1u] = keys[kept + 1u];
}

// The classes of softenings, in the order of the curve: bodies of one class make cells together; see order.cu. The call: the side.
@compute @workgroup_size(256)
fn take_classes(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                @builtin(local_invocation_index) t: u32) {
    let k = number(group, groups) * 256u + t;
    if (k >= tree.n) {
        return;
    }
    let largest = i32(bitcast<u32>(tree.base + 1.0f / tree.per_difference) >> 23u);
    let own = i32(bitcast<u32>(bodies[2u * keys[index_at(tree.call.x) + k] + 1u].w) >> 23u);
    let to = key_at(tree.call.x) + 2u * k;
    keys[to] = u32(max(0, $CLASSES - 1 - max(0, largest - own) / $DIGITS_OF_CLASS));
    keys[to + 1u] = 0u;
}

fn digit(at: u32, shift: u32) -> u32 {
    return (keys[at + shift / 32u] >> (shift % 32u)) & (RADIX - 1u);
}

// counts of digits of each thread, two a word: [RADIX / 2][THREADS]
var<workgroup> of_thread: array<u32, 2048>;
var<workgroup> of_part: array<u32, 256>;

// Counts the digits of a thread's keys; those beyond the end are the last digit.
fn count_own(t: u32, first: u32, side: u32, shift: u32) {
    var own: array<u32, 8>;
    for (var k = 0u; k < ITEMS; k++) {
        let at = first + k;
        var here = RADIX - 1u;
        if (at < tree.n) {
            here = digit(key_at(side) + 2u * at, shift);
        }
        own[here / 2u] += 1u << ((here % 2u) * 16u);
    }
    for (var q = 0u; q < 8u; q++) {
        of_thread[q * THREADS + t] = own[q];
    }
    workgroupBarrier();
}

// How often each digit is in a tile: counts[digit][tile]. The call: side, shift, tiles.
@compute @workgroup_size(256)
fn count_digits(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                @builtin(local_invocation_index) t: u32) {
    let tile = number(group, groups);
    if (tile >= tree.call.z) {
        return;
    }
    count_own(t, tile * TILE + t * ITEMS, tree.call.x, tree.call.y);
    // 32 threads a row
    let row = t / 32u;
    var sum = 0u;
    for (var k = t % 32u; k < THREADS; k += 32u) {
        sum += of_thread[row * THREADS + k];
    }
    of_part[t] = sum;
    workgroupBarrier();
    if (t < RADIX) {
        var all = 0u;
        for (var k = 0u; k < 32u; k++) {
            all += (of_part[t / 2u * 32u + k] >> ((t % 2u) * 16u)) & 0xffffu;
        }
        keys[counts_at() + t * tree.call.z + tile] = all;
    }
}

// Sums over the counts of a digit in the tiles before each, by a workgroup for each digit, and the sum over all tiles behind them.
@compute @workgroup_size(256)
fn sum_counts(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let tiles = tree.call.z;
    let row = counts_at() + group.x * tiles;
    var earlier = 0u;
    for (var first = 0u; first < tiles; first += THREADS) {
        let at = first + t;
        var here = 0u;
        if (at < tiles) {
            here = keys[row + at];
        }
        var sum = here;
        of_part[t] = sum;
        workgroupBarrier();
        for (var step = 1u; step < THREADS; step *= 2u) {
            var other = 0u;
            if (t >= step) {
                other = of_part[t - step];
            }
            workgroupBarrier();
            sum += other;
            of_part[t] = sum;
            workgroupBarrier();
        }
        if (at < tiles) {
            keys[row + at] = earlier + sum - here;
        }
        earlier += of_part[THREADS - 1u];
        workgroupBarrier();
    }
    if (t == 0u) {
        keys[counts_at() + RADIX * tiles + group.x] = earlier;
    }
}

var<workgroup> first_of: array<u32, 16>;

// One pass: keys and indices to the other side.
@compute @workgroup_size(256)
fn sort_pass(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
             @builtin(local_invocation_index) t: u32) {
    let tile = number(group, groups);
    if (tile >= tree.call.z) {
        return;
    }
    let side = tree.call.x;
    let shift = tree.call.y;
    let first = tile * TILE + t * ITEMS;
    if (t < RADIX) {
        var smaller = 0u;
        for (var k = 0u; k < t; k++) {
            smaller += keys[counts_at() + RADIX * tree.call.z + k];
        }
        first_of[t] = smaller + keys[counts_at() + t * tree.call.z + tile];
    }
    count_own(t, first, side, shift);
    // counts of the threads before each: 32 threads a row, eight counts each
    let row = t / 32u;
    let part = row * THREADS + t % 32u * 8u;
    var sum = 0u;
    for (var k = 0u; k < 8u; k++) {
        sum += of_thread[part + k];
    }
    of_part[t] = sum;
    workgroupBarrier();
    var earlier = 0u;
    for (var k = row * 32u; k < t; k++) {
        earlier += of_part[k];
    }
    for (var k = 0u; k < 8u; k++) {
        let here = of_thread[part + k];
        of_thread[part + k] = earlier;
        earlier += here;
    }
    workgroupBarrier();
    for (var k = 0u; k < ITEMS; k++) {
        let at = first + k;
        if (at < tree.n) {
            let kept = key_at(side) + 2u * at;
            let here = digit(kept, shift);
            let mine = here / 2u * THREADS + t;
            let half = here % 2u * 16u;
            let rank = (of_thread[mine] >> half) & 0xffffu;
            of_thread[mine] += 1u << half;
            let to = first_of[here] + rank;
            keys[key_at(1u - side) + 2u * to] = keys[kept];
            keys[key_at(1u - side) + 2u * to + 1u] = keys[kept + 1u];
            keys[index_at(1u - side) + to] = keys[index_at(side) + at];
        }
    }
}

// Counts bodies whose keys are equal to those of the LEAF bodies before: too many for leaves to part them. The call: the side, and
// how many lower digits of keys were not sorted by.
@compute @workgroup_size(256)
fn find_clashes(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                @builtin(local_invocation_index) t: u32) {
    let k = number(group, groups) * 256u + t;
    if (k < LEAF || k >= tree.n) {
        return;
    }
    let here = key_at(tree.call.x) + 2u * k;
    let there = here - 2u * LEAF;
    if (keys[here + 1u] == keys[there + 1u] && (keys[here] >> tree.call.y) == (keys[there] >> tree.call.y)) {
        atomicAdd(&counters[CLASHES], 1u);
    }
}
