import type { Contract } from '#contracts/shared/contract.ts'
import { findHeaderViolations } from './compare-headers.ts'
import { findContractViolations, selectResponseShape } from './contract-of-response.ts'
import { findDifferences } from './find-differences.ts'
import { absent, body, type Finding, locationAt } from './findings.ts'
import { incomparable } from './incomparable.ts'
import { isSame } from './json.ts'
import { type Evidence, judge, type Rules, toDifference } from './judge.ts'
import { findLeaks } from './leaks.ts'
import { isResponse, type Observation, type RecordedResponse } from './recorded-response.ts'
import { shown } from './shape.ts'
import { type Difference, selectGravest, type Verdict } from './verdict.ts'

const leaksIn = (contract: Contract, answer: RecordedResponse): readonly string[] => {
  if (answer.body.kind !== 'json') return []
  const places = findLeaks(selectResponseShape(contract, answer), answer.body.value, body)
  return [...new Set(places.map(({ path }) => path))]
}

// Validating what is the same twice would take as long as all the rest.
const violationsOfBoth = (contract: Contract, native: RecordedResponse, core: RecordedResponse) => {
  const ours = findContractViolations(contract, native)
  const areSame = native.status === core.status && isSame(native.body, core.body)
  return { native: ours, core: areSame ? ours : findContractViolations(contract, core) }
}

const isCovered = (path: string, findings: readonly Finding[]) =>
  findings.some(
    ({ kind, place }) => kind === 'status' || path === place.path || path.startsWith(`${place.path}.`),
  )

// What comparing does not show: both sides have it, or it lies within what one side alone has.
const unseen = (findings: readonly Finding[], { violations, leaks }: Evidence) => {
  const broken = [...violations.native, ...violations.core].filter((path) => !isCovered(path, findings))
  const leaking = [...leaks].filter((path) => !findings.some(({ place }) => place.path === path))
  return [...new Set([...broken, ...leaking])].map(
    (path): Finding => ({
      kind: 'schema',
      place: locationAt(path),
      shape: null,
      pairs: [{ native: absent, core: absent }],
    }),
  )
}

// Only what the contract does not name can be what must not leave; what both sides have is found in native.
const mayLeak = ({ place, kind }: Finding) => !place.declared || kind === 'type'

const compareBoth = (
  contract: Contract,
  native: RecordedResponse,
  core: RecordedResponse,
  rules: Rules,
): Difference[] => {
  const violations = violationsOfBoth(contract, native, core)
  const obstacle = incomparable(native, core)
  const areInForm = violations.native.length + violations.core.length === 0
  const findings = obstacle
    ? [obstacle.finding]
    : findDifferences(contract, native, core, areInForm, rules.ofOneState)
  const leaks = leaksIn(contract, native)
  const coreLeaks = leaks.length > 0 || findings.some(mayLeak) ? leaksIn(contract, core) : []
  const evidence: Evidence = {
    label: contract.label,
    rules,
    violations: {
      native: [...violations.native, ...findHeaderViolations(native), ...leaks],
      core: [...violations.core, ...coreLeaks],
    },
    leaks: new Set(leaks),
    isRefusal: native.status === 401 || native.status === 403,
  }
  const rest = unseen(findings, evidence)
  if (!obstacle) return [...findings, ...rest].map((finding) => judge(finding, evidence))
  const { finding, blame, reason } = obstacle
  return [
    toDifference(finding, evidence, blame, { class: 'not_comparable', reason }),
    ...rest.filter(({ place }) => evidence.leaks.has(place.path)).map((leak) => judge(leak, evidence)),
  ]
}

const noAnswer = (contract: Contract, native: Observation, core: Observation, rules: Rules): Difference => {
  const [ours, theirs] = [native, core].map((side) => (isResponse(side) ? side.status : side.failure))
  const finding: Finding = {
    kind: 'status',
    place: locationAt('status'),
    shape: shown,
    pairs: [{ native: ours, core: theirs }],
  }
  const blame = isResponse(native) ? 'core' : isResponse(core) ? 'native' : 'both'
  return toDifference(finding, { label: contract.label, rules }, blame, {
    class: 'failed',
    reason: blame === 'both' ? 'neither side answered' : `${blame} did not answer`,
  })
}

const statusOf = (observation: Observation) => (isResponse(observation) ? observation.status : null)

/**
 * Compares what native and the core answered to one request by the contract of its route. The core is what
 * native is measured by, as far as it keeps the contract itself.
 */
export const compareResponses = (
  contract: Contract,
  native: Observation,
  core: Observation,
  rules: Rules,
): Verdict => {
  const differences =
    isResponse(native) && isResponse(core)
      ? compareBoth(contract, native, core, rules)
      : [noAnswer(contract, native, core, rules)]
  return {
    label: contract.label,
    class: selectGravest(differences.map((difference) => difference.class)),
    native: statusOf(native),
    core: statusOf(core),
    differences,
  }
}
