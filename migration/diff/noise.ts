import type { Contract } from '#contracts/shared/contract.ts'
import type { TimeComparison } from './compare-generated.ts'
import type { RawDifference } from './difference-collector.ts'
import { findDifferences } from './find-differences.ts'
import type { RecordedResponse } from './recorded-response.ts'
import type { DifferenceKind } from './verdict.ts'

/** Returns the probability of at least `hits` (one or more) in `trials`, if each trial hits at this rate. */
const tailProbability = (hits: number, trials: number, rate: number) => {
  let probability = 0
  // The logarithm of the probability of exactly `count` hits. The probability itself would underflow.
  let logarithm = trials * Math.log1p(-rate)
  for (let count = 1; count <= trials; count++) {
    logarithm += Math.log(((trials - count + 1) / count) * (rate / (1 - rate)))
    if (count >= hits) probability += Math.exp(logarithm)
  }
  return probability
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

/**
 * Whether the core differs from itself at this location in at least 1 % of pairs, with 95 % confidence (the one-sided
 * bound of Clopper and Pearson).
 */
export const isNoise = (noise: Noise, location: NoiseLocation) => {
  const hits = disagreementsAt(noise, location)
  return hits > 0 && tailProbability(hits, noise.pairs, minNoiseRate) <= 0.05
}

export const isDeterministic = (noise: Noise, location: NoiseLocation) =>
  noise.pairs > 0 && disagreementsAt(noise, location) === 0
