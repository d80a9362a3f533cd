"use strict";
// On paper nothing can be opened, so all of it is printed.
(() => {
  const folded = [];
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details:not([open])")) { details.open = true; folded.push(details); }
  });
  addEventListener("afterprint", () => { for (const details of folded.splice(0)) details.open = false; });
})();
// In a frame of `pagetide serve`, which makes the frame as high as this page.
(() => {
  if (parent === window) return;
  const tell = () => parent.postMessage({ height: document.documentElement.offsetHeight }, "*");
  new ResizeObserver(tell).observe(document.body);
})();
(() => {
  const root = document.getElementById("timeline");
  if (!root) return;
  const tip = document.getElementById("tip");
  const data = JSON.parse(document.getElementById("data").textContent);
  const left = +root.dataset.left, width = +root.dataset.width, right = +root.dataset.right;
  const svgs = [...root.querySelectorAll("svg.plot")];
  const values = svgs.map((svg) => [...svg.closest("figure").querySelectorAll(".value")]);
  const resting = values.map((list) => list.map((item) => item.textContent));

  // On a narrow screen the plots scroll sideways: the cause is what they show first.
  const cause = root.querySelector(".stage.root");
  if (cause) root.scrollLeft = cause.getBoundingClientRect().left - root.getBoundingClientRect().left - root.clientWidth / 3;

  // The crosshair says what the browser's own tooltips would say; the words stay for screen readers.
  for (const svg of root.querySelectorAll("svg")) {
    svg.setAttribute("aria-label", svg.querySelector("title").textContent);
    if (svg.matches(".plot")) for (const title of svg.querySelectorAll("title")) title.remove();
  }

  const group = (value) => Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, " ");
  const plain = (value) => (value >= 99.95 || Number.isInteger(value) ? group(value) : value.toFixed(value >= 9.995 ? 1 : 2));
  const scaled = (value, base, units) => {
    let unit = 0;
    while (value >= base * 0.9995 && unit < units.length - 1) { value /= base; unit += 1; }
    return (unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(value >= 9.995 ? 1 : 2)) + " " + units[unit];
  };
  const written = {
    "bytes": (value) => scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]),
    "B/s": (value) => scaled(value, 1024, ["B/s", "KiB/s", "MiB/s", "GiB/s"]),
    "/s": (value) => plain(value) + "/s",
    "pages/s": (value) => plain(value) + " pages/s",
    "share": (value) => (value * 100).toFixed(value >= 0.1 ? 0 : 1) + " %",
    "": plain,
  };

  // The index of the last entry at or before `time`.
  const before = (list, time) => {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] <= time) low = middle + 1; else high = middle;
    }
    return low - 1;
  };
  const valueAt = (plot, line, time) => {
    if (line.spans) {
      const span = line.spans.findLast((span) => span[0] <= time && time <= span[1]);
      return span ? span[2] : null;
    }
    if (!plot.at) return line.values[before(data.edges, time)] ?? null;
    let index = before(plot.at, time);
    if (index < 0 || (index + 1 < plot.at.length && plot.at[index + 1] - time < time - plot.at[index])) index += 1;
    return line.values[index] ?? null;
  };
  const show = (plot, value) => {
    if (value === null) return "–";
    const write = written[plot.measure];
    return Array.isArray(value) ? write(value[1]) + " (" + write(value[0]) + " – " + write(value[2]) + ")" : write(value);
  };
  const offset = (ms) => (ms < 1000 ? ms.toFixed(1) + " ms" : ms < 60000 ? (ms / 1000).toFixed(2) + " s"
    : Math.floor(ms / 60000) + " min " + ((ms % 60000) / 1000).toFixed(1) + " s");
  const element = (name, kind, text) => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    made.append(text);
    return made;
  };

  let current = null;
  const hide = () => {
    current = null;
    tip.hidden = true;
    for (const svg of svgs) svg.querySelector(".cross").setAttribute("visibility", "hidden");
    values.forEach((list, at) => list.forEach((item, line) => { item.textContent = resting[at][line]; }));
  };
  const point = (time, chosen, x, y) => {
    current = time = Math.min(Math.max(time, 0), data.span);
    const place = left + (time / data.span) * (width - left - right);
    svgs.forEach((svg, at) => {
      const cross = svg.querySelector(".cross");
      cross.setAttribute("x1", place);
      cross.setAttribute("x2", place);
      cross.setAttribute("visibility", "visible");
      const plot = data.plots[at];
      plot.lines.forEach((line, index) => { values[at][index].textContent = show(plot, valueAt(plot, line, time)); });
    });
    const [from, to, local] = data.stretches.findLast((stretch) => stretch[0] <= time) ?? data.stretches[0];
    const cut = data.stretches.length > 1;
    const when = element("div", "when", element("span", "", cut ? (time > to ? "nothing recorded" : "") : offset(time)));
    if (local !== null && time <= to) {
      const text = new Date(local + time - from).toISOString();
      // Days in 1970 stand in for days that are not known.
      const day = cut && !text.startsWith("1970") ? text.slice(0, 10) + " " : "";
      when.append(element("span", "", day + text.slice(11, 21) + " " + data.zone));
    }
    tip.replaceChildren(when);
    for (const [id, title] of data.steps.filter((step) => step[2] <= time && time <= step[3])) {
      tip.append(element("span", "step", id + " " + title));
    }
    const plot = data.plots[chosen];
    for (const line of plot.lines) {
      const row = element("div", "", element("span", "", line.name));
      row.firstChild.prepend(element("i", "key f-" + line.hue, ""));
      row.append(element("b", "", show(plot, valueAt(plot, line, time))));
      tip.append(row);
    }
    tip.hidden = false;
    const beside = x + 16 + tip.offsetWidth > innerWidth ? x - 16 - tip.offsetWidth : x + 16;
    tip.style.left = Math.max(4, beside) + "px";
    tip.style.top = Math.max(4, Math.min(y + 16, innerHeight - tip.offsetHeight - 4)) + "px";
  };

  // Where a moment of the recording's axis stands, in ms from the start of the plots' axis: time may be cut out.
  const placed = (at) => {
    const stretch = data.stretches.findLast((known) => known[3] <= at) ?? data.stretches[0];
    return Math.min(stretch[0] + Math.max(at - stretch[3], 0), stretch[1]);
  };
  const across = (time) => left + (time / data.span) * (width - left - right);
  const named = "http://www.w3.org/2000/svg";
  const drawn = (name, attributes) => {
    const made = document.createElementNS(named, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  // Evidence that is pointed at, or has the focus, marks the time over which it was measured.
  const unmark = () => { for (const mark of root.querySelectorAll("rect.stretch")) mark.remove(); };
  const mark = (cell) => {
    unmark();
    const from = across(placed(+cell.dataset.from)), to = across(placed(+cell.dataset.to));
    for (const svg of svgs) {
      const line = svg.querySelector(".cross");
      const top = +line.getAttribute("y1"), height = +line.getAttribute("y2") - top;
      svg.insertBefore(drawn("rect", { class: "stretch", x: from, y: top, width: Math.max(to - from, 2), height }), line);
    }
  };
  for (const cell of document.querySelectorAll("td[data-from]")) {
    cell.tabIndex = 0;
    cell.title = "marks the time over which this was measured in the plots";
    cell.parentNode.addEventListener("pointerenter", () => mark(cell));
    cell.parentNode.addEventListener("pointerleave", unmark);
    cell.addEventListener("focus", () => mark(cell));
    cell.addEventListener("blur", unmark);
  }

  // Arrows from each cause to its effects, between the markers at their onsets.
  const markers = [...root.querySelectorAll(".marker")];
  const overlay = markers.length > 1 ? root.appendChild(drawn("svg", { class: "arrows", "aria-hidden": "true" })) : null;
  const arrows = () => {
    if (!overlay) return;
    const box = root.getBoundingClientRect();
    const middle = (marker) => {
      const circle = marker.querySelector("circle").getBoundingClientRect();
      return [circle.left + circle.width / 2 - box.left + root.scrollLeft, circle.top + circle.height / 2 - box.top, circle.width / 2];
    };
    overlay.replaceChildren();
    overlay.setAttribute("width", 0);
    overlay.setAttribute("width", root.scrollWidth);
    overlay.setAttribute("height", root.clientHeight);
    for (const marker of markers) {
      const cause = markers.find((other) => other.dataset.stage === marker.dataset.after);
      if (!cause) continue;
      const [fromX, fromY, radius] = middle(cause), [toX, toY] = middle(marker);
      const length = Math.hypot(toX - fromX, toY - fromY);
      if (length < 2 * radius + 4) continue;
      // A little to the side, so that arrows between plots do not cover the lines at the onset.
      const bend = Math.abs(toY - fromY) > 3 * radius ? -Math.min(46, length / 4) : 0;
      const midX = (fromX + toX) / 2 + bend, midY = (fromY + toY) / 2;
      const toward = (x, y, otherX, otherY, distance) => {
        const far = Math.hypot(otherX - x, otherY - y) || 1;
        return [x + ((otherX - x) / far) * distance, y + ((otherY - y) / far) * distance];
      };
      const [startX, startY] = toward(fromX, fromY, midX, midY, radius);
      const [endX, endY] = toward(toX, toY, midX, midY, radius + 6);
      overlay.append(drawn("path", { d: `M${startX} ${startY}Q${midX} ${midY} ${endX} ${endY}` }));
      const [tipX, tipY] = toward(toX, toY, midX, midY, radius);
      const sideX = (tipY - endY) * 0.7, sideY = (endX - tipX) * 0.7;
      overlay.append(drawn("path", { class: "head", d: `M${tipX} ${tipY}L${endX + sideX} ${endY + sideY}L${endX - sideX} ${endY - sideY}Z` }));
    }
  };
  arrows();
  new ResizeObserver(arrows).observe(root);

  root.addEventListener("pointermove", (event) => {
    const svg = event.target.closest("svg.plot");
    if (!svg) return hide();
    const box = svg.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * width;
    if (place < left || place > width - right) return hide();
    point(((place - left) / (width - left - right)) * data.span, svgs.indexOf(svg), event.clientX, event.clientY);
  });
  root.addEventListener("pointerleave", hide);
  root.addEventListener("blur", hide);
  root.addEventListener("keydown", (event) => {
    const edges = data.edges, last = edges.length - 1;
    if (last < 0 || svgs.length === 0) return;
    if (event.key === "Escape") return hide();
    const at = current === null ? -1 : before(edges, current + 0.05);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last, PageDown: at + 20, PageUp: at - 20 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const time = edges[Math.min(Math.max(next, 0), last)];
    const box = svgs[0].getBoundingClientRect();
    point(time, 0, box.left + ((left + (time / data.span) * (width - left - right)) / width) * box.width, box.top);
  });
})();
