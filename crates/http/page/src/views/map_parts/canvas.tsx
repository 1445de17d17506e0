// The picture of the map: sigma draws what the server laid out.
import Graph from "graphology";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import Sigma from "sigma";
import { layerFill, layerPlain, pathCurved, sdfCircle } from "sigma/rendering";
import type { MapAnswer } from "../../lib/answers";
import type { ColorScale } from "../../lib/colors";
import { useMedia } from "../../lib/hooks";
import type { Theme } from "../../lib/theme";
import { createRing } from "./ring";

interface CanvasProps {
  answer: MapAnswer;
  scale: ColorScale;
  theme: Theme;
  selected: string | undefined;
  marked: ReadonlySet<string>;
  label: string;
  onSelect: (id: string | undefined) => void;
  onOpen: (id: string) => void;
}

/** Colours of a theme that WebGL needs as numbers. */
const INKS = {
  dark: { label: "#e8ebf1", back: "#12151cd9", region: "#ffffff0d", border: "#ffffff40", edge: "#8b93a38c", weak: "#8b93a32e", in: "#5fd0a5", out: "#f2a65a", mark: "#ff5d5d", select: "#ffffff" },
  light: { label: "#171b24", back: "#ffffffd9", region: "#1720330a", border: "#17203352", edge: "#5a647880", weak: "#5a647826", in: "#12805a", out: "#c2610c", mark: "#d01616", select: "#000000" },
} as const;

/** Thickness of the thinnest and thickest edge, in pixels at every zoom. */
const THINNEST_EDGE = 0.8;
const THICKEST_EDGE = 7;
/** Opacity of a node that holds others, as hexadecimal digits. */
const CONTAINER_ALPHA = "59";
const PAN_PIXELS = 60;
const ZOOM_FACTOR = 1.4;
const MOVE_MS = 250;
/** With more edges than this, they and the labels are left out while the picture moves. */
const MAX_MOVING_EDGES = 600;
/** The picture under the mouse is looked up at this fraction of its resolution: its smallest circles are wider. */
const PICKING_SCALE = 4;
/** How long the zoom rests before edges get their thickness. */
const REST_MS = 150;

type PictureGraph = Graph<Record<string, unknown>, Record<string, unknown>>;

/** Edges and nodes with their colours; `selected` and `marked` stand out. */
function buildGraph({ answer, scale, theme, selected, marked }: CanvasProps): PictureGraph {
  const ink = INKS[theme];
  const graph: PictureGraph = new Graph({ type: "directed", multi: false, allowSelfLoops: false });
  for (const node of answer.opened ?? []) {
    if (node.x === undefined || graph.hasNode(node.id)) continue;
    graph.addNode(node.id, {
      x: node.x, y: node.y, size: node.size, color: ink.region, depth: "regions", label: node.label,
      ringColor: ink.border, ringWidth: 1.5, labelPosition: "above", region: true,
    });
  }
  for (const node of answer.nodes) {
    if (graph.hasNode(node.id)) continue;
    const color = marked.has(node.id) ? ink.mark : scale.colorOf(node);
    const stands = node.id === selected ? ink.select : marked.has(node.id) ? ink.mark : undefined;
    graph.addNode(node.id, {
      x: node.x, y: node.y, size: node.size, color: node.children > 0 ? fade(color) : color, depth: "nodes", label: node.label,
      ringColor: stands ?? (node.children > 0 ? scale.colorOf(node) : ink.back), ringWidth: stands ? 4 : node.children > 0 ? 2 : 1, labelPosition: node.size > 40 ? "over" : "right",
      forceLabel: node.id === selected || marked.has(node.id),
    });
  }
  const most = Math.max(1, ...answer.edges.map((e) => e.count));
  for (const edge of answer.edges) {
    if (edge.source === edge.target || !graph.hasNode(edge.source) || !graph.hasNode(edge.target)) continue;
    const touches = edge.source === selected || edge.target === selected;
    const color = !selected ? ink.edge : !touches ? ink.weak : edge.source === selected ? ink.out : ink.in;
    graph.mergeEdge(edge.source, edge.target, {
      pixels: THINNEST_EDGE + (THICKEST_EDGE - THINNEST_EDGE) * Math.sqrt(edge.count / most) * (touches ? 1 : 0.6),
      color,
      depth: touches ? "topEdges" : "edges",
    });
  }
  return graph;
}

/** The colour, more transparent. */
function fade(color: string): string {
  const channels = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(color);
  const hex = channels ? `#${channels.slice(1).map((c) => Number(c).toString(16).padStart(2, "0")).join("")}` : color;
  return `${hex}${CONTAINER_ALPHA}`;
}

/** Sizes are in units of the map, so edges get theirs anew at each doubling of the zoom. */
function scaleEdges(sigma: Sigma, graph: PictureGraph, level: number): void {
  const { width, height } = sigma.getDimensions();
  const { x, y } = sigma.getBBox();
  const unit = Math.max(x[1] - x[0], y[1] - y[0]) / Math.max(100, Math.min(width, height));
  graph.updateEachEdgeAttributes((_edge, attributes) => ({ ...attributes, size: Number(attributes["pixels"] ?? 1) * unit * 2 ** level }), { attributes: ["size"] });
}

function createSigma(graph: PictureGraph, container: HTMLElement): Sigma {
  return new Sigma(graph, container, {
    primitives: {
      depthLayers: ["regions", "edges", "topEdges", "nodes", "topNodes"],
      nodes: {
        shapes: [sdfCircle()],
        variables: { ringColor: { type: "color", default: "#00000000" }, ringWidth: { type: "number", default: 0 } },
        layers: [layerFill(), createRing()],
      },
      edges: { paths: [pathCurved()], layers: [layerPlain()] },
    },
    styles: {
      nodes: {
        x: { attribute: "x" },
        y: { attribute: "y" },
        size: { attribute: "size", defaultValue: 1 },
        color: { attribute: "color", defaultValue: "#888888" },
        depth: (attributes) => String(attributes["depth"] ?? "nodes"),
        label: { attribute: "label" },
        labelColor: (attributes) => String(attributes["labelColor"] ?? "#888888"),
        labelBackgroundColor: (attributes) => String(attributes["labelBack"] ?? "#00000000"),
        labelBackgroundPadding: 2,
        labelSize: 12,
        labelVisibility: (attributes, state) => (attributes["forceLabel"] || state.isHovered ? "visible" : "auto"),
        labelPosition: (attributes) => (attributes["labelPosition"] as "over" | "right" | "above" | undefined) ?? "right",
        cursor: (attributes) => (attributes["region"] ? "default" : "pointer"),
        ringColor: { attribute: "ringColor" },
        ringWidth: { attribute: "ringWidth" },
      },
      edges: {
        path: "curved",
        size: { attribute: "size", defaultValue: 1 },
        color: { attribute: "color", defaultValue: "#888888" },
        depth: (attributes) => String(attributes["depth"] ?? "edges"),
      },
    },
    settings: {
      itemSizesReference: "positions",
      zoomToSizeRatioFunction: (ratio: number) => ratio,
      autoRescale: true,
      enableEdgeEvents: false,
      renderEdgeLabels: false,
      hideEdgesOnMove: false,
      labelDensity: 1,
      labelGridCellSize: 90,
      labelRenderedSizeThreshold: 5,
      minEdgeThickness: 0.8,
      minCameraRatio: 0.002,
      maxCameraRatio: 2.5,
      stagePadding: 24,
      allowInvalidContainer: true,
      enableCameraRotation: false,
      pickingDownSizingRatio: PICKING_SCALE,
    },
  } as ConstructorParameters<typeof Sigma>[2]) as unknown as Sigma;
}

function handleKey(sigma: Sigma, event: KeyboardEvent, props: CanvasProps): boolean {
  const camera = sigma.getCamera();
  const state = camera.getState();
  const { width, height } = sigma.getDimensions();
  const move = (dx: number, dy: number): void => {
    const from = sigma.viewportToFramedGraph({ x: width / 2, y: height / 2 });
    const to = sigma.viewportToFramedGraph({ x: width / 2 + dx, y: height / 2 + dy });
    camera.setState({ ...state, x: state.x + to.x - from.x, y: state.y + to.y - from.y });
  };
  switch (event.key) {
    case "ArrowLeft": move(-PAN_PIXELS, 0); return true;
    case "ArrowRight": move(PAN_PIXELS, 0); return true;
    case "ArrowUp": move(0, -PAN_PIXELS); return true;
    case "ArrowDown": move(0, PAN_PIXELS); return true;
    case "+": case "=": camera.setState({ ...state, ratio: state.ratio / ZOOM_FACTOR }); return true;
    case "-": camera.setState({ ...state, ratio: state.ratio * ZOOM_FACTOR }); return true;
    case "0": camera.setState({ x: 0.5, y: 0.5, ratio: 1, angle: 0 }); return true;
    case "Enter": if (props.selected) props.onOpen(props.selected); return true;
    case "Escape": props.onSelect(undefined); return true;
    default: return false;
  }
}

/** Moves to a node unless it is visible at a readable size. */
function moveTo(sigma: Sigma, id: string, animate: boolean): void {
  const data = sigma.getNodeDisplayData(id);
  if (!data) return;
  const camera = sigma.getCamera();
  const attributes = sigma.getGraph().getNodeAttributes(id) as { size?: number };
  const view = sigma.viewRectangle();
  const inside = data.x > Math.min(view.x1, view.x2) && data.x < Math.max(view.x1, view.x2) && Math.abs(data.y - (view.y1 + view.height / 2)) < view.height;
  const pixels = sigma.scaleSize(attributes.size ?? 1, camera.getState().ratio);
  if (inside && pixels >= 6) return;
  const ratio = Math.min(camera.getState().ratio, Math.max(0.01, ((attributes.size ?? 10) / 1000) * 24));
  const target = { x: data.x, y: data.y, ratio };
  if (animate) void camera.animate(target, { duration: MOVE_MS });
  else camera.setState(target);
}

export default function MapCanvas(props: CanvasProps): JSX.Element {
  const { answer, scale, theme, selected, marked, label } = props;
  const container = useRef<HTMLDivElement>(null);
  const renderer = useRef<Sigma | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [failed, setFailed] = useState(false);
  const still = useMedia("(prefers-reduced-motion: reduce)");

  useEffect(() => {
    if (!container.current) return undefined;
    const graph = buildGraph(latest.current);
    let sigma: Sigma;
    try {
      sigma = createSigma(graph, container.current);
    } catch (error) {
      console.info("the map cannot be drawn here", error);
      setFailed(true);
      return undefined;
    }
    renderer.current = sigma;
    sigma.on("clickNode", ({ node }) => latest.current.onSelect(node));
    sigma.on("doubleClickNode", ({ node, preventSigmaDefault }) => {
      preventSigmaDefault();
      latest.current.onOpen(node);
    });
    let level = 0;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const onRest = (): void => {
      const now = Math.round(Math.log2(sigma.getCamera().getState().ratio));
      if (now !== level) scaleEdges(sigma, sigma.getGraph() as PictureGraph, now);
      level = now;
      container.current?.setAttribute("data-level", String(level));
      // Draws what was left out while it moved.
      sigma.scheduleRender();
    };
    sigma.getCamera().on("updated", () => {
      clearTimeout(rest);
      rest = setTimeout(onRest, REST_MS);
    });
    sigma.on("clickStage", () => latest.current.onSelect(undefined));
    const observer = new ResizeObserver(() => sigma.resize());
    observer.observe(container.current);
    return () => {
      observer.disconnect();
      clearTimeout(rest);
      sigma.kill();
      renderer.current = undefined;
    };
  }, []);

  useEffect(() => {
    const sigma = renderer.current;
    if (!sigma) return;
    const graph = buildGraph(latest.current);
    const ink = INKS[theme];
    graph.forEachNode((id) => graph.mergeNodeAttributes(id, { labelColor: ink.label, labelBack: ink.back }));
    const [x0, y0, x1, y1] = answer.bounds;
    sigma.setCustomBBox({ x: [x0, x1], y: [y0, y1] });
    scaleEdges(sigma, graph, Math.round(Math.log2(sigma.getCamera().getState().ratio)));
    const isHeavy = graph.size > MAX_MOVING_EDGES;
    sigma.setSetting("hideEdgesOnMove", isHeavy);
    sigma.setSetting("hideLabelsOnMove", isHeavy);
    sigma.setGraph(graph);
    if (container.current) container.current.dataset["drawn"] = String(graph.order);
  }, [answer, scale, theme, selected, marked]);

  useEffect(() => {
    if (renderer.current && selected) moveTo(renderer.current, selected, !still);
  }, [answer, selected, still]);

  if (failed) return <p class="state empty">This browser cannot draw the map (WebGL 2 is missing). The list beside it holds the same.</p>;
  return (
    <div class="canvas-frame">
      <div
        ref={container}
        class="canvas"
        role="application"
        aria-roledescription="map"
        aria-label={label}
        tabIndex={0}
        onKeyDown={(event) => {
          if (renderer.current && !event.ctrlKey && !event.metaKey && !event.altKey && handleKey(renderer.current, event, latest.current)) event.preventDefault();
        }}
      />
      <div class="zoom" role="group" aria-label="Zoom">
        {([["+", "Zoom in"], ["-", "Zoom out"], ["0", "Show all"]] as const).map(([key, name]) => (
          <button type="button" key={key} aria-label={name} title={`${name} ( ${key} )`} onClick={() => renderer.current && handleKey(renderer.current, new KeyboardEvent("keydown", { key }), latest.current)}>
            <span aria-hidden="true">{key === "0" ? "⤢" : key === "-" ? "−" : key}</span>
          </button>
        ))}
      </div>
    </div>
  );
}
