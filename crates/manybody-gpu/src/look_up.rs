//! Cells of single blocks as a device's copies of the maps have them, which tests compare with the maps of the CPU.

use crate::compute::{Access, Compiled, Gpu, Kernel, Rounding, Start};
use crate::maps::{
    DeviceMap, LOOK_UP_CUDA, LOOK_UP_WGSL, MAPS_CUDA, MapDomain, SIDE, TYPES_CUDA, launches, launches_of, section,
    tetrahedron_domain, too_large,
};
use manybody_law::Result;
use manybody_law::map::{Band, Diagonal, Layer, Map, Mask, Tetrahedron, Triangle};

/// A block whose cell is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// Rows (or layers) of the domain.
    pub nb: u64,
    /// Whether it has its diagonal.
    pub diagonal: Diagonal,
    /// The block, counted through all launches.
    pub w: u64,
}

impl Query {
    fn has_domain_of(&self, other: &Query) -> bool {
        (self.nb, self.diagonal) == (other.nb, other.diagonal)
    }
}

/// A kernel that looks up cells with one map.
struct LookUp<'a> {
    gpu: &'a Gpu,
    kernel: Compiled,
    queries: Vec<u32>,
}

/// Queries of one launch of the kernel.
const AT_ONCE: usize = 1 << 21;

impl<'a> LookUp<'a> {
    fn new(gpu: &'a Gpu, device_map: &DeviceMap) -> Result<Self> {
        let kernel = gpu.compile(&look_up_kernel(device_map))?;
        Ok(LookUp { gpu, kernel, queries: Vec::new() })
    }

    fn push(&mut self, [x, y]: [u32; 2], domain: [u32; 5]) {
        self.queries.extend([x, y]);
        self.queries.extend(domain);
        self.queries.push(0);
    }

    /// The cells of what was pushed, in order.
    fn ask(&mut self, table: &[u32]) -> Result<Vec<Option<[u32; 3]>>> {
        let table = self.gpu.filled(bytemuck::cast_slice(if table.is_empty() { &[0; 4] } else { table }))?;
        let mut cells = Vec::new();
        for part in self.queries.chunks(8 * AT_ONCE) {
            let n = part.len() / 8;
            let queries = self.gpu.filled(bytemuck::cast_slice(part))?;
            let out = self.gpu.zeros(16 * n as u64)?;
            let groups = n.div_ceil(64) as u32;
            let grid = [groups.min(SIDE as u32), groups.div_ceil(SIDE as u32), 1];
            let buffers = vec![&queries, &table, &out];
            self.gpu.start(&[Start { kernel: &self.kernel, grid, buffers, words: vec![n as u32, grid[0]] }])?;
            let bytes = self.gpu.read(&out, 16 * n as u64)?;
            let words: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
            cells.extend(words.chunks_exact(4).map(|c| (c[0] != u32::MAX).then(|| [c[0], c[1], c[2]])));
        }
        self.queries.clear();
        Ok(cells)
    }
}

/// The kernel that looks up cells.
pub fn look_up_kernel(device_map: &DeviceMap) -> Kernel {
    use Access::{Read, Write};
    let [macro_call, call] = device_map.calls();
    let dimensions = device_map.dimensions();
    // whose cells lie below the diagonal, and are checked against it
    let triangle = match device_map.domain {
        MapDomain::Triangle(triangle) => u32::from(triangle != Triangle::Band),
        MapDomain::Mask | MapDomain::Tetrahedron(_) => 0,
    };
    let constants = format!(
        "#define SPACE {dimensions}\n#define TRIANGLE {triangle}\n#define TABLE {}\n{macro_call}",
        u32::from(device_map.has_table)
    );
    let look = match (dimensions, triangle) {
        (3, _) => {
            "let c = $MAP;\n    let i = c.x;\n    let j = c.y;\n    let k = c.z;\n    let work = c.w == 1u && i < d.rows + \
             2u * d.shift && j + d.shift <= i && k + d.shift <= j;"
        }
        (_, 1) => {
            "let c = $MAP;\n    let i = c.x;\n    let j = c.y;\n    let k = 0u;\n    let work = c.z == 1u && i < d.rows + \
             d.shift && j + d.shift <= i;"
        }
        _ => "let c = $MAP;\n    let i = c.x;\n    let j = c.y;\n    let k = 0u;\n    let work = c.z == 1u;",
    };
    let text = section(LOOK_UP_WGSL, "look_up").replace("$LOOK", look).replace("$MAP", &call);
    let maps = device_map.wgsl();
    Kernel {
        cuda: [TYPES_CUDA, MAPS_CUDA, &constants, LOOK_UP_CUDA].join("\n"),
        wgsl: if device_map.in_wgsl { format!("{maps}{text}") } else { String::new() },
        entry: "look_up",
        block: [64, 1],
        access: vec![Read, Read, Write],
        rounding: Rounding::AsWritten,
    }
}

/// The cells of blocks of triangles, as the device's copy of the map has them.
///
/// # Errors
/// [`Error::Parameter`](manybody_law::Error::Parameter) for a launch that devices do not take or a
/// block past its end, [`Error::Device`](manybody_law::Error::Device).
pub fn triangle_cells(gpu: &Gpu, map: Triangle, queries: &[Query]) -> Result<Vec<Option<[u64; 2]>>> {
    let device_map = DeviceMap::of(map);
    let mut look_up = LookUp::new(gpu, &device_map)?;
    let mut cells = Vec::with_capacity(queries.len());
    let mut domains = queries.chunk_by(Query::has_domain_of).peekable();
    while let Some(these) = domains.next() {
        let first = these[0];
        let launches = launches(map, first.nb, first.diagonal)?;
        for query in these {
            let launch = launches.iter().find(|l| (l.first..l.first + l.blocks()).contains(&query.w));
            let launch = launch.ok_or_else(|| too_large(&query.w))?;
            look_up.push(launch.block(query.w), launch.domain);
        }
        // only a table ties queries to one domain
        if device_map.has_table || domains.peek().is_none() {
            let table =
                if device_map.has_table { Band::triangle(first.nb, first.diagonal)?.table()? } else { Vec::new() };
            cells.extend(look_up.ask(&table)?.into_iter().map(|c| c.map(|[i, j, _]| [i.into(), j.into()])));
        }
    }
    Ok(cells)
}

/// The cells of all blocks of a band or a mask, in order.
///
/// # Errors
/// As [`triangle_cells`].
pub fn table_cells(
    gpu: &Gpu,
    device_map: &DeviceMap,
    map: &dyn Map<2>,
    table: &[u32],
) -> Result<Vec<Option<[u64; 2]>>> {
    let mut look_up = LookUp::new(gpu, device_map)?;
    for launch in launches_of(map, 0, Diagonal::With)? {
        (0..launch.blocks()).for_each(|v| look_up.push(launch.block(launch.first + v), launch.domain));
    }
    Ok(look_up.ask(table)?.into_iter().map(|c| c.map(|[i, j, _]| [i.into(), j.into()])).collect())
}

/// A mask as the kernels read it: how many rows are not empty, which, where each starts (and the last ends), the columns.
///
/// # Errors
/// [`Error::Parameter`](manybody_law::Error::Parameter) for more cells than 32 bits count.
pub fn mask_table(mask: &Mask) -> Result<Vec<u32>> {
    let (rows, starts, columns) = mask.compressed_rows();
    u32::try_from(mask.cells()).map_err(|_| too_large(&mask.cells()))?;
    let mut table = vec![rows.len() as u32];
    table.extend(rows);
    table.extend(starts.iter().map(|s| *s as u32));
    table.extend(columns);
    Ok(table)
}

/// The cells of blocks of tetrahedra.
///
/// # Errors
/// As [`triangle_cells`].
pub fn tetrahedron_cells(gpu: &Gpu, layer: Layer, queries: &[Query]) -> Result<Vec<Option<[u64; 3]>>> {
    let device_map = DeviceMap::tetrahedron(layer)?;
    let mut look_up = LookUp::new(gpu, &device_map)?;
    let mut cells = Vec::with_capacity(queries.len());
    let mut domains = queries.chunk_by(Query::has_domain_of).peekable();
    while let Some(these) = domains.next() {
        let first = these[0];
        let map = Tetrahedron::new(first.nb, first.diagonal, layer)?;
        let (domain, table) = tetrahedron_domain(&map, first.nb, first.diagonal)?;
        for query in these {
            let w = u32::try_from(query.w).map_err(|_| too_large(&query.w))?;
            look_up.push([w, 0], domain);
        }
        if device_map.has_table || domains.peek().is_none() {
            let part = look_up.ask(&table)?;
            cells.extend(part.into_iter().map(|c| c.map(|c| c.map(u64::from))));
        }
    }
    Ok(cells)
}

/// Rows and layers of 64-bit indices as CUDA's exact maps have them.
///
/// # Errors
/// [`Error::Device`](manybody_law::Error::Device); wgpu has no 64-bit integers.
pub fn roots64(gpu: &Gpu, w: &[u64]) -> Result<Vec<[u64; 2]>> {
    let kernel = look_up_kernel(&DeviceMap::of(Triangle::Lambda));
    let access = vec![Access::Read, Access::Write];
    let kernel = gpu.compile(&Kernel { entry: "roots64", wgsl: String::new(), access, ..kernel })?;
    let from = gpu.filled(bytemuck::cast_slice(w))?;
    let out = gpu.zeros(16 * w.len() as u64)?;
    let grid = [w.len().div_ceil(64) as u32, 1, 1];
    gpu.start(&[Start { kernel: &kernel, grid, buffers: vec![&from, &out], words: vec![w.len() as u32] }])?;
    let words: Vec<u64> = bytemuck::pod_collect_to_vec(&gpu.read(&out, 16 * w.len() as u64)?);
    Ok(words.chunks_exact(2).map(|r| [r[0], r[1]]).collect())
}
