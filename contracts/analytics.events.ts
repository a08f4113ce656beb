import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Id, Milliseconds, openEnum, page, Timestamp } from './shared/primitives.ts'
import { paging, query } from './shared/query.ts'

/** It does not identify the visitor. */
export const EngagementEvent = z.object({
  id: Id,
  type: openEnum([
    'pack.viewed',
    'pack.shared',
    'track.viewed',
    'track.played',
    'track.progress',
    'track.completed',
    'track.downloaded',
    'track.shared',
  ]),
  occurredAt: Timestamp,
  packId: Id.nullable(),
  trackId: Id.nullable(),
  linkKind: z.enum(['track', 'pack']).nullable(),
  linkId: Id.nullable(),
  source: z.string().nullable(),
  channel: z.string().nullable(),
  positionMs: Milliseconds.nullable(),
  durationMs: Milliseconds.nullable(),
})

export const list = defineContract('analytics.events.list', {
  query: query(z.object(paging({ maxLimit: 200, defaultLimit: 50 }))),
  responses: { 200: page(EngagementEvent) },
  limit: 'analytics',
})
