import { routeTable } from '#contracts/route-table.ts'

/** The method, path and auth of each route that can be forwarded to a core. Every path parameter is `x`. */
export const forwardableRows = Object.values(routeTable)
  .filter(([, , , runtime]) => runtime !== 'native-only')
  .map(([method, path, auth]) => [method, path.replaceAll(/:\w+/g, 'x'), auth] as const)
