import { type Label, nativeOnlyPrefixes } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'

export type Params = Readonly<Record<string, string>>

export type RouteMatch =
  | { readonly kind: 'row'; readonly label: Label; readonly params: Params }
  /** One segment below a track that is no row for this method; `allow` is null for an unknown segment. */
  | { readonly kind: 'track-resource'; readonly trackId: string; readonly allow: readonly string[] | null }
  /** The path has rows, but none for this method. */
  | { readonly kind: 'other-method'; readonly allow: readonly string[]; readonly nativeOnly: boolean }
  | { readonly kind: 'no-row'; readonly nativeOnly: boolean }

interface Row {
  readonly label: Label
  readonly parameters: readonly { readonly name: string; readonly depth: number }[]
}

interface PathNode {
  readonly literals: Map<string, PathNode>
  readonly rows: Map<string, Row>
  parameter: PathNode | null
}

const emptyNode = (): PathNode => ({ literals: new Map(), rows: new Map(), parameter: null })

const childOf = (node: PathNode, segment: string): PathNode => {
  if (segment.startsWith(':')) {
    node.parameter ??= emptyNode()
    return node.parameter
  }
  const child = node.literals.get(segment) ?? emptyNode()
  node.literals.set(segment, child)
  return child
}

const compileTable = () => {
  const root = emptyNode()
  for (const label of labels) {
    const { method, path } = rowOf(label)
    const segments = path.slice(1).split('/')
    const parameters = segments.flatMap((segment, depth) =>
      segment.startsWith(':') ? [{ name: segment.slice(1), depth }] : [],
    )
    segments.reduce(childOf, root).rows.set(method, { label, parameters })
  }
  return root
}

const root = compileTable()

// A literal is tried before a parameter, and a parameter is still tried where the literal leads nowhere:
// `/v1/libraries/shared-with-me` is a row of its own, `/v1/libraries/shared-with-me/tracks` is not.
const search = (node: PathNode, segments: readonly string[], depth: number, method: string): Row | null => {
  const segment = segments[depth]
  if (segment === undefined) return node.rows.get(method) ?? null
  const literal = node.literals.get(segment)
  const row = literal ? search(literal, segments, depth + 1, method) : null
  if (row || !node.parameter || segment === '') return row
  return search(node.parameter, segments, depth + 1, method)
}

const methodsAt = (node: PathNode, segments: readonly string[], depth: number): string[] => {
  const segment = segments[depth]
  if (segment === undefined) return [...node.rows.keys()]
  const literal = node.literals.get(segment)
  return [
    ...(literal ? methodsAt(literal, segments, depth + 1) : []),
    ...(node.parameter && segment !== '' ? methodsAt(node.parameter, segments, depth + 1) : []),
  ]
}

const allowOf = (methods: readonly string[]) =>
  [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort()

const noParams: Params = {}

const paramsOf = ({ parameters }: Row, segments: readonly string[]): Params =>
  parameters.length === 0
    ? noParams
    : Object.fromEntries(parameters.map(({ name, depth }) => [name, segments[depth] ?? '']))

// A core may fold case, decode once more, drop what is not seen, or cut `;parameters` and suffixes before it routes;
// none of that may open a door to a path that is served here alone.
const decodedFully = (path: string): string => {
  try {
    const decoded = decodeURIComponent(path)
    return decoded === path ? path : decodedFully(decoded)
  } catch {
    // Escapes that are not UTF-8 stay as they are: no prefix is spelled with them.
    return path
  }
}

const foldedPath = (path: string) =>
  decodedFully(path)
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    // Some letters have no lower case but that of another: both have the same upper case.
    .toUpperCase()
    .toLowerCase()
    .split('/')
    .map((segment) => segment.split(/[;.]/, 1)[0]?.trim())
    .join('/')

/** Whether a path stands at or below a prefix that is never forwarded, however it is spelled. */
export const isNativeOnly = (path: string) => {
  const folded = foldedPath(path)
  return nativeOnlyPrefixes.some((prefix) =>
    prefix.endsWith('*')
      ? folded.startsWith(prefix.slice(0, -1))
      : folded === prefix || folded.startsWith(`${prefix}/`),
  )
}

const trackResource = (segments: readonly string[]): RouteMatch | null => {
  const [version, area, trackId, resource, ...more] = segments
  if (version !== 'v1' || area !== 'tracks' || !trackId || !resource || more.length > 0) return null
  const methods = methodsAt(root, segments, 0)
  return { kind: 'track-resource', trackId, allow: methods.length > 0 ? allowOf(methods) : null }
}

/** Looks a canonical path up in the route table; HEAD is looked up as GET. */
export const findRoute = (method: string, path: string): RouteMatch => {
  const segments = path.slice(1).split('/')
  const row = search(root, segments, 0, method === 'HEAD' ? 'GET' : method)
  if (row) return { kind: 'row', label: row.label, params: paramsOf(row, segments) }
  const ofTrack = trackResource(segments)
  if (ofTrack) return ofTrack
  const methods = methodsAt(root, segments, 0)
  const nativeOnly = isNativeOnly(path)
  return methods.length > 0
    ? { kind: 'other-method', allow: allowOf(methods), nativeOnly }
    : { kind: 'no-row', nativeOnly }
}
