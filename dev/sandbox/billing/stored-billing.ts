import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { ProviderEvent } from '../deliveries.ts'
import { demoAccounts } from '../demo-accounts.ts'
import { type BillingStore, nowS } from './billing-store.ts'

interface StoredState extends BillingStore {
  readonly undelivered: readonly ProviderEvent[]
}

// The demo accounts already have subscriptions at the first start.
const createDemoState = (): StoredState => {
  const state: StoredState = { customers: {}, subscriptions: {}, sessions: {}, undelivered: [] }
  for (const { id: accountId, email, planId, billing } of demoAccounts) {
    if (!billing) continue
    const { customerId, subscriptionId } = billing
    const metadata = { account_id: accountId }
    const created = nowS()
    state.customers[customerId] = { id: customerId, created, email, metadata }
    state.subscriptions[subscriptionId] = {
      id: subscriptionId,
      customer: customerId,
      created,
      itemId: `si_${subscriptionId}`,
      metadata,
      status: 'active',
      priceId: `price_sandbox_${planId}`,
      periodEnd: created + 30 * 86_400,
      cancelAtPeriodEnd: false,
      cancelAt: null,
    }
  }
  return state
}

// Not validated, because only this module writes the file.
const parseState = (json: string) => JSON.parse(json) as StoredState

export const openBillingStore = (file: string | undefined) => {
  if (file === undefined) return { state: createDemoState(), save: () => undefined }
  const save = (state: StoredState) => {
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  try {
    return { state: parseState(readFileSync(file, 'utf8')), save }
  } catch {
    return { state: createDemoState(), save }
  }
}
