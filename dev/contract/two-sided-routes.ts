import type { Label } from '#contracts/route-table.ts'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import { listDocumentedStatuses } from '#gateway/openapi/route-errors.ts'
import { handlers } from '#native-routes/index.ts'

const isInArea = (label: Label, area: string | undefined) =>
  area === undefined || label === area || label.startsWith(`${area}.`)

export const listRoutes = (area?: string): readonly Label[] => labels.filter((label) => isInArea(label, area))

export const listTwoSidedRoutes = (area?: string): ReadonlyMap<Label, readonly number[]> =>
  new Map(
    listRoutes(area)
      .filter((label) => isTwoSided(label) && handlers[label] !== undefined)
      .map((label) => [label, listDocumentedStatuses(label)]),
  )
