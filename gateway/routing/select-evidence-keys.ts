import type { Label } from '#contracts/route-table.ts'
import { labels } from '#contracts/shared/row.ts'
import type { BuildIdentity } from '#migration/evidence/evidence-key.ts'
import type { EvidenceKeys } from './change-route-state.ts'

/** The evidence keys of the handlers that this process runs, which may be others than those of the build. */
export const selectEvidenceKeys = (
  { id, keys }: BuildIdentity,
  handlers: Readonly<Partial<Record<Label, unknown>>>,
): EvidenceKeys =>
  new Map(
    labels.flatMap((label): [Label, string][] =>
      handlers[label] === undefined ? [] : [[label, keys.get(label) ?? id]],
    ),
  )
