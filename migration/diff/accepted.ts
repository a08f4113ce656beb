import type { Label } from '#contracts/route-table.ts'
import type { Finding, Pair } from './findings.ts'
import { isSame } from './json.ts'
import type { DifferenceKind } from './verdict.ts'

/** A difference that is known and agreed upon for a while. */
export interface AcceptedDifference {
  /** The route, or `*` for all of them. */
  readonly label: Label | '*'
  readonly path: string
  readonly kind: DifferenceKind
  /** The values it must have, on the sides that are named; of a `length` these are the two lengths. */
  readonly match?: { readonly native?: unknown; readonly core?: unknown }
  readonly reason: string
  /** Who answers for it and sees it off before it expires. */
  readonly owner: string
  /** The last day on which it is accepted, at most 90 days ahead. */
  readonly expires: string
  /** Whether the route may not be called equal, and so not promoted, while this is accepted. */
  readonly forbidsPromotion?: true
}

const dayMs = 86_400_000
const longestDays = 90

/** Whether a difference is accepted on that day (`YYYY-MM-DD`); nothing is for longer than 90 days ahead. */
export const isInEffect = ({ expires }: AcceptedDifference, today: string) => {
  const days = (Date.parse(expires) - Date.parse(today)) / dayMs
  return days >= 0 && days <= longestDays
}

const agrees = (pair: Pair, match: AcceptedDifference['match'] = {}) =>
  (!('native' in match) || isSame(pair.native, match.native)) &&
  (!('core' in match) || isSame(pair.core, match.core))

/** The entry that accepts a difference at each of its places. */
export const findAcceptance = (
  accepted: readonly AcceptedDifference[],
  today: string,
  label: Label,
  { kind, place, pairs }: Finding,
) =>
  accepted.find(
    (entry) =>
      (entry.label === '*' || entry.label === label) &&
      entry.kind === kind &&
      entry.path === place.path &&
      isInEffect(entry, today) &&
      pairs.every((pair) => agrees(pair, entry.match)),
  ) ?? null
