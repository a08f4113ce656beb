import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { operatorTokens } from '#test/support/operators.ts'
import type { Instance } from './fleet/instance.ts'
import { type Fleet, openFleet } from './fleet/open-fleet.ts'
import type { Bench } from './open-bench.ts'
import { cpuSecondsOf, cpuSecondsWithEndedOf } from './process-usage.ts'
import { median } from './statistics.ts'
import { table } from './tables.ts'

// As browser/console.js refreshes a page.
const refreshMs = 5000
// A page that has just been opened has connected, and one that was closed has connections for half a minute.
const openedSeconds = 20
const closedSeconds = 40
const periodSeconds = 30
const pages = ['/console', '/console/routes/tracks.list'] as const

/** A week of counts of every route and instance, as five busy instances leave it. */
const storeWeek = ({ sql }: Fleet) => sql`
  insert into route_counts (label, interval_start, instance_id, native2xx, native3xx, native4xx, native5xx,
    core2xx, core3xx, core4xx, core5xx, native_durations, core_durations)
  select label, date_trunc('hour', now()) - number * interval '10 minutes', 'instance-' || instance, 900, 0, 20, 1,
    700, 0, 18, 1, '{0,10,400,300,150,40,20,1}', '{0,0,100,300,250,60,9}'
  from unnest(${['*', 'tracks.list', ...Array.from({ length: 85 }, (_, index) => `route-${index}`)]}::text[]) as label,
    generate_series(1, 7 * 144) as number, generate_series(1, 5) as instance`

const signIn = async ({ adminUrl }: Instance) => {
  const response = await fetch(`${adminUrl}/console/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token: operatorTokens.alice }),
    redirect: 'manual',
  })
  const [cookie] = (response.headers.get('set-cookie') ?? '').split(';')
  if (!cookie) throw new Error(`sign-in failed with ${response.status}`)
  return cookie
}

/** Refreshes a page of each instance until it is aborted. */
const keepOpen = (
  instances: readonly Instance[],
  cookies: readonly string[],
  path: string,
  end: AbortSignal,
) =>
  Promise.all(
    instances.map(async ({ adminUrl }, index) => {
      while (!end.aborted) {
        const response = await fetch(adminUrl + path, {
          headers: { cookie: cookies[index] ?? '', 'x-console-refresh': '1' },
        })
        await response.text()
        if (response.status !== 200) throw new Error(`${path} returned ${response.status}`)
        await sleep(refreshMs, undefined, { signal: end }).catch(() => undefined)
      }
    }),
  )

const findDatabasePid = async ({ sql }: Fleet) => {
  const [row] = await sql`show data_directory`
  const [pid] = (await readFile(join(String(row?.data_directory), 'postmaster.pid'), 'utf8')).split('\n')
  return Number(pid)
}

/** CPU time of the gateways and of the database, in per cent of a core, of one period each with and without an open page. */
export const measureConsole = async ({ folder }: Bench, { rounds }: { readonly rounds: number }) => {
  const fleet = await openFleet({ folder })
  try {
    await storeWeek(fleet)
    const { instances } = fleet
    const cookies = await Promise.all(instances.map(signIn))
    const databasePid = await findDatabasePid(fleet)
    const readCpu = async () => {
      const gateways = await Promise.all(instances.map(({ pid }) => cpuSecondsOf(pid)))
      return {
        gateways: gateways.reduce((sum, each) => sum + each, 0),
        database: await cpuSecondsWithEndedOf(databasePid),
      }
    }
    const measurePeriod = async () => {
      const before = await readCpu()
      await sleep(periodSeconds * 1000)
      const after = await readCpu()
      const percentOf = (part: 'gateways' | 'database') =>
        ((after[part] - before[part]) / periodSeconds) * 100
      return { gateways: percentOf('gateways'), database: percentOf('database') }
    }
    const measureOpen = async (path: string) => {
      const end = new AbortController()
      const open = keepOpen(instances, cookies, path, end.signal)
      try {
        await sleep(openedSeconds * 1000)
        return await measurePeriod()
      } finally {
        end.abort()
        await open
      }
    }
    const measureClosed = async () => {
      await sleep(closedSeconds * 1000)
      return measurePeriod()
    }
    for (const path of pages) await measureOpen(path)
    const taken = new Map<string, Awaited<ReturnType<typeof measurePeriod>>[]>()
    for (let round = 0; round < rounds; round += 1)
      for (const path of [null, ...pages]) {
        const sample = path === null ? await measureClosed() : await measureOpen(path)
        const name = path ?? 'closed'
        taken.set(name, [...(taken.get(name) ?? []), sample])
      }
    const closed = taken.get('closed') ?? []
    return table(
      ['% of a core, five instances', 'gateways', 'database', 'more than closed: gateways', 'database'],
      [...taken].map(([name, samples]) => {
        const cells = (['gateways', 'database'] as const).map((part) => ({
          used: median(samples.map((sample) => sample[part])),
          more: median(samples.map((sample, round) => sample[part] - (closed[round]?.[part] ?? Number.NaN))),
        }))
        return [
          name,
          ...cells.map(({ used }) => used.toFixed(2)),
          ...cells.map(({ more }) => (name === 'closed' ? '' : more.toFixed(2))),
        ]
      }),
    )
  } finally {
    await fleet.stop()
  }
}
