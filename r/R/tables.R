# Tables of the command as data frames. A file is read once, when it is first used: Parquet with the
# package arrow, JSON with jsonlite, otherwise CSV with the type of each column known beforehand.

table_kinds <- function(what) {
  numbers <- c("time", "mean", "sd", "low", "high", "q05", "q25", "median", "q75", "q95", "mean_difference",
    "mean_ci_low", "mean_ci_high", "cost", "effect", "willingness_to_pay", "probability", "runs_low", "runs_high",
    "baseline", "value", "difference", "replicas", "pairs", "replica", "data")
  texts <- c("output", "kind", "name", "units", "quantiles", "scenario", "column", "date",
    "run.seed", "run.forks", "run.check")
  as_kinds <- function(names, kind) stats::setNames(rep(kind, length(names)), names)
  switch(what,
    run = list(as_kinds(c("replica", "time", "count", "incidence"), "numeric"), "character"),
    outcomes = list(as_kinds(c("replica", "time", "value"), "numeric"), "character"),
    supplies = list(as_kinds(c("replica", "time", "left", "used", "lost", "refused"), "numeric"), "character"),
    observed = list(as_kinds(c("replica", "time", "count", "value"), "numeric"), "character"),
    places = list(as_kinds(c("replica", "time", "size", "count"), "numeric"), "character"),
    tree = list(as_kinds(c("replica", "infected", "time", "by", "by time", "generation", "root"), "numeric"),
      "character"),
    people = list(as_kinds(c("replica", "number", "entered", "left", "mother"), "numeric"), "character"),
    events = list(as_kinds(c("replica", "time", "individual", "by"), "numeric"), "character"),
    study = list(c(as_kinds(numbers, "numeric"), as_kinds(texts, "character")), NA_character_),
    draws = list(c(as_kinds(c("weight", "replica"), "numeric"), as_kinds(texts, "character")), NA_character_))
}

# kind_of is the kind of a column. A line list has any number of times.
kind_of <- function(name, kinds) {
  if (name %in% names(kinds[[1]])) return(kinds[[1]][[name]])
  if (startsWith(name, "time of ")) "numeric" else kinds[[2]]
}

tables_format <- function() {
  if (requireNamespace("arrow", quietly = TRUE)) return("parquet")
  if (requireNamespace("jsonlite", quietly = TRUE)) "json" else "csv"
}

has_table <- function(directory, name) {
  any(file.exists(file.path(directory, paste0(name, c(".parquet", ".json", ".csv")))))
}

read_table <- function(directory, name, what) {
  kinds <- table_kinds(what)
  parquet <- file.path(directory, paste0(name, ".parquet"))
  if (file.exists(parquet)) {
    if (!requireNamespace("arrow", quietly = TRUE)) stop(parquet, " needs the package arrow", call. = FALSE)
    return(tidy(as.data.frame(arrow::read_parquet(parquet)), kinds))
  }
  json <- file.path(directory, paste0(name, ".json"))
  if (file.exists(json)) return(tidy(frame_of(read_json(json)), kinds))
  csv <- file.path(directory, paste0(name, ".csv"))
  if (!file.exists(csv)) {
    stop(directory, " has no ", name, ".parquet, .json or .csv", call. = FALSE)
  }
  header <- scan(csv, "", nlines = 1, sep = ",", quiet = TRUE, encoding = "UTF-8")
  classes <- vapply(header, kind_of, "", kinds = kinds, USE.NAMES = FALSE)
  # na.strings: a group may be called NA. An empty number is NA all the same.
  frame <- read.csv(csv, colClasses = classes, na.strings = character(), check.names = FALSE, encoding = "UTF-8")
  tidy(frame, kinds)
}

# frame_of is a table in JSON: a list of blocks of rows, each with a vector for each column. A column
# without rows is an empty list.
frame_of <- function(blocks) {
  columns <- lapply(names(blocks[[1]]), function(name) unlist(lapply(blocks, `[[`, name)))
  names(columns) <- names(blocks[[1]])
  columns[vapply(columns, is.null, NA)] <- list(logical())
  as.data.frame(columns, check.names = FALSE, optional = TRUE, stringsAsFactors = FALSE)
}

# tidy makes the frames of all formats the same: "" for an empty text, whole numbers as numbers, and
# dates as dates.
tidy <- function(frame, kinds) {
  for (name in names(frame)) {
    column <- frame[[name]]
    kind <- kind_of(name, kinds)
    if (is.logical(column) && !is.na(kind)) storage.mode(column) <- kind # all are missing
    if (is.character(column)) {
      column[is.na(column)] <- ""
    } else if (!is.logical(column)) {
      column <- as.numeric(column)
    }
    frame[[name]] <- column
  }
  if (!is.null(frame$date)) frame$date <- as_dates(frame$date)
  frame
}

as_dates <- function(text) {
  if (any(grepl("T", text, fixed = TRUE))) return(as.POSIXct(text, tz = "UTC", format = "%Y-%m-%dT%H:%M:%S"))
  as.Date(text)
}

# increments has `incidence`, the events since the time before, in place of `count`, the events since
# the start. If the command wrote them they are taken as they are.
increments <- function(flows) {
  if (is.null(flows$incidence)) {
    keys <- flows[setdiff(names(flows), c("time", "date", "count"))]
    flows$incidence <- ave(flows$count, interaction(keys, drop = TRUE), FUN = function(n) n - c(0, n[-length(n)]))
  }
  flows$count <- NULL
  flows
}
