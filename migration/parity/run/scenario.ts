import type { Label } from '#contracts/route-table.ts'
import type { Account } from './account.ts'
import type { PageSize } from './read-pages.ts'
import type { ScenarioContext } from './scenario-context.ts'

export interface ScenarioRequest {
  readonly as?: Account
  readonly params?: Readonly<Record<string, string>>
  /** Use pairs if a parameter occurs several times. */
  readonly query?: Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[]
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged instead of `body`. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

interface ScenarioRead extends Omit<ScenarioRequest, 'body' | 'text'> {
  readonly label: Label
  /** Set if only native serves the read. The read then also shows what the core stored. */
  readonly fromNative?: true
}

interface PreparedRequest extends ScenarioRequest {
  readonly pageSize?: PageSize
  readonly settle?: () => Promise<unknown>
  /**
   * Reads to send after the request, along with those for its route (`listReadsAfter`). A function gets the response's
   * body.
   */
  readonly reads?: readonly ScenarioRead[] | ((body: unknown) => readonly ScenarioRead[])
}

interface ScenarioOptions {
  /**
   * Whether each side gets only the request that it prepared, because the response depends on earlier requests, as with
   * a rate limit.
   */
  readonly isIsolated?: boolean
  /** Whether the response depends on audio that only ffmpeg can decode. */
  readonly needsFfmpeg?: boolean
}

export interface Scenario extends ScenarioOptions {
  readonly label: Label
  /** The expected status. If both sides return some other status, the scenario is not comparable. */
  readonly status: number
  readonly title: string
  readonly prepare: (context: ScenarioContext) => Promise<PreparedRequest> | PreparedRequest
}

export const defineScenario = (
  label: Label,
  status: number,
  title: string,
  prepare: Scenario['prepare'],
  options: ScenarioOptions = {},
): Scenario => ({ label, status, title, prepare, ...options })

/**
 * Thrown by a scenario that needs rows that no route stores, unless a contract run has given access to the database.
 */
export class NeedsRowsError extends Error {
  override name = 'NeedsRowsError'
}

export interface FailedCall {
  readonly label: Label
  readonly side: 'native' | 'core'
  readonly status: number | null
}

/** Thrown if a scenario cannot be prepared on this deployment, which says nothing about either side. */
export class PreparationError extends Error {
  override name = 'PreparationError'
  /** The request that failed; null if the deployment does not allow the scenario. */
  readonly failedCall: FailedCall | null

  constructor(message: string, failedCall: FailedCall | null = null) {
    super(message)
    this.failedCall = failedCall
  }
}
