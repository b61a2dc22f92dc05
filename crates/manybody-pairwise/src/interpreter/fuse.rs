//! Fusing: operations whose intermediate result no other operation reads become one loop over the block.
//!
//! A loop costs the finding out of which comes next, a load for each operand and a store; a fused one keeps what is
//! between in registers. The patterns are those that pairwise laws are made of: a distance squared, a product of three,
//! the third power of a reciprocal root. The operations and their order stay what they were, so no bit of a result
//! changes.

use super::tape::{Code, Operand, Step, Tape};
use crate::law::Function;

/// Fuses what can be; blocks are still one a step.
pub(super) fn fuse(tape: &mut Tape) {
    let mut fuser = Fuser { reads: reads(tape), steps: std::mem::take(&mut tape.steps), gone: Vec::new() };
    fuser.gone = vec![false; fuser.steps.len()];
    for k in 0..fuser.steps.len() {
        fuser.squares(k);
        fuser.cube(k);
    }
    for k in 0..fuser.steps.len() {
        fuser.products(k);
    }
    // steps that are left get new numbers
    let mut place = vec![usize::MAX; fuser.steps.len()];
    for (step, gone) in fuser.steps.into_iter().zip(&fuser.gone) {
        if !gone {
            place[step.to] = tape.steps.len();
            tape.steps.push(step);
        }
    }
    let settle = |at: &mut Operand| {
        if let Operand::Slot(k) = at {
            *k = place[*k];
        }
    };
    for step in &mut tape.steps {
        step.to = place[step.to];
        step.args.iter_mut().for_each(settle);
    }
    for gather in &mut tape.gathers {
        settle(&mut gather.a);
        gather.b.iter_mut().for_each(settle);
    }
    tape.outputs.iter_mut().for_each(settle);
}

/// How many steps, gathers and outputs read each step's block.
fn reads(tape: &Tape) -> Vec<usize> {
    let mut reads = vec![0; tape.steps.len()];
    let mut read = |at: &Operand| {
        if let Operand::Slot(k) = at {
            reads[*k] += 1;
        }
    };
    for step in &tape.steps {
        // unused operands repeat the first
        let mut seen: Vec<Operand> = Vec::new();
        for at in &step.args {
            if !seen.contains(at) {
                read(at);
                seen.push(*at);
            }
        }
    }
    for gather in &tape.gathers {
        read(&gather.a);
        gather.b.iter().for_each(&mut read);
    }
    tape.outputs.iter().for_each(&mut read);
    reads
}

struct Fuser {
    reads: Vec<usize>,
    steps: Vec<Step>,
    gone: Vec<bool>,
}

impl Fuser {
    /// The step that makes a block which one step alone reads.
    fn only(&self, at: Operand) -> Option<Step> {
        match at {
            Operand::Slot(k) if self.reads[k] == 1 && !self.gone[k] => Some(self.steps[k]),
            _ => None,
        }
    }

    /// Puts a fused step where its last part was.
    fn put(&mut self, k: usize, code: Code, args: [Operand; 4], parts: &[usize]) {
        self.steps[k] = Step { code, to: k, args };
        parts.iter().for_each(|part| self.gone[*part] = true);
    }

    /// x x + (a sum of squares).
    fn squares(&mut self, k: usize) {
        let Step { code: Code::FmaSquare, args: [x, rest, ..], .. } = self.steps[k] else { return };
        let Some(inner) = self.only(rest).filter(|_| x != rest) else { return };
        let [a, b, c, _] = inner.args;
        let (code, args) = match inner.code {
            Code::Square => (Code::Squares2, [x, a, x, x]),
            Code::FmaSquare if b.is_uniform() => (Code::Squares2Plus, [x, a, b, x]),
            Code::Squares2 => (Code::Squares3, [x, a, b, x]),
            Code::Squares2Plus => (Code::Squares3Plus, [x, a, b, c]),
            _ => return,
        };
        self.put(k, code, args, &[inner.to]);
    }

    /// y (y y) and (y m) (y y) with a root y that nothing else reads.
    fn cube(&mut self, k: usize) {
        let Step { code: Code::Mul, args: [a, b, ..], .. } = self.steps[k] else { return };
        for (other, square) in [(a, b), (b, a)] {
            let Some(square) = self.only(square).filter(|s| s.code == Code::Square) else { continue };
            let y = square.args[0];
            let Operand::Slot(root) = y else { continue };
            let Step { code: Code::Call(Function::Rsqrt), args: [x, ..], .. } = self.steps[root] else { continue };
            if self.reads[root] != 2 || self.gone[root] {
                continue;
            }
            if other == y {
                return self.put(k, Code::RsqrtCube, [x; 4], &[root, square.to]);
            }
            let Some(Step { code: Code::Mul, args: [p, q, ..], to }) = self.only(other) else { continue };
            let m = if p == y { q } else { p };
            if (p == y) != (q == y) && m != y {
                return self.put(k, Code::RsqrtCubeMul, [x, m, x, x], &[root, square.to, to]);
            }
        }
    }

    /// y (x x) and z (x y).
    fn products(&mut self, k: usize) {
        if self.gone[k] {
            return;
        }
        let Step { code: Code::Mul, args: [a, b, ..], .. } = self.steps[k] else { return };
        for (other, product) in [(a, b), (b, a)] {
            let Some(inner) = self.only(product) else { continue };
            let [x, y, ..] = inner.args;
            match inner.code {
                Code::Square => return self.put(k, Code::MulSquare, [x, other, x, x], &[inner.to]),
                Code::Mul => return self.put(k, Code::Mul3, [x, y, other, x], &[inner.to]),
                _ => {}
            }
        }
    }
}
