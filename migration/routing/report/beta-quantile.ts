/** The logarithms of the factorials of 0 to `n`. */
const listLogFactorials = (n: number): readonly number[] => {
  const logs = [0]
  for (let k = 1; k <= n; k++) logs.push((logs[k - 1] ?? 0) + Math.log(k))
  return logs
}

/**
 * The regularized incomplete beta function for whole parameters: the probability that at least `a` of `a + b - 1` independent
 * trials succeed, each with the probability `x` (DLMF 8.17.5).
 */
export const betaProbability = (x: number, a: number, b: number): number => {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const trials = a + b - 1
  const logFactorials = listLogFactorials(trials)
  const logFactorialOf = (n: number) => logFactorials[n] ?? 0
  let sum = 0
  for (let successes = a; successes <= trials; successes++)
    sum += Math.exp(
      logFactorialOf(trials) -
        logFactorialOf(successes) -
        logFactorialOf(trials - successes) +
        successes * Math.log(x) +
        (trials - successes) * Math.log1p(-x),
    )
  return Math.min(1, sum)
}

// Halves the interval until it cannot become smaller by a relevant amount.
const halvings = 60

const findBetaQuantile = (probability: number, a: number, b: number): number => {
  let [low, high] = [0, 1]
  for (let step = 0; step < halvings; step++) {
    const middle = (low + high) / 2
    if (betaProbability(middle, a, b) < probability) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/**
 * The quantile of the beta prime distribution: of the ratio of two independent gamma variables with the whole shapes `a` and
 * `b` and the same scale.
 */
export const findBetaPrimeQuantile = (probability: number, a: number, b: number): number => {
  const x = findBetaQuantile(probability, a, b)
  return x / (1 - x)
}
