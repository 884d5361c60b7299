# Pictures with R's own graphics. The pictures of the command are in almanac_picture.

palette_of <- function(n) hcl.colors(max(n, 2), "Dark 3")[seq_len(n)]

# everybody has the rows of a frame that are about everybody: those whose groups are empty.
everybody <- function(frame, known) {
  for (group in setdiff(names(frame), known)) frame <- frame[frame[[group]] == "", ]
  frame
}

plot.almanac_run <- function(x, y = NULL, what = c("states", "incidence"), show = NULL, log = FALSE, xlab = NULL,
                             ylab = NULL, main = NULL, ...) {
  what <- match.arg(what)
  frame <- if (what == "states") x$states else x$incidence
  value <- if (what == "states") "count" else "incidence"
  series <- if (what == "states") "state" else "flow"
  frame <- everybody(frame, c("replica", "time", "date", "kind", series, value))
  if (what == "incidence") frame <- frame[frame$kind == "flow" & frame$time > min(frame$time), ]
  if (is.null(show)) {
    show <- unique(frame[[series]])
    show <- show[vapply(show, function(s) any(frame[[value]][frame[[series]] == s] > 0), NA)]
  }
  unknown <- setdiff(show, frame[[series]])
  if (length(unknown) > 0) {
    stop("there is no ", series, " ", unknown[1], "; expected one of ", paste(unique(frame[[series]]), collapse = ", "),
      call. = FALSE)
  }
  times <- sort(unique(frame$time))
  at <- if (is.null(frame$date)) times else frame$date[match(times, frame$time)]
  bands <- lapply(show, function(s) {
    rows <- frame[frame[[series]] == s, ]
    vapply(split(rows[[value]], rows$time), quantile, numeric(3), probs = c(0.05, 0.5, 0.95), type = 1)
  })
  top <- max(1, unlist(bands))
  replicas <- length(unique(frame$replica))
  # Room for the legend above the lines.
  rows <- ceiling(length(show) / 3)
  top <- if (log) top^(1 + 0.08 * rows) else top * (1 + 0.08 * rows)
  plot(range(at), c(if (log) 1 else 0, top), type = "n", log = if (log) "y" else "", bty = "l", las = 1,
    xlab = if (!is.null(xlab)) xlab else if (is.null(frame$date)) x$summary$unit else "",
    ylab = if (!is.null(ylab)) ylab else if (what == "states") "individuals" else "events in each interval",
    main = if (is.null(main)) x$summary$model else main, ...)
  colours <- palette_of(length(show))
  for (i in seq_along(show)) {
    band <- if (log) pmax(bands[[i]], 1) else bands[[i]]
    if (replicas > 1) {
      polygon(c(at, rev(at)), c(band[1, ], rev(band[3, ])), col = adjustcolor(colours[i], 0.25), border = NA)
    }
    lines(at, band[2, ], col = colours[i], lwd = 2)
  }
  legend("top", show, col = colours, lwd = 2, bty = "n", ncol = min(3, length(show)))
  if (replicas > 1) mtext(sprintf("medians and the middle 90 %% of %d runs", replicas), cex = 0.8)
  invisible(x)
}

plot.almanac_sweep <- function(x, y = NULL, output = NULL, xlab = NULL, ylab = NULL, ...) {
  points <- x$points
  vary <- names(points)[1]
  if (is.null(output)) output <- points$output[1]
  rows <- points[points$output == output, ]
  if (nrow(rows) == 0) {
    stop("there is no output ", output, "; expected one of ", paste(unique(points$output), collapse = ", "),
      call. = FALSE)
  }
  at <- if (is.numeric(rows[[vary]])) rows[[vary]] else seq_along(rows[[vary]])
  rows <- rows[order(at), ]
  at <- sort(at)
  plot(at, rows$mean, ylim = range(rows$low, rows$high, rows$mean, na.rm = TRUE), pch = 19, bty = "l", las = 1,
    xlab = if (is.null(xlab)) vary else xlab, ylab = if (is.null(ylab)) output else ylab, ...)
  segments(at, rows$low, at, rows$high)
  invisible(x)
}

plot.almanac_compare <- function(x, y = NULL, output = NULL, xlab = NULL, ...) {
  rows <- x$differences
  if (!is.null(output)) rows <- rows[rows$output %in% output, ]
  if (nrow(rows) == 0) {
    stop("there is no such output; expected one of ", paste(unique(x$differences$output), collapse = ", "),
      call. = FALSE)
  }
  label <- if (length(unique(rows$output)) == 1) rows$scenario else paste(rows$scenario, rows$output, sep = ": ")
  rows$at <- rev(seq_len(nrow(rows)))
  before <- par(mar = c(4, 2 + 0.5 * max(nchar(label)), 2, 1))
  on.exit(par(before))
  plot(range(0, rows$runs_low, rows$runs_high, na.rm = TRUE), c(0.5, nrow(rows) + 0.5), type = "n", yaxt = "n",
    xlab = if (is.null(xlab)) paste("difference in", paste(unique(rows$output), collapse = ", ")) else xlab, ylab = "",
    bty = "n", ...)
  abline(v = 0, col = "grey")
  segments(rows$runs_low, rows$at, rows$runs_high, rows$at)
  segments(rows$mean_ci_low, rows$at, rows$mean_ci_high, rows$at, lwd = 4)
  points(rows$mean_difference, rows$at, pch = 19)
  axis(2, rows$at, label, las = 1, tick = FALSE)
  mtext("means, their 95 % CI (thick), 95 % of paired runs (thin)", cex = 0.8)
  invisible(x)
}

plot.almanac_fit <- function(x, y = NULL, ...) {
  names <- x$unknowns$name
  before <- par(mfrow = c(1, length(names)), mar = c(4, 4, 1, 1))
  on.exit(par(before))
  weight <- x$posterior$weight
  for (name in names) {
    # A histogram of the sample drawn by its weights.
    values <- x$posterior[[name]]
    even <- (seq_len(1000) - 0.5) / 1000
    by <- order(values)
    drawn <- values[by][findInterval(even, cumsum(weight[by]) / sum(weight)) + 1]
    hist(drawn, freq = FALSE, main = "", xlab = trimws(paste(name, x$unknowns$unit[x$unknowns$name == name])),
      ylab = "posterior density", col = "grey85", border = "white", las = 1, ...)
    abline(v = x$unknowns$mean[x$unknowns$name == name], lwd = 2)
  }
  invisible(x)
}
