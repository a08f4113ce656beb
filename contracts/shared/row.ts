import {
  type Auth,
  type Effects,
  type Label,
  type Method,
  type Runtime,
  routeTable,
  type Scope,
} from '../route-table.ts'

export interface Row {
  readonly method: Method
  readonly path: string
  readonly auth: Auth
  readonly runtime: Runtime
  readonly effects: Effects
  readonly scope: Scope | undefined
}

export const isLabel = (label: string): label is Label => Object.hasOwn(routeTable, label)

export const labelsOf = (byLabel: { readonly [L in Label]?: unknown }): readonly Label[] =>
  Object.keys(byLabel).filter(isLabel)

export const labels = labelsOf(routeTable)

const toRow = (label: Label): Row => {
  const [method, path, auth, runtime, effects, scope] = routeTable[label] as readonly [
    Method,
    string,
    Auth,
    Runtime,
    Effects,
    Scope?,
  ]
  return { method, path, auth, runtime, effects, scope }
}

const rows = new Map(labels.map((label) => [label, toRow(label)]))

export const rowOf = (label: Label): Row => rows.get(label) ?? toRow(label)

export const fillPath = (label: Label, params: Readonly<Record<string, string>>): string =>
  rowOf(label).path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${label} needs the path parameter ${name}`)
    return encodeURIComponent(value)
  })

/** Whether both sides can serve the route. Any other route is never forwarded and cannot be moved. */
export const isTwoSided = (label: Label) => rowOf(label).runtime !== 'native-only'

/**
 * Whether the share link, not the account, decides which side serves the route. Everyone who opens the link then gets
 * the same side.
 */
export const isDecidedByLink = (label: Label) => rowOf(label).scope?.startsWith('link:') ?? false
