import type postgres from 'postgres'

const subjects = (sql: postgres.ISql) => sql`
  bench_sessions, lateral (values
    ('owner', owner, '', 1, 2, 1), ('pack', pack, link, 1, 2, 1), ('track', track_1, link, 0, 1, 0),
    ('track', track_2, link, 0, 1, 1)
  ) as subject (kind, id, subject_link, views, plays, downloads)`

const insertions = {
  engagement_links: (sql: postgres.ISql) => sql`
    insert into engagement_links
    select kind, id, subject_link, sum(case kind when 'track' then 4 - downloads else 8 end)
    from ${subjects(sql)} group by 1, 2, 3`,
  engagement_days: (sql: postgres.ISql) => sql`
    insert into engagement_days
    select kind, id, day, subject_link, sum(views), sum(plays), sum(downloads), 0
    from ${subjects(sql)} group by 1, 2, 3, 4 order by day`,
  engagement_sources: (sql: postgres.ISql) => sql`
    insert into engagement_sources
    select kind, id, day, source, sum(views), sum(plays), sum(downloads), 0
    from ${subjects(sql)} where kind <> 'owner' group by 1, 2, 3, 4 order by day`,
  engagement_visits: (sql: postgres.ISql) => sql`
    insert into engagement_visits
    select kind, id, subject_link, substring(sha256(convert_to('session ' || rpad(visitor, 43, '-'), 'UTF8')) for 16), day
    from ${subjects(sql)} where kind <> 'owner' group by 1, 2, 3, 4, 5 order by day`,
  engagement_returns: (sql: postgres.ISql) => sql`
    insert into engagement_returns
    select subject_kind, subject_id, link_id, day,
      case when last_day > day - 366 then last_day else '-infinity' end, count(*)
    from (
      select *, lag(day) over (partition by subject_kind, subject_id, link_id, visitor order by day) as last_day
      from engagement_visits
    ) visits
    group by 1, 2, 3, 4, 5 order by day`,
  engagement_totals: (sql: postgres.ISql) => sql`
    insert into engagement_totals
    select subject_kind, subject_id, day, sum(views), sum(plays), sum(downloads), sum(shares)
    from engagement_days where subject_kind <> 'owner' group by 1, 2, 3`,
  engagement_months: (sql: postgres.ISql) => sql`
    insert into engagement_months
    select subject_kind, subject_id, date_trunc('month', day::timestamp)::date, link_id,
      sum(views), sum(plays), sum(downloads), sum(shares), sum(visitors)
    from (
      select subject_kind, subject_id, day, link_id, views, plays, downloads, shares, 0 as visitors
      from engagement_days where subject_kind <> 'owner'
      union all
      select subject_kind, subject_id, day, link_id, 0, 0, 0, 0, visitors from engagement_returns
      where last_day = '-infinity'
    ) rollups
    group by 1, 2, 3, 4`,
}

export const rollupTables = Object.keys(insertions)

/** Replaces the rollups by those of the events of the sessions, without the trigger, which takes hours for so many. */
export const loadRollups = async (sql: postgres.Sql) => {
  for (const [table, insert] of Object.entries(insertions))
    await sql.begin(async (tx) => {
      await tx`truncate ${tx(table)}`
      await insert(tx)
    })
}
