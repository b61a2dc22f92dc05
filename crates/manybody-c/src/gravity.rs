//! Forces of bodies on each other by gravity, once.
#![allow(unsafe_code)] // exported functions

use crate::arrays::{self, In, Number, Out, check_apart, columns3};
use crate::border::{Failure, Outcome, call};
use crate::settings::{Chosen, mb_settings};
use crate::status::mb_status;
use crate::threads;
use manybody::solver::{self, Acting, Device, ForceTerms, Forces, Gravity, Method, Precision, Solver};
use manybody::{Bodies, Error};
use std::cell::Cell;

/// The precision of arrays of a number type.
pub(crate) trait Precise: Number {
    const PRECISION: Precision;
}

impl Precise for f64 {
    const PRECISION: Precision = Precision::F64;
}

impl Precise for f32 {
    const PRECISION: Precision = Precision::F32;
}

/// The most bodies whose memory a thread keeps for the next call: some MiB.
const KEPT: usize = 1 << 14;

thread_local! {
    /// To allocate memory and to give it back takes a twelfth of the time of 1,024 bodies.
    static WORKSPACE: Cell<Option<Box<Workspace>>> = const { Cell::new(None) };
}

/// What a call on the CPU leaves for the next one of its thread: a solver, with its buffers, and columns.
#[derive(Default)]
struct Workspace {
    by: Option<(Method, Box<dyn Solver>)>,
    bodies: Bodies,
    forces: Forces,
}

impl Workspace {
    /// The forces of its bodies, in its memory.
    fn compute(&mut self, method: Method, gravity: &Gravity, terms: ForceTerms) -> Outcome {
        if self.by.as_ref().is_none_or(|(kept, _)| *kept != method) {
            self.by = Some((method.clone(), solver::of(&method)?));
        }
        let Workspace { by: Some((_, solver)), bodies, forces } = self else { return Err(Failure::Broken) };
        solver.forces(bodies, gravity, terms, forces)?;
        Ok(forces.check_finite(None)?)
    }

    /// Is kept for the next call, where it is small and on the CPU.
    fn keep(self: Box<Self>) {
        let on_cpu = self.by.as_ref().is_some_and(|(method, _)| method.device == Device::Cpu);
        if on_cpu && self.bodies.len() <= KEPT {
            // a thread that is ending keeps nothing
            let _ = WORKSPACE.try_with(|kept| kept.set(Some(self)));
        }
    }
}

/// Bodies as a caller has them.
pub(crate) struct Given<T> {
    pub(crate) x: In<T>,
    pub(crate) v: Option<In<T>>,
    pub(crate) m: In<T>,
    pub(crate) eps: Option<In<T>>,
}

/// Results as a caller has them.
struct Asked<T> {
    a: Option<Out<T>>,
    phi: Option<Out<T>>,
    jerk: Option<Out<T>>,
}

/// Where results are to be written, null for those that are not.
struct Results<T> {
    a: *mut T,
    phi: *mut T,
    jerk: *mut T,
}

impl<T: Precise> Given<T> {
    /// The bodies, checked.
    pub(crate) fn bodies(&self) -> Outcome<Bodies> {
        let mut bodies = Bodies::default();
        self.fill(&mut bodies)?;
        Ok(bodies)
    }

    /// Puts them in place of other bodies, checked.
    fn fill(&self, bodies: &mut Bodies) -> Outcome {
        let Bodies { x, y, z, vx, vy, vz, mass, id, eps, .. } = bodies;
        arrays::fill3(&self.x, [x, y, z])?;
        let n = x.len();
        match &self.v {
            Some(v) => arrays::fill3(v, [vx, vy, vz])?,
            None => [vx, vy, vz].into_iter().try_for_each(|v| arrays::fill_zeros(n, v))?,
        }
        arrays::fill(&self.m, mass)?;
        arrays::count_to(n, id)?;
        *eps = self.eps.as_ref().map(arrays::column).transpose()?;
        check_bodies(bodies)
    }
}

/// Refuses numbers that no computation can use.
pub(crate) fn check_bodies(bodies: &Bodies) -> Outcome {
    let Bodies { x, y, z, vx, vy, vz, mass, eps, .. } = bodies;
    let columns = [x, y, z, vx, vy, vz, mass];
    let is_negative = |column: &Vec<f64>| column.iter().fold(false, |found, q| found | (*q < 0.0));
    let is_finite = columns.into_iter().chain(eps).all(|column| arrays::all_finite(column));
    if is_finite && !is_negative(mass) && !eps.as_ref().is_some_and(is_negative) {
        return Ok(());
    }
    bodies.validate().map_err(in_arguments)
}

/// The error of a body as one of an argument: of x[3][1] where the library says y of body 3.
pub(crate) fn in_arguments(error: Error) -> Failure {
    let Error::Body { index, field, value, expected, .. } = error else { return error.into() };
    let axis = |axes: [&str; 3]| axes.iter().position(|axis| *axis == field);
    let at = match (axis(["x", "y", "z"]), axis(["vx", "vy", "vz"]), field) {
        (Some(k), _, _) => format!("x[{index}][{k}]"),
        (_, Some(k), _) => format!("v[{index}][{k}]"),
        (_, _, "mass") => format!("m[{index}]"),
        _ => format!("{field}[{index}]"),
    };
    Failure::Input(format!("{at} = {value}; {expected}"))
}

/// Gravity with these numbers.
pub(crate) fn gravity(g: f64, eps: f64) -> Outcome<Gravity> {
    if !g.is_finite() {
        return Err(Failure::Input(format!("g = {g}; must be a finite number")));
    }
    if !(eps >= 0.0 && eps.is_finite()) {
        return Err(Failure::Input(format!("eps = {eps}; must be a finite softening length, 0 or more")));
    }
    Ok(Gravity::new(g, eps))
}

impl<T: Precise> Asked<T> {
    /// # Safety
    /// As [`Out::new`], for all of them.
    unsafe fn of(n: i64, results: &Results<T>) -> Outcome<Self> {
        // SAFETY: as this function's
        unsafe {
            Ok(Asked {
                a: Out::optional("a", results.a, n, 3)?,
                phi: Out::optional("phi", results.phi, n, 1)?,
                jerk: Out::optional("jerk", results.jerk, n, 3)?,
            })
        }
    }

    fn places(&self) -> [Option<arrays::Place>; 3] {
        [self.a.as_ref().map(Out::place), self.phi.as_ref().map(Out::place), self.jerk.as_ref().map(Out::place)]
    }

    fn terms(&self) -> ForceTerms {
        ForceTerms { potential: self.phi.is_some(), jerk: self.jerk.is_some() }
    }

    fn write(&mut self, forces: &Forces) {
        let Forces { ax, ay, az, pot, jx, jy, jz } = forces;
        self.a.iter_mut().for_each(|a| a.write_rows(&[ax, ay, az]));
        self.phi.iter_mut().for_each(|phi| phi.write_rows(&[pot]));
        self.jerk.iter_mut().for_each(|jerk| jerk.write_rows(&[jx, jy, jz]));
    }
}

/// Forces of bodies on each other.
///
/// # Safety
/// As [`mb_forces`].
unsafe fn forces<T: Precise>(
    settings: *const mb_settings,
    n: i64,
    [x, v, m, eps_each]: [*const T; 4],
    g: f64,
    eps: f64,
    results: Results<T>,
) -> Outcome {
    // SAFETY: as this function's
    let (chosen, given, mut asked) = unsafe {
        let given = Given {
            x: In::new("x", x, n, 3)?,
            v: In::optional("v", v, n, 3)?,
            m: In::new("m", m, n, 1)?,
            eps: In::optional("eps_each", eps_each, n, 1)?,
        };
        (Chosen::of(settings)?, given, Asked::of(n, &results)?)
    };
    let inputs =
        [Some(given.x.place()), given.v.map(|v| v.place()), Some(given.m.place()), given.eps.map(|e| e.place())];
    check_apart(&asked.places(), &inputs)?;
    let terms = asked.terms();
    if terms.jerk && given.v.is_none() {
        return Err(Failure::Argument("v: is a null pointer; the jerk needs velocities".into()));
    }
    let gravity = gravity(g, eps)?.softened(chosen.softening());
    let mut workspace = WORKSPACE.try_with(Cell::take).ok().flatten().unwrap_or_default();
    given.fill(&mut workspace.bodies)?;
    gravity.check_apart(&workspace.bodies)?;
    let method = chosen.method(T::PRECISION, &workspace.bodies)?;
    threads::on(chosen.threads(), || workspace.compute(method, &gravity, terms))?;
    if T::PRECISION == Precision::F32 {
        workspace.forces.check_single(None)?;
    }
    asked.write(&workspace.forces);
    workspace.keep();
    Ok(())
}

/// The accelerations that bodies cause at other places.
///
/// # Safety
/// As [`mb_accelerations_at`].
pub(crate) unsafe fn accelerations_at<T: Precise>(
    chosen: &Chosen,
    ni: i64,
    xi: *const T,
    nj: i64,
    [xj, mj]: [*const T; 2],
    g: f64,
    eps: f64,
    a: *mut T,
) -> Outcome {
    // SAFETY: as this function's
    let (xi, xj, mj, mut a) = unsafe {
        (In::new("xi", xi, ni, 3)?, In::new("xj", xj, nj, 3)?, In::new("mj", mj, nj, 1)?, Out::new("a", a, ni, 3)?)
    };
    check_apart(&[Some(a.place())], &[Some(xi.place()), Some(xj.place()), Some(mj.place())])?;
    let gravity = gravity(g, eps)?.softened(chosen.softening());
    let named = |name, failure| match failure {
        Failure::Input(text) => Failure::Input(format!("{name}: {text}")),
        other => other,
    };
    let [x, y, z] = columns3(&xi)?;
    let n = x.len();
    let targets = Bodies { x, y, z, ..Bodies::zeros(n) };
    check_bodies(&targets).map_err(|failure| named("bodies i", failure))?;
    let sources = Given { x: xj, v: None, m: mj, eps: None }.bodies().map_err(|failure| named("bodies j", failure))?;
    let method = chosen.method(T::PRECISION, targets.len().max(sources.len()))?;
    let found = threads::on(chosen.threads(), || {
        let terms = ForceTerms::default();
        let found = solver::forces_between(&targets, Acting::Others(&sources), &gravity, terms, &method)?;
        found.check_finite(None)?;
        Ok(found)
    })?;
    if T::PRECISION == Precision::F32 {
        found.check_single(None)?;
    }
    a.write_rows(&[&found.ax, &found.ay, &found.az]);
    Ok(())
}

/// The accelerations `a` [n][3] that `n` bodies at `x` [n][3] with masses `m` [n] cause at each other, with G = `g`
/// and the softening length `eps`, Plummer's if the settings name no other. In f64 unless the settings name another
/// precision. `settings` may be null.
///
/// # Safety
/// The arrays have these sizes; `settings` is null or a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_accelerations(
    settings: *const mb_settings,
    n: i64,
    x: *const f64,
    m: *const f64,
    g: f64,
    eps: f64,
    a: *mut f64,
) -> mb_status {
    // SAFETY: as this function's
    unsafe { accelerations(settings, n, [x, m], g, eps, a) }
}

/// mb_accelerations of arrays of float, in f32 unless the settings name another precision.
///
/// # Safety
/// As [`mb_accelerations`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_accelerations_f32(
    settings: *const mb_settings,
    n: i64,
    x: *const f32,
    m: *const f32,
    g: f64,
    eps: f64,
    a: *mut f32,
) -> mb_status {
    // SAFETY: as this function's
    unsafe { accelerations(settings, n, [x, m], g, eps, a) }
}

unsafe fn accelerations<T: Precise>(
    settings: *const mb_settings,
    n: i64,
    [x, m]: [*const T; 2],
    g: f64,
    eps: f64,
    a: *mut T,
) -> mb_status {
    let null = std::ptr::null();
    let results = Results { a, phi: std::ptr::null_mut(), jerk: std::ptr::null_mut() };
    // SAFETY: as of the exported functions
    call(|| unsafe { required("a", a, n).and_then(|()| forces(settings, n, [x, null, m, null], g, eps, results)) })
}

/// Refuses a result that is not asked for where it is the only one.
fn required<T>(name: &str, at: *mut T, n: i64) -> Outcome {
    match at.is_null() && n > 0 {
        true => Err(Failure::Argument(format!("{name}: is a null pointer; must be an array"))),
        false => Ok(()),
    }
}

/// The potentials `phi` [n] that all other bodies cause at each, negative; otherwise as mb_accelerations.
///
/// # Safety
/// As [`mb_accelerations`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_potential(
    settings: *const mb_settings,
    n: i64,
    x: *const f64,
    m: *const f64,
    g: f64,
    eps: f64,
    phi: *mut f64,
) -> mb_status {
    // SAFETY: as this function's
    unsafe { potential(settings, n, [x, m], g, eps, phi) }
}

/// mb_potential of arrays of float, in f32 unless the settings name another precision.
///
/// # Safety
/// As [`mb_accelerations`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_potential_f32(
    settings: *const mb_settings,
    n: i64,
    x: *const f32,
    m: *const f32,
    g: f64,
    eps: f64,
    phi: *mut f32,
) -> mb_status {
    // SAFETY: as this function's
    unsafe { potential(settings, n, [x, m], g, eps, phi) }
}

unsafe fn potential<T: Precise>(
    settings: *const mb_settings,
    n: i64,
    [x, m]: [*const T; 2],
    g: f64,
    eps: f64,
    phi: *mut T,
) -> mb_status {
    let null = std::ptr::null();
    let results = Results { a: std::ptr::null_mut(), phi, jerk: std::ptr::null_mut() };
    // SAFETY: as of the exported functions
    call(|| unsafe { required("phi", phi, n).and_then(|()| forces(settings, n, [x, null, m, null], g, eps, results)) })
}

/// Accelerations `a` [n][3], potentials `phi` [n] and time derivatives of accelerations `jerk` [n][3], in one
/// evaluation; null for those that are not needed. `v` [n][3] are velocities, which only the jerk needs, else null;
/// `eps_each` [n] are softening lengths of the bodies' own, used in place of `eps`, or null.
///
/// # Safety
/// As [`mb_accelerations`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_forces(
    settings: *const mb_settings,
    n: i64,
    x: *const f64,
    v: *const f64,
    m: *const f64,
    eps_each: *const f64,
    g: f64,
    eps: f64,
    a: *mut f64,
    phi: *mut f64,
    jerk: *mut f64,
) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe { forces(settings, n, [x, v, m, eps_each], g, eps, Results { a, phi, jerk }) })
}

/// mb_forces of arrays of float, in f32 unless the settings name another precision.
///
/// # Safety
/// As [`mb_accelerations`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_forces_f32(
    settings: *const mb_settings,
    n: i64,
    x: *const f32,
    v: *const f32,
    m: *const f32,
    eps_each: *const f32,
    g: f64,
    eps: f64,
    a: *mut f32,
    phi: *mut f32,
    jerk: *mut f32,
) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe { forces(settings, n, [x, v, m, eps_each], g, eps, Results { a, phi, jerk }) })
}

/// The accelerations `a` [ni][3] that `nj` bodies at `xj` [nj][3] with masses `mj` [nj] cause at the places `xi`
/// [ni][3]. A body at such a place adds nothing to it. Otherwise as mb_accelerations.
///
/// # Safety
/// As [`mb_accelerations`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_accelerations_at(
    settings: *const mb_settings,
    ni: i64,
    xi: *const f64,
    nj: i64,
    xj: *const f64,
    mj: *const f64,
    g: f64,
    eps: f64,
    a: *mut f64,
) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe { accelerations_at(&Chosen::of(settings)?, ni, xi, nj, [xj, mj], g, eps, a) })
}

/// mb_accelerations_at of arrays of float, in f32 unless the settings name another precision.
///
/// # Safety
/// As [`mb_accelerations`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_accelerations_at_f32(
    settings: *const mb_settings,
    ni: i64,
    xi: *const f32,
    nj: i64,
    xj: *const f32,
    mj: *const f32,
    g: f64,
    eps: f64,
    a: *mut f32,
) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe { accelerations_at(&Chosen::of(settings)?, ni, xi, nj, [xj, mj], g, eps, a) })
}
