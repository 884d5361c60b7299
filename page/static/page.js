// What the page does beyond its forms and links, which work without it. Each part looks for the elements that it is for.
import {figures} from "./chart.js";
import {copies} from "./copy.js";
import {watch} from "./live.js";
import {edit} from "./editor.js";

figures(document);
for (const run of document.querySelectorAll("[data-run]")) watch(run);
for (const model of document.querySelectorAll("form[data-model]")) edit(model);
copies(document);
