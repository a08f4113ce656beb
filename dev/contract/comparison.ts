import type { Label } from '#contracts/route-table.ts'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import { listDocumentedStatuses } from '#gateway/openapi/route-errors.ts'
import type { ComparisonOptions } from '#migration/parity/run/compare-deployments.ts'
import { handlers } from '#native-routes/index.ts'
import type { createProgress } from '../progress.ts'

const isInArea = (label: Label, area: string | undefined) =>
  area === undefined || label === area || label.startsWith(`${area}.`)

export const listRoutes = (area?: string): readonly Label[] => labels.filter((label) => isInArea(label, area))

export const listTwoSidedRoutes = (area?: string): ReadonlyMap<Label, readonly number[]> =>
  new Map(
    listRoutes(area)
      .filter((label) => isTwoSided(label) && handlers[label] !== undefined)
      .map((label) => [label, listDocumentedStatuses(label)]),
  )

export const requireTwoSidedRoutes = (area: string | undefined) => {
  const routes = listTwoSidedRoutes(area)
  if (routes.size === 0)
    throw new Error(`no route in area ${area} is served by both sides: npm run routes lists the labels`)
  return routes
}

const part = 'Scenarios'

export const followScenarios = <T>(
  { follow, update }: Pick<ReturnType<typeof createProgress>, 'follow' | 'update'>,
  compare: (createProgress: ComparisonOptions['createProgress']) => Promise<T>,
): Promise<T> =>
  follow(
    part,
    compare((total) => (done, differing) => {
      const suffix = differing > 0 ? `, ${differing} differ` : ''
      update(part, `${done} of ${total}${suffix}`)
    }),
  )
