import type { Page } from "../../lib/answers";

export interface ChangedFile {
  file_path: string;
  change: string;
  lines_before?: number;
  lines_after?: number;
}

export interface EdgeChange {
  source: string;
  target: string;
  relation: string;
  file_path?: string;
  line?: number;
}

export interface DifferentialAnswer extends Page {
  snapshot_a: string;
  snapshot_b: string;
  summary: string;
  files: ChangedFile[];
  renamed_nodes: unknown[];
  new_nodes: string[];
  removed_nodes: string[];
  new_edges: EdgeChange[];
  removed_edges: EdgeChange[];
}

export interface Prediction {
  node_id: string;
  label: string;
  file_path?: string;
  source: string;
  confidence?: number;
  verdict?: string;
  support?: number;
  of_commits?: number;
  reason?: string;
}

export interface PredictAnswer extends Page {
  predictions: Prediction[];
  total_predictions: number;
  note?: string;
}

export interface SearchAnswer extends Page {
  matches: { file_path: string; line_number: number; line_content: string; node_id?: string; label?: string }[];
  total_matches: number;
}

export interface GlobAnswer extends Page {
  files: ({ file_path?: string; path?: string } | string)[];
}

export interface DriftFinding {
  class: string;
  line: number;
  name: string;
  message: string;
  target_node_id?: string;
}

export interface DriftAnswer extends Page {
  findings: DriftFinding[];
  source_path: string;
}
