import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { BillingStore } from './billing-store.ts'

const Customer = z.object({ customer: z.string() })
const Subscription = z.object({ id: z.string() })

/** Whom a request to the API is about, where it is about one customer. */
const customerOf = (books: BillingStore, { query, body, params }: FastifyRequest) => {
  const named = [Customer.safeParse(query).data, Customer.safeParse(body).data].find(Boolean)
  const { id = '' } = Subscription.safeParse(params).data ?? {}
  const subscription = Object.hasOwn(books.subscriptions, id) ? books.subscriptions[id] : undefined
  return named?.customer ?? subscription?.customer
}

/** The provider as it is down for some customers alone: others do not notice. */
export const createOutages = (books: BillingStore) => {
  const cutOff = new Set<string>()
  return {
    begin: (customer: string) => {
      cutOff.add(customer)
    },
    isCutOff: (request: FastifyRequest) => cutOff.has(customerOf(books, request) ?? ''),
  }
}
