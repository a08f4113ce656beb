import type { ApiRequest } from './api.ts'
import type { BillingStore, Portal, StoredCheckoutSession, StoredSubscription } from './billing-store.ts'

const describeSession = ({
  id,
  created,
  customer,
  subscription,
  invoice,
  ...session
}: StoredCheckoutSession) => ({
  ...session,
  successUrl: new URL(session.successUrl).href,
  cancelUrl: new URL(session.cancelUrl).href,
})

const describeSubscription = ({
  id,
  created,
  customer,
  itemId,
  periodEnd,
  cancelAt,
  ...subscription
}: StoredSubscription) => ({ ...subscription, hasEndDate: cancelAt !== null })

const countWrites = (requests: readonly ApiRequest[], { id }: StoredSubscription) =>
  requests.filter(({ method, path }) => method !== 'GET' && path.endsWith(`/${id}`)).length

/**
 * Lists the customers whose data contains `about`, and what happened to them: their sessions, subscriptions and portals, and how
 * many API requests changed each subscription. Leaves out ids and times, which differ between two customers who did the
 * same.
 */
export const listRecords = (
  store: BillingStore,
  portals: readonly Portal[],
  requests: readonly ApiRequest[],
  about: string,
) =>
  Object.values(store.customers)
    .filter((customer) => JSON.stringify(customer).includes(about))
    .map(({ id, email, metadata }) => {
      const ofCustomer = <T extends { readonly customer: string }>(records: Iterable<T>) =>
        [...records].filter(({ customer }) => customer === id)
      return {
        customer: { email, metadata },
        records: [
          ...ofCustomer(Object.values(store.sessions)).map(describeSession),
          ...ofCustomer(Object.values(store.subscriptions)).map((subscription) => ({
            ...describeSubscription(subscription),
            writes: countWrites(requests, subscription),
          })),
          ...ofCustomer(portals).map(({ returnUrl }) => ({ returnUrl: new URL(returnUrl).href })),
        ],
      }
    })
