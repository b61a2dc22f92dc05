//! The oracle: laws in plain f64 loops over all pairs, slow, obvious and never optimised. Every evaluator is compared
//! with it.

use super::definition::Contribution;
use super::graph::lower::Output;
use super::graph::replay::Replay;
use super::graph::{Edge, Graph, Role, Rules};
use super::{Cell, Law, PairInputs, PairLaw, Real, Record, SelfPair, make};
use crate::Result;

/// What the law `L` makes of the sets: one column a result, each \[n_i\], as [`Law::result_columns`] names them.
///
/// # Errors
/// As [`PairInputs::check`].
pub fn oracle<L: PairLaw>(inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
    let law = Law::of::<L>()?;
    inputs.check(&law, 2f64.powi(53))?;
    let (ni, nj) = inputs.lens();
    let par: L::Par<f64> = record_of(|k| inputs.par[k]);
    let j: Vec<L::Body<f64>> = (0..nj).map(|b| record_of(|k| inputs.j[k][b])).collect();
    let mut raw = vec![Vec::with_capacity(ni); law.cells().len()];
    for b in 0..ni {
        let i: L::Body<f64> = record_of(|k| inputs.i[k][b]);
        let mut out: L::Out<f64> = make(|cell| cell.identity(0.0));
        for (c, j) in j.iter().enumerate() {
            if L::SELF || inputs.source_of(b) != Some(c) {
                L::pair(&i, j, &par, &mut out);
            }
        }
        if inputs.same_bodies() && !L::SELF {
            L::own(&i, &par, &mut out);
        }
        let (mut k, seen) = (0, out);
        out.zip(&seen, &mut |_, _, x| {
            raw[k].push(x);
            k += 1;
        });
    }
    Ok(law.finish(raw))
}

/// A record from its numbers.
pub fn record_of<R: Real, P: Record<R>>(mut number: impl FnMut(usize) -> R) -> P {
    let mut k = 0;
    make(|_| {
        k += 1;
        number(k - 1)
    })
}

impl Law {
    /// What the law makes of the sets, in plain f64 loops: for laws that exist as text only. Slow.
    ///
    /// # Errors
    /// As [`PairInputs::check`].
    pub fn oracle(&self, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
        let all: Vec<usize> = (0..inputs.lens().0).collect();
        self.oracle_at(inputs, &all)
    }

    /// The same for some of the bodies acted on, given by their indices: columns of as many numbers.
    ///
    /// # Errors
    /// As [`PairInputs::check`].
    pub fn oracle_at(&self, inputs: &PairInputs<'_>, bodies: &[usize]) -> Result<Vec<Vec<f64>>> {
        inputs.check(self, 2f64.powi(53))?;
        let (_, nj) = inputs.lens();
        let cells = self.cells();
        let mut raw = vec![Vec::with_capacity(bodies.len()); cells.len()];
        let (pair, own) = (Written::of(self, &self.contributions), Written::of(self, &self.own));
        for &b in bodies {
            let mut out: Vec<f64> = cells.iter().map(|cell| cell.identity(0.0)).collect();
            for c in 0..nj {
                if inputs.source_of(b) == Some(c) && self.self_pair != SelfPair::Included {
                    continue;
                }
                pair.contribute_to(&mut out, |role, k| match role {
                    Role::I => inputs.i[k][b],
                    Role::J => inputs.j[k][c],
                    Role::Par => inputs.par[k],
                });
            }
            if inputs.same_bodies() && self.self_pair == SelfPair::Custom {
                own.contribute_to(&mut out, |role, k| if role == Role::I { inputs.i[k][b] } else { inputs.par[k] });
            }
            out.into_iter().zip(&mut raw).for_each(|(x, column)| column.push(x));
        }
        Ok(self.finish(raw))
    }

    /// Whether the one body acted on gets NaN from the one that acts, which in a smallest or largest value is an infinity.
    ///
    /// # Errors
    /// As [`PairInputs::check`].
    pub fn contributes_nan(&self, pair: &PairInputs<'_>) -> Result<bool> {
        pair.check(self, 2f64.powi(53))?;
        let replay = Replay::new(&self.graph, self.contributions.iter().map(|o| o.value), 0.0, |role, k| match role {
            Role::I => pair.i[k][0],
            Role::J => pair.j[k][0],
            Role::Par => pair.par[k],
        });
        Ok(self.contributions.iter().any(|o| replay.number(o.value).is_nan()))
    }
}

/// A law as it is written, to be computed in f64.
struct Written {
    graph: Graph,
    outputs: Vec<Output>,
}

impl Written {
    fn of(law: &Law, contributions: &[Contribution]) -> Self {
        let (graph, outputs) = law.simplified(Rules::AsWritten, &[(0, contributions, false)]);
        Written { graph, outputs }
    }

    fn contribute_to(&self, out: &mut [f64], input: impl FnMut(Role, usize) -> f64) {
        let roots = self.outputs.iter().flat_map(|o| [Some(o.value), o.label]).flatten();
        let replay = Replay::new(&self.graph, roots, 0.0, input);
        let at = |e: Edge| replay.number(e);
        for o in &self.outputs {
            let (k, x) = (o.slot, at(o.value));
            match o.cell {
                Cell::ArgMin | Cell::ArgMax | Cell::LogSumExp => {
                    let second = o.label.map_or(1.0, at);
                    [out[k], out[k + 1]] = o.cell.join([out[k], out[k + 1]], [x, second]);
                }
                cell => out[k] = cell.combine(out[k], x),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{GravityPot, PairInputs};
    use super::*;

    fn columns(n: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut s = seed;
        let mut next = move || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..4).map(|_| (0..n).map(|_| next()).collect()).collect()
    }

    /// The law in Rust, the law recorded, and the law as text: one result.
    #[test]
    fn three_ways_to_one_result() {
        let text = "body x[3], m; param eps2; d = j.x - i.x; r2 = dot(d, d) + eps2
                    sum a = j.m * d / r2^1.5; sum pot = -j.m / sqrt(r2); self exclude";
        let (i, j) = (columns(7, 3), columns(5, 4));
        let (i, j): (Vec<&[f64]>, Vec<&[f64]>) =
            (i.iter().map(Vec::as_slice).collect(), j.iter().map(Vec::as_slice).collect());
        for inputs in [PairInputs::one(&i, &[0.01]), PairInputs::two(&i, &j, &[0.01])] {
            let rust = oracle::<GravityPot>(&inputs).unwrap();
            let recorded = Law::of::<GravityPot>().unwrap().oracle(&inputs).unwrap();
            let text = Law::parse(text).unwrap().oracle(&inputs).unwrap();
            assert_eq!(rust, recorded);
            for (a, b) in rust.iter().flatten().zip(text.iter().flatten()) {
                // division instead of multiplication by the reciprocal root: a few roundings of terms up to 1000
                assert!((a - b).abs() <= 1e-12, "{a} {b}");
            }
        }
        let columns = Law::of::<GravityPot>().unwrap().result_columns();
        assert_eq!(columns, ["ax", "ay", "az", "pot"]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let law = Law::parse("body x, q; id k; param p; sum s = i.x * j.q * p when i.k != j.k").unwrap();
        let (x, q, k, short) = ([1.0, 2.0], [3.0, f64::NAN], [0.0, 1.5], [1.0]);
        let good: &[f64] = &[0.0, 1.0];
        let check =
            |columns: &[&[f64]], par: &[f64]| PairInputs::one(columns, par).check(&law, 1e9).unwrap_err().to_string();
        assert!(check(&[&x], &[1.0]).contains("reads 3 numbers of i: x, q, k"));
        assert!(check(&[&x, &q, good], &[1.0]).contains("i.q = NaN for body 1"));
        assert!(check(&[&x, good, &k], &[1.0]).contains("i.k = 1.5 for body 1"));
        assert!(check(&[&x, &short, good], &[1.0]).contains("i.q has 1 entries"));
        assert!(check(&[&x, good, good], &[]).contains("has 1 parameters: p"));
        assert!(check(&[&x, good, good], &[f64::INFINITY]).contains("p = inf"));
        assert!(PairInputs::one(&[&x, good, good], &[1.0]).check(&law, 1e9).is_ok());
    }
}
