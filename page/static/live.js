// A run that goes on: events of the server move the charts and say how far it is. A connection that is lost comes back by itself, and the
// browser says which event it saw last.
import {figures, chartOf, number} from "./chart.js";
import {takeMap} from "./map.js";
import {copies} from "./copy.js";
import {ask} from "./ask.js";

const over = state => state === "done" || state === "stopped" || state === "failed";

export function watch(element) {
  if (over(element.dataset.state)) return;
  const find = name => element.querySelector(`[data-${name}]`);
  let source = null, ended = false, said = 0, frame = 0, waiting = [];
  const part = new URLSearchParams(location.search); // only the charts of this page are told of
  part.set("of", element.dataset.of);

  // What came since the last picture of the screen is put in at once. While parts of the page are being made anew it waits: they may be from before it.
  const take = news => {
    waiting.push(news);
    flush();
  };
  const flush = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      if (refreshing) return;
      const all = waiting;
      waiting = [];
      for (const n of all) {
        status(n.status);
        for (const f of n.figures) {
          const id = CSS.escape(f.id), figure = element.querySelector(`[data-figure="${id}"]`);
          if (figure ? !chartOf(figure).take(f) : !takeMap(element, f)) { refresh(); return; }
        }
      }
    });
  };

  // say writes what is read aloud; the same words are not written again.
  const say = words => {
    const place = find("say");
    if (place && place.textContent !== words) place.textContent = words;
  };

  const status = s => {
    element.dataset.state = s.state;
    find("fraction").value = s.fraction;
    find("status").textContent = s.state;
    if (s.state !== "waiting") find("note-now").textContent = s.note || ""; // how many are before it, only the page says
    const pace = [];
    if (s.events) pace.push(`${number(s.events)} events, ${number(Number((s.rate / 1e6).toPrecision(3)))} million a second`);
    if (over(s.state) && s.seconds > 0) pace.push(lasting(s.seconds)); else if (s.left >= 0) pace.push(`${lasting(s.left)} left`);
    find("pace").textContent = pace.join(", ");
    if (s.why) { find("why").hidden = false; find("why").textContent = s.why; }
    const now = Date.now();
    if (now - said > 5000 || over(s.state)) { // not more often than one can listen
      said = now;
      say(`${s.state}, ${Math.round(100 * s.fraction)} percent`);
    }
  };

  // refresh takes the parts of the page that the server makes: other charts than before, or the end.
  // One at a time; what is asked for meanwhile is asked for again, since the answer under way may be from before it.
  let refreshing = null, again = false;
  const refresh = () => {
    again = refreshing !== null;
    return refreshing ??= (async () => {
      do { again = false; await load(); } while (again);
      refreshing = null;
      flush();
    })();
  };
  const load = async () => {
    try {
      const answer = await ask(location.pathname + location.search, () => true);
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector("[data-run]");
      const focused = focusOf(element);
      const open = [...element.querySelectorAll("[data-numbers][open]")].map(d => d.closest("[data-figure]").dataset.figure);
      const before = new Map([...element.querySelectorAll("[data-figure]")].map(f => [f.dataset.figure, {chart: chartOf(f), cursor: chartOf(f)?.cursor}])); // what is taken out may lose its cursor
      const listens = find("say"); // what a screen reader listens to stays the same element
      element.replaceChildren(...fresh.children);
      find("say").replaceWith(listens);
      element.dataset.state = fresh.dataset.state;
      figures(element);
      copies(element);
      for (const f of element.querySelectorAll("[data-figure]")) {
        const {chart: old, cursor} = before.get(f.dataset.figure) ?? {}, chart = chartOf(f);
        if (old && chart) {
          chart.view = old.view;
          chart.reset.hidden = old.view.from === null;
          f.querySelector("[data-log]").checked = old.view.log;
          for (const box of f.querySelectorAll("input[data-line]")) {
            box.checked = !old.view.hidden.has(Number(box.dataset.line));
            box.closest("li").classList.toggle("off", !box.checked);
          }
          chart.point(cursor);
          chart.redraw();
        }
        if (open.includes(f.dataset.figure)) f.querySelector("[data-numbers]").open = true;
      }
      focused();
    } catch { /* the server is gone; what is shown stays */ }
  };

  const waits = setInterval(() => {
    if (ended || element.dataset.state !== "waiting") clearInterval(waits); else if (!document.hidden) refresh();
  }, 5000);

  // lost says that what is shown is not what is now, and why; or, without words, that it is again.
  const lost = words => {
    const place = find("lost");
    if (!place || place.textContent === words) return;
    place.hidden = words === "";
    place.textContent = words;
  };

  // A connection that is lost is tried again by the browser; a server that answers, but not with events, is asked what became of the run.
  const missing = async () => {
    if (ended || source === null) return;
    lost("The connection to the server is lost. It is tried again; what is shown is what was last known.");
    if (source.readyState !== EventSource.CLOSED) return;
    source = null;
    const answer = await fetch(`/runs/${element.dataset.run}/events?${part}&there`).catch(() => null);
    if (answer?.status === 404 || answer?.status === 410) {
      ended = true;
      lost("The server does not know this run any more: it was started anew, or has forgotten it. What is shown is what was last known.");
    } else setTimeout(connect, 5000);
  };

  // A browser has six connections to a server for all its tabs, and each that watches holds one: a tab that nobody sees lets go of it, and
  // gets everything anew when it is seen again.
  const connect = () => {
    if (ended || document.hidden === (source === null)) return;
    if (document.hidden) {
      source.close();
      source = null;
      return;
    }
    source = new EventSource(`/runs/${element.dataset.run}/events?${part}`);
    source.addEventListener("open", () => lost(""));
    source.addEventListener("error", missing);
    source.addEventListener("update", e => take(JSON.parse(e.data)));
    source.addEventListener("all", e => take(JSON.parse(e.data)));
    source.addEventListener("end", async () => {
      ended = true;
      source.close();
      await refresh();
      say(`The run is ${element.dataset.state}.`);
    });
  };
  document.addEventListener("visibilitychange", connect);
  connect();

  // Stopping does not leave the page. The form may be made anew, so it is the whole that listens.
  element.addEventListener("submit", e => {
    if (!e.target.matches("[data-stop]")) return;
    e.preventDefault();
    fetch(e.target.action, {method: "POST"}).catch(() => {});
  });
}

// focusOf is a function that puts the focus where it is now, in parts that were made anew: on the element of the same kind and number in its figure, or
// in the whole. What is gone, as the button that stops is, leaves it to the first heading.
function focusOf(root) {
  const now = document.activeElement;
  if (!now || !root.contains(now)) return () => {};
  const figure = now.closest("[data-figure]")?.dataset.figure;
  const part = () => figure === undefined ? root : root.querySelector(`[data-figure="${CSS.escape(figure)}"]`);
  const kind = now.matches("[data-plot]") ? "[data-plot]" : now.matches("[data-stop] button") ? "[data-stop] button" : now.localName;
  const same = () => [...part()?.querySelectorAll(kind) ?? []].filter(e => figure !== undefined || !e.closest("[data-figure]"));
  const place = same().indexOf(now);
  return () => {
    let to = same()[place];
    if (!to) {
      to = root.querySelector("h1");
      to.tabIndex = -1;
    }
    to.focus({preventScroll: true});
  };
}

function lasting(s) {
  if (s < 1) return (1000 * s).toFixed(0) + " ms";
  if (s < 10) return s.toFixed(1) + " s";
  if (s < 100) return s.toFixed(0) + " s";
  if (s < 5400) return (s / 60).toFixed(0) + " min";
  return (s / 3600).toFixed(1) + " h";
}
