// A number with what it was in the last minutes.

/** Samples that are kept, those that a plot is wide at least, and the time between them in ms. */
const KEPT = 240;
const LEAST = 40;
const EVERY = 250;

export class Plot {
  private readonly row = document.createElement("div");
  private readonly text = document.createElement("b");
  private readonly canvas = document.createElement("canvas");
  private samples: number[] = [];
  private last = 0;

  /** `logarithmic`: of the size of the number. */
  constructor(parent: HTMLElement, title: string, id: string, private readonly logarithmic = false) {
    this.row.className = "number";
    this.row.hidden = true;
    const name = document.createElement("span");
    name.textContent = title;
    this.text.id = id;
    this.row.append(name, this.text, this.canvas);
    parent.append(this.row);
  }

  clear(): void {
    this.samples = [];
    this.row.hidden = true;
  }

  show(value: number, text: string): void {
    if (this.text.textContent !== text) this.text.textContent = text;
    this.text.dataset["value"] = String(value);
    if (!Number.isNaN(value)) this.row.hidden = false; // what is not known at all takes no room
    const now = performance.now();
    if (now - this.last < EVERY || Number.isNaN(value)) return;
    this.last = now;
    this.samples.push(this.logarithmic ? Math.log10(Math.abs(value)) : value);
    if (this.samples.length > KEPT) this.samples.shift();
    this.draw();
  }

  draw(): void {
    const ratio = Math.min(devicePixelRatio, 2);
    const [width, height] = [this.canvas.clientWidth * ratio, this.canvas.clientHeight * ratio];
    if (width === 0) return;
    if (this.canvas.width !== width || this.canvas.height !== height) {
      [this.canvas.width, this.canvas.height] = [width, height];
    }
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.clearRect(0, 0, width, height);
    if (this.samples.length < 2) return;
    const style = getComputedStyle(document.documentElement);
    // the logarithm of 0 is below all others
    const finite = this.samples.filter(Number.isFinite);
    let low = Math.min(...finite), high = Math.max(...finite);
    if (finite.length === 0) [low, high] = [0, 1];
    if (high - low < 1e-12 * Math.max(Math.abs(high), 1e-300)) [low, high] = [low - 1, high + 1];
    const inset = 2 * ratio;
    const point = (value: number, k: number): [number, number] => [
      (k / (Math.max(this.samples.length, LEAST) - 1)) * width,
      height - inset - (Math.max(value - low, 0) / (high - low)) * (height - 2 * inset),
    ];
    context.beginPath();
    this.samples.forEach((value, k) => context.lineTo(...point(value, k)));
    context.strokeStyle = style.getPropertyValue("--accent");
    context.lineWidth = 1.5 * ratio;
    context.lineJoin = "round";
    context.stroke();
    context.lineTo(point(low, this.samples.length - 1)[0], height);
    context.lineTo(0, height);
    context.globalAlpha = 0.13;
    context.fillStyle = context.strokeStyle;
    context.fill();
    context.globalAlpha = 1;
    context.beginPath();
    context.arc(...point(this.samples[this.samples.length - 1], this.samples.length - 1), 2.2 * ratio, 0, 7);
    context.fill();
  }
}
