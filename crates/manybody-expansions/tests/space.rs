//! Power series in three numbers.

use manybody_expansions::index::{exponents, place};
use manybody_expansions::{Products, Space, factorial};
use manybody_law::law::Shape;

#[test]
fn products_of_monomials_are_all_that_there_are() {
    let all: Vec<[usize; 3]> = exponents(5).collect();
    let products = Products::new(5);
    let space = Space(&products);
    for (n, of) in all.iter().enumerate() {
        assert_eq!(space.degree(n), of.iter().sum::<usize>());
        let mut exact: Vec<(usize, usize)> = Vec::new();
        for (k, a) in all.iter().enumerate() {
            let m = all.iter().position(|b| (0..3).all(|axis| a[axis] + b[axis] == of[axis]));
            exact.extend(m.map(|m| (k, m)));
        }
        for (degrees, least, most) in [(0..usize::MAX, 0, 9), (0..2, 0, 1), (1..3, 1, 2), (2..2, 9, 0), (7..9, 7, 8)] {
            let mut found = Vec::new();
            space.products(n, degrees, |k, m| found.push((k, m)));
            let of_degrees = exact.iter().filter(|(k, _)| (least..=most).contains(&space.degree(*k)));
            assert!(found.iter().eq(of_degrees), "{n} {least} {most}: {found:?}");
        }
    }
    assert_eq!(factorial(place(5, 3, 1)), 4.0); // x^2 y^2 z
}
