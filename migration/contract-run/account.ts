import type * as z from 'zod'
import type { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import { isResponse, type Observation } from '../diff/recorded-response.ts'
import type { WireRequest } from './request.ts'
import { createRequest } from './request.ts'
import { PreparationError, type SendRequest } from './scenario.ts'

type Responses<L extends Label> = (typeof contracts)[L]['responses']
type InferBody<S> = S extends z.ZodType ? z.infer<S> : null

/** What a route's success holds by its contract. */
type BodyOf<L extends Label> = InferBody<Responses<L>[keyof Responses<L>]>

/** Somebody with a token, who sends requests to the side that makes this world. */
export interface Account {
  readonly accountId: string
  /** Null where it is not known. */
  readonly email: string | null
  readonly token: string
  /** Makes something that a scenario needs; anything but a success ends the scenario there. */
  call<L extends Label>(label: L, ask?: Omit<SendRequest, 'as'>): Promise<BodyOf<L>>
}

export interface Credentials {
  readonly accountId: string
  readonly email: string | null
  readonly token: string
}

// Whether the body keeps the contract is what the run compares; on the way there it is taken at its word.
const asDocumented = <L extends Label>(value: unknown) => value as BodyOf<L>

const codeOf = (value: unknown) =>
  typeof value === 'object' && value !== null && 'error' in value ? ` ${String(value.error)}` : ''

const bodyOf = <L extends Label>(label: L, observation: Observation) => {
  if (!isResponse(observation)) throw new PreparationError(`${label} gave no answer (${observation.failure})`)
  const { status, body } = observation
  const value = body.kind === 'json' ? body.value : null
  if (status < 200 || status > 299) throw new PreparationError(`${label} answered ${status}${codeOf(value)}`)
  return asDocumented<L>(value)
}

/** `send` takes a request to the side of the world and shows the answer as it came. */
export const createAccount = (
  credentials: Credentials,
  send: (request: WireRequest) => Promise<Observation>,
): Account => {
  const account: Account = {
    ...credentials,
    call: async (label, ask = {}) => bodyOf(label, await send(createRequest(label, { ...ask, as: account }))),
  }
  return account
}
