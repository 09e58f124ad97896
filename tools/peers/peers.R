# The ranger contender of tools/peers; main.go describes the lines it answers. R has no float32, so ranger works on
# doubles.

suppressMessages(library(ranger))

arguments <- commandArgs(trailingOnly = TRUE)
given <- function(name) arguments[match(paste0("-", name), arguments) + 1]
number <- function(name) as.integer(given(name))
directions <- number("directions")
threads <- number("threads")

x <- function(name, rows) {
  cells <- readBin(file.path(given("folder"), paste0(name, ".x")), "numeric", rows * number("features"), size = 4)
  matrix(cells, rows, dimnames = list(NULL, paste0("x", seq_len(number("features")))))
}
y <- function(name, rows) {
  file <- file.path(given("folder"), paste0(name, ".y"))
  if (number("classes") == 0) return(readBin(file, "numeric", rows, size = 8))
  codes <- readBin(file, "integer", rows, size = 4)
  factor(codes, seq_len(number("classes")) - 1L)
}
trainX <- x("train", number("rows"))
trainY <- y("train", number("rows"))
testX <- x("test", number("test-rows"))
testY <- y("test", number("test-rows"))

timed <- function(call) {
  start <- as.numeric(Sys.time())
  force(call)
  as.numeric(Sys.time()) - start
}
answer <- function(format, ...) {
  cat(sprintf(format, ...), "\n", sep = "")
  flush(stdout())
}
error <- function(guess) if (is.factor(testY)) mean(guess != testY) else mean((guess - testY)^2)
predicted <- function() predict(model, testX, num.threads = threads, verbose = FALSE)$predictions

answer('{"version": "%s", "settings": "mtry d, min.node.size 1"}', packageVersion("ranger"))
input <- file("stdin", "r")
while (length(line <- readLines(input, 1)) > 0) {
  words <- strsplit(line, " ")[[1]]
  if (words[1] == "rest") {
    model <- NULL
    invisible(gc())
    answer("{}")
  } else if (words[1] == "predict") {
    calls <- as.integer(min(15, max(1, 0.25 / timed(predicted()))))
    seconds <- median(replicate(calls, timed(guess <<- predicted())))
    answer('{"seconds": %.6f, "error": %.8f, "bytes": %.0f}', seconds, error(guess),
           length(serialize(model, NULL)))
  } else {
    answer('{"seconds": %.6f}', timed(model <- ranger(
      x = trainX, y = trainY, num.trees = as.integer(words[2]), seed = as.integer(words[3]), mtry = directions,
      min.node.size = 1, num.threads = threads, oob.error = FALSE, verbose = FALSE)))
  }
}
