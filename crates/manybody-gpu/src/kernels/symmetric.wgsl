// Every pair once, both bodies served: the twin of symmetric.cu, whose head has the drawing. Without float atomics, so it
// runs wherever WGSL does.
//
// A thread holds K bodies i and their sums; a chunk of j is as wide as a subgroup, whatever that is here, and its sums
// move one lane down after every step. It lies twice in workgroup memory, so that lane + step needs no wrap, and there the
// four numbers of a quad are moved by one: x of i and x of j, read together, are then in registers of different banks
// (NVIDIA's have two). The subgroups of a workgroup take the chunks in phases, so that no two add to the same sums at once.
// $WIDTH is a constant where the adapter has one width only, a power of two always. Body indices come from subgroup and
// lane: their order within a workgroup is not promised.

struct Call { n: u32, tiles: u32, d0: u32, d1: u32, chain: u32, zero: u32, u1: u32, u2: u32 }

@group(0) @binding(0) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> slots_i: array<f32>;
@group(0) @binding(2) var<storage, read_write> slots_j: array<f32>;
@group(0) @binding(3) var<uniform> par: Par;
@group(0) @binding(4) var<uniform> call: Call;

const B: u32 = $Bu;
const K: u32 = $Ku;
const T: u32 = B * K;

var<workgroup> tile: array<vec4<f32>, $TILE>;  // [QUADS][2 T]
var<workgroup> sums: array<f32, $SUMS>;        // [NO][T]

@compute @workgroup_size($B)
fn symmetric(@builtin(workgroup_id) group: vec3<u32>, @builtin(subgroup_invocation_id) lane: u32,
             @builtin(subgroup_size) width: u32, @builtin(subgroup_id) subgroup: u32) {
    let I = group.x;
    let t = subgroup * $WIDTH + lane;
    let subgroups = B / $WIDTH;
    let stride = call.tiles * T;
    let next = (lane + 1u) & ($WIDTH - 1u);
    let first = I * T + subgroup * K * $WIDTH + lane;
    $K{
    let gi$k = first + $ku * $WIDTH;
    $Q{let q$k_$q = bodies[gi$k * QUADS + $qu];
    }$O{var oi$k_$o: f32;
    }start($O{&oi$k_$o, });
    }
    let begin = call.d0 + group.y * call.chain;
    let end = min(call.d1, begin + call.chain);
    for (var d = begin; d < end; d++) {
        let J = select(I + d - call.tiles, I + d, I + d < call.tiles);
        let slot = (d - max(call.d0, 1u)) * NO * stride + J * T;  // not used for d = 0
        if (2u * d == call.tiles && I >= d) {  // the other half of the last round: nothing for this slot
            $O{var n$o: f32;
            }start($O{&n$o, });
            for (var k = 0u; k < K; k++) {
                $O{slots_j[slot + $ou * stride + k * B + t] = n$o;
                }
            }
            continue;
        }
        workgroupBarrier();
        for (var k = 0u; k < K; k++) {
            let b = k * B + t;
            let at = (b & ~($WIDTH - 1u)) + b;
            $Q{let r$q = bodies[(J * T + b) * QUADS + $qu];
            tile[$qu * 2u * T + at] = r$q.wxyz;
            tile[$qu * 2u * T + at + $WIDTH] = r$q.wxyz;
            }
        }
        workgroupBarrier();
        if (d == 0u) {
            for (var s = 0u; s < T; s++) {
                let gj = J * T + s;
                let at = (s & ~($WIDTH - 1u)) + s;
                $Q{let r$q = tile[$qu * 2u * T + at];
                }if (gj < call.n) {
                    $K{if (SELF || gi$k != gj) {
                        pair($I{q$k_$iq.$ic, }$J{r$jq.$jt, }$O{&oi$k_$o, });
                    }
                    }
                }
            }
            continue;
        }
        let whole = (I + 1u) * T <= call.n && (J + 1u) * T <= call.n;
        for (var phase = 0u; phase < subgroups; phase++) {
            let held = (subgroup + phase) & (subgroups - 1u);
            for (var c = 0u; c < K; c++) {
                let chunk = (held * K + c) * $WIDTH;
                $O{var oj$o: f32;
                }start($O{&oj$o, });
                if (whole) {
                    let at = 2u * chunk + lane;
                    for (var s = 0u; s < $WIDTH; s += $UNROLLu) {
                        $U{{
                        $Q{let r$q = tile[$qu * 2u * T + at + s + $uu];
                        }$K{pair_both($I{q$k_$iq.$ic, }$J{r$jq.$jt, }$O{&oi$k_$o, }$O{&oj$o, });
                        }$O{oj$o = subgroupShuffle(oj$o, next);
                        }
                        }}
                    }
                } else {
                    for (var s = 0u; s < $WIDTH; s++) {
                        $Q{let r$q = tile[$qu * 2u * T + 2u * chunk + lane + s];
                        }if (J * T + chunk + ((lane + s) & ($WIDTH - 1u)) < call.n) {
                            $K{if (gi$k < call.n) {
                                pair_both($I{q$k_$iq.$ic, }$J{r$jq.$jt, }$O{&oi$k_$o, }$O{&oj$o, });
                            }
                            }
                        }
                        $O{oj$o = subgroupShuffle(oj$o, next);
                        }
                    }
                }
                let home = chunk + lane;
                if (subgroups == 1u) {
                    $O{slots_j[slot + $ou * stride + home] = oj$o;
                    }
                } else if (phase > 0u) {
                    $O{var h$o = sums[$ou * T + home];
                    }merge($O{&h$o, }$O{oj$o, });
                    $O{sums[$ou * T + home] = h$o;
                    }
                } else {
                    $O{sums[$ou * T + home] = oj$o;
                    }
                }
            }
            if (subgroups > 1u) {
                workgroupBarrier();
            }
        }
        for (var k = 0u; subgroups > 1u && k < K; k++) {
            $O{slots_j[slot + $ou * stride + k * B + t] = sums[$ou * T + k * B + t];
            }
        }
    }
    $K{$O{slots_i[(group.y * NO + $ou) * stride + gi$k] = oi$k_$o;
    }}
}
