import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'

/** Who reads a description: every client, or the gateway's operators. */
export type Audience = 'public' | 'operators'

/** Whether an audience may know that a route exists. */
export const isDescribedTo = (audience: Audience, label: Label) =>
  audience === 'operators' || rowOf(label).auth !== 'internal'
