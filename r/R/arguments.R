# Models, values and options of R as arguments of the command.

# model_argument is the argument for a model, and what goes to standard input: the text of a list. A model
# in the file of a state, NULL, has neither.
model_argument <- function(model) {
  if (is.null(model)) return(list(name = NULL, text = NULL))
  if (is.list(model)) return(list(name = "-", text = to_json(model)))
  if (!is.character(model) || length(model) != 1 || is.na(model)) wrong("the model is a file or a list")
  list(name = if (startsWith(model, "-")) file.path(".", model) else path.expand(model), text = NULL)
}

# value_text is a value as a model file or --set writes it.
value_text <- function(x) {
  if (is.character(x) && length(x) == 1 && !is.na(x)) return(enc2utf8(x))
  if (inherits(x, "Date")) return(format(x))
  gsub("\n *", " ", to_json(x))
}

# pairs is --set NAME=VALUE for each entry of a list or vector.
pairs <- function(flag, changes, write = value_text) {
  if (length(changes) == 0) return(character())
  if (is.null(names(changes)) || any(!nzchar(names(changes)))) {
    wrong(flag, " takes names and values, as list(beta = \"0.4 per day\")")
  }
  unlist(lapply(names(changes), function(name) c(flag, paste0(name, "=", write(changes[[name]])))))
}

# varied is what --vary takes: a text such as "0.2..0.6 per day by 0.1", or a vector of values.
varied <- function(x) paste(vapply(x, value_text, ""), collapse = ", ")

# options_of are options by their names: limit_time = "10m" is --limit-time=10m, TRUE is a flag alone,
# NULL is left out, and a vector is the option repeated.
options_of <- function(given) {
  unlist(lapply(names(given), function(name) {
    value <- given[[name]]
    flag <- paste0("--", gsub("_", "-", name, fixed = TRUE))
    if (is.null(value)) return(NULL)
    if (isTRUE(value)) return(flag)
    if (identical(value, FALSE)) return(paste0(flag, "=false"))
    paste0(flag, "=", vapply(value, value_text, ""))
  }))
}

joined <- function(x) if (is.null(x)) NULL else paste(x, collapse = ",")

common <- function(set, replicas, seed, size, until, scenario, from_fit, from_state) {
  if (inherits(from_fit, "almanac_fit")) from_fit <- from_fit$directory
  if (is.character(from_state)) from_state <- path.expand(from_state)
  if (identical(from_state, FALSE)) from_state <- NULL
  given <- list(replicas = replicas, seed = seed, size = size, until = until, scenario = scenario, from = from_fit,
    from_state = from_state)
  for (name in names(given)) {
    if (length(given[[name]]) > 1) wrong(name, " has ", length(given[[name]]), " values; expected one")
  }
  c(pairs("--set", set), options_of(given))
}
