import type { Contract } from '#contracts/shared/contract.ts'
import { lowerBound } from './confidence.ts'
import { findDifferences } from './find-differences.ts'
import type { Finding } from './findings.ts'
import type { RecordedResponse } from './recorded-response.ts'
import type { DifferenceKind } from './verdict.ts'

/** How often two answers of the core itself to one request disagreed, place by place of one route. */
export interface Noise {
  readonly pairs: number
  readonly disagreements: ReadonlyMap<string, number>
}

export const noNoise: Noise = { pairs: 0, disagreements: new Map() }

// A rate below which the core may be said to agree with itself.
const quiet = 0.01

// What the core's own answers may disagree on without one of them being wrong. Statuses, types and forms are
// never noise, nor is anything of the contract itself.
const families: { readonly [K in DifferenceKind]?: string } = {
  value: 'value',
  order: 'order',
  missing: 'presence',
  extra: 'presence',
  length: 'presence',
  header: 'header',
}

const authPaths = ['headers.www-authenticate', 'body.error']

type Spot = { readonly kind: DifferenceKind; readonly path: string }

const keyOf = ({ kind, path }: Spot) => {
  const family = families[kind]
  return family && !authPaths.includes(path) ? `${family} ${path}` : null
}

/** What is known of a route's noise after one more pair of answers of the core. */
export const learnNoise = (
  noise: Noise,
  contract: Contract,
  core: RecordedResponse,
  again: RecordedResponse,
): Noise => {
  const keys = findDifferences(contract, again, core).map(({ kind, place }: Finding) =>
    keyOf({ kind, path: place.path }),
  )
  const disagreements = new Map(noise.disagreements)
  for (const key of new Set(keys)) if (key) disagreements.set(key, (disagreements.get(key) ?? 0) + 1)
  return { pairs: noise.pairs + 1, disagreements }
}

const disagreementsAt = ({ disagreements }: Noise, spot: Spot) => {
  const key = keyOf(spot)
  return key === null ? 0 : (disagreements.get(key) ?? 0)
}

/** Whether the core disagrees with itself at that place too often for it to be chance. */
export const isNoise = (noise: Noise, spot: Spot) =>
  lowerBound(disagreementsAt(noise, spot), noise.pairs) >= quiet

/** Whether the core was asked twice and never disagreed with itself at that place. */
export const isSteady = (noise: Noise, spot: Spot) => noise.pairs > 0 && disagreementsAt(noise, spot) === 0
