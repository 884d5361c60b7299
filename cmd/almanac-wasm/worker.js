// The worker: it runs the program, so that the page stays responsive and can end it. The program is
// compiled by Go, whose glue, wasm_exec.js, is before these lines.
let ready;
const started = new Promise((resolve) => { ready = resolve; });
globalThis.almanacReady = () => ready();

onmessage = async ({ data }) => {
	try {
		if (data.program) {
			const go = new Go();
			const { instance } = await WebAssembly.instantiate(data.program, go.importObject);
			go.run(instance);
			await started;
			postMessage({ ready: true });
			return;
		}
		almanac(JSON.stringify(data.request),
			(share) => postMessage({ progress: share }),
			(text) => postMessage({ response: JSON.parse(text) }));
	} catch (err) {
		postMessage({ response: { problems: [String(err)] } });
	}
};
