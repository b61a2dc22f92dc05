//! `law!`: a law with its records in one place, and `#[inline(always)]` where the kernels need it.

/// Declares a law: a type, what it reads of a body, what is the same for all pairs (may be left out), what a body gets, and
/// what body j does to body i. The macro writes the records and `#[inline(always)]`, without which a kernel is some twenty
/// times slower. `R` is the number type of [`Real`](crate::law::Real).
///
/// ```
/// # use manybody_law as manybody;
/// use manybody::{law, law::{Law, PairLaw, Real, PairInputs, Sum, add3, dot3, oracle, sub3}};
/// law! {
///     /// Newton's law with Plummer softening.
///     pub struct Newton;
///     body { x: [R; 3], m: R }
///     par { eps2: R }
///     out { a: [Sum<R>; 3] }
///     fn pair(i, j, par, out) {
///         let d = sub3(j.x, i.x);
///         add3(&mut out.a, j.m * dot3(d, d, par.eps2).rsqrt3(), d);
///     }
/// }
/// let (x, zero, m) = ([0.0, 2.0], [0.0, 0.0], [1.0, 4.0]);
/// let found = oracle::<Newton>(&PairInputs::one(&[&x, &zero, &zero, &m], &[0.0]))?;
/// assert_eq!(found[0], [1.0, -0.25]);
/// assert_eq!(Law::of::<Newton>()?.result_columns(), ["ax", "ay", "az"]);
/// # Ok::<(), manybody_law::Error>(())
/// ```
///
/// Constants of [`PairLaw`](crate::law::PairLaw) may stand before `fn`, as in `const TRANSCENDENTAL: bool = true;`. A law
/// whose bodies act on themselves, or with a body of another kind on the other side, implements the trait itself.
#[macro_export]
macro_rules! declare_law {
    (
        $(#[$doc:meta])* $vis:vis struct $name:ident;
        body { $($body:tt)* }
        par { $($par:tt)+ }
        out { $($out:tt)* }
        $(const $constant:ident: bool = $value:expr;)*
        fn pair($i:ident, $j:ident, $p:ident, $o:ident) $pair:block
    ) => {
        $(#[$doc])*
        $vis struct $name;
        const _: () = {
            $crate::record! { #[doc(hidden)] pub struct Body<R> { $($body)* } }
            $crate::record! { #[doc(hidden)] pub struct Par<R> { $($par)+ } }
            $crate::record! { #[doc(hidden)] pub struct Out<R> { $($out)* } }
            impl $crate::law::PairLaw for $name {
                type Body<R: $crate::law::Real> = Body<R>;
                type Par<R: $crate::law::Real> = Par<R>;
                type Out<R: $crate::law::Real> = Out<R>;
                $(const $constant: bool = $value;)*
                #[inline(always)]
                fn pair<R: $crate::law::Real>($i: &Body<R>, $j: &Body<R>, $p: &Par<R>, $o: &mut Out<R>) $pair
            }
        };
    };
    (
        $(#[$doc:meta])* $vis:vis struct $name:ident;
        body { $($body:tt)* }
        out { $($out:tt)* }
        $(const $constant:ident: bool = $value:expr;)*
        fn pair($i:ident, $j:ident, $o:ident) $pair:block
    ) => {
        $(#[$doc])*
        $vis struct $name;
        const _: () = {
            $crate::record! { #[doc(hidden)] pub struct Body<R> { $($body)* } }
            $crate::record! { #[doc(hidden)] pub struct Out<R> { $($out)* } }
            impl $crate::law::PairLaw for $name {
                type Body<R: $crate::law::Real> = Body<R>;
                type Par<R: $crate::law::Real> = $crate::law::Nothing;
                type Out<R: $crate::law::Real> = Out<R>;
                $(const $constant: bool = $value;)*
                #[inline(always)]
                fn pair<R: $crate::law::Real>(
                    $i: &Body<R>,
                    $j: &Body<R>,
                    _: &$crate::law::Nothing,
                    $o: &mut Out<R>,
                ) $pair
            }
        };
    };
}
