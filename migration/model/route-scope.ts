import type { Label } from '#contracts/route-table.ts'
import { isLabel, isTwoSided, labels, rowOf } from '#contracts/shared/row.ts'

export type RouteScope = Label | `${string}.*` | '*'

export const areaOf = (label: Label) => label.slice(0, label.indexOf('.'))

const areas: ReadonlySet<string> = new Set(labels.map(areaOf))

/** Lists the scopes that contain a route, narrowest first. */
export const scopesOf = (label: Label): readonly RouteScope[] => [label, `${areaOf(label)}.*`, '*']

export const isRouteScope = (text: string): text is RouteScope =>
  text === '*' || isLabel(text) || (text.endsWith('.*') && areas.has(text.slice(0, -2)))

export const routeScopes: readonly string[] = [...labels, ...[...areas].map((area) => `${area}.*`), '*']

export const labelsIn = (scope: RouteScope): readonly Label[] =>
  labels.filter((label) => scopesOf(label).includes(scope))

/** Whether native may serve a copy of a request that the core served. */
export const isShadowable = (label: Label) => {
  const { method, effects } = rowOf(label)
  return isTwoSided(label) && method === 'GET' && (effects === 'none' || effects === 'events')
}
