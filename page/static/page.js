// Enhancements of forms and links, which work without script.
import {figures} from "./chart.js";
import {copies} from "./copy.js";
import {watch} from "./live.js";
import {edit} from "./editor.js";

figures(document);
for (const run of document.querySelectorAll("[data-run]")) watch(run);
for (const model of document.querySelectorAll("form[data-model]")) edit(model);
copies(document);

// A point of a sweep that must be run is run as soon as it is chosen. With a modifier key or
// another button it is a link.
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
