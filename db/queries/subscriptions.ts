import { eq, sql } from 'drizzle-orm'
import type { Reader } from '../connection.ts'
import { prepared } from '../prepared.ts'
import { subscriptions } from '../schema/accounts.ts'

const subscriptionOf = prepared((db) =>
  db
    .select({ planId: subscriptions.planId, status: subscriptions.status })
    .from(subscriptions)
    .where(eq(subscriptions.accountId, sql.placeholder('accountId')))
    .prepare('subscription_of'),
)

export const findSubscriptionOf = async (db: Reader, accountId: string) => {
  const [subscription] = await subscriptionOf(db).execute({ accountId })
  return subscription ?? null
}
