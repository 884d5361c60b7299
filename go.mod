module github.com/almanac-sim/almanac

go 1.26.0
