// From summed light to the screen: a core stays a core where a halo is still seen, on dark and on light ground.

import {
  BufferGeometry, Float32BufferAttribute, HalfFloatType, Mesh, NearestFilter, NoBlending, OrthographicCamera, Scene,
  ShaderMaterial, Vector2, type WebGLRenderer, WebGLRenderTarget,
} from "three";
import type { Theme } from "./colours";

const vertex = /* glsl */ `
  varying vec2 at;
  void main() {
    at = 0.5 * position.xy + 0.5;
    gl_Position = vec4(position.xy, 0.0, 1.0);
  }`;

// light a: the brightness is asinh(a / low) / asinh(high / low), as in manybody render
const fragment = /* glsl */ `
  uniform sampler2D light;
  uniform float exposure, onLight, aspect;
  varying vec2 at;
  float noise(vec2 p) { return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715)))); }
  float scaled(float a) { return log(a + sqrt(a * a + 1.0)); }
  void main() {
    vec4 sum = texture2D(light, at);
    float a = sum.a * exposure;
    vec3 hue = sum.rgb / max(sum.a, 1e-6);
    float t = scaled(a * 4.0) / scaled(14.0);
    vec2 p = (at - 0.5) * vec2(aspect, 1.0);
    vec3 dark = mix(vec3(0.021, 0.025, 0.046), vec3(0.008, 0.009, 0.019), smoothstep(0.0, 1.0, length(p)));
    vec3 glowing = dark + mix(hue, vec3(1.0), 0.8 * smoothstep(0.55, 1.6, t)) * min(t, 1.15);
    vec3 paper = mix(vec3(0.975, 0.98, 0.992), vec3(0.93, 0.94, 0.965), smoothstep(0.2, 1.1, length(p)));
    vec3 inked = mix(paper, hue * mix(0.92, 0.5, smoothstep(0.5, 1.5, t)), min(1.7 * t, 1.0));
    vec3 shown = mix(glowing, inked, onLight);
    gl_FragColor = vec4(shown + (noise(gl_FragCoord.xy) - 0.5) / 255.0, 1.0);
  }`;

export class Tone {
  private readonly target = new WebGLRenderTarget(1, 1, {
    type: HalfFloatType, depthBuffer: false, minFilter: NearestFilter, magFilter: NearestFilter,
  });
  private readonly scene = new Scene();
  private readonly camera = new OrthographicCamera();
  private readonly material: ShaderMaterial;

  constructor() {
    this.material = new ShaderMaterial({
      vertexShader: vertex, fragmentShader: fragment, depthTest: false, depthWrite: false, blending: NoBlending,
      uniforms: {
        light: { value: this.target.texture }, exposure: { value: 1 }, onLight: { value: 0 }, aspect: { value: 1 },
      },
    });
    // one triangle that covers the screen
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3));
    const mesh = new Mesh(geometry, this.material);
    mesh.frustumCulled = false;
    this.scene.add(mesh);
  }

  setTheme(theme: Theme): void {
    this.material.uniforms["onLight"].value = theme === "light" ? 1 : 0;
  }

  setExposure(exposure: number): void {
    this.material.uniforms["exposure"].value = exposure;
  }

  /** Draws what `draw` draws, and then the tones of it. */
  render(renderer: WebGLRenderer, draw: () => void): void {
    const size = renderer.getDrawingBufferSize(new Vector2());
    if (this.target.width !== size.x || this.target.height !== size.y) this.target.setSize(size.x, size.y);
    this.material.uniforms["aspect"].value = size.x / size.y;
    renderer.setRenderTarget(this.target);
    renderer.setClearColor(0, 0);
    renderer.clear();
    draw();
    renderer.setRenderTarget(null);
    renderer.render(this.scene, this.camera);
  }
}
