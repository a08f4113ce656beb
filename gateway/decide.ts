import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { Params, RouteMatch } from './find-route.ts'

/** What the gateway does with one request, settled before a byte of its body is read. */
export type Decision =
  | { readonly kind: 'forward'; readonly label: Label | null }
  | { readonly kind: 'native'; readonly label: Label; readonly params: Params }
  | { readonly kind: 'track-resource'; readonly trackId: string; readonly allow: readonly string[] | null }
  | { readonly kind: 'method-not-allowed'; readonly allow: readonly string[] }
  | { readonly kind: 'not-implemented' }
  | { readonly kind: 'page' }

/** The decisions that the gateway carries out itself. */
export type NativeDecision = Exclude<Decision, { kind: 'forward' | 'page' }>

const isServicePath = (path: string) => path === '/v1' || path.startsWith('/v1/')

/** Whatever the answer, a path that is native-only is never forwarded. */
export const decide = (match: RouteMatch, path: string, hasCore: boolean): Decision => {
  switch (match.kind) {
    case 'row': {
      const { label, params } = match
      if (rowOf(label).runtime !== 'proxy') return { kind: 'native', label, params }
      return hasCore ? { kind: 'forward', label } : { kind: 'not-implemented' }
    }
    case 'track-resource':
      return match
    case 'other-method':
      return hasCore && !match.nativeOnly
        ? { kind: 'forward', label: null }
        : { kind: 'method-not-allowed', allow: match.allow }
    case 'no-row':
      if (match.nativeOnly) return { kind: 'not-implemented' }
      if (!isServicePath(path)) return { kind: 'page' }
      return hasCore ? { kind: 'forward', label: null } : { kind: 'not-implemented' }
  }
}
