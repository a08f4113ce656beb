import { type Label, routeTable } from '#contracts/route-table.ts'
import { labelsOf } from '#contracts/shared/row.ts'
import { groupOverrides } from '#migration/model/account-overrides.ts'
import { buildRoutingView } from '#migration/model/build-routing-view.ts'
import type { RoutingView } from '#migration/model/routing-view.ts'
import type { AskRequest, ResponseTap } from '#proxy/core-response.ts'
import type { RequestContext } from './context.ts'
import type { GatewayResponse } from './response.ts'

/** What one side made of a request of a row, as soon as it is known. `epoch` is that of the decision. */
export type SettledRequest = { readonly label: Label; readonly epoch: number } & (
  | {
      readonly side: 'native'
      readonly result: NativeResult
      /**
       * Without the time that the client took to send its body. Null if the result was caused by what a route cannot
       * cause, such as a database that cannot be reached.
       */
      readonly durationMs: number | null
    }
  | {
      readonly side: 'core'
      readonly failed: boolean
      readonly durationMs: number
      /** How long native took that fell back before; null if only the core was tried. */
      readonly nativeMs: number | null
    }
)

/** `fell-back`: the core serves the request instead, or has tried to. */
export type NativeResult = 'served' | 'failed' | 'fell-back'

/** A request whose response has ended; status 499 if its client had disconnected before the response began. */
export interface CompletedRequest {
  readonly context: RequestContext
  readonly status: number
  readonly durationMs: number
}

/** Learns how requests went. */
export interface RequestObserver {
  /**
   * Called as soon as the result of a side is known: native's, which may be long before a slow client has read it, or the
   * core's once its whole response has been received.
   */
  settled?(result: SettledRequest): void
  /** Called once when a request has ended. */
  ended?(request: CompletedRequest): void
}

/** A request as it arrived, for the requests that are sent to the core for a comparison. */
export type ReceivedRequest = Pick<AskRequest, 'target' | 'headers' | 'httpVersion' | 'client'>

/** What decides which side serves a route, as the gateway sees it. */
export interface RouteControl extends Required<RequestObserver> {
  /** The view of every route, all from one epoch; whether it is known, and whether it is stale. */
  current(): RoutingView
  /** Resolves when a stale view has been read again, or could not be; undefined if it is fresh. */
  refreshed(): Promise<void> | undefined
  /** Whether native may be tried now. Its answer changes nothing. */
  mayTryNative(label: Label): boolean
  /** The routes for which `mayTryNative` is false: paused or stopped ones. */
  listUntried(): readonly Label[]
  /** Receives a copy of the core's response to a request that is about to be forwarded; undefined for no copy. */
  tapCore?(label: Label, context: RequestContext, receive: () => ReceivedRequest): ResponseTap | undefined
  /** To be called with each complete response of the core to a request of a row that no tap has received. */
  untapped?(label: Label, context: RequestContext, status: number): void
  /** To be called with each response that the gateway made, before its buffers are reused. */
  sampleNative?(context: RequestContext, response: GatewayResponse, receive: () => ReceivedRequest): void
  close(): Promise<void>
}

/** Serves every route as a table says that nobody has moved: what the runtime column names. It never changes. */
export const fixedControl = (
  table: Partial<typeof routeTable> = routeTable,
  hasCore = true,
): RouteControl => {
  const view = buildRoutingView({
    epoch: 0,
    isKnown: true,
    isStale: false,
    states: [],
    overrides: groupOverrides([]),
    staticStates: [],
    kills: [],
    handled: new Set(labelsOf(table)),
    hasCore,
    installationSalt: '',
    now: 0,
  })
  return {
    current: () => view,
    refreshed: () => undefined,
    mayTryNative: () => true,
    listUntried: () => [],
    settled: () => {},
    ended: () => {},
    close: async () => {},
  }
}
