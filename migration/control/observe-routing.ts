import type { Label } from '#contracts/route-table.ts'
import type { Settings } from '#gateway/settings/settings.ts'
import { scopesOf } from '../model/route-scope.ts'
import { observedStepsOf } from '../model/stop/observed-step.ts'
import type { NativeGuard } from './guard.ts'
import type { RoutingState } from './routing-state.ts'

interface ObserveOptions {
  readonly settings: Pick<Settings, 'CORE_BASE_URL' | 'GATEWAY_KILL' | 'GATEWAY_ROUTES'>
  readonly handled: readonly Label[]
  readonly routing: Pick<RoutingState, 'stored' | 'onChange'>
  readonly guard: Pick<NativeGuard, 'adoptSteps'>
}

export const readFixedScopes = ({
  GATEWAY_KILL,
  GATEWAY_ROUTES,
}: Pick<Settings, 'GATEWAY_KILL' | 'GATEWAY_ROUTES'>): ReadonlySet<string> =>
  new Set([...GATEWAY_KILL, ...GATEWAY_ROUTES.map(({ scope }) => scope)])

/** Leaves out routes whose state is fixed by the settings, because no stored state could stop them. */
export const observeRouting = ({ settings, handled, routing, guard }: ObserveOptions): void => {
  if (settings.CORE_BASE_URL === null) return
  const fixed = readFixedScopes(settings)
  const observed = handled.filter((label) => !scopesOf(label).some((scope) => fixed.has(scope)))
  const adopt = () => {
    const stored = routing.stored()
    // Native serves no two-sided route until the state has been read.
    guard.adoptSteps(stored ? observedStepsOf(observed, stored) : new Map())
  }
  adopt()
  routing.onChange(adopt)
}
