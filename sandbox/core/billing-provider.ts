import * as z from 'zod'
import { CoreError } from './core-error.ts'
import { ProviderSubscription } from './provider-subscription.ts'

export interface BillingProviderSettings {
  readonly apiBase: string
  readonly secretKey: string
}

const timeoutMs = 5000

const Customer = z.object({ id: z.string() })

const Session = z.object({ id: z.string(), url: z.url() })

const listOf = <T extends z.ZodType>(entry: T) => z.object({ data: z.array(entry) })

interface CheckoutOrder {
  readonly accountId: string
  readonly customerId: string
  readonly priceId: string
  readonly returnUrl: string
}

type Form = Readonly<Record<string, string>>

const unavailable = () => new CoreError('billing_provider_unavailable')

/** The provider's API as far as this core needs it. Whatever goes wrong there is one refusal. */
export const createBillingProvider = ({ apiBase, secretKey }: BillingProviderSettings) => {
  const send = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    form?: Form,
    idempotencyKey?: string,
  ) => {
    const response = await fetch(`${apiBase}/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secretKey}`,
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      signal: AbortSignal.timeout(timeoutMs),
      ...(form !== undefined && { body: new URLSearchParams(form) }),
    }).catch(() => {
      throw unavailable()
    })
    const body: unknown = await response.json().catch(() => null)
    return { status: response.status, body }
  }

  const readAs = <T extends z.ZodType>(schema: T, { status, body }: Awaited<ReturnType<typeof send>>) => {
    const read = schema.safeParse(body)
    if (status !== 200 || !read.success) throw unavailable()
    return read.data
  }

  /** Null where there is no such subscription, or it can no longer be changed. */
  const change = async (id: string, form: Form) => {
    const answer = await send('POST', `subscriptions/${encodeURIComponent(id)}`, form)
    return answer.status === 404 || answer.status === 400 ? null : readAs(ProviderSubscription, answer)
  }

  const listSubscriptions = async (customerId: string) =>
    readAs(
      listOf(ProviderSubscription),
      await send('GET', `subscriptions?${new URLSearchParams({ customer: customerId, status: 'all' })}`),
    ).data

  return {
    /** The same customer however often it is asked for an account. */
    createCustomer: async (accountId: string, email: string | null) => {
      const form = { 'metadata[account_id]': accountId, ...(email !== null && { email }) }
      return readAs(Customer, await send('POST', 'customers', form, `core-customer-${accountId}-${email}`)).id
    },

    listSubscriptions,

    /** A page on which to pay; whatever the customer could still pay of what was begun earlier is called off. */
    openCheckout: async ({ accountId, customerId, priceId, returnUrl }: CheckoutOrder) => {
      for (const { id, status } of await listSubscriptions(customerId))
        if (status === 'incomplete') await send('DELETE', `subscriptions/${encodeURIComponent(id)}`)
      const listed = await send(
        'GET',
        `checkout/sessions?${new URLSearchParams({ customer: customerId, status: 'open' })}`,
      )
      for (const { id } of readAs(listOf(Customer), listed).data)
        await send('POST', `checkout/sessions/${encodeURIComponent(id)}/expire`, {})
      const form = {
        mode: 'subscription',
        customer: customerId,
        client_reference_id: accountId,
        'line_items[0][price]': priceId,
        'line_items[0][quantity]': '1',
        'metadata[account_id]': accountId,
        'subscription_data[metadata][account_id]': accountId,
        success_url: returnUrl,
        cancel_url: returnUrl,
      }
      return readAs(Session, await send('POST', 'checkout/sessions', form))
    },

    openPortal: async (customerId: string, returnUrl: string) =>
      readAs(
        Session,
        await send('POST', 'billing_portal/sessions', { customer: customerId, return_url: returnUrl }),
      ),

    // With its id the item is changed; without, a second one would be added and paid for.
    switchPrice: async ({ id, itemId }: ProviderSubscription, priceId: string) =>
      itemId === null
        ? null
        : change(id, {
            'items[0][id]': itemId,
            'items[0][price]': priceId,
            proration_behavior: 'create_prorations',
          }),

    cancel: (id: string) => change(id, { cancel_at_period_end: 'true' }),

    // An end on a date is as much a cancellation as one at the end of the period.
    resume: ({ id, endsOnDate }: ProviderSubscription) =>
      change(id, endsOnDate ? { cancel_at: '' } : { cancel_at_period_end: 'false' }),
  }
}

export type BillingProvider = ReturnType<typeof createBillingProvider>
