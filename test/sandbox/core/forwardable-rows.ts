import { routeTable } from '#contracts/route-table.ts'

/** What the gateway may forward to a core, with `x` for every parameter: method, path and who may ask. */
export const forwardableRows = Object.values(routeTable)
  .filter(([, , , runtime]) => runtime !== 'native-only')
  .map(([method, path, auth]) => [method, path.replaceAll(/:\w+/g, 'x'), auth] as const)
