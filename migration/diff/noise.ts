import type { Contract } from '#contracts/shared/contract.ts'
import type { TimeComparison } from './compare-generated.ts'
import type { RawDifference } from './difference-collector.ts'
import { findDifferences } from './find-differences.ts'
import type { RecordedResponse } from './recorded-response.ts'
import type { DifferenceKind } from './verdict.ts'

const logBinomials = (trials: number) => {
  const logs = [0]
  for (let k = 1; k <= trials; k++) logs.push((logs[k - 1] ?? 0) + Math.log((trials - k + 1) / k))
  return logs
}

/**
 * Returns the exact one-sided 95 % lower confidence bound (Clopper-Pearson) for a rate that gave `hits` in `trials`. At
 * any lower rate, this many hits or more would have a probability below 5 %.
 */
export const lowerBound = (hits: number, trials: number) => {
  if (hits === 0) return 0
  const logs = logBinomials(trials)
  const tailProbability = (rate: number) => {
    let probability = 0
    for (let k = hits; k <= trials; k++) {
      // In the last term, the second factor is 1 for every rate, but `0 * log1p(-1)` would be NaN.
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

/** How often two core responses to the same request differed, for each location in one route's responses. */
export interface Noise {
  readonly pairs: number
  readonly disagreements: ReadonlyMap<string, number>
}

export const unknownNoise: Noise = { pairs: 0, disagreements: new Map() }

// If the core differs from itself less often than this, the differences are not noise.
const minNoiseRate = 0.01

// The kinds of differences that may be noise. Statuses, types, formats and contract violations never are.
const noiseFamilies: { readonly [K in DifferenceKind]?: string } = {
  value: 'value',
  order: 'order',
  missing: 'presence',
  extra: 'presence',
  length: 'presence',
  header: 'header',
}

const authPaths = ['headers.www-authenticate', 'body.error']

type NoiseLocation = { readonly kind: DifferenceKind; readonly path: string }

const createKey = ({ kind, path }: NoiseLocation) => {
  const noiseFamily = noiseFamilies[kind]
  return noiseFamily && !authPaths.includes(path) ? `${noiseFamily} ${path}` : null
}

/** `times` is `equal` if both responses come from the same rows. */
export const learnNoise = (
  noise: Noise,
  contract: Contract,
  core: RecordedResponse,
  repeat: RecordedResponse,
  times: TimeComparison = 'equal',
): Noise => {
  const keys = findDifferences(contract, repeat, core, false, false, times).map(
    ({ kind, location }: RawDifference) => createKey({ kind, path: location.path }),
  )
  const disagreements = new Map(noise.disagreements)
  for (const key of new Set(keys)) if (key) disagreements.set(key, (disagreements.get(key) ?? 0) + 1)
  return { pairs: noise.pairs + 1, disagreements }
}

const disagreementsAt = ({ disagreements }: Noise, location: NoiseLocation) => {
  const key = createKey(location)
  return key === null ? 0 : (disagreements.get(key) ?? 0)
}

/** Whether the core differs from itself at this location in at least 1 % of pairs, with 95 % confidence. */
export const isNoise = (noise: Noise, location: NoiseLocation) =>
  lowerBound(disagreementsAt(noise, location), noise.pairs) >= minNoiseRate

export const isDeterministic = (noise: Noise, location: NoiseLocation) =>
  noise.pairs > 0 && disagreementsAt(noise, location) === 0
