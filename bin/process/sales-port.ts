import { createDubClient, type DubOptions } from '#gateway/adapters/link-tracking-dub/client.ts'
import type { SalesPort } from '#jobs/ports.ts'

const timeoutMs = 10_000

/** Reports sales to Dub, which deduplicates them by invoice id. */
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
        signal: AbortSignal.timeout(timeoutMs),
      })
    },
  }
}
