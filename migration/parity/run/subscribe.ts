import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from './account.ts'
import { PreparationError } from './scenario.ts'

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
