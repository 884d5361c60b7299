# The program is followed and ended; what it says becomes conditions.
library(almanac)
program <- almanac_binary()
setwd(tempdir())
caught <- function(expr, class) {
  err <- tryCatch({ expr; NULL }, condition = identity)
  if (!inherits(err, class)) {
    stop("expected ", class, ", found ", paste(class(err), collapse = " "), ": ", conditionMessage(err))
  }
  invisible(err)
}
small <- list(
  name = "small", time = list(unit = "day", end = 20),
  population = list(size = 400, start = list(ill = 10, well = "rest")),
  parameters = list(beta = "0.6 per day"),
  states = list(well = list(), ill = list(race = list(list(rate = "0.2 per day", to = "immune"))), immune = list()),
  transmission = list(list(from = "ill", rate = "beta", to = list(well = "ill"))),
  record = list(every = "1 day"))

# Mistakes have a file, a line and a column.
wrong <- small
wrong$transmission[[1]]$rate <- "bta"
err <- caught(almanac_run(wrong), "almanac_model_error")
lines <- strsplit(almanac:::to_json(wrong), "\n")[[1]]
stopifnot(err$file == "model", grepl("\"bta\"", lines[err$line]), err$status == 2,
  grepl("did you mean \"beta\"", conditionMessage(err)), grepl("\"rate\": \"bta\"", conditionMessage(err)))
writeLines(almanac:::to_json(wrong), "wrong.json")
err <- caught(almanac_check("wrong.json"), "almanac_model_error")
stopifnot(err$file == "wrong.json", grepl("bta", substring(lines[err$line], err$column)))
wrong$record$every <- "1 dya"
stopifnot(nrow(caught(almanac_compare(wrong), "almanac_model_error")$problems) > 1)
stopifnot(grepl("no parameter",
  conditionMessage(caught(almanac_run(small, set = list(bta = 1)), "almanac_usage_error"))))
stopifnot(grepl("no such file", conditionMessage(caught(almanac_run("none.yaml"), "almanac_usage_error"))))
stopifnot(grepl("--tempo", conditionMessage(caught(almanac_run(small, tempo = 3), "almanac_usage_error"))))
caught(almanac_run(small, set = "0.4 per day"), "almanac_usage_error")
caught(almanac_run(small, set = list(beta = NA)), "almanac_usage_error")
caught(almanac_run(small, set = list(beta = NA_character_)), "almanac_usage_error")
caught(almanac_run(small, replicas = NA), "almanac_usage_error")
stopifnot(grepl("replicas has 2 values",
  conditionMessage(caught(almanac_run(small, replicas = 1:2), "almanac_usage_error"))))
stopifnot(grepl("only of a model with record: tree",
  conditionMessage(caught(almanac_run(small)$tree, "almanac_usage_error"))))
caught(almanac_run(5), "almanac_usage_error")
caught(almanac_run(NA_character_), "almanac_usage_error")
caught(almanac_run(c("a.yaml", "b.yaml")), "almanac_usage_error")
caught(almanac_run(list(name = sum)), "almanac_usage_error")

# Options.
stopifnot(identical(
  almanac:::options_of(list(limit_time = "10m", series = FALSE, log = TRUE, hub = NULL, output = c("a", "b"),
    per = 1e5)),
  c("--limit-time=10m", "--series=false", "--log", "--output=a", "--output=b", "--per=100000")))
stopifnot(almanac:::varied(c("0.2 per day", "0.3 per day")) == "0.2 per day, 0.3 per day",
  almanac:::value_text(list(gamma = list(mean = "5 days", shape = 2))) ==
    "{ \"gamma\": { \"mean\": \"5 days\", \"shape\": 2 } }")

# No program.
almanac_binary(file.path(tempdir(), "none"))
caught(almanac_version(), "almanac_not_found")
almanac_binary(NULL)

if (.Platform$OS.type != "windows") {
  stand_in <- function(...) {
    writeLines(c("#!/bin/sh", ...), "stand-in")
    Sys.chmod("stand-in", "755")
    almanac_binary(file.path(getwd(), "stand-in"))
  }
  # Something else that ends well is not the program.
  stand_in("echo I am something else")
  caught(almanac_run(small), "almanac_not_found")
  # Progress is passed on, what it says is a warning, and failed work an error.
  stand_in("echo '{\"progress\":0.25,\"text\":\"a quarter\"}' >&2", "echo 'almanac: every second time' >&2", "echo ok")
  steps <- list()
  out <- almanac:::call_almanac("x", progress = function(done, text) steps[[length(steps) + 1]] <<- list(done, text))
  stopifnot(identical(steps, list(list(0.25, "a quarter"))), out$stdout == "ok",
    out$stderr == "almanac: every second time")
  stopifnot(grepl("every second time", conditionMessage(caught(almanac_version(), "warning"))))
  stand_in("echo 'almanac: not enough memory' >&2", "exit 1")
  err <- caught(almanac_run(small), "almanac_run_error")
  stopifnot(conditionMessage(err) == "not enough memory", err$status == 1, is.null(err$result))

  # An interrupt ends the real program, which writes what it has; and so does an error meanwhile.
  almanac_binary(program)
  endless <- small
  endless$time$end <- 1e9
  endless$record$every <- "1e8 days"
  endless$states$immune <- list(race = list(list(rate = "1 per day", to = "well")))
  endless$states$well <- list(race = list(list(rate = "0.1 per day", to = "ill")))
  calls <- 0
  got <- tryCatch(
    almanac_run(endless, out = "interrupted", progress = function(done, text) {
      calls <<- calls + 1
      stopifnot(done >= 0, done < 0.1, grepl("day", text))
      tools::pskill(Sys.getpid(), 2L)
      Sys.sleep(5)
    }), interrupt = function(c) "interrupted")
  stopifnot(identical(got, "interrupted"), calls == 1)
  stopifnot(isTRUE(almanac_read("interrupted")$summary$incomplete))
  got <- tryCatch(almanac_run(endless, out = "failed", progress = function(done, text) stop("mine")),
    error = conditionMessage)
  stopifnot(got == "mine", isTRUE(almanac_read("failed")$summary$incomplete))
}
