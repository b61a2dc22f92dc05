// Every triple once, all three bodies served: the twin of tetrahedral.cu, without subgroups. A workgroup of 32 has an atom k
// a thread; what it adds to the atoms j has a place of each thread's own, and is summed at the end.
struct Call { w: array<vec4<u32>, 4> }  // the domain, the first block, how many, n, first and last layer, whether it is the first

const T: u32 = 32u;

//// tetrahedral
@group(0) @binding(0) var<storage, read> atoms: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> slots: array<f32>;  // [blocks][3 tiles][x y z energy][32]
@group(0) @binding(2) var<storage, read> map_table: array<u32>;
@group(0) @binding(3) var<uniform> call: Call;

var<workgroup> tile_i: array<vec4<f32>, 32>;
var<workgroup> tile_j: array<vec4<f32>, 32>;
var<workgroup> force_j: array<f32, 3072>;  // [x y z][j][thread]
var<workgroup> force_i: array<vec3<f32>, 32>;

@compute @workgroup_size(32)
fn tetrahedral(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
               @builtin(local_invocation_index) t: u32) {
    let block = group.x + group.y * groups.x;
    if (block >= call.w[1].z) {
        return;
    }
    let d = Domain(call.w[0].x, call.w[0].y, call.w[0].z, call.w[0].w, call.w[1].x);
    let n = call.w[1].w;
    let x = call.w[1].y + block;
    let at = $MAP;
    tile_i[t] = atoms[at.x * T + t];
    tile_j[t] = atoms[at.y * T + t];
    let k = atoms[at.z * T + t].xyz;
    for (var j = 0u; j < T; j++) {
        for (var o = 0u; o < 3u; o++) {
            force_j[(o * T + j) * T + t] = 0.0;
        }
    }
    workgroupBarrier();
    let gk = at.z * T + t;
    let base = block * (12u * T);
    var force_k = vec3(0.0);
    var energy = 0.0;
    for (var i = 0u; i < T; i++) {
        let gi = at.x * T + i;
        let place = tile_i[i].xyz;
        let r_ik = place - k;
        let b = dot(r_ik, r_ik);
        var slopes_b = 0.0;
        var on_i = vec3(0.0);
        for (var j = 0u; j < T; j++) {
            let gj = at.y * T + j;
            let is_triple = gi < n && gj < gi && gk < gj;
            let r_jk = tile_j[j].xyz - k;
            let r_ij = place - tile_j[j].xyz;
            // a combination that is not a triple gets the sides of a triangle that exists, and the weight 0
            let s = sides(select(1.0, dot(r_jk, r_jk), is_triple), select(1.0, b, is_triple),
                          select(1.0, dot(r_ij, r_ij), is_triple), select(0.0, 1.0, is_triple));
            energy += s.x;
            slopes_b += s.z;
            let pull = s.w * r_ij;
            on_i -= pull;
            let on_j = pull - s.y * r_jk;
            force_k += s.y * r_jk;
            force_j[j * T + t] += on_j.x;
            force_j[(T + j) * T + t] += on_j.y;
            force_j[(2u * T + j) * T + t] += on_j.z;
        }
        force_k += slopes_b * r_ik;
        force_i[t] = on_i - slopes_b * r_ik;
        workgroupBarrier();
        if (t < 3u) {
            var sum = 0.0;
            for (var k = 0u; k < T; k++) {
                sum += force_i[k][t];
            }
            slots[base + t * T + i] = sum;
        }
        workgroupBarrier();
    }
    for (var o = 0u; o < 3u; o++) {
        var sum = 0.0;
        for (var k = 0u; k < T; k++) {
            sum += force_j[(o * T + t) * T + k];
        }
        slots[base + (4u + o) * T + t] = sum;
        slots[base + (8u + o) * T + t] = force_k[o];
    }
    slots[base + 3u * T + t] = 0.0;
    slots[base + 7u * T + t] = 0.0;
    slots[base + 11u * T + t] = energy;
}

//// gather_tetrahedral
@group(0) @binding(0) var<storage, read> slots: array<f32>;
@group(0) @binding(1) var<storage, read_write> held: array<f32>;  // [2][4][stride]: a sum and what it has lost
@group(0) @binding(2) var<uniform> call: Call;

@compute @workgroup_size(128)
fn gather_tetrahedral(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let b = group.x;
    let first = call.w[1].y;
    let begin = call.w[2].x;
    let end = call.w[2].y;
    let stride = call.w[0].x * T;
    let to = (t / T) * stride + b * T + t % T;
    var sum = 0.0;
    var lost = 0.0;
    if (call.w[2].z == 0u) {
        sum = held[to];
        lost = held[4u * stride + to];
    }
    if (b >= begin && b < end) {
        let layer = tetrahedron_number(b) - first;
        for (var w = layer; w < layer + triangle_number(b + 1u); w++) {
            add(&sum, &lost, slots[w * 384u + t]);
        }
    }
    for (var i = max(b, begin); i < end; i++) {
        let layer = tetrahedron_number(i) - first;
        for (var k = 0u; k <= b; k++) {
            add(&sum, &lost, slots[(layer + triangle_number(b) + k) * 384u + 128u + t]);
        }
        for (var j = b; j <= i; j++) {
            add(&sum, &lost, slots[(layer + triangle_number(j) + b) * 384u + 256u + t]);
        }
    }
    held[to] = sum;
    held[4u * stride + to] = lost;
}
fn add(sum: ptr<function, f32>, lost: ptr<function, f32>, x: f32) {
    let s = *sum + x;
    let v = s - *sum;
    *lost += (*sum - (s - v)) + (x - v);
    *sum = s;
}

//// triple_loop
@group(0) @binding(0) var<storage, read> atoms: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> held: array<f32>;
@group(0) @binding(2) var<uniform> call: Call;

@compute @workgroup_size(128)
fn triple_loop(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = call.w[1].w;
    let stride = call.w[0].x * T;
    if (id.x >= n) {
        return;
    }
    let i = atoms[id.x].xyz;
    var force = vec3(0.0);
    var energy = 0.0;
    for (var gj = 0u; gj < n; gj++) {
        if (gj == id.x) {
            continue;
        }
        let j = atoms[gj].xyz;
        let r_ij = i - j;
        var mine = vec3(0.0);
        var e = 0.0;
        for (var gk = gj + 1u; gk < n; gk++) {
            if (gk == id.x) {
                continue;
            }
            let k = atoms[gk].xyz;
            let s = sides(dot(j - k, j - k), dot(i - k, i - k), dot(r_ij, r_ij), 1.0);
            e += s.x;
            mine -= s.z * (i - k) + s.w * r_ij;
        }
        force += mine;
        energy += e;
    }
    held[id.x] = force.x;
    held[stride + id.x] = force.y;
    held[2u * stride + id.x] = force.z;
    held[3u * stride + id.x] = energy / 3.0;
}
