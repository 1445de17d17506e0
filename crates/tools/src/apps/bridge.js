"use strict";
// Connects a view with its host: MCP Apps, 2026-01-26. Texts are only ever set as text.
const element = (name, text, ...children) => {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
};
const list = (rows, draw) => {
  const made = element("ul");
  made.append(...rows.map(draw));
  return made;
};
const place = (path, line) => (path ? path + (line ? ":" + line : "") : "");
const connect = (name, draw) => {
  const main = document.querySelector("main");
  const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const theme = (context) => {
    if (context && (context.theme === "light" || context.theme === "dark")) {
      document.documentElement.dataset.theme = context.theme;
    }
  };
  const show = (...content) => main.replaceChildren(...content);
  const read = (result) => {
    if (result.structuredContent) return result.structuredContent;
    const text = (result.content || []).filter((part) => part.type === "text").map((part) => part.text);
    try {
      return JSON.parse(text[0]);
    } catch {
      return text.join("\n");
    }
  };
  const receive = (result) => {
    const answer = read(result);
    const isText = typeof answer === "string" || typeof answer.text === "string";
    if (result.isError || isText) {
      const text = typeof answer === "string" ? answer : answer.text || answer.error || JSON.stringify(answer, null, 2);
      show(element("pre", text));
      return;
    }
    show(...draw(answer));
  };
  addEventListener("message", (event) => {
    const message = event.data;
    if (event.source !== parent || !message || message.jsonrpc !== "2.0") return;
    if (message.id === 1 && message.result) {
      theme(message.result.hostContext);
      send({ method: "ui/notifications/initialized", params: {} });
    } else if (message.method === "ui/notifications/tool-result") {
      receive(message.params || {});
    } else if (message.method === "ui/notifications/tool-cancelled") {
      show(element("p", "The call was cancelled."));
    } else if (message.method === "ui/notifications/host-context-changed") {
      theme(message.params);
    } else if (message.method === "ui/resource-teardown" || message.method === "ping") {
      send({ id: message.id, result: {} });
    }
  });
  new ResizeObserver(() => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    send({ method: "ui/notifications/size-changed", params: { height } });
  }).observe(document.documentElement);
  show(element("p", "Waiting for the answer."));
  send({
    id: 1,
    method: "ui/initialize",
    params: { appInfo: { name: "m1nd " + name, version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" },
  });
};
