//! The texts of the kernels: what they share, operators of an order, and sums over the threads of a workgroup, written out.

use crate::emit::Dialect;
use crate::expansions::{Coupling, Language, Motion, Operators, Part, Purpose};
use manybody_pairwise::Softening;
use manybody_tree::{CLASSES, DIGITS_OF_CLASS, LawText};
use std::fmt::Write as _;
use std::sync::Arc;

const TYPES: &str = include_str!("../../kernels/expansions/types.wgsl");
const JUDGE: &str = include_str!("../../kernels/expansions/judge.wgsl");
const ORDER: &str = include_str!("../../kernels/expansions/order.wgsl");
const MOMENTS: &str = include_str!("../../kernels/expansions/moments.wgsl");
const RATES: &str = include_str!("../../kernels/expansions/rates.wgsl");
const JERKS: &str = include_str!("../../kernels/expansions/jerks.wgsl");
const FINISH_JERKS: &str = include_str!("../../kernels/expansions/finish_jerks.wgsl");
const CELLS: &str = include_str!("../../kernels/expansions/cells.wgsl");
const LISTS: &str = include_str!("../../kernels/expansions/lists.wgsl");
const FAR: &str = include_str!("../../kernels/expansions/far.wgsl");
const SOFT: &str = include_str!("../../kernels/expansions/soft.wgsl");
const DIFFERENCES: &str = include_str!("../../kernels/expansions/differences.wgsl");
const DOWN: &str = include_str!("../../kernels/expansions/down.wgsl");
const NEAR: &str = include_str!("../../kernels/expansions/near.wgsl");
const SINGLE: &str = include_str!("../../kernels/expansions/single.wgsl");
const FINISH: &str = include_str!("../../kernels/expansions/finish.wgsl");
const ESTIMATE: &str = include_str!("../../kernels/expansions/estimate.wgsl");
const LAW: &str = include_str!("../../kernels/expansions/law.wgsl");
const DYAD: &str = include_str!("../../kernels/expansions/dyad.wgsl");
const CLEAR: &str = include_str!("../../kernels/expansions/clear.wgsl");

/// A kernel, as WGSL names its entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Entry {
    Clear,
    CurveKeys,
    TakeKeys,
    TakeClasses,
    CountDigits,
    SumCounts,
    SortPass,
    FindClashes,
    MakeLeaves,
    MakeCells,
    RatesOfLeaves,
    RatesOfCells,
    MakeLists,
    FarCells,
    MomentsOfDyad,
    SoftCells,
    SoftDifferences,
    HandDown,
    NearBodies,
    OneByOne,
    Finish,
    Estimate,
    MeanSquare,
    LeastOfLeaves,
    LeastFromAbove,
    LeastOfCells,
    SampleSums,
    AllowedInLeaves,
    WeighCells,
    ClearLocals,
}

impl Entry {
    pub(super) fn name(self) -> &'static str {
        match self {
            Entry::Clear => "clear",
            Entry::CurveKeys => "curve_keys",
            Entry::TakeKeys => "take_keys",
            Entry::TakeClasses => "take_classes",
            Entry::CountDigits => "count_digits",
            Entry::SumCounts => "sum_counts",
            Entry::SortPass => "sort_pass",
            Entry::FindClashes => "find_clashes",
            Entry::MakeLeaves => "make_leaves",
            Entry::MakeCells => "make_cells",
            Entry::RatesOfLeaves => "rates_of_leaves",
            Entry::RatesOfCells => "rates_of_cells",
            Entry::MakeLists => "make_lists",
            Entry::FarCells => "far_cells",
            Entry::MomentsOfDyad => "moments_of_dyad",
            Entry::SoftCells => "soft_cells",
            Entry::SoftDifferences => "soft_differences",
            Entry::HandDown => "hand_down",
            Entry::NearBodies => "near_bodies",
            Entry::OneByOne => "one_by_one",
            Entry::Finish => "finish",
            Entry::Estimate => "estimate",
            Entry::MeanSquare => "mean_square",
            Entry::LeastOfLeaves => "least_of_leaves",
            Entry::LeastFromAbove => "least_from_above",
            Entry::LeastOfCells => "least_of_cells",
            Entry::SampleSums => "sample_sums",
            Entry::AllowedInLeaves => "allowed_in_leaves",
            Entry::WeighCells => "weigh_cells",
            Entry::ClearLocals => "clear_locals",
        }
    }
}

/// All that decides the text of a kernel beside which it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) operators: Operators,
    pub(super) purpose: Purpose,
    /// Numbers of the stack of a workgroup.
    pub(super) stack: usize,
    /// Whether bodies have softenings of their own.
    pub(super) own_softenings: bool,
    /// What a softening length is.
    pub(super) softening: Softening,
    /// A law that is computed instead of gravity.
    pub(super) law: Option<Arc<LawText>>,
    /// Its coupling, of kernels that are for one.
    pub(super) coupling: Option<usize>,
}

impl Variant {
    /// With what a kernel does not depend on as it is for others.
    pub(super) fn needed_by(self, entry: Entry) -> Self {
        let any = Operators { order: 1, dipoles: false, potential: false, of_law: false, motion: Motion::Rest };
        let Operators { order, potential, motion, .. } = self.operators;
        match entry {
            Entry::Clear
            | Entry::CurveKeys
            | Entry::TakeKeys
            | Entry::TakeClasses
            | Entry::CountDigits
            | Entry::SumCounts
            | Entry::SortPass
            | Entry::FindClashes => {
                let softening = Softening::Plummer;
                Variant {
                    operators: any,
                    purpose: Purpose::Forces,
                    stack: 0,
                    own_softenings: false,
                    softening,
                    law: None,
                    coupling: None,
                }
            }
            // all others may have its functions
            Entry::SoftCells | Entry::MomentsOfDyad if self.law.is_some() => self,
            _ if self.law.is_some() => Variant { coupling: None, ..self },
            Entry::MakeLists => Variant { operators: Operators { order, ..any }, ..self },
            Entry::OneByOne => Variant { purpose: Purpose::Forces, ..self },
            Entry::RatesOfLeaves | Entry::RatesOfCells => Variant { stack: 0, ..self },
            Entry::MakeLeaves | Entry::MakeCells => {
                let operators = Operators { potential: false, ..self.operators };
                Variant { operators, purpose: Purpose::Forces, stack: 0, ..self }
            }
            Entry::NearBodies => {
                let operators = Operators { potential, motion, ..any };
                Variant { operators, purpose: Purpose::Forces, stack: 0, ..self }
            }
            Entry::FarCells | Entry::SoftCells | Entry::SoftDifferences | Entry::MomentsOfDyad => {
                Variant { purpose: Purpose::Forces, stack: 0, ..self }
            }
            // second expansions are handed down where they are there
            Entry::HandDown if self.own_softenings => {
                let operators = Operators { dipoles: false, ..self.operators };
                Variant { operators, stack: 0, ..self }
            }
            Entry::HandDown | Entry::Finish | Entry::Estimate => {
                let operators = Operators { dipoles: false, ..self.operators };
                Variant { operators, purpose: Purpose::Forces, stack: 0, ..self }
            }
            Entry::MeanSquare
            | Entry::LeastOfLeaves
            | Entry::LeastFromAbove
            | Entry::LeastOfCells
            | Entry::SampleSums
            | Entry::AllowedInLeaves
            | Entry::WeighCells
            | Entry::ClearLocals => Variant { operators: any, purpose: Purpose::Forces, stack: 0, ..self },
        }
    }
}

/// The text of a kernel.
pub(super) fn source(entry: Entry, variant: Variant) -> String {
    let Variant { operators, purpose, stack, own_softenings, softening, law, coupling } = variant;
    let law = law.as_deref();
    let couplings = law.filter(|_| coupling.is_some()).map(Coupling::of).unwrap_or_default();
    let coupling = coupling.map(|k| &couplings[k]);
    let is_dyad = coupling.is_some_and(Coupling::is_dyad);
    let [has_jerks, is_of_rates] = [Motion::Jerks, Motion::Rates].map(|motion| operators.motion == motion);
    let quads = law.map_or(1, |law| law.expansions) + usize::from(has_jerks);
    let numbers = 4 * quads;
    let [moments, spherical, locals, harmonics] =
        [operators.moments(), operators.spherical(), operators.locals(), operators.harmonics()];
    let (parts, files, sums): (&[Part], &[&str], String) = match entry {
        Entry::MakeLeaves | Entry::MakeCells | Entry::RatesOfLeaves | Entry::RatesOfCells => {
            let sums = [
                shared(moments.max(8), 4 * moments),
                gather("moments", moments),
                gather_of_eight("moments", moments),
                take("moments", moments),
                clear("moments", moments),
                store("moments", moments),
                if law.is_some() { String::new() } else { store("spherical", spherical) },
                set_and_add(moments),
            ];
            let files: &[&str] = if is_of_rates { &[MOMENTS, RATES] } else { &[MOMENTS, CELLS] };
            (&[Part::Moments], files, sums.concat())
        }
        Entry::MakeLists => (&[], &[JUDGE, LISTS], String::new()),
        Entry::FarCells => {
            let sums = [
                shared(harmonics, harmonics),
                gather("harmonics", harmonics),
                take("harmonics", harmonics),
                store("locals", locals),
            ];
            (&[Part::OntoFar(false)], &[FAR], sums.concat())
        }
        Entry::SoftCells => {
            let sums = [
                shared(locals, locals),
                gather("locals", locals),
                SUMMED.replace("$NUMBERS", &locals.to_string()),
                ADD.replace("$NUMBERS", &locals.to_string()),
            ];
            let parts: &[Part] = if own_softenings { &[Part::Onto, Part::Differences] } else { &[Part::Onto] };
            (parts, &[SOFT], sums.concat())
        }
        Entry::MomentsOfDyad => (&[Part::Onto], &[DYAD], store("along", operators.along())),
        Entry::SoftDifferences => {
            let sums =
                [shared(locals, locals), gather("locals", locals), SUMMED.replace("$NUMBERS", &locals.to_string())];
            (&[Part::Differences], &[DIFFERENCES], sums.concat())
        }
        Entry::HandDown => (&[Part::ToChild], &[DOWN], String::new()),
        Entry::NearBodies => (&[], &[NEAR], String::new()),
        Entry::OneByOne => {
            let parts: &[Part] = if own_softenings { &[Part::AtPlace, Part::Differences] } else { &[Part::AtPlace] };
            (parts, &[JUDGE, SINGLE], shared(numbers, numbers) + &gather("sum", numbers))
        }
        Entry::Finish if has_jerks => (&[Part::AtBody], &[FINISH_JERKS], String::new()),
        Entry::Finish => (&[Part::AtBody], &[FINISH], String::new()),
        Entry::Clear => (&[], &[CLEAR], String::new()),
        Entry::CurveKeys
        | Entry::TakeKeys
        | Entry::TakeClasses
        | Entry::CountDigits
        | Entry::SumCounts
        | Entry::SortPass
        | Entry::FindClashes => (&[], &[ORDER], String::new()),
        Entry::SampleSums | Entry::AllowedInLeaves | Entry::WeighCells | Entry::ClearLocals => {
            // (functions of the file that are not those of the entry are there, too)
            (&[Part::Weights], &[LAW], shared(numbers, numbers) + &gather("sum", numbers))
        }
        Entry::Estimate | Entry::MeanSquare | Entry::LeastOfLeaves | Entry::LeastFromAbove | Entry::LeastOfCells => {
            (&[Part::AtBody], &[FINISH, ESTIMATE], String::new())
        }
    };
    let with_bodies = u8::from(purpose == Purpose::Forces).to_string();
    let moving = if has_jerks { JERKS } else { AT_REST };
    let operators_text = operators.text(Language::Wgsl, parts, law.map(|law| (law, coupling)));
    let text = operators_text + TYPES + moving + &sums + &files.concat();
    let text = Dialect::Wgsl.missing_functions(&text) + &text;
    let at_place = |name: &str, factor: &str, there: &str| {
        let record = format!("record(source){there}");
        match has_jerks {
            false => format!("{name}(d.x, d.y, d.z, soft2, {factor}{record}, &to);"),
            true => format!("{name}(d.x, d.y, d.z, soft2, {factor}{VELOCITY}, {record}, {record} + tree.rates, &to);"),
        }
    };
    let differences = match entry {
        Entry::SoftCells if own_softenings => FROM_DIFFERENCES.to_owned(),
        Entry::OneByOne if own_softenings => {
            let factor = "tree.half_difference * per_unit * per_unit, ";
            let call = at_place("at_place_1", factor, " + tree.second_moments");
            format!(
                "                    if (how == DIFFERENT) {{\n                        {call}\n                    }}\n"
            )
        }
        _ => String::new(),
    };
    let far = at_place("at_place_far", "", " + tree.spherical");
    let far = format!("if (how == HARMONIC) {{\n                    {far}\n                }} else ");
    let act = match (law.is_some(), has_jerks) {
        (true, _) => ACT_OF_LAW,
        (false, false) => ACT_OF_GRAVITY,
        (false, true) => ACT_OF_JERKS,
    };
    let of_body = match coupling {
        None => OF_MASS,
        Some(Coupling::Product(_)) => OF_CHARGE,
        Some(Coupling::Dyad(_)) => OF_CHARGES,
    };
    text.replace("$STACK", &stack.to_string())
        .replace("$WITH_BODIES", &with_bodies)
        .replace("$OWN", if own_softenings { "1" } else { "0" })
        .replace("$SPLINE", if softening == Softening::Spline { "1" } else { "0" })
        .replace("$DIFFERENCES", &differences)
        .replace("$ONTO", if coupling.is_some() { "ONTO" } else { "LOCALS" })
        .replace("$OF_BODY", of_body)
        .replace("$GIVEN", if is_dyad { "tree.spherical" } else { OF_MOMENTS_AT })
        .replace("$ADD", &added(coupling))
        .replace("$JERKS", if has_jerks { "1" } else { "0" })
        .replace("$RECORD", if is_of_rates { " + tree.rates" } else { "" })
        .replace("$ACTS", if is_of_rates || is_dyad { "&m" } else { "m" })
        .replace("$LAW", if law.is_some() { "1" } else { "0" })
        .replace("$SELF", if law.is_some_and(|law| law.is_self_included) { "1" } else { "0" })
        .replace("$BODY_ACTS", if is_of_rates { MOVING_BODY } else { BODY_AT_REST })
        .replace("$ACT", act)
        .replace("$SUMS", &sums_of(quads))
        .replace("$AT_PLACE_FAR", if law.is_some() { "" } else { &far })
        .replace("$AT_PLACE", &at_place("at_place", "", ""))
        .replace("$POWER_OF_MOMENTS", if law.is_some() { POWER_OF_LAW } else { POWER_OF_MOMENTS })
        .replace("$WRITE_SPHERICAL", if law.is_some() { NOTHING_SPHERICAL } else { WRITE_SPHERICAL })
        .replace("$CLASSES", &CLASSES.to_string())
        .replace("$DIGITS_OF_CLASS", &DIGITS_OF_CLASS.to_string())
}

/// Memory of a workgroup: numbers of its threads, so many at a time of each, and sums.
fn shared(numbers: usize, sums: usize) -> String {
    let parts = 33 * numbers.min(32);
    format!("var<workgroup> part: array<f32, {parts}>;\nvar<workgroup> total: array<f32, {sums}>;\n")
}

/// Statements for each of the numbers.
fn each(numbers: std::ops::Range<usize>, statement: impl Fn(usize) -> String) -> String {
    numbers.fold(String::new(), |mut text, k| {
        let _ = writeln!(text, "    {}", statement(k));
        text
    })
}

/// Sums over the 32 threads of a workgroup.
fn gather(name: &str, numbers: usize) -> String {
    let add = |first: usize, many: usize| {
        format!(
            "    if (t < {many}u) {{\n        var sum = 0.0f;\n        for (var j = 0u; j < 32u; j++) {{\n            \
             sum += part[t * 33u + j];\n        }}\n        total[{first}u + t] = sum;\n    }}\n"
        )
    };
    in_parts(&format!("gather_{name}"), numbers, add)
}

/// Sums over each eight threads: those of the second eight come after all of the first.
fn gather_of_eight(name: &str, numbers: usize) -> String {
    let add = |first: usize, many: usize| {
        format!(
            "    for (var i = t % 8u; i < {many}u; i += 8u) {{\n        var sum = 0.0f;\n        \
             for (var j = 0u; j < 8u; j++) {{\n            sum += part[i * 33u + t / 8u * 8u + j];\n        }}\n        \
             total[t / 8u * {numbers}u + {first}u + i] = sum;\n    }}\n"
        )
    };
    in_parts(&format!("gather_{name}_of_eight"), numbers, add)
}

/// A function that puts 32 numbers at a time where all threads see them, and adds.
fn in_parts(name: &str, numbers: usize, add: impl Fn(usize, usize) -> String) -> String {
    let mut text = format!("fn {name}(t: u32, v: ptr<function, array<f32, {numbers}>>) {{\n");
    for first in (0..numbers).step_by(32) {
        let many = (numbers - first).min(32);
        text += &each(0..many, |k| format!("part[{}u + t] = (*v)[{}];", 33 * k, first + k));
        text += &format!("    workgroupBarrier();\n{}    workgroupBarrier();\n", add(first, many));
    }
    text + "}\n"
}

/// Takes the sums.
fn take(name: &str, numbers: usize) -> String {
    let body = each(0..numbers, |k| format!("(*v)[{k}] = total[first + {k}u];"));
    format!("fn take_{name}(first: u32, v: ptr<function, array<f32, {numbers}>>) {{\n{body}}}\n")
}

/// Clears the numbers of a thread that has no part in a sum.
fn clear(name: &str, numbers: usize) -> String {
    let body = each(0..numbers, |k| format!("(*v)[{k}] = select(0.0f, (*v)[{k}], keep);"));
    format!("fn clear_{name}(keep: bool, v: ptr<function, array<f32, {numbers}>>) {{\n{body}}}\n")
}

/// Writes a record, of which each thread writes every `threads`-th four numbers: some devices store a vector whole where one of its
/// numbers is written.
fn store(name: &str, numbers: usize) -> String {
    let body = each(0..numbers.div_ceil(4), |quad| {
        let number = |k: usize| if k < numbers { format!("(*v)[{k}]") } else { "0.0f".into() };
        let four = [0, 1, 2, 3].map(|k| number(4 * quad + k)).join(", ");
        format!("if ({quad}u % threads == t) {{ numbers[at + {quad}u] = vec4({four}); }}")
    });
    format!("fn store_{name}(t: u32, threads: u32, at: u32, v: ptr<function, array<f32, {numbers}>>) {{\n{body}}}\n")
}

/// What the differences of the bodies' own softenings add to an expansion, and to a field.
const FROM_DIFFERENCES: &str = "\
                    if (list == UNLIKE) {
                        from_cell_1(d.x, d.y, d.z, soft2, tree.half_difference * per_unit * per_unit, unit_at(source) * per_unit,
                                    record(source) + tree.second_moments, &L);
                    }
";

/// The velocity of a body in units of a cell.
const VELOCITY: &str = "velocity.x * per_unit, velocity.y * per_unit, velocity.z * per_unit";

/// What a body acts with on an expansion: its mass, or of rates its moment of degree 1.
const BODY_AT_REST: &str = "\
fn acts(slot: u32, m: f32, per_unit: f32) -> f32 {
    return m;
}
";
const AT_REST: &str = "fn moves(slot: u32) {}\n";
const MOVING_BODY: &str = "\
fn acts(slot: u32, m: f32, per_unit: f32) -> array<f32, 3> {
    let moment = slots[tree.moving + 3u * slot].xyz * (-m * per_unit);
    return array<f32, 3>(moment.x, moment.y, moment.z);
}
";

/// What a body does by gravity, with jerks, and by a law.
const ACT_OF_JERKS: &str = "return act_moving(d, vec3(charges[0], charges[1], charges[2]) - velocity, m, soft2, a);";
const ACT_OF_GRAVITY: &str = "return Sums(act_softened(d, m, soft2, a.e0));";
const ACT_OF_LAW: &str = "\
var own = charges;
    var to = as_array(a);
    pair_of(d.x, d.y, d.z, soft2, m, &own, &to);
    return sums_of_array(&to);";

/// Where a cell's record has its moments, of a law those of a charge.
const OF_MOMENTS_AT: &str = "(tree.call.w % 256u) * tree.second_moments";

/// What acts on an expansion: a mass, a charge, or all charges.
const OF_MASS: &str = "var m = acts(~source, b.w, per_unit);";
const OF_CHARGE: &str = "let m = charges_of_slot(~source)[tree.call.w % 256u];";
const OF_CHARGES: &str = "var m = charges_of_slot(~source);";

/// Adds what all threads have found to an expansion, or of a dyad to those along its axes.
fn added(coupling: Option<&Coupling>) -> String {
    let add = |name: &str, expansion: &str| {
        format!(
            "    gather_locals(t, {name});\n    \
             add_locals(t, record(g) + tree.locals + ({expansion}) * tree.second_locals);\n"
        )
    };
    match coupling.map(Coupling::expansions_along) {
        Some(along) if !along.is_empty() => along.iter().enumerate().fold(String::new(), |text, (k, expansion)| {
            text + &format!("    var of_axis_{k}: array<f32, LOCALS>;\n    along_{k}(&L, &of_axis_{k});\n")
                + &add(&format!("&of_axis_{k}"), &format!("{expansion}u"))
        }),
        _ => add("&L", "tree.call.w / 256u"),
    }
}

/// What is summed at a body, of so many expansions, and what is done with it, written out for each.
fn sums_of(expansions: usize) -> String {
    let list = |of: &dyn Fn(usize) -> String| (0..expansions).map(of).collect::<Vec<_>>().join(", ");
    let (numbers, array) = (4 * expansions, format!("ptr<function, array<f32, {}>>", 4 * expansions));
    let four = |e: usize, of: &dyn Fn(usize) -> String| {
        format!("vec4({}, {}, {}, {})", of(4 * e), of(4 * e + 1), of(4 * e + 2), of(4 * e + 3))
    };
    let members = list(&|e| format!("e{e}: vec4<f32>"));
    let zeros = list(&|_| "vec4(0.0f)".into());
    let array_of = list(&|e| format!("a.e{e}.x, a.e{e}.y, a.e{e}.z, a.e{e}.w"));
    let sums = list(&|e| four(e, &|k| format!("(*v)[{k}]")));
    let added = list(&|e| {
        four(e, &|k| {
            let (factor, of) = (if k % 4 == 3 { "value" } else { "slope" }, ["x", "y", "z", "w"][k % 4]);
            format!("fma((*v)[{k}], {factor}, a.e{e}.{of})")
        })
    });
    let both = list(&|e| format!("a.e{e} + b.e{e}"));
    let parts = (1..expansions)
        .fold(String::new(), |text, e| text + &format!("    if (e == {e}u) {{\n        return a.e{e};\n    }}\n"));
    format!(
        "struct Sums {{ {members} }}\nfn no_sums() -> Sums {{\n    return Sums({zeros});\n}}\n\
         fn as_array(a: Sums) -> array<f32, {numbers}> {{\n    return array<f32, {numbers}>({array_of});\n}}\n\
         fn sums_of_array(v: {array}) -> Sums {{\n    return Sums({sums});\n}}\n\
         fn add_scaled(v: {array}, slope: f32, value: f32, a: Sums) -> Sums {{\n    return Sums({added});\n}}\n\
         fn plus(a: Sums, b: Sums) -> Sums {{\n    return Sums({both});\n}}\n\
         fn part_of(a: Sums, e: u32) -> vec4<f32> {{\n{parts}    return a.e0;\n}}\n"
    )
}

/// The effective radius of moments, and their folding; a law has neither: its effective radii are found from the bodies.
const POWER_OF_MOMENTS: &str = "\
fn power_of(M: ptr<function, array<f32, MOMENTS>>, mass: f32, unit: f32, rms: f32) -> f32 {
    if (ORDER <= 2u) {
        return OUTER * rms;
    }
    if (mass > 0.0f) {
        return unit * effective(M, mass);
    }
    return 0.0f;
}
";
const WRITE_SPHERICAL: &str = "\
fn write_spherical(t: u32, threads: u32, g: u32, M: ptr<function, array<f32, MOMENTS>>) {
    var spherical: array<f32, SPHERICAL>;
    to_spherical(M, &spherical);
    store_spherical(t, threads, record(g) + tree.spherical, &spherical);
}
";
const POWER_OF_LAW: &str = "\
fn power_of(M: ptr<function, array<f32, MOMENTS>>, mass: f32, unit: f32, rms: f32) -> f32 {
    return 0.0f;
}
";
const NOTHING_SPHERICAL: &str = "\
fn write_spherical(t: u32, threads: u32, g: u32, M: ptr<function, array<f32, MOMENTS>>) {}
";

/// Moments that are 0, and moments times a factor that are added to others.
fn set_and_add(numbers: usize) -> String {
    let none = each(0..numbers, |k| format!("(*v)[{k}] = 0.0f;"));
    let sum = each(0..numbers, |k| format!("(*to)[{k}] = fma(factor, (*v)[{k}], (*to)[{k}]);"));
    let array = format!("ptr<function, array<f32, {numbers}>>");
    format!(
        "fn set_moments(v: {array}) {{\n{none}}}\nfn add_moments(factor: f32, v: {array}, to: {array}) {{\n{sum}}}\n"
    )
}

/// The sums, and zeros behind them.
const SUMMED: &str = "\
fn summed(k: u32) -> f32 {
    return select(0.0f, total[min(k, $NUMBERSu - 1u)], k < $NUMBERSu);
}
";

/// Adds the sums to a record.
const ADD: &str = "\
fn add_locals(t: u32, at: u32) {
    for (var quad = t; 4u * quad < $NUMBERSu; quad += 32u) {
        let k = 4u * quad;
        numbers[at + quad] += vec4(summed(k), summed(k + 1u), summed(k + 2u), summed(k + 3u));
    }
}
";
