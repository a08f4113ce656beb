import type { Label } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { listDocumentedStatuses } from '../pages/route-errors.ts'

const isInArea = (label: Label, area: string | undefined) =>
  area === undefined || label === area || label.startsWith(`${area}.`)

/** The routes of one area or all. */
export const listRoutes = (area?: string): readonly Label[] => labels.filter((label) => isInArea(label, area))

/** The routes that native and the core both serve, of one area or all, with their documented statuses. */
export const listComparedRoutes = (area?: string): ReadonlyMap<Label, readonly number[]> =>
  new Map(
    listRoutes(area)
      .filter((label) => rowOf(label).runtime === 'native')
      .map((label) => [label, listDocumentedStatuses(label)]),
  )
