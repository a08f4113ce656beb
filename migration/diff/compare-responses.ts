import type { Contract } from '#contracts/shared/contract.ts'
import { findHeaderViolations, findMissingHeaders } from './compare-headers.ts'
import { findContractViolations, hasReadableStatus, selectResponseShape } from './contract-of-response.ts'
import { findDifferences } from './find-differences.ts'
import { absent, body, type Finding, locationAt } from './findings.ts'
import { findIncomparable } from './incomparable.ts'
import { isSame } from './json.ts'
import { type Evidence, judge, type Rules, toDifference } from './judge.ts'
import { findLeaks } from './leaks.ts'
import { isResponse, type Observation, type RecordedResponse } from './recorded-response.ts'
import { unmaskedShape } from './shape.ts'
import { type Difference, selectMostSevere, type Verdict } from './verdict.ts'

const findLeakPaths = (contract: Contract, response: RecordedResponse): readonly string[] => {
  if (response.body.kind !== 'json') return []
  const locations = findLeaks(selectResponseShape(contract, response), response.body.value, body)
  return [...new Set(locations.map(({ path }) => path))]
}

// Validates equal bodies only once, because validation takes about as long as the whole comparison.
const findViolations = (contract: Contract, native: RecordedResponse, core: RecordedResponse) => {
  const ours = findContractViolations(contract, native)
  const areSame =
    native.status === core.status &&
    isSame(native.body, core.body) &&
    isSame(findMissingHeaders(contract, native), findMissingHeaders(contract, core))
  return { native: ours, core: areSame ? ours : findContractViolations(contract, core) }
}

const isCovered = (path: string, findings: readonly Finding[]) =>
  findings.some(
    ({ kind, location }) =>
      kind === 'status' || path === location.path || path.startsWith(`${location.path}.`),
  )

// Returns the violations and leaks that no finding covers: those on both sides, and those inside a value that only one
// side has.
const findUncovered = (findings: readonly Finding[], { violations, leaks }: Evidence) => {
  const broken = [...violations.native, ...violations.core].filter((path) => !isCovered(path, findings))
  const leaking = [...leaks].filter((path) => !findings.some(({ location }) => location.path === path))
  return [...new Set([...broken, ...leaking])].map(
    (path): Finding => ({
      kind: 'schema',
      location: locationAt(path),
      shape: null,
      pairs: [{ native: absent, core: absent }],
    }),
  )
}

// Only undeclared fields and values of the wrong type can leak. A leak on both sides is found by scanning native.
const mayLeak = ({ location, kind }: Finding) => !location.declared || kind === 'type'

const compareObserved = (
  contract: Contract,
  native: RecordedResponse,
  core: RecordedResponse,
  rules: Rules,
): Difference[] => {
  const violations = findViolations(contract, native, core)
  const exclusion = findIncomparable(native, core)
  const areBothValid = violations.native.length + violations.core.length === 0
  const findings = exclusion
    ? [exclusion.finding]
    : findDifferences(contract, native, core, areBothValid, rules.isSameState, rules.times)
  const leaks = findLeakPaths(contract, native)
  const coreLeaks = leaks.length > 0 || findings.some(mayLeak) ? findLeakPaths(contract, core) : []
  const evidence: Evidence = {
    label: contract.label,
    rules,
    violations: {
      native: [...violations.native, ...findHeaderViolations(native), ...leaks],
      core: [...violations.core, ...coreLeaks],
    },
    hasCoreStatus: hasReadableStatus(contract, core),
    leaks: new Set(leaks),
    isAuthError: native.status === 401 || native.status === 403,
  }
  const uncovered = findUncovered(findings, evidence)
  if (!exclusion) return [...findings, ...uncovered].map((finding) => judge(finding, evidence))
  const { finding, blame, reason } = exclusion
  return [
    toDifference(finding, evidence, blame, { class: 'not_comparable', reason }),
    ...uncovered
      .filter(({ location }) => evidence.leaks.has(location.path))
      .map((leak) => judge(leak, evidence)),
  ]
}

const createFailure = (
  contract: Contract,
  native: Observation,
  core: Observation,
  rules: Rules,
): Difference => {
  const [ours, theirs] = [native, core].map((side) => (isResponse(side) ? side.status : side.failure))
  const finding: Finding = {
    kind: 'status',
    location: locationAt('status'),
    shape: unmaskedShape,
    pairs: [{ native: ours, core: theirs }],
  }
  const blame = isResponse(native) ? 'core' : isResponse(core) ? 'native' : 'both'
  return toDifference(finding, { label: contract.label, rules }, blame, {
    class: 'failed',
    reason: blame === 'both' ? 'neither side returned a response' : `${blame} returned no response`,
  })
}

const statusOf = (observation: Observation) => (isResponse(observation) ? observation.status : null)

/**
 * Compares native's and the core's responses to one request according to the route's contract. The core is the
 * reference unless it violates the contract.
 */
export const compareResponses = (
  contract: Contract,
  native: Observation,
  core: Observation,
  rules: Rules,
): Verdict => {
  const differences =
    isResponse(native) && isResponse(core)
      ? compareObserved(contract, native, core, rules)
      : [createFailure(contract, native, core, rules)]
  return {
    label: contract.label,
    class: selectMostSevere(differences.map((difference) => difference.class)),
    native: statusOf(native),
    core: statusOf(core),
    differences,
  }
}
