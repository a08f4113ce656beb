import type * as z from 'zod'
import type { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import { isResponse, jsonOf, type Observation } from '../../diff/recorded-response.ts'
import { type FailedCall, PreparationError, type ScenarioRequest } from './scenario.ts'

type Responses<L extends Label> = (typeof contracts)[L]['responses']
type InferBody<S> = S extends z.ZodType ? z.infer<S> : null

type ResponseBodyOf<L extends Label> = InferBody<Responses<L>[keyof Responses<L>]>

export interface AccountCredentials {
  readonly accountId: string
  /** `null` if the token contains no email address. */
  readonly email: string | null
  readonly token: string
}

/** An account with a token. Its requests go to the side that prepares the scenario. */
export interface Account extends AccountCredentials {
  readonly side: FailedCall['side']
  /** Returns a unique name that begins with `word`. */
  newName(word: string): string
  /** Sends a request that prepares a scenario. Throws `PreparationError` unless it succeeds. */
  call<L extends Label>(label: L, request?: Omit<ScenarioRequest, 'as'>): Promise<ResponseBodyOf<L>>
}

// Not validated: the comparison checks bodies against the contract, so preparation can trust the documented type.
const asDocumented = <L extends Label>(value: unknown) => value as ResponseBodyOf<L>

const formatErrorCode = (value: unknown) =>
  typeof value === 'object' && value !== null && 'error' in value ? ` ${String(value.error)}` : ''

const requireBody = <L extends Label>(label: L, side: FailedCall['side'], observation: Observation) => {
  if (!isResponse(observation))
    throw new PreparationError(`${label} got no response: ${observation.failure}`, {
      label,
      side,
      status: null,
    })
  const { status } = observation
  const value = jsonOf(observation)
  if (status < 200 || status > 299)
    throw new PreparationError(`${label} returned ${status}${formatErrorCode(value)}`, {
      label,
      side,
      status,
    })
  return asDocumented<L>(value)
}

interface AccountRequests {
  readonly side: FailedCall['side']
  /** Sends a request and returns the response without replacing anything in it. */
  readonly send: (label: Label, request: ScenarioRequest) => Promise<Observation>
  readonly createNonce: () => string
}

export const createAccount = (
  credentials: AccountCredentials,
  { side, send, createNonce }: AccountRequests,
): Account => {
  const account: Account = {
    ...credentials,
    side,
    newName: (word) => `${word}-${createNonce()}`,
    call: async (label, request = {}) =>
      requireBody(label, side, await send(label, { ...request, as: account })),
  }
  return account
}
