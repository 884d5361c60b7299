# The code of the vignette runs, without knitr. R CMD check builds the vignette, too.
library(almanac)
arguments <- commandArgs(FALSE)
here <- dirname(sub("^--file=", "", grep("^--file=", arguments, value = TRUE)))
places <- c("vignettes", file.path("almanac", "doc"), "00_pkg_src/almanac/vignettes")
vignette <- Sys.glob(file.path(here, "..", places, "outbreak.Rmd"))
if (length(vignette) == 0) quit() # tests of a package that is installed without it
lines <- readLines(vignette[1], encoding = "UTF-8")
inside <- FALSE
code <- character()
for (line in lines) {
  if (grepl("^```", line)) {
    inside <- grepl("^```\\{r", line)
  } else if (inside) {
    code <- c(code, line)
  }
}
stopifnot(length(code) > 20)
grDevices::pdf(NULL)
invisible(capture.output(suppressWarnings(eval(parse(text = code, encoding = "UTF-8"), globalenv()))))

# What its text says of the numbers.
stopifnot(nrow(reports) == 10, nrow(f$unknowns) == 3, d$differences$mean_ci_high < 0, length(f$notes) > 0)
with(f$posterior, stopifnot(stats::cov.wt(cbind(beta, rho), weight, cor = TRUE)$cor[1, 2] < 0))
