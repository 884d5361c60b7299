# The functions: a command each.

almanac_run <- function(model, set = NULL, replicas = 1, seed = 1, size = NULL, until = NULL, scenario = NULL,
                        from_fit = NULL, events = FALSE, show = NULL, panels = NULL, log = FALSE, per = NULL,
                        title = NULL, data = NULL, out = NULL, progress = NULL, ...) {
  picture <- list(show = joined(show), panels = joined(panels), log = if (log) TRUE, per = per, title = title, data = data)
  args <- c("--replicas", value_text(replicas), common(set, seed, size, until, scenario, from_fit),
    options_of(picture), if (events) "--events")
  study("run", model, args, list(...), out, progress, series = TRUE, draw = !all(vapply(picture, is.null, NA)))
}

almanac_sweep <- function(model, vary, output = NULL, replicas = 100, sample = NULL, design = NULL, precision = NULL,
                          set = NULL, seed = 1, size = NULL, until = NULL, scenario = NULL, from_fit = NULL,
                          out = NULL, progress = NULL, ...) {
  args <- c(pairs("--vary", vary, varied), "--replicas", value_text(replicas),
    common(set, seed, size, until, scenario, from_fit),
    options_of(list(output = output, sample = sample, design = design, precision = precision)))
  study("sweep", model, args, list(...), out, progress, series = TRUE)
}

almanac_compare <- function(model, scenarios = NULL, output = NULL, replicas = 100, set = NULL, seed = 1, size = NULL,
                            until = NULL, from_fit = NULL, out = NULL, progress = NULL, ...) {
  args <- c("--replicas", value_text(replicas), common(set, seed, size, until, NULL, from_fit),
    options_of(list(scenarios = joined(scenarios), output = output)))
  study("compare", model, args, list(...), out, progress)
}

almanac_fit <- function(model, data = NULL, unknown = NULL, match = NULL, method = NULL, budget = NULL,
                        population = NULL, set = NULL, seed = 1, size = NULL, until = NULL, scenario = NULL,
                        out = NULL, progress = NULL, ...) {
  args <- c(pairs("--unknown", unknown), common(set, seed, size, until, scenario, NULL),
    options_of(list(data = data, match = match, method = method, budget = budget, population = population)))
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
    if (file.exists(file.path(directory, "summary.json"))) result(command, directory, "", is.null(out))
  }
  text <- done(line, model$text, progress, partial)
  result(command, directory, text, is.null(out))
}
