// Where the camera looks at first: at most of the bodies, wherever the others are.

import { type Frame, type Vector, places } from "./protocol";

/** The share of the bodies that are seen at first. */
const SEEN = 0.85;

export interface Placing {
  /** What is in the middle. */
  centre: Vector;
  /** One by the distance within which the bodies are that are seen. */
  scale: number;
  /** Whether the centre of mass is not among them. */
  isFarFromMass: boolean;
}

/** Looks at the centre of mass, or at the median place where the centre of mass is farther away than most bodies. */
export function placing(frame: Frame): Placing {
  const { corner, edge, centreOfMass } = frame;
  // in units of the box: numbers of 32 bits end at 3.4e38
  const raw = new Float32Array(3 * frame.bodies);
  places(frame, corner, 1 / edge, raw);
  const mass = corner.map((q, k) => (centreOfMass[k] - q) / edge) as Vector;
  const middle = [0, 1, 2].map((axis) => median(raw.filter((_, at) => at % 3 === axis))) as Vector;
  const about = radius(raw, middle);
  const away = Math.hypot(...mass.map((q, k) => q - middle[k]));
  const isFarFromMass = away > about;
  const centre = isFarFromMass ? middle : mass;
  const scale = 1 / ((isFarFromMass ? about : radius(raw, mass)) * edge);
  return { centre: centre.map((q, k) => corner[k] + q * edge) as Vector, scale, isFarFromMass };
}

function median(values: Float32Array): number {
  values.sort();
  const n = values.length;
  return 0.5 * (values[Math.floor((n - 1) / 2)] + values[Math.floor(n / 2)]);
}

/** The radius about a place that the share of the bodies is within; that of all of them, or 1, where it is 0. */
function radius(raw: Float32Array, place: Vector): number {
  const n = raw.length / 3;
  const distances = new Float32Array(n);
  for (let i = 0; i < n; i++) {
    distances[i] = Math.hypot(raw[3 * i] - place[0], raw[3 * i + 1] - place[1], raw[3 * i + 2] - place[2]);
  }
  distances.sort();
  return distances[Math.min(n - 1, Math.floor(SEEN * n))] || distances[n - 1] || 1;
}
