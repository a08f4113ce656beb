import type { Label } from '#contracts/route-table.ts'
import { labels } from '#contracts/shared/row.ts'
import { buildRoutingView } from '#migration/model/build-routing-view.ts'
import { groupOverrides, type RoutingView } from '#migration/model/routing-view.ts'
import type { AskRequest, ResponseTap } from '#proxy/core-response.ts'
import type { RequestContext } from './context.ts'
import type { GatewayResponse } from './response.ts'

/** One side's result, reported as soon as it is known. `epoch` is the decision's epoch. */
export type SettledRequest = { readonly label: Label; readonly epoch: number } & (
  | {
      readonly side: 'native'
      readonly result: NativeResult
      /**
       * Excludes the time the client took to send its body. Null if the cause lies outside routes, such as an
       * unreachable database.
       */
      readonly durationMs: number | null
    }
  | {
      readonly side: 'core'
      readonly failed: boolean
      readonly durationMs: number
      /** How long native took before it fell back; null if only the core was tried. */
      readonly nativeMs: number | null
    }
)

/** `fell-back`: the core serves the request instead, or tried to. */
export type NativeResult = 'served' | 'failed' | 'fell-back'

/** A request whose response has ended. Status 499 if the client disconnected before the response began. */
export interface CompletedRequest {
  readonly context: RequestContext
  readonly status: number
  readonly durationMs: number
}

export interface RequestObserver {
  /**
   * Native's result may be known long before a slow client has read the response. The core's is known once its response
   * has arrived completely.
   */
  settled(result: SettledRequest): void
  ended(request: CompletedRequest): void
}

export type ReceivedRequest = Pick<AskRequest, 'target' | 'headers' | 'httpVersion' | 'client'>

export interface RouteControl extends RequestObserver {
  /** Returns the view of every route, all from one epoch. */
  current(): RoutingView
  /**
   * Resolves once the state behind a stale view has been read again, or the attempt has failed. Undefined if the view
   * is fresh.
   */
  refreshed(): Promise<void> | undefined
  /** Whether native may be tried now. Has no side effect. */
  mayTryNative(label: Label): boolean
  /** Lists the routes for which `mayTryNative` is false: paused or stopped ones. */
  listUntried(): readonly Label[]
  /**
   * Returns a tap that gets a copy of the core's response to a request about to be forwarded; undefined if no copy is
   * wanted.
   */
  tapCore?(label: Label, context: RequestContext, receive: () => ReceivedRequest): ResponseTap | undefined
  /** Receives each complete core response that no tap received. */
  untapped?(label: Label, context: RequestContext, status: number): void
  /** Receives each response the gateway made, before its buffers are reused. */
  sampleNative?(context: RequestContext, response: GatewayResponse, receive: () => ReceivedRequest): void
  close(): Promise<void>
}

/** A control that serves every route as the route table's runtime column says, and never changes. */
export const fixedControl = (hasCore = true): RouteControl => {
  const view = buildRoutingView({
    epoch: 0,
    isKnown: true,
    isStale: false,
    states: [],
    overrides: groupOverrides([]),
    staticStates: [],
    kills: [],
    handled: new Set(labels),
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
