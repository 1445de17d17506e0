"use strict";
(() => {
  const svg = document.querySelector("svg");
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const whole = { x: 0, y: 0, width, height };
  let box = { ...whole };
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  const show = () => svg.setAttribute("viewBox", [box.x, box.y, box.width, box.height].join(" "));
  const scale = () => {
    const size = svg.getBoundingClientRect();
    return Math.max(box.width / size.width, box.height / size.height);
  };
  const zoom = (factor, x, y) => {
    const next = Math.min(Math.max(box.width * factor, width / 40), width * 4) / box.width;
    box = { x: x - (x - box.x) * next, y: y - (y - box.y) * next, width: box.width * next, height: box.height * next };
    show();
  };
  const locate = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [point.x, point.y];
  };
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(event.deltaY * 0.0015), ...locate(event));
  }, { passive: false });
  const pointers = new Map();
  svg.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, event);
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const others = [...pointers.values()].filter((other) => other.pointerId !== event.pointerId);
    if (others.length > 0) {
      const distance = (a) => Math.hypot(a.clientX - others[0].clientX, a.clientY - others[0].clientY) || 1;
      zoom(distance(last) / distance(event), ...locate(event));
    } else {
      box.x -= (event.clientX - last.clientX) * scale();
      box.y -= (event.clientY - last.clientY) * scale();
      show();
    }
    pointers.set(event.pointerId, event);
  });
  for (const name of ["pointerup", "pointercancel"]) {
    svg.addEventListener(name, (event) => pointers.delete(event.pointerId));
  }
  svg.addEventListener("keydown", (event) => {
    const step = box.width / 10;
    const middle = [box.x + box.width / 2, box.y + box.height / 2];
    const moves = {
      ArrowLeft: () => { box.x -= step; }, ArrowRight: () => { box.x += step; },
      ArrowUp: () => { box.y -= step; }, ArrowDown: () => { box.y += step; },
      "+": () => zoom(0.8, ...middle), "=": () => zoom(0.8, ...middle), "-": () => zoom(1.25, ...middle),
      0: () => { box = { ...whole }; },
    };
    if (event.key in moves && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      moves[event.key]();
      show();
    }
  });
})();
