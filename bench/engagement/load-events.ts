import type postgres from 'postgres'
import type { eventsPerSession } from './sessions.ts'

// What a session does, with the seconds since its start.
const steps = [
  ['pack.viewed', null, 0],
  ['track.played', 1, 5],
  ['track.progress', 1, 35],
  ['track.progress', 1, 65],
  ['track.completed', 1, 95],
  ['track.played', 2, 100],
  ['track.progress', 2, 130],
  ['track.downloaded', 2, 150],
] as const satisfies { readonly length: typeof eventsPerSession }

const sessionsPerInsert = 500_000

/** Replaces all events by those of the sessions, in the order of their time, without the trigger. */
export const loadEvents = async (sql: postgres.Sql, sessions: number) => {
  const list = steps.map(([type, track, seconds]) => `('${type}', ${track}::int, ${seconds})`).join(', ')
  await sql.begin(async (tx) => {
    await tx`truncate engagement_events`
    await tx`alter table engagement_events disable trigger engagement_events_roll_up`
    for (let first = 0; first < sessions; first += sessionsPerInsert)
      await tx`
        insert into engagement_events (id, owner_id, type, occurred_at, pack_id, track_id, link_kind, link_id, source,
          position_ms, session_id)
        select uuidv7(at + make_interval(secs => seconds) - now() at time zone 'UTC')::text, owner, type,
          (at + make_interval(secs => seconds)) at time zone 'UTC', pack,
          case track when 1 then track_1 when 2 then track_2 end, 'pack', link, source,
          case when type = 'track.progress' then 30000 end, rpad(visitor, 43, '-')
        from bench_sessions, (values ${tx.unsafe(list)}) as step (type, track, seconds)
        where s >= ${first}::bigint and s < ${first + sessionsPerInsert}::bigint`
    await tx`alter table engagement_events enable trigger engagement_events_roll_up`
  })
}
