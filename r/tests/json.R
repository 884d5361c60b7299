# Models are written as JSON, and JSON is read the same with jsonlite and without.
library(almanac)
to_json <- almanac:::to_json
parse_json <- almanac:::parse_json
flat <- function(x) gsub("\n *", "", to_json(x))

stopifnot(
  flat(list(a = list(), b = "x \"y\" \\ \n é")) == "{\"a\": {},\"b\": \"x \\\"y\\\" \\\\ \\n é\"}",
  flat(list(from = "ill", to = c(well = "ill"))) == "{\"from\": \"ill\",\"to\": {\"well\": \"ill\"}}",
  flat(list(1, 0.1, TRUE, NULL)) == "[1,0.1,true,null]",
  flat(c(1, 2.5)) == "[1, 2.5]", flat(I("region")) == "[\"region\"]",
  flat(as.Date("2020-03-01")) == "\"2020-03-01\"",
  almanac:::number_text(c(0.1 + 0.2, 1e6, 1 / 3)) == c("0.30000000000000004", "1000000", "0.33333333333333331"))
stopifnot(inherits(try(to_json(list(a = NA)), silent = TRUE), "try-error"))
stopifnot(inherits(try(to_json(list(a = Inf)), silent = TRUE), "try-error"))
stopifnot(inherits(try(to_json(list(a = sum)), silent = TRUE), "try-error"))

text <- paste0("{\"n\": [1, 2.5, null, -3e-2], \"t\": [\"a\", \"b \\\"c\\\" \\u00e9\\n\"],",
  " \"o\": {\"x\": null, \"y\": true},",
  " \"e\": {}, \"l\": [{\"a\": 1}, {\"a\": [1]}], \"b\": [true, false], \"s\": \"\\\\n\", \"m\": [[1, 2], [3, 4]]}")
x <- parse_json(text)
stopifnot(
  identical(x$n, c(1, 2.5, NA, -0.03)), identical(x$t, c("a", "b \"c\" \u00e9\n")), is.null(x$o$x), x$o$y,
  identical(names(x), c("n", "t", "o", "e", "l", "b", "s", "m")), length(x$e) == 0,
  x$l[[2]]$a == 1, identical(x$b, c(TRUE, FALSE)), x$s == "\\n", identical(x$m[[2]], c(3, 4)))
if (requireNamespace("jsonlite", quietly = TRUE)) {
  y <- jsonlite::fromJSON(text, simplifyVector = TRUE, simplifyDataFrame = FALSE, simplifyMatrix = FALSE)
  stopifnot(isTRUE(all.equal(x, y)))
}
