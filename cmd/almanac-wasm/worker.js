// The worker: it runs the program, so that the page stays responsive and can end it. The program is
// compiled by Go, whose glue, wasm_exec.js, is before these lines.
let ready;
const started = new Promise((resolve) => { ready = resolve; });
globalThis.almanacReady = () => ready();

// What the program writes says why it ended. The beginning of it is kept.
let said = "";
const write = fs.writeSync, decoder = new TextDecoder();
fs.writeSync = (fd, bytes) => {
	if (said.length < 10000) said += decoder.decode(bytes);
	return write.call(fs, fd, bytes);
};

// ended tells the page that there is no program any more: it panicked, or ran out of memory.
const ended = (why) => postMessage({ ended: [said, why].join("\n").trim() });

onmessage = async ({ data }) => {
	try {
		if (data.program) {
			const go = new Go();
			const { instance } = await WebAssembly.instantiate(data.program, go.importObject);
			go.run(instance).then(() => ended(""), (err) => ended(String(err)));
			await started;
			postMessage({ ready: true });
			return;
		}
		almanac(JSON.stringify(data.request),
			(share) => postMessage({ progress: share }),
			(text) => postMessage({ response: JSON.parse(text) }));
	} catch (err) {
		ended(String(err));
	}
};
