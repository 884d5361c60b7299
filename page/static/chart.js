// A chart rendered by the server: numbers under the pointer, zoom, log axis, lines on and off, and
// new points while a run goes on.
//
// The script moves the points of lines while they grow. When they leave the axes, or the visitor
// wants another view, the server renders the chart again.

import {request} from "./request.js";
import {mapsIn} from "./map.js";

const made = new WeakMap();
const svgNS = "http://www.w3.org/2000/svg";

// figures makes charts of all figures in an element.
export function figures(root) {
  for (const element of root.querySelectorAll("[data-figure]"))
    if (!made.has(element)) made.set(element, new Chart(element));
  mapsIn(root);
}

// chartOf returns the chart of an element.
export function chartOf(element) {
  return made.get(element);
}

// number formats a number as in the tables.
export function number(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isInteger(x) && Math.abs(x) < 1) return String(Number(x.toPrecision(3)));
  return x.toLocaleString("en", {maximumFractionDigits: Math.abs(x) < 1000 ? 2 : 0});
}

class Chart {
  constructor(element) {
    this.element = element;
    this.plot = element.querySelector("[data-plot]");
    this.data = JSON.parse(element.querySelector("[data-data]").textContent);
    this.log = element.querySelector("[data-log]").defaultChecked; // as rendered by default
    this.view = {log: this.log, per: false, title: "", from: null, to: null, hidden: new Set()};
    this.cursor = null;
    this.over = document.createElementNS(svgNS, "svg");
    this.over.setAttribute("class", "over");
    this.over.setAttribute("aria-hidden", "true");
    this.adopt();
    this.controls();
    this.pointer();
    this.keys();
    // Rendered for the actual width, so that text is legible on a phone and on a projector.
    this.width = 0;
    new ResizeObserver(() => {
      const width = Math.round(this.plot.clientWidth);
      if (width >= 160 && Math.abs(width - this.width) > 8) {
        this.width = width;
        this.redraw();
      }
    }).observe(this.plot);
  }

  // adopt reads the axes of the rendered chart.
  adopt() {
    this.svg = this.plot.querySelector("svg.chart");
    const four = name => this.svg.dataset[name].split(" ").map(Number);
    const axis = (name, log) => {
      const [low, high, a, b] = four(name);
      const to = log ? Math.log10 : x => x;
      const back = log ? x => 10 ** x : x => x;
      const l = to(low),
        h = to(high);
      return {
        low,
        high,
        a,
        b,
        log,
        pixel: x => a + ((to(x) - l) / (h - l)) * (b - a),
        value: p => back(l + ((p - a) / (b - a)) * (h - l)),
      };
    };
    this.x = axis("x", this.svg.dataset.log.includes("x"));
    this.y = axis("y", this.svg.dataset.log.includes("y"));
    this.over.setAttribute("viewBox", this.svg.getAttribute("viewBox"));
    this.plot.append(this.over);
    this.show();
  }

  // redraw requests the current view from the server: one request at a time, the latest view last.
  async redraw() {
    const wish = this.wish();
    this.away(wish);
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = true;
    wish.set("w", Math.min(Math.max(Math.round(this.plot.clientWidth), 160), 4000));
    wish.set(
      "text",
      parseFloat(getComputedStyle(this.element).fontSize) *
        (this.element.classList.contains("small") ? 0.75 : 0.82),
    );
    try {
      const answer = await request(
        this.element.dataset.src + ".svg" + this.element.dataset.query + wish,
        () => this.element.isConnected,
      );
      if (answer.status === 200) {
        this.plot.innerHTML = await answer.text();
        this.adopt();
        if (this.told) this.catchUp();
      }
    } catch {
      /* the server is gone; what is drawn stays */
    }
    this.asking = false;
    if (this.again) {
      this.again = false;
      this.redraw();
    }
  }

  // catchUp moves points to positions already received: during a run the server may send an older
  // rendering. If points leave its axes, another one is requested.
  catchUp() {
    const away = this.data.series.filter(
      (s, i) => !s.drawn && this.svg.querySelector(`g.line[data-series="${i}"]`) && this.draw(i),
    );
    if (away.length)
      setTimeout(() => {
        if (this.element.isConnected) this.redraw();
      }, 1000);
    this.show();
  }

  // wish is the current view as a query; empty for the whole chart.
  wish() {
    const wish = new URLSearchParams();
    if (this.view.log !== this.log) wish.set("log", this.view.log ? "y" : "n");
    if (this.view.per) wish.set("per", "y");
    if (this.view.title) wish.set("title", this.view.title);
    if (this.view.from !== null) {
      wish.set("from", this.view.from);
      wish.set("to", this.view.to);
    }
    if (this.view.hidden.size) wish.set("hide", [...this.view.hidden].join(","));
    return wish;
  }

  // away sets the downloads to the current view.
  away(wish) {
    const {src, query} = this.element.dataset;
    for (const link of this.element.querySelectorAll("[data-form]"))
      link.href = src + "." + link.dataset.form + query + wish;
    this.element.querySelector("[data-what]").textContent = String(wish)
      ? "Take away what is shown:"
      : "Take away:";
  }

  controls() {
    this.element.querySelector("[data-tools]").hidden = false;
    const log = this.element.querySelector("[data-log]");
    log.checked = this.log; // browsers may restore another state
    log.addEventListener("change", e => {
      this.view.log = e.target.checked;
      this.redraw();
    });
    const per = this.element.querySelector("[data-per]");
    if (per) {
      per.checked = false;
      per.addEventListener("change", () => {
        this.view.per = per.checked;
        this.count();
      });
    }
    const title = this.element.querySelector("[data-title]");
    if (title) {
      title.value = "";
      title.closest("label").hidden = false;
      title.addEventListener("input", () => {
        this.view.title = title.value.trim();
        this.away(this.wish());
      });
    }
    this.reset = this.element.querySelector("[data-reset]");
    this.reset.addEventListener("click", () => this.zoom(null, null));
    for (const button of this.element.querySelectorAll("[data-zoom]"))
      button.addEventListener("click", () => this.scale(Number(button.dataset.zoom), this.cursor));
    for (const box of this.element.querySelectorAll("input[data-line]")) {
      box.disabled = false;
      box.addEventListener("change", () => {
        const i = Number(box.dataset.line);
        if (box.checked) this.view.hidden.delete(i);
        else this.view.hidden.add(i);
        box.closest("li").classList.toggle("off", !box.checked);
        this.redraw();
      });
    }
  }

  // count requests the numbers of the current view: counts, or per 100,000 individuals.
  async count() {
    const per = this.view.per;
    try {
      const answer = await request(
        this.element.dataset.src + ".json" + this.element.dataset.query + (per ? "per=y" : ""),
        () => this.element.isConnected,
      );
      if (answer.status !== 200 || per !== this.view.per) return;
      this.data = await answer.json();
    } catch {
      return;
    }
    this.table();
    this.redraw();
  }

  zoom(from, to) {
    this.view.from = from;
    this.view.to = to;
    this.reset.hidden = from === null;
    this.redraw();
  }

  // scale zooms the x axis: in around a place or the middle, out around the middle.
  scale(by, around) {
    const xs = this.longest();
    if (!xs.length) return;
    if (by > 1) around = null;
    const {a, b} = this.x,
      low = xs[0],
      high = xs[xs.length - 1];
    const at = this.x.pixel(
      Math.min(Math.max(around ?? this.x.value((a + b) / 2), this.x.low, low), this.x.high, high),
    );
    const from = this.x.value(at - (by * (b - a)) / 2),
      to = this.x.value(at + (by * (b - a)) / 2);
    const first = this.x.pixel(low),
      rest = Math.max(0, this.x.pixel(from) - first) + Math.max(0, this.x.pixel(high) - this.x.pixel(to));
    // Nearly all is all.
    if (rest <= 0.02 * (this.x.pixel(high) - first)) this.zoom(null, null);
    else if (to > from) this.zoom(Math.max(from, low), Math.min(to, high));
  }

  // place is the position of an event on the x axis, in pixels of the drawing.
  place(e) {
    const box = this.svg.getBoundingClientRect();
    const scale = this.svg.viewBox.baseVal.width / box.width;
    return Math.min(Math.max((e.clientX - box.left) * scale, this.x.a), this.x.b);
  }

  pointer() {
    let from = null;
    this.plot.addEventListener("pointermove", e => {
      const p = this.place(e);
      if (from !== null && Math.abs(p - from) > 6) this.select(from, p);
      else this.point(this.x.value(p));
    });
    // After a tap the numbers stay, and the buttons zoom there.
    this.plot.addEventListener("pointerleave", e => {
      if (from === null && e.pointerType !== "touch" && document.activeElement !== this.plot)
        this.point(null);
    });
    this.plot.addEventListener("pointerdown", e => {
      if (e.pointerType === "touch") this.point(this.x.value(this.place(e)));
      if (e.button !== 0 || e.pointerType === "touch") return;
      from = this.place(e);
      this.plot.setPointerCapture(e.pointerId);
    });
    const end = (e, take) => {
      if (from === null) return;
      const p = this.place(e),
        [a, b] = [Math.min(from, p), Math.max(from, p)];
      from = null;
      this.select(null);
      if (take && b - a > 6) this.zoom(this.x.value(a), this.x.value(b));
    };
    this.plot.addEventListener("pointerup", e => end(e, true));
    this.plot.addEventListener("pointercancel", e => end(e, false));
    this.plot.addEventListener("dblclick", () => this.zoom(null, null));
  }

  // keys: for keyboards and screen readers the plot is a slider along x.
  keys() {
    const plot = this.plot;
    plot.tabIndex = 0;
    plot.setAttribute("role", "slider");
    plot.setAttribute(
      "aria-label",
      this.element.querySelector("figcaption h3").textContent + ": values along " + this.data.x,
    );
    plot.setAttribute("aria-valuemin", "0");
    plot.setAttribute("aria-valuemax", "0");
    plot.setAttribute("aria-valuenow", "0");
    plot.addEventListener("focus", () => {
      if (this.cursor === null) this.point(this.x.low);
    });
    plot.addEventListener("blur", () => this.point(null));
    plot.addEventListener("keydown", e => {
      const xs = this.longest();
      if (!xs.length) return;
      let i = nearest(xs, this.cursor ?? this.x.low);
      const far = Math.max(1, Math.round(xs.length / 10));
      const step = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: far, PageDown: -far}[
        e.key
      ];
      if (step) i = Math.min(Math.max(i + step, 0), xs.length - 1);
      else if (e.key === "Home") i = 0;
      else if (e.key === "End") i = xs.length - 1;
      else if (e.key === "+" || e.key === "-") {
        this.scale(e.key === "+" ? 0.5 : 2, xs[i]);
        e.preventDefault();
        return;
      } else if (e.key === "0" || e.key === "Escape") {
        this.zoom(null, null);
        return;
      } else return;
      e.preventDefault();
      this.point(xs[i]);
    });
  }

  // when formats an x as the server does: a date, or a number.
  when(x) {
    if (this.data.unit === undefined) return String(Number(x.toFixed(9)));
    const text = new Date(1000 * (this.data.zero + Math.round(x * this.data.unit))).toISOString();
    return text.slice(11, 19) === "00:00:00"
      ? text.slice(0, 10)
      : text.slice(0, 10) + " " + text.slice(11, 16);
  }

  longest() {
    return this.data.series.reduce((most, s) => (s.x.length > most.length ? s.x : most), []);
  }

  // point puts the cursor at an x, or removes it.
  point(x) {
    this.cursor = x;
    this.show();
  }

  // show draws the cursor and writes its numbers beside the names.
  show() {
    const shapes = [],
      words = [];
    const xs = this.longest();
    const at = this.cursor === null || !xs.length ? null : xs[nearest(xs, this.cursor)];
    if (at !== null && at >= this.x.low && at <= this.x.high)
      shapes.push(shape("line", {x1: this.x.pixel(at), x2: this.x.pixel(at), y1: this.y.a, y2: this.y.b}));
    this.data.series.forEach((s, i) => {
      const out = this.element.querySelector(`[data-value="${i}"]`);
      if (!out) return;
      out.textContent = "";
      if (at === null || this.view.hidden.has(i)) return;
      const k = s.steps ? s.x.findIndex(x => x >= at) : nearest(s.x, at);
      if (k < 0 || s.y[k] === null || s.y[k] === undefined) return;
      out.textContent = number(s.y[k]) + (s.lo ? ` (${number(s.lo[k])}–${number(s.hi[k])})` : "");
      words.push(`${s.name || "value"} ${out.textContent}`);
      const py = this.y.pixel(s.y[k]),
        line = this.svg.querySelector(`g.line[data-series="${i}"] path`);
      if (line && Number.isFinite(py) && at >= this.x.low && at <= this.x.high) {
        const dot = shape("circle", {cx: this.x.pixel(at), cy: py, r: 3.5});
        dot.setAttribute("stroke", line.getAttribute("stroke") || line.getAttribute("fill"));
        shapes.push(dot);
      }
    });
    this.over.replaceChildren(...shapes);
    if (at !== null) {
      this.plot.setAttribute("aria-valuemin", String(xs[0]));
      this.plot.setAttribute("aria-valuemax", String(xs[xs.length - 1]));
      this.plot.setAttribute("aria-valuenow", String(at));
      this.plot.setAttribute(
        "aria-valuetext",
        `${this.data.x} ${this.data.unit === undefined ? number(at) : this.when(at)}: ${words.join("; ")}`,
      );
    }
  }

  // select shows the range to be zoomed to.
  select(from, to) {
    if (from === null) {
      this.show();
      return;
    }
    this.over.replaceChildren(
      shape("rect", {
        x: Math.min(from, to),
        width: Math.abs(to - from),
        y: this.y.b,
        height: this.y.a - this.y.b,
      }),
    );
  }

  // take applies changes: for each series the points from an index on, and their number. It reports
  // success.
  take(news) {
    let away = false;
    const gap = n => {
      const s = this.data.series[n.i];
      return !s || n.from > s.x.length || (n.from + n.x.length < n.n && s.x.length < n.n);
    };
    if (news.series.some(gap)) return false;
    this.told = true;
    for (const n of news.series) {
      const s = this.data.series[n.i];
      for (const key of ["x", "y", "lo", "hi"]) {
        if (!n[key]) {
          if (n.from === 0 && n.n > 0) delete s[key];
          continue;
        }
        s[key] ??= [];
        s[key].splice(n.from, n[key].length, ...n[key]);
        s[key].length = n.n;
      }
      away = this.draw(n.i) || away;
    }
    this.element.querySelector("[data-note]").textContent = news.note;
    this.show();
    const numbers = this.element.querySelector("[data-numbers]");
    if (numbers.open && !this.tabling)
      this.tabling = setTimeout(() => {
        this.tabling = 0;
        this.table();
      }, 1000);
    if (away) this.redraw();
    return true;
  }

  // draw moves the points of a series, and reports whether they leave the axes.
  draw(i) {
    if (this.view.hidden.has(i)) return false;
    const s = this.data.series[i],
      steps = s.steps;
    if (s.drawn) return true; // only the server draws bars
    const line = this.svg.querySelector(`g.line[data-series="${i}"]`),
      band = this.svg.querySelector(`g.band[data-series="${i}"]`);
    if (!line) return true;
    let away = false;
    const path = (y, backwards) => {
      let points = [];
      for (let k = 0; k < s.x.length; k++) {
        if (
          y[k] === null ||
          (this.y.log && !(y[k] > 0)) ||
          (s.x[k] < this.x.low && s.x[k + 1] < this.x.low) ||
          (s.x[k] > this.x.high && s.x[k - 1] > this.x.high)
        )
          continue;
        // Neighbours outside of the window do not count: the axis need not include them.
        const seen = steps
          ? k > 0 && s.x[k] > this.x.low && s.x[k - 1] < this.x.high
          : s.x[k] >= this.x.low && s.x[k] <= this.x.high;
        if (seen && (y[k] > this.y.high || y[k] < this.y.low)) away = true;
        const py = this.y.pixel(Math.min(Math.max(y[k], this.y.low), this.y.high)).toFixed(1);
        const px = x => this.x.pixel(Math.min(Math.max(x, this.x.low), this.x.high)).toFixed(1);
        if (!steps) points.push(px(s.x[k]) + " " + py);
        else if (k > 0) points.push(px(s.x[k - 1]) + " " + py, px(s.x[k]) + " " + py);
      }
      if (backwards) points.reverse();
      return points.join("L");
    };
    const first = line.querySelector("path[fill=none]");
    if (!first) return s.y.length > 1; // the server has not drawn this line yet, and knows its colour
    const d = path(s.y);
    first.setAttribute("d", d ? "M" + d : "");
    for (const other of [...line.children]) if (other !== first) other.remove();
    if (band && s.lo) {
      let area = band.querySelector("path");
      if (!area) {
        area = document.createElementNS(svgNS, "path");
        area.setAttribute("fill", first.getAttribute("stroke"));
        area.setAttribute("fill-opacity", "0.25");
        band.append(area);
      }
      const up = path(s.hi),
        down = path(s.lo, true);
      area.setAttribute("d", up && down ? "M" + up + "L" + down + "Z" : "");
    }
    return away;
  }

  // table rewrites the table as the server does: at most 200 rows.
  table() {
    const xs = this.longest(),
      rows = [];
    let every = 1;
    while (Math.floor(xs.length / every) > 200) every *= 2;
    this.element.querySelector("[data-some]").hidden = every === 1;
    for (let k = 0; k < xs.length; k += every) {
      const row = document.createElement("tr"),
        head = document.createElement("th");
      head.scope = "row";
      head.textContent = this.when(xs[k]);
      row.append(head);
      for (const s of this.data.series) {
        const cell = document.createElement("td");
        if (s.x[k] === xs[k] && s.y[k] !== null)
          cell.textContent = number(s.y[k]) + (s.lo ? ` (${number(s.lo[k])}–${number(s.hi[k])})` : "");
        row.append(cell);
      }
      rows.push(row);
    }
    this.element.querySelector("[data-numbers] tbody").replaceChildren(...rows);
  }
}

function shape(name, attributes) {
  const element = document.createElementNS(svgNS, name);
  for (const [key, value] of Object.entries(attributes))
    element.setAttribute(key, typeof value === "number" ? value.toFixed(2) : value);
  return element;
}

// nearest is the index of the number nearest to x in a sorted list.
function nearest(xs, x) {
  let low = 0,
    high = xs.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (xs[middle] < x) low = middle;
    else high = middle;
  }
  return Math.abs(xs[low] - x) <= Math.abs(xs[high] - x) ? low : high;
}
