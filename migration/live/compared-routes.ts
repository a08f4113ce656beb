import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { Settings } from '#gateway/settings/settings.ts'
import { type RoutingState, readFixedScopes } from '../control/routing-state.ts'
import type { EvidenceKeys } from '../model/evidence-keys.ts'
import { isShadowable, scopesOf } from '../model/route-scope.ts'
import type { RouteState } from '../model/route-state.ts'

export interface ComparedCode {
  readonly label: Label
  readonly evidenceKey: string
}

export interface ComparedRoute extends ComparedCode {
  /** Whether native gets copies of requests that the core has served. */
  readonly copiesToNative: boolean
  /** Whether the core gets copies of requests that native has served. */
  readonly asksCore: boolean
  readonly isCanary: boolean
  /** Whether native's writes are read back from both sides. */
  readonly readsBack: boolean
}

interface ComparedRoutesOptions {
  readonly settings: Pick<Settings, 'CORE_BASE_URL' | 'GATEWAY_KILL' | 'GATEWAY_ROUTES'>
  readonly evidenceKeys: EvidenceKeys
  readonly routing: Pick<RoutingState, 'stored' | 'onChange'>
}

const describeRoute = (label: Label, evidenceKey: string, { stage, weightBp }: RouteState): ComparedRoute => {
  const { method, effects } = rowOf(label)
  const isWrite = method !== 'GET'
  const servesNative = weightBp > 0 && stage !== 'retired'
  return {
    label,
    evidenceKey,
    copiesToNative: isShadowable(label) && (stage === 'shadow' || stage === 'canary'),
    asksCore: servesNative && isShadowable(label) && effects === 'none',
    isCanary: stage === 'canary',
    readsBack: servesNative && isWrite && (effects === 'write' || effects === 'external'),
  }
}

/** The returned function finds how a route is compared; null if no result could move the route. */
export const followComparedRoutes = ({ settings, evidenceKeys, routing }: ComparedRoutesOptions) => {
  const fixed = readFixedScopes(settings)
  let routes: ReadonlyMap<Label, ComparedRoute> = new Map()
  const adopt = () => {
    const states = new Map<string, RouteState>(
      (routing.stored()?.states ?? []).map((state) => [state.scope, state]),
    )
    routes = new Map(
      [...evidenceKeys].flatMap(([label, evidenceKey]): [Label, ComparedRoute][] => {
        const state = states.get(label)
        const scopes = scopesOf(label)
        if (!state || scopes.some((scope) => fixed.has(scope) || states.get(scope)?.killed)) return []
        return [[label, describeRoute(label, evidenceKey, state)]]
      }),
    )
  }
  if (settings.CORE_BASE_URL !== null) {
    adopt()
    routing.onChange(adopt)
  }
  return (label: Label): ComparedRoute | null => routes.get(label) ?? null
}

/**
 * Returns whether the gateway may send the core its own requests for a route. It may not if the core would record
 * events for them. A core with `CORE_HONOURS_SHADOW` records none for a request with `x-service-shadow`.
 */
export const createRepeatRule =
  ({ CORE_HONOURS_SHADOW: honoursShadow }: Pick<Settings, 'CORE_HONOURS_SHADOW'>) =>
  (label: Label): boolean =>
    honoursShadow === '1' || rowOf(label).effects !== 'events'
