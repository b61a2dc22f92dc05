// Numbers as people read them.

import type { Hello } from "./protocol";

type Units = Hello["units"];

/** Four digits, without an exponent where that can be read. */
export function number(value: number, digits = 4): string {
  if (Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-3 && size < 1e5)) return String(Number(value.toPrecision(digits)));
  return value.toExponential(Math.max(digits - 2, 1)).replace("e+", "e").replace(/\.?0*e/, "e");
}

/** A time in the unit that times are shown in. */
export function time(value: number, units: Units | undefined, digits = 4): string {
  return withUnit(value * (units?.time_factor ?? 1), units?.time, digits);
}

/** The number of a unit such as "1e10 Msun", which numbers with it are multiplied by, and the rest of its name. */
function parts(unit: string | null | undefined): [number, string] {
  const found = /^(\d[\d.e+-]*) (.*)$/.exec(unit ?? "");
  return found ? [Number(found[1]), found[2]] : [1, unit ?? ""];
}

export function withUnit(value: number, unit: string | null | undefined, digits = 4): string {
  const [factor, name] = parts(unit), text = number(value * factor, digits);
  return name && text !== "–" ? `${text} ${name}` : text;
}

/** An error, with its sign where it has one. */
export function error(value: number, signed: boolean): string {
  if (Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  return (signed && value > 0 ? "+" : "") + value.toExponential(1);
}

export function count(value: number): string {
  return Number.isNaN(value) ? "–" : value.toLocaleString("en-US", { maximumFractionDigits: 0 });
}

/** "1 body", "1,000 bodies". */
export function bodies(n: number): string {
  return n === 1 ? "1 body" : `${count(n)} bodies`;
}
