import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Returns the providers' records of everything whose name contains `nonce`, such as emails and checkout sessions, as
 * JSON without ids and times.
 */
export type ReadProviders = (nonce: string) => Promise<unknown>

/** Reads one side's records, and replaces the values that differ in every run. */
export type ReadRecords = () => Promise<unknown>

// Long enough for the job that sends an email.
const timeoutMs = 5000
const intervalMs = 100

const entriesOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? new Map<string, unknown>(Object.entries(value)) : null

const findDifferentPath = (native: unknown, core: unknown, path: readonly string[] = []): string | null => {
  const [ours, theirs] = [entriesOf(native), entriesOf(core)]
  if (!ours || !theirs) return native === core ? null : path.join('.')
  for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
    const found = findDifferentPath(ours.get(name), theirs.get(name), [...path, name])
    if (found !== null) return found
  }
  return null
}

/** Returns the first path where the two sides' records still differ after five seconds; null once they are the same. */
export const compareProviderRecords = async (
  native: ReadRecords,
  core: ReadRecords,
): Promise<string | null> => {
  for (let waitedMs = 0; ; waitedMs += intervalMs) {
    const path = findDifferentPath(...(await Promise.all([native(), core()])))
    if (path === null || waitedMs >= timeoutMs) return path
    await sleep(intervalMs)
  }
}
