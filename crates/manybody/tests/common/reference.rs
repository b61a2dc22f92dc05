//! Bodies up to their first contact by the classical Runge-Kutta scheme in f64, one step for all: nothing in common with the
//! schemes of the library.

use manybody::Bodies;

type Vector = [f64; 3];
type State = Vec<(Vector, Vector)>;

pub(crate) struct Reference {
    mass: Vec<f64>,
    radius: Vec<f64>,
    pub(crate) state: State,
    pub(crate) time: f64,
    /// The step over the shortest of sqrt(r^3 / M) and r / v.
    eta: f64,
}

impl Reference {
    pub(crate) fn of(bodies: &Bodies, eta: f64) -> Self {
        let radius = bodies.extra["radius"].clone();
        let state = (0..bodies.len()).map(|k| (bodies.position(k), bodies.velocity(k))).collect();
        Reference { mass: bodies.mass.clone(), radius, state, time: 0.0, eta }
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let n = self.mass.len();
        (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)))
    }

    fn slopes(&self, state: &State) -> State {
        let mut slopes: State = state.iter().map(|(_, v)| (*v, [0.0; 3])).collect();
        for (i, j) in self.pairs() {
            let d: Vector = std::array::from_fn(|q| state[j].0[q] - state[i].0[q]);
            let r2: f64 = d.iter().map(|q| q * q).sum();
            let pull = 1.0 / (r2 * r2.sqrt());
            for (q, d) in d.into_iter().enumerate() {
                slopes[i].1[q] += self.mass[j] * pull * d;
                slopes[j].1[q] -= self.mass[i] * pull * d;
            }
        }
        slopes
    }

    fn after(&self, h: f64) -> State {
        let ahead = |of: &State, slopes: &State, h: f64| -> State {
            let go = |x: Vector, d: Vector| -> Vector { std::array::from_fn(|q| x[q] + h * d[q]) };
            of.iter().zip(slopes).map(|(of, by)| (go(of.0, by.0), go(of.1, by.1))).collect()
        };
        let k1 = self.slopes(&self.state);
        let k2 = self.slopes(&ahead(&self.state, &k1, 0.5 * h));
        let k3 = self.slopes(&ahead(&self.state, &k2, 0.5 * h));
        let k4 = self.slopes(&ahead(&self.state, &k3, h));
        let mut end = self.state.clone();
        for (k, weight) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
            end = ahead(&end, &k, weight * h / 6.0);
        }
        end
    }

    /// The distance of two bodies beyond contact, and sqrt(r^3 / M) or r / v.
    fn apart(&self, state: &State, (i, j): (usize, usize)) -> (f64, f64) {
        let square = |of: fn(&(Vector, Vector)) -> Vector| -> f64 {
            (0..3).map(|q| (of(&state[j])[q] - of(&state[i])[q]).powi(2)).sum()
        };
        let (r, v) = (square(|body| body.0).sqrt(), square(|body| body.1).sqrt());
        let sum = self.radius[i] + self.radius[j];
        (if sum > 0.0 { r - sum } else { f64::INFINITY }, (r.powi(3) / (self.mass[i] + self.mass[j])).sqrt().min(r / v))
    }

    fn touching(&self, state: &State) -> Option<(usize, usize)> {
        self.pairs().find(|pair| self.apart(state, *pair).0 <= 0.0)
    }

    /// Goes on until two bodies touch, or until a time.
    pub(crate) fn until_contact(&mut self, end: f64) -> Option<(usize, usize)> {
        while self.time < end {
            let shortest = self.pairs().map(|pair| self.apart(&self.state, pair).1).fold(f64::INFINITY, f64::min);
            let mut h = (self.eta * shortest).min(end - self.time);
            let mut next = self.after(h);
            if let Some(pair) = self.touching(&next) {
                let mut low = 0.0;
                for _ in 0..60 {
                    let middle = 0.5 * (low + h);
                    let there = self.after(middle);
                    match self.touching(&there).is_some() {
                        true => (h, next) = (middle, there),
                        false => low = middle,
                    }
                }
                (self.state, self.time) = (next, self.time + h);
                return Some(pair);
            }
            (self.state, self.time) = (next, self.time + h);
        }
        None
    }

    /// Where two bodies become one, and how fast: their centre of mass.
    pub(crate) fn center(&self, (i, j): (usize, usize)) -> (Vector, Vector) {
        let total = self.mass[i] + self.mass[j];
        let mean = |a: Vector, b: Vector| std::array::from_fn(|q| (self.mass[i] * a[q] + self.mass[j] * b[q]) / total);
        (mean(self.state[i].0, self.state[j].0), mean(self.state[i].1, self.state[j].1))
    }
}
