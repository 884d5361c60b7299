// The editor of a model: line numbers, marked problems, and sliders for parameters.

export function edit(form) {
  const area = form.querySelector("textarea"),
    gutter = form.querySelector("[data-gutter]"),
    marks = form.querySelector("[data-marks]");
  const list = form.querySelector("[data-problems]"),
    meaning = form.querySelector("[data-meaning]"),
    diagram = document.querySelector("[data-diagram]"),
    parameters = form.querySelector("[data-parameters]");
  let problems = [...list.querySelectorAll("[data-line]")].map(b => ({
    line: Number(b.dataset.line),
    column: Number(b.dataset.column),
  }));

  // Line height and text widths are measured, since letters need not be equally wide.
  const measure = () => {
    const style = getComputedStyle(area),
      probe = document.createElement("canvas").getContext("2d");
    probe.font = `${style.fontSize} ${style.fontFamily}`;
    return {
      line: parseFloat(style.lineHeight),
      top: parseFloat(style.paddingTop),
      left: parseFloat(style.paddingLeft),
      width: text => probe.measureText(text.replaceAll("\t", "  ")).width,
    };
  };

  const mark = () => {
    const m = measure(),
      bad = new Set(problems.map(p => p.line));
    const lines = area.value.split("\n");
    gutter.replaceChildren(
      ...lines.map((_, i) => {
        const span = document.createElement("span");
        span.textContent = i + 1 + "\n";
        if (bad.has(i + 1)) span.className = "bad";
        return span;
      }),
    );
    marks.replaceChildren();
    for (const p of problems) {
      if (!p.line) continue;
      const top = m.top + (p.line - 1) * m.line - area.scrollTop;
      const stripe = document.createElement("i");
      stripe.style.top = top + "px";
      stripe.style.height = m.line + "px";
      const word = document.createElement("b");
      const [before, after] = parted(lines[p.line - 1] ?? "", p.column);
      word.style.top = top + "px";
      word.style.height = m.line + "px";
      word.style.left = m.left + m.width(before) - area.scrollLeft + "px";
      word.style.width = m.width(after.match(/^[^\s,}\]]*/)[0] || "0") + "px";
      marks.append(stripe, word);
    }
    // Space below the numbers for the scroll bar of the text, so that both scroll equally far.
    gutter.style.paddingBottom = m.top + area.offsetHeight - area.clientHeight + "px";
    gutter.scrollTop = area.scrollTop;
  };
  area.addEventListener("scroll", mark, {passive: true});
  new ResizeObserver(mark).observe(area);

  // The server checks the text after a pause in typing. A request under way is aborted.
  // An answer to an older text or older values is dropped, and they are checked again: it would
  // replace what has been typed since.
  let timer = 0,
    typed = 0,
    asked = new AbortController();
  const checkSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(check, 250);
  };
  const check = async () => {
    asked.abort();
    const mine = (asked = new AbortController()),
      before = typed;
    const body = new URLSearchParams(new FormData(form));
    let answer, text;
    try {
      answer = await fetch("/check", {method: "POST", body, signal: mine.signal});
      text = await answer.text();
    } catch {
      return;
    }
    if (mine.signal.aborted) return;
    if (typed !== before) {
      checkSoon();
      return;
    }
    if (!answer.ok) {
      // too long, or the server is closing
      const words = document.createElement("p");
      words.className = "verdict bad";
      words.textContent = "It is not checked: " + text.trim();
      list.replaceChildren(words);
      return;
    }
    const found = JSON.parse(text);
    problems = found.problems;
    commands(found);
    const fresh = document.createElement("template");
    fresh.innerHTML = found.list;
    // Screen readers read it whenever it is replaced.
    if (fresh.innerHTML !== list.innerHTML) list.replaceChildren(fresh.content);
    if (found.good) {
      meaning.innerHTML = found.meaning;
      diagram.innerHTML = found.diagram;
      const focus = document.activeElement?.name,
        kind = document.activeElement?.type;
      parameters.innerHTML = found.parameters;
      slide();
      if (focus)
        parameters
          .querySelector(`[name="${CSS.escape(focus)}"]${kind === "range" ? " ~ input" : ""}`)
          ?.focus();
    }
    mark();
  };
  // The command lines follow the fields.
  const place = document.querySelector("[data-commands]");
  const commands = found => {
    place.hidden = found.commands === "";
    place.querySelector("[data-command]").textContent = found.commands;
    const wrong = place.querySelector("[data-wrong]");
    wrong.hidden = found.wrong === "";
    wrong.querySelector("span").textContent = found.wrong;
  };
  let soon = 0,
    wished = 0;
  const changedField = () => {
    clearTimeout(soon);
    soon = setTimeout(async () => {
      const turn = ++wished;
      const answer = await fetch("/commands", {
        method: "POST",
        body: new URLSearchParams(new FormData(form)),
      }).catch(() => null);
      if (turn === wished && answer?.ok) commands(await answer.json());
    }, 250);
  };
  form.addEventListener("input", e => {
    typed++;
    if (e.target !== area) changedField();
  });
  area.addEventListener("input", () => {
    checkSoon();
    mark();
  });
  form.querySelector("[data-check]").addEventListener("click", e => {
    e.preventDefault();
    check();
  });

  // Tab moves on, as everywhere; Enter keeps the indentation.
  area.addEventListener("keydown", e => {
    if (e.key !== "Enter" || e.isComposing || e.ctrlKey || e.metaKey) return;
    const before = area.value.slice(0, area.selectionStart),
      line = before.slice(before.lastIndexOf("\n") + 1);
    const indent = line.match(/^ */)[0] + (/:\s*$/.test(line) ? "  " : "");
    if (!indent) return;
    e.preventDefault();
    area.setRangeText("\n" + indent, area.selectionStart, area.selectionEnd, "end");
    area.dispatchEvent(new Event("input", {bubbles: true}));
  });

  list.addEventListener("click", e => {
    const button = e.target.closest("[data-line]");
    if (!button) return;
    const lines = area.value.split("\n"),
      line = Number(button.dataset.line);
    const at =
      lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0) +
      parted(lines[line - 1] ?? "", Number(button.dataset.column))[0].length;
    area.focus();
    area.setSelectionRange(at, at);
    area.scrollTop = Math.max(0, (line - 4) * measure().line);
  });

  // slide adds a slider to each parameter that is one quantity. The text field is sent.
  const slide = () => {
    for (const field of parameters.querySelectorAll("input[name^='set.']")) {
      const row = field.closest(".parameter");
      const changed = () => row.classList.toggle("changed", field.value.trim() !== field.dataset.value);
      field.addEventListener("input", changed);
      changed();
      if (!("slides" in field.dataset)) continue;
      const {unit, min, max, step} = field.dataset;
      const range = document.createElement("input");
      range.type = "range";
      Object.assign(range, {min, max, step: "any"});
      range.setAttribute(
        "aria-label",
        `${row.querySelector("label").textContent}${unit ? ", in " + unit : ""}`,
      );
      const digits = Math.max(0, Math.ceil(-Math.log10(Number(step))) + 1);
      const worth = () => parseFloat(field.value.replaceAll("_", ""));
      const say = () => range.setAttribute("aria-valuetext", field.value);
      const written = x => Number(x.toFixed(digits)) + (unit === "%" ? "%" : unit ? " " + unit : "");
      range.value = worth();
      say();
      range.addEventListener("input", () => {
        const x = Math.min(Math.max(Math.round(range.value / step) * step, Number(min)), Number(max));
        field.value = written(x);
        say();
        changed();
      });
      range.addEventListener("keydown", e => {
        const by = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 20, PageDown: -20}[
          e.key
        ];
        if (!by) return;
        e.preventDefault();
        range.value = Math.min(
          Math.max((Math.round(range.value / step) + by) * step, Number(min)),
          Number(max),
        );
        range.dispatchEvent(new Event("input", {bubbles: true}));
      });
      field.addEventListener("input", () => {
        if (Number.isFinite(worth())) {
          range.value = worth();
          say();
        }
      });
      row.append(range);
    }
  };
  slide();
  mark();

  // The text is kept when the page is left, and restored when the visitor returns. It has the
  // digest of the file it was made from, so it cannot be saved over a newer one. Browsers restore
  // fields at other times, and not all of them.
  const key = "almanac " + form.dataset.model;
  addEventListener("pagehide", () => {
    try {
      sessionStorage.setItem(key, JSON.stringify([...new FormData(form)]));
    } catch {
      /* there is no room for it */
    }
  });
  if (performance.getEntriesByType("navigation")[0]?.type === "back_forward") {
    for (const [name, value] of JSON.parse(sessionStorage.getItem(key) ?? "[]")) {
      const field = form.elements.namedItem(name);
      if (field && name !== "path" && !name.startsWith("was."))
        field.value = name === "source" ? value.replaceAll("\r\n", "\n") : value;
    }
    for (const field of parameters.querySelectorAll("input[name^='set.']"))
      field.dispatchEvent(new Event("input"));
    mark();
    check();
  }
}

// parted splits a line at a column. Columns count code points.
function parted(line, column) {
  const letters = [...line],
    at = Math.max(0, column - 1);
  return [letters.slice(0, at).join(""), letters.slice(at).join("")];
}
