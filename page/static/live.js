// A running simulation: events of the server move the charts and show the progress. The browser
// reconnects by itself, with the number of the last event.
import {figures, chartOf, number} from "./chart.js";
import {takeMap} from "./map.js";
import {copies} from "./copy.js";
import {request} from "./request.js";

const over = state => state === "done" || state === "stopped" || state === "failed";

export function watch(element) {
  if (over(element.dataset.state)) return;
  const find = name => element.querySelector(`[data-${name}]`);
  let source = null,
    ended = false,
    said = 0,
    frame = 0,
    waiting = [];
  const part = new URLSearchParams(location.search); // events are for the charts of this page only
  part.set("of", element.dataset.of);

  // Events are applied once per frame. While parts of the page are being loaded they wait, since
  // those may be older.
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
          const id = CSS.escape(f.id),
            figure = element.querySelector(`[data-figure="${id}"]`);
          if (figure ? !chartOf(figure).take(f) : !takeMap(element, f)) {
            refresh();
            return;
          }
        }
      }
    });
  };

  // say sets the text of the live region, if it has changed.
  const say = words => {
    const place = find("say");
    if (place && place.textContent !== words) place.textContent = words;
  };

  const status = s => {
    element.dataset.state = s.state;
    find("fraction").value = s.fraction;
    find("status").textContent = s.state;
    // Only the page has the number of runs ahead.
    if (s.state !== "waiting") find("note-now").textContent = s.note || "";
    const pace = [];
    if (s.events)
      pace.push(
        `${number(s.events)} events, ${number(Number((s.rate / 1e6).toPrecision(3)))} million a second`,
      );
    if (over(s.state) && s.seconds > 0) pace.push(lasting(s.seconds));
    else if (s.left >= 0) pace.push(`${lasting(s.left)} left`);
    find("pace").textContent = pace.join(", ");
    if (s.why) {
      find("why").hidden = false;
      find("why").textContent = s.why;
    }
    const now = Date.now();
    if (now - said > 5000 || over(s.state)) {
      // not faster than a screen reader speaks
      said = now;
      say(`${s.state}, ${Math.round(100 * s.fraction)} percent`);
    }
  };

  // refresh loads the parts of the page that the server renders: other charts than before, or the
  // end. One request at a time; requests meanwhile cause another, since the response may be older.
  let refreshing = null,
    again = false;
  const refresh = () => {
    again = refreshing !== null;
    return (refreshing ??= (async () => {
      do {
        again = false;
        await load();
      } while (again);
      refreshing = null;
      flush();
    })());
  };
  const load = async () => {
    try {
      const answer = await request(location.pathname + location.search, () => true);
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector("[data-run]");
      const focused = focusOf(element);
      const open = [...element.querySelectorAll("[data-numbers][open]")].map(
        d => d.closest("[data-figure]").dataset.figure,
      );
      // Removed charts may lose their cursors.
      const before = new Map(
        [...element.querySelectorAll("[data-figure]")].map(f => [
          f.dataset.figure,
          {chart: chartOf(f), cursor: chartOf(f)?.cursor},
        ]),
      );
      const listens = find("say"); // a live region must stay the same element
      element.replaceChildren(...fresh.children);
      find("say").replaceWith(listens);
      element.dataset.state = fresh.dataset.state;
      figures(element);
      copies(element);
      for (const f of element.querySelectorAll("[data-figure]")) {
        const {chart: old, cursor} = before.get(f.dataset.figure) ?? {},
          chart = chartOf(f);
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
    } catch {
      /* the server is gone; what is shown stays */
    }
  };

  const waits = setInterval(() => {
    if (ended || element.dataset.state !== "waiting") clearInterval(waits);
    else if (!document.hidden) refresh();
  }, 5000);

  // lost shows why the page is not up to date; an empty text hides the message.
  const lost = words => {
    const place = find("lost");
    if (!place || place.textContent === words) return;
    place.hidden = words === "";
    place.textContent = words;
  };

  // The browser retries a lost connection. If the server responds, but not with events, the script
  // checks whether the run still exists.
  const missing = async () => {
    if (ended || source === null) return;
    lost("The connection to the server is lost. It is tried again; what is shown is what was last known.");
    if (source.readyState !== EventSource.CLOSED) return;
    source = null;
    const answer = await fetch(`/runs/${element.dataset.run}/events?${part}&there`).catch(() => null);
    if (answer?.status === 404 || answer?.status === 410) {
      ended = true;
      lost(
        "The server does not know this run any more: it was started anew, or has forgotten it. " +
          "What is shown is what was last known.",
      );
    } else setTimeout(connect, 5000);
  };

  // A browser has six connections to a server for all tabs, and a watching tab holds one. A hidden
  // tab closes it, and loads everything when it is visible again.
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

  // Stopping does not leave the page. The form may be replaced, so the listener is on the element.
  element.addEventListener("submit", e => {
    if (!e.target.matches("[data-stop]")) return;
    e.preventDefault();
    fetch(e.target.action, {method: "POST"}).catch(() => {});
  });
}

// focusOf returns a function that restores the focus after parts were replaced: on the element of
// the same kind and number in its figure, or in the page. If that is gone, on the first heading.
function focusOf(root) {
  const now = document.activeElement;
  if (!now || !root.contains(now)) return () => {};
  const figure = now.closest("[data-figure]")?.dataset.figure;
  const part = () =>
    figure === undefined ? root : root.querySelector(`[data-figure="${CSS.escape(figure)}"]`);
  const kind = now.matches("[data-plot]")
    ? "[data-plot]"
    : now.matches("[data-stop] button")
      ? "[data-stop] button"
      : now.localName;
  const same = () =>
    [...(part()?.querySelectorAll(kind) ?? [])].filter(
      e => figure !== undefined || !e.closest("[data-figure]"),
    );
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
