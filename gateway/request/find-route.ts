import { type Label, nativeOnlyPrefixes } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'

export type RouteParams = Readonly<Record<string, string>>

export type RouteMatch =
  | { readonly kind: 'row'; readonly label: Label; readonly params: RouteParams }
  /** A path one segment below a track without a row for this method; `allow` is null for an unknown segment. */
  | { readonly kind: 'track-resource'; readonly trackId: string; readonly allow: readonly string[] | null }
  /** The path has rows, but none for this method. */
  | { readonly kind: 'other-method'; readonly allow: readonly string[]; readonly nativeOnly: boolean }
  | { readonly kind: 'no-row'; readonly nativeOnly: boolean }

interface CompiledRow {
  readonly label: Label
  readonly parameters: readonly { readonly name: string; readonly depth: number }[]
}

interface PathNode {
  readonly literals: Map<string, PathNode>
  readonly rows: Map<string, CompiledRow>
  parameter: PathNode | null
}

const emptyNode = (): PathNode => ({ literals: new Map(), rows: new Map(), parameter: null })

const findOrAddChild = (node: PathNode, segment: string): PathNode => {
  if (segment.startsWith(':')) {
    node.parameter ??= emptyNode()
    return node.parameter
  }
  const child = node.literals.get(segment) ?? emptyNode()
  node.literals.set(segment, child)
  return child
}

const compileRouteTable = () => {
  const root = emptyNode()
  for (const label of labels) {
    const { method, path } = rowOf(label)
    const segments = path.slice(1).split('/')
    const parameters = segments.flatMap((segment, depth) =>
      segment.startsWith(':') ? [{ name: segment.slice(1), depth }] : [],
    )
    segments.reduce(findOrAddChild, root).rows.set(method, { label, parameters })
  }
  return root
}

const root = compileRouteTable()

// Literal segments take precedence over parameters, with backtracking: `/v1/libraries/shared-with-me` has its own row,
// but `/v1/libraries/shared-with-me/tracks` matches `/v1/libraries/:libraryId/tracks`.
const findRow = (
  node: PathNode,
  segments: readonly string[],
  depth: number,
  method: string,
): CompiledRow | null => {
  const segment = segments[depth]
  if (segment === undefined) return node.rows.get(method) ?? null
  const literal = node.literals.get(segment)
  const row = literal ? findRow(literal, segments, depth + 1, method) : null
  if (row || !node.parameter || segment === '') return row
  return findRow(node.parameter, segments, depth + 1, method)
}

const listMethods = (node: PathNode, segments: readonly string[], depth: number): string[] => {
  const segment = segments[depth]
  if (segment === undefined) return [...node.rows.keys()]
  const literal = node.literals.get(segment)
  return [
    ...(literal ? listMethods(literal, segments, depth + 1) : []),
    ...(node.parameter && segment !== '' ? listMethods(node.parameter, segments, depth + 1) : []),
  ]
}

const listAllowedMethods = (methods: readonly string[]) =>
  [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort()

const noParams: RouteParams = {}

const readParams = ({ parameters }: CompiledRow, segments: readonly string[]): RouteParams => {
  if (parameters.length === 0) return noParams
  const params: Record<string, string> = {}
  for (const { name, depth } of parameters) params[name] = segments[depth] ?? ''
  return params
}

// Before it routes, a core may fold case, decode repeatedly, drop invisible characters, or strip `;parameters` and
// suffixes. None of these may turn a forwarded path into a native-only one.
const decodeFully = (path: string): string => {
  try {
    const decoded = decodeURIComponent(path)
    return decoded === path ? path : decodeFully(decoded)
  } catch {
    // Escapes that are not UTF-8 stay encoded: no native-only prefix contains any.
    return path
  }
}

const foldPath = (path: string) =>
  decodeFully(path)
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    // Letters such as dotless i only fold to an ASCII letter through their upper case.
    .toUpperCase()
    .toLowerCase()
    .split('/')
    .map((segment) => segment.split(/[;.]/, 1)[0]?.trim())
    .join('/')

/** Whether any spelling of a path is at or below a prefix that is never forwarded. */
export const isNativeOnly = (path: string) => {
  const folded = foldPath(path)
  return nativeOnlyPrefixes.some((prefix) =>
    prefix.endsWith('*')
      ? folded.startsWith(prefix.slice(0, -1))
      : folded === prefix || folded.startsWith(`${prefix}/`),
  )
}

const matchTrackResource = (segments: readonly string[]): RouteMatch | null => {
  const [version, area, trackId, resource, ...more] = segments
  if (version !== 'v1' || area !== 'tracks' || !trackId || !resource || more.length > 0) return null
  const methods = listMethods(root, segments, 0)
  return { kind: 'track-resource', trackId, allow: methods.length > 0 ? listAllowedMethods(methods) : null }
}

/** Looks up a canonical path in the route table, HEAD as GET. */
export const findRoute = (method: string, path: string): RouteMatch => {
  const segments = path.slice(1).split('/')
  const row = findRow(root, segments, 0, method === 'HEAD' ? 'GET' : method)
  if (row) return { kind: 'row', label: row.label, params: readParams(row, segments) }
  const trackResource = matchTrackResource(segments)
  if (trackResource) return trackResource
  const methods = listMethods(root, segments, 0)
  const nativeOnly = isNativeOnly(path)
  return methods.length > 0
    ? { kind: 'other-method', allow: listAllowedMethods(methods), nativeOnly }
    : { kind: 'no-row', nativeOnly }
}
