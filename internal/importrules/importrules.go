// Package importrules holds the rule of who may import whom in this module; its test enforces it,
// package by package.
//
// Arrows point down: leaves import nothing of ours; calendar, capped and spray stand on leaves;
// relaxed may also use calendar, and dispatch capped; sim and population stand on calendar;
// ensemble knows none of them, since they give it functions, and fit and experiment stand on it;
// reproduce may use any library; the page and the commands may use everything; nothing but the
// command almanac imports the page, and nothing a command. A program that imports calendar, spray,
// relaxed, capped or dispatch gets the standard library, our leaves and at most one other of the
// five.
package importrules

// Module is the path that all packages of the module share.
const Module = "github.com/almanac-sim/almanac"

// mayImport names, for each package, the packages of ours that it may import. Tests may import what
// they like. What is allowed and not used is an error too, so that the list is what is there.
var mayImport = map[string][]string{
	// Leaves.
	"internal/access":      {},
	"internal/backlog":     {},
	"internal/checkruns":   {},
	"internal/expr":        {},
	"internal/format":      {},
	"internal/frame":       {},
	"internal/importrules": {},
	"internal/cpu":         {},
	"internal/interleave":  {},
	"internal/memory":      {},
	"internal/modelfit":    {},
	"internal/owner":       {},
	"internal/panics":      {},
	"internal/suggest":     {},
	"internal/quantile":    {},
	"internal/detmath":     {},
	"internal/priors":      {},
	"internal/testscale":   {},
	"internal/timekey":     {},
	"internal/vector":      {},

	// Leaves that stand on leaves.
	"internal/cappedmath": {"internal/detmath"},
	"internal/random":     {"internal/detmath"},
	"internal/plot":       {"internal/detmath", "internal/vector"},
	"internal/design":     {"internal/detmath"},
	"internal/outdir":     {"internal/format"},
	"internal/epoch":      {"internal/cpu", "internal/interleave"},
	"internal/eventqueue": {"internal/cpu", "internal/ladder", "internal/panics", "internal/timekey"},
	"internal/ladder":     {},
	"internal/stress":     {"internal/interleave", "internal/testscale"},
	"internal/sketch":     {"internal/detmath"},
	"internal/study":      {"internal/design", "internal/detmath", "internal/format", "internal/plot"},

	// Structures.
	"calendar":                 {"internal/eventqueue", "internal/owner", "internal/panics"},
	"calendar/calendartest":    {"calendar", "internal/random", "internal/timekey"},
	"calendar/static":          {"calendar", "internal/memory", "internal/random"},
	"calendar/timers":          {"internal/interleave"},
	"capped":                   {"capped/internal/counts", "internal/cappedmath", "internal/detmath", "internal/random"},
	"capped/cappedtest":        {},
	"capped/internal/counts":   {"internal/detmath", "internal/random"},
	"dispatch":                 {"capped", "dispatch/health", "dispatch/slots", "internal/panics", "internal/random"},
	"dispatch/caddy":           {"dispatch", "dispatch/dispatchhttp", "dispatch/dispatchprom", "internal/suggest"},
	"dispatch/caddy/cmd/caddy": {"dispatch/caddy"},
	"dispatch/dispatchgrpc":    {"dispatch/health", "dispatch/slots", "internal/random"}, // a module of its own
	"dispatch/dispatchhttp":    {"capped", "dispatch", "dispatch/health", "dispatch/slots", "internal/random"},
	"dispatch/dispatchprom":    {"dispatch", "dispatch/dispatchhttp"},
	"dispatch/dispatchtest":    {},
	"dispatch/health":          {},
	"dispatch/slots":           {"internal/random"},
	"relaxed": {"calendar", "internal/backlog", "internal/cpu", "internal/interleave", "internal/ladder",
		"internal/owner", "internal/timekey"},
	"relaxed/relaxedtest": {"internal/random"},
	"spray": {"internal/backlog", "internal/cpu", "internal/epoch", "internal/interleave",
		"internal/owner", "internal/random", "internal/timekey"},

	// Models.
	"sim": {"calendar", "internal/detmath", "internal/panics", "internal/random", "internal/sketch",
		"sim/history", "sim/internal/seed", "sim/internal/text", "sim/trace"},
	"sim/history":       {},
	"sim/internal/seed": {},
	"sim/internal/text": {},
	"sim/replicate":     {"sim", "sim/internal/seed", "sim/internal/text"},
	"sim/trace":         {},
	"sim/analysis":      {"internal/detmath", "internal/quantile", "sim", "sim/history"},
	"sim/output": {"internal/detmath", "internal/plot", "internal/quantile", "sim", "sim/analysis",
		"sim/history", "sim/replicate"},
	"population": {"internal/format", "internal/modelfit", "internal/panics", "internal/quantile", "internal/random",
		"internal/vector", "population/internal/compile", "population/internal/diag", "population/internal/engine",
		"population/internal/eval", "population/internal/explain", "population/internal/fitting",
		"population/internal/function", "population/internal/program", "population/internal/quantity",
		"population/internal/statefile", "population/internal/syntax", "population/internal/tablefile"},
	"population/internal/diag":     {"internal/format", "internal/suggest"},
	"population/internal/function": {},
	"population/internal/lookup":   {},
	"population/internal/law": {"internal/detmath", "internal/format", "internal/random",
		"population/internal/lookup", "population/internal/function"},
	"population/internal/program": {"internal/detmath", "internal/expr", "internal/random", "population/internal/law",
		"population/internal/lookup", "population/internal/function", "population/internal/people"},
	"population/internal/people":    {"internal/format", "internal/suggest", "population/internal/diag"},
	"population/internal/quantity":  {"internal/format", "internal/suggest", "population/internal/diag"},
	"population/internal/tablefile": {},
	"population/internal/syntax": {"internal/expr", "internal/format", "internal/memory", "internal/suggest",
		"population/internal/diag", "population/internal/function", "population/internal/people",
		"population/internal/quantity", "population/internal/tablefile"},
	"population/internal/eval": {"internal/expr", "internal/format", "population/internal/diag",
		"population/internal/law", "population/internal/lookup", "population/internal/program",
		"population/internal/quantity", "population/internal/syntax", "population/internal/tablefile"},
	"population/internal/compile": {"internal/detmath", "internal/format", "population/internal/diag",
		"population/internal/eval", "population/internal/function", "population/internal/law",
		"population/internal/lookup", "population/internal/people", "population/internal/program",
		"population/internal/quantity", "population/internal/syntax", "population/internal/tablefile"},
	"population/internal/fitting": {"internal/format", "internal/priors", "population/internal/compile",
		"population/internal/diag", "population/internal/eval", "population/internal/program",
		"population/internal/quantity", "population/internal/syntax"},
	"population/internal/engine": {"internal/cpu", "internal/detmath", "internal/eventqueue", "internal/format",
		"internal/memory", "internal/panics", "internal/sketch",
		"internal/random", "population/internal/law", "population/internal/lookup", "population/internal/program",
		"population/internal/statefile", "population/internal/store", "population/internal/function"},
	"population/internal/statefile": {"internal/panics"},
	"population/internal/store":     {"internal/cpu", "internal/random"},
	"population/internal/explain": {"internal/format", "internal/vector", "population/internal/compile",
		"population/internal/diag", "population/internal/diagram", "population/internal/eval",
		"population/internal/fitting", "population/internal/program", "population/internal/quantity",
		"population/internal/syntax"},
	"population/internal/diagram":     {"internal/vector"},
	"population/internal/randommodel": {},
	"population/results":              {"population"},

	// Many runs. It knows no kind of model.
	"ensemble": {"ensemble/internal/hubconf", "ensemble/internal/identity", "ensemble/internal/wire",
		"internal/access", "internal/design", "internal/detmath", "internal/format", "internal/frame",
		"internal/outdir", "internal/panics", "internal/quantile", "internal/random", "internal/sketch",
		"internal/study"},
	"ensemble/internal/hubconf":  {},
	"ensemble/internal/identity": {},
	"ensemble/internal/wire":     {"internal/frame"},
	"fit": {"ensemble", "fit/internal/cma", "fit/internal/diagnostics", "fit/internal/distribution",
		"fit/internal/matrix", "fit/internal/proposal", "fit/internal/rank", "fit/internal/weight",
		"internal/detmath", "internal/frame", "internal/priors", "internal/random"},
	"fit/internal/cma": {"fit/internal/matrix", "fit/internal/proposal", "fit/internal/rank", "internal/detmath",
		"internal/random"},
	"fit/internal/diagnostics":  {"fit/internal/rank", "internal/detmath"},
	"fit/internal/distribution": {"internal/detmath"},
	"fit/internal/matrix":       {},
	"fit/internal/proposal": {"fit/internal/matrix", "fit/internal/weight", "internal/detmath",
		"internal/random"},
	"fit/internal/rank":   {"internal/detmath"},
	"fit/internal/weight": {"internal/detmath", "internal/random"},
	// Plans of runs, and what came of them. It knows no kind of model either.
	"experiment": {"ensemble", "internal/design", "internal/detmath"},

	// Studies of model files: what is asked for, model files as a kind of model for ensemble, and
	// what is told of their replicas.
	"study": {"ensemble", "fit", "internal/allocation", "internal/design", "internal/format",
		"internal/modelfit", "internal/outputs", "internal/panics", "internal/random", "internal/study", "internal/suggest",
		"population", "population/results"},
	"internal/outputs": {"internal/detmath", "internal/expr", "internal/suggest", "population"},

	// Charts of runs, of fits and of allocation processes.
	"internal/allocation": {"capped", "internal/cappedmath", "internal/detmath", "internal/format", "internal/plot"},
	"internal/fitted":     {"fit", "internal/detmath", "internal/format", "internal/plot"},
	"internal/pictures": {"internal/format", "internal/modelfit", "internal/plot", "internal/quantile", "internal/suggest",
		"population"},

	// Papers.
	"reproduce":            {"internal/plot", "internal/random"},
	"reproduce/berenbrink": {"capped", "internal/cappedmath", "internal/plot", "internal/random", "reproduce"},
	"reproduce/erickson":   {"calendar", "calendar/static", "internal/plot", "reproduce"},
	"reproduce/lehman": {"calendar", "calendar/calendartest", "calendar/static", "internal/memory", "internal/plot",
		"internal/random", "population", "reproduce"},
	"reproduce/li": {"internal/plot", "internal/random", "relaxed/relaxedtest", "reproduce", "spray"},
	"reproduce/papers": {"reproduce", "reproduce/berenbrink", "reproduce/erickson", "reproduce/lehman",
		"reproduce/li"},
	"reproduce/reproducetest": {"reproduce"},

	// The page.
	"page": {"capped", "ensemble", "internal/allocation", "internal/design", "internal/detmath", "internal/fitted",
		"internal/format", "internal/outputs", "internal/modelfit", "internal/pictures", "internal/plot",
		"internal/study",
		"internal/vector", "page/internal/cache", "page/internal/compare", "page/internal/figure", "page/internal/folder",
		"page/internal/httperr", "page/internal/hub", "page/internal/runs", "population",
		"population/results",
		"reproduce", "reproduce/papers", "sim", "sim/analysis", "sim/history", "sim/output", "study"},
	"page/internal/cache": {},
	"page/internal/compare": {"ensemble", "internal/detmath", "internal/format", "internal/modelfit", "internal/outputs",
		"internal/pictures", "internal/plot", "internal/study", "page/internal/figure", "page/internal/folder",
		"page/internal/httperr", "page/internal/runs", "population", "population/results", "study"},
	"page/internal/figure": {"internal/format", "internal/plot", "page/internal/httperr"},
	"page/internal/folder": {"internal/format", "internal/outdir", "page/internal/httperr", "population",
		"population/results"},
	"page/internal/httperr": {},
	"page/internal/hub":     {"ensemble"},
	"page/internal/runs": {"internal/format", "internal/memory", "page/internal/figure", "page/internal/httperr",
		"population", "study"},

	// The command.
	"cmd/almanac": {"calendar/static", "capped", "cmd/almanac/internal/terminal", "cmd/internal/cli",
		"cmd/internal/progress", "ensemble", "examples", "fit", "internal/access", "internal/allocation", "internal/design",
		"internal/fitted", "internal/format", "internal/memory", "internal/modelfit", "internal/outdir",
		"internal/pictures", "internal/plot", "internal/study", "page", "population", "population/results", "reproduce",
		"reproduce/papers", "study"},
	"cmd/almanac/internal/terminal": {},

	// A page with a model in it. Its program, for browsers, is the same package.
	"cmd/almanac-wasm": {"internal/pictures", "population"},

	// The benchmarks.
	"cmd/almanac-bench": {"calendar/calendartest", "capped", "cmd/almanac-bench/internal/bench",
		"cmd/almanac-bench/internal/dispatch", "cmd/almanac-bench/internal/proxies", "cmd/internal/cli",
		"cmd/internal/progress", "ensemble", "internal/allocation",
		"internal/format", "internal/outdir", "internal/plot", "relaxed/relaxedtest", "study"},
	"cmd/almanac-bench/internal/bench": {"calendar", "calendar/calendartest", "calendar/static", "calendar/timers",
		"capped", "capped/cappedtest", "cmd/almanac-bench/internal/bench/rivals", "examples", "internal/memory",
		"internal/random",
		"population", "relaxed", "relaxed/relaxedtest", "sim", "spray"},
	"cmd/almanac-bench/internal/bench/rivals": {"calendar", "calendar/calendartest", "internal/cpu", "internal/timekey"},
	"cmd/almanac-bench/internal/dispatch":     {"internal/quantile", "internal/random", "sim"},
	"cmd/almanac-bench/internal/proxies":      {"internal/quantile"},

	// What the two commands have in common.
	"cmd/internal/cli": {"capped", "cmd/internal/progress", "ensemble", "internal/allocation", "internal/format",
		"internal/outdir", "internal/panics", "internal/suggest", "population"},
	"cmd/internal/clitest":  {},
	"cmd/internal/progress": {},

	// Examples are what users would write, and so use what users can.
	"examples":                {},
	"examples/atm-capped":     {"capped", "sim"},
	"examples/balancer":       {"capped"},
	"examples/bank":           {"sim", "sim/replicate"},
	"examples/bank-best":      {"ensemble", "experiment", "sim"},
	"examples/bank-fit":       {"fit", "sim"},
	"examples/bank-study":     {"ensemble", "sim"},
	"examples/clinic":         {"sim", "sim/analysis", "sim/history", "sim/output", "sim/replicate"},
	"examples/deadlines":      {"relaxed", "relaxed/relaxedtest", "spray"},
	"examples/dispatcher":     {"dispatch"},
	"examples/gas-station":    {"sim"},
	"examples/machine-shop":   {"sim"},
	"examples/movie":          {"sim"},
	"examples/measures":       {"population"},
	"examples/phold":          {"sim"},
	"examples/proxy":          {"dispatch/dispatchhttp"},
	"examples/sessions":       {"calendar", "calendar/timers"},
	"examples/shortest-paths": {"relaxed", "spray"},
	"examples/weekdays":       {"ensemble", "population"},
	"examples/workshop":       {"sim", "sim/replicate"},
}

// alone are the packages whose users get nothing but the standard library and our leaves with them,
// and what stands here.
var alone = map[string][]string{}
