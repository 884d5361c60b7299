// What the page does beyond its forms and links, which work without it. Each part looks for the elements that it is for.
import {figures} from "./chart.js";
import {copies} from "./copy.js";
import {watch} from "./live.js";
import {edit} from "./editor.js";

figures(document);
for (const run of document.querySelectorAll("[data-run]")) watch(run);
for (const model of document.querySelectorAll("form[data-model]")) edit(model);
copies(document);

// A point of a sweep that has to be run is run as soon as it is chosen. With another key or button it is a link, as without this.
document.addEventListener("click", e => {
  const link = e.target.closest?.("[data-starts] .cells a, table[data-starts] tbody a");
  if (!link || e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
  e.preventDefault();
  const form = document.createElement("form");
  form.method = "post";
  form.action = link.getAttribute("href");
  document.body.append(form);
  form.submit();
});
