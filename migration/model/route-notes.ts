import type { RouteState } from './route-state.ts'

/** What keeps a route from being served as its stage says, or from moving. */
export interface RouteNote {
  readonly kind:
    | 'killed'
    | 'fixed'
    | 'unavailable'
    | 'stopped'
    /** Another instance stopped the code that runs here. */
    | 'failed'
    | 'paused'
    | 'drill'
    | 'held'
    | 'mode'
  readonly text: string
}

interface NotedRoute {
  readonly label: string
  readonly isTwoSided: boolean
  readonly hasHandler: boolean
  readonly missingSettings: string | null
  readonly state: Pick<RouteState, 'stage' | 'weightBp' | 'mode' | 'drillUntil'>
  readonly hasFailedCode: boolean
  readonly killedBy: string | null
  readonly killedHere: string | null
  readonly heldBy: string | null
  readonly fixedHere: Pick<RouteState, 'stage' | 'weightBp'> | null
  readonly isStoppedHere: boolean
  readonly isPausedHere: boolean
}

const describeKill = ({ label, killedHere, killedBy }: NotedRoute) => {
  if (killedHere) return 'killed by GATEWAY_KILL'
  if (killedBy === null) return null
  return killedBy === label ? 'killed' : `killed by ${killedBy}`
}

const describeUnavailable = ({ isTwoSided, hasHandler, missingSettings }: NotedRoute) => {
  if (missingSettings !== null) return 'not configured'
  return isTwoSided && !hasHandler ? 'no handler' : null
}

// A pause affects only routes that native may serve.
const canNativeServe = (route: NotedRoute) => {
  const { stage, weightBp } = route.fixedHere ?? route.state
  return weightBp > 0 && stage !== 'retired' && route.hasHandler && describeKill(route) === null
}

const describeHold = ({ label, heldBy }: NotedRoute) => {
  if (heldBy === null) return null
  return heldBy === label ? 'held' : `held by ${heldBy}`
}

export const listRouteNotes = (route: NotedRoute): readonly RouteNote[] => {
  const { state, fixedHere, isStoppedHere, hasFailedCode, isPausedHere } = route
  const candidates: readonly (readonly [RouteNote['kind'], string | false | null])[] = [
    ['killed', describeKill(route)],
    ['fixed', fixedHere !== null && 'by GATEWAY_ROUTES'],
    ['unavailable', describeUnavailable(route)],
    ['stopped', isStoppedHere && 'stopped here'],
    ['failed', hasFailedCode && !isStoppedHere && 'stopped'],
    ['paused', isPausedHere && canNativeServe(route) && 'paused here'],
    ['drill', state.drillUntil !== null && 'drill'],
    ['held', describeHold(route)],
    ['mode', state.mode !== 'observe' && `mode ${state.mode}`],
  ]
  return candidates.flatMap(([kind, text]) => (text ? [{ kind, text }] : []))
}
