//! Bodies as columns, rows and records, and as columns of laws.

use manybody_law::law::Law;
use manybody_pairwise::*;

#[test]
fn columns_rows_and_iterators_agree() {
    let column = |k: f64| vec![k, k + 0.5];
    let columns = |k: f64| [column(k), column(k + 1.0), column(k + 2.0)];
    let bodies = Bodies::from_columns(vec![1.0, 2.0], columns(3.0), columns(6.0)).unwrap();
    let second = Body { id: 1, mass: 2.0, position: [3.5, 4.5, 5.5], velocity: [6.5, 7.5, 8.5] };
    assert_eq!(bodies.iter().nth(1), Some(second));
    assert_eq!((bodies.iter().len(), bodies.iter().next_back()), (2, Some(second)));
    let mut total = 0.0;
    for body in &bodies {
        total += body.mass;
    }
    assert_eq!(total, 3.0);
    let rows = |rows: &mut dyn Iterator<Item = [f64; 3]>| rows.collect::<Vec<_>>();
    let [position, velocity] = [rows(&mut bodies.position_rows()), rows(&mut bodies.velocity_rows())];
    assert_eq!(Bodies::from_rows(vec![1.0, 2.0], &position, &velocity).unwrap(), bodies);
    let short = Bodies::from_rows(vec![1.0, 2.0], &position, &velocity[1..]).unwrap_err().to_string();
    assert!(short.contains("velocity = 1 rows: must have 2 rows"), "{short}");
    assert_eq!(bodies.iter().collect::<Bodies>(), bodies);
    #[cfg(feature = "ndarray")]
    {
        assert_eq!((bodies.positions().shape(), bodies.velocities()[[1, 2]]), (&[2, 3][..], 8.5));
        let (mass, x, v) = (ndarray::arr1(&bodies.mass), bodies.positions(), bodies.velocities());
        assert_eq!(Bodies::from_arrays(mass.view(), x.view(), v.view()).unwrap(), bodies);
        let wrong = Bodies::from_arrays(mass.view(), x.t(), v.view()).unwrap_err().to_string();
        assert!(wrong.contains("position = an array [3, 2]: must be [n, 3]"), "{wrong}");
    }
    #[cfg(feature = "glam")]
    assert_eq!(Body { id: 1, ..Body::from_vectors(2.0, second.position_vector(), second.velocity_vector()) }, second);
    #[cfg(feature = "glam")]
    assert_eq!(second.position_vector().y, 4.5);
    let short = Bodies::from_columns(vec![1.0], columns(3.0), columns(6.0)).unwrap_err().to_string();
    assert!(short.contains("x = 2 values") && short.contains("1 values"), "{short}");
}

fn bodies() -> Bodies {
    let mut bodies = Bodies::default();
    for k in 0..3 {
        bodies.push(1.0 + f64::from(k), [f64::from(k), 0.0, 0.0], [0.0, f64::from(k), 0.0]);
    }
    bodies.extra.insert("charge".into(), vec![5.0, 6.0, 7.0]);
    bodies
}

#[test]
fn members_find_their_columns() {
    let bodies = bodies();
    let law =
        Law::parse("body x[3], v[3], m, q = charge; id k = id; sum s = j.q * j.m * j.v[1] when i.k != j.k").unwrap();
    let columns = law.read(law.body(), &bodies).unwrap();
    let want: [&[f64]; 9] = [
        &bodies.x,
        &bodies.y,
        &bodies.z,
        &bodies.vx,
        &bodies.vy,
        &bodies.vz,
        &bodies.mass,
        &[5.0, 6.0, 7.0],
        &[0.0, 1.0, 2.0],
    ];
    assert!(columns.iter().zip(want).all(|(a, b)| **a == *b) && columns.len() == 9);
    let law = Law::parse("body spin; sum s = j.spin").unwrap();
    let said = law.read(law.body(), &bodies).unwrap_err().to_string();
    assert!(said.contains("column = spin") && said.contains("vz, charge"), "{said}");
    assert!(said.contains("the law reads it as spin") && said.contains("body spin = NAME"), "{said}");
    let law = Law::parse("law tops; body charg, mu[3]; sum s = j.mu[0] + j.charg").unwrap();
    let said = |k: usize| law.read(&law.body()[k..], &bodies).unwrap_err().to_string();
    assert!(said(0).contains("did you mean charge?") && said(0).contains("the law tops reads"), "{}", said(0));
    assert!(said(1).contains("reads mu[3] from mu_x, mu_y, mu_z") && said(1).contains("body mu[3] = ("), "{}", said(1));
}
