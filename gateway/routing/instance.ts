import { createHash } from 'node:crypto'
import type { Label } from '#contracts/route-table.ts'

/** What an instance reports about itself beside the epoch that it has adopted. */
export interface InstanceIdentity {
  readonly id: string
  /** The same for all instances with the same handlers. */
  readonly build: string
  /** The evidence keys of its handlers by label. */
  readonly keys: Readonly<Record<string, string>>
}

/** Creates the identity of this process or isolate from the evidence keys of its handlers. */
export const createInstanceIdentity = (evidenceKeys: ReadonlyMap<Label, string>): InstanceIdentity => {
  const entries = [...evidenceKeys].sort(([left], [right]) => (left < right ? -1 : 1))
  const build = createHash('sha256')
    .update(entries.map((entry) => entry.join('=')).join('\n'))
    .digest('hex')
    .slice(0, 16)
  return { id: crypto.randomUUID(), build, keys: Object.fromEntries(entries) }
}
