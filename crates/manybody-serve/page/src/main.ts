// The page: brings together the connection, the space and the panels.

import { BodyPanel } from "./body";
import { type ColourBy, type Scale, type Theme, frameScale, massLevels, massScale, table } from "./colours";
import { Controls } from "./controls";
import { element } from "./element";
import { bodies } from "./format";
import { listen } from "./keys";
import { Legend } from "./legend";
import { Link } from "./link";
import { NumbersPanel, progress } from "./numbers";
import type { Cast, Frame, Hello, Status } from "./protocol";
import { type Centre, Stage } from "./stage";

class Page {
  private readonly stage = new Stage(element<HTMLCanvasElement>("stage"));
  private readonly numbers = new NumbersPanel();
  private readonly legend = new Legend();
  private readonly controls = new Controls((ask) => this.link.ask(ask));
  private readonly body = new BodyPanel(this.stage, (ask) => this.link.ask(ask));
  private readonly link: Link;
  private readonly colour = element<HTMLSelectElement>("colour");
  private readonly map = element<HTMLSelectElement>("map");
  private readonly centre = element<HTMLSelectElement>("centre");
  private hello: Hello | null = null;
  private status: Status | null = null;
  private cast: Cast | null = null;
  /** What the next frame shows, where that is another cast. */
  private nextCast: Cast | null = null;
  private said = 0;
  private problem: string | null = null;
  private frame: Frame | null = null;
  private masses: { scale: Scale; levels: Uint8Array } | null = null;
  private theme: Theme = "dark";
  private frames = 0;

  constructor() {
    this.wireTools();
    this.wireOptions();
    addEventListener("resize", () => this.makeRoom());
    const sizes = new ResizeObserver(() => this.makeRoom());
    for (const id of ["heading", "controls"]) sizes.observe(element(id));
    this.link = new Link({
      hello: (hello) => this.begin(hello),
      status: (status) => this.showStatus(status),
      cast: (cast) => { this.nextCast = cast; },
      frame: (frame) => this.show(frame),
      body: (body) => this.body.show(body),
      refused: (text) => this.say(`Not done: ${text}`),
      connection: (state) => this.showConnection(state),
    });
    listen(this.stage, {
      playOrPause: () => this.controls.toggle(),
      step: () => this.controls.one(),
      picture: () => this.savePicture(),
      theme: () => this.otherTheme(),
      panel: () => this.togglePanel(),
    });
    this.chooseTheme();
    this.togglePanel(innerWidth > 720);
  }

  private begin(hello: Hello): void {
    this.hello = hello;
    element("title").textContent = hello.title ?? (hello.kind === "run" ? "manybody run" : "manybody view");
    document.title = hello.title ?? `manybody: ${hello.about ?? hello.files?.join(", ") ?? ""}`;
    this.showAbout();
    this.numbers.begin(hello);
    this.controls.begin(hello);
    this.body.begin(hello);
    this.updateColours();
  }

  /** How many bodies there are, and of what. */
  private showAbout(): void {
    const { hello, frame } = this;
    if (!hello) return;
    const about = hello.about ?? hello.files?.[frame?.numbers.index ?? 0];
    const text = [bodies(frame?.total ?? hello.bodies), about].filter(Boolean).join(", ");
    if (element("about").textContent !== text) element("about").textContent = text;
  }

  private newCast(cast: Cast): void {
    const before = this.cast;
    this.cast = cast;
    const scale = massScale(cast);
    this.masses = { scale, levels: massLevels(cast, scale) };
    (this.colour.querySelector("[value=group]") as HTMLOptionElement).disabled = cast.group === null;
    (this.colour.querySelector("[value=mass]") as HTMLOptionElement).disabled = scale.range[0] === scale.range[1];
    if (this.colour.selectedOptions[0]?.disabled) this.colour.value = "speed";
    const areSame = before?.id.length === cast.id.length && before.id.every((id, place) => id === cast.id[place]);
    this.body.newCast(cast);
    this.stage.newCast(!areSame, this.body.chosen, cast.mass);
    this.updateColours();
  }

  private show(frame: Frame): void {
    const hadDensity = this.frame && !Number.isNaN(this.frame.densityRange[0]);
    const hasDensity = !Number.isNaN(frame.densityRange[0]);
    this.frame = frame;
    this.frames += 1;
    if (this.nextCast) this.newCast(this.nextCast);
    this.nextCast = null;
    this.showAbout();
    if (hasDensity !== hadDensity) {
      (this.colour.querySelector("[value=density]") as HTMLOptionElement).disabled = !hasDensity;
      (this.centre.querySelector("[value=density]") as HTMLOptionElement).disabled = !hasDensity;
    }
    this.stage.show(frame, this.values(frame));
    this.numbers.show(frame);
    this.controls.frame(frame);
    this.showState();
    this.legend.scale(this.by, this.scale(), this.hello);
  }

  private get by(): ColourBy {
    return this.colour.value as ColourBy;
  }

  private values(frame: Frame): Uint8Array {
    switch (this.by) {
      case "speed": return frame.speed;
      case "density": return frame.density;
      case "mass": return this.masses?.levels ?? frame.speed;
      case "group": return this.cast?.group ?? frame.speed;
    }
  }

  private scale(): Scale | null {
    const by = this.by;
    if (by === "group") return null;
    if (by === "mass") return this.masses?.scale ?? null;
    return this.frame ? frameScale(by, this.frame) : null;
  }

  private updateColours(): void {
    const colours = table(this.by, this.map.value, this.theme);
    this.map.disabled = this.by === "group";
    this.stage.stars.setTable(colours);
    this.legend.colours(this.by, colours, this.cast);
    this.legend.scale(this.by, this.scale(), this.hello);
    if (this.frame && this.stage.stars.count === this.frame.bodies) this.stage.stars.setValues(this.values(this.frame));
  }

  private showStatus(status: Status): void {
    this.status = status;
    const problem = status.problem?.text ?? null;
    if (problem !== this.problem) this.say(`Not shown: ${problem ?? this.problem}`, problem === null);
    this.problem = problem;
    this.controls.show(status);
    this.showState();
  }

  private showState(): void {
    const { status } = this;
    const words = !this.hello ? "waiting for the run to begin"
      : status?.ended ? `the run has ${status.ended === "failed" ? "failed" : `ended (${status.ended})`}`
      : this.hello.files?.length === 1 ? "one snapshot"
      : status && !status.playing ? "paused" : this.hello.kind === "run" ? "running" : "playing";
    const steps = this.frame ? progress(this.frame, this.hello) : "";
    const viewers = status && status.viewers > 1 ? `${status.viewers} viewers` : "";
    element("state-text").textContent = [words, steps, viewers].filter(Boolean).join(" · ");
    element("dot").className = status?.ended ? "" : "live";
  }

  private showConnection(state: "open" | "lost"): void {
    if (state === "open") return this.showState();
    element("state-text").textContent = "connection lost, trying again";
    element("dot").className = "lost";
  }

  /** Shows a message, for some seconds or until the next one. */
  private say(text: string, isBrief = true): void {
    const message = element("message");
    message.textContent = text;
    message.hidden = false;
    clearTimeout(this.said);
    if (isBrief) this.said = setTimeout(() => { message.hidden = true; }, 4000);
  }

  private wireTools(): void {
    element("home").onclick = () => this.stage.home();
    element("shot").onclick = () => this.savePicture();
    element("theme").onclick = () => this.otherTheme();
    element("panel-button").onclick = () => this.togglePanel();
    this.stage.onDraw = () => this.body.draw();
    this.stage.onPick = (place) => this.body.choose(place);
    this.stage.onCentre = (centre) => { this.centre.value = centre; };
    this.body.onFollow = (place) => this.follow("body", place);
    this.body.onShow = (isShown) => {
      document.body.classList.toggle("body-shown", isShown);
      element("panel").scrollTop = 0;
      this.updateCentre();
      this.makeRoom();
    };
    this.body.onForget = () => {
      if (this.centre.value === "body") this.follow("free", -1);
      this.updateCentre();
    };
  }

  private wireOptions(): void {
    this.colour.onchange = this.map.onchange = () => this.updateColours();
    this.centre.onchange = () => this.follow(this.centre.value as Centre, this.body.chosen);
    const slider = (id: string, act: (value: number) => void) => {
      const input = element<HTMLInputElement>(id);
      input.oninput = () => act(Number(input.value));
      input.ondblclick = () => {
        input.value = input.defaultValue;
        act(Number(input.value));
      };
    };
    slider("brightness", (power) => this.stage.setBrightness(power));
    slider("size", (power) => this.stage.setSize(power));
    slider("trails", (length) => {
      if (length > 0 && !this.stage.trails.isShown) this.stage.trails.restart(this.stage.stars);
      this.stage.trails.setLength(length);
    });
    this.updateCentre();
  }

  private follow(centre: Centre, place: number): void {
    this.centre.value = centre;
    this.stage.setCentre(centre, place);
    this.updateCentre();
  }

  private updateCentre(): void {
    (this.centre.querySelector("[value=body]") as HTMLOptionElement).disabled = this.body.chosen < 0;
  }

  /** The theme that was chosen here before, else that of the system. */
  private chooseTheme(): void {
    const isLight = matchMedia("(prefers-color-scheme: light)");
    const choose = () => {
      const kept = localStorage.getItem("theme");
      this.setTheme(kept === "light" || kept === "dark" ? kept : isLight.matches ? "light" : "dark");
    };
    isLight.onchange = choose;
    choose();
  }

  private otherTheme(): void {
    this.setTheme(this.theme === "dark" ? "light" : "dark");
    localStorage.setItem("theme", this.theme);
  }

  private setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset["theme"] = theme;
    this.stage.setTheme(theme);
    this.updateColours();
    this.numbers.redraw();
  }

  private togglePanel(open = element("panel").classList.contains("closed")): void {
    element("panel").classList.toggle("closed", !open);
    document.body.classList.toggle("panel-open", open);
    element("panel-button").setAttribute("aria-expanded", String(open));
    this.numbers.redraw();
    this.makeRoom();
  }

  /**
   * What lies above the controls and below the heading moves with their sizes. On a phone the panel covers the lower
   * half, in a narrow window much of the right; closed, it shows a chosen body alone.
   */
  private makeRoom(): void {
    const { style } = document.documentElement;
    style.setProperty("--controls", `${element("controls").offsetHeight}px`);
    style.setProperty("--heading", `${element("heading").getBoundingClientRect().bottom}px`);
    const box = element("panel").getBoundingClientRect();
    const isOpen = box.width > 0;
    const isBelow = box.width > 0.8 * innerWidth, right = innerWidth - box.left;
    const below = isOpen && isBelow ? innerHeight - box.top : 0;
    this.stage.setCovered(below, isOpen && !isBelow && right > 0.25 * innerWidth ? right : 0);
  }

  private savePicture(): void {
    const time = this.frame?.numbers.time ?? 0;
    this.stage.picture((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `manybody-t${time}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    });
  }

  /** For tests. */
  report(): Record<string, unknown> {
    const place = (i: number) => {
      const at: number[] = [];
      this.stage.stars.place(i, { set: (...q: number[]) => at.push(...q) });
      return at;
    };
    return {
      frames: this.frames, bodies: this.stage.stars.count, numbers: this.frame?.numbers ?? null, status: this.status,
      framesPerSecond: this.stage.framesPerSecond, place: this.stage.stars.count > 0 ? place(0) : null,
      look: this.stage.look(), pixel: this.stage.pixel(0), chosen: this.body.chosen, centre: this.centre.value,
      scale: this.scale(), trails: this.stage.trails.isShown, total: this.frame?.total ?? null,
    };
  }
}

Object.assign(globalThis, { manybodyPage: new Page() });
