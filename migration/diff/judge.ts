import type { Label } from '#contracts/route-table.ts'
import { type AcceptedDifference, findAcceptance } from './accepted.ts'
import { absent, type Finding } from './findings.ts'
import { type Mask, maskedValue } from './mask.ts'
import { isNoise, isSteady, type Noise, noNoise } from './noise.ts'
import { type Blame, createSignature, type Difference, type DifferenceClass } from './verdict.ts'

/** By what differences are judged, beside the contract. */
export interface Rules {
  readonly accepted: readonly AcceptedDifference[]
  /** `YYYY-MM-DD` */
  readonly today: string
  readonly mask: Mask
  /** Whether both sides were asked of the same state, so that what one calls by an id the other does too. */
  readonly ofOneState?: boolean
  /** What is known of the route from asking the core twice; absent where it never was. */
  readonly noise?: Noise
}

/** What is known of two answers when their differences are judged. */
export interface Evidence {
  readonly label: Label
  readonly rules: Rules
  /** The paths at which each side breaks its contract. */
  readonly violations: { readonly native: readonly string[]; readonly core: readonly string[] }
  /** The paths at which native shows what must never leave the service. */
  readonly leaks: ReadonlySet<string>
  /** Whether the answers are about who the caller is. */
  readonly isRefusal: boolean
}

const isUnder = (path: string, ancestor: string) => path === ancestor || path.startsWith(`${ancestor}.`)

// What one side alone has there, or has in another type, is wrong with all that lies within it.
const isWhole = ({ kind }: Finding) => kind === 'type' || kind === 'missing' || kind === 'extra'

// Which of two statuses is wrong shows in anything that is wrong with its answer.
const isFault = (violations: readonly string[], finding: Finding) =>
  violations.some(
    (path) =>
      finding.kind === 'status' ||
      isUnder(finding.place.path, path) ||
      (isWhole(finding) && isUnder(path, finding.place.path)),
  )

const blameOf = (finding: Finding, { violations, rules: { noise = noNoise } }: Evidence): Blame => {
  const { kind, place } = finding
  const [native, core] = [isFault(violations.native, finding), isFault(violations.core, finding)]
  if (native && core) return 'both'
  if (native || core) return native ? 'native' : 'core'
  if (!place.declared && kind === 'extra') return 'native'
  if (!place.declared && kind === 'missing') return 'core'
  // Both sides keep the contract. The core is right by being first, if it says the same each time.
  const spot = { kind, path: place.path }
  if (isSteady(noise, spot)) return 'native'
  return noise.pairs > 0 ? 'core' : 'unknown'
}

interface Judgement {
  readonly class: DifferenceClass
  readonly reason?: string
  readonly forbidsPromotion?: true
}

const addedField = 'callers ignore fields they do not know'

// An element of an array is a record that one side must not show, or has lost, rather than a field.
const isAddedField = ({ kind, place }: Finding) =>
  kind === 'extra' && place.path !== 'body' && !place.path.endsWith('.*')

const isAddedHeader = ({ kind, pairs }: Finding) =>
  kind === 'header' && pairs.every(({ core }) => core === absent)

const classOf = (finding: Finding, evidence: Evidence): Judgement => {
  const { label, rules, leaks, isRefusal } = evidence
  const spot = { kind: finding.kind, path: finding.place.path }
  if (leaks.has(spot.path)) return { class: 'critical' }
  const acceptance = findAcceptance(rules.accepted, rules.today, label, finding)
  if (acceptance) {
    const { reason, forbidsPromotion } = acceptance
    return { class: 'accepted', reason, ...(forbidsPromotion && { forbidsPromotion }) }
  }
  const byNative = isFault(evidence.violations.native, finding)
  const byCore = isFault(evidence.violations.core, finding)
  if (!byNative && (isAddedField(finding) || isAddedHeader(finding))) {
    return { class: 'accepted', reason: addedField }
  }
  // Where the core breaks the contract it is no measure. A field that it alone has and the contract does not
  // name is another matter: somebody may read it.
  if (byCore && !byNative) return { class: 'not_comparable' }
  const mayBeNoise = !byNative && !isRefusal && rules.noise !== undefined
  return { class: mayBeNoise && isNoise(rules.noise, spot) ? 'noise' : 'regression' }
}

/** A difference as it is reported: whose doing it is, how grave, and one example without its values. */
export const toDifference = (
  { kind, place, shape, pairs }: Finding,
  { label, rules }: Pick<Evidence, 'label' | 'rules'>,
  blame: Blame,
  judgement: Judgement,
): Difference => ({
  kind,
  path: place.path,
  ...judgement,
  blame,
  signature: createSignature(label, place.path, kind),
  count: pairs.length,
  example: {
    path: place.concrete,
    native: maskedValue(rules.mask, shape, place.path, pairs[0]?.native),
    core: maskedValue(rules.mask, shape, place.path, pairs[0]?.core),
  },
})

/** Judges one difference of two answers. */
export const judge = (finding: Finding, evidence: Evidence): Difference => {
  const blame = blameOf(finding, evidence)
  return toDifference(finding, evidence, blame, classOf(finding, evidence))
}
