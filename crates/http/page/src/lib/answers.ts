// What the server and its tools answer, as far as the page reads it.

export type Tier = "certain" | "possible" | "unresolved" | string;

export interface CodeNode {
  node_id: string;
  label: string;
  type?: string;
  file_path?: string;
  line_start?: number;
  line_end?: number;
  is_test?: boolean;
}

/** Lists that the answer shortened. */
export interface Cut {
  list: string;
  shown: number;
  of: number;
}

export interface Page {
  truncated?: boolean;
  cursor?: string;
  cut?: Cut[];
  next_step_hint?: string;
  generation?: number;
}

export interface ServerHealth {
  status: "ok" | "empty" | "indexing" | string;
  root?: string;
  nodes: number;
  edges: number;
  generation: number;
  uptime_secs?: number;
  clients?: number;
  progress?: { done: number; total: number; stage: string };
}

export interface MapNode {
  id: string;
  label: string;
  kind: "package" | "folder" | "file" | "symbol" | string;
  parent?: string;
  x: number;
  y: number;
  size: number;
  children: number;
  color_value?: string | number | null;
}

export interface MapEdge {
  source: string;
  target: string;
  count: number;
  kinds: string[];
  certain: number;
  at?: { file_path: string; line: number };
}

export interface MapLegend {
  by: string;
  words?: string[];
  range?: [number, number];
  /** What could not be told. */
  gaps?: string[];
}

export interface MapAnswer {
  generation: number;
  nodes: MapNode[];
  edges: MapEdge[];
  opened?: Omit<MapNode, "children">[];
  hidden: { nodes: number; edges: number };
  bounds: [number, number, number, number];
  legend?: MapLegend;
  /** Ids to open or reveal that no node has. */
  unknown?: string[];
}

export interface SeekRow extends CodeNode {
  score: number;
  intent_summary?: string;
  matched_words?: string[];
}

export interface SeekAnswer extends Page {
  results: SeekRow[];
}

export interface ViewAnswer extends Page {
  file_path: string;
  node_id?: string;
  label?: string;
  language?: string;
  content: string;
  total_lines: number;
  line_start: number;
  line_end: number;
  symbols?: CodeNode[];
  stale?: boolean;
}

export interface OutlineRow extends CodeNode {
  depth: number;
  signature?: string;
}

export interface OutlineAnswer extends Page {
  symbols: OutlineRow[];
}

export interface UseRow extends CodeNode {
  line_number?: number;
  column?: number;
  line_content?: string;
  role?: string;
  tier?: Tier;
  in_test?: boolean;
}

export interface HidingRow {
  node_id: string;
  label: string;
  name: string;
  role: string;
  reason: string;
  file_path: string;
  line: number;
  line_content?: string;
}

export interface Closure {
  state: string;
  why: string;
  hiding: HidingRow[];
  total_hiding: number;
}

export interface ReferencesAnswer extends Page {
  references: UseRow[];
  total_references: number;
  total_users: number;
  by_role: Record<string, number>;
  closure?: Closure;
}

export interface WitnessStep {
  from: string;
  to: string;
  relation: string;
  tier: Tier;
  file_path?: string;
  line?: number;
}

export interface ImpactRow extends CodeNode {
  side: string;
  class: string;
  hop_distance?: number;
  probability?: number;
  witness?: WitnessStep[];
  changed_together?: { common_commits: number; of: number };
}

export interface TestRow extends CodeNode {
  evidence: string[];
  hop_distance?: number;
  tests?: string[];
  test_lines?: number[];
  common_commits?: number;
}

export interface ImpactAnswer extends Page {
  blast_radius: ImpactRow[];
  source: string;
  source_label: string;
  total_blast_nodes: number;
  total_files: number;
  tests: TestRow[];
  total_tests: number;
  closure?: Closure;
}

export interface TestsAnswer extends Page {
  tests: TestRow[];
  changed: string[];
  total_tests: number;
  total_by_code: number;
}

export interface TimelineAnswer extends Page {
  node: string;
  label: string;
  changes: { date: string; commit: string; author: string; delta: string; subject: string }[];
  co_changed_with: { file: string; times: number; coupling_degree: number }[];
  velocity?: string;
  pattern?: string;
  commit_count_in_window: number;
  author_count?: number;
  first_change?: string;
  last_change?: string;
}

export interface MemoryRow {
  id: string;
  type: string;
  title: string;
  content: string;
  reasoning?: string | null;
  status?: string | null;
  source_file: string;
  source_line: number;
  source_kind: string;
  date?: string | null;
  state?: string;
  code?: { name: string; node_id?: string; state: string }[];
  resolved_by?: string | null;
  superseded_by?: string | null;
  is_key?: boolean;
  /** `unapproved`: it came with the repository, and agents do not see it yet. */
  trust?: string;
}

export interface MindSearchAnswer extends Page {
  results: MemoryRow[];
  total: number;
}
