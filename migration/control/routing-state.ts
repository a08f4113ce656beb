import type { Label } from '#contracts/route-table.ts'
import type { Log } from '#gateway/observability/log.ts'
import { describeRoutes } from '#gateway/request/describe-routes.ts'
import { type EmailVariables, readUnavailableRoutes } from '#gateway/settings/email.ts'
import type { Settings } from '#gateway/settings/settings.ts'
import { signHmac } from '#shared/hmac-sha256.ts'
import { buildRoutingView, type RoutingInputs } from '../model/build-routing-view.ts'
import { scopesOf } from '../model/route-scope.ts'
import type { RouteState } from '../model/route-state.ts'
import { type AccountOverride, groupOverrides, type RoutingView } from '../model/routing-view.ts'
import { observedStepsOf } from '../model/stop/observed-step.ts'
import type { NativeGuard } from './guard.ts'

export interface StoredRouting {
  readonly epoch: number
  /** The audit id of the epoch's first change; null if no change has been made yet. */
  readonly changeId: string | null
  /** Whether the database was restored from a backup and no operator has accepted that yet. */
  readonly isRestored: boolean
  readonly states: readonly RouteState[]
  readonly overrides: readonly AccountOverride[]
}

export const emptyStoredRouting: StoredRouting = {
  epoch: 0,
  changeId: null,
  isRestored: false,
  states: [],
  overrides: [],
}

/** Whether two states end with the same change. A restored database may reach an epoch again with a different one. */
export const isSameChange = (
  one: Pick<StoredRouting, 'epoch' | 'changeId'>,
  other: Pick<StoredRouting, 'epoch' | 'changeId'>,
) => one.epoch === other.epoch && one.changeId === other.changeId

type RoutingSettings = EmailVariables &
  Pick<Settings, 'GATEWAY_KILL' | 'GATEWAY_ROUTES' | 'GATEWAY_SECRET' | 'CORE_BASE_URL'>

export interface RoutingStateOptions {
  readonly settings: RoutingSettings
  readonly handled: readonly Label[]
  readonly log: Pick<Log, 'info'>
  readonly now?: (() => number) | undefined
}

/** Returns the salt for buckets, which is the same on all instances but different for each installation. */
export const readInstallationSalt = ({ GATEWAY_SECRET }: Pick<Settings, 'GATEWAY_SECRET'>) =>
  signHmac(GATEWAY_SECRET, 'routing').toString('hex')

export type RoutingState = ReturnType<typeof createRoutingState>

/** Until a stored part is adopted, the core serves every route it can. */
export const createRoutingState = ({ settings, handled, log, now = Date.now }: RoutingStateOptions) => {
  const hasCore = settings.CORE_BASE_URL !== null
  const unavailable = readUnavailableRoutes(settings)
  const ownInputs = {
    staticStates: settings.GATEWAY_ROUTES,
    kills: settings.GATEWAY_KILL,
    handled: new Set(handled.filter((label) => !unavailable.has(label))),
    hasCore,
    installationSalt: readInstallationSalt(settings),
  } satisfies Partial<RoutingInputs>
  const listeners = new Set<(view: RoutingView) => void>()
  let stored: StoredRouting | null = null
  let overrides = groupOverrides([])
  const build = (isStale: boolean) =>
    buildRoutingView({
      ...ownInputs,
      ...(stored ?? emptyStoredRouting),
      overrides,
      isKnown: stored !== null,
      isStale: isStale || stored === null,
      now: now(),
    })
  let view = build(true)

  const replace = (next: RoutingView) => {
    view = next
    for (const listener of listeners) listener(next)
  }

  return {
    /** Returns the newest view. A view is never changed, only replaced, so each decision is based on one epoch. */
    current: () => view,
    /** Returns the stored part of the current view; null until one has been adopted. */
    stored: (): StoredRouting | null => stored,
    onChange(listener: (view: RoutingView) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** The state then counts as known and fresh. */
    adopt(next: StoredRouting) {
      const isNew = next.epoch !== stored?.epoch
      stored = next
      overrides = groupOverrides(next.overrides)
      replace(build(false))
      if (isNew)
        log.info({ epoch: next.epoch, routes: describeRoutes(view, hasCore) }, 'routing state adopted')
    },
    /** Marks whether the stored part is stale, and drops overrides and drills that have ended. */
    refresh(isStale: boolean) {
      const hasExpired = view.nextExpiryAt !== null && view.nextExpiryAt <= now()
      const hasChanged = stored !== null && isStale !== view.isStale
      if (hasChanged || hasExpired) replace(build(isStale))
    },
  }
}

interface ObserveOptions extends Pick<RoutingStateOptions, 'settings' | 'handled'> {
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
