// The numbers of a body that was clicked.

import { element } from "./element";
import { number, withUnit } from "./format";
import type { Ask, BodyNumbers, Hello } from "./protocol";
import type { Stage } from "./stage";

/** How often its numbers are asked for, in ms. */
const EVERY = 300;

export class BodyPanel {
  private place = -1;
  private hello: Hello | null = null;
  private readonly marker = element("marker");
  onFollow: (place: number) => void = () => {};
  onForget: () => void = () => {};

  constructor(private readonly stage: Stage, private readonly ask: (ask: Ask) => void) {
    element("body-close").onclick = () => this.choose(-1);
    element("body-follow").onclick = () => this.onFollow(this.place);
    setInterval(() => {
      if (this.place >= 0 && !document.hidden) this.ask({ body: this.place });
    }, EVERY);
  }

  begin(hello: Hello): void {
    this.hello = hello;
  }

  /** Looks at this body; at no body where it is -1. */
  choose(place: number): void {
    const had = this.place >= 0;
    this.place = place;
    if (place >= 0) this.ask({ body: place });
    else {
      element("body").hidden = true;
      if (had) this.onForget();
    }
  }

  get chosen(): number {
    return this.place;
  }

  show(body: BodyNumbers | null): void {
    if (!body || body.place !== this.place) return;
    element("body").hidden = false;
    element("body-title").textContent = `Body ${body.id}`;
    const units = this.hello?.units;
    const rows: [string, string][] = [
      ["mass", withUnit(body.mass, units?.mass, 6)],
      ["position", withUnit3(body.position, units?.length)],
      ["velocity", withUnit3(body.velocity, units?.velocity)],
    ];
    if (body.group !== null) rows.push(["group", String(body.group)]);
    rows.push(["time", withUnit(body.time, units?.time, 6)]);
    element("body-numbers").replaceChildren(...rows.flatMap(([name, value]) => {
      const term = document.createElement("dt"), text = document.createElement("dd");
      [term.textContent, text.textContent] = [name, value];
      return [term, text];
    }));
  }

  /** Puts the ring about the body. */
  draw(): void {
    const at = this.place >= 0 ? this.stage.pixel(this.place) : null;
    this.marker.hidden = at === null;
    if (at) this.marker.style.transform = `translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px)`;
  }
}

function withUnit3(vector: number[], unit: string | null | undefined): string {
  return vector.map((q) => number(q, 5)).join(", ") + (unit ? ` ${unit}` : "");
}
