import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { ProviderEvent } from '../deliveries.ts'
import { demoAccounts } from '../demo-accounts.ts'
import { type BillingStore, nowS } from './billing-store.ts'

interface Kept extends BillingStore {
  readonly undelivered: readonly ProviderEvent[]
}

// The demo accounts have bought their plans before anything starts.
const demoBooks = (): Kept => {
  const books: Kept = { customers: {}, subscriptions: {}, sessions: {}, undelivered: [] }
  for (const { id: accountId, email, planId, billing } of demoAccounts) {
    if (!billing) continue
    const { customerId, subscriptionId } = billing
    const metadata = { account_id: accountId }
    const created = nowS()
    books.customers[customerId] = { id: customerId, created, email, metadata }
    books.subscriptions[subscriptionId] = {
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
  return books
}

// Our own file, in the form in which it was written.
const parseKept = (json: string) => JSON.parse(json) as Kept

/** The books of the last run, or those of the demo accounts; without a file they are forgotten in the end. */
export const openBillingStore = (file: string | undefined) => {
  if (file === undefined) return { kept: demoBooks(), keep: () => undefined }
  const keep = (books: Kept) => {
    writeFileSync(`${file}.new`, JSON.stringify(books), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  try {
    return { kept: parseKept(readFileSync(file, 'utf8')), keep }
  } catch {
    return { kept: demoBooks(), keep }
  }
}
