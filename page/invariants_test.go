package page_test

import _ "github.com/almanac-sim/almanac/internal/checkruns" // every run of a model verifies its invariants
