# The program: where it is, how it is run, and what its errors become.

state <- new.env(parent = emptyenv())

# almanac_binary is the program that is used, or sets another one; NULL looks for it again.
almanac_binary <- function(path) {
  if (!missing(path)) {
    state$binary <- path
    return(invisible(path))
  }
  if (!is.null(state$binary)) return(state$binary)
  if (nzchar(Sys.getenv("ALMANAC"))) return(Sys.getenv("ALMANAC"))
  name <- if (.Platform$OS.type == "windows") "almanac.exe" else "almanac"
  inside <- system.file("bin", name, package = "almanac")
  if (nzchar(inside)) return(inside)
  found <- unname(Sys.which("almanac"))
  if (nzchar(found)) return(found)
  gopath <- Sys.getenv("GOPATH", file.path(path.expand("~"), "go"))
  for (folder in c(Sys.getenv("GOBIN"), file.path(gopath, "bin"))) {
    if (nzchar(folder) && file.exists(file.path(folder, name))) return(file.path(folder, name))
  }
  fail("almanac_not_found", paste0(
    "there is no program almanac: install it with ",
    "'go install github.com/almanac-sim/almanac/cmd/almanac@latest', ",
    "or say where it is with almanac_binary(PATH) or the environment variable ALMANAC"))
}

fail <- function(class, message, ...) {
  stop(structure(class = c(class, "almanac_error", "error", "condition"), list(message = message, call = NULL, ...)))
}

# wrong is a wrong argument that is found before the program is asked.
wrong <- function(...) fail("almanac_usage_error", paste0(...))

# call_almanac runs the program and returns its status and what it printed. An interrupt ends it.
call_almanac <- function(args, stdin = NULL, progress = NULL) {
  report <- reporter(progress)
  dir <- tempfile("almanac-call-")
  dir.create(dir)
  on.exit(unlink(dir, recursive = TRUE))
  at <- function(name) file.path(dir, name)
  if (is.null(stdin)) stdin <- ""
  writeLines(enc2utf8(stdin), at("in"), useBytes = TRUE)
  binary <- almanac_binary()
  if (.Platform$OS.type == "windows") {
    status <- suppressWarnings(system2(binary, shQuote(args), stdin = at("in"), stdout = at("out"), stderr = at("err")))
    return(list(status = status, stdout = lines_of(at("out")), stderr = lines_of(at("err"))))
  }
  # The program runs beside R, so that R shows progress and can be interrupted meanwhile.
  script <- c(
    if (!is.null(report)) "ALMANAC_PROGRESS=json; export ALMANAC_PROGRESS" else "unset ALMANAC_PROGRESS",
    paste(c(shQuote(binary), shQuote(args), "<", shQuote(at("in")), ">", shQuote(at("out")),
      "2>", shQuote(at("err")), "&"), collapse = " "),
    paste("echo $! >", shQuote(at("pid"))),
    "wait $!",
    paste("echo $? >", shQuote(at("new"))),
    paste("mv", shQuote(at("new")), shQuote(at("status"))))
  writeLines(enc2utf8(script), at("script"), useBytes = TRUE)
  ended <- FALSE
  on.exit(if (!ended) end_program(at("pid"), at("status")), add = TRUE, after = FALSE)
  system2("/bin/sh", shQuote(at("script")), wait = FALSE, stdout = FALSE, stderr = FALSE)
  seen <- 0L
  pause <- 0.005
  repeat {
    Sys.sleep(pause)
    pause <- min(0.1, 1.5 * pause)
    ended <- file.exists(at("status"))
    if (!is.null(report) && file.exists(at("err"))) {
      told <- lines_of(at("err"))
      steps <- grep("^\\{\"progress\":.*\\}$", told, value = TRUE)
      if (length(steps) > seen) {
        seen <- length(steps)
        last <- parse_json(steps[seen])
        report(last$progress, last$text)
      }
    }
    if (ended) break
  }
  clear_line(report)
  stderr <- lines_of(at("err"))
  list(status = as.integer(readLines(at("status"))), stdout = lines_of(at("out")),
    stderr = stderr[!startsWith(stderr, "{\"progress\":")])
}

lines_of <- function(path) {
  if (file.exists(path)) readLines(path, encoding = "UTF-8", warn = FALSE) else character()
}

# end_program ends the program as Ctrl-C would, and kills it if that takes more than ten seconds. A
# terminal sends its Ctrl-C to the program, too, so it has a moment to end by itself.
end_program <- function(pid, status) {
  ends_within <- function(seconds) {
    until <- Sys.time() + seconds
    while (Sys.time() < until) {
      if (file.exists(status)) return(TRUE)
      Sys.sleep(0.02)
    }
    FALSE
  }
  if (ends_within(0.3) || !file.exists(pid)) return(invisible())
  id <- as.integer(readLines(pid))
  pskill(id, 2L) # SIGINT
  if (!ends_within(10)) pskill(id, 9L)
  invisible()
}

# reporter is a function of the share that is done and a text, or NULL.
reporter <- function(progress) {
  if (is.function(progress)) return(progress)
  if (is.null(progress)) progress <- interactive()
  if (!progress) return(NULL)
  structure(function(done, text) {
    cat("\r", formatC(substr(sprintf("%3.0f %% %s", 100 * done, text), 1, 100), width = -100),
      sep = "", file = stderr())
  }, class = "almanac_line")
}

clear_line <- function(report) {
  if (inherits(report, "almanac_line")) cat("\r", strrep(" ", 100), "\r", sep = "", file = stderr())
}

# asked_for matches what is said of every saved state, and is no warning.
asked_for <- "^--from-state: replicas go on from | has the state of [0-9,]+ replicas? at "

# done returns what a command printed, or fails with the reason.
done <- function(args, stdin = NULL, progress = FALSE, partial = function() NULL) {
  out <- call_almanac(args, stdin, progress)
  ours <- startsWith(out$stderr, "almanac: ")
  reasons <- substring(out$stderr[ours], nchar("almanac: ") + 1)
  if (out$status == 0) {
    for (said in reasons[!grepl(asked_for, reasons)]) warning(said, call. = FALSE)
    return(out$stdout)
  }
  if (out$status %in% c(126L, 127L)) {
    fail("almanac_not_found", paste0(almanac_binary(), " cannot be started"), status = out$status)
  }
  problems <- problems_in(out$stderr[!ours], !is.null(stdin))
  if (out$status == 2 && nrow(problems) > 0) {
    fail(c("almanac_model_error", "almanac_usage_error"), model_message(problems, stdin), problems = problems,
      file = problems$file[1], line = problems$line[1], column = problems$column[1], status = 2L)
  }
  told <- out$stderr[nzchar(trimws(out$stderr))]
  message <- paste(if (length(reasons) > 0) reasons else told, collapse = "\n")
  if (out$status == 2) fail("almanac_usage_error", message, status = 2L)
  fail("almanac_run_error", message, status = out$status, result = partial())
}

# problems_in has a row for each line "file:line:column: message".
problems_in <- function(lines, from_list) {
  pattern <- "^(.+?):([0-9]+):([0-9]+): (.*)$"
  lines <- grep(pattern, lines, value = TRUE, perl = TRUE)
  part <- function(i) sub(pattern, paste0("\\", i), lines, perl = TRUE)
  file <- part(1)
  if (from_list) file[file == "standard input"] <- "model"
  data.frame(file = file, line = as.integer(part(2)), column = as.integer(part(3)), message = part(4),
    stringsAsFactors = FALSE)
}

# model_message shows for a list the line of its text.
model_message <- function(problems, text) {
  lines <- if (is.null(text)) character() else strsplit(text, "\n", fixed = TRUE)[[1]]
  each <- sprintf("%s:%d:%d: %s", problems$file, problems$line, problems$column, problems$message)
  shown <- trimws(lines[problems$line])
  shown <- ifelse(is.na(shown) | nchar(shown) < 2, "", paste0("\n    ", shown))
  paste0(each, shown, collapse = "\n")
}
