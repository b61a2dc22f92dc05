// What colours show, and by which map: maps made for science, of d3-scale-chromatic.

import {
  interpolateCividis, interpolateCool, interpolateInferno, interpolatePlasma, interpolateTurbo, interpolateViridis,
  schemeTableau10,
} from "d3-scale-chromatic";
import type { Cast, Frame } from "./protocol";

export type ColourBy = "speed" | "density" | "mass" | "group";

const MAPS: Record<string, (t: number) => string> = {
  plasma: interpolatePlasma, inferno: interpolateInferno, viridis: interpolateViridis, cividis: interpolateCividis,
  cool: interpolateCool, turbo: interpolateTurbo,
};

/** The part of each map that differs from the ground: of dark maps on dark ground not the first fifth. */
const PART = { dark: [0.22, 1], light: [0.05, 0.8] } as const;

export type Theme = keyof typeof PART;

function channels(colour: string): [number, number, number] {
  const hex = /^#(..)(..)(..)$/.exec(colour);
  if (hex) return [1, 2, 3].map((k) => parseInt(hex[k], 16)) as [number, number, number];
  return (colour.match(/[\d.]+/g) ?? ["0", "0", "0"]).slice(0, 3).map(Number) as [number, number, number];
}

/** 256 colours, red, green, blue and 255. */
export function table(by: ColourBy, map: string, theme: Theme): Uint8Array<ArrayBuffer> {
  const colours = new Uint8Array(4 * 256);
  const [from, to] = PART[theme];
  for (let k = 0; k < 256; k++) {
    const colour = by === "group"
      ? schemeTableau10[k % schemeTableau10.length]
      : MAPS[map](from + ((to - from) * k) / 255);
    colours.set([...channels(colour), 255], 4 * k);
  }
  return colours;
}

export interface Scale {
  /** The ends; their log10 for logarithmic scales. */
  range: [number, number];
  logarithmic: boolean;
}

/** The scale of masses: logarithmic where they span more than a factor of ten. */
export function massScale(cast: Cast): Scale {
  const some = Array.from(cast.mass).filter((mass) => mass > 0).sort((a, b) => a - b);
  if (some.length === 0) return { range: [0, 0], logarithmic: false };
  const ends = [0.01, 0.99].map((share) => some[Math.floor(share * (some.length - 1))]);
  const logarithmic = ends[1] > 10 * ends[0];
  const range = (logarithmic ? ends.map(Math.log10) : ends) as [number, number];
  return { range, logarithmic };
}

/** The levels of masses on their scale, 0 to 255. */
export function massLevels(cast: Cast, scale: Scale): Uint8Array {
  const [low, high] = scale.range;
  return Uint8Array.from(cast.mass, (mass) => {
    const value = scale.logarithmic ? Math.log10(mass) : mass;
    const share = high > low ? (value - low) / (high - low) : 0.5;
    return Math.round(255 * Math.min(Math.max(share, 0), 1));
  });
}

/** The scale of what a frame brings itself. */
export function frameScale(by: "speed" | "density", frame: Frame): Scale {
  return by === "speed" ? { range: frame.speedRange, logarithmic: false } : { range: frame.densityRange, logarithmic: true };
}
