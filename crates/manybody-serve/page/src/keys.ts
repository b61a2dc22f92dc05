// The keyboard.

import { element } from "./element";
import type { Stage } from "./stage";

const TURN = Math.PI / 36;
const ZOOM = 1.12;
const PAN = 0.05;

export interface Keys {
  playOrPause(): void;
  step(): void;
  picture(): void;
  theme(): void;
  panel(): void;
}

/** Listens; keys in a field of the page are the field's own, and on a button those that press it. */
export function listen(stage: Stage, keys: Keys): void {
  const move: Record<string, [number, number]> = {
    ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
  };
  const simple: Record<string, () => void> = {
    "+": () => stage.zoom(1 / ZOOM), "=": () => stage.zoom(1 / ZOOM), "-": () => stage.zoom(ZOOM), "0": () => stage.home(),
    " ": () => keys.playOrPause(), ".": () => keys.step(), p: () => keys.picture(), l: () => keys.theme(), n: () => keys.panel(),
  };
  addEventListener("keydown", (event) => {
    const inField = event.target instanceof Element && event.target.closest("input, select, dialog");
    const presses = event.target instanceof Element && event.target.closest("button") && [" ", "Enter"].includes(event.key);
    if (inField || presses || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = move[event.key];
    if (way && event.shiftKey) stage.pan(PAN * way[0], PAN * way[1]);
    else if (way) stage.turn(TURN * way[0], TURN * way[1]);
    else if (simple[event.key]) simple[event.key]();
    else return;
    event.preventDefault();
  });
  element("stage").focus();
}
