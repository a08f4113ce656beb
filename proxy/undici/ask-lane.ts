import { Pool } from 'undici'
import type { BreakerState } from '../circuit-breaker.ts'
import type { CoreLoad } from '../core-load.ts'
import type { AskOutcome, AskRequest } from '../core-response.ts'
import type { ConnectionSettings } from '../node-streams/core-connection.ts'
import { AskedRequest } from './asked-request.ts'
import type { LaneUsage } from './lane.ts'
import { createUndiciOptions } from './undici-clients.ts'

const connections = 4
const maxWaiting = 64

// Connection failures are recorded separately, because they may occur after the request was dropped.
const reachedCore: ReadonlySet<string> = new Set(['core_timeout', 'core_bad_response'])

export interface AskLane {
  ask(request: AskRequest, headers: string[]): Promise<AskOutcome>
  usage(): LaneUsage
  /** Call this when the core hangs. Ends the requests that are waiting for the core. */
  abandon(): void
  /** Aborts all requests. Resolves once their connections are closed. */
  close(): Promise<void>
}

interface AskLaneOptions {
  readonly connectTimeoutMs: number
  readonly connection?: ConnectionSettings
  readonly breakerState: () => BreakerState
  readonly load: CoreLoad
  /** Called when a response head arrives. `receivedAt` is a time by `performance.now()`. */
  readonly onHead: (receivedAt: number) => void
}

/**
 * The connections for the gateway's own requests. They are few and separate, so these requests cannot burden the core
 * or delay clients. The requests respect the clients' circuit breaker but never open or close it. Their outcomes count
 * towards the core's load.
 */
export const createAskLane = (
  origin: string,
  { connectTimeoutMs, connection, breakerState, load, onHead }: AskLaneOptions,
): AskLane => {
  const pool = new Pool(origin, { ...createUndiciOptions(connectTimeoutMs, connection), connections })
  const waiting = new Set<AskedRequest>()
  const active = new Set<AskedRequest>()
  let usedSlots = 0
  let isClosed = false

  const dispatch = (request: AskedRequest) => {
    waiting.delete(request)
    if (breakerState() !== 'closed') return request.drop()
    usedSlots += 1
    active.add(request)
    request.onDispatched()
    pool.dispatch(request.dispatchOptions, request)
  }

  const dispatchWaiting = () => {
    for (const request of waiting) {
      if (usedSlots >= connections) return
      dispatch(request)
    }
  }

  const hooks = {
    onHead,
    onEnded(request: AskedRequest) {
      waiting.delete(request)
      active.delete(request)
    },
    release() {
      usedSlots -= 1
      dispatchWaiting()
    },
    onConnectFailed({ timeoutMs }: AskRequest) {
      if (!isClosed) load.recordFailure(timeoutMs, performance.now())
    },
  }

  const recordLoad = (outcome: AskOutcome, timeoutMs: number) => {
    const now = performance.now()
    if (outcome.kind === 'completed') load.record(outcome.response.timeToHeadMs, now)
    else if (outcome.kind === 'failed' && reachedCore.has(outcome.code)) load.recordFailure(timeoutMs, now)
  }

  return {
    async ask(askRequest, headers) {
      if (isClosed) return { kind: 'dropped', reason: 'closed' }
      if (askRequest.signal?.aborted) return { kind: 'aborted' }
      if (waiting.size >= maxWaiting) return { kind: 'dropped', reason: 'no-connection' }
      const request = new AskedRequest(askRequest, headers, hooks)
      waiting.add(request)
      dispatchWaiting()
      const outcome = await request.outcome
      recordLoad(outcome, askRequest.timeoutMs)
      return outcome
    },
    usage: () => ({
      open: pool.stats.connected,
      connecting: pool.stats.pending,
      waiting: waiting.size,
      used: usedSlots,
      capacity: connections,
    }),
    abandon() {
      for (const request of [...active]) request.abandon()
    },
    async close() {
      isClosed = true
      for (const request of [...waiting, ...active]) request.abort()
      await pool.destroy()
    },
  }
}
