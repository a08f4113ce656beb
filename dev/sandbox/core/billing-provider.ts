import * as z from 'zod'
import { CoreError } from './core-error.ts'

const timeoutMs = 5000

const seconds = z.number().transform((value) => new Date(value * 1000))

const ProviderSubscription = z
  .object({
    id: z.string(),
    customer: z.string(),
    status: z.string(),
    cancel_at_period_end: z.boolean(),
    cancel_at: z.number().nullish(),
    items: z.object({
      data: z.array(
        z.object({
          id: z.string(),
          current_period_end: seconds.nullish(),
          price: z.object({ id: z.string() }),
        }),
      ),
    }),
  })
  .transform(({ id, customer, status, items, ...subscription }) => ({
    id,
    customerId: customer,
    status,
    endsOnDate: typeof subscription.cancel_at === 'number' && !subscription.cancel_at_period_end,
    endsWithPeriod: subscription.cancel_at_period_end,
    itemId: items.data[0]?.id ?? null,
    priceId: items.data[0]?.price.id ?? null,
    periodEnd: items.data[0]?.current_period_end ?? null,
  }))

export type ProviderSubscription = z.output<typeof ProviderSubscription>

const Customer = z.object({ id: z.string() })

const Session = z.object({ id: z.string(), url: z.url() })

const listSchema = <T extends z.ZodType>(entry: T) => z.object({ data: z.array(entry) })

interface CheckoutOrder {
  readonly accountId: string
  readonly customerId: string
  readonly priceId: string
  readonly returnUrl: string
}

type Form = Readonly<Record<string, string>>

const unavailable = () => new CoreError('billing_provider_unavailable')

/**
 * Creates a client for the provider's API endpoints that the core uses. Every failure becomes
 * `billing_provider_unavailable`.
 */
export const createBillingProvider = (apiBase: string, secretKey: string) => {
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

  const parseResponse = <T extends z.ZodType>(
    schema: T,
    { status, body }: Awaited<ReturnType<typeof send>>,
  ) => {
    const parsed = schema.safeParse(body)
    if (status !== 200 || !parsed.success) throw unavailable()
    return parsed.data
  }

  /** Returns null if the subscription does not exist or can no longer be changed. */
  const updateSubscription = async (id: string, form: Form) => {
    const response = await send('POST', `subscriptions/${encodeURIComponent(id)}`, form)
    return response.status === 404 || response.status === 400
      ? null
      : parseResponse(ProviderSubscription, response)
  }

  const listSubscriptions = async (customerId: string) =>
    parseResponse(
      listSchema(ProviderSubscription),
      await send('GET', `subscriptions?${new URLSearchParams({ customer: customerId, status: 'all' })}`),
    ).data

  return {
    /** Idempotent: repeated calls for an account return the same customer. */
    createCustomer: async (accountId: string, email: string | null) => {
      const form = { 'metadata[account_id]': accountId, ...(email !== null && { email }) }
      return parseResponse(
        Customer,
        await send('POST', 'customers', form, `core-customer-${accountId}-${email}`),
      ).id
    },

    listSubscriptions,

    openCheckout: async ({ accountId, customerId, priceId, returnUrl }: CheckoutOrder) => {
      for (const { id, status } of await listSubscriptions(customerId))
        if (status === 'incomplete') await send('DELETE', `subscriptions/${encodeURIComponent(id)}`)
      const listed = await send(
        'GET',
        `checkout/sessions?${new URLSearchParams({ customer: customerId, status: 'open' })}`,
      )
      for (const { id } of parseResponse(listSchema(Customer), listed).data)
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
      return parseResponse(Session, await send('POST', 'checkout/sessions', form))
    },

    openPortal: async (customerId: string, returnUrl: string) =>
      parseResponse(
        Session,
        await send('POST', 'billing_portal/sessions', { customer: customerId, return_url: returnUrl }),
      ),

    // Without the item id, the provider would add a second item to the subscription and charge for both.
    switchPrice: async ({ id, itemId }: ProviderSubscription, priceId: string) =>
      itemId === null
        ? null
        : updateSubscription(id, {
            'items[0][id]': itemId,
            'items[0][price]': priceId,
            proration_behavior: 'create_prorations',
          }),

    cancel: ({ id }: ProviderSubscription) => updateSubscription(id, { cancel_at_period_end: 'true' }),

    // A cancelled subscription ends either on a date or at the end of its period. Each of these is undone differently.
    resume: ({ id, endsOnDate }: ProviderSubscription) =>
      updateSubscription(id, endsOnDate ? { cancel_at: '' } : { cancel_at_period_end: 'false' }),
  }
}

export type BillingProvider = ReturnType<typeof createBillingProvider>
