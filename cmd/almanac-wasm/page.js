"use strict";
// The page: a form for the model, and what its run gives. The parts come in elements of the file:
// the program (gzip, base64), the worker's script, and the model with its tables.
const part = (id) => document.getElementById(id);
const own = JSON.parse(part("document").textContent);
const state = { worker: null, waiting: null, begun: null };

async function program() {
	const bytes = Uint8Array.from(atob(part("program").textContent.trim()), (c) => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Response(stream).arrayBuffer();
}

// start begins a worker, which is ready when the promise is kept.
function start() {
	const url = URL.createObjectURL(new Blob([part("worker").textContent], { type: "text/javascript" }));
	state.worker = new Worker(url);
	state.begun = new Promise((resolve) => {
		state.worker.onmessage = ({ data }) => {
			if (data.ready) resolve();
			if (data.progress !== undefined) part("progress").value = data.progress;
			if (data.response && state.waiting) {
				const answer = state.waiting;
				state.waiting = null;
				answer(data.response);
			}
		};
	});
	program().then((bytes) => state.worker.postMessage({ program: bytes }, [bytes]));
}

async function ask(request) {
	await state.begun;
	return new Promise((resolve) => {
		state.waiting = resolve;
		state.worker.postMessage({ request });
	});
}

function stop() {
	state.worker.terminate();
	if (state.waiting) state.waiting({ stopped: true });
	state.waiting = null;
	start();
}

const fields = ["scenario", "size", "until", "seed", "replicas"];

function request(run) {
	const all = { ...own, model: part("model").value, run, set: {} };
	if (!run) return all;
	for (const name of fields) all[name] = part(name).value.trim();
	for (const input of document.querySelectorAll("#parameters input")) {
		if (input.value !== input.dataset.was) all.set[input.name] = input.value;
	}
	return all;
}

// show sets a text, or a picture that the program drew.
function show(id, text) { part(id).textContent = text || ""; }
function draw(id, svg) { part(id).innerHTML = svg ? svg.slice(svg.indexOf("<svg")) : ""; }
function busy(on) {
	document.body.dataset.state = on ? "busy" : "idle";
	part("run").disabled = on;
	part("stop").disabled = !on;
	part("progress").hidden = !on;
	part("progress").value = 0;
}

function element(tag, text, parent) {
	const e = document.createElement(tag);
	if (text !== undefined) e.textContent = text;
	parent.append(e);
	return e;
}

// explain shows the model in words, and a field for each of its parameters.
async function explain() {
	busy(true);
	const r = await ask(request(false));
	busy(false);
	if (r.stopped) return;
	show("problems", (r.problems || []).join("\n"));
	if (r.problems) return;
	document.title = r.title;
	show("title", r.title);
	show("words", r.words);
	draw("diagram", r.diagram);
	const list = part("parameters");
	list.replaceChildren();
	for (const { name, value } of r.parameters || []) {
		const label = element("label", name + " ", list);
		const input = element("input", undefined, label);
		input.name = name;
		input.value = input.dataset.was = value;
	}
	part("size").placeholder = r.size;
	const scenario = part("scenario");
	scenario.replaceChildren(new Option("", ""));
	for (const name of r.scenarios || []) scenario.append(new Option(name, name));
	part("of-scenario").hidden = !(r.scenarios || []).length;
}

const number = (x) => x.toLocaleString("en", { maximumFractionDigits: 2 });

async function run() {
	busy(true);
	const r = await ask(request(true));
	busy(false);
	if (r.stopped) return;
	show("problems", (r.problems || []).join("\n"));
	if (r.problems) return;
	draw("picture", r.picture);
	show("result", r.result);
	const result = JSON.parse(r.result), last = result.times.length - 1, table = part("table");
	table.replaceChildren();
	const head = element("tr", undefined, table);
	for (const name of ["state", "at the end: mean", "5 %", "95 %", "peak: mean", "when"]) element("th", name, head);
	for (const [name, series] of Object.entries(result.states)) {
		const row = element("tr", undefined, table), peak = result.peaks[name];
		element("th", name, row);
		for (const x of [series.mean[last], series.q05[last], series.q95[last], peak.count, peak.time]) {
			element("td", x === undefined || x === null ? "" : number(x), row);
		}
	}
	show("counted", `${number(result.done)} of ${number(result.replicas)} replicas, seed ${result.seed}, ` +
		`${number(result.events)} events`);
	const link = part("download");
	URL.revokeObjectURL(link.href);
	link.href = URL.createObjectURL(new Blob([r.result], { type: "application/json" }));
	link.hidden = false;
}

part("model").value = own.model;
part("run").onclick = run;
part("stop").onclick = stop;
part("explain").onclick = explain;
start();
explain();
