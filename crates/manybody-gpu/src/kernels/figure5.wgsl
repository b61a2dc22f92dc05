// The kernels of [Navarro 2016, fig. 5]: the twins of figure5.cu. $MAP maps blocks, or with $THREADS threads.
struct Call { w: array<vec4<u32>, 4> }  // the domain, then n

fn place(group: vec3<u32>, groups: vec3<u32>, t: u32) -> vec3<u32> {
    let d = Domain(call.w[0].x, call.w[0].y, call.w[0].z, call.w[0].w, call.w[1].x);
    if ($THREADS) {
        let x = (group.x + group.y * groups.x) * 256u + t;
        let y = 0u;
        return $MAP;
    }
    let x = group.x;
    let y = group.y;
    let c = $MAP;
    return vec3(c.x * 16u + t / 16u, c.y * 16u + t % 16u, c.z);
}
fn is_pair(c: vec3<u32>) -> bool {
    return c.z == 1u && c.x < call.w[1].y && c.y < c.x;
}
fn distance4(a: vec4<f32>, b: vec4<f32>) -> f32 {
    let d = a - b;
    return sqrt(dot(d, d));
}

//// map_only
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> call: Call;

@compute @workgroup_size(16, 16)
fn map_only(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
            @builtin(local_invocation_index) t: u32) {
    let c = place(group, groups, t);
    if (is_pair(c) && c.x + c.y == call.w[1].z) {
        out[0] = c.x;
    }
}

//// dummy
@group(0) @binding(0) var<storage, read_write> out: atomic<u32>;
@group(0) @binding(1) var<uniform> call: Call;

@compute @workgroup_size(16, 16)
fn dummy(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) t: u32) {
    let c = place(group, groups, t);
    if (is_pair(c)) {
        atomicStore(&out, c.x + c.y);
    }
}

//// edm4
@group(0) @binding(0) var<storage, read> points: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> call: Call;

@compute @workgroup_size(16, 16)
fn edm4(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) t: u32) {
    let c = place(group, groups, t);
    if (is_pair(c)) {
        out[triangle_number(c.x - 1u) + c.y] = distance4(points[c.x], points[c.y]);
    }
}

//// edm4_check
@group(0) @binding(0) var<storage, read> points: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> out: array<f32>;
@group(0) @binding(2) var<storage, read_write> wrong: atomic<u32>;
@group(0) @binding(3) var<uniform> call: Call;

@compute @workgroup_size(16, 16)
fn edm4_check(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) t: u32) {
    let i = group.x + 1u + group.y * groups.x;
    if (i >= call.w[1].y) {
        return;
    }
    var mine = 0u;
    for (var j = t; j < i; j += 256u) {
        // two roundings of the same formula may differ in the last place
        let want = distance4(points[i], points[j]);
        mine += u32(abs(out[triangle_number(i - 1u) + j] - want) > 1e-6 * want);
    }
    if (mine > 0u) {
        atomicAdd(&wrong, mine);
    }
}

//// collide
@group(0) @binding(0) var<storage, read> spheres: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;  // [65536]
@group(0) @binding(2) var<uniform> call: Call;

fn touch(a: vec4<f32>, b: vec4<f32>) -> bool {
    let d = a - b;
    let r = a.w + b.w;
    if ($ONE_DIMENSION) {
        return d.x * d.x <= r * r;
    }
    return dot(d.xyz, d.xyz) <= r * r;
}
var<workgroup> rows: array<vec4<f32>, 16>;
var<workgroup> columns: array<vec4<f32>, 16>;
var<workgroup> hits: atomic<u32>;

@compute @workgroup_size(16, 16)
fn collide(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
           @builtin(local_invocation_index) t: u32) {
    $LEAVE
    let c = place(group, groups, t);
    if ($THREADS) {
        if (is_pair(c)) {
            if (touch(spheres[c.x], spheres[c.y])) {
                atomicAdd(&counts[(group.x + (group.y << 10u)) & 0xffffu], 1u);
            }
        }
        return;
    }
    // whole groups leave, but before a barrier only where that can be seen: what bb says is written out above
    let last = call.w[1].y - 1u;
    if (t == 0u) {
        atomicStore(&hits, 0u);
    }
    if (t < 16u && c.z == 1u) {
        columns[t] = spheres[min(c.y, last)];
    }
    if (t % 16u == 0u && c.z == 1u) {
        rows[t / 16u] = spheres[min(c.x, last)];
    }
    workgroupBarrier();
    if (is_pair(c)) {
        if (touch(rows[t / 16u], columns[t % 16u])) {
            atomicAdd(&hits, 1u);
        }
    }
    workgroupBarrier();
    if (t == 0u) {
        let all = atomicLoad(&hits);
        if (all > 0u) {
            atomicAdd(&counts[(group.x + (group.y << 10u)) & 0xffffu], all);
        }
    }
}
