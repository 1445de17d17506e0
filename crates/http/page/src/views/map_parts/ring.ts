import type { FragmentLayer } from "sigma/rendering";

/** A ring inside the border of a node: attributes `ringColor`, and `ringWidth` in pixels. */
export function createRing(): FragmentLayer {
  return {
    name: "ring",
    uniforms: [],
    attributes: [
      { name: "ringColor", size: 4, type: WebGL2RenderingContext.UNSIGNED_BYTE, normalized: true, source: "ringColor" },
      { name: "ringWidth", size: 1, type: WebGL2RenderingContext.FLOAT, source: "ringWidth" },
    ],
    glsl: `
vec4 layer_ring(vec4 v_ringColor, float v_ringWidth) {
  float width = v_ringWidth * context.pixelToUV;
  float ring = smoothstep(-width - context.aaWidth, -width + context.aaWidth, context.sdf);
  return vec4(v_ringColor.rgb, v_ringColor.a * ring * step(0.01, v_ringWidth));
}
`,
  };
}
