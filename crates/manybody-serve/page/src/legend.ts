// What the colours mean.

import type { ColourBy, Scale } from "./colours";
import { element } from "./element";
import { number } from "./format";
import type { Cast, Hello } from "./protocol";

const TITLES: Record<ColourBy, string> = { speed: "speed", density: "local density", mass: "mass", group: "group" };

export class Legend {
  /** The colours, and for groups their numbers. */
  colours(by: ColourBy, table: Uint8Array, cast: Cast | null): void {
    const bar = element<HTMLCanvasElement>("legend-bar");
    const pixels = new ImageData(new Uint8ClampedArray(table), 256, 1);
    bar.getContext("2d")?.putImageData(pixels, 0, 0);
    bar.hidden = element("legend-ends").hidden = by === "group";
    const list = element("legend-groups");
    list.hidden = by !== "group";
    const groups = by === "group" && cast?.group ? [...new Set(cast.group)].sort((a, b) => a - b).slice(0, 12) : [];
    list.replaceChildren(...groups.map((group) => {
      const entry = document.createElement("li"), spot = document.createElement("i");
      spot.style.background = `rgb(${table.slice(4 * group, 4 * group + 3).join(",")})`;
      entry.append(spot, String(group));
      return entry;
    }));
  }

  /** Title and ends. */
  scale(by: ColourBy, scale: Scale | null, hello: Hello | null): void {
    const unit = by === "speed" ? hello?.units.velocity : by === "group" ? null : hello?.units[by];
    const about = by === "speed" ? " about the centre of mass" : "";
    element("legend-title").textContent = `${TITLES[by]}${about}${unit ? `, ${unit}` : ""}`;
    if (!scale) return;
    const [low, high] = scale.range;
    const at = (share: number, digits: number) => {
      const value = low + share * (high - low);
      return number(scale.logarithmic ? 10 ** value : value, digits);
    };
    // as many digits as distinguish the ends; equal ends are one number
    const digits = [2, 3, 4, 5].find((digits) => at(0, digits) !== at(1, digits));
    element("legend-low").textContent = digits ? at(0, digits) : "";
    element("legend-middle").textContent = at(0.5, digits ?? 2);
    element("legend-high").textContent = digits ? at(1, digits) : "";
  }
}
