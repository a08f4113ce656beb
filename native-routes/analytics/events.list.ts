import { list } from '#contracts/analytics.events.ts'
import { listEngagementEventsOfOwner } from '#db/queries/engagement-events.ts'
import { defineRoute } from '../define-route.ts'
import { pageOf, positionAt } from '../page-position.ts'

export const listEngagementEvents = defineRoute(list, async ({ actor, query }, { db }) => {
  const after = positionAt(query.cursor)
  const found = await db.tx((tx) => listEngagementEventsOfOwner(tx, actor.accountId, after, query.limit + 1))
  return pageOf(found, query.limit, ({ occurredAt, id }) => ({ at: occurredAt, id }))
})
