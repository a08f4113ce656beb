import type { FastifyRequest } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from './database.ts'

export interface EngagementEvent {
  readonly type: string
  readonly ownerId: string
  readonly trackId?: string | undefined
  readonly packId?: string
  readonly linkKind?: 'track' | 'pack'
  readonly linkId?: string
  readonly source?: string
  readonly channel?: string | undefined
  readonly positionMs?: number | undefined
  readonly durationMs?: number | undefined
  readonly visitorId?: string | undefined
  readonly sessionId?: string | undefined
}

/** Nobody has seen what a HEAD or a request that only compares answers was told. */
const isSeen = ({ method, headers }: FastifyRequest) =>
  method !== 'HEAD' && headers['x-service-shadow'] !== '1'

/** Keeps what was done, if it can: nobody goes without their page because of statistics. */
export const recordEvent = async (sql: Queryable, request: FastifyRequest, event: EngagementEvent) => {
  if (!isSeen(request)) return
  try {
    await sql`insert into engagement_events ${sql({ id: uuidv7(), occurredAt: new Date(), ...event })}`
  } catch (error) {
    request.log.warn(
      { type: event.type, reason: error instanceof Error ? error.name : '' },
      'an event was lost',
    )
  }
}
