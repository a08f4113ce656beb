import { createHash } from 'node:crypto'
import type { Label } from '#contracts/route-table.ts'

export const differenceKinds = [
  'status',
  'header',
  'missing',
  'extra',
  'type',
  'value',
  'format',
  'order',
  'length',
  'effect',
  'schema',
] as const
export type DifferenceKind = (typeof differenceKinds)[number]

/**
 * From harmless to severe.
 *
 * - accepted: known and agreed, or an added field, which clients ignore
 * - transient: gone when both sides got the request again
 * - not_comparable: the core violates the contract, or the responses cannot be compared
 * - critical: native leaks data that must never leave the service
 * - failed: a side returned no response
 */
export const differenceClasses = [
  'equal',
  'noise',
  'accepted',
  'transient',
  'not_comparable',
  'regression',
  'critical',
  'failed',
] as const
export type DifferenceClass = (typeof differenceClasses)[number]

/** The side that causes a difference. `core` means that only the core violates the contract. */
export const blames = ['native', 'core', 'both', 'unknown'] as const
export type Blame = (typeof blames)[number]

export interface Difference {
  readonly kind: DifferenceKind
  /** `status`, `headers.<name>`, or the path of a value in `body`. An array index is `*`. */
  readonly path: string
  readonly class: DifferenceClass
  readonly blame: Blame
  /** Identifies the route, path and kind. It is the same in every run. */
  readonly signature: string
  readonly count: number
  /** One of these locations, with masked values; `null` for a side without a value there. */
  readonly example: { readonly path: string; readonly native: string | null; readonly core: string | null }
  /** Why the difference is accepted, transient or not comparable. */
  readonly reason?: string
  /** Last day on which an entry accepts the difference (`YYYY-MM-DD`). */
  readonly expires?: string
  readonly forbidsPromotion?: true
}

export interface Verdict {
  readonly label: Label
  readonly class: DifferenceClass
  /** The statuses of both responses; `null` if there is no response. */
  readonly native: number | null
  readonly core: number | null
  readonly differences: readonly Difference[]
}

export const selectMostSevere = (classes: Iterable<DifferenceClass>): DifferenceClass =>
  differenceClasses[Math.max(0, ...Array.from(classes, (name) => differenceClasses.indexOf(name)))] ??
  'failed'

export const createSignature = (label: Label, path: string, kind: DifferenceKind) =>
  createHash('sha256')
    .update(JSON.stringify([label, path, kind]))
    .digest('hex')
    .slice(0, 16)

interface DifferenceFields extends Omit<Difference, 'signature' | 'count' | 'example'> {
  readonly native?: string | null
  readonly core?: string | null
  readonly at?: string
  readonly count?: number
}

export const createDifference = (
  label: Label,
  { native = null, core = null, at, count = 1, ...fields }: DifferenceFields,
): Difference => ({
  ...fields,
  signature: createSignature(label, fields.path, fields.kind),
  count,
  example: { path: at ?? fields.path, native, core },
})

/** Attributes a difference to a write if the read that came after the write shows it. */
export const attributeTo = (write: Label, read: Label, difference: Difference): Difference => {
  const path = `${read} ${difference.path}`
  return { ...difference, path, signature: createSignature(write, path, difference.kind) }
}

export const isLeak = (difference: Difference) => difference.class === 'critical'

export const isRegression = (difference: Difference) => difference.class === 'regression'

export const isSevere = (difference: Difference) => isLeak(difference) || isRegression(difference)
