import * as z from 'zod'
import {
  type CallOptions,
  type CallRunner,
  idSegment,
  isMissing,
  type StripeClient,
  StripeError,
  toBillingApiError,
} from './client.ts'

const Customer = z.object({ deleted: z.boolean().optional() })

/**
 * Creates a function that makes a call about a customer and returns null if the customer was deleted. It throws if
 * Stripe has never had the customer: then the key belongs to another Stripe account, which says nothing about ours.
 */
export const createDeletionCheck =
  (client: StripeClient, runCall: CallRunner) =>
  async <T>(customerId: string, call: (options: CallOptions) => Promise<T>): Promise<T | null> => {
    const result = await runCall((options) =>
      call(options).catch((error: unknown) => {
        if (isMissing(error)) return error
        throw error
      }),
    )
    if (!(result instanceof StripeError)) return result
    const path = `/v1/customers/${idSegment(customerId)}`
    const { deleted } = await runCall(async (options) => Customer.parse(await client.get(path, {}, options)))
    if (deleted) return null
    throw toBillingApiError(result)
  }
