import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import * as drizzle from 'drizzle-orm'
import type { Coverage } from './coverage.ts'

/** The request headers that name the mutant to switch on, and the scenario to record coverage for. */
export const mutantHeader = 'x-mutant'
export const scenarioHeader = 'x-mutant-scenario'

interface Request {
  readonly mutant: string | null
  readonly scenario: string | null
  /** What the request has reached since its route became known. Anything before that is discarded. */
  reached: Set<string>
}

interface SwitchOptions {
  /** The mutant that is on while modules load, and for requests that name no other; null for none. */
  readonly mutant: string | null
  readonly coverageFile: string | null
}

type Prepare = (build: (db: never) => unknown) => (db: never) => unknown

const mapValues = <T, R>(record: Readonly<Record<string, T>>, map: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))

const toLists = (byLabel: Readonly<Record<string, Set<string>>>) => mapValues(byLabel, (set) => [...set])

/** Sets the global `__mutants` for mutated sources. Returns the function to call once a request's route is known. */
export const installSwitch = ({ mutant: loaded, coverageFile }: SwitchOptions) => {
  const requests = new AsyncLocalStorage<Request>()
  const loading = new Set<string>()
  const scenarios: Record<string, Record<string, Set<string>>> = {}

  subscribe('http.server.request.start', (message) => {
    const { headers } = (message as { readonly request: IncomingMessage }).request
    const read = (name: string) => headers[name]?.toString() ?? null
    requests.enterWith({ mutant: read(mutantHeader), scenario: read(scenarioHeader), reached: new Set() })
  })

  const record = (point: string) => {
    if (coverageFile !== null) (requests.getStore()?.reached ?? loading).add(point)
  }
  const activeMutant = () => requests.getStore()?.mutant ?? loaded

  // If a statement were built only once, it would keep the mutant that was on when it was built.
  const prepared =
    (prepare: Prepare): Prepare =>
    (build) => {
      const clean = prepare(build)
      return (db) => (activeMutant() === loaded && coverageFile === null ? clean : prepare(build))(db)
    }

  Reflect.set(globalThis, '__mutants', {
    isOn: (id: string) => {
      record(id)
      return id === activeMutant()
    },
    enter: record,
    prepared,
    sql: drizzle,
  })

  if (coverageFile !== null)
    process.on('exit', () => {
      const coverage: Coverage = { loaded: [...loading], scenarios: mapValues(scenarios, toLists) }
      writeFileSync(coverageFile, JSON.stringify(coverage))
    })

  return (label: string) => {
    const request = requests.getStore()
    if (request?.scenario == null) return
    const byLabel = scenarios[request.scenario] ?? {}
    scenarios[request.scenario] = byLabel
    request.reached = byLabel[label] ?? new Set()
    byLabel[label] = request.reached
  }
}
