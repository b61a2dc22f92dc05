// The space with the bodies: camera, motion between frames, what is in the middle.

import { PerspectiveCamera, Scene, Spherical, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Theme } from "./colours";
import { type Frame, type Vector, places } from "./protocol";
import { placing } from "./placing";
import { Sharpness } from "./sharpness";
import { Stars } from "./stars";
import { Tone } from "./tone";
import { Trails } from "./trails";

export type Centre = "mass" | "density" | "body" | "free";

/** Frames come as late as this, in ms, and bodies still move smoothly; of later ones the end of the way is waited for. */
const LONGEST = 2000;
/** A body is larger than others, as a star among its dust, where it is so many times heavier than the mean. */
const HEAVY = 100;
/** A click is no drag where the pointer has moved less, in pixels. */
const STILL = 5;
/** How near to a body a click must be, in pixels. */
const NEAR = 18;

export class Stage {
  readonly stars = new Stars();
  readonly trails = new Trails(this.stars);
  private readonly renderer: WebGLRenderer;
  private readonly camera = new PerspectiveCamera(45, 1, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly tone = new Tone();
  private readonly sharpness = new Sharpness();
  private readonly scene = new Scene();
  private centre: Centre = "mass";
  private body = -1;
  /** Places in space are (x - anchor) scale. */
  private anchor: Vector = [0, 0, 0];
  private scale = 1;
  /** The centre was there at the last frame, is there at the next one, and was shown there. */
  private readonly goal = { from: new Vector3(), to: new Vector3(), shown: new Vector3() };
  private arrival = { at: 0, apart: 50 };
  private frame: Frame | null = null;
  private bodyRadius = 0.01;
  private sizeFactor = 1;
  private exposure = 1;
  private before = 0;
  /** Frames drawn in the last second. */
  framesPerSecond = 0;
  private drawn = { since: 0, frames: 0 };
  onPick: (place: number) => void = () => {};
  onCentre: (centre: Centre) => void = () => {};
  onDraw: () => void = () => {};

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: false, powerPreference: "high-performance" });
    this.renderer.autoClear = false;
    this.scene.add(this.stars.points, this.trails.lines);
    this.camera.position.set(0, 0, 3.6);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.09;
    this.controls.minDistance = 1e-4;
    this.controls.maxDistance = 1e5;
    this.listenToClicks();
    addEventListener("resize", () => this.resize());
    this.resize();
    requestAnimationFrame((now) => this.draw(now));
  }

  /** The next frame is of another cast: of other bodies, or of the same ones, which move on. The one that is followed has this place. */
  newCast(areOthers: boolean, body: number, mass: Float64Array): void {
    if (areOthers) this.frame = null;
    this.body = body;
    const mean = mass.reduce((sum, q) => sum + q / mass.length, 0);
    this.heavy = Uint8Array.from(mass, (q) => (q > HEAVY * mean ? 255 : 0));
    if (!areOthers) this.stars.setHeavy(this.heavy);
  }
  private heavy = new Uint8Array(0);

  /** The next frame: bodies begin to move to its places. */
  show(frame: Frame, values: Uint8Array): void {
    const now = performance.now();
    const isFirst = this.frame === null || this.stars.count !== frame.bodies;
    const jumps = !this.isPlaced;
    if (isFirst) this.begin(frame);
    const write = (to: Float32Array) => places(frame, this.anchor, this.scale, to);
    if (isFirst) {
      this.stars.jump(write);
      this.trails.allocate(this.stars);
    } else {
      const passed = Math.min(now - this.arrival.at, LONGEST);
      this.arrival.apart += 0.25 * (passed - this.arrival.apart);
      this.stars.aim(write);
      if (this.trails.isShown) this.trails.extend(this.stars, values);
    }
    this.arrival.at = now;
    this.frame = frame;
    this.stars.setValues(values);
    this.aimCentre(jumps);
  }

  /** Room for the bodies of a cast, and the camera where it is the first one. */
  private begin(frame: Frame): void {
    const n = frame.bodies;
    this.stars.allocate(n);
    this.stars.setHeavy(this.heavy);
    this.bodyRadius = Math.min(Math.max(0.35 / Math.cbrt(n), 0.012), 0.09);
    // by eye: spots of many bodies are smaller, but more of them overlap in a core
    this.exposure = Math.min(2, 8.2 * n ** -0.22);
    this.updateTone();
    if (!this.isPlaced) this.place(frame);
    this.isPlaced = true;
  }
  private isPlaced = false;

  /**
   * Lengths and the camera such that 85 of 100 bodies are seen about the centre of mass; about the densest point where
   * few bodies far away have pulled the centre of mass out of the picture.
   */
  private place(frame: Frame): void {
    const placed = placing(frame);
    this.anchor = placed.centre;
    this.scale = placed.scale;
    if (placed.isFarFromMass && this.centre === "mass") {
      this.centre = Number.isNaN(frame.densityCentre[0]) ? "free" : "density";
      this.onCentre(this.centre);
    }
    this.stand();
  }

  private aimCentre(jump: boolean): void {
    const frame = this.frame;
    if (!frame) return;
    this.goal.from.copy(this.goal.shown);
    const at = (place: Vector) => this.goal.to.set(...(place.map((q, k) => (q - this.anchor[k]) * this.scale) as Vector));
    if (this.centre === "density" && !Number.isNaN(frame.densityCentre[0])) at(frame.densityCentre);
    else if (this.centre === "mass" || this.centre === "density") at(frame.centreOfMass);
    if (jump && this.centre !== "body") {
      this.moveTo(this.goal.to);
      this.goal.from.copy(this.goal.to);
    }
  }

  /** Moves the camera with what is in the middle. */
  private moveTo(place: Vector3): void {
    const way = place.clone().sub(this.goal.shown);
    this.controls.target.add(way);
    this.camera.position.add(way);
    this.goal.shown.copy(place);
  }

  /** What is in the middle from now on; it is brought there. */
  setCentre(centre: Centre, body: number): void {
    this.centre = centre;
    this.body = body;
    this.aimCentre(false);
    if (centre === "free") return;
    const place = new Vector3();
    if (centre === "body") this.stars.place(body, place);
    else place.copy(this.goal.to);
    const way = place.clone().sub(this.controls.target);
    this.controls.target.add(way);
    this.camera.position.add(way);
    this.goal.shown.copy(place);
    this.goal.from.copy(place);
  }

  setTheme(theme: Theme): void {
    this.tone.setTheme(theme);
  }

  /** In powers of two. */
  setBrightness(power: number): void {
    this.brightness = 2 ** power;
    this.updateTone();
  }
  private brightness = 1;

  setSize(power: number): void {
    this.sizeFactor = 2 ** power;
    this.resize();
  }

  /** The lowest and the rightmost part of the page, in pixels, are covered: the middle is that of the rest. */
  setCovered(below: number, right: number): void {
    this.covered = { below, right };
    this.resize();
  }
  private covered = { below: 0, right: 0 };

  private updateTone(): void {
    this.tone.setExposure(this.exposure * this.brightness);
    this.resize();
  }

  /** All bodies in the picture, as at first, wherever they and the camera have moved since. */
  home(): void {
    const frame = this.frame;
    if (!frame) return;
    this.place(frame);
    this.stars.jump((to) => places(frame, this.anchor, this.scale, to));
    this.trails.restart(this.stars);
    const middle = this.controls.target.set(0, 0, 0);
    this.aimCentre(false);
    if (this.centre === "body") this.stars.place(this.body, middle);
    else if (this.centre !== "free") middle.copy(this.goal.to);
    this.goal.from.copy(middle);
    this.goal.shown.copy(middle);
    this.stand();
  }

  /** Looks along z at what is in the middle, from so far that most bodies are in the picture. */
  private stand(): void {
    this.camera.up.set(0, 1, 0);
    const tall = this.camera.aspect < 1 ? 1 / this.camera.aspect : 1;
    const away = 1 + this.controls.target.length();
    this.camera.position.copy(this.controls.target).add(new Vector3(0, 0, 3.6 * away * Math.min(tall, 1.6)));
    this.controls.update();
  }

  /** Turns by angles. */
  turn(right: number, up: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const at = new Spherical().setFromVector3(offset);
    at.theta -= right;
    at.phi = Math.min(Math.max(at.phi - up, 1e-3), Math.PI - 1e-3);
    this.camera.position.copy(this.controls.target).add(offset.setFromSpherical(at));
  }

  zoom(factor: number): void {
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
  }

  /** Moves across the picture, by shares of what is seen. */
  pan(right: number, up: number): void {
    const seen = this.camera.position.distanceTo(this.controls.target) * Math.tan(Math.PI / 8) * 2;
    const way = new Vector3(right * seen, up * seen, 0).applyQuaternion(this.camera.quaternion);
    this.camera.position.add(way);
    this.controls.target.add(way);
  }

  /** Where a body is on the page, in pixels; `null` where it is behind the camera. */
  pixel(i: number): [number, number] | null {
    if (i < 0 || i >= this.stars.count) return null;
    const place = new Vector3();
    this.stars.place(i, place);
    place.project(this.camera);
    if (place.z > 1) return null;
    return [(0.5 + 0.5 * place.x) * this.canvas.clientWidth, (0.5 - 0.5 * place.y) * this.canvas.clientHeight];
  }

  /** The picture as it is now, as a file. */
  picture(done: (blob: Blob) => void): void {
    this.render();
    this.canvas.toBlob((blob) => blob && done(blob), "image/png");
  }

  /** For tests: where the camera and the middle are in space, and the middle in units of the bodies. */
  look(): { camera: number[]; target: number[]; distance: number; middle: number[] } {
    const camera = this.camera.position.toArray(), target = this.controls.target.toArray();
    const middle = target.map((q, k) => q / this.scale + this.anchor[k]);
    return { camera, target, distance: this.camera.position.distanceTo(this.controls.target), middle };
  }

  private resize(): void {
    const ratio = this.sharpness.ratio(innerWidth, innerHeight);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(innerWidth, innerHeight, false);
    this.camera.aspect = innerWidth / innerHeight;
    this.camera.setViewOffset(
      innerWidth, innerHeight, this.covered.right / 2, this.covered.below / 2, innerWidth, innerHeight,
    );
    const pixels = (innerHeight * ratio) / (2 * Math.tan(Math.PI / 8));
    this.stars.setSizes(this.bodyRadius * this.sizeFactor, pixels, ratio);
  }

  private draw(now: number): void {
    requestAnimationFrame((next) => this.draw(next));
    const lasted = now - this.before;
    this.before = now;
    const isLate = this.sharpness.note(lasted);
    if (isLate && this.sharpness.ratio(innerWidth, innerHeight) < this.renderer.getPixelRatio()) this.resize();
    this.stars.share = Math.min((performance.now() - this.arrival.at) / Math.max(this.arrival.apart, 16), 1);
    this.follow(Math.min(lasted, 100));
    this.controls.update();
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = distance * 1e-3;
    this.camera.far = distance * 1e3 + 1e3;
    this.camera.updateProjectionMatrix();
    this.render();
    this.drawn.frames += 1;
    if (now - this.drawn.since >= 1000) {
      this.framesPerSecond = (1000 * this.drawn.frames) / (now - this.drawn.since);
      this.drawn = { since: now, frames: 0 };
    }
    this.onDraw();
  }

  private follow(lasted: number): void {
    if (!this.frame || this.centre === "free") return;
    const place = new Vector3();
    if (this.centre === "body") this.stars.place(this.body, place);
    else if (this.centre === "mass") place.lerpVectors(this.goal.from, this.goal.to, this.stars.share);
    // density centres come now and then: it glides there
    else place.lerpVectors(this.goal.shown, this.goal.to, 1 - Math.exp(-lasted / 300));
    this.moveTo(place);
  }

  private render(): void {
    this.tone.render(this.renderer, () => this.renderer.render(this.scene, this.camera));
  }

  private listenToClicks(): void {
    let down: [number, number] | null = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      down = event.isPrimary && event.button === 0 ? [event.clientX, event.clientY] : null;
    });
    this.canvas.addEventListener("pointerup", (event) => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < STILL) {
        this.onPick(this.nearest(event.clientX, event.clientY));
      }
      down = null;
    });
  }

  /** The index of the body drawn nearest to a pixel. Of several at the same distance, the one in front; -1 if no body is near. */
  private nearest(x: number, y: number): number {
    const matrix = this.camera.projectionMatrix.clone().multiply(this.camera.matrixWorldInverse).elements;
    const { from, to, share } = this.stars;
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    let best = -1, least = NEAR;
    for (let i = 0, k = 0; i < this.stars.count; i++, k += 3) {
      const px = from[k] + share * (to[k] - from[k]);
      const py = from[k + 1] + share * (to[k + 1] - from[k + 1]);
      const pz = from[k + 2] + share * (to[k + 2] - from[k + 2]);
      const w = matrix[3] * px + matrix[7] * py + matrix[11] * pz + matrix[15];
      if (w <= 0) continue;
      const sx = (0.5 + (0.5 * (matrix[0] * px + matrix[4] * py + matrix[8] * pz + matrix[12])) / w) * width;
      const sy = (0.5 - (0.5 * (matrix[1] * px + matrix[5] * py + matrix[9] * pz + matrix[13])) / w) * height;
      const away = Math.hypot(sx - x, sy - y);
      if (away < least) [best, least] = [i, away];
    }
    return best;
  }
}
