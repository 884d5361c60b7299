# JSON: models are written as JSON, which is YAML, and summaries are read from it.

# to_json writes lists as objects and arrays. A name makes an object; an empty list is an empty
# object, as in states = list(susceptible = list()). A vector of one is a value, unless it is I().
to_json <- function(x, indent = "") {
  inner <- paste0(indent, "  ")
  block <- function(open, parts, close) {
    if (length(parts) == 0) return(paste0(open, close))
    paste0(open, "\n", paste0(inner, parts, collapse = ",\n"), "\n", indent, close)
  }
  if (is.null(x)) return("null")
  if (inherits(x, "Date")) x <- format(x)
  if (inherits(x, "POSIXt")) x <- format(x, "%Y-%m-%dT%H:%M:%S")
  if (is.factor(x)) x <- as.character(x)
  if (!is.null(names(x)) || (is.list(x) && length(x) == 0)) {
    parts <- vapply(seq_along(x), function(i) {
      paste0(json_text(names(x)[i]), ": ", to_json(x[[i]], inner))
    }, "")
    return(block("{", parts, "}"))
  }
  if (is.list(x)) return(block("[", vapply(x, to_json, "", indent = inner), "]"))
  values <- json_values(x)
  if (length(values) == 1 && !inherits(x, "AsIs")) values else paste0("[", paste(values, collapse = ", "), "]")
}

json_values <- function(x) {
  if (!is.atomic(x)) wrong("a value of class ", class(x)[1], " has no form in a model file")
  if (anyNA(x) || (is.numeric(x) && any(!is.finite(x)))) {
    wrong("a model and its options have no missing or infinite values")
  }
  if (is.character(x)) return(json_text(x))
  if (is.logical(x)) return(ifelse(x, "true", "false"))
  if (is.numeric(x)) return(number_text(x))
  wrong("a value of class ", class(x)[1], " has no form in a model file")
}

# number_text writes numbers with as many digits as they need.
number_text <- function(x) {
  vapply(x, function(v) {
    for (digits in c(15, 17)) {
      text <- formatC(v, digits = digits, format = "g")
      if (as.numeric(text) == v) break
    }
    trimws(text)
  }, "")
}

json_text <- function(x) {
  x <- enc2utf8(x)
  x <- gsub("\\", "\\\\", x, fixed = TRUE)
  x <- gsub("\"", "\\\"", x, fixed = TRUE)
  x <- gsub("\n", "\\n", x, fixed = TRUE)
  x <- gsub("\t", "\\t", x, fixed = TRUE)
  x <- gsub("\r", "\\r", x, fixed = TRUE)
  paste0("\"", x, "\"")
}

# read_json reads a file with jsonlite, or without it more slowly. Arrays of values are vectors, with
# NA for null.
read_json <- function(path) {
  if (requireNamespace("jsonlite", quietly = TRUE)) {
    return(jsonlite::fromJSON(path, simplifyVector = TRUE, simplifyDataFrame = FALSE, simplifyMatrix = FALSE))
  }
  parse_json(paste(readLines(path, encoding = "UTF-8", warn = FALSE), collapse = "\n"))
}

# parse_json is a reader of JSON in plain R: a regular expression finds the tokens, and the functions
# below read one value each from the position `at`.
parse_json <- function(text) {
  pattern <- "\"(?:[^\"\\\\]|\\\\.)*\"|-?[0-9][0-9.eE+-]*|true|false|null|[][{},:]"
  tokens <- regmatches(text, gregexpr(pattern, text, perl = TRUE))[[1]]
  at <- 1L
  take <- function() {
    token <- tokens[at]
    at <<- at + 1L
    token
  }
  value <- function() {
    token <- take()
    switch(substr(token, 1, 1),
      "{" = object(), "[" = array(), "\"" = unescape(token),
      "t" = TRUE, "f" = FALSE, "n" = NULL, as.numeric(token))
  }
  object <- function() {
    out <- list()
    while (tokens[at] != "}") {
      if (tokens[at] == ",") at <<- at + 1L
      name <- unescape(take())
      at <<- at + 1L # the colon
      out[name] <- list(value())
    }
    at <<- at + 1L
    if (length(out) == 0) names(out) <- character()
    out
  }
  array <- function() {
    # An array of numbers, which most of a summary is, in one step.
    end <- at
    while (!(tokens[end] %in% c("]", "[", "{"))) end <- end + 1L
    inside <- tokens[seq_len(end - at) + at - 1L]
    inside <- inside[inside != ","]
    if (tokens[end] == "]") {
      at <<- end + 1L
      if (length(inside) == 0) return(list())
      kinds <- unique(substr(inside, 1, 1))
      if (all(kinds %in% c("t", "f", "n"))) return(unname(c(t = TRUE, f = FALSE, n = NA)[substr(inside, 1, 1)]))
      if ("\"" %in% kinds) {
        out <- vapply(inside, function(one) if (one == "null") NA_character_ else unescape(one), "")
        return(unname(out))
      }
      inside[inside == "null"] <- NA
      return(as.numeric(inside))
    }
    out <- list()
    while (tokens[at] != "]") {
      if (tokens[at] == ",") at <<- at + 1L
      out[length(out) + 1L] <- list(value())
    }
    at <<- at + 1L
    out
  }
  unescape <- function(token) {
    s <- substr(token, 2, nchar(token) - 1)
    if (!grepl("\\", s, fixed = TRUE)) return(s)
    codes <- unique(regmatches(s, gregexpr("\\\\u[0-9a-fA-F]{4}", s))[[1]])
    for (code in codes) s <- gsub(code, intToUtf8(strtoi(substr(code, 3, 6), 16L)), s, fixed = TRUE)
    s <- gsub("\\\\", "\001", s, fixed = TRUE)
    for (pair in list(c("\\n", "\n"), c("\\t", "\t"), c("\\r", "\r"), c("\\\"", "\""), c("\\/", "/"))) {
      s <- gsub(pair[1], pair[2], s, fixed = TRUE)
    }
    gsub("\001", "\\", s, fixed = TRUE)
  }
  value()
}
