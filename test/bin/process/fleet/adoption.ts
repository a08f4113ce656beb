import type postgres from 'postgres'
import { median } from '#dev/bench/statistics.ts'
import type { Instance } from './instance.ts'
import type { LogLine } from './instance-log.ts'
import type { Fleet } from './open-fleet.ts'
import { listStalls, overlaps } from './stalls.ts'

interface Commit {
  readonly epoch: number
  readonly at: number
}

/**
 * Reads when the changes after an epoch were committed. The times come from the database, which runs on this machine.
 */
export const readCommits = async (sql: postgres.Sql, afterEpoch: number): Promise<readonly Commit[]> => {
  const rows = await sql`
    select epoch, extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000 as at
    from route_audit where epoch > ${afterEpoch} order by epoch`
  return rows.map(({ epoch, at }) => ({ epoch: Number(epoch), at: Number(at) }))
}

const adoptionsIn = (lines: readonly LogLine[]) =>
  lines.flatMap(({ msg, epoch, time }) =>
    msg === 'routing state adopted' && epoch !== undefined ? [{ epoch, at: time }] : [],
  )

/** Finds when an instance adopted an epoch, or a later one that includes it; null if it did not. */
export const findAdoption = (instance: Instance, wanted: number): number | null =>
  adoptionsIn(instance.lines()).find(({ epoch }) => epoch >= wanted)?.at ?? null

interface Durations {
  readonly count: number
  readonly medianMs: number
  readonly p99Ms: number
  readonly maxMs: number
}

export interface AdoptionReport extends Durations {
  readonly changes: number
  readonly lastInstance: Durations
  /** Adoptions during which the database or an event loop (the instance's or the benchmark's) stalled. */
  readonly stalled: { readonly count: number; readonly maxMs: number }
  /** How long the control client of `prove-changes.ts` took for the same changes; 0 if notifications are lost. */
  readonly control: Durations
  /** How many adoptions never happened, counting each change once per instance. */
  readonly missing: number
}

const highest = (values: readonly number[]) => values.reduce((max, value) => Math.max(max, value), 0)

const summarize = (values: readonly number[]): Durations => {
  const sorted = values.toSorted((left, right) => left - right)
  return {
    count: values.length,
    medianMs: values.length === 0 ? 0 : median(values),
    p99Ms: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
    maxMs: highest(values),
  }
}

const measureInstance = (instance: Instance, fleet: Fleet, commits: readonly Commit[]) => {
  const adoptions = adoptionsIn(instance.lines())
  const stalls = listStalls([instance], fleet)
  let next = 0
  return commits.map(({ epoch, at }) => {
    while ((adoptions[next]?.epoch ?? Number.POSITIVE_INFINITY) < epoch) next += 1
    const adoptedAt = adoptions[next]?.at
    if (adoptedAt === undefined) return null
    return {
      // The log rounds times down to whole milliseconds, so an adoption can seem to precede its commit.
      ms: Math.max(0, adoptedAt - at),
      isStalled: overlaps(stalls, at, adoptedAt),
    }
  })
}

/**
 * Measures how long after each change's commit the instances logged its adoption. `controlled` has the time at which
 * the control client had followed each epoch.
 */
export const measureAdoption = (
  fleet: Fleet,
  commits: readonly Commit[],
  controlled: ReadonlyMap<number, number>,
): AdoptionReport => {
  const measured = fleet.instances.map((instance) => measureInstance(instance, fleet, commits))
  const all = measured.flat()
  const adopted = all.filter((one) => one !== null)
  const counted = adopted.filter(({ isStalled }) => !isStalled)
  const stalled = adopted.filter(({ isStalled }) => isStalled)
  const perChange = commits.flatMap((_, index) => {
    const ofChange = measured.map((samples) => samples[index] ?? null)
    const isComplete = ofChange.every((one) => one !== null && !one.isStalled)
    return isComplete ? [highest(ofChange.map((one) => one?.ms ?? 0))] : []
  })
  return {
    ...summarize(counted.map(({ ms }) => ms)),
    changes: commits.length,
    control: summarize(
      commits.flatMap(({ epoch, at }) => {
        const completedAt = controlled.get(epoch)
        return completedAt === undefined ? [] : [Math.max(0, completedAt - at)]
      }),
    ),
    lastInstance: summarize(perChange),
    stalled: { count: stalled.length, maxMs: highest(stalled.map(({ ms }) => ms)) },
    missing: all.length - adopted.length,
  }
}
