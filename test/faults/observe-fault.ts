import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Probe, type Sample, startSteadyLoad } from './steady-load.ts'

const probeNames = ['forwarded', 'nativeRead', 'nativeWrite', 'nativeOnly'] as const
export type Probes = Readonly<Record<(typeof probeNames)[number], Probe>>

interface Bound {
  /** For each probe, in the order of the page's columns: the failure statuses that clients may see. */
  readonly statuses: readonly (readonly string[])[]
  /** The last request that fails may be sent this long after the fault's end, or its beginning: see `since`. */
  readonly recoversInMs: number
  readonly since: 'end' | 'begin'
}

const page = readFileSync(join(import.meta.dirname, '../../docs/resilience.md'), 'utf8')

// `-` means that no request may fail.
const recoveryPattern = /^(?:-|within ([\d.]+) s of its (start|end))$/

const readBound = (statuses: readonly string[], recovery: RegExpExecArray): Bound => ({
  statuses: statuses.map((cell) => cell.match(/\d{3}|cut/g) ?? []),
  recoversInMs: Number(recovery[1] ?? 0) * 1000,
  since: recovery[2] === 'start' ? 'begin' : 'end',
})

/** The faults in docs/resilience.md, by name. */
export const documentedFaults: ReadonlyMap<string, Bound> = new Map(
  page
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .flatMap(([, name = '', ...cells]) => {
      const recovery = recoveryPattern.exec(cells[probeNames.length] ?? '')
      return recovery ? [[name, readBound(cells.slice(0, probeNames.length), recovery)] as const] : []
    }),
)

interface Fault {
  /** The addresses that a load balancer would send requests to. */
  readonly urls: () => readonly string[]
  readonly probes: Probes
  readonly begin: () => unknown
  readonly forMs: number
  readonly end: () => unknown
}

const failuresOf = (samples: readonly Sample[]) =>
  samples.filter(({ status }) => status === 'cut' || status >= 400)

const statusesOf = (samples: readonly Sample[]) => [...new Set(samples.map(({ status }) => String(status)))]

/** Sends requests before, during and after a fault, and expects only the failures that docs/resilience.md lists. */
export const expectAsDocumented = async (name: string, { urls, probes, begin, forMs, end }: Fault) => {
  const bound = documentedFaults.get(name)
  if (!bound) throw new Error(`docs/resilience.md has no fault "${name}"`)
  const stop = startSteadyLoad(urls, probes)
  await sleep(1000)
  const beganMs = performance.now()
  await begin()
  await sleep(forMs)
  await end()
  const sinceMs = bound.since === 'begin' ? beganMs : performance.now()
  await sleep(bound.recoversInMs + 1000)
  const seen = await stop()

  const failures = probeNames.map((probe) => failuresOf(seen[probe]))
  const lastFailedMs = Math.max(0, ...failures.flat().map(({ sentMs }) => sentMs - sinceMs))
  for (const [index, allowed] of bound.statuses.entries())
    expect(allowed, probeNames[index]).toEqual(expect.arrayContaining(statusesOf(failures[index] ?? [])))
  expect(lastFailedMs).toBeLessThanOrEqual(bound.recoversInMs)
}
