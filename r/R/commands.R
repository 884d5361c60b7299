# The functions: a command each.

almanac_run <- function(model = NULL, set = NULL, replicas = NULL, seed = NULL, size = NULL, until = NULL,
                        scenario = NULL, from_fit = NULL, from_state = NULL, save_at = NULL, as = NULL,
                        events = FALSE, show = NULL, panels = NULL, log = FALSE, per = NULL, title = NULL,
                        data = NULL, out = NULL, progress = NULL, ...) {
  picture <- list(show = joined(show), panels = joined(panels), log = if (log) TRUE, per = per,
    title = title, data = data)
  args <- c(common(set, replicas, seed, size, until, scenario, from_fit, from_state),
    options_of(c(picture, list(save_at = save_at, as = as))), if (events) "--events")
  study("run", model, args, list(...), out, progress, series = TRUE, draw = !all(vapply(picture, is.null, NA)))
}

almanac_sweep <- function(model, vary, output = NULL, replicas = NULL, sample = NULL, design = NULL, precision = NULL,
                          set = NULL, seed = NULL, size = NULL, until = NULL, scenario = NULL, from_fit = NULL,
                          from_state = NULL, out = NULL, progress = NULL, ...) {
  args <- c(pairs("--vary", vary, varied), common(set, replicas, seed, size, until, scenario, from_fit, from_state),
    options_of(list(output = output, sample = sample, design = design, precision = precision)))
  study("sweep", model, args, list(...), out, progress, series = TRUE)
}

almanac_compare <- function(model = NULL, scenarios = NULL, output = NULL, replicas = NULL, set = NULL, seed = NULL,
                            size = NULL, until = NULL, from_fit = NULL, from_state = NULL, out = NULL,
                            progress = NULL, ...) {
  args <- c(common(set, replicas, seed, size, until, NULL, from_fit, from_state),
    options_of(list(scenarios = joined(scenarios), output = output)))
  study("compare", model, args, list(...), out, progress)
}

almanac_fit <- function(model = NULL, data = NULL, unknown = NULL, match = NULL, method = NULL, budget = NULL,
                        population = NULL, states = NULL, from_state = NULL, set = NULL, seed = NULL, size = NULL,
                        until = NULL, scenario = NULL, out = NULL, progress = NULL, ...) {
  args <- c(pairs("--unknown", unknown), common(set, NULL, seed, size, until, scenario, NULL, from_state),
    options_of(list(data = data, match = match, method = method, budget = budget, population = population,
      states = states)))
  study("fit", model, args, list(...), out, progress)
}

almanac_check <- function(model, set = NULL, size = NULL, until = NULL, scenario = NULL) {
  args <- c(pairs("--set", set), options_of(list(size = size, until = until, scenario = scenario)))
  study("check", model, args, list(), NULL, FALSE)
}

almanac_examples <- function(directory) {
  done(c("examples", path.expand(directory)))
  list.files(directory, "\\.yaml$", full.names = TRUE)
}

almanac_version <- function() done("version")

# study runs a command that writes a directory.
study <- function(command, model, args, more, out, progress, series = FALSE, draw = FALSE) {
  directory <- if (is.null(out)) tempfile("almanac-") else path.expand(out)
  model <- model_argument(model)
  line <- c(command, model$name, args, paste0("--out=", directory), options_of(more))
  if (series && is.null(more$format)) line <- c(line, paste0("--format=", tables_format()))
  if (draw) {
    dir.create(directory, showWarnings = FALSE, recursive = TRUE)
    line <- c(line, paste0("--picture=", file.path(directory, "picture.svg")))
  } else if (command == "check") {
    dir.create(directory)
  }
  partial <- function() {
    summary <- file.path(directory, "summary.json")
    # A complete one in the caller's directory is of an earlier run, which stays.
    if (file.exists(summary) && (is.null(out) || isTRUE(read_json(summary)$incomplete))) {
      result(command, directory, "", is.null(out))
    }
  }
  text <- done(line, model$text, progress, partial)
  if (length(list.files(directory)) == 0) {
    fail("almanac_not_found", paste0(almanac_binary(), " has written no results: is it almanac?"))
  }
  result(command, directory, text, is.null(out))
}
