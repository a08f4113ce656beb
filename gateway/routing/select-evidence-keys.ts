import type { Label } from '#contracts/route-table.ts'
import { labels } from '#contracts/shared/row.ts'
import type { BuildIdentity } from '#migration/evidence/evidence-key.ts'
import type { EvidenceKeys } from './plan-change.ts'

/**
 * The evidence keys of the handlers that this process runs, which may be others than those of the build, without the
 * routes that its settings make unavailable.
 */
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
