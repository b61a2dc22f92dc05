// Play, pause, step, speed, stop, and the slider of a series of snapshots.

import { element } from "./element";
import { number, time } from "./format";
import type { Ask, Frame, Hello, Status } from "./protocol";

/** Steps a second at the left end of the slider; at the right end there is no limit, for snapshots this many. */
const SLOWEST = 1;
const FASTEST = { run: 1e4, snapshots: 60 };

export class Controls {
  private readonly play = element<HTMLButtonElement>("play");
  private readonly step = element<HTMLButtonElement>("step");
  private readonly stop = element<HTMLButtonElement>("stop");
  private readonly speed = element<HTMLInputElement>("speed");
  private readonly slider = element<HTMLInputElement>("slider");
  private hello: Hello | null = null;
  private status: Status | null = null;
  private dragging = false;
  private last: Frame | null = null;

  constructor(private readonly ask: (ask: Ask) => void) {
    this.play.onclick = () => this.toggle();
    this.step.onclick = () => this.ask("step");
    this.stop.onclick = () => this.askToStop();
    this.speed.oninput = () => {
      const speed = this.chosenSpeed();
      this.sayspeed(speed);
      this.ask({ speed });
    };
    this.slider.oninput = () => {
      this.ask("pause");
      this.ask({ seek: Number(this.slider.value) });
    };
    this.slider.onpointerdown = () => { this.dragging = true; };
    this.slider.onpointerup = () => { this.dragging = false; };
  }

  private get mayControl(): boolean {
    return Boolean(this.hello?.control) && this.status?.ended === null;
  }

  toggle(): void {
    if (this.mayControl) this.ask(this.status?.playing ? "pause" : "play");
  }

  one(): void {
    if (this.mayControl) this.ask("step");
  }

  begin(hello: Hello): void {
    this.hello = hello;
    const files = hello.files?.length ?? 0;
    element("timeline").hidden = files < 2;
    this.slider.max = String(Math.max(files - 1, 0));
    this.stop.hidden = hello.kind === "snapshots";
    element("controls").hidden = hello.kind === "snapshots" ? files < 2 : false;
    this.update();
  }

  show(status: Status): void {
    const before = this.status;
    this.status = status;
    if (before?.speed !== status.speed && document.activeElement !== this.speed) {
      this.speed.value = String(this.place(status.speed));
    }
    this.sayspeed(status.speed);
    this.update();
    this.sayPlace();
  }

  frame(frame: Frame): void {
    this.last = frame;
    this.sayPlace();
  }

  /** Which snapshot of the series is asked for, and its time where it is shown. */
  private sayPlace(): void {
    const { hello, last } = this, files = hello?.files, problem = this.status?.problem;
    const index = problem?.index ?? last?.numbers.index ?? NaN;
    if (!files || Number.isNaN(index)) return;
    if (!this.dragging) this.slider.value = String(index);
    const about = problem || !last ? "not shown" : `t = ${time(last.numbers.time, hello?.units)}`;
    element("slider-text").textContent = `${index + 1} of ${files.length}, ${about}`;
    this.slider.title = files[index];
  }

  private update(): void {
    const playing = this.status?.playing ?? true;
    this.play.classList.toggle("paused", !playing);
    this.play.setAttribute("aria-label", playing ? "Pause" : "Play");
    for (const control of [this.play, this.step, this.stop, this.speed, this.slider]) control.disabled = !this.mayControl;
    const title = this.hello?.control === false ? "The run was started without --control" : "";
    element("buttons").title = title;
  }

  private get fastest(): number {
    return FASTEST[this.hello?.kind ?? "run"];
  }

  private chosenSpeed(): number | null {
    const place = Number(this.speed.value);
    if (place >= 1 && this.hello?.kind !== "snapshots") return null;
    return Number((SLOWEST * (this.fastest / SLOWEST) ** place).toPrecision(2));
  }

  private place(speed: number | null): number {
    return speed === null ? 1 : Math.log(speed / SLOWEST) / Math.log(this.fastest / SLOWEST);
  }

  private sayspeed(speed: number | null): void {
    const what = this.hello?.kind === "snapshots" ? "a second" : "steps / s";
    element("speed-text").textContent = speed === null ? "full speed" : `${number(speed, 2)} ${what}`;
  }

  private askToStop(): void {
    const dialog = element<HTMLDialogElement>("ask-stop");
    dialog.returnValue = "";
    dialog.onclose = () => {
      if (dialog.returnValue === "stop") this.ask("stop");
    };
    dialog.showModal();
  }
}
