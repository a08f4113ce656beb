import type { Label } from '#contracts/route-table.ts'
import { labels } from '#contracts/shared/row.ts'

/** The evidence key of each route with a handler. Measurements under one key say nothing about another. */
export type EvidenceKeys = ReadonlyMap<Label, string>

export interface BuildIdentity {
  /** Changes whenever any of the gateway's code changes. */
  readonly id: string
  readonly keys: EvidenceKeys
}

/** Returns the evidence keys of the handlers that this process runs, which may differ from the build's. */
export const selectEvidenceKeys = (
  { id, keys }: BuildIdentity,
  handlers: Readonly<Partial<Record<Label, unknown>>>,
  unavailable: { has(label: Label): boolean },
): EvidenceKeys =>
  new Map(
    labels.flatMap((label): [Label, string][] =>
      handlers[label] === undefined || unavailable.has(label) ? [] : [[label, keys.get(label) ?? id]],
    ),
  )
