import { setTimeout as sleep } from 'node:timers/promises'
import { type JsonType, typeOf } from '#shared/json.ts'

/**
 * Returns the providers' records of everything whose name contains `nonce`, such as emails and checkout sessions, as
 * JSON without ids and times.
 */
export type ReadProviders = (nonce: string) => Promise<unknown>

/** Reads one side's records, and replaces the values that differ in every run. */
export type ReadRecords = () => Promise<unknown>

export interface ProviderDifference {
  readonly path: string
  readonly native: JsonType | null
  readonly core: JsonType | null
}

// Long enough for the job that sends an email.
const timeoutMs = 5000
const intervalMs = 100

const entriesOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? new Map<string, unknown>(Object.entries(value)) : null

const describe = (value: unknown) => (value === undefined ? null : typeOf(value))

const findDifference = (native: unknown, core: unknown, path = 'providers'): ProviderDifference | null => {
  const [ours, theirs] = [entriesOf(native), entriesOf(core)]
  if (!ours || !theirs)
    return native === core ? null : { path, native: describe(native), core: describe(core) }
  for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
    const found = findDifference(ours.get(name), theirs.get(name), `${path}.${name}`)
    if (found !== null) return found
  }
  return null
}

/**
 * Returns the first difference that the two sides' records still have after five seconds; null once two reads in a row
 * find none, because one side may send something twice.
 */
export const compareProviderRecords = async (
  native: ReadRecords,
  core: ReadRecords,
): Promise<ProviderDifference | null> => {
  const find = async () => findDifference(...(await Promise.all([native(), core()])))
  for (let waitedMs = 0, before = await find(); ; waitedMs += intervalMs) {
    await sleep(intervalMs)
    const found = await find()
    if ((found === null && before === null) || (found !== null && waitedMs >= timeoutMs)) return found
    before = found
  }
}
