import type postgres from 'postgres'

const accounts = 50_000
const days = 395

/** How many events one session has. */
export const eventsPerSession = 8

/** The ids that the sessions use for the account with the given rank; the account with rank 0 has the most events. */
export const accountIdOf = (rank: number) => `acct_${rank.toString().padStart(31, '0')}`
export const packIdOf = (rank: number, pack = 0) =>
  `pack_${rank.toString().padStart(25, '0')}_${pack.toString().padStart(5, '0')}`
export const trackIdOf = (rank: number, track = 0) =>
  `trck_${rank.toString().padStart(25, '0')}_${track.toString().padStart(5, '0')}`

/**
 * Creates the table of sessions. The number of events of an account follows a power law: the first has 6.7 % of all, the
 * median one about 400 of 50,000,000. A session is one visit to a pack through one of its links, on one of the last 395
 * days; two of five are of visitors who return to the same link. Each account has twelve packs with ten links each, and
 * the first pack of the largest account has 1,000.
 */
export const createSessions = async (sql: postgres.Sql, rows: number) => {
  const sessions = Math.ceil(rows / eventsPerSession)
  await sql`drop table if exists bench_sessions`
  await sql`
    create unlogged table bench_sessions as
    select s, at, at::date as day,
      'acct_' || lpad(a::text, 31, '0') as owner,
      'pack_' || lpad(a::text, 25, '0') || '_' || lpad(p::text, 5, '0') as pack,
      'link_' || lpad(a::text, 19, '0') || '_' || lpad(p::text, 5, '0') || '_' || lpad(l::text, 5, '0') as link,
      'trck_' || lpad(a::text, 25, '0') || '_' || lpad((p + t)::text, 5, '0') as track_1,
      'trck_' || lpad(a::text, 25, '0') || '_' || lpad((p + t + 1)::text, 5, '0') as track_2,
      case when returns then a || '-' || p || '-' || l || '-' || visitor else s::text end as visitor,
      'source ' || source as source
    from (
      select s,
        date_trunc('day', now() at time zone 'UTC') - make_interval(days => ${days}::int)
          + make_interval(days => (s * ${days}::bigint / ${sessions}::bigint)::int, secs => 80000.0 * (hash_3 & 65535) / 65536) as at,
        a, p, l, (hash_2 >> 40 & 7)::int as t, (hash_3 >> 20) % 5 < 2 as returns,
        (hash_3 >> 24) % case when a < 50 then 2000 else 20 end as visitor, (hash_3 >> 40) % 20 as source
      from generate_series(0, ${sessions - 1}::bigint) s,
        lateral (select hashint8extended(s, 1) & 9223372036854775807 as hash_1, hashint8extended(s, 2) & 9223372036854775807
          as hash_2, hashint8extended(s, 3) & 9223372036854775807 as hash_3 offset 0) hashes,
        lateral (select floor(${accounts}::int * power((hash_1 & 4294967295) / 4294967296.0::float8, 4))::int as a,
          floor(12 * power((hash_2 & 65535) / 65536.0::float8, 2))::int as p offset 0) places,
        lateral (select floor(case when a = 0 and p = 0 then 1000 else 10 end
          * power((hash_2 >> 16 & 65535) / 65536.0::float8, 2))::int as l offset 0) links
    ) drawn`
  await sql`analyze bench_sessions`
}
