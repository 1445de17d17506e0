connect("impact", (answer) => {
  const rows = answer.blast_radius || [];
  const names = { breaks: "Breaks", behaviour: "May behave differently", test: "Tests", doc: "Documents" };
  const closure = answer.closure || {};
  const parts = [element("h1", "Impact: " + (answer.total_rows ?? rows.length) + " nodes")];
  if (closure.why) parts.push(element("p", closure.why));
  for (const [word, name] of Object.entries(names)) {
    const own = rows.filter((row) => row.class === word);
    if (own.length === 0) continue;
    parts.push(element("h2", name + " (" + own.length + ")"));
    parts.push(list(own, (row) => {
      const item = element("li", "", element("code", row.label), element("small", "  " + place(row.file_path, row.line_start)));
      item.className = word;
      const steps = row.witness || [];
      if (steps.length > 0) {
        const way = steps.map((step) =>
          element("li", step.from + " " + step.relation + " " + step.to + " (" + step.tier + ")  " + place(step.file_path, step.line)));
        const details = element("details", "", element("summary", row.hop_distance + (row.hop_distance === 1 ? " step" : " steps")));
        const ordered = element("ol");
        ordered.append(...way);
        details.append(ordered);
        item.append(details);
      }
      return item;
    }));
  }
  if (rows.length === 0) parts.push(element("p", "Nothing that is known depends on it."));
  return parts;
});
