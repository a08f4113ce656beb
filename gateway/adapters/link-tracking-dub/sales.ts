import type { SalesPort } from '#jobs/ports.ts'
import { createDubClient, type DubOptions } from './client.ts'

const patienceMs = 10_000

/** Tells Dub of sales. It knows a sale by its invoice, so that one told twice counts once. */
export const createDubSales = (options: DubOptions): SalesPort => {
  const call = createDubClient(options)
  return {
    async report({ invoiceId, accountId, clickId, amount, currency }) {
      await call('/track/sale', {
        method: 'POST',
        body: {
          clickId,
          customerExternalId: accountId,
          amount,
          currency,
          invoiceId,
          paymentProcessor: 'stripe',
        },
        signal: AbortSignal.timeout(patienceMs),
      })
    },
  }
}
