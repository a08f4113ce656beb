import type { Label } from '#contracts/route-table.ts'
import type { Account } from './account.ts'
import type { ScenarioContext } from './scenario-context.ts'

/** One request to a route by its label: the table says its method and path. */
export interface SendRequest {
  /** Whose token it carries; absent: nobody's. */
  readonly as?: Account
  readonly params?: Readonly<Record<string, string>>
  /** As pairs where a name is there several times. */
  readonly query?: Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[]
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it stands instead of a body. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

interface ScenarioOptions {
  /**
   * Each side is asked of what it made itself alone: for an answer that depends on how often that very side was
   * asked before, such as a limit.
   */
  readonly apart?: boolean
}

/** One documented answer of a route, and how to bring a service to the point of giving it. */
export interface Scenario extends ScenarioOptions {
  readonly label: Label
  /** The status that it is about. Other answers say nothing of it, even when both sides agree on them. */
  readonly status: number
  readonly title: string
  /** Makes what is needed through the API and says what is then asked and compared. */
  readonly prepare: (world: ScenarioContext) => Promise<SendRequest> | SendRequest
}

export const scenario = (
  label: Label,
  status: number,
  title: string,
  prepare: Scenario['prepare'],
  options: ScenarioOptions = {},
): Scenario => ({ label, status, title, prepare, ...options })

/** What a scenario needs is not to be had here: nothing follows from it for either side. */
export class PreparationError extends Error {
  override name = 'CannotPrepare'
}
