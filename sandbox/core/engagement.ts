import type { FastifyRequest } from 'fastify'
import { v7 as uuidv7 } from 'uuid'
import type { VisitorPseudonyms } from '#db/visitor-pseudonyms.ts'
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

/** Nobody has seen what a HEAD or a request that only compares answers was told. */
const isSeen = ({ method, headers }: FastifyRequest) =>
  method !== 'HEAD' && headers['x-service-shadow'] !== '1'

// Few enough that nobody notices: who waits for the table to be free has their page wait.
const patienceMs = 200

interface Recording {
  readonly sql: Database
  readonly pseudonymsOf: VisitorPseudonyms
}

/** Keeps what was done, if it can: nobody goes without their page because of statistics. */
export const createEventRecorder =
  ({ sql, pseudonymsOf }: Recording) =>
  async (request: FastifyRequest, event: EngagementEvent) => {
    if (!isSeen(request)) return
    const row = { id: uuidv7(), occurredAt: new Date(), ...event, ...pseudonymsOf(event) }
    try {
      await sql.begin(async (tx) => {
        await tx`select set_config('lock_timeout', ${`${patienceMs}ms`}, true)`
        await tx`insert into engagement_events ${tx(row)}`
      })
    } catch (error) {
      request.log.warn(
        { type: event.type, reason: error instanceof Error ? error.name : '' },
        'an event was lost',
      )
    }
  }

export type RecordEvent = ReturnType<typeof createEventRecorder>
