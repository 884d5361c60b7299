# Runs and studies of the real program: its numbers come out, in data frames and pictures.
library(almanac)
setwd(tempdir())
small <- list(
  name = "small", time = list(unit = "day", start = as.Date("2020-03-01"), end = as.Date("2020-03-21")),
  population = list(size = 400, start = list(ill = 10, well = "rest")),
  parameters = list(beta = "0.6 per day"), attributes = list(region = list(north = "60%", south = "rest")),
  states = list(well = list(), ill = list(race = list(list(rate = "0.2 per day", to = "immune"))), immune = list()),
  transmission = list(list(from = "ill", rate = "beta", to = list(well = "ill"))),
  record = list(every = "1 day", by = I("region")),
  scenarios = list(usual = list(), `fewer contacts` = list(beta = "0.3 per day")))
grDevices::pdf(NULL)

r <- almanac_run(small, set = c(beta = "0.5 per day"), replicas = 3, seed = 3, events = TRUE, show = "ill", log = TRUE)
s <- r$states
stopifnot(identical(names(s), c("replica", "time", "date", "state", "region", "count")), nrow(s) == 3 * 21 * 3 * 3,
  is.character(s$region), is.numeric(s$count), s$date[nrow(s)] == as.Date("2020-03-21"),
  r$parameters$beta == "0.5 per day")
for (state in c("well", "ill", "immune")) {
  counts <- s$count[s$state == state & s$time == 20 & s$region == ""]
  stopifnot(length(counts) == 3, abs(mean(counts) - r$summary$states[[state]]$mean[21]) < 1e-9)
}
# Without jsonlite the summary is the same.
plain <- almanac:::parse_json(paste(readLines(file.path(r$directory, "summary.json")), collapse = ""))
stopifnot(isTRUE(all.equal(plain, r$summary)))
# The same numbers in CSV and in JSON, with jsonlite and without.
json <- almanac_run(small, set = c(beta = "0.5 per day"), replicas = 3, seed = 3, events = TRUE, format = "json")
stopifnot(isTRUE(all.equal(json$states, s)), isTRUE(all.equal(json$flows, r$flows)),
  isTRUE(all.equal(json$events, r$events)))
plain <- almanac:::parse_json(paste(readLines(file.path(json$directory, "series.json")), collapse = ""))
stopifnot(isTRUE(all.equal(almanac:::tidy(almanac:::frame_of(plain), almanac:::table_kinds("run")), s)))
csv <- almanac_run(small, set = c(beta = "0.5 per day"), replicas = 3, seed = 3, events = TRUE, format = "csv")
stopifnot(isTRUE(all.equal(csv$states, s)), isTRUE(all.equal(csv$flows, r$flows)),
  isTRUE(all.equal(csv$events, r$events)))
# Incidence is what the command records, and adds up.
small$record$incidence <- TRUE
recorded <- almanac_run(small, set = c(beta = "0.5 per day"), replicas = 3, seed = 3)
stopifnot(isTRUE(all.equal(recorded$incidence, r$incidence)), is.null(r$incidence$count),
  sum(r$incidence$incidence) == sum(r$flows$count[r$flows$time == 20]), sum(r$incidence$incidence) > 0)
e <- r$events
stopifnot(sum(e$from == "well" & e$to == "ill") ==
  sum(r$flows$count[r$flows$flow == "well->ill" & r$flows$region == "" & r$flows$time == 20]))
# Files: read once; kept, or removed with the object.
directory <- recorded$directory
states <- recorded$states
unlink(directory, recursive = TRUE)
stopifnot(identical(recorded$states, states), inherits(try(recorded$events, silent = TRUE), "try-error"))
directory <- csv$directory
stopifnot(dir.exists(directory))
rm(csv)
invisible(gc())
stopifnot(!dir.exists(directory))
# Pictures.
stopifnot(all(c("states", "incidence", "picture") %in% almanac_picture(r)))
almanac_picture(r, "states", "states.png")
stopifnot(file.size("states.png") > 1000, file.exists(almanac_picture(r, "states")),
  inherits(try(almanac_picture(r, "none"), silent = TRUE), "try-error"))
plot(r)
plot(r, what = "incidence", log = TRUE)
plot(r, show = c("ill", "immune"), main = "two")
stopifnot(inherits(try(plot(r, show = "none"), silent = TRUE), "try-error"))
stopifnot(identical(as.data.frame(r), s), grepl("^small: 400 individuals", capture.output(print(r))[1]))

s <- almanac_sweep(small, list(beta = c("0.3 per day", "0.6 per day")), output = c("peak(ill)", "final(immune)"),
  replicas = 10)
stopifnot(identical(s$points$beta, c(0.3, 0.3, 0.6, 0.6)), all(s$points$replicas == 10),
  s$points$mean[1] < s$points$mean[3],
  all(s$points$low <= s$points$mean & s$points$mean <= s$points$high), setequal(s$series$beta, c(0.3, 0.6)))
plot(s)
plot(s, output = "final(immune)")
again <- almanac_read(s$directory)
stopifnot(inherits(again, "almanac_sweep"), identical(again$points, s$points))

d <- almanac_compare(small, output = "final(immune)", replicas = 10, draw = "ill")
stopifnot(d$differences$scenario == "fewer contacts", d$differences$mean_difference < 0,
  abs(mean(d$pairs$difference[d$pairs$scenario == "fewer contacts"]) - d$differences$mean_difference) < 1e-9,
  identical(d$scenarios$scenario, c("usual", "fewer contacts")), nrow(d$series) > 0, nrow(d$series_differences) > 0)
plot(d)

paid <- small
paid$outcomes <- list(cost = list(time = "50 per day"), days = list(time = "1 per day"))
o <- almanac_run(paid, until = "2020-03-06")$outcomes
stopifnot(abs(subset(o, time == 5 & region == "" & outcome == "days")$value - 400 * 5) < 1e-6)
d <- almanac_compare(paid, until = "2020-03-06", output = "final(immune)", replicas = 3, draw = "ill",
  icer = "cost/days")
stopifnot(d$icer$scenario == "fewer contacts", setequal(d$acceptability$scenario, c("usual", "fewer contacts")))

watched <- small
watched$transmission[[1]]$name <- "infection"
watched$observe <- list(reports = list(of = "infection", chance = "50%", after = "2 days"))
watched$record <- list(every = "5 days", values = list(share = "count(ill) / total"), tree = list(of = "infection"),
  people = list(times = I(c("infection", "reports"))))
w <- almanac_run(watched, seed = 2)
infected <- !is.na(w$people[["time of infection"]])
stopifnot(nrow(w$people) == 400, nrow(w$tree) == sum(infected), sum(infected) > 50, is.na(w$tree[["by time"]][1]),
  w$people[["time of infection"]][match(w$tree$infected[1], w$people$number)] == w$tree$time[1],
  max(w$observed$count) == sum(!is.na(w$people[["time of reports"]])), w$values$value[1] == 10 / 400)

models <- almanac_examples("models")
outbreak <- grep("outbreak", models, value = TRUE)
f <- almanac_fit(outbreak, budget = 120, size = 500)
stopifnot(identical(names(f$posterior)[1:4], c("beta", "seeds", "rho", "weight")),
  abs(sum(f$posterior$weight) - 1) < 1e-9,
  abs(sum(f$posterior$beta * f$posterior$weight) - f$unknowns$mean[1]) < 1e-9,
  identical(grep("^q", names(f$unknowns), value = TRUE), c("q2.5", "q05", "q25", "q75", "q95", "q97.5")),
  identical(names(f$best), c("beta", "seeds", "rho")), grepl("per day$", f$best$beta),
  length(f$notes) == length(f$summary$notes), is.character(f$posterior$run.seed))
plot(f)
p <- suppressWarnings(almanac_run(outbreak, from_fit = f, until = 40, replicas = 4))
stopifnot(nrow(p$draws) == 4, max(p$projection$time) == 39)
k <- almanac_check(small, size = 777)
stopifnot(grepl("small: 777 individuals", k$text[1]), almanac_picture(k) == "states")

# Saved states. What is said of them is no warning.
options(warn = 2)
first <- almanac_run(small, replicas = 3, seed = 5, save_at = as.Date("2020-03-08"), as = "calm.almanac")
whole <- almanac_run(small, replicas = 3, seed = 5)
on <- almanac_run(from_state = "calm.almanac")
stopifnot(max(first$states$time) == 7, identical(on$states, whole$states), identical(on$flows, whole$flows))
branched <- small
branched$interventions <- list(list(at = as.Date("2020-03-10"), set = list(beta = "0 per day")))
on <- almanac_run(branched, from_state = "calm.almanac")
stopifnot(identical(subset(on$flows, time <= 9), subset(whole$flows, time <= 9)), !identical(on$flows, whole$flows))
d <- almanac_compare(from_state = "calm.almanac", output = "final(immune)")
stopifnot(all(d$scenarios$replicas == 3), d$differences$mean_difference < 0)
options(warn = 0)
again <- tryCatch(almanac_run(from_state = "calm.almanac", seed = 2), warning = conditionMessage)
stopifnot(grepl("drawn again, since the seed is not that", again))
err <- tryCatch(almanac_run(from_state = "none.almanac"), almanac_usage_error = conditionMessage)
stopifnot(grepl("no such file", err))

# A fit of a model without a section fit.
writeLines(c("time,ill", "5,40", "10,90"), "ill.csv")
f <- almanac_fit(small, data = "ill.csv", unknown = list(beta = "uniform 0.1..1 per day"),
  match = "ill = state ill poisson", budget = 60)
states <- almanac_fit(small, data = "ill.csv", unknown = list(beta = "uniform 0.1..1 per day"),
  match = "ill = state ill poisson", budget = 60, states = 10)
p <- suppressWarnings(almanac_run(small, from_fit = states, from_state = TRUE, replicas = 4))
stopifnot(nrow(p$draws) == 4, max(p$states$time) == 20)
stopifnot(f$unknowns$name == "beta", f$unknowns$prior == "uniform 0.1..1", f$unknowns$mean > 0.1, f$unknowns$mean < 1)
