import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from './account.ts'
import { PreparationError } from './scenario.ts'

/** Asks until it is so; ends the scenario where that takes too long. */
export const until = async (
  what: string,
  isSo: () => Promise<boolean>,
  { everyMs = 25, withinMs = 10_000 } = {},
) => {
  const givenUpAt = Date.now() + withinMs
  while (!(await isSo())) {
    if (Date.now() > givenUpAt) throw new PreparationError(`${what} within ${withinMs / 1000} s`)
    await sleep(everyMs)
  }
}

/** Pays on the hosted page of a checkout, as a person does who clicks its one button. */
const payCheckout = async (url: string) => {
  const page = await fetch(`${url}/pay`, { method: 'POST', redirect: 'manual' }).catch(() => null)
  await page?.body?.cancel()
  if (page?.status !== 303) throw new PreparationError('the checkout is not one that can be paid here')
}

/** Subscribes an account to a plan: checkout, payment, and the webhook that tells of it. */
export const subscribe = async (account: Account, planId: string) => {
  const { url } = await account.call('billing.checkout', { body: { planId, returnPath: '/billing' } })
  await payCheckout(url)
  await until('the subscription is not active', async () => {
    const { status } = await account.call('billing.status')
    return status === 'active'
  })
}

/** For an account that is not ours to subscribe: it has the plan already, or the scenario ends. */
export const requirePlan = async (account: Account, planId: string) => {
  const status = await account.call('billing.status')
  if (status.planId !== planId)
    throw new PreparationError(`it needs an account on plan ${planId}; the one given is on ${status.planId}`)
}
