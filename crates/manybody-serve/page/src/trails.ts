// Where the bodies were: lines that fade, of the last frames.

import {
  AddEquation, BufferAttribute, BufferGeometry, CustomBlending, DynamicDrawUsage, LineSegments, OneFactor, ShaderMaterial,
} from "three";
import type { Stars } from "./stars";

/** Pieces of a trail, and bodies that have one, at most. */
const PIECES = 64;
const MOST = 4096;

const vertex = /* glsl */ `
  uniform float newest, length, pieces;
  uniform sampler2D table;
  attribute vec2 piece;
  attribute float value;
  varying vec3 colour;
  varying float light;
  void main() {
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    float age = mod(newest - piece.x, pieces) + 1.0 - piece.y;
    light = max(1.0 - age / (length * pieces), 0.0);
    colour = texture2D(table, vec2((value * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  }`;

const fragment = /* glsl */ `
  uniform float strength;
  varying vec3 colour;
  varying float light;
  void main() {
    float glow = strength * light * light;
    gl_FragColor = vec4(colour * glow, glow);
  }`;

export class Trails {
  readonly lines: LineSegments<BufferGeometry, ShaderMaterial>;
  private chosen = new Uint32Array(0);
  private last = new Float32Array(0);
  private places = new Float32Array(0);
  private values = new Uint8Array(0);
  private newest = 0;
  private length = 0;

  constructor(stars: Stars) {
    const material = new ShaderMaterial({
      vertexShader: vertex, fragmentShader: fragment, depthTest: false, depthWrite: false, transparent: true,
      blending: CustomBlending, blendEquation: AddEquation, blendSrc: OneFactor, blendDst: OneFactor,
      uniforms: {
        newest: { value: 0 }, length: { value: 0 }, pieces: { value: PIECES }, strength: { value: 0.2 },
        table: stars.points.material.uniforms["table"],
      },
    });
    this.lines = new LineSegments(new BufferGeometry(), material);
    this.lines.frustumCulled = false;
    this.lines.visible = false;
  }

  /** Chooses the bodies that have trails. */
  allocate(stars: Stars): void {
    const n = stars.count, m = Math.min(n, MOST);
    this.chosen = Uint32Array.from({ length: m }, (_, k) => Math.floor((k * n) / m));
    this.last = new Float32Array(3 * m);
    this.places = new Float32Array(PIECES * m * 6);
    this.values = new Uint8Array(PIECES * m * 2);
    const pieces = new Float32Array(PIECES * m * 4);
    for (let piece = 0, at = 0; piece < PIECES; piece++) {
      for (let k = 0; k < 2 * m; k++, at += 2) pieces.set([piece, k % 2], at);
    }
    const geometry = new BufferGeometry();
    const dynamic = (array: Float32Array | Uint8Array, size: number) => {
      const made = new BufferAttribute(array, size, array instanceof Uint8Array);
      made.setUsage(DynamicDrawUsage);
      return made;
    };
    geometry.setAttribute("position", dynamic(this.places, 3));
    geometry.setAttribute("value", dynamic(this.values, 1));
    geometry.setAttribute("piece", new BufferAttribute(pieces, 2));
    this.lines.geometry.dispose();
    this.lines.geometry = geometry;
    this.lines.material.uniforms["strength"].value = Math.min(0.8, 0.03 + 8 / Math.sqrt(m + 1));
    this.restart(stars);
  }

  /** Forgets where the bodies were. */
  restart(stars: Stars): void {
    this.chosen.forEach((i, k) => this.last.set(stars.from.subarray(3 * i, 3 * i + 3), 3 * k));
    for (let piece = 0; piece < PIECES; piece++) this.write(piece, this.last);
    this.upload(0, PIECES);
  }

  /** Adds the way from where the last piece ended to where the bodies are drawn from now. */
  extend(stars: Stars, values: Uint8Array): void {
    this.newest = (this.newest + 1) % PIECES;
    this.lines.material.uniforms["newest"].value = this.newest;
    const m = this.chosen.length, begin = this.newest * m;
    for (let k = 0; k < m; k++) {
      const i = this.chosen[k], at = 6 * (begin + k);
      for (let axis = 0; axis < 3; axis++) {
        this.places[at + axis] = this.last[3 * k + axis];
        this.places[at + 3 + axis] = this.last[3 * k + axis] = stars.from[3 * i + axis];
      }
      this.values[2 * (begin + k)] = this.values[2 * (begin + k) + 1] = values[i];
    }
    this.upload(this.newest, 1);
  }

  /** How long the trails are, 0 to 1; 0 for no trails. */
  setLength(length: number): void {
    this.length = length;
    this.lines.visible = length > 0;
    this.lines.material.uniforms["length"].value = length;
  }

  get isShown(): boolean {
    return this.length > 0;
  }

  private write(piece: number, places: Float32Array): void {
    const m = this.chosen.length;
    for (let k = 0; k < m; k++) {
      const point = places.subarray(3 * k, 3 * k + 3), at = 6 * (piece * m + k);
      this.places.set(point, at);
      this.places.set(point, at + 3);
    }
  }

  private upload(piece: number, pieces: number): void {
    const m = this.chosen.length;
    for (const [name, size] of [["position", 6], ["value", 2]] as const) {
      const attribute = this.lines.geometry.getAttribute(name) as BufferAttribute;
      attribute.addUpdateRange(size * m * piece, size * m * pieces);
      attribute.needsUpdate = true;
    }
  }
}
