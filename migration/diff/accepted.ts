import type { Label } from '#contracts/route-table.ts'
import { dayMs } from '#shared/durations.ts'
import { isSame } from '#shared/json.ts'
import type { RawDifference, ValuePair } from './difference-collector.ts'
import type { DifferenceKind } from './verdict.ts'

export interface AcceptedDifference {
  readonly label: Label | '*'
  readonly path: string
  readonly kind: DifferenceKind
  /** Values that the difference must have on each side. For the kind `length`, these are the two lengths. */
  readonly match?: { readonly native?: unknown; readonly core?: unknown }
  /** The scenarios in which the difference is accepted, if only some requests have it. Defaults to all. */
  readonly scenarios?: readonly string[]
  readonly reason: string
  /** The team that will remove the difference before the entry expires. */
  readonly owner: string
  /** Last day on which the difference is accepted (`YYYY-MM-DD`), at most 90 days ahead. */
  readonly expires: string
  /** Whether the route must not be promoted while it has a difference that this entry accepts. */
  readonly forbidsPromotion?: true
}

const maxDaysAhead = 90
const warningDays = 14

const daysUntil = (expires: string, today: string) => (Date.parse(expires) - Date.parse(today)) / dayMs

/**
 * Whether an entry applies on a day (`YYYY-MM-DD`). An entry that expires more than 90 days after that day does not.
 */
export const isInEffect = ({ expires }: AcceptedDifference, today: string) => {
  const days = daysUntil(expires, today)
  return days >= 0 && days <= maxDaysAhead
}

const describeExpiry = (expires: string, days: number) => {
  if (days < 0) return `expired on ${expires} and no longer applies`
  return `expires on ${expires}, ${days === 0 ? 'today' : days === 1 ? 'in 1 day' : `in ${days} days`}`
}

export const warnOfExpiry = (accepted: readonly AcceptedDifference[], today: string): string[] =>
  accepted.flatMap(({ label, kind, path, reason, owner, expires }) => {
    const days = daysUntil(expires, today)
    if (days > warningDays) return []
    const routes = label === '*' ? 'all routes' : label
    return [
      `the accepted difference for ${routes} (${kind} at ${path}) ${describeExpiry(expires, days)}; owner: ${owner}. ${reason}`,
    ]
  })

const hasValues = (pair: ValuePair, values: AcceptedDifference['match'] = {}) =>
  (!('native' in values) || isSame(pair.native, values.native)) &&
  (!('core' in values) || isSame(pair.core, values.core))

export const findAcceptance = (
  accepted: readonly AcceptedDifference[],
  today: string,
  label: Label,
  { kind, location, pairs }: RawDifference,
  scenario?: string,
) =>
  accepted.find(
    (entry) =>
      (entry.scenarios === undefined || (scenario !== undefined && entry.scenarios.includes(scenario))) &&
      (entry.label === '*' || entry.label === label) &&
      entry.kind === kind &&
      entry.path === location.path &&
      isInEffect(entry, today) &&
      pairs.every((pair) => hasValues(pair, entry.match)),
  ) ?? null
