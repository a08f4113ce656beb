import type { FastifyRequest } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import type { VisitorPseudonyms } from '#db/hashes.ts'
import type { Database } from './database.ts'

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

/** HEAD and shadow requests do not count as visits. */
const isVisit = ({ method, headers }: FastifyRequest) =>
  method !== 'HEAD' && headers['x-service-shadow'] !== '1'

// The response waits for the insert, so a locked table must not delay the insert noticeably.
const lockTimeoutMs = 200

export const createEventRecorder =
  (sql: Database, pseudonymsOf: VisitorPseudonyms) =>
  async (request: FastifyRequest, event: EngagementEvent) => {
    if (!isVisit(request)) return
    const row = { id: uuidv7(), occurredAt: new Date(), ...event, ...pseudonymsOf(event) }
    try {
      await sql.begin(async (tx) => {
        await tx`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`
        await tx`insert into engagement_events ${tx(row)}`
      })
    } catch (error) {
      request.log.warn(
        { type: event.type, reason: error instanceof Error ? error.name : '' },
        'failed to write engagement event',
      )
    }
  }

export type RecordEvent = ReturnType<typeof createEventRecorder>
