import { list } from '#contracts/analytics.events.ts'
import { listEngagementEventsOfOwner } from '#db/queries/analytics/engagement-events.ts'
import { defineRoute } from '../define-route.ts'
import { listPage } from '../paging.ts'

// Short, because a request that waits for a lock on this table holds a connection that other requests need.
const lockTimeoutMs = 100

export const listEngagementEvents = defineRoute(list, ({ actor, query }, { db }) =>
  listPage(
    query,
    (range) =>
      db.readWithLockTimeout(lockTimeoutMs, (read) =>
        listEngagementEventsOfOwner(read, actor.accountId, range),
      ),
    ({ occurredAt, id }) => ({ at: occurredAt, id }),
  ),
)
