import type { Label } from '#contracts/route-table.ts'
import { type AcceptedDifference, findAcceptance } from './accepted.ts'
import type { TimeComparison } from './compare-generated.ts'
import { absent, type RawDifference } from './difference-collector.ts'
import { type Mask, maskValue } from './mask.ts'
import { isDeterministic, isNoise, type Noise, unknownNoise } from './noise.ts'
import { type Blame, createDifference, type Difference, type DifferenceClass } from './verdict.ts'

export interface Rules {
  readonly accepted: readonly AcceptedDifference[]
  /** As `YYYY-MM-DD`. */
  readonly today: string
  readonly mask: Mask
  /** The scenario that sent the requests; undefined in live traffic. */
  readonly scenario?: string
  readonly isSameState?: boolean
  readonly times?: TimeComparison
  readonly noise?: Noise
}

export interface ResponseFacts {
  readonly label: Label
  readonly rules: Rules
  readonly violations: { readonly native: readonly string[]; readonly core: readonly string[] }
  /** Whether the core's status is the reference even though its body may violate the contract. */
  readonly hasCoreStatus: boolean
  readonly leaks: ReadonlySet<string>
  readonly isError: boolean
  readonly isAuthError: boolean
}

export const isUnder = (path: string, ancestor: string) =>
  path === ancestor || path.startsWith(`${ancestor}.`)

// If only one side has a value, or the types differ, the difference also covers violations inside the value.
const coversNested = ({ kind }: RawDifference) => kind === 'type' || kind === 'missing' || kind === 'extra'

const isViolation = (violations: readonly string[], raw: RawDifference) =>
  violations.some(
    (path) => isUnder(raw.location.path, path) || (coversNested(raw) && isUnder(path, raw.location.path)),
  )

// When the statuses differ, native is to blame if its response violates the contract anywhere.
const isNativeViolation = ({ violations: { native } }: ResponseFacts, raw: RawDifference) =>
  raw.kind === 'status' ? native.length > 0 : isViolation(native, raw)

const isCoreViolation = ({ violations: { core }, hasCoreStatus }: ResponseFacts, raw: RawDifference) =>
  raw.kind === 'status' ? core.length > 0 && !hasCoreStatus : isViolation(core, raw)

const assignBlame = (raw: RawDifference, facts: ResponseFacts): Blame => {
  const { kind, location } = raw
  const { noise = unknownNoise } = facts.rules
  const [native, core] = [isNativeViolation(facts, raw), isCoreViolation(facts, raw)]
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

// The key of an undeclared field or of a record is masked.
const isUnnamed = ({ path }: RawDifference['location']) => path.endsWith('.?')

const isCursor = ({ schema }: RawDifference) => schema?.kind === 'leaf' && schema.format === 'cursor'

// An extra array element is a record, not a field: either one side must not return it, or the other has lost it. An
// optional field is not an addition either, because its presence in a successful response says something. Only a cursor
// does not, because the core need not divide lists into pages.
const isAddedField = (raw: RawDifference, { isError }: ResponseFacts, byCore: boolean) => {
  const { kind, location } = raw
  if (kind !== 'extra' || location.path === 'body' || location.path.endsWith('.*')) return false
  return byCore || isError || isUnnamed(location) || isCursor(raw)
}

const isAddedHeader = ({ kind, pairs }: RawDifference) =>
  kind === 'header' && pairs.every(({ core }) => core === absent)

const classify = (raw: RawDifference, facts: ResponseFacts): Judgement => {
  const { label, rules, leaks } = facts
  const noiseLocation = { kind: raw.kind, path: raw.location.path }
  if (leaks.has(noiseLocation.path)) return { class: 'critical' }
  const acceptance = findAcceptance(rules.accepted, rules.today, label, raw, rules.scenario)
  if (acceptance) {
    const { reason, expires, forbidsPromotion } = acceptance
    return { class: 'accepted', reason, expires, ...(forbidsPromotion && { forbidsPromotion }) }
  }
  const byNative = isNativeViolation(facts, raw)
  const byCore = isCoreViolation(facts, raw)
  if (!byNative && (isAddedField(raw, facts, byCore) || isAddedHeader(raw))) {
    return { class: 'accepted', reason: addedField }
  }
  // A core that violates the contract is not the reference. An undeclared field of the core is not a violation, because
  // clients may read it.
  if (byCore && !byNative) return { class: 'not_comparable' }
  const mayBeNoise = !byNative && !facts.isAuthError && rules.noise !== undefined
  return { class: mayBeNoise && isNoise(rules.noise, noiseLocation) ? 'noise' : 'regression' }
}

export const toDifference = (
  { kind, location, schema, pairs }: RawDifference,
  { label, rules }: Pick<ResponseFacts, 'label' | 'rules'>,
  blame: Blame,
  judgement: Judgement,
): Difference =>
  createDifference(label, {
    kind,
    path: location.path,
    ...judgement,
    blame,
    native: maskValue(rules.mask, schema, location.path, pairs[0]?.native),
    core: maskValue(rules.mask, schema, location.path, pairs[0]?.core),
    at: location.indexedPath,
    count: pairs.length,
  })

export const judge = (raw: RawDifference, facts: ResponseFacts): Difference => {
  const blame = assignBlame(raw, facts)
  return toDifference(raw, facts, blame, classify(raw, facts))
}
