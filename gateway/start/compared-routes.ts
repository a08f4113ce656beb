import type { Label } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { listDocumentedStatuses } from '../pages/route-errors.ts'

const isIn = (label: Label, area: string | undefined) =>
  area === undefined || label === area || label.startsWith(`${area}.`)

/** The routes that both native and a core serve, of one area or of all, with the statuses they document. */
export const comparedRoutes = (area?: string): ReadonlyMap<Label, readonly number[]> =>
  new Map(
    labels
      .filter((label) => rowOf(label).runtime === 'native' && isIn(label, area))
      .map((label) => [label, listDocumentedStatuses(label)]),
  )
