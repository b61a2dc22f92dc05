// Frames, casts and words between server and page. docs/live.md describes them; the server's side is src/frame.rs.

export interface Hello {
  version: string;
  kind: "run" | "snapshots";
  title: string | null;
  about: string | null;
  bodies: number;
  start?: number;
  end?: number;
  steps?: number;
  files?: string[];
  control: boolean;
  /** Times are in units of their own: `time_factor` of them are the unit of the numbers. */
  units: Record<"length" | "time" | "velocity" | "mass" | "energy" | "density", string | null> & {
    name: string;
    time_factor: number;
  };
}

export interface Status {
  playing: boolean;
  speed: number | null;
  viewers: number;
  ended: string | null;
  /** Why the snapshot at this place cannot be shown. */
  problem: { index: number; text: string } | null;
}

/** What the server says of one body, without rounding. */
export interface BodyNumbers {
  place: number;
  id: string;
  mass: number;
  group: number | null;
  position: [number, number, number];
  velocity: [number, number, number];
  time: number;
}

export type Ask =
  | "play" | "pause" | "step" | "stop"
  | { got: number } | { body: number } | { speed: number | null } | { seek: number };

/** What of the bodies does not change. */
export interface Cast {
  number: number;
  id: Float64Array;
  mass: Float64Array;
  /** `null` where all bodies are of one group. */
  group: Uint8Array | null;
}

export type Vector = [number, number, number];

export interface Numbers {
  step: number;
  time: number;
  stepsPerSecond: number;
  pairsPerSecond: number;
  energy: number;
  energyError: number;
  forceError: number;
  index: number;
}

export interface Frame {
  cast: number;
  number: number;
  bodies: number;
  numbers: Numbers;
  corner: Vector;
  edge: number;
  centreOfMass: Vector;
  /** NaN where it is not known. */
  densityCentre: Vector;
  speedRange: [number, number];
  /** log10; NaN where densities are not known. */
  densityRange: [number, number];
  standsFor: number;
  /** All bodies, shown or not. */
  total: number;
  words: Uint32Array;
  speed: Uint8Array;
  density: Uint8Array;
}

const HEADER = 24;
const CELLS = 2 ** 21 - 1;

function magic(view: DataView): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((k) => view.getUint8(k)));
}

/** Reads a binary message. */
export function decode(buffer: ArrayBuffer): Frame | Cast {
  const view = new DataView(buffer);
  const words = [4, 8, 12].map((at) => view.getUint32(at, true));
  switch (magic(view)) {
    case "mbC1": return readCast(buffer, words);
    case "mbF1": return readFrame(buffer, words);
    default: throw new Error("a message that is neither a frame nor a cast");
  }
}

function readCast(buffer: ArrayBuffer, [number, n, hasGroups]: number[]): Cast {
  return {
    number,
    id: new Float64Array(buffer, 16, n),
    mass: new Float64Array(buffer, 16 + 8 * n, n),
    group: hasGroups ? new Uint8Array(buffer, 16 + 16 * n, n) : null,
  };
}

function readFrame(buffer: ArrayBuffer, [cast, number, n]: number[]): Frame {
  const h = new Float64Array(buffer, 16, HEADER);
  const begin = 16 + 8 * HEADER;
  return {
    cast, number, bodies: n,
    numbers: {
      step: h[0], time: h[1], stepsPerSecond: h[2], pairsPerSecond: h[3],
      energy: h[4], energyError: h[5], forceError: h[6], index: h[7],
    },
    corner: [h[8], h[9], h[10]], edge: h[11],
    centreOfMass: [h[12], h[13], h[14]], densityCentre: [h[15], h[16], h[17]],
    speedRange: [h[18], h[19]], densityRange: [h[20], h[21]], standsFor: h[22], total: h[23],
    words: new Uint32Array(buffer, begin, 2 * n),
    speed: new Uint8Array(buffer, begin + 8 * n, n),
    density: new Uint8Array(buffer, begin + 9 * n, n),
  };
}

export function isCast(message: Frame | Cast): message is Cast {
  return "id" in message;
}

/** Writes the places of all bodies, (x - anchor) scale, into `out`: x + 2^21 y + 2^42 z in two words of 32 bits. */
export function places(frame: Frame, anchor: Vector, scale: number, out: Float32Array): void {
  const cell = (frame.edge / CELLS) * scale;
  const [x0, y0, z0] = [0, 1, 2].map((k) => (frame.corner[k] - anchor[k]) * scale);
  const words = frame.words;
  for (let i = 0, at = 0; i < frame.bodies; i++, at += 3) {
    const low = words[2 * i], high = words[2 * i + 1];
    out[at] = x0 + cell * (low & 0x1fffff);
    out[at + 1] = y0 + cell * ((low >>> 21) | ((high & 0x3ff) << 11));
    out[at + 2] = z0 + cell * (high >>> 10);
  }
}
