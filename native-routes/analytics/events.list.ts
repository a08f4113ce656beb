import { list } from '#contracts/analytics.events.ts'
import { listEngagementEventsOfOwner } from '#db/queries/analytics/engagement-events.ts'
import { defineRoute } from '../define-route.ts'
import { createPage, parseCursor } from '../paging.ts'

// Short, because a request that waits for a lock on this table holds a connection that other requests need.
const lockTimeoutMs = 100

export const listEngagementEvents = defineRoute(list, async ({ actor, query }, { db }) => {
  const after = parseCursor(query.cursor)
  const found = await db.readWithLockTimeout(lockTimeoutMs, (read) =>
    listEngagementEventsOfOwner(read, actor.accountId, { after, limit: query.limit + 1 }),
  )
  return createPage(found, query.limit, ({ occurredAt, id }) => ({ at: occurredAt, id }))
})
