import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase, type Queryable } from '#db/client/connection.ts'
import { preparedRead } from '#db/client/drizzle.ts'
import { subscriptions } from '#db/schema/accounts.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const planOf = preparedRead((db) =>
  db
    .select({ planId: subscriptions.planId })
    .from(subscriptions)
    .where(eq(subscriptions.accountId, sql.placeholder('accountId')))
    .prepare('plan_of'),
)

describe('a prepared query', () => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())

  const insert = (tx: Queryable, accountId: string, planId: string) =>
    tx.insert(subscriptions).values({
      accountId,
      planId,
      status: 'active',
      billingCustomerId: null,
      billingSubscriptionId: null,
      currentPeriodEnd: null,
      lastEventAt: null,
    })

  it('runs in the transaction that executes it, even while other transactions are in progress', async () => {
    const { db } = database
    const given = ['one', 'two', 'three'].map((planId) => ({ accountId: crypto.randomUUID(), planId }))
    const seen = await Promise.allSettled(
      given.map(({ accountId, planId }) =>
        db.transaction(async (tx) => {
          await insert(tx, accountId, planId)
          const [inside, outside] = await Promise.all([
            Promise.all(given.map((one) => planOf(tx).execute(one))),
            planOf(db).execute({ accountId }),
          ])
          expect(outside).toEqual([])
          throw new Error(JSON.stringify(inside.flat()))
        }),
      ),
    )
    const inside = seen.map((outcome) => outcome.status === 'rejected' && JSON.parse(outcome.reason.message))
    expect(inside).toEqual(given.map(({ planId }) => [{ planId }]))
    for (const { accountId } of given) expect(await planOf(db).execute({ accountId })).toEqual([])
  })

  it('can be executed again after it has failed', async () => {
    const other = openDatabase('postgres://nobody@127.0.0.1:1/nothing')
    await expect(planOf(other.db).execute({ accountId: 'x' })).rejects.toThrow()
    await other.close()
    expect(await planOf(database.db).execute({ accountId: 'x' })).toEqual([])
  })
})
