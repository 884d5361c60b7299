// Once a second, the state of the hub is loaded and replaced in the page. The focus stays.
const shown = document.querySelector("[data-hub]"),
  said = document.querySelector("[data-said]");

async function look() {
  if (!document.hidden) {
    try {
      const answer = await fetch("/hub");
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.querySelector("[data-hub]");
        const crew = shown.querySelector("[data-crew]")?.textContent,
          lost = shown.querySelector("[data-lost]") !== null;
        const places = [...shown.querySelectorAll(".scroll")].map(s => s.scrollLeft);
        const focus = document.activeElement?.getAttribute("aria-label");
        shown.replaceChildren(...fresh.children);
        // Has the address of the hub once connected.
        document.querySelector("[data-command]").textContent =
          page.querySelector("[data-command]").textContent;
        [...shown.querySelectorAll(".scroll")].forEach((s, i) => {
          s.scrollLeft = places[i] || 0;
          if (focus && s.getAttribute("aria-label") === focus) s.focus({preventScroll: true});
        });
        const now = shown.querySelector("[data-crew]")?.textContent,
          gone = shown.querySelector("[data-lost]") !== null;
        const count = text => (text || "").split(",")[0];
        if (gone !== lost) said.textContent = gone ? "The hub is away." : "The hub is back.";
        else if (count(now) !== count(crew)) said.textContent = count(now);
      }
    } catch {
      /* the server is away, and is asked again */
    }
  }
  setTimeout(look, 1000);
}
setTimeout(look, 1000);
