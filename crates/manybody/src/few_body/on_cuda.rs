//! Systems of few bodies on a CUDA device, one a thread, with the bits of the CPU.

use super::MAX_BODIES_ON_CUDA;
use super::double::DoubleDouble;
use super::extrapolation::TOLERANCE;
use super::regularised::{Advance, Obstacle, Regularised};
use super::side_by_side::Member;
use crate::error::Capability;
use crate::{Error, Result};
use manybody_gpu::cuda::few_body::{BODIES, FewBodyKernel, FewBodySystems, Status};

/// Advances systems of one number of bodies by a duration.
///
/// # Errors
/// [`Error::Unsupported`] for what the kernel does not have, and those of the device.
pub(super) fn advance(group: &mut [Member], duration: f64, is_stopped: &(dyn Fn(usize) -> bool + Sync)) -> Result<()> {
    let mut members: Vec<&mut Member> = group.iter_mut().filter(|member| member.ended.is_ok()).collect();
    let Some(first) = members.first() else { return Ok(()) };
    let (n, g) = (first.bodies.len(), first.system.g);
    if n < 2 {
        members.iter_mut().for_each(|member| member.fly(duration));
        return Ok(());
    }
    check(&members)?;
    let kernel = FewBodyKernel::open(0, n)?;
    let mut systems = FewBodySystems::new(n, members.len());
    for (at, member) in members.iter_mut().enumerate() {
        match member.system.begin(duration) {
            Ok(advance) => load(&mut systems, at, &member.system, &advance),
            // points do not touch
            Err(_) => unreachable!("a system of points meets nothing where it begins"),
        }
    }
    let mut left = members.len();
    let mut goes_on = true;
    kernel.advance(&mut systems, g, duration, TOLERANCE, &mut |active| {
        goes_on = !is_stopped(left - active);
        left = active;
        goes_on
    })?;
    for (at, member) in members.into_iter().enumerate() {
        store(&mut systems, at, &mut member.system);
        let made = match systems.status(at) {
            Status::Done => Ok(()),
            Status::Active => Err(Obstacle::Stopped),
            Status::Collision => Err(member.system.collision()),
        };
        member.finish(duration, made);
    }
    Ok(())
}

fn check(members: &[&mut Member]) -> Result<()> {
    let unsupported =
        |expected: String| Err(Error::Unsupported { capability: Capability::Device, value: "cuda".into(), expected });
    let n = members[0].bodies.len();
    const { assert!(*BODIES.end() == MAX_BODIES_ON_CUDA) };
    if n > MAX_BODIES_ON_CUDA {
        return unsupported(format!(
            "systems of {n} bodies: has those of up to {MAX_BODIES_ON_CUDA}; the CPU has more"
        ));
    }
    if members.iter().any(|member| member.system.touching.iter().any(|sum| *sum > 0.0)) {
        return unsupported("systems whose bodies touch: are advanced by the CPU".into());
    }
    Ok(())
}

/// A system as the kernel has it, at the beginning of an advance.
fn load(systems: &mut FewBodySystems, at: usize, system: &Regularised, advance: &Advance) {
    let fields = systems.fields();
    for k in 0..system.mass.len() {
        *systems.number(fields.mass(k), at) = system.mass[k];
        *systems.number(fields.half_eps2(k), at) = system.half_eps2[k];
        *systems.integer(fields.chain(k), at) = system.chain[k] as i32;
    }
    for (l, link) in system.state.links.iter().enumerate() {
        for (q, number) in link.iter().enumerate() {
            *systems.number(fields.link(l, q), at) = number.hi;
            *systems.number(fields.link(l, q) + 1, at) = number.lo;
        }
    }
    *systems.number(fields.binding(), at) = system.state.binding.hi;
    *systems.number(fields.natural(), at) = advance.natural();
}

/// A system as the kernel leaves it.
fn store(systems: &mut FewBodySystems, at: usize, system: &mut Regularised) {
    let fields = systems.fields();
    for place in 0..system.mass.len() {
        system.chain[place] = *systems.integer(fields.chain(place), at) as usize;
    }
    let mut both = |field: usize| DoubleDouble { hi: *systems.number(field, at), lo: *systems.number(field + 1, at) };
    for (l, link) in system.state.links.iter_mut().enumerate() {
        *link = std::array::from_fn(|q| both(fields.link(l, q)));
    }
    system.state.time = both(fields.time());
    system.step = Some(*systems.number(fields.natural(), at));
    system.motion.evaluations += u64::from(*systems.integer(fields.evaluations(), at) as u32);
}
