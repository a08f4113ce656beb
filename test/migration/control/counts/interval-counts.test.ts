import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Label, routeTable } from '#contracts/route-table.ts'
import { countNames, type RouteCountsRow } from '#db/queries/routing/route-counts.ts'
import { createIntervalCounts } from '#migration/control/counts/route-counts.ts'

const label = 'libraries.detail'
const start = Date.parse('2026-11-20T10:00:00.000Z')
const minute = 60_000

const total = (rows: ReadonlyMap<string, RouteCountsRow>) =>
  [...rows.values()].reduce(
    (sum, row) => sum + countNames.map((name) => row[name]).reduce((left, right) => left + right),
    0,
  )

const open = () => {
  const stored = new Map<string, RouteCountsRow>()
  const sums = new Map<string, RouteCountsRow>()
  let time = start
  const counts = createIntervalCounts({ instanceId: 'a', now: () => time })
  const save = async (rows: readonly RouteCountsRow[]) => {
    for (const row of rows) (row.label === '*' ? sums : stored).set(`${row.label} ${row.intervalStart}`, row)
  }
  return {
    counts,
    stored,
    sums,
    advance: (ms: number) => {
      time += ms
    },
    write: () => counts.write(save),
    sum: () => total(stored),
    sumDurations: () =>
      [...stored.values()]
        .flatMap(({ nativeDurations = [], coreDurations = [] }) => [...nativeDurations, ...coreDurations])
        .reduce((left, right) => left + right, 0),
  }
}

describe("an instance's counts", () => {
  it('are kept by side and status class, with client disconnects as 4xx', async () => {
    const { counts, stored, write } = open()
    for (const status of [200, 201, 204, 304, 404, 499, 500]) counts.record(label, 'native', status, 3)
    for (const status of [200, 302, 302, 429, 502, 503]) counts.record(label, 'proxy', status, 3)
    counts.record('unmatched', 'proxy', 200, 3)
    await write()
    expect([...stored.values()]).toEqual([
      {
        label,
        intervalStart: '2026-11-20T10:00:00.000Z',
        instanceId: 'a',
        native2xx: 3,
        native3xx: 1,
        native4xx: 2,
        native5xx: 1,
        core2xx: 1,
        core3xx: 2,
        core4xx: 1,
        core5xx: 2,
        // The duration of the request whose client disconnected is left out.
        nativeDurations: [0, 0, 0, 0, 0, 0, 0, 0, 0, 6],
        coreDurations: [0, 0, 0, 0, 0, 0, 0, 0, 0, 6],
      },
    ])
  })

  it('also include totals for all routes', async () => {
    const { counts, sums, write } = open()
    counts.record(label, 'native', 200, 3)
    await write()
    counts.record('tracks.list', 'proxy', 500, 3)
    counts.record('tracks.list', 'native', 201, 3)
    await write()
    expect([...sums.values()]).toMatchObject([{ label: '*', native2xx: 2, native5xx: 0, core5xx: 1 }])
    expect(sums.values().next().value?.nativeDurations).toBeUndefined()
  })

  it('are kept by duration, with buckets for very short and very long requests', async () => {
    const { counts, stored, write } = open()
    for (const ms of [0, 0.5, 0.6, 100, 3_600_000]) counts.record(label, 'native', 200, ms)
    await write()
    const [row] = [...stored.values()]
    const durations = Array.from({ length: 48 }, () => 0)
    for (const [bucket, count] of [
      [0, 2],
      [1, 1],
      [24, 1],
      [47, 1],
    ] as const)
      durations[bucket] = count
    expect([row?.nativeDurations, row?.coreDurations]).toEqual([durations, []])
  })

  it('are written as running totals, only when they change, and start over after ten minutes', async () => {
    const { counts, advance } = open()
    const written: RouteCountsRow[] = []
    const write = () =>
      counts.write(async (rows) => void written.push(...rows.filter((row) => row.label === label)))
    for (const ms of [0, 9 * minute, minute]) {
      advance(ms)
      counts.record(label, 'native', 200, 3)
      await write()
      await write()
    }
    expect(written.map(({ intervalStart, native2xx }) => [intervalStart.slice(11, 16), native2xx])).toEqual([
      ['10:00', 1],
      ['10:00', 2],
      ['10:00', 3],
    ])
    counts.record(label, 'native', 200, 3)
    await write()
    expect(written.at(-1)).toMatchObject({ intervalStart: '2026-11-20T10:10:00.000Z', native2xx: 1 })
  })

  it('are kept for up to a day if they cannot be written', async () => {
    const { counts, advance, write, stored, sum } = open()
    for (let interval = 0; interval < 200; interval += 1) {
      await counts.write(() => Promise.reject(new Error('no database'))).catch(() => undefined)
      counts.record(label, 'proxy', 200, 3)
      advance(10 * minute)
    }
    await write()
    expect([stored.size, sum()]).toEqual([143, 143])
  })

  it("follow the database's clock once the instance knows it", async () => {
    const { counts, advance, write, stored, sum } = open()
    const year = 365 * 24 * 60 * minute
    counts.record(label, 'native', 200, 3)
    advance(10 * minute)
    await counts.write(() => Promise.reject(new Error('no database'))).catch(() => undefined)
    counts.record(label, 'native', 200, 3)
    advance(-year)
    await write()
    counts.record(label, 'native', 200, 3)
    advance(10 * minute)
    await write()
    const starts = [...stored.values()].map(({ intervalStart }) => Date.parse(intervalStart) - start + year)
    expect([starts, sum()]).toEqual([[0, 10 * minute], 3])
  })

  it('include each request exactly once, even if writes fail or are repeated', async () => {
    const labels = Object.keys(routeTable) as Label[]
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('record' as const),
        label: fc.constantFrom(...labels),
        runtime: fc.constantFrom('native' as const, 'proxy' as const),
        status: fc.integer({ min: 100, max: 599 }),
      }),
      fc.record({ kind: fc.constantFrom('write' as const, 'fail' as const, 'lose' as const) }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: -minute, max: 20 * minute }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
        const { counts, advance, write, stored, sums, sum, sumDurations } = open()
        let recorded = 0
        let disconnected = 0
        for (const each of steps) {
          if (each.kind === 'record') {
            counts.record(each.label, each.runtime, each.status, 3)
            recorded += 1
            disconnected += each.status === 499 ? 1 : 0
          } else if (each.kind === 'wait') advance(each.ms)
          else if (each.kind === 'write') await write()
          else
            await counts
              .write(async (rows) => {
                // The write is stored, but its response is lost.
                if (each.kind === 'lose')
                  for (const row of rows)
                    (row.label === '*' ? sums : stored).set(`${row.label} ${row.intervalStart}`, row)
                throw new Error('no response')
              })
              .catch(() => undefined)
        }
        await write()
        expect([sum(), sumDurations()]).toEqual([recorded, recorded - disconnected])
        expect(total(sums)).toBe(recorded)
      }),
    )
  })
})
