import * as z from 'zod'
import type { BillingStore } from './billing-store.ts'

const Customer = z.object({ customer: z.string() })

/** Outages for individual customers: requests for other customers are not affected. */
export const createOutages = (store: BillingStore) => {
  const affected = new Set<string>()
  return {
    begin: (customer: string) => {
      affected.add(customer)
    },
    /** Whether the parameters of an API request, or the subscription in its path, belong to an affected customer. */
    isAffected: (path: string, parameters: unknown) => {
      const id = path.split('/').at(-1) ?? ''
      const subscription = Object.hasOwn(store.subscriptions, id) ? store.subscriptions[id] : undefined
      return affected.has(Customer.safeParse(parameters).data?.customer ?? subscription?.customer ?? '')
    },
  }
}
