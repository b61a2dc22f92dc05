// One-sided with a choice of sums: the twin of summed.cu. As direct.wgsl, but the terms of a body are added as `Held`
// (sums.wgsl) says. A tile of B bodies j is taken in pieces of PIECE, and after every PIECES of these the bag is put down.

struct Call { ni: u32, nj: u32, stride: u32, share: u32, same: u32, zero: u32, first_block: u32, u2: u32, scale: array<vec4<f32>, 2> }

@group(0) @binding(0) var<storage, read> bodies_j: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> slots_i: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> bodies_i: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> par: Par;
@group(0) @binding(4) var<uniform> call: Call;

const B: u32 = $Bu;
const K: u32 = $Ku;
const PIECE: u32 = $PIECEu;
const PIECES: u32 = $COUNTu;  // a bag; 0 for one bag of all

var<workgroup> tile: array<vec4<f32>, $TILE>;  // [QUADS][B]

@compute @workgroup_size($B)
fn summed(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let first = (call.first_block + group.x) * (B * K);
    let own = call.same - 1u;  // body 0 of i among those of j, if it is there: then same is 1 more, else 0
    $K{
    let gi$k = first + $ku * B + t;
    $Q{let q$k_$q = bodies_i[gi$k * QUADS + $qu];
    }$O{var held$k_$o: Held;
    var bag$k_$o: f32;
    }start($O{&bag$k_$o, });
    }
    var pieces = 0u;
    var bags = 0u;
    let begin = group.y * call.share;
    let end = min(call.nj, begin + call.share);
    for (var j0 = begin; j0 < end; j0 += B) {
        workgroupBarrier();
        $Q{tile[$qu * B + t] = bodies_j[(j0 + t) * QUADS + $qu];
        }workgroupBarrier();
        let meets_itself = call.same != 0u && !SELF && j0 < first + own + B * K && first + own < j0 + B;
        let m = min(B, end - j0);
        for (var p = 0u; p < m; p += PIECE) {
            let last = min(m, p + PIECE);
            for (var s = p; s < last; s++) {
                $Q{let r$q = tile[$qu * B + s];
                }$K{if (!(meets_itself && gi$k + own == j0 + s)) {
                    pair($I{q$k_$iq.$ic, }$J{r$jq.$jc, }$O{&bag$k_$o, });
                }
                }
            }
            pieces += 1u;
            if (pieces == PIECES) {
                $K{$O{add(&held$k_$o, bag$k_$o, bags, call.scale[$ou / 4u][$ou % 4u]);
                }start($O{&bag$k_$o, });
                }
                pieces = 0u;
                bags += 1u;
            }
        }
    }
    if (PIECES != 1u || PIECE != 1u) {
        $K{$O{add(&held$k_$o, bag$k_$o, bags, call.scale[$ou / 4u][$ou % 4u]);
        }}
        bags += 1u;
    }
    $K{if (gi$k < call.ni) {
        $O{slots_i[(group.y * NO + $ou) * call.stride + gi$k] = total(&held$k_$o, bags);
        }
    }
    }
}
