// Positions of a map for development, until the server's layout answers: children lie on a sunflower inside
// the circle of their parent.
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

function place(children, x, y, radius) {
  const n = children.length;
  children.forEach((child, i) => {
    const share = 0.72 / Math.sqrt(n + 0.5);
    const distance = n === 1 ? 0 : radius * (1 - share) * 0.97 * Math.sqrt((i + 0.5) / (n - 0.5));
    child.x = x + distance * Math.cos(i * GOLDEN);
    child.y = y + distance * Math.sin(i * GOLDEN);
    child.size = radius * share;
    place(child.nested, child.x, child.y, child.size);
  });
}

/** A tree of packages, folders, files and symbols from exported rows. */
export function buildTree(nodes) {
  const byId = new Map();
  const root = { id: "", nested: [] };
  const add = (id, label, kind, parent, extra = {}) => {
    let node = byId.get(id);
    if (!node) {
      node = { id, label, kind, parent: parent.id || undefined, nested: [], ...extra };
      byId.set(id, node);
      parent.nested.push(node);
    }
    return node;
  };
  const folderOf = (path) => {
    const parts = path.split("/").slice(0, -1);
    let at = add("folder::.", "(root)", "package", root);
    if (parts.length === 0) return at;
    at = root;
    parts.forEach((part, i) => {
      const sub = parts.slice(0, i + 1).join("/");
      at = add(`folder::${sub}`, part, i === 0 ? "package" : "folder", at);
    });
    return at;
  };
  for (const node of nodes) {
    if (!node.file) continue;
    const file = add(`file::${node.file}`, node.file.split("/").pop(), "file", folderOf(node.file), {
      language: node.file.split(".").pop(),
    });
    if (node.kind !== "file") add(node.id, node.name, "symbol", file, { language: file.language });
  }
  place(root.nested, 500, 500, 500);
  return { root, byId };
}

/** What is visible with these nodes opened, and the edges between them, summed up. */
export function selectMap(tree, edges, { open, reveal, limit, maxEdges, color }) {
  const opened = new Set(open);
  for (const id of reveal) {
    for (let at = tree.byId.get(tree.byId.get(id)?.parent); at; at = tree.byId.get(at.parent)) opened.add(at.id);
  }
  const visible = [];
  const shownAs = new Map();
  const markAll = (node, as) => {
    const stack = [node];
    while (stack.length) {
      const at = stack.pop();
      shownAs.set(at.id, as);
      stack.push(...at.nested);
    }
  };
  const stack = [...tree.root.nested].reverse();
  while (stack.length) {
    const node = stack.pop();
    if (opened.has(node.id) && node.nested.length) stack.push(...[...node.nested].reverse());
    else {
      visible.push(node);
      markAll(node, node.id);
    }
  }
  const shown = visible.slice(0, limit);
  const ids = new Set(shown.map((n) => n.id));
  const sums = new Map();
  for (const edge of edges) {
    const source = shownAs.get(edge.from);
    const target = shownAs.get(edge.to);
    if (!source || !target || source === target || !ids.has(source) || !ids.has(target)) continue;
    const key = `${source}\n${target}`;
    const sum = sums.get(key) ?? { source, target, count: 0, kinds: [], certain: 0 };
    sum.count += 1;
    if (edge.tier === "certain") sum.certain += 1;
    if (!sum.kinds.includes(edge.relation)) sum.kinds.push(edge.relation);
    sums.set(key, sum);
  }
  const sorted = [...sums.values()].sort((a, b) => b.count - a.count);
  const hash = (text) => [...text].reduce((h, c) => (h * 31 + c.charCodeAt(0)) >>> 0, 7);
  const colorOf = (node) => {
    if (color === "churn" || color === "risk") return (hash(node.id + color) % 1000) / 1000;
    if (color === "layer") return `layer_${hash(node.parent ?? node.id) % 4}`;
    if (color === "tier") return ["certain", "possible", "unresolved"][hash(node.id) % 3];
    return node.language ?? node.nested.find((n) => n.language)?.language ?? "text";
  };
  return {
    generation: 1,
    nodes: shown.map((n) => ({
      id: n.id, label: n.label, kind: n.kind, parent: n.parent, x: n.x, y: n.y, size: n.size,
      children: n.nested.length, color_value: colorOf(n),
    })),
    edges: sorted.slice(0, maxEdges),
    opened: [...opened].map((id) => tree.byId.get(id)).filter(Boolean).map((n) => ({
      id: n.id, label: n.label, kind: n.kind, parent: n.parent, x: n.x, y: n.y, size: n.size,
    })),
    hidden: { nodes: visible.length - shown.length, edges: Math.max(0, sorted.length - maxEdges) },
    bounds: [0, 0, 1000, 1000],
  };
}

/** Rows of a made-up project with this many symbols. */
export function makeRows(count) {
  const nodes = [];
  const edges = [];
  for (let i = 0; i < count; i++) {
    const file = `pkg${i % 20}/dir${(i >> 4) % 12}/file${(i >> 8) % 40}.go`;
    nodes.push({ id: `file::${file}::fn::f${i}`, kind: "function", name: `f${i}`, file });
    for (let k = 1; k <= 3; k++) {
      const to = (i * 7919 + k * 104729) % count;
      if (to < i) edges.push({ from: nodes[i].id, to: nodes[to].id, relation: "calls", tier: "certain" });
    }
  }
  return { nodes, edges };
}
