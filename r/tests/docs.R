# The code of docs/guide/r.md runs, and prints what the guide says. With ALMANAC_UPDATE=1 in the
# environment the guide gets what is printed now, and its picture.
library(almanac)
arguments <- commandArgs(FALSE)
here <- normalizePath(dirname(sub("^--file=", "", grep("^--file=", arguments, value = TRUE))))
guide <- file.path(here, "..", "..", "docs", "guide", "r.md")
setwd(tempdir()) # the code writes files
update <- nzchar(Sys.getenv("ALMANAC_UPDATE"))
options(width = 80)
lines <- readLines(guide, encoding = "UTF-8")
is <- character()
code <- NULL
printed <- NULL
grDevices::pdf(NULL)
skipping <- FALSE
for (line in lines) {
  if (line == "```r") {
    code <- character()
  } else if (line == "```" && !is.null(code)) {
    # Every value that is visible is printed, as at the console.
    printed <- capture.output(for (one in parse(text = code, encoding = "UTF-8")) {
      value <- withVisible(eval(one, globalenv()))
      if (value$visible) print(value$value)
    })
    code <- NULL
  } else if (!is.null(code)) {
    code <- c(code, line)
  } else if (line == "```text") {
    is <- c(is, line, sub(" +$", "", printed))
    printed <- NULL
    skipping <- TRUE
    next
  } else if (line == "```") {
    skipping <- FALSE
  }
  if (!skipping) is <- c(is, line)
}
if (update) {
  writeLines(is, guide, useBytes = TRUE)
  svg(file.path(dirname(guide), "..", "pictures", "r-town.svg"), 7, 4.5)
  plot(r)
  invisible(dev.off())
} else if (!identical(is, lines)) {
  first <- which(is[seq_along(lines)] != lines | is.na(is[seq_along(lines)]))[1]
  stop("docs/guide/r.md, line ", first, " is\n", lines[first], "\nand should be\n", is[first],
    "\n(ALMANAC_UPDATE=1 Rscript r/tests/docs.R)")
}
