import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { compareResponses } from '../../parity/diff/compare-responses.ts'
import type { Rules } from '../../parity/diff/judge.ts'
import { isResponse, type Observation } from '../../parity/diff/recorded-response.ts'
import type { Verdict } from '../../parity/diff/verdict.ts'

export const contractOf = (label: Label): Contract => contracts[label]

/** The verdict on the responses of both sides to one request. */
export const judgeResponses = (label: Label, native: Observation, core: Observation, rules: Rules): Verdict =>
  compareResponses(contractOf(label), native, core, rules)

/**
 * A response without what native must have beside its content: where the core may have served both sides, its runtime
 * header and its cache policy are irrelevant.
 */
export const ignoreOwnHeaders = <O extends Observation>(observation: O): O => {
  if (!isResponse(observation)) return observation
  const { 'x-service-core-runtime': _, ...headers } = observation.headers
  return { ...observation, headers: { ...headers, 'cache-control': 'no-store' } }
}
