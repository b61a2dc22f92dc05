// The numbers of the run, each with its plot.

import { element } from "./element";
import { bodies, count, error, number, withUnit } from "./format";
import { Plot } from "./plot";
import type { Frame, Hello } from "./protocol";

export class NumbersPanel {
  private readonly plots: Record<string, Plot> = {};
  private hello: Hello | null = null;

  constructor() {
    const parent = element("numbers");
    const add = (name: string, title: string, logarithmic = false) => {
      this.plots[name] = new Plot(parent, title, `number-${name}`, logarithmic);
    };
    add("time", "time");
    add("steps", "steps / s");
    add("pairs", "pairs / s");
    add("energy", "energy");
    add("energy-error", "energy error", true);
    add("force-error", "force error", true);
  }

  begin(hello: Hello): void {
    const isSame = this.hello?.units.name === hello.units.name && this.hello.kind === hello.kind;
    this.hello = hello;
    if (!isSame) Object.values(this.plots).forEach((plot) => plot.clear());
  }

  show(frame: Frame): void {
    const { numbers } = frame, units = this.hello?.units, plots = this.plots;
    const end = this.hello?.end, factor = units?.time_factor ?? 1;
    const time = number(numbers.time * factor) + (end === undefined ? "" : ` of ${number(end * factor)}`);
    plots["time"].show(numbers.time, units?.time ? `${time} ${units.time}` : time);
    plots["steps"].show(numbers.stepsPerSecond, number(numbers.stepsPerSecond, 3));
    plots["pairs"].show(numbers.pairsPerSecond, number(numbers.pairsPerSecond, 3));
    plots["energy"].show(numbers.energy, withUnit(numbers.energy, units?.energy, 6));
    plots["energy-error"].show(numbers.energyError, error(numbers.energyError, true));
    plots["force-error"].show(numbers.forceError, error(numbers.forceError, false));
  }

  redraw(): void {
    Object.values(this.plots).forEach((plot) => plot.draw());
  }
}

/** "step 37 of 128": what the heading says of a frame. */
export function progress(frame: Frame, hello: Hello | null): string {
  const { step } = frame.numbers;
  const shown = frame.total > frame.bodies ? `, ${count(frame.bodies)} of ${bodies(frame.total)} shown` : "";
  if (Number.isNaN(step)) return shown.slice(2);
  const steps = hello?.steps === undefined ? "" : ` of ${count(hello.steps)}`;
  return `step ${count(step)}${steps}${shown}`;
}
