// The bodies as glowing points, between two frames.

import {
  AddEquation, BufferAttribute, BufferGeometry, CustomBlending, DataTexture, DynamicDrawUsage, NearestFilter, OneFactor,
  Points, RGBAFormat, ShaderMaterial,
} from "three";

const vertex = /* glsl */ `
  uniform float share, pixels, radius, least, most;
  uniform sampler2D table;
  attribute vec3 from, to;
  attribute float value, heavy;
  varying vec3 colour;
  varying float light;
  void main() {
    vec4 eye = modelViewMatrix * vec4(mix(from, to, share), 1.0);
    gl_Position = projectionMatrix * eye;
    float size = 2.0 * radius * pixels / max(-eye.z, 1e-6);
    size = mix(size, 2.5 * max(size, least), heavy);
    gl_PointSize = clamp(size, least, most);
    // what is smaller than a pixel is fainter, and what would fill the screen, too
    light = clamp(size / least, 0.12, 1.0) * clamp(most / size, 0.2, 1.0);
    colour = texture2D(table, vec2((value * 255.0 + 0.5) / 256.0, 0.5)).rgb;
  }`;

const fragment = /* glsl */ `
  varying vec3 colour;
  varying float light;
  void main() {
    float d2 = 4.0 * dot(gl_PointCoord - 0.5, gl_PointCoord - 0.5);
    if (d2 > 1.0) discard;
    float edge = 1.0 - d2;
    float glow = light * (exp(-22.0 * d2) + 0.07 * edge * edge);
    gl_FragColor = vec4(colour * glow, glow);
  }`;

export class Stars {
  readonly points: Points<BufferGeometry, ShaderMaterial>;
  /** Where the bodies are drawn from and to, [n, 3]. */
  from = new Float32Array(0);
  to = new Float32Array(0);
  private readonly texture = new DataTexture(new Uint8Array(4 * 256), 256, 1, RGBAFormat);

  constructor() {
    this.texture.magFilter = NearestFilter;
    const material = new ShaderMaterial({
      vertexShader: vertex, fragmentShader: fragment, depthTest: false, depthWrite: false, transparent: true,
      blending: CustomBlending, blendEquation: AddEquation, blendSrc: OneFactor, blendDst: OneFactor,
      uniforms: {
        share: { value: 1 }, pixels: { value: 1 }, radius: { value: 0.02 }, least: { value: 3 }, most: { value: 96 },
        table: { value: this.texture },
      },
    });
    this.points = new Points(new BufferGeometry(), material);
    this.points.frustumCulled = false;
  }

  get count(): number {
    return this.from.length / 3;
  }

  /** Makes room for n bodies. */
  allocate(n: number): void {
    this.from = new Float32Array(3 * n);
    this.to = new Float32Array(3 * n);
    this.points.geometry.dispose();
    const geometry = new BufferGeometry();
    const attribute = (array: Float32Array | Uint8Array, size: number) => {
      const made = new BufferAttribute(array, size, array instanceof Uint8Array);
      made.setUsage(DynamicDrawUsage);
      return made;
    };
    geometry.setAttribute("from", attribute(this.from, 3));
    geometry.setAttribute("to", attribute(this.to, 3));
    geometry.setAttribute("value", attribute(new Uint8Array(n), 1));
    geometry.setAttribute("heavy", attribute(new Uint8Array(n), 1));
    geometry.setDrawRange(0, n);
    this.points.geometry = geometry;
  }

  setTable(colours: Uint8Array): void {
    (this.texture.image.data as Uint8Array).set(colours);
    this.texture.needsUpdate = true;
  }

  setValues(values: Uint8Array): void {
    this.write("value", values);
  }

  /** 255 for the bodies that are larger than others. */
  setHeavy(heavy: Uint8Array): void {
    this.write("heavy", heavy);
  }

  private write(name: "value" | "heavy", values: Uint8Array): void {
    const attribute = this.points.geometry.getAttribute(name) as BufferAttribute;
    (attribute.array as Uint8Array).set(values);
    attribute.needsUpdate = true;
  }

  /** The places have been changed. */
  moved(): void {
    this.points.geometry.getAttribute("from").needsUpdate = true;
    this.points.geometry.getAttribute("to").needsUpdate = true;
  }

  set share(share: number) {
    this.points.material.uniforms["share"].value = share;
  }

  get share(): number {
    return this.points.material.uniforms["share"].value as number;
  }

  /** The radius of a body in space, pixels at distance 1, and how small and large a point may be. */
  setSizes(radius: number, pixels: number, ratio: number): void {
    const uniforms = this.points.material.uniforms;
    uniforms["radius"].value = radius;
    uniforms["pixels"].value = pixels;
    uniforms["least"].value = 3.5 * ratio;
    uniforms["most"].value = 110 * ratio;
  }

  /** Where a body is drawn. */
  place(i: number, out: { set(x: number, y: number, z: number): unknown }): void {
    const t = this.share, k = 3 * i;
    const at = (axis: number) => this.from[k + axis] + t * (this.to[k + axis] - this.from[k + axis]);
    out.set(at(0), at(1), at(2));
  }

  /** From now on the bodies go from where they are drawn to the places of `write`. */
  aim(write: (to: Float32Array) => void): void {
    const { from, to, share } = this;
    for (let k = 0; k < from.length; k++) from[k] += share * (to[k] - from[k]);
    write(to);
    this.share = 0;
    this.moved();
  }

  /** At once to the places of `write`. */
  jump(write: (to: Float32Array) => void): void {
    write(this.to);
    this.from.set(this.to);
    this.share = 1;
    this.moved();
  }
}
