// Index maps: the twins of maps.cuh and of manybody::map, whose pages have the formulas, the argument for the exact roots,
// and how far the published ones are right. Here a published root rounds as the driver likes, so it is right at least as
// far as its worst rounding. A map gives (i, j, 1), or 0 as the last number for a block without work. No f64, no 64-bit
// integers: the published f64 roots have no twin here.
struct Domain {
    rows: u32,   // of the triangle with a diagonal that has the same cells
    shift: u32,  // 1 without the diagonal: rows are moved down by one
    cells: u32,  // how many
    width: u32,  // of the launch: block (x, y) has the index w = x + width y
    level: u32,  // of rec: which launch; 32 for the diagonal
}

// T(n) = n (n + 1) / 2 without an intermediate value larger than the result
fn triangle_number(n: u32) -> u32 {
    return ((n + 1u) >> 1u) * (n | 1u);
}

// The row of w and the place in it. A root that is off by less than 1/16, less 1/16, is never too large and less than 1 too
// small, so its integer part is the row or the one before, and one comparison decides.
fn triangle_root(w: u32) -> vec2<u32> {
    let x = 2.0 * f32(w) + 0.25;
    let row = u32(max(x * inverseSqrt(x) - 0.5625, 0.0));
    let place = w - triangle_number(row);
    if (place > row) {
        return vec2(row + 1u, place - row - 1u);
    }
    return vec2(row, place);
}

fn map_bb(d: Domain, x: u32, y: u32) -> vec3<u32> {
    return vec3(y, x, u32(x + d.shift <= y));
}

fn map_rb(d: Domain, x: u32, y: u32) -> vec3<u32> {
    let odd = d.rows & 1u;
    let m = d.rows - 1u;
    if (y + odd > x) {
        return vec3(y + odd - 1u + d.shift, x, 1u);
    }
    return vec3(m - y + d.shift, m + odd - x, 1u);
}

fn map_rec(d: Domain, x: u32, y: u32) -> vec3<u32> {
    if (d.level == 32u) {
        return vec3(x, x, 1u);
    }
    let side = 1u << d.level;
    let corner = (y >> d.level) << (d.level + 1u);
    return vec3(corner | side | (y & (side - 1u)), corner | x, 1u);
}

fn map_lambda(d: Domain, x: u32, y: u32) -> vec3<u32> {
    let w = x + d.width * y;
    if (w >= d.cells) {
        return vec3(0u);
    }
    let at = triangle_root(w);
    return vec3(at.x + d.shift, at.y, 1u);
}

fn map_utm(d: Domain, x: u32, y: u32) -> vec3<u32> {
    let k = x + d.width * y;
    if (k >= d.cells) {
        return vec3(0u);
    }
    let at = triangle_root(d.cells - 1u - k);
    return vec3(d.rows - 1u - at.y + d.shift, d.rows - 1u - at.x, 1u);
}

fn published(d: Domain, w: u32, root: f32) -> vec3<u32> {
    if (w >= d.cells) {
        return vec3(0u);
    }
    let r = u32(max(root + select(-0.5, 0.5, d.shift == 1u), 0.0)) - d.shift;
    return vec3(r + d.shift, w - triangle_number(r), 1u);
}
fn map_lambda_f32(d: Domain, x: u32, y: u32) -> vec3<u32> {
    let w = x + d.width * y;
    return published(d, w, sqrt(2.0 * f32(w) + 0.25));
}
fn map_lambda_rsqrt(d: Domain, x: u32, y: u32) -> vec3<u32> {
    let w = x + d.width * y;
    let at = 2.0 * f32(w) + 0.25;
    return published(d, w, at * inverseSqrt(at) + 1e-4);
}
fn map_lambda_rsqrt_fused(d: Domain, x: u32, y: u32) -> vec3<u32> {
    let w = x + d.width * y;
    let at = 2.0 * f32(w) + 0.25;
    return published(d, w, fma(at, inverseSqrt(at), 1e-4));
}
fn newton(x: f32) -> f32 {
    let half = 0.5 * x;
    var y = bitcast<f32>(0x5f3759dfu - (bitcast<u32>(x) >> 1u));
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    return y;
}
fn map_lambda_newton(d: Domain, x: u32, y: u32) -> vec3<u32> {
    let w = x + d.width * y;
    let at = 2.0 * f32(w) + 0.25;
    return published(d, w, at * newton(at) + 1e-4);
}
fn map_lambda_newton_fused(d: Domain, x: u32, y: u32) -> vec3<u32> {
    let w = x + d.width * y;
    let at = 2.0 * f32(w) + 0.25;
    return published(d, w, fma(at, newton(at), 1e-4));
}

// Right as long as (2n - 1)^2 fits 32 bits (n up to 32,768), which is further than the root is right.
fn map_utm_f32(d: Domain, x: u32, y: u32) -> vec3<u32> {
    let k = x + d.width * y;
    if (k >= d.cells) {
        return vec3(0u);
    }
    let n = d.rows + 1u;
    let under = (2u * n - 1u) * (2u * n - 1u) - 8u * k;
    let a = u32((f32(2u * n + 1u) - sqrt(f32(under))) * 0.5);
    let b = a + 1u + k - (a - 1u) * (2u * n - a) / 2u;
    return vec3(b - 2u + d.shift, a - 1u, 1u);
}

// T3(n) = n (n + 1) (n + 2) / 6; 3 divides n (n + 1) / 2 or n + 2
fn tetrahedron_number(n: u32) -> u32 {
    let t = triangle_number(n);
    if ((n + 2u) % 3u == 0u) {
        return t * ((n + 2u) / 3u);
    }
    return t / 3u * (n + 2u);
}
// The layer of block w: a third of the exponent, two of Halley's steps, and integers.
fn tetrahedron_root(w: u32) -> u32 {
    let x = 6.0 * f32(w);
    var y = bitcast<f32>(bitcast<u32>(x) / 3u + 709921077u);
    for (var k = 0; k < 2; k++) {
        let cube = y * y * y;
        y *= (cube + 2.0 * x) / (2.0 * cube + x);
    }
    let g = max(u32(y), 1u) - 1u;
    let start = tetrahedron_number(g);
    if (start > w) {
        return g - 1u;
    }
    return g + u32(w - start >= triangle_number(g + 1u));
}
fn inside_layer(d: Domain, w: u32, z: u32) -> vec4<u32> {
    let at = triangle_root(w - tetrahedron_number(z));
    return vec4(z + 2u * d.shift, at.x + d.shift, at.y, 1u);
}
fn map_tetrahedron(d: Domain, w: u32) -> vec4<u32> {
    if (w >= d.cells) {
        return vec4(0u);
    }
    return inside_layer(d, w, tetrahedron_root(w));
}

//// The maps with a table, `map_table`, a buffer of the kernel; their formats stand in maps.cuh.
fn map_band(d: Domain, x: u32, y: u32) -> vec3<u32> {
    let w = x + d.width * y;
    if (w >= d.cells) {
        return vec3(0u);
    }
    var g = 2u;
    for (var k = 1u; k < map_table[0]; k++) {
        g = select(g, 2u + 6u * k, map_table[2u + 6u * k + 4u] <= w);
    }
    let v = w - map_table[g + 4u];
    let width = map_table[g + 2u];
    let growth = map_table[g + 3u];
    var row: u32;
    var place: u32;
    if (growth == 0u) {
        row = v / width;
        place = v % width;
    } else if (growth == 1u) {
        let at = triangle_root(v + triangle_number(width - 1u));
        row = at.x + 1u - width;
        place = at.y;
    } else {
        let last = width + 1u - map_table[g + 1u];
        let at = triangle_root(map_table[g + 5u] - 1u - v + triangle_number(last - 1u));
        row = map_table[g + 1u] + last - 2u - at.x;
        place = at.x - at.y;
    }
    let i = map_table[g] + row;
    return vec3(i, u32(max(i32(i) + i32(map_table[1]), 0)) + place, 1u);
}
fn map_mask(d: Domain, x: u32, y: u32) -> vec3<u32> {
    let w = x + d.width * y;
    if (w >= d.cells) {
        return vec3(0u);
    }
    let rows = map_table[0];
    var low = 0u;
    var high = rows;
    while (high - low > 1u) {
        let middle = (low + high) / 2u;
        if (map_table[1u + rows + middle] <= w) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return vec3(map_table[1u + low], map_table[2u + 2u * rows + w], 1u);
}
fn map_tetrahedron_table(d: Domain, w: u32) -> vec4<u32> {
    if (w >= d.cells) {
        return vec4(0u);
    }
    var low = map_table[w >> d.level];
    var high = map_table[(w >> d.level) + 1u] + 1u;
    while (high - low > 1u) {
        let middle = (low + high) / 2u;
        if (tetrahedron_number(middle) <= w) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return inside_layer(d, w, low);
}
