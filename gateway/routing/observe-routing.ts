import type { Label } from '#contracts/route-table.ts'
import { scopesOf } from '#migration/routing/route-scope.ts'
import { labelsOf, observedStepsOf } from '#migration/routing/stop/observed-step.ts'
import type { Settings } from '../settings/settings.ts'
import type { RoutingState } from './routing-state.ts'
import type { StopMonitor } from './stop-monitor.ts'

interface ObserveOptions {
  readonly settings: Pick<Settings, 'GATEWAY_KILL' | 'GATEWAY_ROUTES'>
  readonly handlers: { readonly [L in Label]?: unknown }
  readonly routing: Pick<RoutingState, 'stored' | 'onChange'>
  readonly stops: Pick<StopMonitor, 'adoptSteps'>
}

/**
 * Keeps the steps that are observed equal to the stored states. Routes whose state is fixed by the settings are not
 * observed: nothing stored could stop them.
 */
export const observeRouting = ({ settings, handlers, routing, stops }: ObserveOptions): void => {
  const fixed = new Set<string>([
    ...settings.GATEWAY_KILL,
    ...settings.GATEWAY_ROUTES.map(({ scope }) => scope),
  ])
  const observed = labelsOf(handlers).filter((label) => !scopesOf(label).some((scope) => fixed.has(scope)))
  const adopt = () => stops.adoptSteps(observedStepsOf(observed, routing.stored().states))
  adopt()
  routing.onChange(adopt)
}
