const logBinomials = (trials: number) => {
  const logs = [0]
  for (let k = 1; k <= trials; k++) logs.push((logs[k - 1] ?? 0) + Math.log((trials - k + 1) / k))
  return logs
}

/**
 * The exact (Clopper-Pearson) lower bound, at 95 % to one side, of a rate of which `hits` in `trials` were seen:
 * a lower rate would show as many hits less than once in twenty times.
 */
export const lowerBound = (hits: number, trials: number) => {
  if (hits === 0) return 0
  const logs = logBinomials(trials)
  const chanceOfAtLeast = (rate: number) => {
    let chance = 0
    for (let k = hits; k <= trials; k++) {
      // At the end of the sum the second factor is 1, whatever the rate.
      const misses = k === trials ? 0 : (trials - k) * Math.log1p(-rate)
      chance += Math.exp((logs[k] ?? 0) + k * Math.log(rate) + misses)
    }
    return chance
  }
  let [low, high] = [0, 1]
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2
    if (chanceOfAtLeast(middle) < 0.05) low = middle
    else high = middle
  }
  return low
}
