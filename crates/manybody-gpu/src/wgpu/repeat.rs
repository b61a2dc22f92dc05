//! WGSL has neither macros nor arrays that stay in registers, so a traversal in `kernels/*.wgsl` marks what is to be
//! repeated and this writes it out.
//!
//! ```text
//! $K{...}   for every body i of a thread, as $k
//! $Q{...}   for every four numbers of a record, as $q
//! $I{...}   for every number of a body i: $iq its four, $ic its component; $J{...} likewise for j, and $jt its component
//!           where a quad is moved by one
//! $O{...}   for every number of a result, as $o
//! $U{...}   as often as the shape says, as $u: an inner loop unrolled
//! $B $K $BAG $TILE $SUMS $UNROLL   the constants of the shape
//! ```

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// How often each mark repeats, and what the constants are.
pub(crate) struct Counts {
    pub(crate) per_thread: usize,
    pub(crate) quads: usize,
    pub(crate) numbers_i: usize,
    pub(crate) numbers_j: usize,
    pub(crate) results: usize,
    /// Turns of an inner loop written out, at most as many as a subgroup is wide.
    pub(crate) unroll: usize,
    /// Longest names first, since `$B` begins `$BAG`.
    pub(crate) constants: Vec<(&'static str, usize)>,
}

impl Counts {
    /// For a kernel that is no law: only what a thread has is repeated.
    pub(crate) fn of_threads(per_thread: usize, constants: Vec<(&'static str, usize)>) -> Self {
        Counts { per_thread, quads: 1, numbers_i: 0, numbers_j: 0, results: 0, unroll: 1, constants }
    }
}

/// Writes a template out.
pub(crate) fn expand(template: &str, counts: &Counts) -> String {
    let mut text = repeat(template, counts);
    for (name, value) in &counts.constants {
        text = text.replace(&format!("${name}"), &value.to_string());
    }
    text
}

fn repeat(template: &str, counts: &Counts) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, mark, body, after)) = next_mark(rest) {
        out.push_str(before);
        let times = match mark {
            'K' => counts.per_thread,
            'Q' => counts.quads,
            'I' => counts.numbers_i,
            'J' => counts.numbers_j,
            'U' => counts.unroll,
            _ => counts.results,
        };
        for k in 0..times {
            let body = match mark {
                'I' => body.replace("$iq", &(k / 4).to_string()).replace("$ic", COMPONENTS[k % 4]),
                'J' => (body.replace("$jq", &(k / 4).to_string()))
                    .replace("$jc", COMPONENTS[k % 4])
                    .replace("$jt", COMPONENTS[(k + 1) % 4]),
                mark => body.replace(&format!("${}", mark.to_ascii_lowercase()), &k.to_string()),
            };
            out.push_str(&repeat(&body, counts));
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The first mark: what is before it, its letter, its body, what is after it.
fn next_mark(text: &str) -> Option<(&str, char, &str, &str)> {
    let bytes = text.as_bytes();
    let at = (0..bytes.len().saturating_sub(2))
        .find(|k| bytes[*k] == b'$' && b"KQIJOU".contains(&bytes[k + 1]) && bytes[k + 2] == b'{')?;
    let mut depth = 0_usize;
    let close = (at + 2..bytes.len()).find(|k| {
        match bytes[*k] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    Some((&text[..at], bytes[at + 1] as char, &text[at + 3..close], &text[close + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_nest() {
        let counts = Counts {
            per_thread: 2,
            quads: 1,
            numbers_i: 5,
            numbers_j: 0,
            results: 2,
            unroll: 4,
            constants: vec![("BAG", 7), ("B", 64)],
        };
        let text = "$K{a$k: $O{$k_$o }f({$I{$iq.$ic }}) }$J{never}$B $BAG";
        let f = "f({0.x 0.y 0.z 0.w 1.x })";
        assert_eq!(expand(text, &counts), format!("a0: 0_0 0_1 {f} a1: 1_0 1_1 {f} 64 7"));
    }
}
