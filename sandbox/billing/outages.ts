import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { BillingStore } from './billing-store.ts'

const Customer = z.object({ customer: z.string() })
const Subscription = z.object({ id: z.string() })

/** The customer that an API request concerns, if any. */
const findCustomerId = (store: BillingStore, { query, body, params }: FastifyRequest) => {
  const parameters = [Customer.safeParse(query).data, Customer.safeParse(body).data].find(Boolean)
  const { id = '' } = Subscription.safeParse(params).data ?? {}
  const subscription = Object.hasOwn(store.subscriptions, id) ? store.subscriptions[id] : undefined
  return parameters?.customer ?? subscription?.customer
}

/** Outages for individual customers: requests for other customers are not affected. */
export const createOutages = (store: BillingStore) => {
  const affected = new Set<string>()
  return {
    begin: (customer: string) => {
      affected.add(customer)
    },
    isAffected: (request: FastifyRequest) => affected.has(findCustomerId(store, request) ?? ''),
  }
}
