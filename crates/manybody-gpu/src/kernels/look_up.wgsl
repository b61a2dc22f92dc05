// Which cell each of many blocks works on: the twin of look_up.cu.
struct Call { w: array<vec4<u32>, 4> }

//// look_up
@group(0) @binding(0) var<storage, read> queries: array<u32>;
@group(0) @binding(1) var<storage, read> map_table: array<u32>;
@group(0) @binding(2) var<storage, read_write> cells: array<u32>;
@group(0) @binding(3) var<uniform> call: Call;

@compute @workgroup_size(64)
fn look_up(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let q = (group.x + group.y * call.w[0].y) * 64u + t;
    if (q >= call.w[0].x) {
        return;
    }
    let a = 8u * q;
    let d = Domain(queries[a + 2u], queries[a + 3u], queries[a + 4u], queries[a + 5u], queries[a + 6u]);
    let x = queries[a];
    let y = queries[a + 1u];
    $LOOK
    cells[4u * q] = select(0xffffffffu, i, work);
    cells[4u * q + 1u] = j;
    cells[4u * q + 2u] = k;
}

//// first_wrong
@group(0) @binding(0) var<storage, read_write> first: atomic<u32>;
@group(0) @binding(1) var<uniform> call: Call;

@compute @workgroup_size(256)
fn first_wrong(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
               @builtin(local_invocation_index) t: u32) {
    let d = Domain(92681u, 0u, 0xffffffffu, 0u, 0u);
    var mine = 0xffffffffu;
    for (var k = group.x * 256u + t; k < call.w[0].y; k += groups.x * 256u) {
        let x = call.w[0].x + k;
        let y = 0u;
        let c = $MAP;
        let start = triangle_number(c.x);
        if (!(c.z == 1u && c.x <= 92681u && start <= x && x - start <= c.x && c.y == x - start)) {
            mine = min(mine, x);
        }
    }
    if (mine != 0xffffffffu) {
        atomicMin(&first, mine);
    }
}
