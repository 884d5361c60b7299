// A map of a sweep rendered by the server: redrawn for its width and for new points, with arrow
// keys between cells. Without this script each cell is a link.

import {request} from "./request.js";

// mapsIn prepares all maps in an element.
export function mapsIn(root) {
  for (const element of root.querySelectorAll("[data-map]")) {
    if ("walks" in element.dataset) continue;
    element.dataset.walks = "";
    walk(element);
    rove(element, [0, 0]);
    widths.observe(element);
  }
}

// Maps are rendered for the actual width, so that text is legible on a phone.
const widths = new ResizeObserver(entries => {
  for (const {target, contentRect} of entries) {
    const width = Math.round(contentRect.width);
    if (width >= 160 && Math.abs(width - target.querySelector("svg").viewBox.baseVal.width) > 8)
      remap(target);
  }
});

// remap requests the current map: one request at a time.
async function remap(target) {
  if ("asking" in target.dataset) {
    target.dataset.asking = "again";
    return;
  }
  target.dataset.asking = "";
  const width = Math.max(160, Math.round(target.clientWidth));
  const wish = new URLSearchParams({
    w: String(Math.min(width, 4000)),
    text: String(parseFloat(getComputedStyle(target).fontSize) * 0.82),
  });
  try {
    const answer = await request(
      target.dataset.src + ".svg" + target.dataset.query + wish,
      () => target.isConnected,
    );
    if (answer.status === 200) {
      const text = await answer.text();
      const focused = target.contains(document.activeElement),
        at = place(target.querySelector("[tabindex='0']"));
      target.innerHTML = text;
      const stop = rove(target, at);
      if (focused) stop?.focus({preventScroll: true});
    }
  } catch {
    /* the server is gone; what is drawn stays */
  }
  const again = target.dataset.asking === "again";
  delete target.dataset.asking;
  if (again) remap(target);
}

// takeMap redraws a map after a change, and reports whether there is such a map.
export function takeMap(root, news) {
  const figure = root.querySelector(`.map[id="figure-${CSS.escape(news.id)}"]`);
  if (!figure) return false;
  const note = figure.querySelector("[data-note]");
  if (note.textContent !== news.note) {
    note.textContent = news.note;
    remap(figure.querySelector("[data-map]"));
  }
  return true;
}

// place is the position of a cell: index of x, index of y.
function place(cell) {
  return (cell?.dataset.at ?? "0 0").split(" ").map(Number);
}

// rove makes one cell reachable by the Tab key, the one at a place or else the first, and returns
// it.
function rove(target, at) {
  const cells = [...target.querySelectorAll("[data-at]")];
  const stop = cells.find(c => c.dataset.at === at.join(" ")) ?? cells[0];
  for (const cell of cells) cell.setAttribute("tabindex", cell === stop ? "0" : "-1");
  const svg = target.querySelector("svg");
  if (stop) {
    svg.setAttribute("role", "group");
    svg.setAttribute(
      "aria-label",
      target.closest("figure").querySelector("h3").textContent +
        ": a map, in which the arrow keys move from cell to cell",
    );
  }
  return stop;
}

// walk moves the focus with the arrow keys, over gaps; Home and End go to the ends of a row. Enter
// follows the link.
function walk(target) {
  target.addEventListener("keydown", e => {
    const from = e.target.closest?.("[data-at]");
    if (!from || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
    const [x, y] = place(from);
    const rank = {
      // the lowest rank is taken
      ArrowRight: (i, j) => (j === y && i > x ? i - x : null),
      ArrowLeft: (i, j) => (j === y && i < x ? x - i : null),
      ArrowUp: (i, j) => (i === x && j > y ? j - y : null),
      ArrowDown: (i, j) => (i === x && j < y ? y - j : null),
      Home: (i, j) => (j === y ? i : null),
      End: (i, j) => (j === y ? -i : null),
    }[e.key];
    if (!rank) return;
    e.preventDefault();
    let best = null,
      least = Infinity;
    for (const cell of target.querySelectorAll("[data-at]")) {
      const far = rank(...place(cell));
      if (far !== null && far < least) {
        best = cell;
        least = far;
      }
    }
    if (best) rove(target, place(best)).focus();
  });
  // A clicked cell is the new position.
  target.addEventListener("focusin", e => {
    const cell = e.target.closest("[data-at]");
    if (cell && cell.getAttribute("tabindex") !== "0") rove(target, place(cell));
  });
}
