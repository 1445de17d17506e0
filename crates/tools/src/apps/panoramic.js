connect("panoramic", (answer) => {
  const modules = answer.modules || [];
  const parts = [element("h1", "Risk of " + (answer.total_modules ?? modules.length) + " files")];
  if (answer.overall_health != null) parts.push(element("p", "Health " + Math.round(answer.overall_health * 100) + " %"));
  if (answer.what_is_missing) parts.push(element("p", answer.what_is_missing));
  parts.push(list(modules, (row) => {
    const value = row.combined_risk;
    const item = element("li", "", element("code", row.source_path || row.label));
    if (value != null) {
      const meter = element("meter");
      meter.value = value;
      meter.setAttribute("aria-label", "combined risk");
      item.append(element("small", "  " + value.toFixed(2) + " "), meter);
    }
    item.className = row.is_critical ? "breaks" : "";
    const known = Object.entries(row.parts || {}).map(([part, share]) => part + " " + share.toFixed(2));
    if (known.length > 0) item.append(element("br"), element("small", known.join(" · ")));
    if (row.recommendation) item.append(element("br"), element("small", row.recommendation));
    return item;
  }));
  return parts;
});
