import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { DispatchKind, DispatchStatus } from './shared/media-analysis.ts'
import { Count, Id, page, Timestamp } from './shared/primitives.ts'
import { paging, query } from './shared/query.ts'

const QueuedDispatch = z.object({
  id: Id,
  trackId: Id,
  kind: DispatchKind,
  status: DispatchStatus,
  attempt: Count,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const list = defineContract('internal.media-dispatches.list', {
  query: query(z.object(paging({ maxLimit: 500, defaultLimit: 100 }))),
  responses: { 200: page(QueuedDispatch) },
})
