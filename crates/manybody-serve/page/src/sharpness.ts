// How many pixels are drawn: those of the screen, and fewer where the GPU draws them too slowly.

/** The share of pixels along an edge that is left where frames are late. */
const LESS = 0.8;
/** Frames, and their time in ms, after which that is decided, at least. */
const FRAMES = 4;
const TIME = 1500;
/** Frames of a mean time between them beyond this, in ms, are late: 48 a second. */
const LATE = 21;
/** With so few pixels, others are not what takes the time. */
const FEW = 1920 * 1080;
/** Pixels of the picture to one of the page, at most. */
const MOST = 2;

export class Sharpness {
  private share = 1;
  private frames = 0;
  private time = 0;
  /** The first frames wait for shaders, and the first one after the page was hidden for that. */
  private starts = true;
  private waits = false;

  constructor() {
    document.addEventListener("visibilitychange", () => {
      this.waits = true;
      this.frames = this.time = 0;
    });
  }

  /** Pixels of the picture to one of a page of this size, along an edge. */
  ratio(width: number, height: number): number {
    const full = Math.min(devicePixelRatio, MOST);
    return Math.max(full * this.share, Math.min(full, Math.sqrt(FEW / (width * height))));
  }

  /** Takes note of the time since the last frame, in ms; true where frames are late: fewer pixels from now on. */
  note(lasted: number): boolean {
    if (this.waits) {
      this.waits = document.hidden;
      return false;
    }
    this.frames += 1;
    this.time += lasted;
    if (this.frames < FRAMES || this.time < TIME) return false;
    const isLate = !this.starts && this.time > LATE * this.frames;
    this.frames = this.time = 0;
    this.starts = false;
    if (isLate) this.share *= LESS;
    return isLate;
  }
}
