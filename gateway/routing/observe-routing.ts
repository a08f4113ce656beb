import type { Label } from '#contracts/route-table.ts'
import { scopesOf } from '#migration/routing/route-scope.ts'
import { labelsOf, observedStepsOf } from '#migration/routing/stop/observed-step.ts'
import type { Settings } from '../settings/settings.ts'
import type { RoutingState } from './routing-state.ts'
import type { StopMonitor } from './stop-monitor.ts'

interface ObserveOptions {
  readonly settings: Pick<Settings, 'CORE_BASE_URL' | 'GATEWAY_KILL' | 'GATEWAY_ROUTES'>
  readonly handlers: { readonly [L in Label]?: unknown }
  readonly routing: Pick<RoutingState, 'stored' | 'onChange'>
  readonly stops: Pick<StopMonitor, 'adoptSteps'>
}

/**
 * Keeps the steps that are observed equal to the stored states. Only canaries are observed: where native serves all
 * requests, nothing tells a handler that has become slow from a database that has. Routes whose state is fixed by the
 * settings are not observed, because nothing stored could stop them, and none are without a core to stop them for.
 */
export const observeRouting = ({ settings, handlers, routing, stops }: ObserveOptions): void => {
  if (settings.CORE_BASE_URL === null) return
  const fixed = new Set<string>([
    ...settings.GATEWAY_KILL,
    ...settings.GATEWAY_ROUTES.map(({ scope }) => scope),
  ])
  const observed = labelsOf(handlers).filter((label) => !scopesOf(label).some((scope) => fixed.has(scope)))
  const adopt = () => {
    const steps = [...observedStepsOf(observed, routing.stored().states)]
    stops.adoptSteps(new Map(steps.filter(([, { nativeShare }]) => nativeShare === 'some')))
  }
  adopt()
  routing.onChange(adopt)
}
