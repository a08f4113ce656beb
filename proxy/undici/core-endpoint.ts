import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CircuitBreaker } from '../circuit-breaker.ts'
import type { CoreRequest, ForwardOutcome } from '../core-request.ts'
import type { ResponseTap } from '../core-response.ts'
import type { ConnectionSettings } from '../node-streams/core-connection.ts'
import { readProbeStatus } from './core-probe.ts'
import type { UndiciTransport } from './transport-undici.ts'

/** Why an endpoint is avoided. It then gets requests only if no other endpoint can take them. */
export type AvoidanceCause = 'draining' | 'silent' | 'failures'

interface EndpointOptions {
  readonly name: string
  readonly transport: UndiciTransport
  readonly breaker: CircuitBreaker
  readonly probeUrl: string
  readonly connection: ConnectionSettings
  /** Called when avoidance begins, and with null when it ends. */
  readonly onAvoided: (name: string, cause: AvoidanceCause | null) => void
}

const maxFailures = 5
const failureAvoidanceMs = 10_000
const checkTimeoutMs = 1000
// A single missed check may only mean that the endpoint is busy.
const maxMissedChecks = 2

const hasFailed = (outcome: ForwardOutcome): boolean | null => {
  if (outcome.kind === 'completed') return outcome.status >= 500
  if (outcome.kind === 'truncated') return true
  if (outcome.kind === 'client-gone') return null
  return outcome.code.startsWith('core_') ? true : null
}

export class CoreEndpoint {
  readonly name: string
  readonly transport: UndiciTransport
  /** Requests in progress that were sent while there were several endpoints. */
  outstanding = 0
  failed = 0
  readonly #options: EndpointOptions
  #failuresInARow = 0
  #avoidedUntil = Number.NEGATIVE_INFINITY
  #missedChecks = 0
  #isDraining = false
  #isChecking = false
  #cause: AvoidanceCause | null = null

  constructor(options: EndpointOptions) {
    this.name = options.name
    this.transport = options.transport
    this.#options = options
  }

  /** 0: takes requests. 1: avoided. 2: circuit breaker open. */
  get rank(): 0 | 1 | 2 {
    if (this.#options.breaker.openCause() !== null) return 2
    return this.#cause === null ? 0 : 1
  }

  async forward(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    request: CoreRequest,
    tap: ResponseTap | undefined,
  ): Promise<ForwardOutcome> {
    this.outstanding += 1
    try {
      const outcome = await this.transport.forward(incoming, outgoing, request, tap)
      this.#record(hasFailed(outcome))
      return outcome
    } finally {
      this.outstanding -= 1
    }
  }

  #record(isFailure: boolean | null) {
    if (isFailure === false) this.#failuresInARow = 0
    if (!isFailure) return
    this.failed += 1
    this.#failuresInARow += 1
    if (this.#failuresInARow < maxFailures) return
    this.#failuresInARow = 0
    this.#avoidedUntil = performance.now() + failureAvoidanceMs
    this.#update()
  }

  /** A status of 503 means that the endpoint is draining; any other means that it is healthy. */
  async check() {
    if (this.#isChecking) return
    this.#isChecking = true
    const { probeUrl, connection } = this.#options
    const status = await readProbeStatus(probeUrl, connection, AbortSignal.timeout(checkTimeoutMs))
    this.#isChecking = false
    this.#isDraining = status === 503
    this.#missedChecks = status === null ? this.#missedChecks + 1 : 0
    this.#update()
  }

  /** Call this when only one endpoint is left, because a single one is never checked. */
  forget() {
    this.#isDraining = false
    this.#missedChecks = 0
    this.#failuresInARow = 0
    this.#avoidedUntil = Number.NEGATIVE_INFINITY
    this.#update()
  }

  #update() {
    const cause = this.#findCause()
    if (cause === this.#cause) return
    this.#cause = cause
    this.#options.onAvoided(this.name, cause)
  }

  #findCause(): AvoidanceCause | null {
    if (this.#isDraining) return 'draining'
    if (this.#missedChecks >= maxMissedChecks) return 'silent'
    return performance.now() < this.#avoidedUntil ? 'failures' : null
  }
}
