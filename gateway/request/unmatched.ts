import { TrieRouter } from 'hono/router/trie-router'
import { nativeOnlyPrefixes } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'

export type UnmatchedPath =
  /** A path one segment below a track. `allow` is null if the segment is unknown. */
  | { readonly kind: 'track-resource'; readonly trackId: string; readonly allow: readonly string[] | null }
  | { readonly kind: 'other-method'; readonly allow: readonly string[]; readonly nativeOnly: boolean }
  | { readonly kind: 'no-row'; readonly nativeOnly: boolean }

const anyMethod = 'ALL'

const methodsByPath = new TrieRouter<string>()
for (const { method, path } of labels.map(rowOf)) methodsByPath.add(anyMethod, path, method)

const listMethods = (path: string) => methodsByPath.match(anyMethod, path)[0].map(([method]) => method)

const listAllowedMethods = (methods: readonly string[]) =>
  [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort()

// Before routing, a core may fold case, decode repeatedly, drop invisible characters, or strip `;parameters` and
// suffixes. None of that may turn a forwarded path into a native-only one.
const decodeFully = (path: string): string => {
  try {
    const decoded = decodeURIComponent(path)
    return decoded === path ? path : decodeFully(decoded)
  } catch {
    // Escapes that are not UTF-8 stay encoded. No native-only prefix contains any.
    return path
  }
}

const foldPath = (path: string) =>
  decodeFully(path)
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    // Letters such as dotless i fold to ASCII only through their upper case.
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

const matchTrackResource = (path: string, methods: readonly string[]): UnmatchedPath | null => {
  const [version, area, trackId, resource, ...more] = path.slice(1).split('/')
  if (version !== 'v1' || area !== 'tracks' || !trackId || !resource || more.length > 0) return null
  return { kind: 'track-resource', trackId, allow: methods.length > 0 ? listAllowedMethods(methods) : null }
}

export const describeUnmatched = (path: string): UnmatchedPath => {
  const methods = listMethods(path)
  const trackResource = matchTrackResource(path, methods)
  if (trackResource) return trackResource
  const nativeOnly = isNativeOnly(path)
  return methods.length > 0
    ? { kind: 'other-method', allow: listAllowedMethods(methods), nativeOnly }
    : { kind: 'no-row', nativeOnly }
}
