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
 * From harmless to grave.
 *
 * - accepted: known and agreed, or an added field, which callers ignore
 * - transient: gone when both sides were asked again
 * - not_comparable: the core is no measure here, or the answers say nothing about the two implementations
 * - critical: native shows what must never leave the service
 * - failed: a side gave no answer
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

/** Whose doing it is. What `core` alone is to blame for is drift of the core from the contract. */
export const blames = ['native', 'core', 'both', 'unknown'] as const
export type Blame = (typeof blames)[number]

export interface Difference {
  readonly kind: DifferenceKind
  /** `status`, `headers.<name>`, `effects.<name>`, or `body` with its fields; an index of an array is `*`. */
  readonly path: string
  readonly class: DifferenceClass
  readonly blame: Blame
  /** The same for the same kind of difference at the same place of the same route, in every run. */
  readonly signature: string
  /** How many places of the answer differ so. */
  readonly count: number
  /** One of those places, with its values masked; `null` is a side that has nothing there. */
  readonly example: { readonly path: string; readonly native: string | null; readonly core: string | null }
  /** Why it is accepted. */
  readonly reason?: string
  /** Whether the route may not be called equal while this is accepted. */
  readonly forbidsPromotion?: true
}

export interface Verdict {
  readonly label: Label
  /** The gravest class of the differences. */
  readonly class: DifferenceClass
  /** The statuses of both answers; `null` where there was none. */
  readonly native: number | null
  readonly core: number | null
  readonly differences: readonly Difference[]
}

/** The gravest of the classes; nothing at all is `equal`. */
export const selectGravest = (classes: Iterable<DifferenceClass>): DifferenceClass =>
  differenceClasses[Math.max(0, ...Array.from(classes, (name) => differenceClasses.indexOf(name)))] ??
  'failed'

/** What a difference is counted under from run to run. */
export const createSignature = (label: Label, path: string, kind: DifferenceKind) =>
  createHash('sha256')
    .update(JSON.stringify([label, path, kind]))
    .digest('hex')
    .slice(0, 16)
