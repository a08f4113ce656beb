const logBinomials = (trials: number) => {
  const logs = [0]
  for (let k = 1; k <= trials; k++) logs.push((logs[k - 1] ?? 0) + Math.log((trials - k + 1) / k))
  return logs
}

/**
 * The exact one-sided 95 % lower bound (Clopper-Pearson) of a rate, given `hits` in `trials`: with a lower rate, the
 * probability of at least as many hits is below 5 %.
 */
export const lowerBound = (hits: number, trials: number) => {
  if (hits === 0) return 0
  const logs = logBinomials(trials)
  const tailProbability = (rate: number) => {
    let probability = 0
    for (let k = hits; k <= trials; k++) {
      // In the last term the second factor is 1 for every rate; `0 * log1p(-1)` would be NaN.
      const misses = k === trials ? 0 : (trials - k) * Math.log1p(-rate)
      probability += Math.exp((logs[k] ?? 0) + k * Math.log(rate) + misses)
    }
    return probability
  }
  let [low, high] = [0, 1]
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2
    if (tailProbability(middle) < 0.05) low = middle
    else high = middle
  }
  return low
}
