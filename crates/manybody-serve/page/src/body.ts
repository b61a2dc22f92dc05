// The numbers of a body that was clicked.

import { element } from "./element";
import { number, time, withUnit } from "./format";
import type { Ask, BodyNumbers, Cast, Hello } from "./protocol";
import type { Stage } from "./stage";

/** How often its numbers are asked for, in ms. */
const EVERY = 300;

export class BodyPanel {
  private place = -1;
  private hello: Hello | null = null;
  private ids: Float64Array = new Float64Array(0);
  private readonly marker = element("marker");
  onFollow: (place: number) => void = () => {};
  onForget: () => void = () => {};
  /** Its numbers have appeared or disappeared. */
  onShow: (isShown: boolean) => void = () => {};

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

  /** Other bodies are shown: the chosen one is found by its id, and forgotten where it is not among them. */
  newCast(cast: Cast): void {
    const place = this.place < 0 ? -1 : cast.id.indexOf(this.ids[this.place]);
    this.ids = cast.id;
    if (place !== this.place) this.choose(place);
  }

  /** Looks at this body; at no body where it is -1. */
  choose(place: number): void {
    const had = this.place >= 0;
    this.place = place;
    if (place >= 0) this.ask({ body: place });
    else {
      element("body").hidden = true;
      this.onShow(false);
      if (had) this.onForget();
    }
  }

  get chosen(): number {
    return this.place;
  }

  show(body: BodyNumbers | null): void {
    // an answer may be of the bodies before
    if (!body || body.place !== this.place || Number(body.id) !== this.ids[this.place]) return;
    const isNew = element("body").hidden || element("body-title").textContent !== `Body ${body.id}`;
    element("body").hidden = false;
    if (isNew) this.onShow(true);
    element("body-title").textContent = `Body ${body.id}`;
    const units = this.hello?.units;
    const rows: [string, string][] = [
      ["mass", withUnit(body.mass, units?.mass, 6)],
      ["position", withUnit3(body.position, units?.length)],
      ["velocity", withUnit3(body.velocity, units?.velocity)],
    ];
    if (body.group !== null) rows.push(["group", String(body.group)]);
    rows.push(["time", time(body.time, units, 6)]);
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
