//! Index maps on devices: the device versions of [`manybody_law::map`], and their launches.
//!
//! The texts are `kernels/maps.cuh` and `kernels/maps.wgsl`. A kernel names its map by a mark, MAP or $MAP, and does not
//! depend on which it is. Indices of blocks have 32 bits, so a triangle has at most 92,681 rows of blocks and a
//! tetrahedron 2,952 layers: with blocks of 16 more than a million bodies.

use crate::compute::{Access, Gpu, Kernel, Start};
use crate::look_up::look_up_kernel;
use manybody_law::map::{Diagonal, Layer, Map, Tetrahedron, Triangle};
use manybody_law::{Error, Result};

/// The maps in CUDA C++; they need the prelude's integer types.
pub const MAPS_CUDA: &str = include_str!("kernels/maps.cuh");
const MAPS_WGSL: &str = include_str!("kernels/maps.wgsl");
pub(crate) const LOOK_UP_CUDA: &str = include_str!("kernels/look_up.cu");
pub(crate) const LOOK_UP_WGSL: &str = include_str!("kernels/look_up.wgsl");

/// Integer types and constants, as the kernels of this crate name them.
pub const TYPES_CUDA: &str = "typedef unsigned int u32;\ntypedef unsigned long long u64;\n";

/// Blocks along one axis that every device takes.
pub(crate) const SIDE: u64 = 65_535;

/// What a map of a device is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapDomain {
    /// A triangle, mapped in that way.
    Triangle(Triangle),
    /// The cells of a list.
    Mask,
    /// A tetrahedron, its layers found in that way.
    Tetrahedron(Layer),
}

/// A map that kernels can be written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMap {
    /// What it is of.
    pub domain: MapDomain,
    /// The function is `map_` and this.
    function: &'static str,
    /// Whether it looks things up.
    pub has_table: bool,
    /// Whether WGSL can have it: what takes f64 or 64-bit integers cannot.
    pub in_wgsl: bool,
    /// Whether it is right at every size.
    pub is_exact: bool,
}

impl DeviceMap {
    /// That of a mask.
    pub const MASK: DeviceMap =
        DeviceMap { domain: MapDomain::Mask, function: "mask", has_table: true, in_wgsl: true, is_exact: true };

    /// That of a triangle.
    pub const fn of(triangle: Triangle) -> DeviceMap {
        let function = match triangle {
            Triangle::BoundingBox => "bb",
            Triangle::RectangularBox => "rb",
            Triangle::Recursive => "rec",
            Triangle::Utm => "utm",
            Triangle::UtmF32 => "utm_f32",
            Triangle::UtmF64 => "utm_f64",
            Triangle::Lambda | Triangle::Lambda32 => "lambda",
            Triangle::LambdaF32 => "lambda_f32",
            Triangle::LambdaF64 => "lambda_f64",
            Triangle::LambdaNewton => "lambda_newton",
            Triangle::LambdaNewtonFused => "lambda_newton_fused",
            Triangle::LambdaRsqrt => "lambda_rsqrt",
            Triangle::LambdaRsqrtFused => "lambda_rsqrt_fused",
            Triangle::Band => "band",
        };
        DeviceMap {
            domain: MapDomain::Triangle(triangle),
            function,
            has_table: matches!(triangle, Triangle::Band),
            in_wgsl: !matches!(triangle, Triangle::UtmF64 | Triangle::LambdaF64),
            is_exact: triangle.is_exact(),
        }
    }

    /// That of a tetrahedron.
    ///
    /// # Errors
    /// [`Error::Parameter`] for [`Layer::F32`], which devices do not have.
    pub fn tetrahedron(layer: Layer) -> Result<DeviceMap> {
        let (function, published) = match layer {
            Layer::Cubic => ("tetrahedron", false),
            Layer::Table => ("tetrahedron_table", false),
            Layer::F64 => ("tetrahedron_f64", true),
            Layer::F32 => {
                let expected = "on devices must be Cubic, Table or F64".into();
                return Err(Error::Parameter { name: "layer", value: "F32".into(), expected });
            }
        };
        Ok(DeviceMap {
            domain: MapDomain::Tetrahedron(layer),
            function,
            has_table: layer == Layer::Table,
            in_wgsl: !published,
            is_exact: !published,
        })
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = DeviceMap> {
        let tetrahedra = [Layer::Cubic, Layer::Table, Layer::F64].into_iter().filter_map(|l| Self::tetrahedron(l).ok());
        Triangle::ALL.into_iter().map(Self::of).chain([Self::MASK]).chain(tetrahedra)
    }

    /// 2 for pairs, 3 for triples.
    pub(crate) fn dimensions(&self) -> usize {
        match self.domain {
            MapDomain::Triangle(_) | MapDomain::Mask => 2,
            MapDomain::Tetrahedron(_) => 3,
        }
    }

    /// The call of the map: in CUDA a macro MAP(i, j), in WGSL an expression. Names in scope: d, x, y (triples: x), and
    /// table or map_table.
    pub fn calls(&self) -> [String; 2] {
        let f = self.function;
        let table = if self.has_table { ", table" } else { "" };
        match self.dimensions() {
            2 => [format!("#define MAP(i, j) map_{f}(d{table}, x, y, i, j)\n"), format!("map_{f}(d, x, y)")],
            _ => [format!("#define MAP(i, j, k) map_{f}(d{table}, x, i, j, k)\n"), format!("map_{f}(d, x)")],
        }
    }

    /// What a kernel in WGSL does first: naga sees that groups leave together only where they leave by their number.
    pub(crate) fn leaves(&self) -> &'static str {
        match self.domain {
            MapDomain::Triangle(Triangle::BoundingBox) => {
                "if (group.x + call.w[0].y > group.y) {\n        return;\n    }"
            }
            _ => "",
        }
    }

    /// The maps in WGSL, with those that look things up only if this is one.
    pub fn wgsl(&self) -> &'static str {
        if self.has_table { MAPS_WGSL } else { plain_wgsl() }
    }
}

/// The maps in WGSL that look nothing up.
pub(crate) fn plain_wgsl() -> &'static str {
    MAPS_WGSL.split_once("////").map_or(MAPS_WGSL, |(plain, _)| plain)
}

/// A launch of a map: how many blocks, and the arguments of its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Blocks along x and y.
    pub grid: [u32; 2],
    /// Rows, shift, cells, width, level: the words of `Domain`.
    pub domain: [u32; 5],
    /// The index of its first block, counted through all launches.
    pub first: u64,
}

impl Launch {
    /// Block (x, y) of block number `w` of all launches.
    pub(crate) fn block(&self, w: u64) -> [u32; 2] {
        let v = w - self.first;
        [(v % u64::from(self.grid[0])) as u32, (v / u64::from(self.grid[0])) as u32]
    }

    pub(crate) fn blocks(&self) -> u64 {
        u64::from(self.grid[0]) * u64::from(self.grid[1])
    }
}

pub(crate) fn too_large(cells: &dyn ToString) -> Error {
    Error::Parameter {
        name: "nb",
        value: cells.to_string(),
        expected: "must be blocks that 32 bits count and a launch of at most 65535 along each axis: larger blocks help"
            .into(),
    }
}

/// The launches of a triangle of `nb` rows.
///
/// # Errors
/// As [`Triangle::of`]; [`Error::Parameter`] for a launch that devices do not take.
pub fn launches(map: Triangle, nb: u64, diagonal: Diagonal) -> Result<Vec<Launch>> {
    launches_of(&*map.of(nb, diagonal)?, nb, diagonal)
}

/// The launches of a map of a triangle or of another domain of `nb` rows.
///
/// # Errors
/// [`Error::Parameter`] for a launch that devices do not take.
pub fn launches_of(map: &dyn Map<2>, nb: u64, diagonal: Diagonal) -> Result<Vec<Launch>> {
    let shift = u64::from(!diagonal.is_with());
    let cells = u32::try_from(map.cells()).map_err(|_| too_large(&map.cells()))?;
    let rows = u32::try_from(nb.saturating_sub(shift)).map_err(|_| too_large(&nb))?;
    let given = map.launches();
    let levels = given.len() - usize::from(diagonal.is_with());
    let (mut launches, mut first) = (Vec::new(), 0);
    for (level, launch) in given.iter().enumerate() {
        let [mut x, mut y, _] = launch.0;
        if y == 1 && x > SIDE && !map.has_levels() {
            // a line too long for an axis is folded; its last blocks have no work
            (x, y) = (SIDE, x.div_ceil(SIDE));
        }
        if x > SIDE || y > SIDE {
            return Err(too_large(&nb));
        }
        let level = if map.has_levels() && level < levels { level as u32 } else { 32 };
        let grid = [x as u32, y as u32];
        launches.push(Launch { grid, domain: [rows, shift as u32, cells, x as u32, level], first });
        first += launch.0[0] * launch.0[1];
    }
    Ok(launches)
}

/// What a WGSL file has before its first mark, and the section after the mark `//// name`.
pub(crate) fn section(text: &str, name: &str) -> String {
    let mut parts = text.split("////");
    let head = parts.next().unwrap_or_default();
    let wanted = format!(" {name}\n");
    let body = parts.find(|part| part.starts_with(&wanted)).unwrap_or_default();
    format!("{head}{}", body.strip_prefix(&wanted).unwrap_or_default())
}

/// The arguments of a kernel about a tetrahedron, and its table.
///
/// # Errors
/// [`Error::Parameter`] for more cells than 32 bits count.
pub fn tetrahedron_domain(map: &Tetrahedron, nb: u64, diagonal: Diagonal) -> Result<([u32; 5], Vec<u32>)> {
    let cells = u32::try_from(map.cells()).map_err(|_| too_large(&map.cells()))?;
    let shift = u32::from(!diagonal.is_with());
    let (table, stretch) = map.table();
    Ok(([(nb as u32).saturating_sub(2 * shift), shift, cells, 0, stretch], table.to_vec()))
}

/// The first block below `limit` that a map by a root sends elsewhere than it belongs on this device, every block tried;
/// `None` if all are right.
///
/// # Errors
/// [`Error::Device`].
pub fn first_wrong(gpu: &Gpu, map: Triangle, limit: u32) -> Result<Option<u32>> {
    const PART: u32 = 1 << 24;
    let device_map = DeviceMap::of(map);
    let [_, call] = device_map.calls();
    let kernel = look_up_kernel(&device_map);
    let text = section(LOOK_UP_WGSL, "first_wrong").replace("$MAP", &call);
    let kernel = gpu.compile(&Kernel {
        entry: "first_wrong",
        block: [256, 1],
        access: vec![Access::Write],
        wgsl: if device_map.in_wgsl { format!("{}{text}", device_map.wgsl()) } else { String::new() },
        ..kernel
    })?;
    let first = gpu.filled(&u32::MAX.to_le_bytes())?;
    let mut start = 0;
    while start < limit {
        let n = PART.min(limit - start);
        let words = vec![start, n];
        gpu.start(&[Start { kernel: &kernel, grid: [2048, 1, 1], buffers: vec![&first], words }])?;
        let found = u32::from_le_bytes(gpu.read(&first, 4)?.try_into().unwrap_or([0xff; 4]));
        if found != u32::MAX {
            return Ok(Some(found));
        }
        start += n;
    }
    Ok(None)
}
