import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { compareResponses } from './compare-responses.ts'
import type { Rules } from './judge.ts'
import { isResponse, type Observation } from './recorded-response.ts'
import type { Verdict } from './verdict.ts'

export const contractOf = (label: Label): Contract => contracts[label]

export const judgeResponses = (label: Label, native: Observation, core: Observation, rules: Rules): Verdict =>
  compareResponses(contractOf(label), native, core, rules)

/**
 * Ignores the two headers that native must set itself: the runtime header and the cache policy. For use where the core
 * may have served both sides.
 */
export const ignoreOwnHeaders = <O extends Observation>(observation: O): O => {
  if (!isResponse(observation)) return observation
  const { 'x-service-core-runtime': _, ...headers } = observation.headers
  return { ...observation, headers: { ...headers, 'cache-control': 'no-store' } }
}
