import type postgres from 'postgres'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import { areaOf } from '#migration/model/route-scope.ts'
import { initialStateOf } from '#migration/model/route-state.ts'

const rows = labels.map((label) => ({
  label,
  area: areaOf(label),
  two_sided: isTwoSided(label),
  initial: isTwoSided(label) ? initialStateOf(label).stage : null,
}))

/**
 * Finds each row's state at each of the times `t`: the state after the last audit entry up to `t` or, if there is none,
 * the state before the first entry.
 */
const classify = (sql: postgres.Sql, times: readonly string[]) => sql`
  moments as (select t from unnest(${[...times]}::timestamptz[]) as t),
  entries as (select * from route_audit where action not in ('override', 'remove override', 'forget')),
  moves as (
    select * from entries where (before ->> 'stage', before ->> 'weightBp')
      is distinct from (after ->> 'stage', after ->> 'weightBp')
  ),
  switches as (
    select t, scope, (array_agg(after order by epoch desc))[1] as state from moments join entries on at <= t group by 1, 2
  ),
  classified as (
    select t, r.label, r.area, r.two_sided,
      exists (select from switches s where s.t = m.t and s.scope in (r.label, r.area || '.*', '*')
        and (state ->> 'killed')::boolean) as killed,
      exists (select from switches s where s.t = m.t and s.scope in (r.label, r.area || '.*', '*')
        and (state ->> 'held')::boolean) as held,
      exists (select from moves where scope = r.label and at <= t) as moved,
      r.initial,
      coalesce((select state from switches s where s.t = m.t and scope = r.label) ->> 'stage',
        (select before ->> 'stage' from entries where scope = r.label order by epoch limit 1), r.initial) as stage
    from moments m cross join jsonb_to_recordset(${sql.json(rows)})
      as r (label text, area text, two_sided boolean, initial text)
  ),
  counted as (
    select *, case when not two_sided then 'native-only' when killed then 'killed'
      when stage = 'native' and initial = 'native' and not moved then 'native-by-code' else stage end as state
    from classified
  )`

const isoOf = (sql: postgres.Sql, column: string) =>
  sql`to_char(${sql(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export const countStates = async (sql: postgres.Sql, times: readonly string[]) => {
  const counts = await sql<{ at: string; states: Record<string, number>; held: number }[]>`
    with ${classify(sql, times)},
    grouped as (select t, state, count(*)::int as rows, count(*) filter (where held and two_sided)::int as held from counted group by 1, 2)
    select ${isoOf(sql, 't')} as at, jsonb_object_agg(state, rows) as states, sum(held)::int as held
    from grouped group by t order by t`
  return [...counts]
}

interface Period {
  readonly from: string
  /** Inclusive. */
  readonly to: string
}

export const listMoves = async (sql: postgres.Sql, { from, to }: Period) => [
  ...(await sql`
    with ${classify(sql, [])}
    select scope as label, (array_agg(before ->> 'stage' order by epoch))[1] as from,
      (array_agg(after ->> 'stage' order by epoch desc))[1] as to,
      ${isoOf(sql, 'last_at')} as at, (array_agg(who order by epoch desc))[1] as who,
      (array_agg(reason order by epoch desc))[1] as reason, count(*)::int as steps
    from (select *, max(at) over (partition by scope) as last_at from moves where at between ${from} and ${to}) as of_month
    group by scope, last_at order by last_at`),
]

export const listStops = async (sql: postgres.Sql, { from, to }: Period) => [
  ...(await sql`
    with resumed as (
      select kill.id, min(later.at) as resumed_at from route_audit kill join route_audit later
        on later.scope = kill.scope and later.at > kill.at and later.at <= ${to} and later.after ->> 'killed' = 'false'
      where kill.action = 'kill' group by 1
    )
    select ${isoOf(sql, 'at')} as at, who, scope, action, reason, ${isoOf(sql, 'resumed_at')} as "resumedAt"
    from route_audit left join resumed using (id)
    where at between ${from} and ${to} and (action in ('rollback', 'kill') or action = 'hold' and who = 'auto')
    order by epoch`),
]

/**
 * Counts the requests that the core served in the seven days up to and including the day of `to`, by label and cause.
 */
export const sumRequests = async (sql: postgres.Sql, to: string) => {
  const sums = await sql<{ label: string; cause: string; requests: number }[]>`
    select label, cause, sum(requests)::int as requests from core_usage
    where cause <> 'shadow' and day between ${to.slice(0, 10)}::date - 6 and ${to.slice(0, 10)}::date
    group by 1, 2 order by requests desc`
  return Map.groupBy(sums, ({ label }) => label)
}

export const listRemaining = async (sql: postgres.Sql, at: string) => {
  const found = await sql<{ label: string }[]>`
    with ${classify(sql, [at])}
    select label from counted where state not in ('native-only', 'native-by-code', 'native', 'retired') order by label collate "C"`
  return found.map(({ label }) => label)
}
