import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { isSame } from '#shared/json.ts'
import { findMissingHeaders, forbidsStoring } from './compare-headers.ts'
import {
  contractOf,
  findContractViolations,
  hasReadableStatus,
  selectDiffSchema,
} from './contract-of-response.ts'
import { unmaskedSchema } from './diff-schema.ts'
import { body, differenceAt, type RawDifference } from './difference-collector.ts'
import { findDifferences } from './find-differences.ts'
import { findIncomparable } from './incomparable.ts'
import { judge, type ResponseFacts, type Rules, toDifference } from './judge.ts'
import { findLeaks } from './leaks.ts'
import { isResponse, type Observation, type RecordedResponse, statusOf } from './recorded-response.ts'
import { type Difference, selectMostSevere, type Verdict } from './verdict.ts'

const findLeakPaths = (contract: Contract, response: RecordedResponse): readonly string[] => {
  if (response.body.kind !== 'json') return []
  const locations = findLeaks(selectDiffSchema(contract, response), response.body.value, body)
  return [...new Set(locations.map(({ path }) => path))]
}

// Validates equal bodies only once, because validation takes about as long as the comparison itself.
const findViolations = (contract: Contract, native: RecordedResponse, core: RecordedResponse) => {
  const ours = findContractViolations(contract, native)
  const areSame =
    native.status === core.status &&
    isSame(native.body, core.body) &&
    isSame(findMissingHeaders(contract, native), findMissingHeaders(contract, core))
  return { native: ours, core: areSame ? ours : findContractViolations(contract, core) }
}

const isCovered = (path: string, found: readonly RawDifference[]) =>
  found.some(
    ({ kind, location }) =>
      kind === 'status' || path === location.path || path.startsWith(`${location.path}.`),
  )

// Returns the violations and leaks that no difference covers: those on both sides, and those inside a value that only
// one side has.
const findUncovered = (found: readonly RawDifference[], { violations, leaks }: ResponseFacts) => {
  const broken = [...violations.native, ...violations.core].filter((path) => !isCovered(path, found))
  const leaking = [...leaks].filter((path) => !found.some(({ location }) => location.path === path))
  return [...new Set([...broken, ...leaking])].map((path) =>
    differenceAt('schema', path, null, undefined, undefined),
  )
}

// Only undeclared fields and values of the wrong type can leak. A leak on both sides is found by scanning native's
// response.
const mayLeak = ({ location, kind }: RawDifference) => !location.declared || kind === 'type'

const compareObserved = (
  contract: Contract,
  native: RecordedResponse,
  core: RecordedResponse,
  rules: Rules,
): Difference[] => {
  const violations = findViolations(contract, native, core)
  const exclusion = findIncomparable(native, core)
  const areBothValid = violations.native.length + violations.core.length === 0
  const found = exclusion
    ? [exclusion.difference]
    : findDifferences(contract, native, core, areBothValid, rules.isSameState, rules.times)
  const leaks = findLeakPaths(contract, native)
  const coreLeaks = leaks.length > 0 || found.some(mayLeak) ? findLeakPaths(contract, core) : []
  const facts: ResponseFacts = {
    label: contract.label,
    rules,
    violations: {
      native: [...violations.native, ...(forbidsStoring(native) ? [] : ['headers.cache-control']), ...leaks],
      core: [...violations.core, ...coreLeaks],
    },
    hasCoreStatus: hasReadableStatus(contract, core),
    leaks: new Set(leaks),
    isError: native.status >= 400,
    isAuthError: native.status === 401 || native.status === 403,
  }
  const uncovered = findUncovered(found, facts)
  if (!exclusion) return [...found, ...uncovered].map((raw) => judge(raw, facts))
  const { difference, blame, reason } = exclusion
  return [
    toDifference(difference, facts, blame, { class: 'not_comparable', reason }),
    ...uncovered.filter(({ location }) => facts.leaks.has(location.path)).map((leak) => judge(leak, facts)),
  ]
}

const createFailure = (label: Label, native: Observation, core: Observation, rules: Rules): Difference => {
  const [ours, theirs] = [native, core].map((side) => (isResponse(side) ? side.status : side.failure))
  const raw = differenceAt('status', 'status', unmaskedSchema, ours, theirs)
  const blame = isResponse(native) ? 'core' : isResponse(core) ? 'native' : 'both'
  return toDifference(raw, { label, rules }, blame, {
    class: 'failed',
    reason: blame === 'both' ? 'neither side returned a response' : `${blame} returned no response`,
  })
}

/** The core is the reference unless it violates the contract. */
export const compareResponses = (
  label: Label,
  native: Observation,
  core: Observation,
  rules: Rules,
): Verdict => {
  const differences =
    isResponse(native) && isResponse(core)
      ? compareObserved(contractOf(label), native, core, rules)
      : [createFailure(label, native, core, rules)]
  return {
    label,
    class: selectMostSevere(differences.map((difference) => difference.class)),
    native: statusOf(native),
    core: statusOf(core),
    differences,
  }
}

/**
 * Ignores the two headers that native must set itself: the runtime header and the cache policy. For use where the core
 * may have served both sides.
 */
export const ignoreOwnHeaders = <O extends Observation>(observation: O): O => {
  if (!isResponse(observation)) return observation
  const { 'x-service-core-runtime': _, ...headers } = observation.headers
  return { ...observation, headers: { ...headers, 'cache-control': 'no-store' } }
}
