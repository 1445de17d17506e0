// The memory by the program's commands, until the server answers `/api/memory`.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

export function startMemory(binary, root, home) {
  const call = async (...args) => {
    const { stdout } = await run(binary, ["memory", ...args, "--json"], { cwd: root, env: { ...process.env, M1ND_HOME: home }, maxBuffer: 1 << 26 });
    return JSON.parse(stdout);
  };
  return {
    async list() {
      const exported = await call("export", "--include-index").catch(() => undefined);
      const project = exported?.projects?.[0];
      if (!project) return { registered: false, approved: false, memories: [], sources: [], hidden: [] };
      const { approved, sources } = await call("approve", "--dry-run");
      const known = new Map(project.index.memories.map((m) => [m.id, m]));
      const memories = project.memories.map((m) => {
        const { state, code } = known.get(m.id) ?? {};
        return { ...m, state, code: (code ?? []).map((c) => ({ name: c.name, node_id: c.node_id, state: state ?? "unknown" })) };
      });
      return { project: project.path, registered: true, approved, memories, sources, hidden: [] };
    },
    approve: ({ sources = [], undo }) => call("approve", ...sources, ...(undo ? ["--undo"] : [])),
    forget: ({ id, undo, dry_run }) => call("forget", id, ...(undo ? ["--undo"] : []), ...(dry_run ? ["--dry-run"] : [])),
  };
}
