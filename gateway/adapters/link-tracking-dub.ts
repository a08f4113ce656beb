import type { SalesPort } from '#jobs/ports.ts'

interface LinkTracking {
  readonly apiKey: string
  /** Unset: the provider's own. */
  readonly apiBase: string | undefined
}

const timeoutMs = 10_000

/** Tells Dub of sales. It knows a sale by its invoice, so that one told twice counts once. */
export const createDubSales = ({ apiKey, apiBase = 'https://api.dub.co' }: LinkTracking): SalesPort => ({
  async report({ invoiceId, accountId, clickId, amount, currency }) {
    const response = await fetch(`${apiBase.replace(/\/+$/, '')}/track/sale`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        clickId,
        customerExternalId: accountId,
        amount,
        currency,
        invoiceId,
        paymentProcessor: 'stripe',
      }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`the link provider answered with ${response.status}`)
  },
})
