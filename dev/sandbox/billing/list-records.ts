import type { BillingStore } from './billing-store.ts'

interface Portal {
  readonly customer: string
  readonly returnUrl: string
}

/**
 * Lists the customers whose data contains `about`, with their sessions, subscriptions and portals. Leaves out ids and
 * times, which differ between two customers who did the same.
 */
export const listRecords = (store: BillingStore, portals: readonly Portal[], about: string) =>
  Object.values(store.customers)
    .map(({ id, email, metadata }) => ({
      email,
      metadata,
      sessions: Object.values(store.sessions)
        .filter(({ customer }) => customer === id)
        .map(
          ({
            priceId,
            clientReferenceId,
            metadata,
            subscriptionMetadata,
            successUrl,
            cancelUrl,
            status,
          }) => ({
            priceId,
            clientReferenceId,
            metadata,
            subscriptionMetadata,
            successUrl,
            cancelUrl,
            status,
          }),
        ),
      subscriptions: Object.values(store.subscriptions)
        .filter(({ customer }) => customer === id)
        .map(({ priceId, status, metadata, cancelAtPeriodEnd, cancelAt }) => ({
          priceId,
          status,
          metadata,
          cancelAtPeriodEnd,
          hasEndDate: cancelAt !== null,
        })),
      portals: portals.filter(({ customer }) => customer === id).map(({ returnUrl }) => returnUrl),
    }))
    .filter((record) => JSON.stringify(record).includes(about))
