import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'

/** Replaces the parameters in a route's path. Unlike `fillPath`, it does not encode the values. */
export const fillPathWith = (label: Label, find: (name: string) => string): string =>
  rowOf(label).path.replace(/:(\w+)/g, (_, name: string) => find(name))
