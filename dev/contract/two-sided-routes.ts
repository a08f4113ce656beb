import type { Label } from '#contracts/route-table.ts'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import { listDocumentedStatuses } from '#gateway/openapi/route-errors.ts'
import { handlers } from '#native-routes/index.ts'

const isInArea = (label: Label, area: string | undefined) =>
  area === undefined || label === area || label.startsWith(`${area}.`)

/** Lists the routes of one area or of all areas. */
export const listRoutes = (area?: string): readonly Label[] => labels.filter((label) => isInArea(label, area))

/** Lists the routes that both sides can serve, of one area or of all areas, with their documented statuses. */
export const listTwoSidedRoutes = (area?: string): ReadonlyMap<Label, readonly number[]> =>
  new Map(
    listRoutes(area)
      .filter((label) => isTwoSided(label) && handlers[label] !== undefined)
      .map((label) => [label, listDocumentedStatuses(label)]),
  )
