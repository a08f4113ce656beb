import { applyChange } from '#migration/model/apply-change.ts'
import { evaluateGate } from '#migration/model/gate/evaluate-gate.ts'
import { createEvidenceSet, extendEvidenceSet } from '#migration/model/gate/evidence-set.ts'
import { defaultGateLimits } from '#migration/model/gate/gate-input.ts'
import type { RouteState } from '#migration/model/route-state.ts'
import { createRandom } from '#test/support/random.ts'
import {
  accountsOf,
  createGateInput,
  evidenceKey,
  goodComparisons,
  goodStep,
  stateOf,
} from './gate-inputs.ts'

const dayMs = 86_400_000
const label = 'tracks.list'
const users = 5
const evaluationsPerDay = 4

interface QuietTraffic {
  readonly requestsPerDay: number
  /** The probability that native serves a request wrongly. */
  readonly wrongFraction: number
  readonly days: number
}

/** Draws a Poisson-distributed count with this mean (Knuth's algorithm). */
const drawCount = (random: () => number, mean: number) => {
  const limit = Math.exp(-mean)
  let count = 0
  for (let product = random(); product > limit; product *= random()) count += 1
  return count
}

const conditions = {
  evidenceKey,
  instancesWithoutHandler: [],
  liveEvidenceKeys: [],
  failedCode: [],
  unknownInstances: [],
}

/**
 * Returns after how many days a route in shadow reaches its first percentage, and after how many it reaches all
 * accounts. Each is null if that never happens.
 */
const simulateRoute = ({ requestsPerDay, wrongFraction, days }: QuietTraffic, seed: number) => {
  const random = createRandom(seed)
  const buckets = Array.from({ length: users }, () => Math.floor(random() * 10_000))
  let state: RouteState = stateOf(label)
  let set = createEvidenceSet()
  let startedAt = 0
  let nativeRequests = 0
  const core: number[] = []
  const reached: { canary: number | null; native: number | null } = { canary: null, native: null }
  for (let evaluation = 1; evaluation <= days * evaluationsPerDay; evaluation += 1) {
    const now = (evaluation * dayMs) / evaluationsPerDay
    const requests = drawCount(random, requestsPerDay / evaluationsPerDay)
    let regressions = 0
    let byNative = 0
    for (let request = 0; request < requests; request += 1) {
      if (random() < wrongFraction) regressions += 1
      if ((buckets[Math.floor(random() * users)] ?? 0) < state.weightBp) byNative += 1
    }
    nativeRequests += byNative
    core.push(requests - byNative)
    const added = { comparisons: requests, regressions, critical: 0 }
    set = extendEvidenceSet(set, added, defaultGateLimits.test, now)
    // A gateway would now move the route back to shadow.
    if (set.alarm !== null) break
    const responses = core.slice(-7 * evaluationsPerDay).reduce((sum, count) => sum + count, 0)
    const comparisons = {
      ...goodComparisons,
      test: set.test,
      firstAt: 0,
      coreRequestsPerDay: responses / 7,
      comparisonsPerMinute: requestsPerDay / 1440,
      transients: 0,
      copies: set.test.comparisons,
      drops: 0,
      statuses: [{ status: 200, responses, comparisons: set.test.comparisons }],
      accounts: accountsOf(users),
      activeAccounts: accountsOf(users),
    }
    const elapsedMinutes = Math.max(1, (now - startedAt) / 60_000)
    const step = {
      ...goodStep,
      startedAt,
      nativeRequests,
      nativeRequestsPerMinute: nativeRequests / elapsedMinutes,
    }
    const input = createGateInput(state, { comparisons, now, step: state.weightBp > 0 ? step : null })
    const { next } = evaluateGate(input)
    if (next.action !== 'promote' || next.change === null) continue
    const transition = applyChange(state, next.change, conditions)
    if (transition.kind === 'illegal') throw new Error(transition.reason)
    state = transition.state
    startedAt = now
    nativeRequests = 0
    reached.canary ??= now / dayMs
    if (state.stage !== 'native') continue
    reached.native = now / dayMs
    break
  }
  return reached
}

const sorted = (values: readonly (number | null)[]) =>
  values.filter((value) => value !== null).sort((one, other) => one - other)

/**
 * Returns after how many days quiet routes with five accounts reached their first percentage, and after how many they
 * reached all accounts. Both lists are in ascending order. The first route has seed 1.
 */
export const simulateQuietRoutes = (traffic: QuietTraffic, runs: number) => {
  const routes = Array.from({ length: runs }, (_, index) => simulateRoute(traffic, index + 1))
  return {
    canary: sorted(routes.map(({ canary }) => canary)),
    native: sorted(routes.map(({ native }) => native)),
  }
}
