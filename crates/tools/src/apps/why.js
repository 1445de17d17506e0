connect("why", (answer) => {
  const name = (end) => (end && end.label) || "?";
  const parts = [element("h1", name(answer.source) + " → " + name(answer.target))];
  const closure = answer.closure || {};
  if (closure.why) parts.push(element("p", closure.why));
  const paths = answer.paths || [];
  paths.forEach((path, at) => {
    parts.push(element("h2", "Path " + (at + 1) + ": " + path.hops + (path.hops === 1 ? " step" : " steps")));
    parts.push(list(path.steps || [], (step) => {
      const ends = step.forward ? [step.from_label, step.to_label] : [step.to_label, step.from_label];
      const item = element("li", "",
        element("code", ends[0] + " " + step.relation + " " + ends[1]),
        element("small", "  " + place(step.file_path, step.line) + "  " + step.tier + (step.of > 1 ? ", 1 of " + step.of : "")));
      item.className = step.tier === "certain" ? "certain" : "possible";
      return item;
    }));
  });
  if (paths.length === 0) parts.push(element("p", "No path from one to the other was found."));
  return parts;
});
