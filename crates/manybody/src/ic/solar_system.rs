//! `solar-system`: Sun, eight planets, Pluto and Moon at J2000 from JPL's ephemeris DE421 [Folkner 2009].
//!
//! State vectors and GM were read from the PyPI package de421 2008.1 with jplephem 2.24, at JD 2451545.0 TDB: places
//! in km from the barycentre of the solar system on the axes of the ICRF, divided by the au of 149597870.7 km; Earth
//! and Moon from the Earth-Moon barycentre, the geocentric Moon and EMRAT = 81.3005690699153. Mars and beyond are the
//! barycentres of planet and moons. docs/solar-system.md compares ten years of it with the ephemeris. The barycentre of
//! these bodies is 1.5e-9 au off the origin and drifts by 7e-12 au / day: the asteroids that are left out balance it.

use super::Timescales;
use crate::units::AU;
use crate::{Bodies, Snapshot, Units};

/// The epoch of the state vectors.
pub const EPOCH: &str = "JD 2451545.0 TDB";

/// The bodies, in order.
pub const NAMES: [&str; 11] =
    ["Sun", "Mercury", "Venus", "Earth", "Moon", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune", "Pluto"];

/// A year; the Moon goes round in 218 steps.
pub(super) const TIMESCALES: Timescales = Timescales { dt: 0.125, duration: 365.25 };

/// DE421's own astronomical unit, m: its GM are in au^3 / day^2 of this one.
const AU_DE421: f64 = 149_597_870_699.626_2;

struct Body {
    /// The number under which NAIF's toolkits know it.
    naif: u64,
    /// DE421's constants GMS, GM1 to GM9; Earth and Moon share GMB by EMRAT. au^3 / day^2.
    gm: f64,
    /// au.
    position: [f64; 3],
    /// au / day.
    velocity: [f64; 3],
}

const BODIES: [Body; 11] = [
    // Sun
    Body {
        naif: 10,
        gm: 0.000_295_912_208_285_591_1,
        position: [-0.007_136_456_395_226_511, -0.002_647_021_852_895_57, -0.000_922_947_871_016_334_3],
        velocity: [5.378_458_816_455_604e-6, -6.758_186_170_670_27e-6, -3.032_849_308_675_238e-6],
    },
    // Mercury
    Body {
        naif: 1,
        gm: 4.912_549_571_867_94e-11,
        position: [-0.137_230_062_444_977_43, -0.403_240_735_965_840_15, -0.201_412_263_518_977_12],
        velocity: [0.021_371_774_104_450_268, -0.004_933_057_556_162_724, -0.004_850_466_471_296_497],
    },
    // Venus
    Body {
        naif: 2,
        gm: 7.243_452_332_698_441e-10,
        position: [-0.725_438_752_808_740_8, -0.048_921_267_912_929_34, 0.023_717_689_682_177_11],
        velocity: [0.000_803_495_968_487_282_2, -0.018_498_595_669_096_07, -0.008_372_768_184_186],
    },
    // Earth
    Body {
        naif: 399,
        gm: 8.887_692_462_968_594e-10,
        position: [-0.184_271_555_350_723_12, 0.884_781_500_692_051_7, 0.383_819_950_878_893_76],
        velocity: [-0.017_202_246_610_706_733, -0.002_904_925_889_742_719, -0.001_259_427_919_986_986_8],
    },
    // Moon
    Body {
        naif: 301,
        gm: 1.093_189_452_994_545_2e-11,
        position: [-0.186_220_837_007_909_42, 0.882_998_608_785_243_5, 0.383_311_237_173_339_76],
        velocity: [-0.016_830_576_134_637_18, -0.003_289_623_718_760_572, -0.001_433_458_076_476_82],
    },
    // Mars
    Body {
        naif: 4,
        gm: 9.549_548_695_622_39e-11,
        position: [1.383_579_465_419_462_6, -0.001_245_805_403_090_402_9, -0.037_883_113_428_791_804],
        velocity: [0.000_676_877_984_041_716_7, 0.013_807_279_329_612_367, 0.006_314_867_583_125_568],
    },
    // Jupiter
    Body {
        naif: 5,
        gm: 2.825_345_840_855_05e-7,
        position: [3.994_040_712_123_285, 2.733_931_840_029_623_7, 1.074_588_951_122_292_8],
        velocity: [-0.004_562_935_035_019_06, 0.005_874_704_083_633_767, 0.002_629_269_913_474_711_7],
    },
    // Saturn
    Body {
        naif: 6,
        gm: 8.459_706_073_308_477e-8,
        position: [6.399_272_407_161_153_5, 6.172_010_782_189_747, 2.273_847_798_796_405],
        velocity: [-0.004_286_973_413_510_747, 0.003_521_586_386_059_028_7, 0.001_638_898_661_878_369_3],
    },
    // Uranus
    Body {
        naif: 7,
        gm: 1.292_024_825_792_65e-8,
        position: [14.424_720_795_967_792, -12.508_913_423_510_77, -5.682_610_365_112_102],
        velocity: [0.002_683_483_517_247_559_4, 0.002_455_246_591_874_911_4, 0.001_037_375_987_830_041_6],
    },
    // Neptune
    Body {
        naif: 8,
        gm: 1.524_359_109_249_74e-8,
        position: [16.804_912_254_244_577, -22.982_749_682_467_432, -9.825_348_544_191_147],
        velocity: [0.002_584_653_188_594_388, 0.001_661_666_698_151_587, 0.000_615_782_385_449_464_1],
    },
    // Pluto
    Body {
        naif: 9,
        gm: 2.178_441_051_990_52e-12,
        position: [-9.882_489_740_036_144, -27.981_520_036_660_836, -5.754_616_359_448_244],
        velocity: [0.003_034_129_030_994_976_5, -0.001_134_351_174_546_031_5, -0.001_268_163_760_734_552_7],
    },
];

/// The solar system at [`EPOCH`] in au, days and (nominal) solar masses, time 0, barycentric, ICRF axes. Ids are
/// NAIF's numbers; `meta` holds the names and the epoch.
pub fn solar_system() -> Snapshot {
    let units = Units::msun_au_day();
    let ratio = AU_DE421 / AU;
    let mut bodies = Bodies::with_capacity(BODIES.len());
    for body in &BODIES {
        bodies.push(body.gm * (ratio * ratio * ratio) / units.g, body.position, body.velocity);
    }
    bodies.id = BODIES.iter().map(|body| body.naif).collect();
    let meta = [("epoch", EPOCH.to_owned()), ("names", NAMES.join(" ")), ("source", "JPL DE421".to_owned())];
    Snapshot { bodies, units, meta: meta.map(|(key, value)| (key.to_owned(), value)).into(), time: 0.0 }
}
