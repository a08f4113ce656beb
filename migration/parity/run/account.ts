import { setTimeout as sleep } from 'node:timers/promises'
import type * as z from 'zod'
import type { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import {
  describeObservation,
  isSuccess,
  jsonOf,
  type Observation,
  statusOf,
} from '../../diff/recorded-response.ts'
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
  newName(word: string): string
  /** Sends a request that prepares a scenario. Throws `PreparationError` unless it succeeds. */
  call<L extends Label>(label: L, request?: Omit<ScenarioRequest, 'as'>): Promise<ResponseBodyOf<L>>
}

// Not validated: the comparison checks bodies against the contract, so preparation can trust the documented type.
const asDocumented = <L extends Label>(value: unknown) => value as ResponseBodyOf<L>

const formatErrorCode = (value: unknown) =>
  typeof value === 'object' && value !== null && 'error' in value ? ` ${String(value.error)}` : ''

const requireBody = <L extends Label>(label: L, side: FailedCall['side'], observation: Observation) => {
  const value = jsonOf(observation)
  if (isSuccess(observation)) return asDocumented<L>(value)
  throw new PreparationError(`${label} ${describeObservation(observation)}${formatErrorCode(value)}`, {
    label,
    side,
    status: statusOf(observation),
  })
}

interface AccountRequests {
  readonly side: FailedCall['side']
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

export const waitUntil = async (
  message: string,
  condition: () => Promise<boolean>,
  { intervalMs = 25, timeoutMs = 10_000 } = {},
) => {
  const deadline = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new PreparationError(`${message} after ${timeoutMs / 1000} s`)
    await sleep(intervalMs)
  }
}

const payCheckout = async (url: string) => {
  const page = await fetch(`${url}/pay`, { method: 'POST', redirect: 'manual' }).catch(() => null)
  await page?.body?.cancel()
  if (page?.status !== 303)
    throw new PreparationError(
      `the checkout page returned ${page?.status ?? 'no response'} for a payment instead of 303: the scenario needs the sandbox billing provider`,
    )
}

export const subscribe = async (account: Account, planId: string) => {
  const { url } = await account.call('billing.checkout', { body: { planId, returnPath: '/billing' } })
  await payCheckout(url)
  await waitUntil('the subscription is not active', async () => {
    const { status } = await account.call('billing.status')
    return status === 'active'
  })
}

/**
 * Throws `PreparationError` unless the account already has the plan. Used for the accounts of given tokens, which a run
 * never subscribes.
 */
export const requirePlan = async (account: Account, planId: string) => {
  const status = await account.call('billing.status')
  if (status.planId !== planId)
    throw new PreparationError(
      `the scenario needs plan ${planId}, but the given token's account is on ${status.planId}`,
    )
}
