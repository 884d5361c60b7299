"use strict";
// The page: a form for the model, and what its run gives. The parts come in elements of the file:
// the program (gzip, base64), the worker's script, and the model with its tables.
const part = (id) => document.getElementById(id);
const own = JSON.parse(part("document").textContent);
// worker is null if there is none; waiting takes the response to the request that it works on.
const state = { worker: null, waiting: null };

async function program() {
	const bytes = Uint8Array.from(atob(part("program").textContent.trim()), (c) => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Response(stream).arrayBuffer();
}

// start begins a worker. Requests may be sent at once: it works on them when it has the program.
function start() {
	const url = URL.createObjectURL(new Blob([part("worker").textContent], { type: "text/javascript" }));
	const worker = state.worker = new Worker(url);
	let ready;
	const begun = new Promise((resolve) => { ready = resolve; });
	worker.send = async (request) => {
		await begun;
		worker.postMessage({ request });
	};
	worker.onmessage = ({ data }) => {
		if (worker !== state.worker) return; // it was ended
		if (data.ready) {
			URL.revokeObjectURL(url);
			ready();
		}
		if (data.progress !== undefined) part("progress").value = data.progress;
		if (data.response) answer(data.response);
		if (data.ended !== undefined) lose(worker, data.ended);
	};
	worker.onerror = (event) => {
		event.preventDefault();
		lose(worker, event.message || "the worker failed");
	};
	worker.onmessageerror = () => lose(worker, "a message of the worker cannot be read");
	program().then((bytes) => worker.postMessage({ program: bytes }, [bytes]), (err) => lose(worker, String(err)));
}

function answer(response) {
	const waiting = state.waiting;
	state.waiting = null;
	if (waiting) waiting(response);
}

// lose ends a worker whose program has ended. The next request starts another one.
function lose(worker, why) {
	if (worker !== state.worker) return;
	worker.terminate();
	state.worker = null;
	answer({ problems: [/out of memory|makeslice|cannot allocate|Array buffer allocation/i.test(why)
		? "not enough memory: the browser gives a page 4 GB or less; try fewer individuals, fewer replicas, or fewer " +
			"rows, or run the model with almanac run"
		: "the program in this page has ended: " + (why.split("\n")[0] || "it did not say why")] });
}

function ask(request) {
	if (!state.worker) start();
	return new Promise((resolve) => {
		state.waiting = resolve;
		state.worker.send(request);
	});
}

function stop() {
	if (state.worker) state.worker.terminate();
	state.worker = null;
	answer({ problems: ["stopped"] });
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
	part("run").disabled = part("explain").disabled = on;
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
	const model = part("model").value;
	const r = await ask(request(false));
	busy(false);
	show("problems", (r.problems || []).join("\n"));
	if (r.problems) return false;
	state.read = model;
	document.title = r.title;
	show("title", r.title);
	show("words", r.words);
	draw("diagram", r.diagram);
	const list = part("parameters"), changed = request(true).set;
	list.replaceChildren();
	for (const { name, value } of r.parameters || []) {
		const label = element("label", name + " ", list);
		const input = element("input", undefined, label);
		input.name = name;
		input.value = input.dataset.was = value;
		if (Object.hasOwn(changed, name)) input.value = changed[name]; // what the reader wrote stays
		input.setAttribute("form", "form"); // Enter runs the model
	}
	part("size").placeholder = r.size;
	const scenario = part("scenario"), chosen = scenario.value;
	scenario.replaceChildren(new Option("", ""));
	for (const name of r.scenarios || []) scenario.append(new Option(name, name, false, name === chosen));
	part("of-scenario").hidden = !(r.scenarios || []).length;
	return true;
}

const number = (x) => x.toLocaleString("en", { maximumFractionDigits: 2 });

async function run() {
	// A model that was changed is read first, so that its title and its fields are shown.
	if (part("model").value !== state.read && !await explain()) {
		part("results").hidden = true;
		return;
	}
	busy(true);
	const r = await ask(request(true));
	busy(false);
	show("problems", (r.problems || []).join("\n"));
	part("results").hidden = Boolean(r.problems); // those of an earlier run are not of this one
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
	show("counted", `${number(result.done)} of ${number(result.replicas)} replicas, seed ${r.seed}, ` +
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
