# Results: environments whose frames are read from the files of the command when they are first used.

# table_of is what a table is of, where not every command writes it.
table_of <- c(events = "a run with events = TRUE", outcomes = "a model with outcomes",
  supplies = "a model with supplies", values = "a model with record: values",
  observed = "a model with observe", tree = "a model with record: tree",
  people = "a model with record: people", places = "a model with places", networks = "a model with networks",
  draws = "a run with from_fit", projection = "a run with from_fit and from_state = TRUE",
  icer = "a comparison with icer = \"cost/qalys\"", acceptability = "a comparison with icer = \"cost/qalys\"")

# result makes one. Its directory is removed with it if it is temporary.
result <- function(kind, directory, text, temporary = FALSE) {
  e <- new.env(parent = emptyenv())
  e$directory <- directory
  e$text <- text
  lazily <- function(name, read) {
    force(read)
    delayedAssign(name, read(), assign.env = e)
  }
  table <- function(name, file, what) {
    force(file)
    lazily(name, function() {
      if (name %in% names(table_of) && !has_table(directory, file)) {
        wrong("there is no table of ", name, " here: only of ", table_of[[name]])
      }
      read_table(directory, file, what)
    })
  }
  json <- function(name, file) lazily(name, function() read_json(file.path(directory, file)))
  switch(kind,
    run = {
      table("states", "series", "run")
      table("flows", "flows", "run")
      lazily("incidence", function() increments(e$flows))
      table("events", "events", "events")
      table("outcomes", "outcomes", "outcomes")
      table("supplies", "supplies", "supplies")
      table("values", "values", "observed")
      table("observed", "observed", "observed")
      table("tree", "tree", "tree")
      table("people", "people", "people")
      table("places", "places", "places")
      table("networks", "networks", "run")
      table("draws", "draws", "draws")
      table("projection", "projection", "study")
      json("summary", "summary.json")
      lazily("parameters", function() e$summary$parameters)
    },
    sweep = {
      table("points", "points", "study")
      table("series", "series", "study")
    },
    compare = {
      for (name in c("differences", "scenarios", "pairs", "series", "icer", "acceptability")) table(name, name, "study")
      table("series_differences", "series-differences", "study")
    },
    fit = {
      table("posterior", "posterior", "draws")
      json("summary", "fit.json")
      lazily("unknowns", function() unknowns_of(e$summary))
      lazily("best", function() best_of(e$summary$set))
      lazily("notes", function() as.character(e$summary$notes))
    })
  if (temporary) reg.finalizer(e, function(e) unlink(directory, recursive = TRUE), onexit = TRUE)
  class(e) <- c(paste0("almanac_", kind), "almanac_result")
  e
}

# unknowns_of is a row for each unknown of a fit.
unknowns_of <- function(summary) {
  rows <- lapply(summary$unknowns, function(u) {
    one <- function(name, other) if (is.null(u[[name]])) other else u[[name]]
    row <- data.frame(name = one("name", ""), unit = one("unit", ""), prior = one("prior", ""),
      best = one("best", NA_real_), mean = one("mean", NA_real_), sd = one("sd", NA_real_), stringsAsFactors = FALSE)
    for (i in seq_along(u$shares)) {
      share <- 100 * u$shares[i]
      name <- if (share == 50) "median" else paste0("q", if (share == round(share)) sprintf("%02.0f", share) else share)
      row[[name]] <- u$quantiles[i]
    }
    row$contraction <- one("contraction", NA_real_)
    row$moved <- one("moved", NA)
    row
  })
  do.call(rbind, rows)
}

# best_of reads "--set 'beta=0.4 per day' --set seeds=8", for almanac_run(set = ).
best_of <- function(flags) {
  if (is.null(flags) || !nzchar(flags)) return(list())
  words <- scan(text = flags, what = "", quote = "'", quiet = TRUE)
  words <- words[words != "--set"]
  stats::setNames(as.list(sub("^[^=]*=", "", words)), sub("=.*$", "", words))
}

print.almanac_result <- function(x, ...) {
  cat(x$text, sep = "\n")
  invisible(x)
}

as.data.frame.almanac_run <- function(x, ...) x$states

almanac_picture <- function(result, name, file) {
  there <- sub("\\.svg$", "", list.files(result$directory, "\\.svg$"))
  if (missing(name)) return(there)
  if (!(name %in% there)) {
    stop("there is no picture ", name, "; expected one of ", paste(there, collapse = ", "), call. = FALSE)
  }
  if (missing(file)) return(file.path(result$directory, paste0(name, ".svg")))
  source <- file.path(result$directory, paste0(name, ".", tools::file_ext(file)))
  if (!file.exists(source)) stop(file, ": pictures are saved as .svg or .png", call. = FALSE)
  if (!file.copy(source, file, overwrite = TRUE)) stop(file, " cannot be written", call. = FALSE)
  invisible(file)
}

almanac_read <- function(directory) {
  sort <- tryCatch(read_json(file.path(directory, "study.json"))$sort,
    error = function(e) NULL, warning = function(w) NULL)
  if (is.null(sort) || !(sort %in% c("run", "sweep", "compare", "fit"))) {
    fail("almanac_usage_error", paste(directory, "has no results of run, sweep, compare or fit"))
  }
  result(sort, directory, paste(sort, "in", directory))
}
