import type { Label } from '#contracts/route-table.ts'
import { type AcceptedDifference, findAcceptance } from './accepted.ts'
import type { TimeComparison } from './compare-timestamps.ts'
import { absent, type Finding } from './findings.ts'
import { type Mask, maskValue } from './mask.ts'
import { isDeterministic, isNoise, type Noise, unknownNoise } from './noise.ts'
import { type Blame, createDifference, type Difference, type DifferenceClass } from './verdict.ts'

/** The rules for judging differences, in addition to the contract. */
export interface Rules {
  readonly accepted: readonly AcceptedDifference[]
  /** As `YYYY-MM-DD`. */
  readonly today: string
  readonly mask: Mask
  /** The scenario that sent the requests; undefined in live traffic. */
  readonly scenario?: string
  /** Whether both sides read the same state, so that ids must be equal. */
  readonly isSameState?: boolean
  /** Defaults to `any`. */
  readonly times?: TimeComparison
  /** The route's noise, from repeated core requests; undefined if there is none. */
  readonly noise?: Noise
}

/** The facts about two responses that decide how their differences are judged. */
export interface Evidence {
  readonly label: Label
  readonly rules: Rules
  /** Paths where each side violates the contract. */
  readonly violations: { readonly native: readonly string[]; readonly core: readonly string[] }
  /** Whether the core's status is the reference even though its body may violate the contract. */
  readonly hasCoreStatus: boolean
  /** Paths where native leaks data that must never leave the service. */
  readonly leaks: ReadonlySet<string>
  /** Whether native returned 401 or 403. */
  readonly isAuthError: boolean
}

/** Whether a path is the ancestor itself or below it. */
export const isUnder = (path: string, ancestor: string) =>
  path === ancestor || path.startsWith(`${ancestor}.`)

// If only one side has a value, or the types differ, the difference also covers violations inside the value.
const coversNested = ({ kind }: Finding) => kind === 'type' || kind === 'missing' || kind === 'extra'

const isViolation = (violations: readonly string[], finding: Finding) =>
  violations.some(
    (path) =>
      isUnder(finding.location.path, path) || (coversNested(finding) && isUnder(path, finding.location.path)),
  )

// When the statuses differ, native is to blame if its response violates the contract anywhere.
const isNativeViolation = ({ violations: { native } }: Evidence, finding: Finding) =>
  finding.kind === 'status' ? native.length > 0 : isViolation(native, finding)

const isCoreViolation = ({ violations: { core }, hasCoreStatus }: Evidence, finding: Finding) =>
  finding.kind === 'status' ? core.length > 0 && !hasCoreStatus : isViolation(core, finding)

const assignBlame = (finding: Finding, evidence: Evidence): Blame => {
  const { kind, location } = finding
  const { noise = unknownNoise } = evidence.rules
  const [native, core] = [isNativeViolation(evidence, finding), isCoreViolation(evidence, finding)]
  if (native && core) return 'both'
  if (native || core) return native ? 'native' : 'core'
  if (!location.declared && kind === 'extra') return 'native'
  if (!location.declared && kind === 'missing') return 'core'
  // Both sides satisfy the contract. The core is the reference if it always returns the same value at this location.
  const noiseLocation = { kind, path: location.path }
  if (isDeterministic(noise, noiseLocation)) return 'native'
  return noise.pairs > 0 ? 'core' : 'unknown'
}

interface Judgement {
  readonly class: DifferenceClass
  readonly reason?: string
  readonly expires?: string
  readonly forbidsPromotion?: true
}

const addedField = 'clients ignore unknown fields'

// An additional array element is not a field, but a record that one side must not return or has lost.
const isAddedField = ({ kind, location }: Finding) =>
  kind === 'extra' && location.path !== 'body' && !location.path.endsWith('.*')

const isAddedHeader = ({ kind, pairs }: Finding) =>
  kind === 'header' && pairs.every(({ core }) => core === absent)

const classify = (finding: Finding, evidence: Evidence): Judgement => {
  const { label, rules, leaks } = evidence
  const noiseLocation = { kind: finding.kind, path: finding.location.path }
  if (leaks.has(noiseLocation.path)) return { class: 'critical' }
  const acceptance = findAcceptance(rules.accepted, rules.today, label, finding, rules.scenario)
  if (acceptance) {
    const { reason, expires, forbidsPromotion } = acceptance
    return { class: 'accepted', reason, expires, ...(forbidsPromotion && { forbidsPromotion }) }
  }
  const byNative = isNativeViolation(evidence, finding)
  const byCore = isCoreViolation(evidence, finding)
  if (!byNative && (isAddedField(finding) || isAddedHeader(finding))) {
    return { class: 'accepted', reason: addedField }
  }
  // A core that violates the contract is not the reference. An undeclared field of the core is not a violation, because
  // clients may read it.
  if (byCore && !byNative) return { class: 'not_comparable' }
  const mayBeNoise = !byNative && !evidence.isAuthError && rules.noise !== undefined
  return { class: mayBeNoise && isNoise(rules.noise, noiseLocation) ? 'noise' : 'regression' }
}

/** Converts a finding for the report: adds blame and class, and reduces it to one example with masked values. */
export const toDifference = (
  { kind, location, shape, pairs }: Finding,
  { label, rules }: Pick<Evidence, 'label' | 'rules'>,
  blame: Blame,
  judgement: Judgement,
): Difference =>
  createDifference(label, {
    kind,
    path: location.path,
    ...judgement,
    blame,
    native: maskValue(rules.mask, shape, location.path, pairs[0]?.native),
    core: maskValue(rules.mask, shape, location.path, pairs[0]?.core),
    at: location.indexedPath,
    count: pairs.length,
  })

/** Decides who is to blame for a finding, and its class. */
export const judge = (finding: Finding, evidence: Evidence): Difference => {
  const blame = assignBlame(finding, evidence)
  return toDifference(finding, evidence, blame, classify(finding, evidence))
}
