import type { Label } from '#contracts/route-table.ts'
import type { Account } from './account.ts'
import type { PageSize } from './read-pages.ts'
import type { ScenarioContext } from './scenario-context.ts'

/** One request to a route; the route table determines its method and path. */
export interface ScenarioRequest {
  /** The account whose token it carries; without one, it has no `authorization` header. */
  readonly as?: Account
  readonly params?: Readonly<Record<string, string>>
  /** Pairs allow a name to occur several times. */
  readonly query?: Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[]
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged instead of `body`. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A read that shows an effect of a request. */
interface ScenarioRead extends Omit<ScenarioRequest, 'body' | 'text'> {
  readonly label: Label
  /** Whether only native serves the read, and so shows also what the core has stored. */
  readonly fromNative?: true
}

/** The request that a scenario compares. */
interface PreparedRequest extends ScenarioRequest {
  /** Reads the list in pages of this size, and compares all of them with the whole list. */
  readonly pageSize?: PageSize
  /** Waits until the effects of the request can be read. */
  readonly settle?: () => Promise<unknown>
  /** Sent after the request, next to the reads of its route (`listReadsAfter`). A function gets the body of the response. */
  readonly reads?: readonly ScenarioRead[] | ((body: unknown) => readonly ScenarioRead[])
}

interface ScenarioOptions {
  /** Whether each side receives only its own request: for a response that depends on earlier ones, such as a rate limit. */
  readonly isIsolated?: boolean
  /** Whether the response depends on audio that only ffmpeg decodes. */
  readonly needsFfmpeg?: boolean
}

/** One documented response of a route, and how to prepare a request that returns it. */
export interface Scenario extends ScenarioOptions {
  readonly label: Label
  /** The expected status. If both sides return another one, the scenario is not comparable. */
  readonly status: number
  readonly title: string
  /** Creates the required data through the API and returns the request to compare. */
  readonly prepare: (context: ScenarioContext) => Promise<PreparedRequest> | PreparedRequest
}

export const defineScenario = (
  label: Label,
  status: number,
  title: string,
  prepare: Scenario['prepare'],
  options: ScenarioOptions = {},
): Scenario => ({ label, status, title, prepare, ...options })

/** A request that prepares a scenario and did not succeed. */
export interface FailedCall {
  readonly label: Label
  readonly side: 'native' | 'core'
  /** Null without a response. */
  readonly status: number | null
}

/** A scenario cannot be prepared on this deployment, which says nothing about either side. */
export class PreparationError extends Error {
  override name = 'PreparationError'
  /** The request that failed; null if the deployment does not allow the scenario. */
  readonly failedCall: FailedCall | null

  constructor(message: string, failedCall: FailedCall | null = null) {
    super(message)
    this.failedCall = failedCall
  }
}
